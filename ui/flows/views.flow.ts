import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, settled, startBrowser } from './browser';
import { engine } from './engine';
import { focused } from './keys';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test('what is found in a step, a call or a result is in sight: its card unfolded, its step chosen, the call in the inspector', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'done' });
  const find = async (words: string, kind: string) => {
    await page.keyboard.press('Control+k');
    await page.getByTestId('session-filter').fill(words);
    await page.keyboard.press('Enter');
    await page.getByTestId('hit').filter({ hasText: kind }).first().click();
    await page.getByTestId('step-detail').waitFor();
  };
  await find('rank the files', 'plan');
  await expect.poll(() => page.getByTestId('plan-card').getByTestId('step').nth(1).isVisible()).toBe(true);
  await expect.poll(() => page.getByTestId('step-detail').innerText()).toContain('Rank the files and draft');

  await page.getByTestId('fold').click();
  await expect.poll(() => page.getByTestId('plan-card').getByTestId('step').count()).toBe(0);
  await find('grep', 'call');
  await expect.poll(() => page.getByTestId('plan-card').getByTestId('step').count()).toBe(4);
  await expect.poll(() => page.getByTestId('step-call').innerText()).toContain('grep');
  await find('57', 'result');
  await expect.poll(() => page.getByTestId('step-call').innerText()).toContain('57');
  expect(complaints).toEqual([]);
  await close();
});

test('at the first start the models of servers on this machine are found, and one of them is taken', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'first-servers' });
  const row = (name: string) => page.getByTestId('model').filter({ hasText: name });
  await row('qwen2.5:7b').waitFor();
  await expect.poll(() => row('gemma-2-9b-it').innerText()).toContain('127.0.0.1:1234');
  await row('qwen2.5:7b').getByTestId('use-model').click();
  await page.getByText('Ready: qwen2.5:7b plans and works.').waitFor();
  await page.getByTestId('welcome-go').click();
  await expect.poll(() => page.getByTestId('example').count()).toBe(3);
  expect(await page.getByTestId('no-model').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('on a fresh start, without a folder, a plan that is imported asks for one and is taken then', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'first' });
  await page.getByTestId('nav-plans').click();
  await page.getByTestId('import').click();
  await page.getByTestId('import-no-folder').waitFor();
  await page.getByTestId('import-folder').click();
  await expect.poll(() => page.getByTestId('into-folder').innerText()).toContain('licences');
  await page.getByTestId('import-text').fill(
    JSON.stringify({
      format: 'assent.plan/1',
      title: 'From a file',
      steps: [{ id: 's1', description: 'Count' }],
    }),
  );
  await page.getByTestId('import-again').click();
  await page.getByTestId('plan-card').waitFor();
  await expect.poll(() => page.getByTestId('plan-title').inputValue()).toBe('From a file');
  expect(complaints).toEqual([]);
  await close();
});

test('a plan file with faults is shown with each at its place, mended there, taken, and answered below its card', async () => {
  const { page, complaints, advance, close } = await open(browser, { scene: 'question' });
  await page.getByTestId('nav-plans').click();
  await page.getByTestId('import').click();
  await page.getByTestId('import-again').click();
  await page.getByTestId('import-fault').first().waitFor();
  await expect
    .poll(() => page.getByTestId('import-fault').allInnerTexts())
    .toEqual([expect.stringContaining('steps[1].description a step has to say what to do')]);
  await page.getByTestId('import-fault').first().click();
  const chosen = await page
    .getByTestId('import-text')
    .evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd));
  expect(JSON.parse(chosen)).toEqual({ id: 's2' });
  const mended = {
    format: 'assent.plan/1',
    title: 'From a file',
    steps: [{ id: 's1', description: 'Count', requiredTools: ['wc'] }],
  };
  await page.getByTestId('import-text').fill(JSON.stringify(mended, null, 2));
  await page.getByTestId('import-again').click();
  await expect
    .poll(() => page.getByTestId('import-fault').allInnerTexts())
    .toEqual([expect.stringContaining('there is no tool wc')]);
  await page.getByTestId('import-text').fill(JSON.stringify(mended).replace('wc', 'grep'));
  await page.getByTestId('import-again').click();
  await page.getByTestId('plan-card').waitFor();
  await expect.poll(() => page.getByTestId('plan-title').inputValue()).toBe('From a file');
  await page.getByTestId('approve').click();
  await expect.poll(() => page.getByTestId('plan-card').getAttribute('data-status')).toBe('approved');
  await advance();
  const turn = page.getByTestId('turn').filter({ has: page.getByTestId('plan-card') });
  await turn.getByTestId('answer').waitFor();
  expect(await page.getByTestId('turn').count()).toBe(1);
  expect(complaints).toEqual([]);
  await close();
});

