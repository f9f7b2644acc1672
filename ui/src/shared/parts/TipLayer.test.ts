import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import TipLayer from './TipLayer.svelte';

beforeAll(() => void vi.useFakeTimers());
afterAll(() => void vi.useRealTimers());
afterEach(() => document.body.replaceChildren());

/** Two buttons with tips, the first with something in it, and one without; none is near another in time. */
async function shown() {
  render(TipLayer);
  await vi.advanceTimersByTimeAsync(10_000);
  const made = (sign: string) => {
    const button = document.createElement('button');
    button.innerHTML = sign;
    document.body.append(button);
    return button;
  };
  const [first, other, bare] = [made('<i>+</i>'), made('-'), made('=')];
  Object.assign(first.dataset, { tip: '<b>Add</b>', tipHint: 'Ctrl +' });
  other.dataset['tip'] = 'Take away';
  const over = (element: Element, pointerType = 'mouse') =>
    fireEvent(element, Object.assign(new MouseEvent('pointerover', { bubbles: true }), { pointerType }));
  const rest = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const said = () => screen.queryByTestId('tip')?.textContent;
  return { first, other, bare, over, rest, said };
}

test('a tip comes where the pointer rests, goes with it, and the next one comes at once', async () => {
  const { first, other, bare, over, rest, said } = await shown();
  await over(first);
  await rest(300);
  expect(said()).toBeUndefined();
  // Still on the same one.
  await over(first.firstElementChild as Element);
  await rest(150);
  expect(said()).toBe('<b>Add</b>Ctrl +');
  await over(other);
  await rest(0);
  expect(said()).toBe('Take away');
  await over(bare);
  await rest(0);
  expect(said()).toBeUndefined();
  await over(first, 'touch');
  await rest(1000);
  expect(said()).toBeUndefined();
});

test('a press or a key takes the tip away, and it does not come back under the pointer that stays', async () => {
  for (const act of ['pointerDown', 'keyDown'] as const) {
    const { first, over, rest, said } = await shown();
    await over(first);
    await rest(450);
    expect(said()).toContain('Add');
    await fireEvent[act](first);
    await rest(0);
    expect(said()).toBeUndefined();
    await over(first.firstElementChild as Element);
    await rest(1000);
    expect(said()).toBeUndefined();
    document.body.replaceChildren();
    await rest(1000);
  }
});

test('a tip goes with its element, and where that says something else by now', async () => {
  for (const change of [
    (element: HTMLElement) => element.remove(),
    (element: HTMLElement) => (element.dataset['tip'] = 'Added'),
  ]) {
    const { first, over, rest, said } = await shown();
    await over(first);
    await rest(450);
    expect(said()).toContain('Add');
    change(first);
    await rest(0);
    expect(said()).toBeUndefined();
    document.body.replaceChildren();
  }
});

test('of an element that has gone nothing is said, and of one that the keyboard reaches at once', async () => {
  const { first, other, bare, over, rest, said } = await shown();
  await over(first);
  first.remove();
  await rest(1000);
  expect(said()).toBeUndefined();
  vi.spyOn(other, 'matches').mockReturnValue(true);
  other.focus();
  await rest(0);
  expect(said()).toBe('Take away');
  bare.focus();
  await rest(0);
  expect(said()).toBeUndefined();
});
