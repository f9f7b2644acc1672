//! Showing what happens while it happens.

use std::future::Future;

use assent_core::ids::SessionId;
use assent_core::run::{Event, EventKind};
use assent_engine::Engine;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::commands::plan;
use crate::show::event;
use crate::terminal::Terminal;

/// Does some work of a session and shows its events as they are committed. The first Ctrl-C stops the work; it then
/// ends by itself within a second, in a definite state.
pub async fn follow<T>(
    engine: &Engine,
    terminal: &Terminal,
    session: Option<&SessionId>,
    cancel: &CancellationToken,
    work: impl Future<Output = T>,
) -> T {
    let mut events = engine.changes();
    tokio::pin!(work);
    loop {
        tokio::select! {
            biased;
            event = events.recv() => match event {
                Ok(event) => show(engine, terminal, session, &event),
                Err(RecvError::Lagged(missed)) => terminal.note(&format!("({missed} lines were too fast to show)")),
                Err(RecvError::Closed) => return work.await,
            },
            result = &mut work => {
                while let Ok(event) = events.try_recv() {
                    show(engine, terminal, session, &event);
                }
                return result;
            }
            pressed = tokio::signal::ctrl_c() => if pressed.is_ok() { cancel.cancel() },
        }
    }
}

fn show(engine: &Engine, terminal: &Terminal, session: Option<&SessionId>, event: &Event) {
    if session.is_some_and(|session| *session != event.place.session) {
        return;
    }
    if terminal.json {
        // An event always has a JSON form.
        if let Ok(line) = serde_json::to_string(event) {
            terminal.line(&line);
        }
        return;
    }
    match &event.kind {
        EventKind::MessageReceived { .. } => {}
        EventKind::PlanProposed { plan, .. } => {
            if let Ok(plan) = engine.plans().get(plan.id.as_str(), Some(plan.version)) {
                terminal.line(&plan::shown(engine, terminal, &plan));
            }
        }
        kind => {
            if let Some(text) = event::lines(terminal, event.place.step.as_ref(), kind) {
                terminal.line(&text);
            }
        }
    }
}
