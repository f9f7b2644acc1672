import type { Page } from 'playwright-core';
import type { Input, Request, Plan } from '../src/backend/bindings';
import { look, patents, session, type Screen } from './screen';

/* Moments between two states: what comes while somebody looks at something else, what is opened for a glance. */

interface Version {
  plan: Plan;
  reference: { id: string; version: number; digest: string };
  status: string;
}
/** What these touch of the scripted engine. */
interface Scripted {
  silent: boolean;
  texts: Map<string, string>;
  plans: Map<string, Version[]>;
  failures: { code: string; message: string }[];
  runs: Map<string, { id: string; session: string; turn: string }>;
  scripts: Map<string, unknown>;
  commit(place: object, ...kinds: object[]): void;
}
const engine = <Given>(page: Page, act: (world: Scripted, given: Given) => void, given: Given) =>
  page.evaluate(
    ([body, given]) =>
      (new Function('world', 'given', `(${body})(world, given)`) as (world: unknown, given: unknown) => void)(
        (window as never)['scripted'],
        given,
      ),
    [act.toString(), given] as const,
  );
/** A request of the run that goes on, of a kind that is answered by more than a word. */
const asks =
  (input: Partial<Input>, prompt: string, more: Partial<Request> = {}): NonNullable<Screen['go']> =>
  async (page) => {
    await patents(page);
    await engine(
      page,
      (world, { input, prompt, more }) => {
        world.scripts.clear();
        const [run] = [...world.runs.values()];
        const place = { session: run?.session, turn: run?.turn, run: run?.id, step: 's2' };
        const request = {
          id: 'asked',
          kind: 'question',
          path: ['s2'],
          askedBy: 'files',
          prompt,
          input,
          ...more,
        };
        world.commit(place, { kind: 'request_opened', request });
      },
      { input: { options: [], allowEdit: false, allowText: true, ...input }, prompt, more },
    );
    await page.getByTestId('request').waitFor();
  };
const proposed = async (page: Page) => {
  await patents(page);
  await page.getByTestId('plan-card').waitFor();
};

/** The place where requests are written, while a model comes. */
const fetching = async (page: Page) => {
  await page.getByTestId('pull').click();
  await page.getByText('480.4 MB of 1.1 GB').waitFor();
  await page.getByTestId('welcome-go').click();
  await page.getByTestId('no-model').waitFor();
};

