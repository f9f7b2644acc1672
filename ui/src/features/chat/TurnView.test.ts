import { screen } from '@testing-library/svelte';
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
