import { fireEvent, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { JsonValue, Request, ToolSpec } from '../../backend/bindings';
import { Answering } from './answering.svelte';
import ArgumentsForm from './ArgumentsForm.svelte';

async function changing(properties: Record<string, JsonValue>, given: Record<string, JsonValue>) {
  const { app, backend } = await appOn('confirm');
  const [open] = await backend.requests.open();
  const tool = app.tools.all[0];
  if (!open || !tool) throw new Error('the scene asks nothing');
  const request: Request = { ...open.request, tool: tool.name, arguments: given };
  const spec: ToolSpec = { ...tool, parameters: { type: 'object', properties } };
  const answering = new Answering(
    request,
    null,
    () => spec,
    () => undefined,
  );
  mounted(ArgumentsForm as never, { answering }, app);
  answering.edit(true);
  await screen.findAllByTestId(/^field-/);
  return { answering };
}
const shown = () =>
  screen.queryAllByTestId('unseen').map((one) => one.textContent.replace(/\s+/g, ' ').trim());

test('what hides in a field while arguments are changed is shown below, and is taken out by a button', async () => {
  const { answering } = await changing(
    {
      command: { type: 'string' },
      lines: { type: 'array', items: { type: 'string' } },
      ask: { type: 'boolean' },
    },
    { command: 'rm old\u202egpj.txt\u200b', lines: ['one', 'two'], ask: true },
  );
  expect(shown()).toEqual([expect.stringContaining('“command” rm old⟨U+202E⟩gpj.txt⟨U+200B⟩')]);
  await fireEvent.input(screen.getByTestId('field-lines'), { target: { value: 'one\ntw\u00ado' } });
  expect(shown()[1]).toContain('tw⟨U+00AD⟩o');
  for (const button of screen.getAllByTestId('unseen-remove').reverse()) await fireEvent.click(button);
  expect(shown()).toEqual([]);
  expect(answering.args).toEqual({ command: 'rm oldgpj.txt', lines: ['one', 'two'], ask: true });
});

test('what hides in something that can only be chosen is shown, and chosen as it is', async () => {
  const mode = 'all\u200b';
  const { answering } = await changing({ mode: { enum: [mode, 'none'], type: 'string' } }, { mode });
  expect(shown()).toEqual([expect.stringContaining('all⟨U+200B⟩')]);
  expect(screen.queryByTestId('unseen-remove')).toBe(null);
  expect(answering.args).toEqual({ mode });
});