const screens: Record<string, Screen> = {
  'a plan that was overtaken': {
    scene: 'proposed',
    go: async (page) => {
      await proposed(page);
      await page.getByTestId('plan-title').fill('Another title');
      await page.keyboard.press('Enter');
      await page.getByText('plan v1, changed').waitFor();
      await engine(
        page,
        (world) => {
          const all = [...world.plans.values()].find((one) => one.at(-1)?.status === 'proposed');
          const last = all?.at(-1);
          if (!all || !last) return;
          const reference = { ...last.reference, version: 2 };
          all.push({ plan: { ...last.plan, version: 2 }, reference, status: 'proposed' });
          world.commit({ session: last.plan.sessionId }, { kind: 'plan_proposed', plan: reference });
        },
        null,
      );
      await page.getByTestId('overtaken').waitFor();
    },
  },
  'another plan is made': {
    scene: 'proposed',
    go: async (page) => {
      await proposed(page);
      await page.getByTestId('again').click();
      await page.getByTestId('note').fill('in French');
      await page.getByTestId('decide').click();
      await page.getByTestId('renewing').waitFor();
    },
  },
  'a plan for such cases': {
    scene: 'proposed',
    go: async (page) => {
      await engine(
        page,
        (world) => {
          for (const all of world.plans.values())
            for (const one of all)
              one.plan = { ...one.plan, fallback: { used: true, reason: 'no step in it had a description' } };
        },
        null,
      );
      await proposed(page);
    },
  },
  'a change that did not work': {
    scene: 'proposed',
    go: async (page) => {
      await proposed(page);
      await engine(page, (world, failure) => void world.failures.push(failure), {
        code: 'database_locked',
        message: 'another program holds the database; close it and try again',
      });
      await page.getByTestId('step').first().focus();
      await page.keyboard.press('Delete');
      await page.getByTestId('card-error').waitFor();
    },
  },
  'a plan with comments': {
    scene: 'proposed',
    go: async (page) => {
      await proposed(page);
      for (const words of ['Only the longer ones', 'And leave out the drafts']) {
        await page.getByTestId('step').nth(1).focus();
        await page.keyboard.press('Shift+F10');
        await page.getByTestId('step-menu-comment').click();
        await page.getByTestId('comment-input').fill(words);
        await page.keyboard.press('Enter');
        await page.getByTestId('step').filter({ hasText: words }).waitFor();
      }
    },
  },
  'a comment is written': {
    scene: 'proposed',
    go: async (page) => {
      await proposed(page);
      await page.getByTestId('step').nth(1).focus();
      await page.keyboard.press('Shift+F10');
      await page.getByTestId('step-menu-comment').click();
      await page.getByTestId('comment-input').fill('Only the longer ones');
    },
  },
  'the menu of a step': {
    scene: 'proposed',
    go: async (page) => {
      await proposed(page);
      await page.getByTestId('step').nth(1).focus();
      await page.keyboard.press('Shift+F10');
      await page.getByTestId('step-menu-edit').waitFor();
    },
  },
  'the menu of a link': {
    scene: 'done',
    go: async (page) => {
      await session('Patents in the licences')(page);
      await engine(
        page,
        (world) => {
          const { sessionId } = [...world.plans.values()][0]?.at(-1)?.plan ?? { sessionId: '' };
          const place = { session: sessionId, turn: 'linked' };
          const text = 'It is told on [a page of theirs](https://example.org/licences/patents).';
          world.commit(place, { kind: 'message_received', text: 'Where does it say so?' });
          world.commit(place, { kind: 'answered', text: { inline: text } });
          world.commit(place, { kind: 'turn_ended', status: 'answered' });
        },
        null,
      );
      await page.getByRole('link', { name: 'a page of theirs' }).click({ button: 'right' });
      await page.getByTestId('link-open').waitFor();
    },
  },
  'the menu of a plan, the usual size': {
    scene: 'proposed',
    width: 1280,
    height: 820,
    go: async (page) => {
      await proposed(page);
      await page.getByTestId('plan-title').fill('Another title');
      await page.keyboard.press('Enter');
      await page.getByText('plan v1, changed').waitFor();
      await page.getByTestId('more').click();
      await page.getByTestId('more-later').waitFor();
    },
  },
  'a tip': {
    scene: 'proposed',
    go: async (page) => {
      await proposed(page);
      await page.getByTestId('toggle-sidebar').hover();
      await page.getByTestId('tip').waitFor();
    },
  },
  'a model that is being fetched, from elsewhere': { scene: 'first', go: (page) => fetching(page) },
  'a model that was not fetched, from elsewhere, narrow': {
    scene: 'first',
    width: 640,
    go: async (page) => {
      await fetching(page);
      await page.getByTestId('to-models').click();
      await page.getByTestId('stop-pull').click();
      await page.keyboard.press('Control+n');
      await page.getByText('was not fetched').first().waitFor();
    },
  },
  'names are offered': {
    scene: 'proposed',
    go: async (page) => {
      await proposed(page);
      await page.getByTestId('composer').fill('Look at ');
      await page.getByTestId('composer').pressSequentially('@');
      await page.getByRole('listbox').waitFor();
    },
  },
  'a plan that the policy approved': {
    scene: 'proposed',
    go: async (page) => {
      await proposed(page);
      await engine(
        page,
        (world) => {
          const last = [...world.plans.values()]
            .map((all) => all.at(-1))
            .find((one) => one?.status === 'proposed');
          if (!last) return;
          const place = { session: last.plan.sessionId };
          world.commit(place, { kind: 'plan_approved', plan: last.reference, by: 'policy' });
        },
        null,
      );
      await page.getByTestId('decided').waitFor();
    },
  },
  'a file that became another one meanwhile': {
    scene: 'change',
    go: async (page) => {
      await session('Bring the notes up to date')(page);
      await page.getByTestId('file-change').waitFor();
      await engine(
        page,
        (world) => {
          const notes = world.texts.get('notes/patents.md') ?? '';
          world.texts.set('notes/patents.md', notes.replace('Counted in June', 'Counted in July'));
        },
        null,
      );
      await page.getByTestId('request-approve').click();
      await page.getByTestId('file-moved').waitFor();
    },
  },
  'a secret is asked for': {
    scene: 'running',
    go: asks({ kind: 'text' }, 'Which API key does https://api.crm.example/ want?', {
      credential: { name: 'crm', hosts: ['api.crm.example'] },
    }),
  },
  'a secret is asked for, narrow': {
    scene: 'running',
    width: 400,
    go: asks({ kind: 'text' }, 'Which API key does https://api.crm.example/ want?', {
      credential: { name: 'crm', hosts: ['api.crm.example'] },
    }),
  },
  'a number is asked for': { scene: 'running', go: asks({ kind: 'number' }, 'How many lines at most?') },
  'a day is asked for': { scene: 'running', go: asks({ kind: 'date' }, 'Since which day?') },
  'a file is asked for': { scene: 'running', go: asks({ kind: 'file' }, 'Which file is the newest?') },
  'several of some are asked for': {
    scene: 'running',
    go: asks(
      {
        kind: 'multiselect',
        options: [
          { label: 'GPL-2', consequence: 'Six lines mention patents.' },
          { label: 'GPL-3', consequence: 'Fifty-five lines mention patents.' },
          { label: 'MPL-2.0' },
        ],
      },
      'Which licences go into the table?',
    ),
  },
  'a yes or no is asked for, narrow': {
    scene: 'running',
    width: 640,
    go: asks({ kind: 'boolean' }, 'Should the drafts be counted as well?'),
  },
  'plans, as they stand': {
    scene: 'running',
    go: async (page) => {
      await page.getByTestId('nav-plans').click();
      await page.getByTestId('library-status').first().waitFor();
    },
  },
  'a plan that waits, from elsewhere': {
    scene: 'proposed',
    go: async (page) => {
      await page.getByTestId('nav-plans').click();
      await page.getByTestId('library-status').first().waitFor();
    },
  },
};

look(screens);
