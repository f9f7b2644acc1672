import type { Event, Usage } from '../backend/bindings';

/** What is recorded in the place of a model where an agent's file has settled what comes next. */
const BY_PHASES = 'by phases';

/** How many models were asked for a reply: one, or none. */
export const asked = (event: Extract<Event, { kind: 'model_replied' }>): number =>
  event.model === BY_PHASES ? 0 : 1;

/** Tokens added up. */
export function plus(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    cached: one.cached + other.cached,
    output: one.output + other.output,
  };
}
