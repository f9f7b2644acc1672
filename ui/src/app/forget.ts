import type { Backend } from '../backend/backend';
import type { SessionId } from '../backend/bindings';
import { backendError } from '../backend/errors';
import { keep, keptNames, keptOf } from './kept';

/** What was written and not sent goes with its session, and with its plans. */
export async function forget(session: SessionId, { plans }: Pick<Backend, 'plans'>): Promise<void> {
  for (const name of Object.values(keptOf)) keep(name(session), '');
  for (const name of keptNames('plan.')) {
    try {
      await plans.get(name.slice('plan.'.length));
    } catch (thrown) {
      if (backendError(thrown).code === 'not_found') keep(name, '');
    }
  }
}
