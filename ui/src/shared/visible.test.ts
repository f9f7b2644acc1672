import { expect, test } from 'vitest';
import { visible, visibleLines, withoutHidden } from './visible';

test('nothing hides in a line', () => {
  expect(visible('if (admin) {\u202e } //\u2066 check')).toBe('if (admin) {⟨U+202E⟩ } //⟨U+2066⟩ check');
  expect(visible('a\rb\u0000c\u200bd\u2028e\ufeff')).toBe('a␍b⟨U+0000⟩c⟨U+200B⟩d⟨U+2028⟩e⟨U+FEFF⟩');
  expect(visible('\u{e0041}\u{e0155}')).toBe('⟨U+E0041⟩⟨U+E0155⟩');
  expect(visible('a\u3164b\u115f')).toBe('a⟨U+3164⟩b⟨U+115F⟩');
});

test('what words and pictures are written with stays', () => {
  for (const line of ['\tGröße – 你好', '👩\u200d👩\u200d👧', 'می\u200cخواهم', '<b>not bold</b>'])
    expect(visible(line)).toBe(line);
});

test('lines end where they ended', () => {
  expect(visibleLines('one\u202e\ntwo\r\n')).toBe('one⟨U+202E⟩\ntwo␍\n');
});

test('what hides is taken out, and what words and lines are written with stays', () => {
  expect(withoutHidden('pay\u200b \u202eme\u2066 \u{e0041}now\ufeff\r\nat once')).toBe('pay me now\nat once');
  for (const words of ['\tGröße\n你好', '👩\u200d👩\u200d👧', 'می\u200cخواهم'])
    expect(withoutHidden(words)).toBe(words);
});
