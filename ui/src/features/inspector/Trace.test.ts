import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import type { Event } from '../../backend/bindings';
import { openScene } from '../../backend/scripted/scenes';
import { outlineOf } from '../../model/outline';
import { emptySession, sessionAfter } from '../../model/session';
import { copyBy } from '../../shared/clipboard';
import Trace from './Trace.svelte';

test('a trace is copied as JSON that can be read, one event a line, also where a number is longer than the window shows', async () => {
  const { world } = openScene('done', 1_700_000_000_000);
  const [row] = [...world.runs.values()];
  if (!row) throw new Error('the scene has no run');
  const events = world.events.get(row.session) ?? [];
  for (const event of events)
    if (event.kind === 'model_replied')
      for (const call of event.calls ?? []) call.arguments = { inline: { id: 9007199254740994 } };
  const run = sessionAfter(emptySession, events).runs.get(row.id);
  if (!run) throw new Error('the session has no run');
  let copied = '';
  copyBy(async (text) => void (copied = text));
  render(Trace, { outline: outlineOf(world.version(run.plan).plan, run), run });
  await fireEvent.click(screen.getByTestId('trace-copy'));
  const read = copied.split('\n').map((line) => JSON.parse(line) as Event);
  expect(read).toEqual(run.trace);
  expect(copied).toContain('9007199254740994');
});
