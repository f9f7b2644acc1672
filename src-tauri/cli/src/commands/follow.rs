//! Showing what happens while it happens.

use std::future::Future;

use assent_core::ids::SessionId;
use assent_core::run::{Event, EventKind};
use assent_engine::Engine;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::interrupt;
use crate::show::{self, event};
use crate::status;
use crate::terminal::Terminal;

/// Does some work of a session and shows its events as they are committed. Ctrl-C triggers `cancel`; the work then ends
/// by itself within a second, in a definite state.
pub async fn follow<T>(
    engine: &Engine,
    terminal: &Terminal,
    session: Option<&SessionId>,
    cancel: &CancellationToken,
    work: impl Future<Output = T>,
) -> T {
    let _stoppable = interrupt::stops(cancel);
    let _working = status::begin(terminal);
    let mut plan = None;
    let mut events = engine.changes();
    tokio::pin!(work);
    loop {
        tokio::select! {
            biased;
            event = events.recv() => match event {
                Ok(event) => {
                    tell(engine, terminal, session, &event);
                    status::follow(engine, &event, &mut plan);
                }
                Err(RecvError::Lagged(missed)) => terminal.note(&format!("({missed} lines were too fast to show)")),
                Err(RecvError::Closed) => return work.await,
            },
            result = &mut work => {
                while let Ok(event) = events.try_recv() {
                    tell(engine, terminal, session, &event);
                }
                return result;
            }
        }
    }
}

fn tell(engine: &Engine, terminal: &Terminal, session: Option<&SessionId>, event: &Event) {
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
        EventKind::PlanProposed { plan, faults } => {
            if let Ok(plan) = engine.plans().get(plan.id.as_str(), Some(plan.version)) {
                // As it was at this event: by now it may be approved.
                terminal.line(&show::plan::table(terminal, &plan, "proposed", &engine.plans().effects(&plan)));
            }
            for fault in faults {
                terminal.line(&event::warning(terminal, &fault.to_string()));
            }
        }
        EventKind::TurnEnded { error: Some(_), .. } => {
            if let Some(text) = event::lines(terminal, None, &event.kind) {
                terminal.note(&text);
            }
        }
        kind => {
            if let Some(text) = event::lines(terminal, event.place.step.as_ref(), kind) {
                terminal.line(&text);
            }
        }
    }
}
