import { backendError, type BackendError } from '../backend/errors';

interface Shown {
  error: BackendError | null;
}

/** Does something with the engine for what shows the error that comes of it; whether none came. */
export async function attempt(shown: Shown, act: () => Promise<void>): Promise<boolean> {
  try {
    shown.error = null;
    await act();
    return true;
  } catch (thrown) {
    shown.error = backendError(thrown);
    return false;
  }
}

/** What something beside the person failed with. */
interface Failure {
  error: BackendError;
  /** Whether the person has dismissed it. */
  isSeen: boolean;
  /** Whether it is tried again, or what needs it is shown still: it is told again once what covers it has gone. */
  lasts: boolean;
}

/** By what shows it and by what was read. */
const unread = new WeakMap<object, Map<string, Failure>>();

function failuresOf(shown: Shown): Map<string, Failure> {
  const failed = unread.get(shown) ?? new Map<string, Failure>();
  unread.set(shown, failed);
  return failed;
}

/** Whether what is shown is what `attemptBeside` failed with. */
export function isUnread(shown: Shown): boolean {
  // Read at once: whoever shows it hears by that of another one.
  const { error } = shown;
  return error !== null && [...failuresOf(shown).values()].some((one) => one.error === error);
}

/**
 * The same for what goes on beside what the person does, reading above all: it takes away what an earlier one of its name
 * brought, no other one's error and none of theirs. What they dismissed is told again once it has failed anew.
 */
export async function attemptBeside(
  shown: Shown,
  act: () => Promise<void>,
  name = '',
  lasts = true,
): Promise<boolean> {
  try {
    await act();
    dropFailure(shown, name);
    return true;
  } catch (thrown) {
    tell(shown, name, backendError(thrown), lasts);
    return false;
  }
}

function tell(shown: Shown, name: string, error: BackendError, lasts: boolean): void {
  const failed = failuresOf(shown);
  const before = failed.get(name);
  const isKnown = before?.error.message === error.message;
  const isSeen = isKnown && before.isSeen;
  failed.set(name, { error, isSeen, lasts });
  // What fails again as before does not cover what else was told since.
  const isOther = shown.error !== null && shown.error.message !== error.message;
  if (!isSeen && !(isKnown && isOther)) shown.error = error;
}

/** What is done, or needed by nobody any more, is told no more. */
export function dropFailure(shown: Shown, name: string): void {
  const failed = failuresOf(shown);
  const before = failed.get(name);
  failed.delete(name);
  if (before && shown.error === before.error) shown.error = untold(failed);
}

/** The person has read what is shown. */
export function dismiss(shown: Shown): void {
  const failed = failuresOf(shown);
  for (const one of failed.values()) if (one.error.message === shown.error?.message) one.isSeen = true;
  shown.error = untold(failed);
}

/** The person asks for it once more: what they dismissed of it is told again. */
export function askAnew(shown: Shown, name: string): void {
  const before = failuresOf(shown).get(name);
  if (before) before.isSeen = false;
}

/** What else is not read yet is still to be told. */
function untold(failed: ReadonlyMap<string, Failure>): BackendError | null {
  return [...failed.values()].findLast((one) => one.lasts && !one.isSeen)?.error ?? null;
}
