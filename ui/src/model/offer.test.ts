import { expect, test } from 'vitest';
import { openScene } from '../backend/scripted/scenes';
import { inlineOf } from './content';
import { offerOf, searchesOf, tellingReplies } from './offer';
import { emptySession, sessionAfter } from './session';

async function discovery() {
  const backend = openScene('discovery', 1_700_000_000_000);
  const [row] = await backend.plans.list();
  const session = row?.sessionId ?? '';
  const state = sessionAfter(emptySession, backend.world.events.get(session) ?? []);
  const run = [...state.runs.values()][0];
  if (!run || !row) throw new Error('the scene has no run');
  const plan = (await backend.plans.get(row.id)).plan;
  return { backend, session, state, run, plan };
}

test('a search tells what it found and what became of it', async () => {
  const { run } = await discovery();
  const [search, ...others] = searchesOf(run, inlineOf);
  expect(others).toEqual([]);
  expect([search?.query, search?.step, search?.reason]).toEqual(['fetch a web page as text', 's1', null]);
  expect(search?.found?.map((one) => [one.name, one.explained, one.called])).toEqual([
    ['fetch_page', true, true],
    ['grep', false, false],
    ['mcp.github.create_issue', false, false],
  ]);
  expect(search?.found?.map((one) => [one.owner, one.risk, one.callable])).toEqual([
    ['web', 'network', false],
    ['files', 'read', true],
    [null, 'network', false],
  ]);
  expect([search?.untaught, search?.byMeaning]).toEqual([false, false]);
});

test('a search that went without what past runs teach says so, and no other word for it is believed', async () => {
  const { run } = await discovery();
  for (const [degraded, untaught] of [
    [true, true],
    ['true', false],
    [1, false],
  ] as const) {
    const output = { inline: { results: [{ name: 'x', risk: 'harmless', callable: 'yes' }], degraded } };
    const calls = run.calls.map((call) => (call.tool === 'tool_search' ? { ...call, output } : call));
    const [search] = searchesOf({ ...run, calls }, inlineOf);
    expect(search?.untaught).toBe(untaught);
    expect(search?.found?.[0]).toMatchObject({ owner: null, risk: null, callable: false });
  }
});

test('a search says whether it compared by meaning where that was recorded as such', async () => {
  const { run } = await discovery();
  for (const [by_meaning, byMeaning] of [
    [true, true],
    [false, false],
    ['true', null],
    [undefined, null],
  ] as const) {
    const output = { inline: by_meaning === undefined ? { results: [] } : { results: [], by_meaning } };
    const calls = run.calls.map((call) => (call.tool === 'tool_search' ? { ...call, output } : call));
    expect(searchesOf({ ...run, calls }, inlineOf)[0]?.byMeaning).toBe(byMeaning);
  }
});

test('what a tool gave is not believed to be a list of tools', async () => {
  const { run } = await discovery();
  for (const inline of [null, [], 'x', { results: 'x' }, { results: [1, null, { name: 7 }, {}] }]) {
    const calls = run.calls.map((call) =>
      call.tool === 'tool_search' ? { ...call, arguments: { inline }, output: { inline } } : call,
    );
    expect(searchesOf({ ...run, calls }, inlineOf).map((one) => [one.query, one.found])).toEqual([['', []]]);
  }
});

test('the tools of a request are told with what they cost, why they are there, and what was left out', async () => {
  const { backend, session, state, run, plan } = await discovery();
  const first = run.trace.find((event) => event.kind === 'model_replied' && event.step === 's1');
  if (first?.kind !== 'model_replied') throw new Error('nobody replied');
  const sent = await backend.runs.sent(session, first.seq);
  const offer = offerOf(plan, run, first, sent);
  const by = Object.fromEntries(offer.shown.map((one) => [one.name, one.by]));
  expect(by).toEqual({
    fetch_page: 'found',
    grep: 'own',
    read: 'own',
    tool_explain: 'own',
    tool_search: 'own',
  });
  expect(offer.tokens).toBe(offer.shown.reduce((sum, one) => sum + one.tokens, 0));
  expect([offer.step, offer.budget, offer.leftOut]).toEqual([
    's1',
    3800,
    [{ name: 'mcp.github.create_issue', why: 'budget' }],
  ]);
  const named = offerOf(plan, run, first, { ...sent, studioTokens: 500 });
  expect([named.studio, named.tokens], 'names count as well').toEqual([500, offer.tokens + 500]);
  const [later] = tellingReplies(state, run);
  expect([later?.purpose, later?.step]).toEqual(['step', 's2']);
  const next = later && offerOf(plan, run, later, await backend.runs.sent(session, later.seq));
  expect(next?.shown.find((one) => one.name === 'glob')?.by).toBe('required');
});

test('a planner is told of tools as well, and so is whoever chooses a specialist', async () => {
  const { backend, session, state, run, plan } = await discovery();
  const [planned, ...others] = tellingReplies(state, null);
  expect([planned?.purpose, others]).toEqual(['plan', []]);
  if (!planned) throw new Error('nobody planned');
  const sent = await backend.runs.sent(session, planned.seq);
  const offer = offerOf(null, null, planned, sent);
  expect([offer.run, offer.step, offer.byMeaning, offer.budget]).toEqual([null, null, false, 3800]);
  expect(new Set(offer.shown.map((one) => one.by))).toEqual(new Set(['planner']));
  expect(offer.tokens).toBe(sent.told.reduce((sum, one) => sum + one.tokens, 0));

  const chosen = { ...planned, purpose: 'choose' as const, run: run.id, step: 's2', seq: 10_000 };
  const choosing = { ...run, trace: [...run.trace, chosen] };
  expect(tellingReplies(state, choosing).map((one) => one.purpose)).toEqual(['choose', 'step', 'plan']);
  const choice = offerOf(plan, choosing, chosen, { ...sent, purpose: 'choose', byMeaning: null });
  expect([choice.purpose, choice.step, choice.shown[0]?.by]).toEqual(['choose', 's2', 'chooser']);
});
