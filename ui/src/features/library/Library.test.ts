import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keep } from '../../app/kept';
import { another, appOn, mounted } from '../../app/mounted.test-data';
import type { Fault, PathPart } from '../../backend/bindings';
import type { ScriptedBackend } from '../../backend/scripted';
import { text } from '../../shared/text';
import Import from './Import.svelte';
import Library from './Library.svelte';

beforeEach(() => localStorage.clear());
afterEach(() => vi.restoreAllMocks());

test('opening a plan leads to that plan in its chat, unfolded and beside it, also where another came later', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  await backend.plans.reject({ ...(await backend.plans.get(plan.id)).reference });
  another(backend, plan, 'Another');
  mounted(Library as never, {}, app);
  await fireEvent.click(await screen.findByText(plan.title));
  await waitFor(() => expect(app.session?.inspected.plan).toBe(plan.id));
  expect([app.session?.revealed, app.session?.card(plan.id).folded]).toEqual([{ turn: 0 }, false]);
});

test('for a file that is no JSON no session is made: where it ceases to be is told at once', async () => {
  const { app, backend } = await appOn('proposed');
  const made = vi.spyOn(backend.sessions, 'create');
  mounted(Import as never, { text: '{\n  "format": \n}', close: () => undefined }, app);
  expect((await screen.findByTestId('import-fault')).textContent).toMatch(
    /^\s*3\s+this is no JSON from here on/,
  );
  expect(made).not.toHaveBeenCalled();
});

test('JSON that cannot be read all the same is spread out, and it is told where it is and what is wrong with it', async () => {
  const { app, backend } = await appOn('proposed');
  const looked = vi.spyOn(backend.plans, 'look');
  const words = text.plan.list.importBroken;
  const file = '{"format":"assent.plan/1","title":"A cut \\ud83d","createdAt":1e999}';
  mounted(Import as never, { text: file, close: () => undefined }, app);
  const fault = await screen.findByTestId('import-fault');
  const area = screen.getByTestId<HTMLTextAreaElement>('import-text');
  const told = () => fault.textContent?.replace(/\s+/g, ' ').trim();
  const shown = async () => {
    await fireEvent.click(fault);
    return area.value.slice(area.selectionStart).split('\n')[0];
  };
  expect(told()).toBe(`3 ${words.half.message} ${words.half.hint}`);
  expect(await shown()).toBe('\\ud83d",');
  await fireEvent.input(area, { target: { value: area.value.replace('\\ud83d', '\\ud83d\\udc36') } });
  await fireEvent.click(screen.getByTestId('import-again'));
  expect(told()).toBe(`4 ${words.range.message} ${words.range.hint}`);
  expect(await shown()).toBe('1e999');
  expect(looked).not.toHaveBeenCalled();
});

test('a fault under a name that only the file has is found where it stands', async () => {
  const { app, backend } = await appOn('proposed');
  const at = (...path: PathPart[]): Fault => ({ stage: 'plan', message: 'wrong', path });
  backend.plans.look = () =>
    Promise.reject({
      code: 'plan_faults',
      message: 'no plan',
      faults: [at('priorityOrder', 0), at('instructionsForGeneral'), at('todoList', 1, 'stepType')],
    });
  const file = {
    format: 'assent.plan/1',
    priorityOrder: ['nobody'],
    instructionsForGeneral: 'long',
    todoList: [{ id: 'a' }, { id: 'b', stepType: 'tol' }],
  };
  mounted(Import as never, { text: JSON.stringify(file), close: () => undefined }, app);
  const faults = await screen.findAllByTestId('import-fault');
  const area = screen.getByTestId<HTMLTextAreaElement>('import-text');
  const found = [];
  for (const fault of faults) {
    await fireEvent.click(fault);
    found.push(area.value.slice(area.selectionStart, area.selectionEnd));
  }
  expect(found).toEqual(['"nobody"', '"long"', '"tol"']);
});

