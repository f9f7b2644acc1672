//! What this process works on: which sessions, and how it is stopped.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assent_core::ids::SessionId;
use assent_core::order::sort;
use assent_engine::turn::{TurnEnd, TurnError};
use tokio::sync::{Notify, broadcast, oneshot};
use tokio_util::sync::CancellationToken;

use crate::signals::Signals;
use crate::wire::{ErrorCode, Failure, Signal};

/// All work of this process.
pub struct Work {
    active: Mutex<HashMap<SessionId, Vec<(u64, CancellationToken)>>>,
    changed: Notify,
    signals: Signals,
    ends: broadcast::Sender<TurnEnd>,
}

/// How some work came out, for whoever still waits for it.
pub type Outcome = oneshot::Receiver<Result<(), Failure>>;

/// How turns ended, or why one could not begin.
type Done = Result<Vec<TurnEnd>, TurnError>;

type Working = Pin<Box<dyn Future<Output = Done> + Send>>;

type Tell = oneshot::Sender<Result<(), Failure>>;

impl Work {
    /// Nothing goes on yet. What begins and ends is told to `signals`.
    pub fn new(signals: Signals) -> Self {
        Self { active: Mutex::default(), changed: Notify::new(), signals, ends: broadcast::Sender::new(64) }
    }

