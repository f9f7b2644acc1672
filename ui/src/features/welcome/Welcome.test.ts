import { render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import Welcome from './Welcome.svelte';

test('the window says its name in its one heading', () => {
  render(Welcome);
  expect(screen.getAllByRole('heading').map((heading) => heading.textContent)).toEqual(['Assent']);
});
