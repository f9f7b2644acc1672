import type { Page } from 'playwright-core';
import type { World } from '../src/backend/scripted/world';

/**
 * Does something with the scripted engine of a page, or asks it something. `act` goes there as text: all that it knows is
 * the engine and what it is `given`.
 */
export function engine<T, Given = undefined>(
  page: Page,
  act: (world: World, given: Given) => T,
  given?: Given,
): Promise<T> {
  return page.evaluate(
    ([body, value]) => {
      const { scripted } = window as unknown as { scripted: World };
      return (new Function('world', 'given', `return (${body})(world, given)`) as typeof act)(
        scripted,
        value as Given,
      );
    },
    [act.toString(), given] as const,
  );
}
