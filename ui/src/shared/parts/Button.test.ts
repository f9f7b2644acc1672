import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import Button from './Button.svelte';

test('a button that cannot be used says why, stays reachable and does nothing', async () => {
  const onclick = vi.fn<() => void>();
  const { rerender } = render(Button, {
    label: 'Undo',
    icon: 'undo',
    reason: 'Nothing was changed',
    onclick,
  });
  const button = screen.getByRole('button', { name: 'Undo' });
  const is = (...names: string[]) => names.map((name) => button.getAttribute(name));
  expect(is('aria-disabled', 'aria-description', 'disabled')).toEqual(['true', 'Nothing was changed', null]);
  await fireEvent.click(button);
  expect(onclick).not.toHaveBeenCalled();

  await rerender({ reason: undefined });
  expect(is('aria-disabled', 'aria-description')).toEqual([null, null]);
  await fireEvent.click(button);
  expect(onclick).toHaveBeenCalledOnce();
});
