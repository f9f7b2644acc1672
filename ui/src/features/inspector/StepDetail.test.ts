import { fireEvent, screen } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
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
  const show = (step: string) => {
    document.body.replaceChildren();
    mounted(StepDetail as never, { plan, run, session, step, back: () => undefined }, app);
  };
  return { show, run, retry };
}

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
  expect(replies[3]?.textContent).toContain('I will use grep.');
  expect(replies[0]?.textContent).toContain('It wants to call grep');
  expect(screen.getByTestId('checks').textContent).not.toContain('tokens, at most');
  await fireEvent.click(screen.getAllByTestId('show-sent')[3] as HTMLElement);
  await vi.waitFor(() => expect(screen.getByTestId('sent').textContent).toContain('You carry out one step'));
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
