import { fireEvent, screen } from '@testing-library/svelte';
import { createRawSnippet } from 'svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import TurnView from './TurnView.svelte';

test('a warning that a step says of itself is not told once more by its turn, however they came; another one is', async () => {
  const { app, backend } = await appOn('done');
  const [run] = [...backend.world.runs.values()];
  if (!run) throw new Error('the scene has a run');
  const place = { session: run.session, turn: run.turn ?? '', run: run.id };
  const reason = 'nothing was called: grep was to be; the step counts all the same';
  backend.world.commit(
    { ...place, step: 's2' },
    { kind: 'step_ended', status: 'completed', validation: 'failed', reason },
    { kind: 'warned', message: 'nothing was called: grep was to be' },
  );
  backend.world.commit(place, { kind: 'warned', message: 'the rest is lost' });
  const session = await app.attend(run.session);
  const turn = session.state.turns.find((one) => one.id === run.turn);
  expect(turn?.warnings).toHaveLength(2);
  const plan = createRawSnippet(() => ({ render: () => '<div></div>' }));
  mounted(TurnView as never, { turn, session, plan, isLast: true }, app);
  const told = screen.getByTestId('turn').textContent;
  expect(told).toContain('the rest is lost');
  expect(told).not.toContain('nothing was called');
});

test('of a message of a megabyte a page more is shown at each press, and no half of a sign', async () => {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  const session = await app.attend(plan?.sessionId ?? '');
  const [first] = session.state.turns;
  const message = `${'a'.repeat(5999)}\u{1F600}${'b'.repeat(1_000_000)}`;
  const nothing = createRawSnippet(() => ({ render: () => '<div></div>' }));
  mounted(TurnView as never, { turn: { ...first, message }, session, plan: nothing, isLast: false }, app);
  const shown = () => screen.getByTestId('message').textContent;
  expect(shown()).toContain('aaa…');
  expect(shown()).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  await fireEvent.click(screen.getByTestId('show-more'));
  expect(shown().length).toBeGreaterThan(26_000);
  expect(shown().length).toBeLessThan(27_000);
});
