import { expect, test } from 'vitest';
import { bestPlace, soughtWithin } from './sought';

/** A piece of HTML. */
function piece(html: string): Element {
  const element = document.createElement('div');
  element.innerHTML = html;
  return element;
}

/** What is found in a piece of HTML. */
const found = (html: string, words: string) =>
  Array.from(soughtWithin(piece(html), words), ({ text, start, end }) => text.data.slice(start, end));

test('each word that was looked for is found wherever it stands, the last one also as a beginning', () => {
  const html = '<p>Which licences mention <b>patents</b>?</p><pre>patent 3\nlicence</pre>';
  expect(found(html, 'licences pat')).toEqual(['licences', 'patents', 'patent']);
  expect(found(html, 'pat licences')).toEqual(['licences']);
});

test('words are those of the index: in any case, without the diacritics of Latin, in scripts without spaces by themselves', () => {
  expect(found('Zwölf Zeilen', 'ZWOLF')).toEqual(['Zwölf']);
  expect(found('Łódź, København, Straße, Diyarbakır', 'lodz kobenhavn strasse diyarbakir')).toHaveLength(4);
  expect(found('計画を作る', '作計')).toEqual(['計', '作']);
  expect(found('src/__init__.py', 'init')).toEqual(['init']);
  expect(found('a[0] + (b)', '[0]')).toEqual(['0']);
});

test('what the index keeps apart is kept apart', () => {
  expect(found('мой мои', 'мои мой')).toEqual(['мой', 'мои']);
  expect(found('мой', 'мои')).toEqual([]);
  expect(found('दल दाल', 'दिल')).toEqual([]);
  expect(found('か', 'が')).toEqual([]);
  expect(found('a word of another script', 'ดี')).toEqual([]);
});

test('without a word nothing is found, and neither is what stands in attributes or is only heard', () => {
  expect(found('<p title="berlin">Paris … —</p>', ' … —')).toEqual([]);
  expect(found('<p title="berlin">Paris</p>', 'berlin')).toEqual([]);
  expect(found('<p><span class="hidden-text">You: </span>Are you there?</p>', 'you')).toEqual(['you']);
});

test('the best place is where the most of the words stand together, else the first', () => {
  const far = '.'.repeat(300);
  const best = (html: string, words: string) => bestPlace(piece(html), words)?.at;
  expect(best(`<p>the ${far}</p><p>the zeppelin</p>`, 'the zeppelin')).toBe(304);
  expect(best(`<p>the ${far}</p><p>the end</p>`, 'the zeppelin')).toBe(0);
  expect(best('<p>nothing</p>', 'zeppelin')).toBeUndefined();
});
