import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Event, Step } from '../backend/bindings';
import { openScene } from '../backend/scripted/scenes';
import { ownSteps, runStatus } from './run';
import { eventsOf } from './samples.test-data';
import { emptySession, isUnplanned, latest, openRequests, sessionAfter } from './session';

/** The steps of the plans in these scenes. */
const four = { steps: ['s1', 's2', 's3', 's4'].map((id) => ({ id })) };

const scenes = ['sample', 'proposed', 'running', 'confirm', 'question'];

/** The events of the session in which most happens. */
function busiest(scene: string): Event[] {
  const events = eventsOf(scene);
  const own = [...new Set(events.map((event) => event.session))].map((id) =>
    events.filter((event) => event.session === id),
  );
  return own.sort((one, other) => other.length - one.length)[0] ?? [];
}

test('a session is the same however its events are cut into batches, and events told twice change nothing', () => {
  for (const scene of scenes) {
    const events = busiest(scene);
    const whole = sessionAfter(emptySession, events);
    fc.assert(
      fc.property(fc.array(fc.nat({ max: events.length }), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.toSorted((one, other) => one - other), events.length];
        let state = emptySession;
        places.slice(1).forEach((to, at) => {
          // Each batch begins a little earlier than it has to, as a list that was read may overlap with what was told.
          state = sessionAfter(state, events.slice(Math.max(0, (places[at] ?? 0) - 2), to));
        });
        expect(state).toEqual(whole);
      }),
      { numRuns: 40 },
    );
  }
});

test('each run of a workflow has a turn with its own answer, below the plan that they share', () => {
  const { world } = openScene('workflow', 1_700_000_000_000);
  const [row] = [...world.sessions.values()].filter((one) => one.kind === 'workflow');
  const state = sessionAfter(emptySession, world.events.get(row?.id ?? '') ?? []);
  const answer = { inline: 'Done: the invoices of this week are in report.md.' };
  expect(state.kind).toBe('workflow');
  expect(state.turns.map((turn) => [turn.message, turn.plans.length, turn.runs.length, turn.answer])).toEqual(
    [
      [null, 1, 0, null],
      [null, 0, 1, answer],
      [null, 0, 1, answer],
    ],
  );
});

test('what did not change keeps its identity', () => {
  const events = busiest('confirm');
  const before = sessionAfter(emptySession, events.slice(0, -1));
  const after = sessionAfter(before, [{ ...(events.at(-1) as Event), kind: 'warned', message: 'careful' }]);
  expect(after.plans.get([...after.plans.keys()][0] ?? '')).toBe(
    before.plans.get([...before.plans.keys()][0] ?? ''),
  );
  expect(sessionAfter(after, events)).toBe(after);
});

test('a request for help makes the whole run wait for a person, whatever else is in progress', () => {
  const events = busiest('confirm');
  const at = events.findIndex((event) => event.kind === 'request_opened');
  const asked = events[at];
  if (asked?.kind !== 'request_opened') throw new Error('the scene asks for nothing');
  const working: Event = { ...asked, kind: 'step_started', step: 's4', attempt: 1 };
  const status = (kind: 'confirm' | 'help') => {
    const opened: Event = { ...asked, request: { ...asked.request, kind } };
    const state = sessionAfter(emptySession, [
      ...events.slice(0, at),
      opened,
      { ...working, seq: opened.seq + 1 },
    ]);
    const run = [...state.runs.values()][0];
    return run && runStatus(run, four);
  };
  expect(status('help')).toBe('waiting_for_user');
  expect(status('confirm')).toBe('running');
});

