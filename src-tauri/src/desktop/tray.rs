//! The icon in the tray, by which a hidden window comes back.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tauri::menu::MenuBuilder;
use tauri::tray::{MouseButton, MouseButtonState, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Runtime};

use super::{close, window};

const SHOW: &str = "show";
const QUIT: &str = "quit";

/// Puts the icon there. Where there is no tray, starting the application again brings the window back.
pub fn add<R: Runtime>(app: &AppHandle<R>) {
    // On Linux the library of the tray is looked for at run time, with a panic when it is not installed.
    match catch_unwind(AssertUnwindSafe(|| build(app))) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!("there is no icon in the tray: {error}"),
        Err(_) => tracing::warn!("there is no icon in the tray: its library is not installed"),
    }
}

fn build<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let menu = MenuBuilder::new(app).text(SHOW, "Show Assent").separator().text(QUIT, "Quit Assent").build()?;
    let mut icon = TrayIconBuilder::with_id("assent").tooltip("Assent").menu(&menu).show_menu_on_left_click(false);
    if let Some(image) = app.default_window_icon() {
        icon = icon.icon(image.clone());
    }
    icon.on_menu_event(|app, event| match event.id().as_ref() {
        SHOW => window::show(app),
        QUIT => close::end(app),
        _ => {}
    })
    .on_tray_icon_event(|icon, event| {
        if let TrayIconEvent::Click { button: MouseButton::Left, button_state: MouseButtonState::Up, .. } = event {
            window::show(icon.app_handle());
        }
    })
    .build(app)?;
    Ok(())
}
