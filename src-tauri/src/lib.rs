//! The desktop shell: one window around the engine.
//!
//! Thin by rule: a command converts, makes one call into the engine, and converts back. Never here: planning, running,
//! storing, or anything that a program without a window would need too.

mod commands;
mod desktop;
mod pulls;
mod shell;
mod stream;
mod wire;
mod work;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use assent_core::ids::Digest;
use assent_engine::store::Home;
use tauri::{Builder, Runtime, WindowEvent};
use tauri_plugin_window_state::StateFlags;

use commands::{
    contents, desktop as desk, files, memory, messages, models, plans, requests, runs, sessions, settings, tools,
};
use desktop::{close, window};
use shell::Shell;

/// Opens the window and returns when the application ends.
///
/// # Errors
///
/// The window system or the web view could not be started.
pub fn run() -> tauri::Result<()> {
    let home = Home::from_environment();
    let single = single_instance(home.as_ref().ok());
    // Without a path of its own the program cannot become the guard, and the embedded model says so.
    let shell = Shell::open(home, std::env::current_exe().unwrap_or_else(|_| PathBuf::new()));
    // What is remembered leaves out whether the window was visible: it may have been closed into the tray.
    let remembered = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED;
    with_commands(Builder::default().plugin(single), shell)
        .plugin(tauri_plugin_window_state::Builder::new().with_state_flags(remembered).build())
        .plugin(tauri_plugin_notification::init())
        .plugin(tauri_plugin_dialog::init())
        .setup(|app| {
            desktop::set_up(app)?;
            Ok(())
        })
        .on_window_event(|window, event| {
            if let WindowEvent::CloseRequested { api, .. } = event {
                close::asked(window, api);
            }
        })
        .run(tauri::generate_context!())
}

/// One window for each data folder: a second start brings the first window to the front.
fn single_instance<R: Runtime>(home: Option<&Home>) -> tauri::plugin::TauriPlugin<R> {
    let folder = home.map_or_else(String::new, |home| home.root().display().to_string());
    let digest = Digest::of_bytes(folder.as_bytes());
    tauri_plugin_single_instance::Builder::new()
        .callback(|app, _arguments, _folder| window::show(app))
        .dbus_id(format!("io.github.assent.desktop.d{}", &digest.as_str()[..12]))
        .build()
}

/// Everything that the page may ask.
#[expect(clippy::too_many_lines, reason = "one list of names")]
fn with_commands<R: Runtime>(builder: Builder<R>, shell: Shell) -> Builder<R> {
    builder.manage(shell).invoke_handler(tauri::generate_handler![
        sessions::session_list,
        sessions::session_get,
        sessions::session_events,
        sessions::session_create,
        sessions::session_rename,
        sessions::session_archive,
        sessions::session_delete,
        sessions::session_search,
        sessions::session_files,
        messages::message_send,
        messages::message_stop,
        messages::message_stop_planning,
        messages::message_active,
        plans::plan_list,
        plans::plan_standings,
        plans::plan_get,
        plans::plan_history,
        plans::plan_comments,
        plans::plan_comment,
        plans::plan_diff,
        plans::plan_apply,
        plans::plan_edit,
        plans::plan_save,
        plans::plan_draft,
        plans::plan_keep_draft,
        plans::plan_import,
        plans::plan_export,
        plans::plan_approve,
        plans::plan_approve_for_later,
        plans::plan_run,
        plans::plan_reject,
        plans::plan_again,
        plans::plan_rework,
        runs::run_list,
        runs::run_get,
        runs::run_plan,
        runs::run_is_carried_on,
        runs::run_cancel,
        runs::run_resume,
        runs::run_retry,
        runs::run_sent,
        requests::request_open,
        requests::request_get,
        requests::request_answer,
        requests::request_keep_draft,
        requests::request_change,
        requests::request_allowed,
        requests::request_revoke,
        files::file_list,
        files::file_change,
        files::file_open,
        files::file_show,
        contents::content_read,
        contents::content_blob,
        contents::content_call,
        memory::memory_list,
        memory::memory_forget,
        models::model_list,
        models::model_found,
        models::model_choose,
        models::model_test,
        models::model_pull,
        models::model_stop_pull,
        models::model_add_file,
        models::model_forget_file,
        models::provider_list,
        models::provider_add,
        models::provider_remove,
        models::provider_set_key,
        models::provider_forget_key,
        tools::tool_list,
        tools::tool_find,
        tools::tool_contracts,
        tools::tool_contract,
        tools::tool_add_source,
        tools::tool_remove_source,
        tools::tool_set_key,
        tools::tool_forget_key,
        tools::tool_set_studio,
        tools::tool_call,
        settings::settings_change,
        desk::desktop_about,
        desk::desktop_doctor,
        desk::desktop_pick_folder,
        desk::desktop_open_text,
        desk::desktop_save_text,
        desk::desktop_open_link,
        desk::desktop_open_data,
        desk::desktop_copy,
        desk::desktop_zoom,
        commands::stream::stream_open,
        commands::stream::stream_taken,
        commands::stream::stream_written,
    ])
}
