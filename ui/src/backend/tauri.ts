import { invoke } from '@tauri-apps/api/core';
import type { Backend, Listener } from './backend';
import type { FirstView, Packet } from './bindings';
import { backendError } from './errors';
import { take } from './first';

/** The backend of the window. Nothing else in the page knows of Tauri. */
export const tauri: Backend = {
  sessions: {
    list: (filter) => call('session_list', { filter }),
    get: (id) => call('session_get', { id }),
    events: (id, after) => call('session_events', { id, after }),
    retell: (id) => call('session_retell', { id }),
    create: (workspace) => call('session_create', { workspace }),
    rename: (id, title) => call('session_rename', { id, title }),
    archive: (id, archived) => call('session_archive', { id, archived }),
    delete: (id) => call('session_delete', { id }),
    search: (text, limit, within) => call('session_search', { text, limit, within: within ?? null }),
    files: (workspace) => call('session_files', { workspace }),
  },
  messages: {
    send: (session, text, policy, question) => call('message_send', { session, text, policy, question }),
    stop: (session) => call('message_stop', { session }),
    stopPlanning: (session) => call('message_stop_planning', { session }),
    active: () => call('message_active'),
  },
  plans: {
    list: (session) => call('plan_list', { session }),
    standings: () => call('plan_standings'),
    get: (id, version) => call('plan_get', { id, version }),
    history: (id) => call('plan_history', { id }),
    comments: (id) => call('plan_comments', { id }),
    comment: (id, version, text, step) => call('plan_comment', { id, version, text, step }),
    diff: (before, after) => call('plan_diff', { before, after }),
    apply: (document, edits, against) => call('plan_apply', { document, edits, against }),
    edit: (id, version, edits) => call('plan_edit', { id, version, edits }),
    save: (document) => call('plan_save', { document }),
    draft: (id) => call('plan_draft', { id }),
    keepDraft: (id, document) => call('plan_keep_draft', { id, document }),
    look: (workspace, text) => call('plan_look', { workspace, text }),
    import: (workspace, text) => call('plan_import', { workspace, text }),
    export: (id, version, format) => call('plan_export', { id, version, format }),
    approve: (plan, note) => call('plan_approve', { plan, note }),
    approveForLater: (plan, note) => call('plan_approve_for_later', { plan, note }),
    run: (plan, from) => call('plan_run', { plan, from }),
    reject: (plan, reason) => call('plan_reject', { plan, reason }),
    again: (plan, note) => call('plan_again', { plan, note }),
    rework: (plan, step, comment) => call('plan_rework', { plan, step, comment }),
  },
  library: {
    list: () => call('library_list'),
    get: (id) => call('library_get', { id }),
    save: (plan, version, how) => call('library_save', { plan, version, how }),
    rename: (id, name) => call('library_rename', { id, name }),
    tag: (id, tags) => call('library_tag', { id, tags }),
    remove: (id) => call('library_remove', { id }),
    suggest: (message) => call('library_suggest', { message }),
    use: (session, id, message) => call('library_use', { session, id, message }),
    adapt: (session, id, message) => call('library_adapt', { session, id, message }),
    export: (id, format) => call('library_export', { id, format }),
  },
  runs: {
    list: (session) => call('run_list', { session }),
    get: (id) => call('run_get', { id }),
    plan: (id) => call('run_plan', { id }),
    isCarriedOn: (id) => call('run_is_carried_on', { id }),
    cancel: (id) => call('run_cancel', { id }),
    resume: (id) => call('run_resume', { id }),
    retry: (id, step) => call('run_retry', { id, step }),
    sent: (session, seq) => call('run_sent', { session, seq }),
  },
  requests: {
    open: () => call('request_open'),
    get: (id) => call('request_get', { id }),
    answer: (id, answer, seen) => call('request_answer', { id, answer, seen }),
    keepDraft: (id, draft) => call('request_keep_draft', { id, draft }),
    change: (id, args) => call('request_change', { id, arguments: args }),
    allowed: () => call('request_allowed'),
    revoke: (id) => call('request_revoke', { id }),
  },
  files: {
    list: (run) => call('file_list', { run }),
    change: (run, path) => call('file_change', { run, path }),
    open: (run, path) => call('file_open', { run, path }),
    show: (run, path) => call('file_show', { run, path }),
  },
  memory: {
    recall: (asked) => call('memory_recall', { asked }),
    forget: (ids) => call('memory_forget', { ids }),
  },
  vault: {
    list: () => call('vault_list'),
    add: ({ name, hosts, tools, secret }, replaces) =>
      call('vault_add', { name, hosts, tools, secret, replaces }),
    remove: (name) => call('vault_remove', { name }),
  },
  contents: {
    read: (content) => call('content_read', { content }),
    blob: (digest) => call('content_blob', { digest }),
    call: (run, id) => call('content_call', { run, call: id }),
  },
  models: {
    list: () => call('model_list'),
    found: () => call('model_found'),
    choose: (role, id) => call('model_choose', { role, id }),
    test: (id) => call('model_test', { id }),
    pull: (id) => call('model_pull', { id }),
    stopPull: (id) => call('model_stop_pull', { id }),
    addFile: () => call('model_add_file'),
    forgetFile: (id) => call('model_forget_file', { id }),
    providers: () => call('provider_list'),
    addProvider: (provider, replaces) => call('provider_add', { provider, replaces }),
    removeProvider: (id) => call('provider_remove', { id }),
    setKey: (provider, key) => call('provider_set_key', { provider, key }),
    forgetKey: (provider) => call('provider_forget_key', { provider }),
  },
  tools: {
    list: () => call('tool_list'),
    find: (text, limit, filter) => call('tool_find', { text, limit, filter }),
    contracts: () => call('tool_contracts'),
    contract: (name, isAgent) => call('tool_contract', { name, agent: isAgent }),
    addSource: (name, folder) => call('tool_add_source', { name, folder }),
    removeSource: (name) => call('tool_remove_source', { name }),
    addPack: (name) => call('tool_add_pack', { name }),
    checkPack: (name, folder) => call('tool_check_pack', { name, folder }),
    addOwnPack: (name, folder) => call('tool_add_own_pack', { name, folder }),
    removePack: (name, changed) => call('tool_remove_pack', { name, changed }),
    keys: (source) => call('tool_keys', { source }),
    setKey: (source, host, key) => call('tool_set_key', { source, host, key }),
    forgetKey: (source, host) => call('tool_forget_key', { source, host }),
    setStudio: (open) => call('tool_set_studio', { open }),
    call: (session, tool, args) => call('tool_call', { session, tool, arguments: args }),
  },
  settings: {
    change: (change) => call('settings_change', { change }),
  },
  desktop: {
    about: () => call('desktop_about'),
    doctor: () => call('desktop_doctor'),
    pickFolder: () => call('desktop_pick_folder'),
    openText: () => call('desktop_open_text'),
    saveText: (name, text) => call('desktop_save_text', { name, text }),
    openLink: (address) => call('desktop_open_link', { address }),
    openData: () => call('desktop_open_data'),
    copy: (text) => call('desktop_copy', { text }),
    zoom: (percent) => call('desktop_zoom', { percent }),
  },
  open,
  written: () => call('stream_written'),
};

function call<T>(command: string, args: Record<string, unknown> = {}): Promise<T> {
  return answered(invoke<T>(command, args));
}

async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    throw backendError(thrown);
  }
}

function open(listener: Listener): Promise<FirstView> {
  const hear = (packet: Packet) => {
    try {
      listener(packet.signals);
    } catch (thrown) {
      // A defect of the page must not keep the shell from sending.
      reportError(thrown);
    }
    // The shell notices by this that the page still reads; a shell that is gone has nothing to notice.
    void invoke('stream_taken', { number: packet.number }).catch(() => undefined);
  };
  return answered(take(hear));
}