test('where a fault stands is found anew once nothing was written for a while, and at once where it is shown', async () => {
  const { app, backend, clock } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const [step] = plan?.steps ?? [];
  const file = JSON.stringify({ ...plan, steps: [{ ...step, requiredTools: ['fly'] }] });
  mounted(Import as never, { text: file, close: () => undefined }, app);
  const fault = await screen.findByTestId('import-fault');
  const area = screen.getByTestId<HTMLTextAreaElement>('import-text');
  const line = () => Number(fault.querySelector('.line')?.textContent);
  const before = area.value.split('\n').findIndex((one) => one.includes('"fly"')) + 1;
  expect(before).toBeGreaterThan(1);
  expect(line()).toBe(before);
  for (const now of [`\n${area.value}`, `\n\n${area.value}`]) {
    clock.pass(200);
    await fireEvent.input(area, { target: { value: now } });
    expect(line()).toBe(before);
  }
  await fireEvent.click(fault);
  expect(area.value.slice(area.selectionStart, area.selectionEnd)).toBe('"fly"');
  clock.pass(300);
  await waitFor(() => expect(line()).toBe(before + 2));
});

test('a plan that does not hold leaves no session behind, and one that does is in one of its name', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const made = () => backend.world.sessions.size;
  const before = made();
  const told = vi.fn();
  backend.world.subscribe(told);
  const [step] = plan.steps;
  const broken = JSON.stringify({ ...plan, steps: [{ ...step, requiredTools: ['fly'] }] });
  const shown = mounted(Import as never, { text: broken, close: () => undefined }, app);
  await screen.findByTestId('import-fault');
  await fireEvent.click(screen.getByTestId('import-again'));
  await screen.findByTestId('import-fault');
  expect([made(), told.mock.calls]).toEqual([before, []]);
  shown.unmount();
  const text = JSON.stringify({ ...plan, title: 'Brought along' });
  mounted(Import as never, { text, close: () => undefined }, app);
  const again = screen.getByTestId('import-again');
  expect(document.activeElement, 'Enter takes it').toBe(again);
  await fireEvent.click(again);
  await waitFor(() => expect(app.session).not.toBe(null));
  expect(backend.world.session(app.session?.id ?? '').title).toBe('Brought along');
  expect(made()).toBe(before + 1);
});

test('pressed twice while a folder is looked for, a plan is taken once, and where none is chosen not at all', async () => {
  const [plan] = await (await appOn('proposed')).backend.plans.list();
  const { app, backend } = await appOn('first');
  expect(app.folder).toBe(null);
  const picks: ((path: string | null) => void)[] = [];
  backend.desktop.pickFolder = () => new Promise((picked) => picks.push(picked));
  const close = vi.fn();
  mounted(Import as never, { text: JSON.stringify(plan), close }, app);
  const again = screen.getByTestId('import-again');
  const isBusy = () => again.getAttribute('aria-busy') === 'true';
  for (const folder of [null, '/home/ada']) {
    again.click();
    again.click();
    await waitFor(() => expect(isBusy()).toBe(true));
    expect(backend.world.sessions.size).toBe(0);
    for (const picked of picks.splice(0)) picked(folder);
    await waitFor(() => expect(isBusy()).toBe(false));
  }
  await waitFor(() => expect(app.session).not.toBe(null));
  expect([backend.world.sessions.size, close.mock.calls.length]).toEqual([1, 1]);
});

test('a plan file goes into the folder that was chosen, and into none before that is said', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const before = backend.world.sessions.size;
  mounted(Import as never, { text: JSON.stringify(plan), close: () => undefined }, app);
  const into = () => screen.getByTestId('into-folder').textContent;
  expect(into()).toContain(app.folder);
  const other = app.workspaces.find((one) => one.usable && one.path !== app.folder)?.path ?? '';
  await fireEvent.click(screen.getByTestId('workspace'));
  await fireEvent.click(screen.getByTestId(`workspace-${other}`));
  expect([into().includes(other), backend.world.sessions.size]).toEqual([true, before]);
  await fireEvent.click(screen.getByTestId('import-again'));
  await waitFor(() => expect(app.session).not.toBe(null));
  expect(backend.world.session(app.session?.id ?? '').workspace).toBe(other);
});

