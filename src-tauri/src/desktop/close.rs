//! Closing the window, and ending the application, while something goes on: a plan, a run, the fetch of a model.

use std::time::Duration;

use tauri::{AppHandle, CloseRequestApi, Manager, Runtime, Window};

use super::system;
use crate::commands::settings::closing;
use crate::shell::Shell;
use crate::wire::Closing;

/// How long work may take to stop; what has not ended then is carried on at the next start.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long it may take to look up what closing does.
const ASKED: Duration = Duration::from_secs(3);

/// What closing the window does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnClose {
    /// The application ends.
    End,
    /// The window goes, the work goes on.
    Hide,
    /// The work is stopped, then the application ends.
    StopThenEnd,
}

/// What closing does, as things stand.
pub fn on_close(works: bool, chosen: Closing) -> OnClose {
    match (works, chosen) {
        (false, _) => OnClose::End,
        (true, Closing::KeepRunning) => OnClose::Hide,
        (true, Closing::Stop) => OnClose::StopThenEnd,
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
        match on_close(shell.is_busy(), chosen) {
            OnClose::End => {
                if let Err(error) = window.destroy() {
                    tracing::warn!("the window could not be closed: {error}");
                }
            }
            OnClose::Hide => hide(&window),
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
        assert_eq!(on_close(false, Closing::KeepRunning), OnClose::End);
        assert_eq!(on_close(false, Closing::Stop), OnClose::End);
        assert_eq!(on_close(true, Closing::KeepRunning), OnClose::Hide);
        assert_eq!(on_close(true, Closing::Stop), OnClose::StopThenEnd);
    }
}
