import type { ErrorCode, Failure, Fault } from './bindings';

/** What every call of a backend rejects with: `code` to branch on, `message` for the person. */
export class BackendError extends Error {
  override readonly name = 'BackendError';
  readonly code: ErrorCode;
  /** What does not hold, each fault at its place; empty for most codes. */
  readonly faults: readonly Fault[];

  constructor(failure: Failure) {
    super(failure.message);
    this.code = failure.code;
    this.faults = failure.faults ?? [];
  }
}

/** Anything that was thrown as a `BackendError`. */
export function backendError(thrown: unknown): BackendError {
  if (thrown instanceof BackendError) return thrown;
  if (isFailure(thrown)) return new BackendError(thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new BackendError({ code: 'internal', message });
}

function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}