test('a plan file that nobody has changed goes to the engine as it is, and what was changed with all of its digits', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const file = JSON.stringify({ ...plan, extractedContext: { id: 1 } }).replace(
    '"id":1',
    '"id":12345678901234567890',
  );
  const sent: string[] = [];
  const take = backend.plans.import;
  backend.plans.import = (folder, text) => {
    sent.push(text);
    return take(folder, text);
  };
  const shown = mounted(Import as never, { text: file, close: () => undefined }, app);
  const area = screen.getByTestId<HTMLTextAreaElement>('import-text');
  expect(area.value).toContain('\n    "id": 12345678901234567890\n');
  await fireEvent.click(screen.getByTestId('import-again'));
  await waitFor(() => expect(sent).toEqual([file]));
  shown.unmount();
  mounted(Import as never, { text: file, close: () => undefined }, app);
  const again = screen.getByTestId<HTMLTextAreaElement>('import-text');
  await fireEvent.input(again, { target: { value: again.value.replace(plan?.title ?? '', 'Mine') } });
  await fireEvent.click(screen.getByTestId('import-again'));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]).toContain('"title": "Mine"');
  expect(sent[1]).toContain('"id": 12345678901234567890');
});

/** A file that is picked, mended by one letter, and closed, or taken. */
async function mend(backend: ScriptedBackend, text: string, change: string) {
  backend.desktop.openText = async () => ({ path: '/home/ada/plan.json', text });
  await fireEvent.click(screen.getByTestId('import'));
  const area = await screen.findByTestId<HTMLTextAreaElement>('import-text');
  await fireEvent.input(area, { target: { value: area.value.replace('Weekly', change) } });
}
const leave = () => fireEvent(screen.getByTestId('import-dialog'), new Event('cancel'));
const notices = () =>
  screen.queryAllByTestId('mended').map((one) => one.querySelector('b')?.textContent ?? '');

test('what was mended of one file stays whatever is mended of another one, and goes with that one alone', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const file = (title: string) => JSON.stringify({ ...plan, title: `Weekly ${title}` });
  const shown = mounted(Library as never, {}, app);
  await mend(backend, file('letters'), 'Mended');
  await leave();
  await waitFor(() => expect(notices()).toEqual(['Mended letters']));
  await mend(backend, file('invoices'), 'Mended');
  await leave();
  await waitFor(() => expect(notices()).toEqual(['Mended letters', 'Mended invoices']));
  // One that nobody has mended is taken.
  backend.desktop.openText = async () => ({ path: '/home/ada/plan.json', text: file('walks') });
  await fireEvent.click(screen.getByTestId('import'));
  await fireEvent.click(await screen.findByTestId('import-again'));
  await waitFor(() => expect(app.session).not.toBe(null));
  expect(notices()).toEqual(['Mended letters', 'Mended invoices']);
  // So it is after a new start, too.
  shown.unmount();
  mounted(Library as never, {}, app);
  expect(notices()).toEqual(['Mended letters', 'Mended invoices']);
  await fireEvent.click(screen.getAllByTestId('mended-go-on')[1] as HTMLElement);
  const area = await screen.findByTestId<HTMLTextAreaElement>('import-text');
  await fireEvent.input(area, { target: { value: area.value.replace('Mended', 'Twice mended') } });
  await leave();
  await waitFor(() => expect(notices()).toEqual(['Mended letters', 'Twice mended invoices']));
  await fireEvent.click(screen.getAllByTestId('mended-go-on')[0] as HTMLElement);
  await fireEvent.click(await screen.findByTestId('import-again'));
  await waitFor(() => expect(notices()).toEqual(['Twice mended invoices']));
  await fireEvent.click(screen.getByTestId('mended-drop'));
  expect([notices(), Object.keys(localStorage)]).toEqual([[], []]);
});

