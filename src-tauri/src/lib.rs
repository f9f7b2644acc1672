//! The desktop shell: one window around the engine.
//!
//! Thin by rule: a command converts, makes one call into the engine, and converts back. Never here: planning, running,
//! storing, or anything that a program without a window would need too.

mod aside;
mod commands;
mod desktop;
mod handler;
mod page;
mod pulls;
mod shell;
mod signals;
mod stream;
mod wire;
mod work;

#[cfg(test)]
mod tests;

use std::error::Error;
use std::path::PathBuf;

use assent_core::ids::Digest;
use assent_engine::store::Home;
use tauri::{Builder, Manager as _, Runtime, WindowEvent};
use tauri_plugin_window_state::StateFlags;

use commands::{
    contents, desktop as desk, files, library, memory, messages, models, plans, requests, runs, sessions, settings,
    stream as streams, tools, vault,
};
use desktop::{close, system};
use shell::Shell;

/// Opens the window and returns when the application ends.
///
/// # Errors
///
/// There is no screen, or the window system or the web view could not be started.
pub fn run() -> Result<(), Box<dyn Error>> {
    system::screen()?;
    let home = Home::from_environment();
    let name = name_of(home.as_ref().ok());
    // What is remembered leaves out whether the window was visible: it may have been closed into the tray.
    let remembered = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED;
    with_commands(Builder::default())
        .plugin(tauri_plugin_window_state::Builder::new().with_state_flags(remembered).build())
        .setup(|app| {
            // First: a second start opens no database, least of all one that a newer program would convert.
            system::hold(app.handle(), name);
            // Without a path of its own the program cannot become the guard, and the embedded model says so.
            app.manage(Shell::new(home, std::env::current_exe().unwrap_or_else(|_| PathBuf::new())));
            desktop::set_up(app.handle())?;
            Ok(())
        })
        .on_window_event(|window, event| {
            if let WindowEvent::CloseRequested { api, .. } = event {
                close::asked(window, api);
            }
        })
        .run(tauri::generate_context!(assets = page::Page))?;
    Ok(())
}

/// The name of the window of a data folder, by which a second start finds it.
fn name_of(home: Option<&Home>) -> String {
    let folder = home.map_or_else(String::new, |home| home.root().display().to_string());
    let digest = Digest::of_bytes(folder.as_bytes());
    format!("io.github.assent.desktop.d{}", &digest.as_str()[..12])
}

/// Everything that the page may ask, of a [`Shell`] that is managed before there is a page.
#[expect(clippy::too_many_lines, reason = "one list of names")]
fn with_commands<R: Runtime>(builder: Builder<R>) -> Builder<R> {
    builder.invoke_handler(handler::commands![
        sessions::session_list(shell, filter),
        sessions::session_get(shell, id),
        sessions::session_events(shell, id, after),
        sessions::session_retell(shell, id),
        sessions::session_create(shell, workspace),
        sessions::session_rename(shell, id, title),
        sessions::session_archive(shell, id, archived),
        sessions::session_delete(shell, id),
        sessions::session_search(shell, text, limit, within),
        sessions::session_files(workspace),
        messages::message_send(shell, session, text, policy, question),
        messages::message_stop(shell, session),
        messages::message_stop_planning(shell, session),
        messages::message_active(shell),
        plans::plan_list(shell, session),
        plans::plan_standings(shell),
        plans::plan_get(shell, id, version),
        plans::plan_history(shell, id),
        plans::plan_comments(shell, id),
        plans::plan_comment(shell, id, version, text, step),
        plans::plan_diff(shell, before, after),
        plans::plan_apply(shell, document, edits, against),
        plans::plan_edit(shell, id, version, edits),
        plans::plan_save(shell, document),
        plans::plan_draft(shell, id),
        plans::plan_keep_draft(shell, id, document),
        plans::plan_look(shell, workspace, text),
        plans::plan_import(shell, workspace, text),
        plans::plan_export(shell, id, version, format),
        plans::plan_approve(shell, plan, note),
        plans::plan_approve_for_later(shell, plan, note),
        plans::plan_run(shell, plan, from),
        plans::plan_reject(shell, plan, reason),
        plans::plan_again(shell, plan, note),
        plans::plan_rework(shell, plan, step, comment),
        runs::run_list(shell, session),
        runs::run_get(shell, id),
        runs::run_plan(shell, id),
        runs::run_is_carried_on(shell, id),
        runs::run_cancel(shell, id),
        runs::run_resume(shell, id),
        runs::run_retry(shell, id, step),
        runs::run_sent(shell, session, seq),
        requests::request_open(shell),
        requests::request_get(shell, id),
        requests::request_answer(shell, id, answer, seen),
        requests::request_keep_draft(shell, id, draft),
        requests::request_change(shell, id, arguments),
        requests::request_allowed(shell),
        requests::request_revoke(shell, id),
        files::file_list(shell, run),
        files::file_change(shell, run, path),
        files::file_open(shell, run, path),
        files::file_show(shell, run, path),
        contents::content_read(shell, content),
        contents::content_blob(shell, digest),
        contents::content_call(shell, run, call),
        memory::memory_forget(shell, ids),
        memory::memory_recall(shell, asked),
        vault::vault_list(shell),
        vault::vault_add(shell, name, hosts, tools, secret, replaces),
        vault::vault_remove(shell, name),
        models::model_list(shell),
        models::model_found(),
        models::model_choose(shell, role, id),
        models::model_test(shell, id),
        models::model_pull(shell, id),
        models::model_stop_pull(shell, id),
        models::model_add_file(app, shell),
        models::model_forget_file(shell, id),
        models::provider_list(shell),
        models::provider_add(shell, provider, replaces),
        models::provider_remove(shell, id),
        models::provider_set_key(shell, provider, key),
        models::provider_forget_key(shell, provider),
        tools::tool_list(shell),
        tools::tool_find(shell, text, limit, filter),
        tools::tool_contracts(shell),
        tools::tool_contract(shell, name, agent),
        tools::tool_add_source(shell, name, folder),
        tools::tool_remove_source(shell, name),
        tools::tool_keys(shell, source),
        tools::tool_set_key(shell, source, host, key),
        tools::tool_forget_key(shell, source, host),
        tools::tool_set_studio(shell, open),
        tools::tool_call(shell, session, tool, arguments),
        tools::tool_add_pack(shell, name),
        tools::tool_check_pack(shell, name, folder),
        tools::tool_add_own_pack(shell, name, folder),
        tools::tool_remove_pack(shell, name, changed),
        library::library_list(shell),
        library::library_get(shell, id),
        library::library_save(shell, plan, version, how),
        library::library_rename(shell, id, name),
        library::library_tag(shell, id, tags),
        library::library_remove(shell, id),
        library::library_suggest(shell, message),
        library::library_use(shell, session, id, message),
        library::library_adapt(shell, session, id, message),
        library::library_export(shell, id, format),
        settings::settings_change(shell, change),
        desk::desktop_about(app, shell),
        desk::desktop_doctor(shell),
        desk::desktop_pick_folder(app),
        desk::desktop_open_text(app),
        desk::desktop_save_text(app, name, text),
        desk::desktop_open_link(address),
        desk::desktop_open_data(shell),
        desk::desktop_copy(app, text),
        desk::desktop_zoom(app, percent),
        streams::stream_open(app, shell, packets),
        streams::stream_taken(shell, number),
        streams::stream_written(shell),
    ])
}
