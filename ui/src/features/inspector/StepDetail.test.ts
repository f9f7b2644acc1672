import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { Step, ValidationMode } from '../../backend/bindings';
import { callLine } from '../../model/content';
import { outlineOf } from '../../model/outline';
import { runAt } from '../../model/fold';
import StepDetail from './StepDetail.svelte';

/** The latest run of the latest plan of a scene, after something was done to it. */
async function shown(
  scene: string,
  act: (backend: Awaited<ReturnType<typeof appOn>>['backend']) => Promise<void>,
) {
  const { app, backend } = await appOn(scene);
  await act(backend);
  await app.readModels();
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const session = await app.attend(plan.sessionId);
  const run = session.runsOf(plan.id).at(-1) ?? null;
  const retry = vi.spyOn(session, 'retry');
  const open = vi.fn<(step: string) => void>();
  const show = (step: string, at = run) => {
    document.body.replaceChildren();
    mounted(
      StepDetail as never,
      { outline: outlineOf(plan, at), run: at, session, step, open, back: () => undefined },
      app,
    );
  };
  return { show, run, retry, open, session };
}
const proofs = () => screen.getByTestId('proofs').textContent.replace(/\s+/g, ' ').trim();

test('a step that was built on one that was done again says that it is out of date, and why; the one done again is not', async () => {
  const { show } = await shown('done', async (backend) => {
    const [run] = [...backend.world.runs.values()];
    await backend.runs.retry(run?.id ?? '', 's2');
    backend.world.settle();
  });
  show('s3');
  expect(screen.getByTestId('stale').textContent).toContain('Out of date');
  expect(screen.getByTestId('stale').textContent).toContain('Step 2 was done again after this one was done');
  expect(screen.getByTestId('step-detail').textContent).toContain('done, out of date');
  expect(screen.getByTestId('retry-step')).toBeTruthy();
  for (const step of ['s1', 's2']) {
    show(step);
    expect(screen.queryByTestId('stale')).toBe(null);
  }
  expect(screen.getByTestId('step-detail').textContent).toContain('attempt 2');
});

test('what the model thought, wrote and wanted, and what it could not be asked, attempt by attempt', async () => {
  const { show } = await shown('capped', async (backend) => {
    const [row] = await backend.requests.open();
    await backend.requests.answer(row?.request.id ?? '', { type: 'value', value: 'keep going' });
    backend.world.settle();
    await backend.runs.retry(row?.run ?? '', 's1');
    backend.world.settle();
  });
  show('s1');
  expect(screen.getByTestId('step-tokens').textContent).toBe('4.0k tokens');
  const attempts = screen.getAllByTestId('attempt');
  expect(attempts.map((one) => one.querySelector('h3')?.textContent)).toEqual(['Attempt 1', 'Attempt 2']);
  const failed = screen.getByTestId('model-failed');
  expect(attempts[0]?.contains(failed)).toBe(true);
  expect(failed.textContent).toContain('Qwen2.5-Coder-1.5B could not be asked');
  expect(failed.textContent).toContain('9120 tokens, at most 8192');
  expect(failed.textContent).toContain('It was asked once more, with less.');
  const thoughts = screen.getAllByTestId('thoughts').map((one) => one.querySelector('pre')?.textContent);
  expect(thoughts).toEqual(['Look for it.', 'Look once more.', 'It has to be there.']);
  const replies = screen.getAllByTestId('reply');
  expect(replies.map((one) => one.querySelector('h3')?.textContent.trim().slice(0, 7))).toEqual([
    'Reply 1',
    'Reply 2',
    'Reply 3',
    'Reply 4',
  ]);
  expect(attempts[1]?.contains(replies[3] as HTMLElement)).toBe(true);
  for (const one of replies) expect(one.textContent).toContain('1.0k tokens');
  expect(replies[3]?.textContent).toContain('I will use grep.');
  expect(replies[0]?.textContent).toContain('It wants to call grep');
  expect(screen.getByTestId('checks').textContent).not.toContain('tokens, at most');
  await fireEvent.click(screen.getAllByTestId('show-sent')[3] as HTMLElement);
  await waitFor(() => expect(screen.getByTestId('sent').textContent).toContain('You carry out one step'));
});

