import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './axe';
import { open, startBrowser, type Opened } from './browser';
import { beyond } from './edges';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** A screen: the scene it begins with, how a person gets there, and in which width. */
interface Screen {
  scene: string;
  width?: number;
  height?: number;
  /** Which files of the page are not there. */
  without?: RegExp;
  go?: (page: Page, opened: Opened) => Promise<void>;
}

const session = (title: string) => async (page: Page) => {
  if (!(await page.getByTestId('sidebar').isVisible())) await page.getByTestId('toggle-sidebar').click();
  await page.getByTestId('session').filter({ hasText: title }).click();
  await page.getByTestId('turns').waitFor();
};
const patents = session('Patents in the licences');
const view = (id: string) => (page: Page) => page.getByTestId(`nav-${id}`).click();
const tab = (id: string) => async (page: Page) => {
  await patents(page);
  await page.getByTestId(`inspector-tab-${id}`).click();
  await page.getByTestId(`panel-${id}`).waitFor();
};

/** Opens one of the views that the list of sessions leads to. */
const go = async (page: Page, id: string) => {
  if (!(await page.getByTestId('sidebar').isVisible())) await page.getByTestId('toggle-sidebar').click();
  await view(id)(page);
};
const tried = async (page: Page, { advance }: Opened) => {
  await go(page, 'tools');
  await page.getByTestId('tool').filter({ hasText: 'grep' }).click();
  await page.getByTestId('try').click();
  await page.getByTestId('field-pattern').fill('patent');
  await page.getByTestId('try-call').click();
  await page.getByTestId('try-outcome').waitFor();
  await advance();
  await page.getByText('"GPL-3": 57').waitFor();
};
const endpoint = async (page: Page) => {
  await go(page, 'settings');
  await page.getByTestId('add-endpoint').click();
  await page.getByTestId('endpoint-address').fill('http://models.invalid/v1');
  await page.getByTestId('endpoint-name').fill('mine');
  await page.getByTestId('model-name').fill('large');
  await page.getByTestId('keep-key').click();
  await page.getByText('nobody answers').waitFor();
};

const addTickets = async (page: Page) => {
  await page.getByTestId('add-source').click();
  await page.getByTestId('source-folder').fill('/home/ada/tickets');
  await page.keyboard.press('Enter');
  await page.getByTestId('source').waitFor();
};

/** What the tests touch of the scripted engine. */
interface Scripted {
  silent: boolean;
  offline: boolean;
  failures: { code: string; message: string }[];
  runs: Map<string, { id: string; session: string; turn: string }>;
  scripts: Map<string, unknown>;
  tell(signal: object): void;
  commit(place: object, ...kinds: object[]): void;
}
const engine = (page: Page, act: (world: Scripted) => void) =>
  page.evaluate(
    (body) =>
      (new Function('world', `(${body})(world)`) as (world: unknown) => void)((window as never)['scripted']),
    act.toString(),
  );
