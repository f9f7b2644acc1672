import type { Event, Settled } from '../../backend/bindings';
import { beginning, duration } from '../../shared/format';
import { text } from '../../shared/text';

/** What happened, in words. */
export function eventName(event: Event): string {
  return text.inspect.events[event.kind] ?? event.kind;
}

/** What is to be said of it beside its name, in a line. */
export function eventFacts(event: Event): string {
  return beginning(factsOf(event), 300);
}

function factsOf(event: Event): string {
  switch (event.kind) {
    case 'call_started':
      return event.tool;
    case 'call_ended':
      return `${text.states.call[event.status]} · ${duration(event.durationMs)}`;
    case 'call_refused':
    case 'reprompted':
      return event.fault.message;
    case 'step_started':
      return event.attempt > 1 ? text.inspect.attempt(event.attempt) : '';
    case 'step_ended':
      return text.states.step[event.status];
    case 'run_ended':
      return text.states.run[event.status];
    case 'model_replied': {
      const { purpose, usage } = event;
      const tokens = `${usage.input} → ${usage.output} tokens · ${duration(event.durationMs)}`;
      return [text.inspect.purposes[purpose], tokens].filter(Boolean).join(' · ');
    }
    case 'enforced':
      return event.missing.join(', ');
    case 'request_opened':
      return event.request.prompt;
    case 'limit_reached':
      return `${event.limit}: ${event.value}`;
    case 'warned':
      return event.message;
    case 'model_failed':
      return event.error;
    case 'step_expanded': {
      const { from, path, calls } = event.expanded;
      const ways = path.map((choice) => `${choice.chosen} (${choiceBy(choice.by)})`);
      return [[from, ...ways].join(' › '), text.inspect.way.calls(calls)].join(' · ');
    }
    case 'step_delegated':
      return [event.summary, event.steps.map((step) => step.executor.id).join(', ')]
        .filter(Boolean)
        .join(' · ');
    default:
      return '';
  }
}

/** How a specialist was chosen among others, in words. */
export function choiceBy(by: Settled): string {
  const words = text.inspect.way;
  return typeof by === 'string' ? words.by[by] : words.first(by.fallback.reason);
}

/** What was found wanting in a step before it ended, and what became of it. */
export function isCheck(event: Event): boolean {
  return ['enforced', 'reprompted', 'call_refused', 'limit_reached', 'warned'].includes(event.kind);
}
