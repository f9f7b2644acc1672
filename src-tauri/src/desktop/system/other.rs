//! Windows and macOS, by the plugins that are made for them.

use std::fmt::Display;
use std::path::Path;

use assent_core::ids::SessionId;
use tauri::{AppHandle, Runtime};
use tauri_plugin_notification::{ActionPerformed, NotificationExt};

use crate::desktop::notify::{self, About, Notice};
use crate::desktop::window;

/// Under which name a notification carries its session.
const SESSION: &str = "session";

/// Holds the name for as long as the program runs: a second start shows this window, and ends.
pub fn hold<R: Runtime>(app: &AppHandle<R>, _name: String) {
    let single =
        tauri_plugin_single_instance::Builder::new().callback(|app, _arguments, _folder| window::show(app)).build();
    if let Err(error) = app.plugin(single) {
        tracing::warn!("a second start will open a window of its own: {error}");
    }
}

/// Gives the name away: who starts the program from now on gets a window of their own.
pub fn let_go<R: Runtime>(app: &AppHandle<R>) {
    tauri_plugin_single_instance::destroy(app);
}

/// Shows a file where it lies.
///
/// # Errors
/// The file is gone, or there is no file manager.
pub fn reveal(file: &Path) -> Result<(), impl Display> {
    tauri_plugin_opener::reveal_item_in_dir(file)
}

/// Whether there is a screen: here there always is one.
///
/// # Errors
/// Never.
pub fn screen() -> Result<(), String> {
    Ok(())
}

/// Whether the desktop shows icons in a tray: it always does.
pub fn shows_trays() -> bool {
    true
}

/// Has a click on a notification lead to what it is about.
pub fn show_when_clicked<R: Runtime>(app: &AppHandle<R>) {
    let clicked = app.clone();
    let told = app.plugin(tauri_plugin_notification::init()).map_err(|error| error.to_string()).and_then(|()| {
        let lead = move |performed: &ActionPerformed| {
            notify::lead_to(&clicked, about(performed));
        };
        app.notification().on_action(lead).map_err(|error| error.to_string())
    });
    if let Err(error) = told {
        tracing::warn!("clicks on notifications are not told: {error}");
    }
}

/// What a notification was about: its own session, not that of the latest one.
fn about(performed: &ActionPerformed) -> About {
    let named = performed.notification().and_then(|told| told.extra().get(SESSION)?.as_str());
    named.map_or(About::Program, |session| About::Session(session.into()))
}

/// Shows a notification. What becomes of it is not waited for.
pub fn tell<R: Runtime>(app: &AppHandle<R>, notice: Notice) {
    let Notice { about, title, body } = notice;
    let told = app.notification().builder().title(title).body(body);
    let told = match about {
        About::Session(session) => told.extra(SESSION, session),
        About::Program => told,
    };
    if let Err(error) = told.show() {
        tracing::warn!("nobody could be told: {error}");
    }
}
