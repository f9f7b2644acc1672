//! The system's own pickers. The page gets what a person picked, and no access to files.

use std::future::Future;
use std::path::PathBuf;

use rfd::{AsyncFileDialog, FileHandle};
use tauri::{AppHandle, Runtime};
use tokio::sync::oneshot;

use super::window;

/// A folder.
pub async fn folder<R: Runtime>(app: &AppHandle<R>) -> Option<PathBuf> {
    picked(app, AsyncFileDialog::pick_folder).await
}

/// A file.
pub async fn file<R: Runtime>(app: &AppHandle<R>) -> Option<PathBuf> {
    picked(app, AsyncFileDialog::pick_file).await
}

/// The file of a model.
pub async fn model<R: Runtime>(app: &AppHandle<R>) -> Option<PathBuf> {
    picked(app, |dialog| dialog.add_filter("GGUF", &["gguf"]).pick_file()).await
}

/// A place for a new file.
pub async fn new_file<R: Runtime>(app: &AppHandle<R>, name: &str) -> Option<PathBuf> {
    let name = name.to_owned();
    picked(app, move |dialog| dialog.set_file_name(name).save_file()).await
}

/// Asks on the main thread, as some systems want it, and waits aside.
async fn picked<R: Runtime, Asked>(
    app: &AppHandle<R>,
    ask: impl FnOnce(AsyncFileDialog) -> Asked + Send + 'static,
) -> Option<PathBuf>
where
    Asked: Future<Output = Option<FileHandle>> + Send + 'static,
{
    let (tell, told) = oneshot::channel();
    let here = app.clone();
    let shown = app.run_on_main_thread(move || {
        let dialog = AsyncFileDialog::new();
        let asked = ask(match window::main(&here) {
            Some(window) => dialog.set_parent(&window),
            None => dialog,
        });
        // A page that is gone does not want to know.
        tauri::async_runtime::spawn(async move { drop(tell.send(asked.await)) });
    });
    if let Err(error) = shown {
        tracing::warn!("nobody can pick anything: {error}");
        return None;
    }
    told.await.ok().flatten().map(|picked| picked.path().to_owned())
}
