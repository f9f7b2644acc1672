import type { Page } from 'playwright-core';
import { engine } from './engine';
import { go, look, patents, session, type Screen } from './screen';

/* Steps that were handed on, files that a run wrote, what is half written, and the heap's own switches. */

const archive = session('Bring the archive in order');
const notes = session('Bring the notes up to date');
const NARROW = 700;

/** Shows a part of the inspector, also where it lies over the chat. */
const inspect = async (page: Page, tab: string) => {
  if (!(await page.getByTestId(`inspector-tab-${tab}`).isVisible()))
    await page.getByTestId('toggle-inspector').click();
  await page.getByTestId(`inspector-tab-${tab}`).click();
};
const handed = async (page: Page) => {
  await archive(page);
  await inspect(page, 'steps');
  await page.getByTestId('inspect-step').nth(3).waitFor();
};
const part = (at: number) => async (page: Page) => {
  await handed(page);
  await page.getByTestId('inspect-step').nth(at).click();
  await page.getByTestId('step-detail').waitFor();
};
const graph = async (page: Page) => {
  await archive(page);
  await inspect(page, 'graph');
  await page.getByTestId('node').first().waitFor();
};
const doubted: Screen['go'] = async (page, { advance }) => {
  await archive(page);
  await page.getByTestId('option').first().click();
  await page.getByTestId('request-answer').click();
  await advance();
  await page.getByTestId('answer').waitFor();
  await inspect(page, 'steps');
  await page.getByTestId('inspect-step').last().click();
  await page.getByTestId('doubted').waitFor();
};
const wrote = async (page: Page) => {
  await patents(page);
  await page.getByTestId('file').scrollIntoViewIfNeeded();
};
const changed: Screen['go'] = async (page, { advance }) => {
  await notes(page);
  await page.getByTestId('request-approve').click();
  await advance();
  await page.getByTestId('file-compare').click();
  await page.getByTestId('changed-line').first().waitFor();
  await page.getByTestId('files').evaluate((files) => files.scrollIntoView({ block: 'end' }));
};
const written = async (page: Page) => {
  await patents(page);
  const step = page.getByTestId('step').nth(1);
  for (const [item, field, words] of [
    ['Comment', 'comment-input', 'The longest first'],
    ['Plan this step anew', 'rework-input', 'Without those that have none'],
  ] as const) {
    await step.focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: item }).click();
    await page.getByTestId(field).fill(words);
  }
  await page.getByTestId('reject').click();
  await page.getByTestId('note').fill('Too many steps');
};
const commented = async (page: Page) => {
  await engine(page, (world) => {
    const version = [...world.plans.values()].flat().at(-1);
    if (!version) throw new Error('the scene has a plan');
    const place = { session: version.plan.sessionId };
    const comments = [
      { text: 'Rather short, and nothing that is not in the folder.' },
      { on: 's9', text: 'The longest first' },
      { on: 's1', text: 'Only the newest' },
    ];
    for (const one of comments) world.commit(place, { kind: 'commented', plan: version.reference, ...one });
  });
  await patents(page);
  await page.getByTestId('plan-comments').waitFor();
};
const reworking = async (page: Page) => {
  await patents(page);
  await page.getByTestId('step').nth(1).focus();
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Plan this step anew' }).click();
  await page.getByTestId('rework-input').fill('the longest first');
  await page.keyboard.press('Enter');
  await page.getByTestId('reworking').waitFor();
};
const keyed = async (page: Page) => {
  await go(page, 'tools');
  await page.getByTestId('add-source').click();
  await page.getByTestId('source-folder').fill('/home/ada/tickets');
  await page.keyboard.press('Enter');
  await page.getByTestId('give-key').click();
  await page.getByTestId('source-key-input').fill('tk-1234');
};
const studio = async (page: Page) => {
  await go(page, 'tools');
  await page.getByTestId('studio').check();
  await page.getByText('Makes and changes agents.').scrollIntoViewIfNeeded();
};

const both = (name: string, scene: string, how: NonNullable<Screen['go']>): Record<string, Screen> => ({
  [name]: { scene, go: how },
  [`${name}, narrow`]: { scene, width: NARROW, go: how },
});

look({
  ...both('a step was handed on', 'handed', handed),
  ...both('a step was handed on, its parts', 'handed', part(0)),
  ...both('a part of a part', 'handed', part(3)),
  ...both('a step was handed on, graph', 'handed', graph),
  ...both('a report without a call', 'handed', doubted),
  ...both('a file was made', 'done', wrote),
  ...both('a file was changed', 'change', changed),
  ...both('comments on a whole plan', 'proposed', commented),
  ...both('half written', 'proposed', written),
  ...both('a step is planned anew', 'proposed', reworking),
  ...both('a source wants a key', 'sample', keyed),
  ...both('the studio is open', 'sample', studio),
});
