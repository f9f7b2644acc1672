//! Messages, and stopping what they set going.

use std::sync::Arc;

use assent_core::ids::{RequestId, SessionId};
use assent_core::run::{Event, EventKind};
use assent_engine::turn::{ApprovalPolicy, Message};
use tokio::sync::broadcast::{self, error::RecvError};

use super::{Answered, Here};
use crate::shell::Shell;
use crate::work::Outcome;

pub async fn message_send(
    shell: Here<'_>,
    session: SessionId,
    text: String,
    policy: Option<ApprovalPolicy>,
    question: Option<RequestId>,
) -> Answered<()> {
    send(&shell, Message { session, text, policy, answers: question }).await
}

pub async fn message_stop(shell: Here<'_>, session: SessionId) -> Answered<()> {
    shell.work().stop(&session).await;
    Ok(())
}

pub async fn message_stop_planning(shell: Here<'_>, session: SessionId) -> Answered<bool> {
    Ok(shell.opened()?.engine.turns().stop_planning(&session))
}

pub async fn message_active(shell: Here<'_>) -> Answered<Vec<SessionId>> {
    Ok(shell.work().active())
}

/// Sends a message and returns once it is written down, or could not be.
pub(super) async fn send(shell: &Shell, message: Message) -> Answered<()> {
    let opened = shell.opened()?;
    let session = message.session.clone();
    let events = opened.engine.changes();
    let outcome = shell.work().begin_watched(session.clone(), move |cancel| async move {
        opened.engine.turns().send(message, &cancel).await.map(|end| vec![end])
    });
    begun(&session, said, events, outcome).await
}

/// Whether an event is what a person says in a session, written down.
pub(super) fn said(kind: &EventKind) -> bool {
    matches!(kind, EventKind::MessageReceived { .. } | EventKind::Commented { .. })
}

/// Waits until the wish is written down that the work began with, or the work has ended.
pub(super) async fn begun(
    session: &SessionId,
    wish: fn(&EventKind) -> bool,
    mut events: broadcast::Receiver<Arc<Event>>,
    mut outcome: Outcome,
) -> Answered<()> {
    loop {
        tokio::select! {
            biased;
            ended = &mut outcome => return ended.unwrap_or(Ok(())),
            event = events.recv() => match event {
                Ok(event) if event.place.session == *session && wish(&event.kind) => break,
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => break,
            },
        }
    }
    // What fails from here on is told as trouble; what has failed in between is not lost.
    outcome.close();
    outcome.try_recv().unwrap_or(Ok(()))
}
