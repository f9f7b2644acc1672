import { tick } from 'svelte';
import { beforeEach, expect, test } from 'vitest';
import { another, appOn, mounted } from '../../app/mounted.test-data';
import { latest } from '../../model/session';
import { spoken } from '../../shared/announce.svelte';
import PlanCard from './PlanCard.svelte';

beforeEach(() => localStorage.clear());

/** The card of a plan that waits beside a run, one step of which is being planned anew. */
async function reworking() {
  const { app, backend } = await appOn('running');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has a plan');
  const { id } = another(backend, plan, 'Beside it');
  const session = await app.attend(plan.sessionId);
  const card = session.card(id);
  await card.load();
  const props = {
    card,
    get version() {
      const state = session.state.plans.get(id);
      return state && latest(state);
    },
    run: null,
    comments: [],
    working: true,
    inspect: () => undefined,
    stop: () => undefined,
  };
  mounted(PlanCard as never, props, app);
  await card.rework('s2', 'the longest first');
  await tick();
  const said = () => spoken().polite;
  return { backend, session, card, said };
}
const edit = { op: 'set_title', title: 'Mine' } as const;

test('a version that comes of a step planned anew is told as that', async () => {
  const { backend, card, said } = await reworking();
  while (card.view?.plan.version === 1) {
    backend.world.advance();
    await card.load();
  }
  await expect.poll(said).toContain('Step 2 was planned anew. Version 2 waits for your word.');
});

test('a version of the person’s own is not told as what came of a step, whether that has failed or goes on still', async () => {
  for (const way of ['failed', 'goes on']) {
    const { backend, session, card, said } = await reworking();
    const before = said();
    if (way === 'failed')
      backend.world.tell({
        type: 'trouble',
        session: session.id,
        failure: { code: 'plan_state', message: 'no step came' },
      });
    await card.edit(edit);
    expect(await card.save()).toBe(true);
    await tick();
    expect([way, card.view?.plan.version, session.active, said()]).toEqual([way, 2, true, before]);
    document.body.replaceChildren();
  }
});

test('where a version of the person’s own could not be saved, the step is being planned anew still', async () => {
  const { backend, card } = await reworking();
  await card.edit(edit);
  backend.plans.save = () => Promise.reject(new Error('the file is locked'));
  expect(await card.save()).toBe(false);
  expect(card.reworking).toBe('s2');
});
