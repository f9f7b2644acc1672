import type { Workspace } from '../backend/bindings';

/** The folders of sessions once one more has begun in a folder: that comes first, and each is there once. */
export function usedLast(folders: readonly Workspace[], path: string): Workspace[] {
  const name = path.split(/[/\\]/).findLast(Boolean) ?? path;
  return [{ path, name, usable: true }, ...folders.filter((one) => one.path !== path)];
}
