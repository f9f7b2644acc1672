import { expect, test } from 'vitest';
import { renderMarkdown, settled } from './render';

test('what a model writes as HTML is text', () => {
  expect(renderMarkdown('<script>alert(1)</script>')).toBe('<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n');
  expect(renderMarkdown('a <img src=x onerror="alert(1)"> b')).toBe(
    '<p>a &lt;img src=x onerror="alert(1)"&gt; b</p>\n',
  );
});

test('nothing is fetched: an image is its description', () => {
  expect(renderMarkdown('![a picture](https://example.org/x.png)')).toBe(
    '<p><span class="picture">a picture</span></p>\n',
  );
});

test('links lead to the web or to a letter, and nowhere else', () => {
  const hrefs = (text: string) =>
    [...renderMarkdown(text).matchAll(/href="([^"]*)"/g)].map((match) => match[1]);
  expect(
    hrefs(
      '[a](https://example.org) [b](javascript:alert(1)) [c](data:text/html,x) [d](file:///etc/passwd) [e](mailto:a@b.example) <vbscript:x>',
    ),
  ).toEqual(['https://example.org', 'mailto:a@b.example']);
});

test('code keeps its language and its angle brackets; tables keep their alignment without a style', () => {
  expect(renderMarkdown('```rust\nlet a: Vec<u8>;\n```')).toBe(
    '<pre data-language="rust"><code>let a: Vec&lt;u8&gt;;\n</code></pre>\n',
  );
  const table = renderMarkdown('| a | b |\n| --- | ---: |\n| 1 | 2 |');
  expect(table).toContain('<td class="right">2</td>');
  expect(table).not.toContain('style');
});

test('of a growing text everything up to its last blank line is settled, but no part of an open block of code', () => {
  const head = (text: string) => text.slice(0, settled(text));
  expect(head('one')).toBe('');
  expect(head('one\n\ntwo\n\nthr')).toBe('one\n\ntwo\n\n');
  expect(head('one\n\n```sh\na\n```\n\ntwo')).toBe('one\n\n```sh\na\n```\n\n');
  expect(head('one\n\n```sh\na\n\nb')).toBe('one\n\n');
});
