/** The press that goes on; null while nothing is pressed. */
let going: Promise<void> | null = null;

/**
 * Resolves once the press that begins is over and its click has been told. Nothing may move under the pointer until then:
 * what is pressed would be gone when it is let go.
 */
export function pressOver(): Promise<void> {
  going ??= new Promise<void>((done) => {
    const over = new AbortController();
    const { signal } = over;
    const end = () => {
      going = null;
      over.abort();
      done();
    };
    // The click comes with the letting go; where none does, it is over all the same.
    const soon = () => void setTimeout(end);
    window.addEventListener('click', end, { signal });
    for (const kind of ['pointerup', 'pointercancel'])
      window.addEventListener(kind, soon, { signal, capture: true });
    // Let go where the page is not told of it.
    window.addEventListener('blur', soon, { signal });
    window.addEventListener('pointermove', ({ buttons }) => void (buttons === 0 && soon()), { signal });
  });
  return going;
}

/** Resolves once nothing is pressed. */
export async function unpressed(): Promise<void> {
  await going;
}
