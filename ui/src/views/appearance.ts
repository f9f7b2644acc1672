import type { Appearance } from '../backend/bindings';

/** Gives the page the theme that a person chose; `system` leaves it to the system. */
export function wearAppearance(appearance: Appearance): void {
  const { dataset } = document.documentElement;
  if (appearance === 'system') delete dataset['theme'];
  else dataset['theme'] = appearance;
}
