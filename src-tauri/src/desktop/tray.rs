//! The icon in the tray, by which a hidden window comes back, and that says how much waits for a person.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tauri::menu::{MenuBuilder, MenuItem, MenuItemBuilder};
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager, Runtime};

use super::{close, system, window};
use crate::shell::Shell;
use crate::wire::Signal;

const SHOW: &str = "show";
const INBOX: &str = "inbox";
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

/// The parts of it that change.
struct Tray<R: Runtime> {
    icon: TrayIcon<R>,
    inbox: MenuItem<R>,
}

/// Whether a person sees it: it was put there, and something on the desktop shows what is put there.
pub async fn is_seen<R: Runtime>(app: &AppHandle<R>) -> bool {
    app.try_state::<Tray<R>>().is_some()
        && tauri::async_runtime::spawn_blocking(system::shows_trays).await.unwrap_or(false)
}

/// Has it say how many requests wait for a person.
pub fn count<R: Runtime>(app: &AppHandle<R>, waiting: usize) {
    let Some(tray) = app.try_state::<Tray<R>>() else { return };
    // Each system shows one of these: Linux and macOS a text beside the icon, Windows and macOS one when it is pointed at.
    let beside = (waiting > 0).then(|| waiting.to_string());
    let said = [
        tray.inbox.set_text(entry(waiting)),
        tray.icon.set_title(beside.as_deref()),
        tray.icon.set_tooltip(Some(tooltip(waiting))),
    ];
    for error in said.into_iter().filter_map(Result::err) {
        tracing::warn!("the tray could not say that {waiting} wait: {error}");
    }
}

/// What the menu calls the inbox.
fn entry(waiting: usize) -> String {
    if waiting == 0 { "Inbox".to_owned() } else { format!("Inbox ({waiting})") }
}

fn tooltip(waiting: usize) -> String {
    match waiting {
        0 => "Assent".to_owned(),
        1 => "Assent: one question waits for you".to_owned(),
        more => format!("Assent: {more} questions wait for you"),
    }
}

fn build<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let inbox = MenuItemBuilder::with_id(INBOX, entry(0)).build(app)?;
    let show = MenuBuilder::new(app).text(SHOW, "Show Assent").item(&inbox);
    let menu = show.separator().text(QUIT, "Quit Assent").build()?;
    let mut icon = TrayIconBuilder::with_id("assent").tooltip(tooltip(0)).menu(&menu).show_menu_on_left_click(false);
    if let Some(image) = app.default_window_icon() {
        icon = icon.icon(image.clone());
    }
    let icon = icon
        .on_menu_event(|app, event| match event.id().as_ref() {
            SHOW => window::show(app),
            INBOX => {
                window::show(app);
                app.state::<Shell>().signals().tell(Signal::ShowInbox);
            }
            QUIT => close::end(app),
            _ => {}
        })
        .on_tray_icon_event(|icon, event| {
            if let TrayIconEvent::Click { button: MouseButton::Left, button_state: MouseButtonState::Up, .. } = event {
                window::show(icon.app_handle());
            }
        })
        .build(app)?;
    app.manage(Tray { icon, inbox });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tray_says_how_much_waits_and_nothing_of_it_where_nothing_does() {
        assert_eq!([0, 1, 12].map(entry), ["Inbox", "Inbox (1)", "Inbox (12)"]);
        let said = ["Assent", "Assent: one question waits for you", "Assent: 12 questions wait for you"];
        assert_eq!([0, 1, 12].map(tooltip), said);
    }
}
