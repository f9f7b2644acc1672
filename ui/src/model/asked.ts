import type { Event } from '../backend/bindings';

/** What is recorded in the place of a model where an agent's file has settled what comes next. */
const BY_PHASES = 'by phases';

/** How many models were asked for a reply: one, or none. */
export const asked = (event: Extract<Event, { kind: 'model_replied' }>): number =>
  event.model === BY_PHASES ? 0 : 1;
