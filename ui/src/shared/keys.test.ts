import { expect, test } from 'vitest';
import { keyName } from './keys';

const named = (key: string, code: string, more: KeyboardEventInit = {}) =>
  keyName(new KeyboardEvent('keydown', { key, code, ...more }));

test('a command has its letter on any layout, and what is written is what was written', () => {
  expect(named('n', 'KeyN', { ctrlKey: true })).toBe('Ctrl+N');
  expect(named('т', 'KeyN', { ctrlKey: true })).toBe('Ctrl+N');
  expect(named('Я', 'KeyZ', { metaKey: true, shiftKey: true })).toBe('Ctrl+Shift+Z');
  expect(named('т', 'KeyN')).toBe('Т');
  // A layout that has the letters elsewhere has the commands there.
  expect(named('q', 'KeyA', { ctrlKey: true })).toBe('Ctrl+Q');
  expect(named('é', 'Digit2', { ctrlKey: true })).toBe('Ctrl+É');
});
