/**
 * A press of a button. The second one of a double click does nothing: it was meant for what stood here before, and what
 * stands here now is another one.
 */
export const pressed =
  (act: () => void) =>
  (event: MouseEvent): void => {
    if (event.detail < 2) act();
  };
