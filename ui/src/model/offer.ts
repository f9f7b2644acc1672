import type {
  Content,
  Event,
  JsonValue,
  Plan,
  Purpose,
  Risk,
  RunId,
  SentRequest,
  StepId,
  UnshownTool,
} from '../backend/bindings';
import { inlineOf, isCut } from './content';
import { outlineOf } from './outline';
import type { LedgerCall, RunState } from './run';
import type { SessionState } from './session';

/** Why a tool stands in a request: one that a step may call, or one that is only told of. */
export type LoadedBy = 'required' | 'found' | 'own' | 'planner' | 'chooser';

/** A tool that a model was told of. */
export interface Loaded {
  name: string;
  tokens: number;
  by: LoadedBy;
}

/** The tools of one request: what was shown, what was left out, and what that took of the budget. */
export interface Offer {
  purpose: Purpose;
  /** The run that it was made in; null of what came before one. */
  run: RunId | null;
  step: StepId | null;
  shown: readonly Loaded[];
  leftOut: readonly UnshownTool[];
  /** What the names of the studio's tools took of it. */
  studio: number;
  tokens: number;
  budget: number;
  /** Where tools were looked for: whether by meaning too, or by words alone. */
  byMeaning: boolean | null;
}

/** A search for tools in a run, as it was recorded, and which of the tools it found came to be used. */
export interface Search {
  call: string;
  step: StepId;
  query: string;
  /** What it gave; null as long as it goes on, or that is not read. */
  found: readonly SoughtTool[] | null;
  /** Why nothing was found. */
  reason: string | null;
  /** Whether what past runs teach could not be asked. */
  untaught: boolean;
  /** Whether tools were compared by meaning too, or by words alone; null where that was not recorded. */
  byMeaning: boolean | null;
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

/** What tells of tools: a plan is made with them, a specialist is chosen by them, a step calls them. */
const TELLING: readonly Purpose[] = ['plan', 'choose', 'step'];

/** The replies to requests that may have told of tools: of each kind the last, the newest first. */
export function tellingReplies(state: SessionState, run: RunState | null): Reply[] {
  const planned = state.turns.flatMap((turn) => turn.planning);
  const asked = [planned, run?.trace ?? []].flatMap((events: readonly Event[]) =>
    TELLING.flatMap((purpose) => {
      const last = events.findLast((event) => event.kind === 'model_replied' && event.purpose === purpose);
      return last?.kind === 'model_replied' ? [last] : [];
    }),
  );
  return asked.sort((one, other) => other.seq - one.seq);
}

/** What a request told its model of tools. The plan is what the run carries out, once it is read. */
export function offerOf(plan: Plan | null, run: RunState | null, reply: Reply, sent: SentRequest): Offer {
  const step = plan && run && reply.run === run.id ? outlineOf(plan, run).of(reply.step)?.step : undefined;
  const explained = explainedIn(run);
  const by = (name: string): LoadedBy => {
    if (sent.purpose === 'plan') return 'planner';
    if (sent.purpose === 'choose') return 'chooser';
    if (step?.requiredTools.includes(name)) return 'required';
    return explained.has(name) ? 'found' : 'own';
  };
  const shown = sent.told.map(({ name, tokens }) => ({ name, tokens, by: by(name) }));
  return {
    purpose: sent.purpose,
    run: reply.run ?? null,
    step: reply.step ?? null,
    shown,
    leftOut: sent.leftOut,
    studio: sent.studioTokens,
    tokens: shown.reduce((sum, one) => sum + one.tokens, sent.studioTokens),
    budget: sent.toolBudget,
    byMeaning: sent.byMeaning,
  };
}

/** The calls of a run by which tools were looked for. */
export function searchCallsOf(run: RunState | null): LedgerCall[] {
  return run?.calls.filter((call) => call.tool === 'tool_search') ?? [];
}

/**
 * The searches of a run, in order, with what is known of what they gave. That is hostile: what is not as it should be is
 * left out.
 */
export function searchesOf(
  run: RunState | null,
  valueOf: (content: Content | null | undefined) => JsonValue | undefined,
): Search[] {
  const calls = run?.calls ?? [];
  const explained = explainedIn(run);
  const called = new Set(calls.filter((call) => call.state === 'success').map((call) => call.tool));
  return searchCallsOf(run).map((call) => {
    const value = valueOf(call.output);
    const output = record(value);
    const results = Array.isArray(output['results']) ? output['results'] : [];
    const found = results.flatMap((one) => {
      const row = record(one);
      const name = text(row['name']);
      if (!name) return [];
      const became = { explained: explained.has(name), called: called.has(name) };
      const risk = RISKS.find((known) => known === row['risk']) ?? null;
      const owner = text(row['owner']) || null;
      const callable = row['callable'] === true;
      return [{ name, summary: text(row['summary']), owner, risk, callable, ...became }];
    });
    return {
      call: call.call,
      step: call.step,
      query: text(record(valueOf(call.arguments))['query']),
      found: isOpen(call) || (isCut(call.output) && value === undefined) ? null : found,
      reason: text(output['reason']) || null,
      untaught: output['degraded'] === true,
      byMeaning: typeof output['by_meaning'] === 'boolean' ? output['by_meaning'] : null,
    };
  });
}

/** Whether a call has not come to anything yet. */
function isOpen({ state }: LedgerCall): boolean {
  return state === 'planned' || state === 'open';
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
