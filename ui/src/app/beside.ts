import { runStatus } from '../model/run';
import { isUnplanned } from '../model/session';
import type { OpenSession } from './session.svelte';

/** Whether a message is planned while a run goes on: stopping then means the message. */
export function plansBeside({ active, state }: Pick<OpenSession, 'active' | 'state'>): boolean {
  const { turns, runs } = state;
  return active && turns.some(isUnplanned) && [...runs.values()].some((run) => runStatus(run) === 'running');
}
