import { tick } from 'svelte';

/** Once something was refused, puts the focus on the first field at fault, where it is still `from` where it was refused. */
export async function showFault(within: ParentNode | undefined, from: Element | null): Promise<void> {
  await tick();
  if (document.activeElement !== from) return;
  within?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
