import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { World } from '../src/backend/scripted/world';
import { settled } from './browser';
import { engine } from './engine';
import { go, look, patents, session, tab, view, type Screen } from './screen';

/* States that a person meets seldom: what streams, is read, waits, fails, is empty, or has little room. */

/** What is left of a window of 1280 by 820 at 200 percent. */
const narrow = { width: 640, height: 410 };
const ask = async (page: Page, words: string) => {
  await page.getByTestId('composer').fill(words);
  await page.keyboard.press('Enter');
  await page.getByTestId('message').last().waitFor();
};

const reopen = async (page: Page) => {
  await engine(page, (world) => {
    const stored = [...world.plans.values()].at(-1)?.at(-1);
    if (!stored) return;
    world.commit(
      { session: stored.plan.sessionId },
      { kind: 'plan_approved', plan: stored.reference, by: 'user' },
    );
  });
  await page.getByTestId('reopen').click();
  await page.getByTestId('leave-decided').waitFor();
};

/** Messages that wait, and above them what went wrong. */
const crowd = async (page: Page) => {
  for (const words of ['And trademarks?', 'And warranty?', 'And liability?', 'And the year?']) {
    await page.getByTestId('composer').fill(words);
    await page.keyboard.press('Enter');
  }
  await expect.poll(() => page.getByTestId('queued').count()).toBe(4);
  await engine(page, (world) => {
    const message =
      'the disk is full: nothing more can be written until there is room on it; make some and try again';
    const session = [...world.runs.values()].at(-1)?.session ?? '';
    world.tell({ type: 'trouble', session, failure: { code: 'disk_full', message } });
  });
  await page.getByTestId('session-error').waitFor();
};

/** Work that could not go on in so many sessions, told while none of them is in sight. */
const troubles = async (page: Page, count: number) => {
  const tell = (world: World, count: number) => {
    const failures = [
      { code: 'disk_full', message: 'the disk is full; make room and send it again' },
      {
        code: 'model_unavailable',
        message:
          'the server at http://127.0.0.1:8000/v1 answered 503 Service Unavailable four times in a row; see to it that it runs and has the model in memory, and try again',
      },
    ] as const;
    for (const [at, session] of [...world.sessions.keys()].slice(0, count).entries())
      world.tell({ type: 'trouble', session, failure: failures[at % 2 ? 1 : 0] });
  };
  await engine(page, tell, count);
  await expect.poll(() => page.getByTestId('trouble-dismiss').count()).toBe(count);
};

/** What is allowed for longer than one call, as far as each may reach. */
const permissions = async (page: Page) => {
  await engine(page, (world) => {
    const run = [...world.runs.values()].at(-1)?.id ?? 'run';
    const workspace = '/home/ada/licences';
    const at = world.now;
    world.allowances = [
      { id: 'p3', tool: 'bash', reach: 'step', workspace, run, step: 's2', at },
      { id: 'p2', tool: 'fetch_url', reach: 'run', workspace, run, step: null, at },
      {
        id: 'p1',
        tool: 'create_file',
        reach: 'workspace',
        workspace: '/home/ada/projects/a folder with quite a long name/that goes on below/and further still',
        run: null,
        step: null,
        at,
      },
    ];
  });
  await go(page, 'settings');
  await page.getByTestId('settings-tab-approval').click();
  await expect.poll(() => page.getByTestId('permission').count()).toBe(3);
  await page.getByTestId('permissions').scrollIntoViewIfNeeded();
};

/** Whether all of it stands in the window, and something of it is to be seen. */
const isWithin = async (page: Page, testid: string) => {
  await settled(page);
  const box = await page.getByTestId(testid).boundingBox();
  const seen = box && box.height > 20 && box.y >= 0 && box.y + box.height <= narrow.height;
  expect([testid, box, seen]).toEqual([testid, box, true]);
};

