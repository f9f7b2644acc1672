import { fireEvent, screen } from '@testing-library/svelte';
import { beforeEach, expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { Queue } from '../../app/queue.svelte';
import QueueView from './Queue.svelte';

beforeEach(() => localStorage.clear());

async function shown() {
  const { app } = await appOn('sample');
  const sent: string[] = [];
  const work = { over: false };
  const queue = new Queue('queue.shown', {
    isQuiet: () => work.over,
    isBusy: () => !work.over,
    send: async (text) => sent.push(text) > 0,
    underWay: () => [],
    stop: async () => true,
  });
  queue.add('Hello');
  const { unmount } = mounted(QueueView as never, { queue, busy: true }, app);
  await fireEvent.click(screen.getByTestId('queued-edit'));
  await fireEvent.input(screen.getByTestId('queued-input'), { target: { value: 'Hello, and thanks' } });
  work.over = true;
  await queue.advance();
  return { queue, sent, unmount };
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