test('a plan file that is no JSON is shown where it ceases to be, as long as it does', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'question' });
  await page.getByTestId('nav-plans').click();
  await page.getByTestId('import').click();
  const area = page.getByTestId('import-text');
  const fault = page.getByTestId('import-fault');
  const document = (mark: string) =>
    `{\n  "format": "assent.plan/1",\n  "title": "By hand"${mark}\n  "steps": [{ "id": "s1", "description": "Count" }]\n}\n`;
  await area.fill(document(''));
  await page.getByTestId('import-again').click();
  await expect.poll(() => fault.innerText()).toMatch(/^4\s+this is no JSON/);
  await fault.click();
  const from = () => area.evaluate((one: HTMLTextAreaElement) => one.value.slice(one.selectionStart));
  expect(await from()).toMatch(/^"steps"/);
  await area.fill(document('').slice(0, -3));
  await expect.poll(() => fault.innerText()).toMatch(/^4\s/);
  await area.fill(document('').replace('{\n', '{\n\n'));
  await expect.poll(() => fault.innerText()).toMatch(/^5\s/);
  await area.fill(document(','));
  await page.getByTestId('import-again').click();
  await page.getByTestId('plan-card').waitFor();
  await expect.poll(() => page.getByTestId('plan-title').inputValue()).toBe('By hand');
  expect(complaints).toEqual([]);
  await close();
});

test('what was mended of a plan file is there again after Escape and a new start, until it is taken or dropped', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'question' });
  const plans = () => page.getByTestId('nav-plans').click();
  await plans();
  await page.getByTestId('import').click();
  await page.getByTestId('import-again').click();
  await page.getByTestId('import-fault').first().waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByTestId('import-dialog').count()).toBe(0);
  // Nothing was mended: there is nothing to keep.
  expect(await page.getByTestId('mended').count()).toBe(0);
  const document = (step: string) =>
    JSON.stringify({ format: 'assent.plan/1', title: 'Mended', steps: [{ id: 's1', description: step }] });
  await page.getByTestId('import').click();
  await page.getByTestId('import-text').fill(document('Half way'));
  await page.keyboard.press('Escape');
  await page.getByTestId('mended').waitFor();
  await page.reload();
  await plans();
  await page.getByTestId('mended-go-on').click();
  await expect.poll(() => page.getByTestId('import-text').inputValue()).toBe(document('Half way'));
  await page.getByTestId('import-text').fill(document('All the way'));
  await page.getByTestId('import-again').click();
  await expect.poll(() => page.getByTestId('step').innerText()).toContain('All the way');
  await plans();
  await page.getByTestId('library-plan').first().waitFor();
  expect(await page.getByTestId('mended').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('plans are found by the words of their steps, exported, and opened in their sessions', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'question' });
  await page.getByTestId('nav-plans').click();
  await expect.poll(() => page.getByTestId('library-plan').count()).toBe(2);
  await page.getByTestId('plan-search').fill('which licences to list');
  await expect.poll(() => page.getByTestId('library-plan').count()).toBe(1);
  await page.getByTestId('export').click();
  await page.getByTestId('export-markdown').click();
  await expect
    .poll(() => page.getByTestId('exported').innerText())
    .toContain('Written to /home/ada/count-patent-mentions-per-licence-then-write-patents-md.md');
  await page.getByTestId('library-open').click();
  await page.getByTestId('request').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('the first start leads to a model that is fetched, stopped and gone on with, or around without one', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'first' });
  await page.getByTestId('welcome').waitFor();
  await expect.poll(() => page.getByTestId('welcome-go').innerText()).toBe('Look around without a model');
  await page.getByTestId('pull').click();
  await page.getByText('480.4 MB of 1.1 GB').waitFor();
  await page.getByTestId('stop-pull').click();
  await page.getByText('What came is kept').waitFor();
  await page.getByTestId('pull').click();
  await page.getByText('670.4 MB of 1.1 GB').waitFor();
  await advance(1);
  await page.getByText('Ready: Qwen2.5-Coder 1.5B Instruct plans and works.').waitFor();
  await page.getByTestId('welcome-go').click();
  await expect.poll(() => page.getByTestId('example').count()).toBe(3);
  await page.getByTestId('example').first().click();
  await expect.poll(() => page.getByTestId('composer').inputValue()).toContain('For each licence here');
  expect(complaints).toEqual([]);
  await close();
});