test('a mended file for which there is no room is said to go with Assent, before the dialog is left and after, and is there until then', async () => {
  const { app, backend, clock } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const file = JSON.stringify({ ...plan, title: 'Weekly letters', intent: 'x'.repeat(200_000) });
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('', 'QuotaExceededError');
  });
  mounted(Library as never, {}, app);
  await mend(backend, file, 'Mended');
  expect(screen.queryByTestId('import-no-room')).toBeNull();
  clock.pass(300);
  expect((await screen.findByTestId('import-no-room')).textContent).toContain(text.plan.list.noRoom);
  await leave();
  const notice = await screen.findByTestId('mended');
  expect([notices(), notice.textContent?.includes(text.plan.list.noRoom)]).toEqual([
    ['Mended letters'],
    true,
  ]);
  await fireEvent.click(screen.getByTestId('mended-go-on'));
  const area = await screen.findByTestId<HTMLTextAreaElement>('import-text');
  expect(area.value).toContain('Mended letters');
  vi.restoreAllMocks();
  clock.pass(300);
  await leave();
  await waitFor(() => expect(screen.getByTestId('mended').textContent).toContain(text.plan.list.mendedHelp));
  await fireEvent.click(screen.getByTestId('mended-drop'));
  expect(notices()).toEqual([]);
});

test('a text that an earlier Assent has kept is there still', async () => {
  const { app } = await appOn('proposed');
  keep('import', '{"title": "From before"');
  mounted(Library as never, {}, app);
  expect(notices()).toEqual(['From before']);
});

test('a plan goes from the list with its session, and one that is proposed meanwhile comes', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  mounted(Library as never, {}, app);
  const tile = (name: string) => screen.queryByRole('button', { name });
  const comes = (name: string) => screen.findByRole('button', { name });
  await comes(plan.title);
  await backend.plans.import('/home/ada', JSON.stringify({ ...plan, title: 'Proposed meanwhile' }));
  await comes('Proposed meanwhile');
  await app.archive(plan.sessionId, true);
  await backend.plans.import('/home/ada', JSON.stringify({ ...plan, title: 'The last' }));
  await comes('The last');
  expect(tile(plan.title)).not.toBeNull();
  await app.delete(plan.sessionId);
  await waitFor(() => expect(tile(plan.title)).toBeNull());
  expect(tile('Proposed meanwhile')).not.toBeNull();
});

test('each plan is exported by a button that says which one it is', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  another(backend, plan, 'Another');
  mounted(Library as never, {}, app);
  await screen.findByText('Another');
  const named = screen.getAllByTestId('export').map((one) => one.getAttribute('aria-label'));
  expect(named.sort()).toEqual([`Export ${plan.title}`, 'Export Another'].sort());
});

test('what was deleted is not offered by a list that was read before', async () => {
  const { app, backend } = await appOn('proposed');
  const plans = await backend.plans.list();
  backend.plans.list = async () => plans;
  mounted(Library as never, {}, app);
  const [plan] = plans;
  await screen.findByText(plan?.title ?? '');
  await app.delete(plan?.sessionId ?? '');
  await waitFor(() => expect(screen.queryByText(plan?.title ?? '')).toBeNull());
});

test('what a mended file is called is shown as it reads, with nothing hidden in it, and a word where it has no name', async () => {
  const { app } = await appOn('proposed');
  const files = [
    '{"title": "L\\u00e9on said \\"no\\"", "steps": [',
    '{"title": "rm \\u202egpj.txt\u200b"',
    '{"title": "not \\x whole"',
    '{"title": " "',
    '{"steps": [',
  ];
  files.forEach((file, at) => keep(`import.${at + 1}`, file));
  mounted(Library as never, {}, app);
  expect(notices()).toEqual([
    'Léon said "no"',
    'rm ⟨U+202E⟩gpj.txt⟨U+200B⟩',
    'not \\x whole',
    text.common.untitled,
    text.common.untitled,
  ]);
});