test('a run whose delegated part waits for a person waits, and runs while another part works', () => {
  const events = busiest('confirm');
  const at = events.findIndex((event) => event.kind === 'request_opened');
  const asked = events[at];
  if (asked?.kind !== 'request_opened') throw new Error('the scene asks for nothing');
  const parts = ['s9/1', 's9/2'].map((id) => ({ id, description: id }) as Step);
  const more: Event[] = [
    { ...asked, kind: 'step_started', step: 's9', attempt: 1 },
    { ...asked, kind: 'step_delegated', step: 's9', summary: 'Both.', steps: parts },
    { ...asked, kind: 'step_started', step: 's9/1', attempt: 1 },
    { ...asked, step: 's9/1', request: { ...asked.request, id: 'of-the-part' } },
    { ...asked, kind: 'step_started', step: 's9/2', attempt: 1 },
    { ...asked, kind: 'step_ended', step: 's9/2', status: 'completed', validation: 'skipped' },
  ];
  const status = (count: number) => {
    const later = more.slice(0, count).map((event, place) => ({ ...event, seq: asked.seq + 1 + place }));
    const run = [...sessionAfter(emptySession, [...events.slice(0, at + 1), ...later]).runs.values()][0];
    return run && runStatus(run, four);
  };
  expect(status(4)).toBe('suspended');
  expect(status(5)).toBe('running');
  expect(status(6)).toBe('suspended');
});

test('steps to which one was handed on are parts of it and not counted as steps of the plan', () => {
  const events = busiest('confirm');
  const at = events.findIndex((event) => event.kind === 'run_started');
  const begun = events[at];
  if (!begun) throw new Error('the scene begins no run');
  const ids = ['s1/1', 's1/2', 's1/3', 's1/4'];
  const parts = ids.map((id) => ({ id, description: id }) as Step);
  const more: Event[] = [
    { ...begun, kind: 'step_started', step: 's1', attempt: 1 },
    { ...begun, kind: 'step_delegated', step: 's1', summary: 'All.', steps: parts, by: 'chooser' },
    ...ids.map((step): Event => ({
      ...begun,
      kind: 'step_ended',
      step,
      status: 'completed',
      validation: 'skipped',
    })),
    { ...begun, kind: 'step_ended', step: 's1', status: 'completed', validation: 'passed' },
  ];
  const later = more.map((event, place) => ({ ...event, seq: begun.seq + 1 + place }));
  const [run] = sessionAfter(emptySession, [...events.slice(0, at + 1), ...later]).runs.values();
  if (!run) throw new Error('there is no run');
  expect(ownSteps(run, four).map((step) => step.status)).toEqual([
    'completed',
    'pending',
    'pending',
    'pending',
  ]);
  expect(runStatus(run, four)).toBe('running');
});

test('the main job: proposed, approved, waiting for a word, done', () => {
  const backend = openScene('confirm', 1_700_000_000_000);
  const { world } = backend;
  const id = [...world.sessions.values()].find((row) => row.openRequests > 0)?.id ?? '';
  const read = () => sessionAfter(emptySession, world.events.get(id) ?? []);

  const waiting = read();
  const run = [...waiting.runs.values()][0];
  const plan = [...waiting.plans.values()][0];
  expect(plan && latest(plan)?.status).toBe('approved');
  expect(run && runStatus(run, four)).toBe('suspended');
  expect([...(run?.steps.values() ?? [])].map((step) => step.status)).toEqual([
    'completed',
    'completed',
    'waiting',
  ]);
  const [request] = openRequests(waiting);
  expect(request?.request.kind).toBe('confirm');

  void backend.requests.answer(request?.request.id ?? '', { type: 'approve' });
  world.settle();
  const done = read();
  const after = [...done.runs.values()][0];
  expect(after && runStatus(after, four)).toBe('completed');
  expect(after?.calls.map((call) => [call.tool, call.state, call.by])).toEqual([
    ['grep', 'success', null],
    ['displayConfirmation', 'success', 'user'],
    ['create_file', 'success', null],
  ]);
  expect(done.turns.map((turn) => turn.status)).toEqual(['answered']);
  expect(openRequests(done)).toEqual([]);
});

test('a refusal cancels the step and skips what waits for it', async () => {
  const backend = openScene('confirm', 1_700_000_000_000);
  const [request] = await backend.requests.open();
  await backend.requests.answer(request?.request.id ?? '', { type: 'reject', reason: 'not now' });
  backend.world.settle();
  const state = sessionAfter(emptySession, backend.world.events.get(request?.session ?? '') ?? []);
  const run = [...state.runs.values()][0];
  expect([...(run?.steps.values() ?? [])].map((step) => [step.status, step.reason])).toEqual([
    ['completed', null],
    ['completed', null],
    ['cancelled', 'not now'],
    ['skipped', 'an earlier step was not completed'],
  ]);
  expect(run && runStatus(run, four)).toBe('completed_with_warnings');
});

