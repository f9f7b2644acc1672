import { backendError, type BackendError } from '../backend/errors';

/** Does something with the engine for what shows the error that comes of it; whether none came. */
export async function attempt(
  shown: { error: BackendError | null },
  act: () => Promise<void>,
): Promise<boolean> {
  try {
    shown.error = null;
    await act();
    return true;
  } catch (thrown) {
    shown.error = backendError(thrown);
    return false;
  }
}

/** What reading failed with, by what shows it. */
const unread = new WeakMap<object, BackendError>();

/** Whether what is shown is what `attemptBeside` failed with. */
export function isUnread(shown: { error: BackendError | null }): boolean {
  return shown.error !== null && shown.error === unread.get(shown);
}

/**
 * The same for what goes on beside what the person does, reading above all: it takes away what an earlier one brought, and
 * no error of theirs.
 */
export async function attemptBeside(
  shown: { error: BackendError | null },
  act: () => Promise<void>,
): Promise<boolean> {
  try {
    await act();
    if (shown.error === unread.get(shown)) shown.error = null;
    return true;
  } catch (thrown) {
    const error = backendError(thrown);
    unread.set(shown, error);
    shown.error = error;
    return false;
  }
}
