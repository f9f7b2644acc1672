import { counted, duration } from '../format';

export const common = {
  name: 'Assent',
  close: 'Close',
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  more: 'More',
  retry: 'Try again',
  text: 'Text',
  untitled: 'Untitled',
  noName: 'Write a name first',
  noWords: 'Write something first',
  noFolder: 'Pick a folder first',
  showAll: 'Show all of it',
  showMore: (left: string) => `Show more (${left} left)`,
  loading: 'Loading…',
  opening: 'Opening your sessions…',
  none: 'None',
  dismiss: 'Dismiss',
  wentWrong: 'That did not work',
  partMissing: 'This part of the window could not be loaded',
  partMissingHelp: (why: string) =>
    `Its code comes with Assent and did not arrive (${why}). What you wrote is kept. Load the window again; if that does not help, install Assent anew.`,
  loadAgain: 'Load the window again',
  silent: 'Assent’s engine has not answered for a while',
  silentFor: (ms: number) => `So far: ${duration(ms)}.`,
  silentHelp:
    'What you wrote is kept here. If it does not come back, quit Assent by its sign in the tray and start it again: nothing that was agreed or done is lost.',
};

const HELP = {
  database_locked:
    'Close the other program that holds the database, or wait until it is done; a window or a command of Assent in another session counts, too. Then try again.',
  database_damaged:
    'Open the data folder, put a copy of the database back in its place, or move the file away to begin anew. Then try again.',
  database_newer: 'Install the newer version of Assent that wrote the database, and start it.',
  disk_full: 'Make room on the disk that holds the data folder. Then try again.',
  folder_unusable:
    'See to it that the folder is there and that you may read and write in it. Then try again. Another folder is taken when Assent is started with the variable ASSENT_HOME set to it.',
} as const;

/** What stands there in the place of the window when Assent could not start. */
export const start = {
  title: 'Assent could not start',
  why: 'Why',
  what: 'What to do',
  /** By the code of what went wrong. */
  help: HELP as Partial<Record<string, string>>,
  helpElse:
    'See to it that the data folder and the database in it can be read and written. Then try again. Another folder is taken when Assent is started with the variable ASSENT_HOME set to it.',
  helpAnew: 'Try again. If that does not help, install Assent anew: what you did and wrote is kept.',
  kept: 'What is in the data folder was left as it is.',
  open: 'Open the data folder',
};

export const markdown = {
  copyCode: (language: string) => (language ? `Copy the ${language} code` : 'Copy the code'),
  table: 'Table',
};

export const nav = {
  label: 'Sessions and views',
  new: 'New request',
  inbox: 'Inbox',
  inboxCount: (count: number) => `${counted(count, 'question', 'questions')} waiting for you`,
  plans: 'Plans',
  tools: 'Heap and tools',
  settings: 'Settings',
  keys: 'Keys',
  filter: 'Filter sessions',
  searchAll: (words: string) => `Search everything for “${words}”`,
  showArchived: (count: number) => `Archived (${count})`,
  hideArchived: 'Back to sessions',
  noSessions: 'Sessions appear here as you write.',
  noMatch: 'No session has that in its name or folder.',
  days: { today: 'Today', yesterday: 'Yesterday', week: 'This week', month: 'This month', older: 'Older' },
  sessionActions: (title: string) => `Actions for ${title}`,
  rename: 'Rename',
  archive: 'Archive',
  restore: 'Restore',
  delete: 'Delete…',
  deleteTitle: (title: string) => `Delete “${title}”?`,
  deleteBody:
    'The session goes with its messages, plans, runs and results. This cannot be undone. What runs in it is stopped first. Plans that you saved to the library stay there.',
  deleteYes: 'Delete for good',
  newName: 'New name',
  inSession: (title: string, words: string) => `In “${title}”: ${words}`,
  renamedSaid: (title: string) => `Renamed to ${title}`,
  archivedSaid: (title: string) => `${title} archived`,
  restoredSaid: (title: string) => `${title} restored`,
  deletedSaid: (title: string) => `${title} deleted`,
  resizeSidebar: 'Width of the list of sessions',
  resizeInspector: 'Width of the inspector',
  showSidebar: 'Show sessions',
  hideSidebar: 'Hide sessions',
  showInspector: 'Show inspector',
  hideInspector: 'Hide inspector',
  waiting: 'waits for you',
  running: 'running',
  planning: 'planning',
  planWaits: 'a plan waits for your word',
  workflow: 'Workflow',
  planNotRun: 'a plan is approved and not run yet',
  failed: 'failed',
  keysTitle: 'Keys',
  keyList: [
    ['Ctrl N', 'New request'],
    ['Ctrl K', 'Filter sessions, or search everything'],
    ['Ctrl Enter', 'Approve the plan that is shown'],
    ['Enter', 'Send (Shift Enter: new line)'],
    ['Ctrl Shift Enter', 'Send now, and stop what goes on for it'],
    ['@', 'Name a file, a plan, a session, a tool or a specialist'],
    ['Esc', 'Close, or back to the chat'],
    ['Ctrl B', 'Show or hide the sessions'],
    ['Ctrl I', 'Show or hide the inspector'],
    ['↑ ↓', 'From step to step, in the plan and in the graph'],
    ['Enter on a step', 'Edit it'],
    ['Shift F10 on a step', 'Everything that can be done with it: comment, insert a step, …'],
    ['Alt ↑ ↓', 'Move a step'],
    ['Delete', 'Remove a step'],
    ['Ctrl Z, Ctrl Shift Z', 'Undo and redo changes of a plan'],
    ['+ − 0', 'Zoom the graph'],
    ['Ctrl + − 0', 'Everything larger, smaller, as usual'],
    ['Ctrl ,', 'Settings'],
    ['Ctrl /', 'This list'],
  ] as const,
};

export const states = {
  step: {
    pending: 'not started',
    in_progress: 'running',
    waiting: 'waits for you',
    completed: 'done',
    failed: 'failed',
    skipped: 'skipped',
    cancelled: 'cancelled',
  },
  run: {
    queued: 'queued',
    running: 'running',
    waiting_for_input: 'waits for your answer',
    suspended: 'waits for your decision',
    waiting_for_user: 'waits for your help',
    synthesizing: 'writing the answer',
    completed: 'completed',
    completed_with_warnings: 'completed with warnings',
    failed: 'failed',
    cancelled: 'stopped',
  },
  plan: { proposed: 'proposed', approved: 'approved', rejected: 'rejected', superseded: 'replaced' },
  call: {
    planned: 'planned',
    open: 'running',
    suspended: 'waits for you',
    success: 'worked',
    error: 'failed',
    refused: 'refused',
  },
  risk: {
    read: 'reads',
    write: 'writes files',
    execute: 'runs commands',
    network: 'uses the network',
    destructive: 'cannot be undone',
  },
};
