import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import CodeBlock from './CodeBlock.svelte';
import Markdown from './Markdown.svelte';

function clipboard(write: (text: string) => Promise<void>) {
  Object.defineProperty(navigator, 'clipboard', { value: { writeText: write }, configurable: true });
}

test('links are handed on, to the web and to mail; what could do anything here is text', async () => {
  const opened: string[] = [];
  const text =
    '[web](https://example.org/a) [mail](mailto:ada@example.org) [bad](javascript:alert(1)) [file](file:///etc)\n\n<script>broken = 1</script><img src=x onerror=broken=1>';
  const { container } = render(Markdown, { text, openLink: (address: string) => opened.push(address) });
  for (const link of container.querySelectorAll('a')) await fireEvent.click(link);
  expect(opened).toEqual(['https://example.org/a', 'mailto:ada@example.org']);
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

test('a text that is still coming has no buttons; its last part is the one that grows', async () => {
  const { container, rerender } = render(Markdown, { text: 'One.\n\nTwo', streaming: true });
  const first = container.querySelector('.markdown');
  await rerender({ text: 'One.\n\nTwo and more', streaming: true });
  expect(container.querySelector('.markdown')).toBe(first);
  expect(container.querySelector('.streaming')?.textContent.trim()).toBe('Two and more');
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
