import type { FileChange, JsonValue, Line } from '../bindings';
import type { World } from './world';

/** Unchanged lines that are shown around a change. */
const AROUND = 3;

/** What a call would make of a file, as the engine tells it. One piece of the file changes, whatever the call. */
export function changeOf(world: World, tool: string, args: JsonValue): FileChange {
  const given = args as Record<string, JsonValue | undefined> | null;
  const path = given?.['path'];
  if (tool !== 'edit_file' && tool !== 'create_file') return { type: 'none' };
  if (typeof path !== 'string') return { type: 'unshown', why: 'unfit' };
  if (path.startsWith('/') || path.includes('..')) return { type: 'unshown', why: 'outside' };
  const before = world.texts.get(path);
  if (tool === 'create_file') {
    if (before === undefined) return { type: 'new', path };
    return { type: 'changed', path, lines: compared(before, String(given?.['content'] ?? '')) };
  }
  if (before === undefined) return { type: 'unshown', why: 'missing' };
  const [old, now] = [String(given?.['old_string'] ?? ''), String(given?.['new_string'] ?? '')];
  const found = before.split(old).length - 1;
  if (found === 0) return { type: 'unshown', why: 'not_there' };
  if (found > 1 && given?.['replace_all'] !== true) return { type: 'unshown', why: 'ambiguous' };
  return { type: 'changed', path, lines: compared(before, before.replaceAll(old, now)) };
}

function compared(before: string, after: string): Extract<FileChange, { type: 'changed' }>['lines'] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const least = Math.min(old.length, now.length);
  let head = 0;
  while (head < least && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < least - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const line = (fate: Line['fate'], text: string, at: number): Line => {
    return { fate, number: at + 1, text, cut: false, openEnd: false };
  };
  const gone = old.slice(head, old.length - tail).map((text, at) => line('removed', text, head + at));
  const come = now.slice(head, now.length - tail).map((text, at) => line('added', text, head + at));
  const first = Math.max(0, head - AROUND);
  const end = now.length - tail;
  const block = [
    ...now.slice(first, head).map((text, at) => line('same', text, first + at)),
    ...gone,
    ...come,
    ...now.slice(end, end + AROUND).map((text, at) => line('same', text, end + at)),
  ];
  const changed = gone.length + come.length > 0;
  return { added: come.length, removed: gone.length, blocks: changed ? [block] : [], leftOut: 0 };
}
