//! The system's own pickers. The page gets what a person picked, and no access to files.

use std::path::PathBuf;

use tauri::{AppHandle, Runtime};
use tauri_plugin_dialog::{DialogExt, FileDialogBuilder, FilePath};
use tokio::sync::oneshot;

use super::window;

/// A folder.
pub async fn folder<R: Runtime>(app: &AppHandle<R>) -> Option<PathBuf> {
    picked(|tell| dialog(app).pick_folder(tell)).await
}

/// A file.
pub async fn file<R: Runtime>(app: &AppHandle<R>) -> Option<PathBuf> {
    picked(|tell| dialog(app).pick_file(tell)).await
}

/// The file of a model.
pub async fn model<R: Runtime>(app: &AppHandle<R>) -> Option<PathBuf> {
    picked(|tell| dialog(app).add_filter("GGUF", &["gguf"]).pick_file(tell)).await
}

/// A place for a new file.
pub async fn new_file<R: Runtime>(app: &AppHandle<R>, name: &str) -> Option<PathBuf> {
    picked(|tell| dialog(app).set_file_name(name).save_file(tell)).await
}

fn dialog<R: Runtime>(app: &AppHandle<R>) -> FileDialogBuilder<R> {
    let dialog = app.dialog().file();
    match window::main(app) {
        Some(window) => dialog.set_parent(&window),
        None => dialog,
    }
}

type Tell = Box<dyn FnOnce(Option<FilePath>) + Send>;

async fn picked(ask: impl FnOnce(Tell)) -> Option<PathBuf> {
    let (tell, told) = oneshot::channel();
    // A page that is gone does not want to know.
    ask(Box::new(move |path| drop(tell.send(path))));
    told.await.ok().flatten()?.into_path().ok()
}
