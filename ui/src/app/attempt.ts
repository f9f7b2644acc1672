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

/** What reading failed with, by what shows it and by what was read. */
const unread = new WeakMap<object, Map<string, BackendError>>();

/** Whether what is shown is what `attemptBeside` failed with. */
export function isUnread(shown: { error: BackendError | null }): boolean {
  // Read at once: whoever shows it hears by that of another one.
  const { error } = shown;
  return error !== null && [...(unread.get(shown)?.values() ?? [])].includes(error);
}

/**
 * The same for what goes on beside what the person does, reading above all: it takes away what an earlier one of its name
 * brought, no other one's error and none of theirs.
 */
export async function attemptBeside(
  shown: { error: BackendError | null },
  act: () => Promise<void>,
  name = '',
): Promise<boolean> {
  const failed = unread.get(shown) ?? new Map<string, BackendError>();
  unread.set(shown, failed);
  const before = failed.get(name);
  try {
    await act();
    failed.delete(name);
    // What else is not read yet is still to be told.
    if (before && shown.error === before) shown.error = [...failed.values()].at(-1) ?? null;
    return true;
  } catch (thrown) {
    const error = backendError(thrown);
    failed.set(name, error);
    // What fails again as before does not cover what else was told since.
    const isKnown = before?.message === error.message;
    const isOther = shown.error !== null && shown.error.message !== error.message;
    if (!isKnown || !isOther) shown.error = error;
    return false;
  }
}
