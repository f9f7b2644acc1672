import type { FileCalls } from '../backend';
import type { Content, FileChange, JsonValue, RunId, WrittenFile } from '../bindings';
import { changeOf } from './change';
import type { World } from './world';

interface Write {
  file: WrittenFile;
  change: FileChange;
}

/** The files that the calls of a run wrote. What a tool is called with is what it writes here. */
export function fileCalls(world: World): FileCalls {
  const one = (run: RunId, path: string): Write =>
    writes(world, run).find(({ file }) => file.path === path) ??
    world.fail('not_found', `there is no file that this run wrote ${path}`);
  return {
    list: async (run) => writes(world, run).map(({ file }) => file),
    change: async (run, path) => one(run, path).change,
    open: async (run, path) => {
      if (path.endsWith('.sh')) world.fail('invalid', `${one(run, path).file.path} is not opened`);
      world.opened.push(one(run, path).file.path);
    },
    show: async (run, path) => void world.shown.push(one(run, path).file.path),
  };
}

function writes(world: World, id: RunId): Write[] {
  const run = world.runs.get(id) ?? world.fail('not_found', `there is no run ${id}`);
  const events = (world.events.get(run.session) ?? []).filter((event) => event.run === id);
  const wanted = events.flatMap((event) => (event.kind === 'model_replied' ? (event.calls ?? []) : []));
  const done = new Set(
    events.flatMap((event) =>
      event.kind === 'call_ended' && event.status === 'success' ? [event.call] : [],
    ),
  );
  const found = new Map<string, Write>();
  for (const { id: call, tool, arguments: given } of wanted) {
    const change = done.has(call) ? changeOf(world, tool, valueOf(given)) : { type: 'none' as const };
    if (change.type !== 'new' && change.type !== 'changed') continue;
    const text = String(
      (valueOf(given) as Record<string, JsonValue>)['content'] ?? world.texts.get(change.path),
    );
    const made = change.type === 'new';
    const lines = text.split('\n').length - 1;
    found.set(change.path, { file: { path: change.path, made, bytes: text.length, lines }, change });
  }
  return [...found.values()];
}

function valueOf(content: Content): JsonValue {
  return 'inline' in content ? content.inline : null;
}
