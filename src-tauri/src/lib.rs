//! The desktop shell: one window around the engine.
//!
//! Thin by rule: a command converts, makes one call into the engine, and converts back. Never here: planning, running,
//! storing, or anything that a program without a window would need too.

/// Opens the window and returns when the application ends.
///
/// # Errors
///
/// The window system or the web view could not be started.
pub fn run() -> tauri::Result<()> {
    tauri::Builder::default().run(tauri::generate_context!())
}
