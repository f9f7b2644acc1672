import type { Backend } from './backend';
import type { Content, Event, HitKind } from './bindings';
import { BackendError } from './errors';
import { contentCalls, planCalls, runCalls } from './scripted/calls';
import { desktopCalls, modelCalls, settingsCalls, toolCalls, workspacesOf } from './scripted/surroundings';
import { fileCalls } from './scripted/files';
import { libraryCalls } from './scripted/library';
import { memoryCalls } from './scripted/memory';
import { answerByMessage, requestCalls } from './scripted/requests';
import { specialists, tools } from './scripted/tools';
import { turnStory } from './scripted/stories';
import { vaultCalls } from './scripted/vault';
import { World } from './scripted/world';

/**
 * A backend without an engine, for tests and for a plain browser: it keeps everything in memory, follows the same
 * rules where the window can see them, and goes on only when `world.advance` is called.
 */
export interface ScriptedBackend extends Backend {
  readonly world: World;
}

export function scriptedBackend(now: number, world = new World(now)): ScriptedBackend {
  /** Ends that the window hears what happens: there is one, and another listener is told in its place. */
  let hush = () => {};
  const backend: Backend = {
    sessions: {
      list: async ({ archived, limit, offset }) => {
        const all = [...world.sessions.values()].filter((row) => archived || !row.archived);
        all.sort((one, other) => other.updatedAt - one.updatedAt);
        return all.slice(offset, limit > 0 ? offset + limit : undefined).map((row) => ({ ...row }));
      },
      get: async (id) => ({ ...world.session(id) }),
      events: async (id, after) => {
        world.session(id);
        return (world.events.get(id) ?? []).filter((event) => event.seq > after);
      },
      retell: async (id) => world.retell(id),
      create: async (workspace) => world.begun(workspace),
      rename: async (session, title) => {
        world.session(session);
        world.commit({ session }, { kind: 'session_renamed', title });
      },
      archive: async (session, archived) => {
        world.session(session);
        world.commit({ session }, { kind: 'session_archived', archived });
      },
      delete: async (session) => {
        world.session(session);
        world.halt(session);
        world.sessions.delete(session);
        world.events.delete(session);
        for (const [id, versions] of world.plans)
          if (versions.some((one) => one.plan.sessionId === session)) world.plans.delete(id);
        for (const [id, row] of world.requests) if (row.session === session) world.requests.delete(id);
        for (const [id, run] of world.runs) if (run.session === session) world.runs.delete(id);
        world.tell({ type: 'session_deleted', session });
      },
      search: async (text, limit, within) => search(world, text, within).slice(0, limit),
      files: async () => world.files,
    },
    messages: {
      send: async (session, text, _policy, question) => {
        world.session(session);
        if (text.trim() === '') world.fail('empty_message', 'the message is empty: write what you want done');
        const questions = [...world.requests.values()].filter(
          (row) => row.session === session && row.status === 'open' && row.request.kind === 'question',
        );
        const open = questions.find((row) => row.request.id === question) ?? questions[0];
        if (open) return answerByMessage(world, open, { type: 'value', value: text }, text);
        const turn = world.id('turn');
        world.commit({ session, turn }, { kind: 'message_received', text });
        world.begin(session, turnStory(world, { session, turn }, text));
      },
      stop: async (session) => {
        // That the work has ended is told after what it wrote last.
        const turn = world.events.get(session)?.findLast((event) => event.turn)?.turn;
        const waits = (run: string) =>
          [...world.requests.values()].some((row) => row.run === run && row.status === 'open');
        for (const run of world.runs.values()) {
          if (run.session !== session || run.status !== 'running' || waits(run.id)) continue;
          world.commit(
            { session, run: run.id, ...(run.turn && { turn: run.turn }) },
            { kind: 'run_stop_asked' },
            { kind: 'run_ended', status: 'cancelled' },
          );
        }
        if (turn) world.commit({ session, turn }, { kind: 'turn_ended', status: 'cancelled' });
        world.stop(session);
      },
      stopPlanning: async (session) => {
        const events = world.events.get(session) ?? [];
        const turn = events.findLast((event) => event.kind === 'message_received')?.turn;
        const begun = events.some(
          ({ turn: of, kind }) => of === turn && /^(plan_|run_|request_|answered|turn_ended)/.test(kind),
        );
        if (!turn || begun) return false;
        world.commit({ session, turn }, { kind: 'turn_ended', status: 'cancelled' });
        world.stopLast(session);
        return true;
      },
      active: async () => world.active(),
    },
    plans: planCalls(world),
    library: libraryCalls(world),
    runs: runCalls(world),
    requests: requestCalls(world),
    files: fileCalls(world),
    contents: contentCalls(world),
    models: modelCalls(world),
    tools: toolCalls(world),
    memory: memoryCalls(world),
    vault: vaultCalls(world),
    settings: settingsCalls(world),
    desktop: desktopCalls(world),
    open: async (listener) => {
      if (world.silent) await world.untilItSpeaks();
      if (world.unopened) throw new BackendError(world.unopened);
      hush();
      hush = world.subscribe(listener);
      const { sessions, requests, models, settings, plans } = backend;
      return {
        settings: await settings.change({}),
        sessions: await sessions.list({ archived: true, limit: 0, offset: 0 }),
        requests: await requests.open(),
        plans: await plans.standings(),
        active: world.active(),
        models: await models.list(),
        workspaces: workspacesOf(world),
        tools,
        specialists,
      };
    },
    written: async () => void (world.goodbyes += 1),
  };
  return { ...guarded(backend, world), world };
}

