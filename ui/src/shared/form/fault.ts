import { tick } from 'svelte';
import { announce } from '../announce.svelte';

/**
 * Once something was refused, puts the focus on the first field at fault, where it is still `from` where it was refused.
 * Where the focus does not move, nothing reads out what stands at that field: then it is said.
 */
export async function showFault(within: ParentNode | undefined, from: Element | null): Promise<void> {
  await tick();
  const field = within?.querySelector<HTMLElement>('[aria-invalid="true"]');
  if (!field) return;
  if (document.activeElement === from && field !== from) field.focus();
  else announce(faultAt(field), 'assertive');
}

/** What stands at a field as its fault. */
function faultAt(field: HTMLElement): string {
  const ids = field.getAttribute('aria-describedby')?.split(' ') ?? [];
  const faults = ids.filter((id) => id.endsWith('-fault')).map((id) => document.getElementById(id));
  return faults.map((one) => one?.textContent.trim() ?? '').join(' ');
}
