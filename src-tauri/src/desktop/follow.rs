//! What a desktop says outside of the page, as things happen: how many requests wait for a person, and what somebody
//! who does not look at the window should know.
//!
//! Requests are looked up, never counted along: what an event says is only that it is time to look. So nothing is lost
//! when events come faster than they are taken, and what another process asked or answered counts, too.

use std::collections::HashSet;
use std::future::Future;
use std::time::Duration;

use assent_core::ids::RequestId;
use assent_core::run::EventKind;
use assent_engine::store::RequestRow;
use assent_engine::turn::TurnEnd;
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::notify::{self, Notice};
use crate::wire::{Failure, Signal};

/// After this long it is looked again, when the requests could not be read.
const AGAIN: Duration = Duration::from_secs(2);

/// Where it is heard that something happens.
pub struct Sources {
    /// Everything that the page is told.
    pub signals: Receiver<Signal>,
    /// How turns end.
    pub ends: Receiver<TurnEnd>,
}

/// What is to be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// To a person who looks elsewhere.
    Notice(Notice),
    /// So many requests wait; comes after the notices of those that are new.
    Waiting(usize),
}

/// Follows what happens until a source ends. `open` reads the open requests, `tell` says something.
pub async fn follow<Read, Said>(mut from: Sources, open: impl Fn() -> Read, tell: impl Fn(News) -> Said)
where
    Read: Future<Output = Result<Vec<RequestRow>, Failure>>,
    Said: Future<Output = ()>,
{
    let mut inbox = Inbox::default();
    let mut look = true;
    loop {
        if look {
            match open().await {
                Ok(rows) => {
                    look = false;
                    for news in inbox.after(&rows) {
                        tell(news).await;
                    }
                }
                Err(failure) => tracing::warn!("what waits for a person could not be read: {}", failure.message),
            }
        }
        tokio::select! {
            signal = from.signals.recv() => match signal {
                Ok(signal) => {
                    look |= is_of_requests(&signal);
                    if let Some(notice) = notify::of_signal(&signal) {
                        tell(News::Notice(notice)).await;
                    }
                }
                Err(RecvError::Lagged(_)) => look = true,
                Err(RecvError::Closed) => return,
            },
            end = from.ends.recv() => match end {
                Ok(end) => if let Some(notice) = notify::of_end(&end) {
                    tell(News::Notice(notice)).await;
                },
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            () = tokio::time::sleep(AGAIN), if look => {}
        }
    }
}

/// Whether what is told may change which requests are open. A session that is deleted takes its requests along and leaves
/// no event.
fn is_of_requests(signal: &Signal) -> bool {
    match signal {
        Signal::Committed { event } => matches!(
            event.kind,
            EventKind::RequestOpened { .. }
                | EventKind::RequestAnswered { .. }
                | EventKind::RequestCancelled { .. }
                | EventKind::RunEnded { .. }
        ),
        Signal::SessionDeleted { .. } | Signal::Behind { .. } => true,
        _ => false,
    }
}

/// The requests that were open at the last look; none before the first.
#[derive(Default)]
struct Inbox {
    known: Option<HashSet<RequestId>>,
}

impl Inbox {
    /// What is to be said now that these are open. What is open at the first look waits since an earlier start: it is
    /// counted, and nobody is told of it.
    fn after(&mut self, open: &[RequestRow]) -> Vec<News> {
        let ids: HashSet<RequestId> = open.iter().map(|row| row.request.id.clone()).collect();
        let before = self.known.replace(ids);
        let is_new = |row: &&RequestRow| before.as_ref().is_some_and(|known| !known.contains(&row.request.id));
        let mut news: Vec<News> = open.iter().filter(is_new).map(|row| News::Notice(notify::of_request(row))).collect();
        if before.is_none_or(|known| known.len() != open.len()) {
            news.push(News::Waiting(open.len()));
        }
        news
    }
}

#[cfg(test)]
mod tests;
