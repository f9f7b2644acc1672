//! Closing the window, and ending the application, while something goes on: a plan, a run, the fetch of a model.

use std::time::Duration;

use tauri::{AppHandle, CloseRequestApi, Manager, Runtime, Window};

use super::{notify, system, tray};
use crate::commands::settings::closing;
use crate::shell::Shell;
use crate::wire::Closing;

/// How long work may take to stop; what has not ended then is carried on at the next start.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long it may take to look up what closing does, and whether there is a tray.
const ASKED: Duration = Duration::from_secs(3);

/// What closing the window does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnClose {
    /// The application ends.
    End,
    /// The window goes, the work goes on; the tray brings it back.
    Hide,
    /// The same where nobody sees a tray: the window stays among the others.
    Minimise,
    /// The work is stopped, then the application ends.
    StopThenEnd,
}

/// What closing does, as things stand.
pub fn on_close(works: bool, chosen: Closing, has_tray: bool) -> OnClose {
    match (works, chosen, has_tray) {
        (false, ..) => OnClose::End,
        (true, Closing::Stop, _) => OnClose::StopThenEnd,
        (true, Closing::KeepRunning, true) => OnClose::Hide,
        (true, Closing::KeepRunning, false) => OnClose::Minimise,
    }
}

/// A person closes the window. It stays until the page has written down what it holds.
pub fn asked<R: Runtime>(window: &Window<R>, api: &CloseRequestApi) {
    api.prevent_close();
    let window = window.clone();
    tauri::async_runtime::spawn(async move {
        let shell = window.state::<Shell>();
        shell.page_writes().await;
        // An engine that is not open, or hangs, keeps nobody from closing the window.
        let asked = tokio::time::timeout(ASKED, shell.ask(|engine| Ok(closing(engine)))).await;
        let chosen = asked.map(Result::unwrap_or_default).unwrap_or_default();
        let works = shell.is_busy();
        // Whoever shows trays may hang too; without work nobody is asked.
        let seen = async { works && chosen == Closing::KeepRunning && tray::is_seen(window.app_handle()).await };
        let has_tray = tokio::time::timeout(ASKED, seen).await.unwrap_or(false);
        match on_close(works, chosen, has_tray) {
            OnClose::End => {
                if let Err(error) = window.destroy() {
                    tracing::warn!("the window could not be closed: {error}");
                }
            }
            OnClose::Hide => {
                hide(&window);
                notify::tell_of_going_on(window.app_handle(), true).await;
            }
            OnClose::Minimise => {
                if let Err(error) = window.minimize() {
                    tracing::warn!("the window could not be minimised: {error}");
                }
                notify::tell_of_going_on(window.app_handle(), false).await;
            }
            OnClose::StopThenEnd => {
                hide(&window);
                stop_then_exit(window.app_handle()).await;
            }
        }
    });
}

/// Ends the application: the page writes down what it holds, and what goes on is stopped.
pub fn end<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        app.state::<Shell>().page_writes().await;
        stop_then_exit(&app).await;
    });
}

/// Stops what goes on, then ends the application. Who starts it meanwhile gets a window of their own, not this one.
async fn stop_then_exit<R: Runtime>(app: &AppHandle<R>) {
    system::let_go(app);
    let stopped = tokio::time::timeout(PATIENCE, app.state::<Shell>().stop_all()).await;
    if stopped.is_err() {
        tracing::warn!("some work did not stop in time: it is carried on at the next start");
    }
    app.exit(0);
}

fn hide<R: Runtime>(window: &Window<R>) {
    if let Err(error) = window.hide() {
        tracing::warn!("the window could not be hidden: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_without_work_just_closes_and_with_work_it_does_as_set() {
        for has_tray in [true, false] {
            assert_eq!(on_close(false, Closing::KeepRunning, has_tray), OnClose::End);
            assert_eq!(on_close(false, Closing::Stop, has_tray), OnClose::End);
            assert_eq!(on_close(true, Closing::Stop, has_tray), OnClose::StopThenEnd);
        }
        assert_eq!(on_close(true, Closing::KeepRunning, true), OnClose::Hide);
        assert_eq!(on_close(true, Closing::KeepRunning, false), OnClose::Minimise);
    }
}
