import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import Menu from './Menu.svelte';

test('an action that cannot be chosen says why, stays reachable and does nothing', async () => {
  const act = vi.fn<() => void>();
  const item = { id: 'up', label: 'Move up', act };
  const { rerender } = render(Menu, {
    label: 'Step',
    items: [{ ...item, about: 'Before the step above', reason: 'It is the first' }],
  });
  await fireEvent.click(screen.getByRole('button', { name: 'Step' }));
  const shown = () => screen.getByRole('menuitem', { name: /^Move up$/ });
  const is = (...names: string[]) => names.map((name) => shown().getAttribute(name));
  const why = 'Before the step above · It is the first';
  expect(is('aria-disabled', 'aria-description', 'disabled')).toEqual(['true', why, null]);
  expect([shown().querySelector('small')?.textContent, document.activeElement]).toEqual([why, shown()]);
  await fireEvent.click(shown());
  expect(act).not.toHaveBeenCalled();

  await rerender({ items: [item] });
  expect(is('aria-disabled', 'aria-description')).toEqual([null, null]);
  await fireEvent.click(shown());
  expect(act).toHaveBeenCalledOnce();
});