test('who looks around while a model is fetched sees how that goes, and finds the way back to it', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'first' });
  await page.getByTestId('pull').click();
  await page.getByText('480.4 MB of 1.1 GB').waitFor();
  await page.getByTestId('welcome-go').click();
  const told = () => page.getByTestId('no-model').innerText();
  await expect.poll(told).toContain('is being fetched');
  expect(await told()).toContain('480.4 MB of 1.1 GB');
  await page.getByTestId('to-models').click();
  await page.getByTestId('stop-pull').click();
  await page.getByText('What came is kept').waitFor();
  await page.keyboard.press('Control+n');
  await expect.poll(told).toContain('was not fetched');
  expect(await told()).toContain('What came is kept');
  await page.getByTestId('to-models').click();
  await page.getByTestId('models').getByTestId('pull').click();
  await page.getByText('670.4 MB of 1.1 GB').waitFor();
  await page.keyboard.press('Control+n');
  await expect.poll(told).toContain('670.4 MB of 1.1 GB');
  await advance(1);
  await expect.poll(() => page.getByTestId('no-model').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('settings hold: the theme at once, the policy, a model tried and chosen, a key kept and forgotten', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  await page.keyboard.press('Control+,');
  await page.getByTestId('test-model').first().click();
  await expect.poll(() => page.getByTestId('test-result').innerText()).toBe('Works: answered in 1.8 s');
  await page.getByTestId('use-model').click();
  await expect.poll(() => page.getByTestId('model').nth(1).innerText()).toContain('In use');
  await page.getByTestId('edit-key').first().click();
  await page.getByTestId('key-input').fill('sk-secret');
  await page.getByTestId('keep-key').click();
  await expect
    .poll(() => page.getByTestId('provider').first().innerText())
    .toContain('in the keyring of this system');
  expect(await page.content()).not.toContain('sk-secret');
  await page.getByTestId('forget-key').click();
  await page.getByTestId('forget-yes').click();
  await expect.poll(() => page.getByTestId('provider').first().innerText()).toContain('no key');
  await page.getByTestId('settings-tab-window').click();
  await page.getByTestId('appearance-dark').check();
  await expect
    .poll(() => page.evaluate(() => getComputedStyle(document.body).backgroundColor))
    .toBe('rgb(21, 23, 26)');
  await page.getByTestId('choose-workspace').click();
  await page.getByText('/home/ada/licences').waitFor();
  await page.getByTestId('settings-tab-approval').click();
  await page.getByTestId('policy-always-ask').check();
  await expect.poll(() => page.getByTestId('policy-always-ask').isChecked()).toBe(true);
  await page.keyboard.press('Control+n');
  await page.getByTestId('workspace').click();
  await expect
    .poll(() => page.getByRole('menuitemradio', { checked: true }).innerText())
    .toContain('/home/ada/licences');
  expect(complaints).toEqual([]);
  await close();
});

