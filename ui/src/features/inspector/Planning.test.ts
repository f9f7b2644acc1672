import { fireEvent, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { Plan } from '../../backend/bindings';
import Planning from './Planning.svelte';

async function shown(change: (plan: Plan) => Plan = (plan) => plan) {
  const { app, backend } = await appOn('proposed');
  await app.readModels();
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const session = await app.attend(plan.sessionId);
  const kept = session.state.plans.get(plan.id);
  mounted(Planning as never, { plan: change(plan), kept, session }, app);
  return { session, kept };
}

test('a plan tells each question to the planner with its raw answer, and what was sent, behind one click', async () => {
  const { session, kept } = await shown();
  const turn = session.state.turns.find((one) => one.id === kept?.turn);
  expect(turn?.planning.map((one) => one.kind)).toEqual(['model_replied']);
  const all = screen.getByTestId('planning');
  expect(all.querySelector('summary')?.textContent).toBe('How this plan came about: 1 model call');
  expect(all.hasAttribute('open')).toBe(false);
  expect(screen.getAllByTestId('reply').length).toBe(1);
  expect(screen.queryByTestId('sent')).toBe(null);
  await fireEvent.click(screen.getByTestId('show-sent'));
  expect((await screen.findByTestId('sent')).textContent.length).toBeGreaterThan(0);
});

test('a plan that stands in for one that could not be read says why', async () => {
  await shown((plan) => ({ ...plan, fallback: { used: true, reason: 'the reply holds no JSON object' } }));
  expect(screen.getByTestId('planning').textContent).toContain('the reply holds no JSON object');
});

test('what a run asks later is none of its planning', async () => {
  const { app, backend } = await appOn('done');
  const [plan] = await backend.plans.list();
  const session = await app.attend(plan?.sessionId ?? '');
  const asked = session.state.turns.flatMap((turn) => turn.planning);
  const run = [...session.state.runs.values()].at(-1);
  expect(run?.trace.some((event) => event.kind === 'model_replied')).toBe(true);
  expect(asked.map((one) => one.kind === 'model_replied' && one.purpose)).toEqual(['plan']);
});