test('a step set back takes what was skipped because of it along', () => {
  const events = busiest('running');
  const at = { ...(events.at(-1) as Event) };
  const place = {
    session: at.session,
    run: [...sessionAfter(emptySession, events).runs.keys()][0] ?? '',
    at: at.at,
  };
  let seq = at.seq;
  const event = (step: string, kind: object) => ({ ...place, step, seq: (seq += 1), ...kind }) as Event;
  const failed = sessionAfter(emptySession, [
    ...events,
    event('s2', { kind: 'step_ended', status: 'failed', validation: 'failed', reason: 'no' }),
    event('s3', { kind: 'step_ended', status: 'skipped', validation: 'skipped', because: 's2' }),
    event('s4', { kind: 'step_ended', status: 'skipped', validation: 'skipped', because: 's3' }),
    event('s2', { kind: 'step_reset', stale: ['s1'] }),
  ]);
  const steps = [...(failed.runs.get(place.run)?.steps.values() ?? [])];
  expect(steps.map((step) => [step.id, step.status, step.stale, step.staleBy])).toEqual([
    ['s1', 'completed', true, 's2'],
    ['s2', 'pending', false, null],
    ['s3', 'pending', false, null],
    ['s4', 'pending', false, null],
  ]);
});

test('a warning that became the reason of its step is told there, and no other one is lost', () => {
  const events = busiest('running');
  const { session, turn, at, seq } = events.at(-1) as Event;
  const run = [...sessionAfter(emptySession, events).runs.keys()][0] ?? '';
  const place = { session, turn, run, at };
  const after = (count: number) =>
    sessionAfter(emptySession, [
      ...events,
      ...(
        [
          { ...place, seq: seq + 1, kind: 'warned', message: 'the rest is lost' },
          { ...place, seq: seq + 2, step: 's2', kind: 'warned', message: 'nothing was called' },
          {
            ...place,
            seq: seq + 3,
            step: 's2',
            kind: 'step_ended',
            status: 'completed',
            validation: 'failed',
            reason: 'nothing was called',
          },
        ] as Event[]
      ).slice(0, count),
    ]);
  const told = (count: number) => after(count).turns.at(-1)?.warnings;
  expect(told(2)).toEqual(['the rest is lost', 'nothing was called']);
  expect(told(3)).toEqual(['the rest is lost']);
  expect(after(3).runs.get(run)?.steps.get('s2')).toMatchObject({
    warning: true,
    reason: 'nothing was called',
  });
});

test('what a session has cost is what its turns have', () => {
  const { spent, turns } = sessionAfter(emptySession, busiest('confirm'));
  const sum = (of: (turn: (typeof turns)[number]) => number) =>
    turns.reduce((all, turn) => all + of(turn), 0);
  expect(spent).toEqual({
    calls: sum((turn) => turn.modelCalls),
    tokens: sum((turn) => turn.usage.input + turn.usage.output),
  });
  expect(spent.calls).toBeGreaterThan(1);
});

test('replies that had not the asked form have cost a call each', () => {
  const events = busiest('confirm');
  const again = events.map((event) => (event.kind === 'model_replied' ? { ...event, before: 2 } : event));
  const [once, thrice] = [events, again].map((all) => sessionAfter(emptySession, all).spent.calls);
  expect(once).toBeGreaterThan(1);
  expect(thrice).toBe(3 * (once ?? 0));
});

test('what an agent’s file settles costs no call of a model', () => {
  const events = busiest('confirm');
  const settled = events.map((event) =>
    event.kind === 'model_replied' && event.purpose === 'step' ? { ...event, model: 'by phases' } : event,
  );
  const steps = events.filter((event) => event.kind === 'model_replied' && event.purpose === 'step').length;
  const [before, after] = [events, settled].map((all) => sessionAfter(emptySession, all));
  expect(steps).toBeGreaterThan(0);
  expect((before?.spent.calls ?? 0) - (after?.spent.calls ?? 0)).toBe(steps);
  const ofTurns = (state: typeof after) =>
    (state?.turns ?? []).reduce((sum, turn) => sum + turn.modelCalls, 0);
  expect(ofTurns(before) - ofTurns(after)).toBe(steps);
});

