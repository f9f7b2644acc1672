import { expect, test } from 'vitest';
import { found, mentionAt, pathWords, written, type Mentionable, type MentionKind } from './mention';

const one = (kind: MentionKind, label: string): Mentionable => ({
  kind,
  id: label,
  label,
  about: '',
  words: kind === 'file' ? pathWords(label) : label,
});
const all = [
  ...['GPL-2', 'GPL-3', 'LGPL-2.1', 'notes/gpl.md', 'notes/last year.md', 'old/GPL-3.txt'].map((path) =>
    one('file', path),
  ),
  one('tool', 'grep'),
  one('session', 'Which licences are GPL?'),
];
const labels = (query: string) => found(all, query).map(({ label }) => label);

test('a mention begins behind a space and ends at one; an address is none', () => {
  expect(mentionAt('count @GP', 9)).toEqual({ from: 6, to: 9, query: 'GP' });
  expect(mentionAt('(@', 2)).toEqual({ from: 1, to: 2, query: '' });
  expect([mentionAt('ada@example.org', 15), mentionAt('@GPL is', 7), mentionAt('none', 4)]).toEqual([
    null,
    null,
    null,
  ]);
});

test('names that begin with what was written come first, then those that hold it', () => {
  expect(labels('gpl')).toEqual([
    'GPL-2',
    'GPL-3',
    'notes/gpl.md',
    'old/GPL-3.txt',
    'LGPL-2.1',
    'Which licences are GPL?',
  ]);
  expect(labels('gpl-3')).toEqual(['GPL-3', 'old/GPL-3.txt']);
  expect(labels('nothing like it')).toEqual([]);
});

test('of many files a few are offered beside the other kinds', () => {
  const many = Array.from({ length: 300 }, (_, at) => one('file', `part-${at}.txt`));
  const kinds = found([...many, one('tool', 'part'), one('plan', 'part of it')], 'part').map(
    ({ kind }) => kind,
  );
  expect([kinds.length, new Set(kinds).size]).toEqual([8, 3]);
});

test('what was written of it is replaced by words that say the same without the sign', () => {
  const file = one('file', 'notes/last year.md');
  expect(written('read @las now', { from: 5, to: 9, query: 'las' }, file)).toEqual({
    text: 'read "notes/last year.md" now',
    caret: 26,
  });
  expect(written('@gr', { from: 0, to: 3, query: 'gr' }, one('tool', 'grep'))).toEqual({
    text: 'grep ',
    caret: 5,
  });
});
