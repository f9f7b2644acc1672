import { fireEvent, screen } from '@testing-library/svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { Queue } from '../../app/queue.svelte';
import { spoken } from '../../shared/announce.svelte';
import { takeWritten } from '../../shared/leaving';
import { text } from '../../shared/text';
import QueueView from './Queue.svelte';

beforeEach(() => localStorage.clear());

async function shown() {
  const { app } = await appOn('sample');
  const sent: string[] = [];
  const work = { over: false };
  const hooks = {
    isQuiet: () => work.over,
    isBusy: () => !work.over,
    send: async (text: string) => sent.push(text) > 0,
    underWay: () => [],
    stop: async () => true,
  };
  const queue = new Queue('queue.shown', hooks);
  /** What a new start would find. */
  const kept = () => new Queue('queue.shown', hooks).waiting.map(({ text }) => text);
  queue.add('Hello');
  const { unmount } = mounted(QueueView as never, { queue, busy: true, asked: false }, app);
  await fireEvent.click(screen.getByTestId('queued-edit'));
  await fireEvent.input(screen.getByTestId('queued-input'), { target: { value: 'Hello, and thanks' } });
  work.over = true;
  await queue.advance();
  return { queue, sent, kept, unmount };
}

test('what goes on ends while a message is changed: it is sent with the new words once they are taken', async () => {
  const { queue, sent } = await shown();
  expect([sent, queue.waiting.length]).toEqual([[], 1]);
  await fireEvent.keyDown(screen.getByTestId('queued-input'), { key: 'Enter' });
  await expect.poll(() => sent).toEqual(['Hello, and thanks']);
  expect(screen.queryByTestId('queued')).toBe(null);
});

test('Escape sends it as it was; who goes elsewhere has taken the new words', async () => {
  const { sent } = await shown();
  await fireEvent.keyDown(screen.getByTestId('queued-input'), { key: 'Escape' });
  await expect.poll(() => sent).toEqual(['Hello']);
  document.body.replaceChildren();
  const other = await shown();
  other.unmount();
  await expect.poll(() => other.sent).toEqual(['Hello, and thanks']);
});

test('who looks at another window meanwhile has not said that it is done, and who goes on by Tab keeps their place', async () => {
  const { sent } = await shown();
  const area = screen.getByTestId('queued-input');
  area.focus();
  // The window loses the focus: the field keeps it in the page.
  await fireEvent.blur(area);
  await Promise.resolve();
  expect([sent, document.activeElement]).toEqual([[], area]);
  const other = document.body.appendChild(document.createElement('input'));
  const composer = document.body.appendChild(document.createElement('textarea'));
  composer.id = 'composer';
  other.focus();
  await expect.poll(() => sent).toEqual(['Hello, and thanks']);
  expect(document.activeElement).toBe(other);
});

test('what stands in a message that is changed is kept when the window closes, and is no end of changing it', async () => {
  const { sent, kept } = await shown();
  const area = screen.getByTestId('queued-input');
  area.focus();
  takeWritten();
  expect([kept(), sent, document.activeElement]).toEqual([['Hello, and thanks'], [], area]);
  // Nothing is no other message.
  await fireEvent.input(area, { target: { value: ' ' } });
  takeWritten();
  expect(kept()).toEqual(['Hello, and thanks']);
  // The window was only hidden.
  await fireEvent.keyDown(area, { key: 'Escape' });
  await expect.poll(() => sent).toEqual(['Hello']);
});

test('a message that is on its way already is not said to be taken away', async () => {
  const { app } = await appOn('sample');
  const hooks = {
    isQuiet: () => true,
    isBusy: () => false,
    send: () => new Promise<boolean>(() => {}),
    underWay: () => [],
    stop: async () => true,
  };
  const queue = new Queue('queue.sent', hooks);
  queue.add('Hello');
  queue.add('Thanks');
  mounted(QueueView as never, { queue, busy: true, asked: false }, app);
  void queue.advance();
  const before = spoken().polite;
  const [first, second] = screen.getAllByTestId('queued-remove');
  await fireEvent.click(first as HTMLElement);
  expect([spoken().polite, screen.getAllByTestId('queued').length]).toEqual([before, 2]);
  await fireEvent.click(second as HTMLElement);
  expect([spoken().polite.trim(), screen.getAllByTestId('queued').length]).toEqual(['Message taken away', 1]);
});

test('while a question is open a message is sent at once only where that stops what asks', async () => {
  const { app } = await appOn('sample');
  const send = vi.fn(async () => true);
  const hooks = {
    isQuiet: () => false,
    isBusy: () => false,
    send,
    underWay: () => [],
    stop: async () => true,
  };
  const queue = new Queue('queue.asked', hooks);
  queue.add('Hello');
  const { rerender } = mounted(QueueView as never, { queue, busy: false, asked: true }, app);
  const now = screen.getByTestId('queued-now');
  expect(now.getAttribute('aria-description')).toBe(text.chat.answerFirst);
  await fireEvent.click(now);
  expect(send).not.toHaveBeenCalled();
  await rerender({ busy: true });
  expect(now.getAttribute('aria-description')).toBe(null);
  await fireEvent.click(now);
  expect(send).toHaveBeenCalledExactlyOnceWith('Hello');
});
