import { expect, test, vi } from 'vitest';
import { grow } from './grow';

test('where the engine cannot do it by itself a field grows while it is written in, until it is gone', () => {
  const area = document.createElement('textarea');
  expect('fieldSizing' in area.style).toBe(false);
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockImplementation(function (this: Element) {
    return 20 * (this as HTMLTextAreaElement).value.split('\n').length;
  });
  document.body.append(area);
  area.value = 'one';
  const end = grow('one')(area);
  const write = (words: string) => {
    area.value = words;
    area.dispatchEvent(new Event('input'));
    return area.style.height;
  };
  expect([area.style.height, write('one\ntwo\nthree'), write('one\ntwo')]).toEqual(['20px', '60px', '40px']);
  end?.();
  expect(write('one')).toBe('40px');
  vi.restoreAllMocks();
});
