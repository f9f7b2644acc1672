import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import CodeBlock from './CodeBlock.svelte';
import Markdown from './Markdown.svelte';

function clipboard(write: (text: string) => Promise<void>) {
  Object.defineProperty(navigator, 'clipboard', { value: { writeText: write }, configurable: true });
}

test('links lead to the web and to mail; what could do anything here is text', () => {
  const text =
    '[web](https://example.org/a) [mail](mailto:ada@example.org) [bad](javascript:alert(1)) [file](file:///etc)\n\n<script>broken = 1</script><img src=x onerror=broken=1>';
  const { container } = render(Markdown, { text });
  const links = [...container.querySelectorAll('a')].map(({ href }) => href);
  expect(links).toEqual(['https://example.org/a', 'mailto:ada@example.org']);
  expect(container.querySelectorAll('script, img').length).toBe(0);
  expect(container.textContent).toContain('<script>broken = 1</script>');
});

test('a block of code is copied as it is', async () => {
  const copied: string[] = [];
  clipboard(async (text) => void copied.push(text));
  render(Markdown, { text: '```sh\ngrep -c "a b" *\n```' });
  await fireEvent.click(screen.getByTestId('copy-code'));
  expect(copied).toEqual(['grep -c "a b" *\n']);
});

test('the frame of a table begins where the table does', () => {
  const { container } = render(Markdown, {
    text: '| שלום |\n| - |\n| a |\n\n- b\n\n  | c |\n  | - |\n  | d |',
  });
  const frames = [...container.querySelectorAll<HTMLElement>('.frame')];
  expect(frames.map((frame) => [frame.dir, frame.querySelector('table')?.dir])).toEqual([
    ['auto', ''],
    ['', ''],
  ]);
});

test('a text that is still coming has no buttons; what is drawn of it stays, and what is open becomes what it turns out to be', async () => {
  const { container, rerender } = render(Markdown, { text: 'One.\n\nTwo', streaming: true });
  const grow = (text: string) => rerender({ text, streaming: true });
  const body = container.querySelector('.streaming') as HTMLElement;
  const drawn = () => [...body.children].map((one) => `${one.localName}: ${one.textContent.trim()}`);
  const [one, two] = body.children;
  const letters = two?.firstChild;

  await grow('One.\n\nTwo and **mo');
  expect(drawn()).toEqual(['p: One.', 'p: Two and **mo']);
  await grow('One.\n\nTwo and **more**\n\n```sh\nls\n\n-a');
  expect(drawn()).toEqual(['p: One.', 'p: Two and more', 'pre: ls\n\n-a']);
  expect([...body.children].slice(0, 2)).toEqual([one, two]);
  expect(two?.firstChild).toBe(letters);
  expect(body.querySelector('strong')?.textContent).toBe('more');
  expect(container.querySelector('button')).toBe(null);

  await grow('One.\n\nTwo and **more**\n\n```sh\nls\n```\n\n| a | b |\n| - | -: |\n| 1 | 2');
  expect(drawn()[2]).toBe('pre: ls');
  const cells = [...(body.children[3]?.querySelectorAll('th, td') ?? [])];
  expect(cells.map((cell) => cell.textContent)).toEqual(['a', 'b', '1', '2']);
  await grow('Another <img src=x onerror=broken=1> text');
  expect(drawn()).toEqual(['p: Another <img src=x onerror=broken=1> text']);
});

test('pieces of any length lead to what the whole text is', async () => {
  const text =
    '## Head\n\n- a\n- b [c](https://example.org)\n\n> quoted\n\n~~~\ncode\n\nmore\n~~~\n\nend *of* it';
  const { container, rerender } = render(Markdown, { text: '', streaming: true });
  for (let end = 0; end <= text.length; end += 1)
    await rerender({ text: text.slice(0, end), streaming: true });
  const shown = (body: Element | null) => body?.innerHTML.replace(/<!--.*?-->|\s*\n\s*| tabindex="0"/g, '');
  const grown = shown(container.querySelector('.streaming'));
  const whole = render(Markdown, { text });
  for (const frame of whole.container.querySelectorAll('.code'))
    frame.replaceWith(frame.querySelector('pre') ?? '');
  expect(grown).toBe(shown(whole.container.querySelector('.markdown')));
});

test('a long text shows its beginning, no half of a character, and more when asked', async () => {
  const { container } = render(CodeBlock, { text: `x${'😀'.repeat(15_000)}` });
  const shown = () => container.querySelector('pre')?.textContent ?? '';
  expect(shown()).toBe(`x${'😀'.repeat(9_999)}…`);
  await fireEvent.click(screen.getByTestId('show-more'));
  expect(shown().length).toBe(30_001);
});

test('a text that is only a beginning is read whole to be copied, once, and another text begins anew', async () => {
  const copied: string[] = [];
  clipboard(async (text) => void copied.push(text));
  const whole = vi.fn(async () => 'beginning and end');
  const { container, rerender } = render(CodeBlock, { text: 'beginning', whole });
  const copy = () => fireEvent.click(screen.getByTestId('copy-text'));
  await copy();
  await waitFor(() => expect(screen.getByTestId('copy-text').getAttribute('aria-label')).toBe('Copied'));
  await copy();
  await waitFor(() => expect(copied).toEqual(['beginning and end', 'beginning and end']));
  expect(whole).toHaveBeenCalledTimes(1);
  expect(container.querySelector('pre')?.textContent).toBe('beginning and end');

  await rerender({ text: 'another', whole: undefined });
  expect(container.querySelector('pre')?.textContent).toBe('another');
  expect(screen.getByTestId('copy-text').getAttribute('aria-label')).toBe('Copy');
});

test('what cannot be read or copied is told', async () => {
  clipboard(() => Promise.reject(new Error('the clipboard is shut')));
  const { rerender } = render(CodeBlock, { text: 'x' });
  await fireEvent.click(screen.getByTestId('copy-text'));
  expect((await screen.findByRole('alert')).textContent).toBe('the clipboard is shut');
  await rerender({ text: 'x', whole: () => Promise.reject(new Error('the content is gone')) });
  await fireEvent.click(screen.getByTestId('show-more'));
  await waitFor(() => expect(screen.getByRole('alert').textContent).toBe('the content is gone'));
});
