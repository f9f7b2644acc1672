//! Asking what past calls teach, before each search: another process may have taught or forgotten something meanwhile.
//! Asked on a thread of its own, because a store that hangs must hold nobody up; what it says later counts from then on.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::memory::{Lesson, Lessons};

/// So long the teacher is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// What past calls teach cannot be told now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Untold;

/// What is told to who knows of a revision: `Ok(None)` where nothing has changed since.
pub type Told = Result<Option<Lessons>, Untold>;

type Tells = Arc<dyn Fn(Option<u64>) -> Told + Send + Sync>;

/// Who tells what past calls teach, and how far that is known.
pub(super) struct Teacher {
    tells: Tells,
    /// Who asks holds it, so that all who search meanwhile go by the same answer.
    asked: Mutex<Asked>,
}

/// What became of asking.
enum Asked {
    /// Nothing is known, or nobody knows how old it is: everything is asked for.
    Nothing,
    /// All that was to be said at this revision counts.
    Settled(u64),
    /// Who knew of that revision is still to be answered.
    Waiting(Option<u64>, Receiver<Told>),
}

impl Teacher {
    pub(super) fn new(tells: impl Fn(Option<u64>) -> Told + Send + Sync + 'static) -> Self {
        Self { tells: Arc::new(tells), asked: Mutex::new(Asked::Nothing) }
    }

    /// Has all learned anew where it has changed. What was learned so far stays where nothing is told.
    ///
    /// Whoever calls this holds nothing that `learn`, or a call that is being remembered, waits for.
    pub(super) fn catch_up(&self, learn: impl FnOnce(Vec<Lesson>)) {
        let mut asked = self.asked();
        let (known, told) = match std::mem::replace(&mut *asked, Asked::Nothing) {
            Asked::Nothing => (None, self.ask(None)),
            Asked::Settled(revision) => (Some(revision), self.ask(Some(revision))),
            Asked::Waiting(known, told) => match told.try_recv() {
                Err(TryRecvError::Empty) => (known, Err(told)),
                Ok(Ok(said)) => (known, Ok(Ok(said))),
                // What hung has failed at last; it may be well again.
                Ok(Err(Untold)) | Err(TryRecvError::Disconnected) => (None, self.ask(None)),
            },
        };
        *asked = match told {
            Err(told) => Asked::Waiting(known, told),
            Ok(Err(Untold)) => Asked::Nothing,
            Ok(Ok(None)) => known.map_or(Asked::Nothing, Asked::Settled),
            Ok(Ok(Some(Lessons { revision, lessons }))) => {
                learn(lessons);
                Asked::Settled(revision)
            }
        };
    }

    /// Whether all counts that there was to say.
    pub(super) fn is_settled(&self) -> bool {
        matches!(*self.asked(), Asked::Settled(_))
    }

    /// What is said in time; else where it will be said.
    fn ask(&self, known: Option<u64>) -> Result<Told, Receiver<Told>> {
        let tells = self.tells.clone();
        let (tell, told) = sync_channel(1);
        let asked = std::thread::Builder::new().name("lessons".to_owned()).spawn(move || {
            let said = tells(known);
            // Who has the answer may close the store.
            drop(tells);
            // Nobody listens any more where the program ends.
            let _ = tell.send(said);
        });
        if let Err(error) = asked {
            tracing::warn!("nothing is learned from past calls: {error}");
        }
        match told.recv_timeout(PATIENCE) {
            Ok(said) => Ok(said),
            Err(RecvTimeoutError::Timeout) => Err(told),
            Err(RecvTimeoutError::Disconnected) => Ok(Err(Untold)),
        }
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        // Whole between any two statements that change it.
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
