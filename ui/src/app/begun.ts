import type { Backend } from '../backend/backend';
import type { Plan } from '../backend/bindings';
import { begin, type Draft } from '../model/draft';

/** The draft of a plan that was kept, of whichever version it was made. */
export async function begun(backend: Backend, latest: Plan, kept: Plan): Promise<Draft> {
  if (kept.version === latest.version) return begin(latest, kept);
  return begin((await backend.plans.get(latest.id, kept.version)).plan, kept);
}
