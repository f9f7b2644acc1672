import type { Workspace } from '../backend/bindings';

/** A folder, named after the last part of its path. */
export function workspaceAt(path: string, usable: boolean): Workspace {
  return { path, name: path.split(/[/\\]/).findLast(Boolean) ?? path, usable };
}

/** The folders of sessions once one more has begun in a folder: that comes first, and each is there once. */
export function usedLast(folders: readonly Workspace[], path: string): Workspace[] {
  return [workspaceAt(path, true), ...folders.filter((one) => one.path !== path)];
}

/** So many folders are offered. */
const OFFERED = 8;

/** The folders that are offered for the next session: one that was just picked, the one that is set, those of earlier ones. */
export function offered(
  set: Workspace | null | undefined,
  used: readonly Workspace[],
  chosen: string | null,
): Workspace[] {
  const all = [...(set ? [set] : []), ...used.filter((one) => one.path !== set?.path)];
  const shown = all.slice(0, OFFERED);
  if (!chosen || shown.some((one) => one.path === chosen)) return shown;
  const picked = all.find((one) => one.path === chosen) ?? workspaceAt(chosen, true);
  return [picked, ...shown].slice(0, OFFERED);
}
