import { expect, test } from 'vitest';
import { isTooMuch, markdownNodes, settled } from './render';

/** The nodes of a text as they would be written. */
function drawn(text: string): string {
  const body = document.createElement('div');
  body.append(markdownNodes(text));
  return body.innerHTML;
}

test('what a model writes as HTML is text', () => {
  expect(drawn('<script>alert(1)</script>')).toBe('<p dir="auto">&lt;script&gt;alert(1)&lt;/script&gt;</p>');
  expect(drawn('a <img src=x onerror="alert(1)"> b')).toBe(
    '<p dir="auto">a &lt;img src=x onerror="alert(1)"&gt; b</p>',
  );
});

test('nothing is fetched: an image is its description', () => {
  expect(drawn('![a picture](https://example.org/x.png)')).toBe(
    '<p dir="auto"><span class="picture">a picture</span></p>',
  );
});

test('links lead to the web or to a letter, and nowhere else', () => {
  const hrefs = (text: string) => [...drawn(text).matchAll(/href="([^"]*)"/g)].map((match) => match[1]);
  expect(
    hrefs(
      '[a](https://example.org) [b](javascript:alert(1)) [c](data:text/html,x) [d](file:///etc/passwd) [e](mailto:a@b.example) <vbscript:x>',
    ),
  ).toEqual(['https://example.org', 'mailto:a@b.example']);
});

test('code keeps its language and its angle brackets; tables keep their alignment without a style', () => {
  expect(drawn('```rust\nlet a: Vec<u8>;\n```')).toBe(
    '<pre data-language="rust" dir="ltr"><code>let a: Vec&lt;u8&gt;;\n</code></pre>',
  );
  const table = drawn('| a | b |\n| --- | ---: |\n| 1 | 2 |');
  expect(table).toContain('<td class="right">2</td>');
  expect(table).not.toContain('style');
});

test('lists, quotes, breaks and emphasis nest as they were written', () => {
  expect(drawn('1. a\n   - *b* ~~c~~\n2. d')).toBe(
    '<ol dir="auto"><li>a<ul><li><em>b</em> <s>c</s></li></ul></li><li>d</li></ol>',
  );
  expect(drawn('3. a\n\n4. b')).toBe('<ol start="3" dir="auto"><li><p>a</p></li><li><p>b</p></li></ol>');
  expect(drawn('> # a\n> b\\\n> **c**\n\n---')).toBe(
    '<blockquote dir="auto"><h1>a</h1><p>b<br><strong>c</strong></p></blockquote><hr>',
  );
  expect(drawn('`a<b` &amp; \\*c\\*\n\n    d\n')).toBe(
    '<p dir="auto"><code dir="ltr">a&lt;b</code> &amp; *c*</p><pre dir="ltr"><code>d\n</code></pre>',
  );
});

test('a block that stands in no other one goes its own way, and code goes from the left: no other direction is taken', () => {
  const directions = (text: string) => {
    const body = document.createElement('div');
    body.append(markdownNodes(text));
    return [...body.querySelectorAll<HTMLElement>('[dir]')].map(({ tagName, dir }) => `${tagName} ${dir}`);
  };
  const text =
    '# שלום\n\nשלום `npm`\n\n> שלום\n>\n> - שלום\n\n1. שלום\n\n   שלום\n\n| שלום |\n| - |\n| a |\n\n```\na\n```';
  const [auto, code] = ['H1 P BLOCKQUOTE OL TABLE', 'CODE PRE'].map((all) => all.split(' '));
  const found = directions(text);
  expect(found.filter((one) => one.endsWith(' auto'))).toEqual(auto?.map((one) => `${one} auto`));
  expect(found.filter((one) => !one.endsWith(' auto'))).toEqual(code?.map((one) => `${one} ltr`));
  for (const hostile of [
    '<p dir="rtl">a</p>',
    '<bdo dir="rtl">a</bdo>',
    '[a](https://example.org "dir=rtl"){dir=rtl}',
  ])
    expect(directions(hostile)).toEqual(['P auto']);
});

