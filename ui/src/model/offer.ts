import type { Event, JsonValue, Plan, Risk, SentRequest, StepId, UnshownTool } from '../backend/bindings';
import { inlineOf } from './content';
import { outlineOf } from './outline';
import type { RunState } from './run';

/** Why a tool stands in a request. */
export type LoadedBy = 'required' | 'found' | 'own';

/** A tool that a model was shown. */
export interface Loaded {
  name: string;
  tokens: number;
  by: LoadedBy;
}

/** The tools of one request: what was shown, what was left out, and what that took of the budget. */
export interface Offer {
  step: StepId | null;
  shown: readonly Loaded[];
  leftOut: readonly UnshownTool[];
  /** What the names of the studio's tools took of it. */
  studio: number;
  tokens: number;
  budget: number;
}

/** A search for tools in a run, as it was recorded, and which of the tools it found came to be used. */
export interface Search {
  call: string;
  step: StepId;
  query: string;
  found: readonly SoughtTool[];
  /** Why nothing was found. */
  reason: string | null;
  /** Whether what past runs teach could not be asked. */
  untaught: boolean;
}

/** A tool as a search gave it, and what became of it. */
export interface SoughtTool {
  name: string;
  summary: string;
  /** The specialist that has it, and the worst that it can do; null where the search did not say. */
  owner: string | null;
  risk: Risk | null;
  /** Whether it could be called at once. */
  callable: boolean;
  explained: boolean;
  called: boolean;
}

const RISKS: readonly Risk[] = ['read', 'write', 'execute', 'network', 'destructive'];

type Reply = Extract<Event, { kind: 'model_replied' }>;

/** The last reply of a run that answered a step: its request is the newest one that showed tools. */
export function lastReply(run: RunState | null): Reply | null {
  const found = run?.trace.findLast((event) => event.kind === 'model_replied' && event.purpose === 'step');
  return found?.kind === 'model_replied' ? found : null;
}

/** What a request offered to the model. */
export function offerOf(plan: Plan, run: RunState, reply: Reply, sent: SentRequest): Offer {
  const step = outlineOf(plan, run).of(reply.step)?.step;
  const explained = explainedIn(run);
  const by = (name: string): LoadedBy =>
    step?.requiredTools.includes(name) ? 'required' : explained.has(name) ? 'found' : 'own';
  const shown = sent.tools.map((tool, at) => ({
    name: tool.name,
    tokens: sent.tokens[at] ?? 0,
    by: by(tool.name),
  }));
  return {
    step: reply.step ?? null,
    shown,
    leftOut: sent.leftOut,
    studio: sent.studioTokens,
    tokens: shown.reduce((sum, one) => sum + one.tokens, sent.studioTokens),
    budget: plan.limits.toolTokenBudget,
  };
}

/** The searches of a run, in order. What a tool gave is hostile: what is not as it should be is left out. */
export function searchesOf(run: RunState | null): Search[] {
  const calls = run?.calls ?? [];
  const explained = explainedIn(run);
  const called = new Set(calls.filter((call) => call.state === 'success').map((call) => call.tool));
  return calls
    .filter((call) => call.tool === 'tool_search')
    .map((call) => {
      const output = record(inlineOf(call.output));
      const results = Array.isArray(output['results']) ? output['results'] : [];
      return {
        call: call.call,
        step: call.step,
        query: text(record(inlineOf(call.arguments))['query']),
        found: results.flatMap((one) => {
          const row = record(one);
          const name = text(row['name']);
          if (!name) return [];
          const became = { explained: explained.has(name), called: called.has(name) };
          const risk = RISKS.find((known) => known === row['risk']) ?? null;
          const owner = text(row['owner']) || null;
          const callable = row['callable'] === true;
          return [{ name, summary: text(row['summary']), owner, risk, callable, ...became }];
        }),
        reason: text(output['reason']) || null,
        untaught: output['degraded'] === true,
      };
    });
}

/** The tools that a run had explained, which makes them callable where it may look for tools. */
function explainedIn(run: RunState | null): Set<string> {
  const calls = run?.calls.filter((call) => call.tool === 'tool_explain' && call.state === 'success') ?? [];
  return new Set(calls.map((call) => text(record(inlineOf(call.arguments))['tool_id'])));
}

function record(value: JsonValue | undefined): { readonly [name: string]: JsonValue | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
