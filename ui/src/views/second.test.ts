import { expect, test, vi } from 'vitest';
import { keepSecondQuiet } from './second';

test('a click that an engine makes of the second button presses nothing; the next one does', async () => {
  const leave = keepSecondQuiet(document);
  const button = document.createElement('button');
  document.body.append(button);
  const pressed = vi.fn<() => void>();
  button.addEventListener('click', pressed);
  const press = (which: number) => {
    for (const kind of ['mousedown', 'mouseup'])
      button.dispatchEvent(new MouseEvent(kind, { bubbles: true, button: kind === 'mouseup' ? 0 : which }));
    button.click();
  };
  press(2);
  expect(pressed).not.toHaveBeenCalled();
  await new Promise((done) => setTimeout(done));
  // As what is not pressed by a mouse is clicked.
  button.click();
  expect(pressed).toHaveBeenCalledOnce();
  press(0);
  expect(pressed).toHaveBeenCalledTimes(2);
  leave();
  button.remove();
});
