import { isComposing } from '../keys';

/** Escape anywhere in an element leaves it, and nothing around it hears of the key. */
export function leaves(leave: () => void): (element: HTMLElement) => () => void {
  return (element) => {
    const onkeydown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      event.stopPropagation();
      // An input method takes back what it was about to write.
      if (isComposing(event)) return;
      event.preventDefault();
      leave();
    };
    element.addEventListener('keydown', onkeydown);
    return () => element.removeEventListener('keydown', onkeydown);
  };
}
