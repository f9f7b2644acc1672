//! What a desktop adds to the page: the window itself, the tray, notifications, pickers.

pub mod close;
pub mod notify;
pub mod pick;
pub mod tray;
pub mod window;

use tauri::{App, Manager, Runtime};

use crate::shell::Shell;

/// Sets everything up, once there is a window, and carries on what was interrupted.
pub fn set_up<R: Runtime>(app: &App<R>) {
    tray::add(app.handle());
    notify::begin(app.handle());
    let shell = app.state::<Shell>();
    if let Err(failure) = shell.recover() {
        // The page says the same: every call of it fails with this.
        tracing::warn!("nothing was carried on: {}", failure.message);
    }
}
