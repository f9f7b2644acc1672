import { expect, test } from 'vitest';
import { soughtWithin } from './sought';

/** What is found in a piece of HTML. */
function found(html: string, words: string): string[] {
  const element = document.createElement('div');
  element.innerHTML = html;
  return [...soughtWithin(element, words)].map(String);
}

test('each word that was looked for is found wherever it stands, the last one also as a beginning', () => {
  const html = '<p>Which licences mention <b>patents</b>?</p><pre>patent 3\nlicence</pre>';
  expect(found(html, 'licences pat')).toEqual(['licences', 'patents', 'patent']);
  expect(found(html, 'pat licences')).toEqual(['licences']);
});

test('words are those of the index: in any case, without diacritics, and by themselves in scripts without spaces', () => {
  expect(found('Zwölf Zeilen', 'ZWOLF')).toEqual(['Zwölf']);
  expect(found('計画を作る', '作計')).toEqual(['計', '作']);
  expect(found('src/__init__.py', 'init')).toEqual(['init']);
  expect(found('a[0] + (b)', '[0]')).toEqual(['0']);
});

test('without a word nothing is found, and neither is what stands in attributes', () => {
  expect(found('<p title="berlin">Paris … —</p>', ' … —')).toEqual([]);
  expect(found('<p title="berlin">Paris</p>', 'berlin')).toEqual([]);
});