test('an endpoint of one’s own: what is wrong with it stands at its field; once it works it is used', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'sample' });
  await page.keyboard.press('Control+,');
  await page.getByTestId('add-endpoint').click();
  await expect.poll(() => focused(page)).toBe('endpoint-name');
  await page.keyboard.type('mine');
  await page.getByTestId('endpoint-address').fill('http://models.invalid/v1');
  await page.getByTestId('unencrypted').waitFor();
  await page.getByTestId('endpoint-address').fill('https://models.invalid/v1');
  await page.getByTestId('model-name').fill('large');
  await page.keyboard.press('Enter');
  await page.getByText('nobody answers at https://models.invalid/v1').waitFor();
  await page.getByTestId('endpoint-address').fill('https://models.example/v1');
  await page.getByTestId('key-input').fill('sk-secret');
  await page.keyboard.press('Enter');
  await page.getByTestId('use-endpoint').click();
  await expect.poll(() => page.getByTestId('role-default').inputValue()).toBe('mine/large');
  await page.getByTestId('provider').last().getByTestId('remove-endpoint').click();
  expect(await page.getByTestId('remove-used').innerText()).toContain('chosen for: Everything');
  await page.getByTestId('remove-yes').click();
  await expect.poll(() => page.getByTestId('remove-endpoint').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('a tool is tried by its form; what it gave is shown and stands in the ledger of its session', async () => {
  const { page, advance, complaints, close } = await open(browser, { scene: 'sample' });
  await page.getByTestId('nav-tools').click();
  await page.getByTestId('tool-search').fill('search the text of files');
  const first = page.getByTestId('tool').first();
  await expect.poll(() => first.locator('code').first().innerText()).toBe('grep');
  await first.click();
  await page.getByTestId('try').click();
  await page.getByTestId('try-call').click();
  await page.getByText('This is needed.').waitFor();
  await page.getByTestId('field-pattern').fill('patent');
  await page.getByTestId('try-call').click();
  await page.getByTestId('try-outcome').waitFor();
  await advance();
  await page.getByText('"GPL-3": 57').waitFor();
  await page.getByTestId('try-show').click();
  await page.getByTestId('ledger-call').waitFor();
  await expect.poll(() => page.getByTestId('ledger').innerText()).toContain('grep');
  expect(complaints).toEqual([]);
  await close();
});

test('by keyboard: panes, the list of keys, a new request, and back', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'confirm' });
  await page.keyboard.press('Control+k');
  await expect.poll(() => focused(page)).toBe('session-filter');
  await page.keyboard.type('patents');
  await expect.poll(() => page.getByTestId('session').count()).toBe(1);
  await page.getByTestId('session').focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('request').waitFor();
  await page.keyboard.press('Control+i');
  await expect.poll(() => page.getByTestId('inspector').count()).toBe(0);
  await page.keyboard.press('Control+b');
  await expect.poll(() => page.getByTestId('sidebar').count()).toBe(0);
  await page.keyboard.press('Control+/');
  await page.getByTestId('keys').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByTestId('keys').count()).toBe(0);
  await page.keyboard.press('Control+,');
  await page.getByTestId('settings').waitFor();
  await page.keyboard.press('Escape');
  await page.getByTestId('request').waitFor();
  await page.keyboard.press('Control+n');
  await page.getByTestId('new-request').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('without a model and a network a plan is changed twice, its versions compared, one written to a file and read from it again', async () => {
  const { page, complaints, close } = await open(browser, { scene: 'offline' });
  await page.getByTestId('session').filter({ hasText: 'Patents in the licences' }).first().click();
  await page.getByTestId('offline').waitFor();
  const change = async (step: number, words: string, version: string) => {
    await page.getByTestId('step').nth(step).click();
    await page.getByTestId('edit-description').fill(words);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.getByText(', changed').waitFor();
    await settled(page);
    if (!(await page.getByTestId('save').isVisible())) {
      await page.getByTestId('more').click();
      await page.getByTestId('more-save').click();
    } else await page.getByTestId('save').click();
    await expect.poll(() => page.getByTestId('plan-version').innerText()).toBe(version);
  };
  await change(0, 'Find every line about patents', 'plan v2');
  await change(3, 'Write the table to table.md', 'plan v3');

  await page.getByTestId('inspector-tab-changes').click();
  const changes = () => page.getByTestId('changes').innerText();
  await expect.poll(changes).toContain('Write the table to table.md');
  expect(await changes()).not.toContain('Find every line about patents');
  await page.getByTestId('compare-from').selectOption('1');
  await page.getByTestId('compare-to').selectOption('2');
  await expect.poll(changes).toContain('Find every line about patents');
  await expect.poll(changes).not.toContain('Write the table to table.md');

  await page.getByTestId('whole-1').click();
  const whole = () => page.getByTestId('whole-version').innerText();
  await expect.poll(whole).toContain('plan v1, proposed');
  expect(await whole()).not.toContain('Find every line about patents');
  await page.getByTestId('versions-back').click();
  await page.getByTestId('export-v2').click();
  await page.getByTestId('export-v2-json').click();
  await expect.poll(() => page.getByTestId('version-exported').innerText()).toContain('-v2.json');
  const second = await engine(
    page,
    (world) => [...world.written].find(([name]) => name.endsWith('-v2.json'))?.[1],
  );
  expect(second).toContain('Find every line about patents');
  expect(second).not.toContain('Write the table to table.md');

  await page.getByTestId('nav-plans').click();
  const path = '/home/ada/count-patent-mentions-per-licence-then-write-patents-md';
  for (const [format, ending] of [
    ['json', 'json'],
    ['markdown', 'md'],
  ]) {
    await page.getByTestId('export').click();
    await page.getByTestId(`export-${format}`).click();
    await expect
      .poll(() => page.getByTestId('exported').innerText())
      .toContain(`Written to ${path}.${ending}`);
  }
  const written = (file: string) => engine(page, (world, name) => world.written.get(name) ?? '', file);
  expect(await written(`${path}.md`)).toContain('Find every line about patents');
  await page.getByTestId('import').click();
  await page.getByTestId('import-text').fill(await written(`${path}.json`));
  await page.getByTestId('import-again').click();
  await page.getByTestId('plan-card').waitFor();
  await expect
    .poll(() => page.getByTestId('step').allInnerTexts())
    .toEqual(expect.arrayContaining([expect.stringContaining('Find every line about patents')]));
  await expect.poll(() => page.getByTestId('plan-version').innerText()).toBe('plan v1');
  expect(complaints).toEqual([]);
  await close();
});
