import type { SessionRow, SettingsView, Workspace } from '../backend/bindings';
import type { Backend } from '../backend/backend';
import { backendError } from '../backend/errors';
import { usedLast } from '../model/folders';

interface Folders {
  readonly backend: Backend;
  settings: SettingsView | null;
  workspaces: readonly Workspace[];
  workspace: string | null;
}

/** A new session in a folder, with the plan of a text where one is given. The folder was used last then, and is picked no more. */
export async function createdIn(folders: Folders, folder: string, text?: string): Promise<SessionRow> {
  const { sessions, plans } = folders.backend;
  let row: SessionRow;
  try {
    row = await (text === undefined ? sessions.create(folder) : plans.import(folder, text));
  } catch (thrown) {
    if (backendError(thrown).code === 'folder_unusable') {
      tell(folders, folder, false);
      // It is none for the next session, whoever chose it, until somebody chooses it again.
      if (folders.workspace === folder) folders.workspace = null;
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
  const seen = (one: Workspace) => (one.path === folder ? { ...one, usable } : one);
  folders.workspaces = folders.workspaces.map(seen);
  const { settings } = folders;
  if (settings?.workspace) folders.settings = { ...settings, workspace: seen(settings.workspace) };
}