/** Every call may be told to fail or never to be answered. */
function guarded(backend: Backend, world: World): Backend {
  const guard = (calls: object): object =>
    Object.fromEntries(
      Object.entries(calls).map(([name, call]: [string, (...args: unknown[]) => Promise<unknown>]) => [
        name,
        async (...args: unknown[]) => {
          if (world.silent) await world.untilItSpeaks();
          const failure = world.failures.shift();
          if (failure) world.fail(failure.code, failure.message, failure.faults);
          return call(...args);
        },
      ]),
    );
  const { open, written, ...groups } = backend;
  const guardedGroups = Object.fromEntries(
    Object.entries(groups).map(([name, calls]) => [name, guard(calls)]),
  );
  return { ...(guardedGroups as unknown as Omit<Backend, 'open' | 'written'>), open, written };
}

/** The text of an event that can be found, as the engine has it. */
function textOf(world: World, event: Event): { kind: HitKind; text: string } | null {
  const said = (content: Content | null | undefined) => {
    if (!content) return '';
    if ('blob' in content) return world.blobs.get(content.blob) ?? '';
    return typeof content.inline === 'string' ? content.inline : JSON.stringify(content.inline);
  };
  switch (event.kind) {
    case 'message_received':
      return { kind: 'message', text: event.text };
    case 'answered':
      return { kind: 'answer', text: said(event.text) };
    case 'plan_proposed': {
      const { title, steps } = world.version(event.plan).plan;
      return { kind: 'plan', text: [title, ...steps.map((step) => step.description)].join('\n') };
    }
    case 'model_replied':
      return {
        kind: 'call',
        text: (event.calls ?? []).map((call) => `${call.tool} ${said(call.arguments)}`).join('\n'),
      };
    case 'call_ended':
      return { kind: 'result', text: said(event.output) };
    case 'step_ended':
      return { kind: 'result', text: said(event.result) };
    default:
      return null;
  }
}

function search(world: World, text: string, within?: string) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (const row of world.sessions.values()) {
    if (within && row.id !== within) continue;
    for (const event of world.events.get(row.id) ?? []) {
      const hit = textOf(world, event);
      if (!hit || !words.every((word) => hit.text.toLowerCase().includes(word))) continue;
      const at = hit.text.toLowerCase().indexOf(words[0] ?? '');
      const end = at + (words[0]?.length ?? 0);
      const snippet = `${hit.text.slice(Math.max(0, at - 40), at)}⟦${hit.text.slice(at, end)}⟧${hit.text.slice(end, end + 60)}`;
      found.push({
        session: row.id,
        title: row.title,
        kind: hit.kind,
        seq: event.seq,
        snippet,
        at: event.at,
      });
    }
  }
  return found;
}
