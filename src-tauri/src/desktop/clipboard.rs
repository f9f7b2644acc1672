//! The system's clipboard, which the page may fill and never read.
//!
//! Its own way is not to be relied on: WebKitGTK refuses a page the clipboard, and elsewhere a page may use it only
//! while a click is handled, which is over once a text has been asked for.

use tauri::{AppHandle, Runtime};

use crate::wire::{ErrorCode, Failure};

/// Puts a text there.
///
/// # Errors
/// [`ErrorCode::Internal`] when the system does not take it.
#[cfg(target_os = "linux")]
pub async fn write<R: Runtime>(app: &AppHandle<R>, text: String) -> Result<(), Failure> {
    // GTK is spoken to from one thread only; there it also serves other programs, on X11 and on Wayland.
    let (tell, told) = tokio::sync::oneshot::channel();
    app.run_on_main_thread(move || {
        gtk::Clipboard::get(&gtk::gdk::SELECTION_CLIPBOARD).set_text(&text);
        // A page that is gone does not want to know.
        let _gone = tell.send(());
    })
    .map_err(refused)?;
    told.await.map_err(refused)
}

/// Puts a text there.
///
/// # Errors
/// [`ErrorCode::Internal`] when the system does not take it.
#[cfg(not(target_os = "linux"))]
pub async fn write<R: Runtime>(_app: &AppHandle<R>, text: String) -> Result<(), Failure> {
    crate::aside::aside(move || {
        arboard::Clipboard::new().and_then(|mut clipboard| clipboard.set_text(text)).map_err(refused)
    })
    .await
}

fn refused(error: impl std::error::Error) -> Failure {
    Failure::new(ErrorCode::Internal, format!("the text could not be copied: {error}"))
}