const screens: Record<string, Screen> = {
  'an answer comes': {
    scene: 'sample',
    go: async (page, { advance }) => {
      await ask(page, 'Hello');
      await advance(6);
      await page.getByTestId('streaming').waitFor();
    },
  },
  'the model is loaded': {
    scene: 'sample',
    go: async (page) => {
      await ask(page, 'Which licences mention patents?');
      await page.getByTestId('thinking').waitFor();
      await engine(page, (world) => world.tell({ type: 'loading', state: 'loading', elapsedMs: 12_300 }));
      await page.getByText('Loading the model').first().waitFor();
    },
  },
  'a session is read': {
    scene: 'sample',
    go: async (page) => {
      await engine(page, (world) => void (world.silent = true));
      await page.getByTestId('session').first().click();
      await page.getByTestId('session-loading').waitFor();
    },
  },
  'a silent engine': {
    scene: 'sample',
    go: async (page) => {
      await engine(page, (world) => void (world.silent = true));
      await page.getByTestId('session').first().click();
      await page.getByTestId('silent').waitFor();
    },
  },
  'a failed turn': {
    scene: 'sample',
    go: async (page, { advance }) => {
      await engine(page, (world) => void (world.offline = true));
      await ask(page, 'Do something else');
      await advance();
      await page.getByTestId('turn-failed').waitFor();
    },
  },
  'a failed run': {
    scene: 'running',
    go: async (page) => {
      await patents(page);
      await engine(page, (world) => {
        world.scripts.clear();
        const [run] = [...world.runs.values()];
        if (!run?.turn) throw new Error('the scene has no run');
        const place = { session: run.session, turn: run.turn, run: run.id };
        const reason = 'the model answered nothing that can be used, three times';
        world.commit(
          { ...place, step: 's2' },
          { kind: 'step_ended', status: 'failed', validation: 'failed', reason },
        );
        world.commit(
          { ...place, step: 's3' },
          { kind: 'step_ended', status: 'skipped', validation: 'skipped', because: 's2' },
        );
        world.commit(place, { kind: 'run_ended', status: 'failed' });
        world.commit(
          { session: run.session, turn: run.turn },
          { kind: 'turn_ended', status: 'failed', error: reason },
        );
      });
      await page.getByTestId('turn-failed').waitFor();
    },
  },
  'a run that was stopped': {
    scene: 'running',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('stop-run').click();
      await expect.poll(() => page.getByTestId('stop-run').count()).toBe(0);
    },
  },
  'an error in a session': {
    scene: 'sample',
    go: async (page) => {
      await session('Weekly invoice check')(page);
      await engine(
        page,
        (world) =>
          void world.failures.push({
            code: 'disk_full',
            message: 'the disk is full; make room and send it again',
          }),
      );
      // Too short for a saved plan to be looked for, which would meet the failure first.
      await page.getByTestId('composer').fill('Do it anew');
      await page.keyboard.press('Enter');
      await page.getByTestId('session-error').waitFor();
    },
  },
  'work elsewhere could not go on': {
    scene: 'sample',
    go: async (page) => {
      await go(page, 'inbox');
      await troubles(page, 2);
    },
  },
  'at 200 percent, work elsewhere could not go on': {
    scene: 'sample',
    ...narrow,
    go: async (page) => {
      await troubles(page, 4);
      await isWithin(page, 'composer');
    },
  },
  'what is allowed': { scene: 'done', go: permissions },
  'narrow width, what is allowed': { scene: 'done', width: 700, go: permissions },
  'an error in the window': {
    scene: 'sample',
    go: async (page) => {
      await engine(
        page,
        (world) =>
          void world.failures.push({
            code: 'database_locked',
            message: 'another program holds the database; close it and try again',
          }),
      );
      await view('plans')(page);
      await page.getByTestId('app-error').waitFor();
    },
  },
  'not started': { scene: 'sample', without: /scenes-[^/]*\.js$/ },
  'a data folder that a newer version wrote': { scene: 'unopened' },
  'a locked data folder, at 200 percent': {
    scene: 'locked',
    ...narrow,
    go: async (page) => {
      await page.getByTestId('start-open-data').click();
      await page.keyboard.press('Control++');
      await expect.poll(() => engine(page, (world) => world.zoom)).toBe(110);
    },
  },
  'a slow start': { scene: 'silent', go: (page) => page.getByTestId('opening').waitFor() },
  'approved for later': {
    scene: 'proposed',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('approve-later').click();
      await page.getByTestId('decided').waitFor();
    },
  },
  'a rejection is written': {
    scene: 'proposed',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('reject').click();
      await page.getByTestId('note').fill('not needed any more');
    },
  },
  rejected: {
    scene: 'proposed',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('reject').click();
      await page.getByTestId('note').fill('not needed any more');
      await page.keyboard.press('Enter');
      await page.getByTestId('decided').waitFor();
    },
  },
  'saved for later': {
    scene: 'proposed',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('save').click();
      await page.getByTestId('saved').waitFor();
    },
  },
  'a session is deleted': {
    scene: 'sample',
    go: async (page) => {
      await page.getByTestId('session').first().focus();
      await page.keyboard.press('Delete');
      await page.getByTestId('delete-yes').waitFor();
    },
  },
  'archived sessions': {
    scene: 'sample',
    go: async (page) => {
      await page.getByTestId('session').first().hover();
      await page.getByTestId('session-menu').first().click();
      await page.getByTestId('session-menu-archive').click();
      await page.getByTestId('toggle-archived').click();
    },
  },
  'nothing found': {
    scene: 'sample',
    go: async (page) => {
      await page.getByTestId('session-filter').fill('nowhere to be found');
      await page.keyboard.press('Enter');
      await page.getByTestId('search').getByText('Nothing').first().waitFor();
    },
  },
  'no plans': { scene: 'empty', go: view('plans') },
  'an import without a folder': {
    scene: 'first',
    go: async (page) => {
      await view('plans')(page);
      await page.getByTestId('import').click();
      await page.getByTestId('import-no-folder').waitFor();
    },
  },
  'first start, servers': {
    scene: 'first-servers',
    go: (page) => page.getByTestId('model').filter({ hasText: 'gemma' }).waitFor(),
  },
  'messages wait': {
    scene: 'running',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('composer').fill('And which of them mention trademarks?');
      await page.keyboard.press('Enter');
      await page.getByTestId('queued').waitFor();
    },
  },
  'at 200 percent, messages wait below what went wrong': {
    scene: 'running',
    ...narrow,
    go: async (page) => {
      await patents(page);
      await crowd(page);
      await isWithin(page, 'composer');
    },
  },
  'at 200 percent, messages wait below what is asked': {
    scene: 'running',
    ...narrow,
    go: async (page, { advance }) => {
      await patents(page);
      await crowd(page);
      await advance();
      await page.getByTestId('request').waitFor();
      await isWithin(page, 'composer');
      await isWithin(page, 'request-stack');
    },
  },
  'a plan that was decided about is to be changed': {
    scene: 'proposed',
    go: async (page) => {
      await patents(page);
      await reopen(page);
    },
  },
  'narrow width, a plan that was decided about is to be changed': {
    scene: 'proposed',
    width: 700,
    go: async (page) => {
      await patents(page);
      await reopen(page);
    },
  },
  'a session that was found': {
    scene: 'sample',
    width: 700,
    go: async (page) => {
      await page.getByTestId('toggle-sidebar').click();
      await page.getByTestId('session-filter').fill('invoices');
      await page.keyboard.press('Enter');
      await page.getByTestId('hit').first().click();
      await page.getByTestId('back-to-found').waitFor();
    },
  },
  'an endpoint in use is to go': {
    scene: 'sample',
    go: async (page) => {
      await go(page, 'settings');
      await page.getByTestId('add-endpoint').click();
      await page.getByTestId('endpoint-name').fill('mine');
      await page.getByTestId('endpoint-address').fill('http://127.0.0.1:8000/v1');
      await page.getByTestId('model-name').fill('large');
      await page.getByTestId('endpoint-form').getByRole('button', { name: 'Save and test' }).click();
      await page.getByTestId('use-endpoint').click();
      await page.getByTestId('remove-endpoint').click();
      await page.getByTestId('remove-used').waitFor();
    },
  },
  'an endpoint under a taken name': {
    scene: 'sample',
    go: async (page) => {
      await go(page, 'settings');
      for (const address of ['https://old.example/v1', 'https://new.example/v1']) {
        await page.getByTestId('add-endpoint').click();
        await page.getByTestId('endpoint-name').fill('mine');
        await page.getByTestId('endpoint-address').fill(address);
        await page.getByTestId('key-input').fill('sk-secret');
        await page.keyboard.press('Enter');
        await page.getByTestId('provider').filter({ hasText: 'old.example' }).waitFor();
      }
      await page.getByTestId('replace-endpoint').waitFor();
    },
  },
  'a credential under a taken name': {
    scene: 'sample',
    go: async (page) => {
      await go(page, 'settings');
      await page.getByTestId('settings-tab-vault').click();
      for (const host of ['example.com', 'example.org']) {
        await page.getByTestId('add-credential').click();
        await page.getByTestId('credential-name').fill('example');
        await page.getByTestId('credential-hosts').fill(host);
        await page.getByTestId('credential-secret').fill('s3cret-of-it');
        await page.keyboard.press('Enter');
        await page.getByTestId('credential').waitFor();
      }
      await page.getByTestId('replace-credential').waitFor();
    },
  },
  'a secret is to go': {
    scene: 'sample',
    go: async (page) => {
      await go(page, 'settings');
      await page.getByTestId('edit-key').first().click();
      await page.getByTestId('key-input').fill('sk-secret');
      await page.keyboard.press('Enter');
      await page.getByTestId('forget-key').click();
      await page.getByTestId('forget-secret').waitFor();
    },
  },
  'all that is remembered is to go': {
    scene: 'sample',
    go: async (page) => {
      await go(page, 'settings');
      await page.getByTestId('settings-tab-data').click();
      await page.getByTestId('forget-all').click();
      await page.getByTestId('forget-all-asked').waitFor();
    },
  },
  'a model is named': {
    scene: 'sample',
    go: async (page) => {
      await go(page, 'settings');
      await page.getByTestId('role-default').selectOption({ label: 'Another…' });
      await page.getByTestId('role-name').fill('nowhere');
      await page.keyboard.press('Enter');
      await page.getByTestId('settings').getByText('names no model').waitFor();
    },
  },
  'a model that is not there any more': {
    scene: 'sample',
    go: async (page) => {
      await go(page, 'settings');
      await page.getByTestId('add-endpoint').click();
      await page.getByTestId('endpoint-name').fill('mine');
      await page.getByTestId('endpoint-address').fill('http://127.0.0.1:8000/v1');
      await page.getByTestId('model-name').fill('large');
      await page.getByTestId('endpoint-form').getByRole('button', { name: 'Save and test' }).click();
      await page.getByTestId('use-endpoint').click();
      await page.getByTestId('remove-endpoint').click();
      await page.getByTestId('remove-yes').click();
      await page.getByText('mine/large is not there any more').first().waitFor();
    },
  },
  'first start, nothing runs models': {
    scene: 'first-serverless',
    go: (page) => page.getByTestId('no-server').waitFor(),
  },
  'an archived session that was looked for': {
    scene: 'sample',
    go: async (page) => {
      await page.getByTestId('session').first().hover();
      await page.getByTestId('session-menu').first().click();
      await page.getByTestId('session-menu-archive').click();
      await page.getByTestId('session-filter').fill('e');
      await page.getByTestId('others-match').waitFor();
    },
  },
  'the graph as numbers': {
    scene: 'confirm',
    go: async (page) => {
      await tab('graph')(page);
      await page.getByTestId('node').first().waitFor();
      while (parseInt(await page.getByTestId('zoom-percent').innerText()) > 45)
        await page.getByTestId('zoom-out').click();
    },
  },
  'narrow width, a step is inspected': {
    scene: 'confirm',
    width: 700,
    go: async (page) => {
      await patents(page);
      await page.getByTestId('toggle-inspector').click();
      await page.getByTestId('inspector-tab-steps').click();
      await page.getByTestId('inspect-step').first().click();
    },
  },
  'narrow width, a step is edited': {
    scene: 'proposed',
    width: 700,
    go: async (page) => {
      await patents(page);
      await page.getByTestId('step').nth(1).click();
    },
  },
  'at 200 percent, a step is edited': {
    scene: 'proposed',
    ...narrow,
    go: async (page) => {
      await patents(page);
      await page.getByTestId('step').nth(1).click();
    },
  },
  'at 200 percent, a confirmation': { scene: 'confirm', ...narrow, go: patents },
  'at 200 percent, a search': {
    scene: 'sample',
    ...narrow,
    go: async (page) => {
      await page.getByTestId('toggle-sidebar').click();
      await page.getByTestId('session-filter').fill('the');
      await page.keyboard.press('Enter');
      await page.getByTestId('hit').first().waitFor();
    },
  },
  'at 200 percent, the graph': {
    scene: 'done',
    ...narrow,
    go: async (page) => {
      await patents(page);
      await page.getByTestId('toggle-inspector').click();
      await page.getByTestId('node').first().waitFor();
    },
  },
  'at 200 percent, a step is inspected': {
    scene: 'done',
    ...narrow,
    go: async (page) => {
      await patents(page);
      await page.getByTestId('toggle-inspector').click();
      await page.getByTestId('inspector-tab-steps').click();
      await page.getByTestId('inspect-step').first().click();
    },
  },
  'at 200 percent, an import': {
    scene: 'first',
    ...narrow,
    go: async (page) => {
      await go(page, 'plans');
      await page.getByTestId('import').click();
      await page.getByTestId('import-no-folder').waitFor();
    },
  },
  'at 200 percent, a deletion': {
    scene: 'sample',
    ...narrow,
    go: async (page) => {
      await page.getByTestId('toggle-sidebar').click();
      await page.getByTestId('session').first().focus();
      await page.keyboard.press('Delete');
      await page.getByTestId('delete-yes').waitFor();
    },
  },
  'at 200 percent, keys': { scene: 'sample', ...narrow, go: (page) => go(page, 'keys') },
  'the usual size, a plan': { scene: 'proposed', width: 1280, height: 820, go: patents },
  'at 200 percent, inbox': { scene: 'question', ...narrow, go: (page) => go(page, 'inbox') },
  'at 200 percent, tools': { scene: 'sample', ...narrow, go: (page) => go(page, 'tools') },
};

look(screens);
