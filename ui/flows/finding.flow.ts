import type { Page } from 'playwright-core';
import { engine } from './engine';
import { go, look, session, type Screen } from './screen';

/** A search of tools that goes without what past runs teach, and without the model that compares meanings. */
const lacking = async (page: Page) => {
  await engine(page, (world) => {
    world.lacks = [
      { of: 'taught', why: null },
      { of: 'meaning', why: 'its file is being loaded' },
    ];
  });
};

const sought = (words: string) => async (page: Page) => {
  await go(page, 'tools');
  await page.getByTestId('tool-search').fill(words);
  await page.getByTestId('tool').first().waitFor();
};

const degraded = async (page: Page) => {
  await lacking(page);
  await sought('search the text of files')(page);
  await page.getByTestId('lack').first().scrollIntoViewIfNeeded();
};

const nothing = async (page: Page) => {
  await go(page, 'tools');
  await page.getByTestId('filter-source').selectOption('human');
  await page.getByTestId('tool-search').fill('search the text of files');
  await page.getByTestId('no-tools').scrollIntoViewIfNeeded();
};

const memory = async (page: Page) => {
  await go(page, 'settings');
  await page.getByTestId('settings-tab-data').click();
  await page.getByTestId('remembered').first().waitFor();
  await page.getByTestId('forget-all').scrollIntoViewIfNeeded();
};

const forgetful = async (page: Page) => {
  await engine(page, (world) => {
    world.forgetful = true;
  });
  await go(page, 'settings');
  await page.getByTestId('settings-tab-data').click();
  await page.getByTestId('memory-degraded').scrollIntoViewIfNeeded();
};

const toolset = async (page: Page) => {
  await lacking(page);
  await session('The list on the web')(page);
  await page.getByTestId('tool-meter').click();
  await page.getByTestId('found-tool').first().waitFor();
};

/** A search within a session. */
const within = async (page: Page) => {
  await session('Patents in the licences')(page);
  await page.keyboard.press('Control+f');
  await page.keyboard.type('patents');
  await page.getByTestId('hit').first().waitFor();
};

/** Where its last hit leads. */
const marked = async (page: Page) => {
  await within(page);
  await page.getByTestId('hit').last().click();
  await page.getByTestId('turns').waitFor();
};

const narrow = { width: 640 };

const screens: Record<string, Screen> = {
  'tools that were looked for': { scene: 'sample', go: sought('search the text of files') },
  'tools that were looked for, narrow': {
    scene: 'sample',
    ...narrow,
    go: sought('search the text of files'),
  },
  'a search without past runs': { scene: 'sample', go: degraded },
  'a search without past runs, narrow': { scene: 'sample', ...narrow, go: degraded },
  'a search that finds nothing': { scene: 'sample', go: nothing },
  'a search within a session': { scene: 'done', go: within },
  'a search within a session, narrow': { scene: 'done', ...narrow, go: within },
  'words that were found': { scene: 'done', go: marked },
  'what is remembered': { scene: 'proposed', go: memory },
  'what is remembered, narrow': { scene: 'proposed', ...narrow, go: memory },
  'a memory that cannot be asked': { scene: 'sample', go: forgetful },
  'the tools of a request, found without past runs': { scene: 'discovery', go: toolset },
};

look(screens);
