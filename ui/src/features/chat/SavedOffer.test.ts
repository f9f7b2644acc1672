import { fireEvent, screen } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import SavedOffer from './SavedOffer.svelte';

const WORDS =
  'Which of these licences mention warranty? Count the mentions per file and write them to warranty.md.';

test('a saved plan is offered for what is being written, and is used, adapted or ignored', async () => {
  const { app, clock } = await appOn('kept');
  const take = vi.fn(async () => true);
  const { rerender } = mounted(SavedOffer, { words: 'Tell me a joke about lawyers', take }, app);
  clock.pass(400);
  await Promise.resolve();
  expect(screen.queryByTestId('saved-offer')).toBeNull();
  await rerender({ words: WORDS });
  clock.pass(400);
  const offer = await screen.findByTestId('saved-offer');
  expect(offer.textContent).toContain('Patents per licence');
  await fireEvent.click(screen.getByTestId('offer-use'));
  await fireEvent.click(screen.getByTestId('offer-adapt'));
  const [saved] = [...(await app.backend.library.list())].filter((row) => row.name === 'Patents per licence');
  expect(take.mock.calls).toEqual([
    ['use', saved?.id],
    ['adapt', saved?.id],
  ]);
  await fireEvent.click(screen.getByTestId('offer-ignore'));
  expect(screen.queryByTestId('saved-offer')).toBeNull();
});
