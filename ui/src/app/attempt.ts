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
