//! What is being planned in this process, so that a person can stop it and nothing else.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assent_core::ids::SessionId;
use tokio_util::sync::CancellationToken;

/// The plannings that go on.
#[derive(Default)]
pub(super) struct Plannings(Arc<Mutex<Vec<Going>>>);

struct Going {
    number: u64,
    session: SessionId,
    cancel: CancellationToken,
}

/// One of them, until it is over.
pub(super) struct Planning {
    all: Arc<Mutex<Vec<Going>>>,
    number: u64,
    /// Is cancelled when the planning, or the whole turn, is to stop.
    pub(super) cancel: CancellationToken,
}

impl Plannings {
    /// Notes that something is planned from now on; what stops the turn stops it too.
    pub(super) fn begin(&self, session: &SessionId, turn: &CancellationToken) -> Planning {
        let cancel = turn.child_token();
        let mut all = held(&self.0);
        let number = all.last().map_or(0, |going| going.number + 1);
        all.push(Going { number, session: session.clone(), cancel: cancel.clone() });
        Planning { all: Arc::clone(&self.0), number, cancel }
    }

    /// Stops what is planned in a session; whether there was anything.
    pub(super) fn stop(&self, session: &SessionId) -> bool {
        let all = held(&self.0);
        let mut of_session = all.iter().filter(|going| going.session == *session).peekable();
        let any = of_session.peek().is_some();
        of_session.for_each(|going| going.cancel.cancel());
        any
    }
}

impl Planning {
    /// Ends it: from now on it cannot be stopped any more. Says whether it was stopped before.
    pub(super) fn over(self) -> bool {
        // Under the lock, because whoever is told that it stops must not see it go on.
        let mut all = held(&self.all);
        all.retain(|going| going.number != self.number);
        self.cancel.is_cancelled()
    }
}

impl Drop for Planning {
    fn drop(&mut self) {
        held(&self.all).retain(|going| going.number != self.number);
    }
}

fn held(all: &Mutex<Vec<Going>>) -> MutexGuard<'_, Vec<Going>> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}