test('however deep a text is written, its elements stand in one another only so deep, and nothing of it is lost', () => {
  const deepest = (node: Element): number => 1 + Math.max(0, ...[...node.children].map(deepest));
  for (const mark of ['*', '_', '~']) {
    const body = document.createElement('div');
    body.append(markdownNodes(`x ${mark.repeat(5000)}a${mark.repeat(5000)}`));
    expect(deepest(body)).toBeLessThan(60);
    expect(body.textContent).toContain('a');
  }
  for (const mark of ['> ', '>', '- ', '1. ', '> - ']) {
    expect(isTooMuch(`b\n\n${mark.repeat(60)}a`)).toBe(true);
    expect(isTooMuch(`b\n\n${mark.repeat(6)}a`)).toBe(false);
  }
  const pieces = '*a '.repeat(3000) + 'b' + '*'.repeat(1) + ' c*'.repeat(2999);
  const body = document.createElement('div');
  body.append(markdownNodes(pieces));
  expect(deepest(body)).toBeLessThan(60);
});

test('of many elements so many are made, and what is beyond is there as text', () => {
  const body = document.createElement('div');
  body.append(markdownNodes(Array.from({ length: 20_000 }, (_, at) => `- ${at}`).join('\n')));
  expect(body.querySelectorAll('*').length).toBeLessThanOrEqual(3000);
  expect(body.textContent).toContain('19999');
  const many = document.createElement('div');
  many.append(markdownNodes('`a` '.repeat(5000) + 'the end'));
  expect(many.querySelectorAll('*').length).toBeLessThanOrEqual(3000);
  expect(many.textContent.match(/a/g)?.length).toBe(5000);
  expect(many.textContent).toContain('the end');
});

test('a table that would be laid out with too many cells is shown as it was written', () => {
  const row = (cells: number) => `|${'a|'.repeat(cells)}`;
  const rule = (cells: number) => `|${'-|'.repeat(cells)}`;
  expect(isTooMuch([row(1000), rule(1000), ...Array<string>(200).fill('|b|')].join('\n'))).toBe(true);
  expect(isTooMuch([row(2), rule(2), ...Array<string>(30_000).fill('|1|2|')].join('\n'))).toBe(true);
  expect(isTooMuch([row(8), rule(8), ...Array<string>(300).fill(row(8))].join('\n'))).toBe(false);
  expect(isTooMuch('a | b\n\n'.repeat(1000))).toBe(false);
  expect(isTooMuch('a'.repeat(200_001))).toBe(true);
});

test('a link tells where it leads, whatever it says of itself', () => {
  const links = (text: string) => {
    const body = document.createElement('div');
    body.append(markdownNodes(text));
    return [...body.querySelectorAll('a')].map((link) => [link.textContent, link.title]);
  };
  expect(links('[https://bank.example](https://evil.example/?d=1 "https://bank.example")')).toEqual([
    ['https://bank.example (evil.example)', 'https://evil.example/?d=1'],
  ]);
  expect(links('[bank.example/login](https://bank.example.evil.example/)')).toEqual([
    ['bank.example/login (bank.example.evil.example)', 'https://bank.example.evil.example/'],
  ]);
  expect(
    links('[www.a.example](https://a.example/b) [the report](https://a.example/) https://a.example'),
  ).toEqual([
    ['www.a.example', 'https://a.example/b'],
    ['the report', 'https://a.example/'],
    ['https://a.example', 'https://a.example'],
  ]);
});

test('who takes nodes may change them: the next one gets them as they were', () => {
  (markdownNodes('a **b**').firstChild as HTMLElement).textContent = 'changed';
  expect(drawn('a **b**')).toBe('<p dir="auto">a <strong>b</strong></p>');
});

test('of a growing text everything up to its last blank line is settled, but no part of an open block of code', () => {
  const head = (text: string) => text.slice(0, settled(text));
  expect(head('one')).toBe('');
  expect(head('one\n\ntwo\n\nthr')).toBe('one\n\ntwo\n\n');
  expect(head('one\n\n```sh\na\n```\n\ntwo')).toBe('one\n\n```sh\na\n```\n\n');
  expect(head('one\n\n```sh\na\n\nb')).toBe('one\n\n');
});
