import { cleanup, fireEvent, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import ToolBudget from './ToolBudget.svelte';

async function shown() {
  const { app, backend } = await appOn('sample');
  mounted(ToolBudget as never, {}, app);
  const field = screen.getByTestId<HTMLInputElement>('tool-budget');
  const write = (value: string) => fireEvent.change(field, { target: { value } });
  return { app, backend, field, write };
}

test('the budget of tools is chosen, and set back to what is usual', async () => {
  const { app, field, write } = await shown();
  expect(field.value).toBe('3800');
  await write('2000');
  await waitFor(() => expect(app.settings?.toolBudget).toBe(2000));
  await fireEvent.click(screen.getByTestId('tool-budget-usual'));
  await waitFor(() => expect(field.value).toBe('3800'));
});

test('a budget whose field goes while it is written is chosen', async () => {
  const { app, field } = await shown();
  await fireEvent.input(field, { target: { value: '2000' } });
  cleanup();
  await waitFor(() => expect(app.settings?.toolBudget).toBe(2000));
});

test('what is no budget is told at the field and changes nothing', async () => {
  const { app, field, write } = await shown();
  for (const odd of ['99', '200001', '-5', '2e3', 'many', '']) {
    await fireEvent.input(field, { target: { value: odd } });
    await write(odd);
    await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
    expect(document.body.textContent).toContain('A number of tokens from 100 to 200000.');
    expect(app.settings?.toolBudget).toBe(3800);
    await fireEvent.click(screen.getByTestId('tool-budget-usual'));
    await waitFor(() => expect([field.value, field.getAttribute('aria-invalid')]).toEqual(['3800', null]));
  }
});

test('where the environment says another budget, that is told', async () => {
  const { backend, write } = await shown();
  const change = backend.settings.change;
  backend.settings.change = async (wanted) => ({ ...(await change(wanted)), toolBudget: 5000 });
  await write('2000');
  const told = await screen.findByTestId('tool-budget-overruled');
  expect(told.textContent).toContain('2000 is kept, but the variable ASSENT_TOOL_BUDGET');
  expect(told.textContent).toContain('says 5000');
});
