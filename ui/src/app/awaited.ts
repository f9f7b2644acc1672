import { backendError } from '../backend/errors';

/**
 * Takes what an answer of the engine comes to, or what went wrong, for as long as somebody wants it. What is returned ends
 * that: an effect that returns it takes nothing that was overtaken.
 */
export function awaited<T>(
  answer: Promise<T>,
  take: (value: T) => void,
  fail: (message: string) => void,
): () => void {
  let isOver = false;
  answer.then(
    (value) => {
      if (!isOver) take(value);
    },
    (thrown: unknown) => {
      if (!isOver) fail(backendError(thrown).message);
    },
  );
  return () => {
    isOver = true;
  };
}
