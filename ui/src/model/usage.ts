import type { Event, Usage } from '../backend/bindings';

/** What is recorded in the place of a model where an agent's file has settled what comes next. */
const BY_PHASES = 'by phases';

/** How often a model was asked until there was this reply; never where a file settled it. */
export const asked = (event: Extract<Event, { kind: 'model_replied' }>): number =>
  event.model === BY_PHASES ? 0 : 1 + (event.before ?? 0);

/** Tokens added up. */
export function plus(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    cached: one.cached + other.cached,
    output: one.output + other.output,
  };
}