const ask = async (page: Page, words: string) => {
  await page.getByTestId('composer').fill(words);
  await page.keyboard.press('Enter');
  await page.getByTestId('message').last().waitFor();
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
        const place = { session: run?.session, turn: run?.turn, run: run?.id };
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
          { session: run?.session, turn: run?.turn },
          { kind: 'turn_ended', status: 'failed', error: reason },
        );
      });
      await page.getByTestId('turn-failed').waitFor();
      await page.getByTestId('fold').click();
    },
  },
  'a run that was stopped': {
    scene: 'running',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('stop-run').click();
      await page.getByTestId('fold').click();
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
      await page.getByTestId('composer').fill('Do something large');
      await page.keyboard.press('Enter');
      await page.getByTestId('session-error').waitFor();
    },
  },
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
    width: 640,
    height: 410,
    go: async (page) => {
      await patents(page);
      await page.getByTestId('step').nth(1).click();
    },
  },
  'at 200 percent, inbox': { scene: 'question', width: 640, height: 410, go: (page) => go(page, 'inbox') },
  'at 200 percent, tools': { scene: 'sample', width: 640, height: 410, go: (page) => go(page, 'tools') },
  empty: { scene: 'empty' },
  'new request': { scene: 'sample' },
  'first start': { scene: 'first' },
  'first start, keys': { scene: 'first', go: (page) => page.getByTestId('welcome-keys').click() },
  'first start, fetching': {
    scene: 'first',
    go: async (page) => {
      await page.getByTestId('pull').click();
      await page.getByTestId('pull-progress').waitFor();
    },
  },
  'first start, narrow': { scene: 'first', width: 640 },
  'the folders of earlier sessions': {
    scene: 'sample',
    go: (page) => page.getByTestId('workspace').click(),
  },
  'an answer': { scene: 'sample', go: session('Weekly invoice check') },
  'a plan appears': {
    scene: 'sample',
    go: async (page, { advance }) => {
      await page.getByTestId('composer').fill('Which licences mention patents?');
      await page.keyboard.press('Enter');
      await page.getByTestId('message').waitFor();
      await advance(4);
      await page.getByTestId('planning').waitFor();
    },
  },
  'a plan waits': { scene: 'proposed', go: patents },
  'a plan that only looks': { scene: 'looking', go: session('Only look') },
  'a step is edited': {
    scene: 'proposed',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('step').nth(1).click();
      await page.getByTestId('tool-input').focus();
      await page.getByTestId('tool-option').first().waitFor();
    },
  },
  'an edit is refused': {
    scene: 'proposed',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('step').nth(1).focus();
      await page.keyboard.press('Alt+ArrowUp');
      await page.getByTestId('refused').waitFor();
    },
  },
  'a note is written': {
    scene: 'proposed',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('approve-note').click();
    },
  },
  'a run': { scene: 'running', go: patents },
  'a run of another program': {
    scene: 'elsewhere',
    go: async (page) => {
      await patents(page);
      await page.getByText('Another window or a command').waitFor();
    },
  },
  'a run that nobody carries on': {
    scene: 'abandoned',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('carry-on').waitFor();
    },
  },
  'a confirmation': { scene: 'confirm', go: patents },
  'arguments are changed': {
    scene: 'confirm',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('edit-arguments').click();
    },
  },
  'a permission': {
    scene: 'permit',
    go: async (page) => {
      await session('Tidy the old tables')(page);
      await page.getByTestId('reach-run').check();
    },
  },
  'a permission, narrow': {
    scene: 'permit',
    width: 640,
    go: session('Tidy the old tables'),
  },
  'a step of a finished run': {
    scene: 'done',
    go: async (page) => {
      await tab('steps')(page);
      await page.getByTestId('inspect-step').nth(3).click();
    },
  },
  'a file would change': { scene: 'change', go: session('Bring the notes up to date') },
  'a file would change, medium width': {
    scene: 'change',
    width: 900,
    go: session('Bring the notes up to date'),
  },
  'a file would change, arguments': {
    scene: 'change',
    go: async (page) => {
      await session('Bring the notes up to date')(page);
      await page.getByTestId('edit-arguments').click();
    },
  },
  'an unknown outcome': { scene: 'unknown', go: session('Copy the notes') },
  'an unknown outcome, medium width': { scene: 'unknown', width: 900, go: session('Copy the notes') },
  'a limit': { scene: 'capped', go: session('Find the patnets') },
  'a limit, medium width': { scene: 'capped', width: 900, go: session('Find the patnets') },
  'a question from deep below': { scene: 'deep', go: session('Sort the archive') },
  'a question from deep below, medium width': { scene: 'deep', width: 900, go: session('Sort the archive') },
  'inbox, from deep below': { scene: 'deep', go: view('inbox') },
  'inbox, a file would change, medium width': {
    scene: 'change',
    width: 900,
    go: (page) => go(page, 'inbox'),
  },
  'a step that is out of date': {
    scene: 'done',
    go: async (page, { advance }) => {
      await tab('steps')(page);
      await page.getByTestId('inspect-step').nth(1).click();
      await page.getByTestId('retry-step').click();
      await advance();
      await page.getByTestId('step-back').click();
      await page.getByTestId('inspect-step').nth(2).click();
      await page.getByTestId('stale').waitFor();
    },
  },
  'a step with replies and a failure': {
    scene: 'capped',
    go: async (page, { advance }) => {
      await session('Find the patnets')(page);
      await page.getByTestId('option').first().check();
      await page.getByTestId('request-answer').click();
      await advance();
      await page.getByTestId('inspector-tab-steps').click();
      await page.getByTestId('inspect-step').first().click();
      await page.getByTestId('retry-step').click();
      await advance();
      await page.getByTestId('thoughts').first().click();
      await page.getByTestId('model-failed').scrollIntoViewIfNeeded();
    },
  },
  'a part that does not come': {
    scene: 'sample',
    without: /Settings-[^/]*\.js$/,
    go: async (page) => {
      await view('settings')(page);
      await page.getByTestId('part-missing').waitFor();
    },
  },
  'a question': { scene: 'question', go: session('Patents with a question') },
  done: {
    scene: 'confirm',
    go: async (page, { advance }) => {
      await patents(page);
      await page.getByTestId('request-approve').click();
      await advance();
      await page.getByTestId('answer').waitFor();
    },
  },
  'a replay': {
    scene: 'confirm',
    go: async (page, { advance }) => {
      await patents(page);
      await page.getByTestId('request-approve').click();
      await advance();
      await page.getByTestId('answer').waitFor();
      await page.getByTestId('replay-slider').fill('9');
    },
  },
  'a replay, trace': {
    scene: 'done',
    go: async (page) => {
      await tab('trace')(page);
      await page.getByTestId('replay-slider').fill('9');
      await page.getByTestId('trace').locator('.later').first().waitFor();
    },
  },
  'a large plan, whole': {
    scene: 'large',
    go: async (page) => {
      await session('A plan of 500 steps')(page);
      await page.getByTestId('zoom-fit').click();
    },
  },
  offline: { scene: 'offline', go: patents },
  'the inspector, steps': { scene: 'confirm', go: tab('steps') },
  'the inspector, changes': { scene: 'confirm', go: tab('changes') },
  'the inspector, trace': { scene: 'confirm', go: tab('trace') },
  'a step inspected': {
    scene: 'confirm',
    go: async (page) => {
      await tab('steps')(page);
      await page.getByTestId('inspect-step').first().click();
      await page.getByTestId('show-sent').click();
      await page.getByTestId('sent').waitFor();
    },
  },
  inbox: { scene: 'question', go: view('inbox') },
  'inbox, empty': { scene: 'sample', go: view('inbox') },
  plans: { scene: 'question', go: view('plans') },
  'import with faults': {
    scene: 'question',
    go: async (page) => {
      await view('plans')(page);
      await page.getByTestId('import').click();
      await page.getByTestId('import-fault').first().waitFor();
    },
  },
  'the tools of a request': {
    scene: 'discovery',
    go: async (page) => {
      await session('The list on the web')(page);
      await page.getByTestId('tool-meter').click();
      await page.getByTestId('found-tool').first().waitFor();
    },
  },
  'the tools of a request, narrow': {
    scene: 'discovery',
    width: 720,
    go: async (page) => {
      await session('The list on the web')(page);
      await page.getByTestId('tool-meter').click();
      await page.getByTestId('found-tool').first().waitFor();
    },
  },
  'a source with faults': {
    scene: 'sample',
    go: async (page) => {
      await go(page, 'tools');
      await addTickets(page);
      await page.getByTestId('source-faults').locator('summary').click();
    },
  },
  'a source that is refused, at 200 %': {
    scene: 'sample',
    width: 720,
    height: 430,
    go: async (page) => {
      await go(page, 'tools');
      await page.getByTestId('add-source').click();
      await page.getByTestId('source-folder').fill('nowhere');
      await page.getByTestId('source-name').fill('Not This');
      await page.keyboard.press('Enter');
      await page.getByTestId('source-refused').waitFor();
    },
  },
  tools: {
    scene: 'sample',
    go: async (page) => {
      await view('tools')(page);
      await page.getByTestId('tool').first().click();
    },
  },
  'a tool is tried': { scene: 'sample', go: tried },
  'a tool is tried, narrow': { scene: 'sample', width: 640, go: tried },
  search: {
    scene: 'sample',
    go: async (page) => {
      await page.getByTestId('session-filter').fill('the');
      await page.keyboard.press('Enter');
      await page.getByTestId('hit').first().waitFor();
    },
  },
  settings: { scene: 'sample', go: view('settings') },
  'settings, an endpoint': { scene: 'sample', go: endpoint },
  'settings, narrow': { scene: 'sample', width: 640, go: endpoint },
  'settings, approval': {
    scene: 'sample',
    go: async (page) => {
      await view('settings')(page);
      await page.getByTestId('settings-tab-approval').click();
    },
  },
  'settings, window': {
    scene: 'sample',
    go: async (page) => {
      await view('settings')(page);
      await page.getByTestId('settings-tab-window').click();
    },
  },
  'settings, data': {
    scene: 'sample',
    go: async (page) => {
      await view('settings')(page);
      await page.getByTestId('settings-tab-data').click();
      await page.getByTestId('doctor').click();
      await page.getByTestId('finding').first().waitFor();
    },
  },
  keys: { scene: 'sample', go: view('keys') },
  'a menu': {
    scene: 'sample',
    go: async (page) => {
      await page.getByTestId('session').first().hover();
      await page.getByTestId('session').first().hover();
      await page.getByTestId('session-menu').first().click();
    },
  },
  'large plan': { scene: 'large', go: session('A plan of 500') },
  hostile: { scene: 'hostile', go: (page) => page.getByTestId('session').first().click() },
  'medium width': { scene: 'confirm', width: 1024, go: patents },
  'medium width, inspector': {
    scene: 'confirm',
    width: 1024,
    go: async (page) => {
      await patents(page);
      await page.getByTestId('toggle-inspector').click();
    },
  },
  'narrow width': { scene: 'confirm', width: 700, go: patents },
  'narrow width, sessions': {
    scene: 'confirm',
    width: 700,
    go: (page) => page.getByTestId('toggle-sidebar').click(),
  },
  'at 200 percent, a plan': { scene: 'proposed', width: 640, height: 410, go: patents },
  'at 200 percent, a question': {
    scene: 'question',
    width: 640,
    height: 410,
    go: session('Patents with a question'),
  },
  'at 200 percent, new request': { scene: 'sample', width: 640, height: 410 },
  'at 200 percent, first start': { scene: 'first', width: 640, height: 410 },
  'at 200 percent, settings': {
    scene: 'sample',
    width: 640,
    height: 410,
    go: (page) => go(page, 'settings'),
  },
  'at 200 percent, plans': { scene: 'question', width: 640, height: 410, go: (page) => go(page, 'plans') },
};

/** Set to a folder, pictures of all screens are put there. */
const pictures = process.env['SCREENS'];

for (const [name, { scene, width, height, without, go }] of Object.entries(screens)) {
  test(`${name}: nothing for axe to say in either theme, nothing refused by the policy, nothing beyond the edges`, async () => {
    const opened = await open(browser, {
      scene,
      ...(width && { width }),
      ...(height && { height }),
      ...(without && { without }),
    });
    const { page, complaints, close } = opened;
    await go?.(page, opened);
    const picture = async (theme: string) => {
      if (pictures) await page.screenshot({ path: `${pictures}/${name.replace(/\W+/g, '-')}-${theme}.png` });
    };
    expect(await violations(page)).toEqual([]);
    await picture('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, ['color-contrast'])).toEqual([]);
    await picture('dark');
    expect(await beyond(page)).toEqual([]);
    if (!without) expect(complaints).toEqual([]);
    await close();
  });
}