test('a turn that is over goes on by what the engine has it go on by, and by nothing else', () => {
  const place = { session: 'c', turn: 't', at: 0 };
  const plan = { id: 'p', version: 1, digest: '' };
  const run = { ...place, run: 'r' };
  const told = [
    { ...place, kind: 'message_received', text: 'Count' },
    { ...run, kind: 'run_queued', plan },
    { ...place, at: 5, kind: 'turn_ended', status: 'failed', error: 'the disk is full' },
  ];
  const after = (...more: object[]) => {
    const events = [...told, ...more].map((event, at) => ({ ...event, seq: at + 1 }) as Event);
    const [turn] = sessionAfter(emptySession, events).turns;
    return [turn?.status, turn?.error, turn?.endedAt];
  };
  const over = ['failed', 'the disk is full', 5];
  const goesOn = [null, null, null];
  expect(after()).toEqual(over);
  for (const [event, expected] of [
    [{ ...run, kind: 'step_reset', step: 's1' }, goesOn],
    [{ ...run, kind: 'run_started' }, goesOn],
    [{ ...run, kind: 'run_queued', plan }, goesOn],
    [{ ...run, kind: 'request_answered', request: 'q', answer: { type: 'reject' } }, goesOn],
    [{ ...place, kind: 'plan_approved', plan, by: 'user', starts: true }, goesOn],
    [{ ...place, kind: 'plan_approved', plan, by: 'user' }, over],
    [{ ...place, kind: 'plan_proposed', plan }, over],
    [{ ...run, kind: 'step_started', step: 's1', attempt: 2 }, over],
    [{ ...run, turn: 'another', kind: 'step_reset', step: 's1' }, over],
  ] as const)
    expect([event.kind, after(event)]).toEqual([event.kind, expected]);
});

test('a message that has answered a question is not planned any more, and may be while a model still judges it', () => {
  const turn = { session: 'c', turn: 't2', at: 0 };
  const asked = { ...turn, turn: 't1', run: 'r', step: 's1' };
  const input = { kind: 'text', options: [], allowEdit: false, allowText: true };
  const request = { id: 'q', kind: 'question', path: [], askedBy: 'general', prompt: 'Which?', input };
  const told = [
    { ...turn, turn: 't1', kind: 'message_received', text: 'Count' },
    { ...asked, kind: 'run_queued', plan: { id: 'p', version: 1, digest: '' } },
    { ...asked, kind: 'request_opened', request },
    { ...turn, turn: 't1', kind: 'turn_ended', status: 'asked' },
    { ...turn, kind: 'message_received', text: 'The first', answers: 'q' },
    { ...asked, turn: 't2', kind: 'request_answered', request: 'q', answer: { type: 'value', value: 'one' } },
    { ...asked, turn: 't2', kind: 'step_ended', status: 'completed', validation: 'passed' },
  ].map((event, at) => ({ ...event, seq: at + 1 }) as Event);
  const unplanned = (count: number) =>
    sessionAfter(emptySession, told.slice(0, count))
      .turns.filter(isUnplanned)
      .map((one) => one.id);
  expect([4, 5, 6, 7].map(unplanned)).toEqual([[], ['t2'], [], []]);
});

test('a plan from a file has its runs, its answer and its end in the turn that it came with', () => {
  const turn = { session: 'c', turn: 't1', at: 0 };
  const plan = { id: 'p', version: 1, digest: '' };
  const told = [
    { ...turn, kind: 'plan_proposed', plan },
    { ...turn, kind: 'plan_approved', plan, by: 'user', starts: true },
    { ...turn, run: 'r', kind: 'run_queued', plan },
    { ...turn, run: 'r', kind: 'run_ended', status: 'completed' },
    { ...turn, kind: 'answered', text: { inline: 'It says hello.' } },
    { ...turn, kind: 'turn_ended', status: 'answered' },
  ].map((event, at) => ({ ...event, seq: at + 1 }) as Event);
  const { turns } = sessionAfter(emptySession, told);
  expect(turns.map((one) => [one.id, one.message, one.plans, one.runs, one.answer, one.status])).toEqual([
    ['t1', null, ['p'], ['r'], { inline: 'It says hello.' }, 'answered'],
  ]);
});
