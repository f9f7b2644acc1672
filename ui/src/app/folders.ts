import type { SessionRow, SettingsView, Workspace } from '../backend/bindings';
import type { Backend } from '../backend/backend';
import { backendError } from '../backend/errors';
import { usedLast, workspaceAt } from '../model/folders';

interface Folders {
  readonly backend: Backend;
  settings: SettingsView | null;
  workspaces: readonly Workspace[];
  workspace: string | null;
  /** The one of the next session. */
  readonly folder: string | null;
}

/** A new session in a folder, with the plan of a text where one is given. The folder was used last then, and is picked no more. */
export async function createdIn(folders: Folders, folder: string, text?: string): Promise<SessionRow> {
  const { sessions, plans } = folders.backend;
  let row: SessionRow;
  try {
    row = await (text === undefined ? sessions.create(folder) : plans.import(folder, text));
  } catch (thrown) {
    if (backendError(thrown).code === 'folder_unusable') {
      // It stays that of the next session until another one is chosen: nobody has chosen where else that should begin.
      if (folders.folder === folder) folders.workspace = folder;
      tell(folders, folder, false);
    }
    throw thrown;
  }
  tell(folders, folder, true);
  folders.workspaces = usedLast(folders.workspaces, row.workspace ?? folder);
  if (folders.workspace === folder) folders.workspace = null;
  return row;
}

/** Whether a folder can be used, as it has just been tried. */
function tell(folders: Folders, folder: string, usable: boolean): void {
  const { settings, workspaces } = folders;
  const seen = (one: Workspace) => (one.path === folder ? { ...one, usable } : one);
  const isMarked = usable || [settings?.workspace, ...workspaces].some((one) => one?.path === folder);
  folders.workspaces = [...(isMarked ? [] : [workspaceAt(folder, false)]), ...workspaces.map(seen)];
  if (settings?.workspace) folders.settings = { ...settings, workspace: seen(settings.workspace) };
}