test('numbers that are longer than the window shows are told as such in a call and in its line', async () => {
  const { show } = await shown('done', async ({ world }) => {
    for (const event of [...world.events.values()].flat())
      if (event.kind === 'model_replied')
        for (const call of event.calls ?? []) call.arguments = { inline: { id: 9007199254740994 } };
  });
  show('s1');
  expect(screen.getByTestId('call-detail').textContent).toContain('"id": ≈9007199254740994');
  expect(screen.getByTestId('rounded').textContent).toContain('longer than this window shows exactly');
  const args = { inline: { id: 9007199254740994, all: [2 ** 60], text: '9007199254740994' } };
  expect(callLine(args)).toBe('≈9007199254740994 all=[≈1152921504606847000] text="9007199254740994"');
});

test('a call that had nothing to do with what its step names is told as such, and proves nothing', async () => {
  const { show } = await shown('done', async (backend) => {
    const [row] = [...backend.world.runs.values()];
    if (!row) throw new Error('the scene has no run');
    const call = { id: 'beside', tool: 'grep', arguments: { inline: {} } };
    const usage = { input: 1, cached: 0, output: 1 };
    backend.world.commit(
      { session: row.session, turn: row.turn ?? '', run: row.id, step: 's1' },
      { kind: 'step_reset' },
      { kind: 'step_started', attempt: 2 },
      { kind: 'model_replied', purpose: 'step', model: 'm', usage, durationMs: 1, calls: [call] },
      { kind: 'call_started', call: 'beside', tool: 'grep' },
      {
        kind: 'call_ended',
        call: 'beside',
        status: 'success',
        output: { inline: [] },
        satisfied: true,
        missed: 'notes.md',
        durationMs: 1,
      },
      { kind: 'step_ended', status: 'failed', validation: 'passed' },
    );
  });
  show('s1');
  expect(screen.getByTestId('step-detail').textContent).toContain(
    'does not count: the step is about notes.md',
  );
  expect(proofs()).toContain('never called successfully');
});

test('without a model a step is not done again, and the buttons say why', async () => {
  const { show, retry } = await shown('done', async (backend) => {
    backend.world.offline = true;
  });
  show('s2');
  for (const id of ['retry-step', 'run-from']) {
    const button = screen.getByTestId(id);
    expect([button.ariaDisabled, button.getAttribute('aria-description')]).toEqual([
      'true',
      'No model can be reached',
    ]);
    await fireEvent.click(button);
  }
  expect(retry).not.toHaveBeenCalled();
});

test('a step is done again once, however often its button is pressed before the run has begun again', async () => {
  for (const id of ['retry-step', 'run-from']) {
    const { show, session } = await shown('done', () => Promise.resolve());
    const begun: (() => void)[] = [];
    const begins = () => new Promise<boolean>((done) => begun.push(() => done(true)));
    vi.spyOn(session, 'retry').mockImplementation(begins);
    vi.spyOn(session, 'runFrom').mockImplementation(begins);
    show('s2');
    const press = (detail: number) => fireEvent.click(screen.getByTestId(id), { detail });
    await press(1);
    await press(1);
    expect([begun.length, screen.getByTestId(id).ariaBusy]).toEqual([1, 'true']);
    begun[0]?.();
    await waitFor(() => expect(screen.getByTestId(id).ariaBusy).toBeNull());
    await press(2);
    expect(begun.length).toBe(1);
    await press(1);
    expect(begun.length).toBe(2);
  }
});

test('in a run that was stopped or still goes on no step is done again, which the button and the engine say', async () => {
  const said = () => screen.getByTestId('retry-step').getAttribute('aria-description');
  const stopped = await shown('running', async (backend) => {
    const [run] = [...backend.world.runs.values()];
    await backend.runs.cancel(run?.id ?? '');
  });
  stopped.show('s1');
  expect(said()).toBe('This run was stopped, and what was stopped does not go on');
  await fireEvent.click(screen.getByTestId('retry-step'));
  expect(stopped.retry).not.toHaveBeenCalled();
  expect(await stopped.session.retry(stopped.run as never, 's1')).toBe(false);
  expect(stopped.session.error?.code).toBe('conflict');

  const going = await shown('running', () => Promise.resolve());
  going.show('s1');
  expect([going.session.active, said()]).toEqual([true, 'This run still goes on']);
  expect(await going.session.retry(going.run as never, 's1')).toBe(false);
  expect(going.session.error?.code).toBe('busy');
});

