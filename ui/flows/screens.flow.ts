import type { Page } from 'playwright-core';
import type { Opened } from './browser';
import { go, look, patents, session, tab, view, type Screen } from './screen';

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

const screens: Record<string, Screen> = {
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
  'what finds tools is not fetched': {
    scene: 'first',
    go: async (page) => {
      await go(page, 'settings');
      await page.getByTestId('search-model').scrollIntoViewIfNeeded();
    },
  },
  'first start, what comes is broken off': {
    scene: 'first',
    go: async (page) => {
      await page.getByTestId('pull').click();
      await page.getByTestId('stop-pull').click();
      await page.getByTestId('pull-failure').waitFor();
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
  'a step with signs that nobody sees': {
    scene: 'proposed',
    go: async (page) => {
      await patents(page);
      await page.getByTestId('step').nth(1).click();
      await page.getByTestId('edit-description').fill('Rank the \u202eselif\u202c and draft the\u200b table');
      await page.getByTestId('edit-description').press('Tab');
      await page.getByTestId('unseen').waitFor();
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
  'a question from deep below, being declined': {
    scene: 'deep',
    width: 900,
    go: async (page) => {
      await session('Sort the archive')(page);
      await page.getByTestId('request-decline').click();
      await page.getByTestId('decline-reason').fill('The years are in the file names.');
    },
  },
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
  'the inspector, a version whole': {
    scene: 'done',
    go: async (page) => {
      await tab('changes')(page);
      await page.getByTestId('whole-1').click();
      await page.getByTestId('whole-version').getByRole('list').first().waitFor();
    },
  },
  'the inspector, an earlier run': {
    scene: 'done',
    go: async (page, { advance }) => {
      await tab('steps')(page);
      await page.getByTestId('inspect-step').nth(3).click();
      await page.getByTestId('run-from').click();
      await advance();
      await page.getByTestId('run-picker').selectOption({ index: 1 });
      await page.getByTestId('step-back').click();
    },
  },
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
      await page.getByTestId('import-again').click();
      await page.getByTestId('import-fault').first().waitFor();
    },
  },
  'a mended import is kept': {
    scene: 'question',
    go: async (page) => {
      await view('plans')(page);
      await page.getByTestId('import').click();
      await page.getByTestId('import-text').fill('{"format": "assent.plan/1"}');
      await page.keyboard.press('Escape');
      await page.getByTestId('mended').waitFor();
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
  'a key in a message': {
    scene: 'sample',
    go: async (page) => {
      await page.locator('#composer').fill('Use AKIAIOSFODNN7EXAMPLE to list the buckets');
      await page.getByTestId('key-warning').waitFor();
    },
  },
  settings: { scene: 'sample', go: view('settings') },
  'settings, an endpoint': { scene: 'sample', go: endpoint },
  'settings, narrow': { scene: 'sample', width: 640, go: endpoint },
  'settings, tools in a request': {
    scene: 'sample',
    width: 640,
    go: async (page) => {
      await go(page, 'settings');
      await page.getByTestId('tool-budget').fill('99');
      await page.keyboard.press('Tab');
      await page.getByText('A number of tokens from 100').waitFor();
      await page.getByTestId('tool-budget-usual').scrollIntoViewIfNeeded();
    },
  },
  'versions, narrow': {
    scene: 'proposed',
    width: 700,
    go: async (page) => {
      await patents(page);
      await page.getByTestId('step').first().click();
      await page.getByTestId('edit-description').fill('Find every line about patents');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
      await page.getByText(', changed').waitFor();
      await page.getByTestId('save').click();
      await page.getByText('plan v2').first().waitFor();
      await page.getByTestId('toggle-inspector').click();
      await page.getByTestId('inspector-tab-changes').click();
      await page.getByTestId('whole-1').waitFor();
    },
  },
  'settings, approval': {
    scene: 'sample',
    go: async (page) => {
      await view('settings')(page);
      await page.getByTestId('settings-tab-approval').click();
    },
  },
  'settings, credentials': {
    scene: 'sample',
    go: async (page) => {
      await view('settings')(page);
      await page.getByTestId('settings-tab-vault').click();
      await page.getByTestId('add-credential').click();
      await page.getByTestId('credential-name').fill('crm');
      await page.getByTestId('credential-hosts').fill('api.crm.example');
      await page.getByTestId('credential-secret').fill('s3cret-of-the-crm');
      await page.getByTestId('keep-credential').click();
      await page.getByTestId('credential').waitFor();
      await page.getByTestId('add-credential').click();
      await page.getByTestId('credential-name').fill('No name');
      await page.getByTestId('credential-hosts').fill('b.example');
      await page.getByTestId('credential-secret').fill('long enough');
      await page.getByTestId('keep-credential').click();
      await page.locator('[aria-invalid=true]').waitFor();
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

look(screens);
