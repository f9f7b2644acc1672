import type { KeyView } from '../../backend/bindings';
import { text } from '../text';

const places = text.settings.endpoints.keyPlaces;

/** Where a key is, in words. */
export function keyPlace(key: KeyView): string {
  if (key.place === 'environment') return `${places.environment} (${key.variable})`;
  return 'reason' in key ? `${places[key.place]}: ${key.reason}` : places[key.place];
}

/**
 * Whether a key can be forgotten: Assent was given it, or may have been while the keyring does not say. One from the
 * environment is none of ours.
 */
export const isOurs = ({ place }: KeyView): boolean =>
  place === 'keyring' || place === 'process' || place === 'unknown';