/** The scene in which a step is handed on, answered and gone on to its end. */
const handed = () =>
  shown('handed', async (backend) => {
    const row = (await backend.requests.open()).find((one) => one.request.kind === 'question');
    await backend.requests.answer(row?.request.id ?? '', { type: 'value', value: '1991' });
    backend.world.settle();
  });

test('a report that no call stands behind is doubted where it is shown, and a step that did what it says is not', async () => {
  const { show } = await handed();
  show('s2');
  const claimed = screen.getByTestId('claimed');
  expect(claimed.textContent).toContain('I have saved the list to archive.md.');
  expect(claimed.contains(screen.getByTestId('doubted'))).toBe(true);
  expect(screen.getByTestId('doubted').textContent).toContain('no call stands behind that');
  expect(screen.getByTestId('step-detail').textContent?.match(/no call stands behind/g)?.length).toBe(2);
  show('s1/1');
  expect(screen.getByTestId('claimed').textContent).toContain('I will use grep.');
  expect(screen.queryByTestId('doubted')).toBe(null);
});

test('a step that was handed on shows its parts, and what they called counts for it', async () => {
  const { show, open } = await handed();
  show('s1');
  const parts = screen.getAllByTestId('part');
  expect(parts.map((one) => one.textContent.replace(/\s+/g, ' ').trim())).toEqual([
    '1.1 Find every text that names a year',
    '1.2 Ask for the years that no text names',
  ]);
  for (const one of parts) expect(within(one).getByLabelText('done')).toBeTruthy();
  expect(screen.getByTestId('proofs').textContent).not.toContain('was never called');
  expect(screen.queryAllByTestId('step-call')).toEqual([]);
  await fireEvent.click(parts[1] as HTMLElement);
  expect(open).toHaveBeenCalledExactlyOnceWith('s1/2');
});

test('a part shows what it was asked, called and cost, leads to its whole, and is done again only with it', async () => {
  const { show, open } = await handed();
  show('s1/1');
  expect(screen.getByRole('region', { name: 'Step 1.1' }).textContent).toContain(
    'Find every text that names',
  );
  expect(screen.getByTestId('step-tokens').textContent).toBe('1.0k tokens');
  expect(screen.getAllByTestId('step-call').length).toBe(1);
  await fireEvent.click(screen.getByTestId('show-sent'));
  await waitFor(() => expect(screen.getByTestId('sent').textContent).toContain('You carry out one step'));
  expect(screen.queryByTestId('retry-step')).toBe(null);
  expect(screen.queryByTestId('run-from')).toBe(null);
  await fireEvent.click(screen.getByTestId('step-above'));
  expect(open).toHaveBeenCalledExactlyOnceWith('s1');
});

test('a step that was done again and only said so has no proof of the attempt before, at no moment of its replay', async () => {
  const { show, run } = await shown('done', async ({ world }) => {
    const [row] = [...world.runs.values()];
    const here = { session: row?.session ?? '', turn: row?.turn ?? '', run: row?.id ?? '', step: 's1' };
    world.commit(here, { kind: 'step_reset' }, { kind: 'step_started', attempt: 2 });
    const usage = { input: 1, cached: 0, output: 1 };
    world.commit(
      here,
      {
        kind: 'model_replied',
        purpose: 'step',
        model: 'm',
        text: { inline: 'I have found all of them.' },
        usage,
        durationMs: 1,
      },
      { kind: 'enforced', missing: ['grep'], attempt: 1 },
      { kind: 'step_ended', status: 'failed', validation: 'failed' },
    );
  });
  if (!run) throw new Error('the scene has no run');
  const last = run.trace.length;
  show('s1');
  expect(proofs()).toBe('grep was never called successfully');
  expect(screen.getByTestId('claimed').textContent).toContain('I have found all of them.');
  expect(screen.getByTestId('call-attempt').textContent).toBe('attempt 1');
  expect(screen.getByTestId('checks').textContent).toContain('attempt 2');
  show('s1', runAt(run, last - 3));
  expect(proofs()).toBe('grep not called yet');
  expect(screen.getByTestId('claimed').textContent).not.toContain('I will use grep.');
  show('s1', runAt(run, last - 5));
  expect(proofs()).toBe('grep 184 ms');
  expect(screen.queryByTestId('call-attempt')).toBe(null);
});