    /// Begins some work of a session; a failure is told as trouble.
    pub fn begin<F>(self: &Arc<Self>, session: SessionId, work: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = Done> + Send + 'static,
    {
        self.spawn(session, work, None);
    }

    /// Begins some work of a session; a failure goes to whoever still waits for the outcome, else it is told as
    /// trouble.
    pub fn begin_watched<F>(self: &Arc<Self>, session: SessionId, work: impl FnOnce(CancellationToken) -> F) -> Outcome
    where
        F: Future<Output = Done> + Send + 'static,
    {
        let (tell, outcome) = oneshot::channel();
        self.spawn(session, work, Some(tell));
        outcome
    }

    fn spawn<F>(self: &Arc<Self>, session: SessionId, work: impl FnOnce(CancellationToken) -> F, tell: Option<Tell>)
    where
        F: Future<Output = Done> + Send + 'static,
    {
        let cancel = CancellationToken::new();
        let held = self.hold(session, cancel.clone());
        tauri::async_runtime::spawn(Arc::clone(self).see_through(tell, held, Box::pin(work(cancel))));
    }

    /// Sees some work through to its end; one way for all work, however it began. Where it panics, what comes last here
    /// is dropped first: it has ended before whoever waits for the outcome hears that there is none.
    async fn see_through(self: Arc<Self>, tell: Option<Tell>, held: Held, work: Working) {
        let result = work.await;
        let session = held.session.clone();
        drop(held);
        let result = result.map_err(Failure::from).map(|ends| {
            // Nobody has to listen.
            ends.into_iter().for_each(|end| drop(self.ends.send(end)));
        });
        let untold = match tell {
            Some(tell) => tell.send(result).err(),
            None => Some(result),
        };
        if let Some(Err(failure)) = untold
            // Whoever holds the run carries it on with what was written down here.
            && failure.code != ErrorCode::Busy
        {
            self.signals.tell(Signal::Trouble { session, failure });
        }
    }

    /// Stops what goes on in a session, and returns when it has ended.
    pub async fn stop(&self, session: &SessionId) {
        self.stop_where(|one| one == session).await;
    }

    /// Stops everything at once, and returns when it has ended.
    pub async fn stop_all(&self) {
        self.stop_where(|_| true).await;
    }

    async fn stop_where(&self, is_meant: impl Fn(&SessionId) -> bool) {
        loop {
            let changed = self.changed.notified();
            let tokens: Vec<CancellationToken> = {
                let active = self.lock();
                let meant = active.iter().filter(|(session, _)| is_meant(session));
                meant.flat_map(|(_, works)| works.iter().map(|(_, cancel)| cancel.clone())).collect()
            };
            if tokens.is_empty() {
                return;
            }
            tokens.iter().for_each(CancellationToken::cancel);
            changed.await;
        }
    }

    /// The sessions in which something goes on.
    pub fn active(&self) -> Vec<SessionId> {
        let mut sessions: Vec<SessionId> = self.lock().keys().cloned().collect();
        sort(&mut sessions);
        sessions
    }

    /// How turns end from now on.
    pub fn ends(&self) -> broadcast::Receiver<TurnEnd> {
        self.ends.subscribe()
    }

    fn hold(self: &Arc<Self>, session: SessionId, cancel: CancellationToken) -> Held {
        let mut active = self.lock();
        let works = active.entry(session.clone()).or_default();
        let number = works.last().map_or(0, |(number, _)| number + 1);
        works.push((number, cancel));
        if works.len() == 1 {
            self.signals.tell(Signal::Work { session: session.clone(), active: true });
        }
        drop(active);
        Held { work: Arc::clone(self), session, number }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Vec<(u64, CancellationToken)>>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Some work while it goes on; also one that panics ends.
struct Held {
    work: Arc<Work>,
    session: SessionId,
    number: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut active = self.work.lock();
        if let Some(works) = active.get_mut(&self.session) {
            works.retain(|(number, _)| *number != self.number);
            if works.is_empty() {
                active.remove(&self.session);
                let session = self.session.clone();
                self.work.signals.tell(Signal::Work { session, active: false });
            }
        }
        drop(active);
        self.work.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(signals: &mut broadcast::Receiver<Signal>) -> Vec<Signal> {
        std::iter::from_fn(|| signals.try_recv().ok()).collect()
    }

    fn going(active: bool) -> Signal {
        Signal::Work { session: "s".into(), active }
    }

    fn work() -> (Arc<Work>, broadcast::Receiver<Signal>) {
        let signals = Signals::new(16);
        let receiver = signals.subscribe();
        (Arc::new(Work::new(signals)), receiver)
    }

    async fn until_stopped(cancel: CancellationToken) -> Result<Vec<TurnEnd>, TurnError> {
        cancel.cancelled().await;
        Ok(Vec::new())
    }

    #[tokio::test]
    async fn a_session_is_active_from_its_first_work_to_the_end_of_its_last() {
        let (work, mut signals) = work();
        let one = work.begin_watched("s".into(), until_stopped);
        let two = work.begin_watched("s".into(), until_stopped);
        assert_eq!((work.active(), told(&mut signals)), (vec!["s".into()], vec![going(true)]));
        work.stop(&"s".into()).await;
        assert_eq!((work.active(), told(&mut signals)), (vec![], vec![going(false)]));
        assert_eq!((one.await, two.await), (Ok(Ok(())), Ok(Ok(()))));
        work.stop(&"s".into()).await;
        work.stop_all().await;
    }

    #[tokio::test]
    async fn everything_is_told_to_stop_before_anything_is_waited_for() {
        let (work, _signals) = work();
        let (one, two) = (CancellationToken::new(), CancellationToken::new());
        // Each ends when the other was told.
        for (session, own, other) in [("s", &one, &two), ("t", &two, &one)] {
            let (own, other) = (own.clone(), other.clone());
            work.begin(session.into(), |cancel| async move {
                cancel.cancelled().await;
                own.cancel();
                other.cancelled().await;
                Ok(Vec::new())
            });
        }
        work.stop_all().await;
        assert_eq!(work.active(), []);
    }

    #[tokio::test]
    async fn a_failure_goes_to_whoever_waits_and_is_trouble_otherwise() {
        let (work, mut signals) = work();
        let failing = |_| async { Err(TurnError::EmptyMessage) };
        let failure = Failure::from(TurnError::EmptyMessage);
        assert_eq!(work.begin_watched("s".into(), failing).await, Ok(Err(failure.clone())));
        assert_eq!(told(&mut signals), [going(true), going(false)]);
        work.begin("s".into(), failing);
        let seen = [signals.recv().await, signals.recv().await, signals.recv().await].map(Result::unwrap);
        assert_eq!(seen, [going(true), going(false), Signal::Trouble { session: "s".into(), failure }]);
    }

    #[tokio::test]
    async fn work_that_panics_has_ended() {
        let (work, mut signals) = work();
        let outcome = work.begin_watched("s".into(), |_| async { panic!("a defect") });
        assert!(outcome.await.is_err());
        assert_eq!((work.active(), told(&mut signals)), (vec![], vec![going(true), going(false)]));
    }
}
