//! The one window.

use tauri::{AppHandle, Manager, Runtime, WebviewWindow, WebviewWindowBuilder};

use super::links;
use crate::shell::Shell;

/// Its label in `tauri.conf.json`.
pub const MAIN: &str = "main";
/// What it is called.
const NAME: &str = "Assent";

/// Opens it, as `tauri.conf.json` describes it.
///
/// # Errors
/// The window system or the web view refuses.
pub fn open<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let config = app.config();
    let Some(described) = config.app.windows.iter().find(|window| window.label == MAIN) else {
        return Err(tauri::Error::WindowNotFound);
    };
    let development = config.build.dev_url.clone().filter(|_| tauri::is_dev());
    let mut window = links::guard(WebviewWindowBuilder::from_config(app, described)?, development);
    // What the page keeps, such as words that were not sent, belongs to its data folder: another one has another window.
    if let Ok(folder) = app.state::<Shell>().home().and_then(|home| home.page()) {
        window = window.data_directory(folder);
    }
    window.build()?;
    Ok(())
}

/// The window, while there is one.
pub fn main<R: Runtime>(app: &AppHandle<R>) -> Option<WebviewWindow<R>> {
    app.get_webview_window(MAIN)
}

/// Has its title say how many requests wait for a person.
pub fn entitle<R: Runtime>(app: &AppHandle<R>, waiting: usize) {
    let Some(window) = main(app) else { return };
    let title = if waiting == 0 { NAME.to_owned() } else { format!("({waiting}) {NAME}") };
    if let Err(error) = window.set_title(&title) {
        tracing::warn!("the window could not be called {title}: {error}");
    }
}

/// Shows everything in it so large, in percent.
///
/// # Errors
/// The web view refuses.
pub fn zoom<R: Runtime>(app: &AppHandle<R>, percent: u16) -> tauri::Result<()> {
    main(app).map_or(Ok(()), |window| window.set_zoom(f64::from(percent) / 100.0))
}

/// Brings the window to the front, wherever it is.
pub fn show<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = main(app) else { return };
    for step in [WebviewWindow::unminimize, WebviewWindow::show, WebviewWindow::set_focus] {
        if let Err(error) = step(&window) {
            tracing::warn!("the window could not be shown: {error}");
        }
    }
}

/// Whether a person looks at the window.
pub fn is_in_front<R: Runtime>(app: &AppHandle<R>) -> bool {
    main(app).is_some_and(|window| window.is_focused().unwrap_or(false) && window.is_visible().unwrap_or(false))
}