test('a step that was taken over shows what the run did that completed it, and leads there', async () => {
  const { show, run, session } = await shown('done', async (backend) => {
    const [row] = [...backend.world.runs.values()];
    await backend.plans.run(backend.world.version(row?.plan ?? { id: '' }).reference, 's4');
    backend.world.settle();
  });
  show('s1');
  expect(proofs()).toBe('grep 184 ms');
  expect(screen.getByTestId('claimed').textContent).toContain('I will use grep.');
  expect(screen.getAllByTestId('step-call').length).toBe(1);
  expect(screen.getAllByTestId('reply').length).toBe(1);
  expect(screen.getByTestId('taken-over').textContent).toBe('taken over from run 1');
  expect(screen.getByTestId('step-detail').textContent).toContain('Passed: every required tool');
  await fireEvent.click(screen.getByTestId('taken-from'));
  const [first] = session.state.runs.keys();
  expect(session.inspected).toMatchObject({ run: first, step: 's1' });
  show('s4');
  expect(screen.queryByTestId('taken-over')).toBe(null);
  const { state } = session;
  session.state = { ...state, runs: new Map([...state.runs].filter(([id]) => id === run?.id)) };
  show('s1');
  expect(proofs()).toBe('grep proven in an earlier run that is no longer there');
  expect(screen.getByTestId('claimed').textContent).toContain('an earlier run that is no longer there');
  expect(screen.getByTestId('step-detail').textContent).not.toContain('was never called');
});

test('a step that an agent does leads to the contract of that agent, and another leads to none', async () => {
  const { app, backend } = await appOn('done');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const session = await app.attend(plan.sessionId);
  const executor = { kind: 'agent' as const, id: 'plan_generator_agent' };
  const steps = plan.steps.map((step) => (step.id === 's1' ? { ...step, executor } : step));
  const outline = outlineOf({ ...plan, steps }, null);
  const props = { outline, run: null, session, open: () => undefined, back: () => undefined };
  mounted(StepDetail as never, { ...props, step: 's2' }, app);
  expect(screen.queryByTestId('step-contract')).toBe(null);
  document.body.replaceChildren();
  mounted(StepDetail as never, { ...props, step: 's1' }, app);
  await fireEvent.click(screen.getByTestId('step-contract'));
  expect(app.route).toEqual({ view: 'tools', contract: 'plan_generator_agent' });
});

test('by what a step counts as done is told for each as it is held', async () => {
  const { app, backend } = await appOn('done');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const session = await app.attend(plan.sessionId);
  const told = (more: Partial<Step>, mode: ValidationMode = 'strict') => {
    document.body.replaceChildren();
    const steps = plan.steps.map((step) => (step.id === 's1' ? { ...step, ...more } : step));
    const outline = outlineOf({ ...plan, steps }, null);
    const props = { outline, run: null, session, open: () => undefined, back: () => undefined, mode };
    mounted(StepDetail as never, { ...props, step: 's1' }, app);
    return [screen.getByTestId('proofs').textContent, screen.getByTestId('proven-help').textContent].join(
      ' ',
    );
  };
  const none = { requiredTools: [], toolValidationMode: null };
  expect(told({ requiredTools: ['grep'], toolValidationMode: null })).toMatch(
    /grep.*call of every required tool/,
  );
  expect(told({ requiredTools: ['grep'], toolValidationMode: null }, 'advisory')).toMatch(
    /without its calls/,
  );
  expect(told({ ...none, stepType: 'tool' })).toMatch(/names no tool.*call of some tool/);
  expect(told({ ...none, stepType: 'reasoning' })).toMatch(/reasoning step.*needs no call/);
});
