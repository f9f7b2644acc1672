import { screen, waitFor } from '@testing-library/svelte';
import { createRawSnippet } from 'svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import { BackendError } from '../../backend/errors';
import Chat from './Chat.svelte';

const nothing = createRawSnippet(() => ({ render: () => '<span></span>' }));

test.each([
  ['running', 'This window carries this out, and is not done with it yet'],
  ['elsewhere', 'Another window or a command carries this out'],
])('of a run that is busy in the scene %s the chat says who is', async (scene, title) => {
  const { app, backend } = await appOn(scene);
  const [plan] = await backend.plans.list();
  const session = await app.attend(plan?.sessionId ?? '');
  mounted(Chat as never, { session, plan: nothing, requests: nothing }, app);
  session.error = new BackendError({ code: 'busy', message: 'it is being carried on' });
  await waitFor(() => expect(screen.getByTestId('session-error').textContent).toContain(title));
});
