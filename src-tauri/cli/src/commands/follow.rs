//! Showing what happens while it happens, every event once and in its order, however slowly it is read.

use std::future::Future;
use std::sync::Arc;

use assent_core::ids::SessionId;
use assent_core::run::{Event, EventKind};
use assent_engine::Engine;
use assent_engine::store::{ListFilter, StoreError};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio_util::sync::CancellationToken;

use crate::interrupt;
use crate::show::published::{self, Length};
use crate::show::{self, costs, event};
use crate::status;
use crate::terminal::Terminal;

/// Milliseconds by which the time of a session in the list may be behind its events.
const SECOND: i64 = 1000;

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
    let watched = watch(engine, session, work, |event| {
        tell(engine, terminal, event);
        status::follow(engine, event, &mut plan);
    });
    let (result, complete) = watched.await;
    if let Err(error) = complete {
        terminal.note(&format!("some of what happened could not be shown: {error}; see: assent sessions show"));
    }
    result
}

/// Does some work and passes on what is committed meanwhile: the events of a session, or all. Also says whether
/// everything was passed on.
async fn watch<T>(
    engine: &Engine,
    session: Option<&SessionId>,
    work: impl Future<Output = T>,
    mut pass: impl FnMut(&Event),
) -> (T, Result<(), StoreError>) {
    let mut told = Told { engine, session, began: engine.now(), last: None, complete: Ok(()) };
    let mut events = engine.changes();
    tokio::pin!(work);
    loop {
        tokio::select! {
            biased;
            event = events.recv() => match event {
                Ok(event) => told.one(&event, &mut pass),
                Err(RecvError::Lagged(_)) => told.missed(&mut pass),
                Err(RecvError::Closed) => return (work.await, told.complete),
            },
            result = &mut work => {
                told.rest(&mut events, &mut pass);
                return (result, told.complete);
            }
        }
    }
}

/// What was passed on so far.
struct Told<'a> {
    engine: &'a Engine,
    session: Option<&'a SessionId>,
    /// When the work began: nothing earlier is told.
    began: i64,
    /// The latest event that was passed on; sequence numbers run through all sessions.
    last: Option<u64>,
    complete: Result<(), StoreError>,
}

impl Told<'_> {
    fn one(&mut self, event: &Event, pass: &mut impl FnMut(&Event)) {
        let known = self.last.is_some_and(|last| event.seq <= last);
        if known || self.session.is_some_and(|session| *session != event.place.session) {
            return;
        }
        self.last = Some(event.seq);
        pass(event);
    }

    /// What came too fast is read from the journal.
    fn missed(&mut self, pass: &mut impl FnMut(&Event)) {
        match self.read() {
            Ok(events) => events.iter().for_each(|event| self.one(event, pass)),
            Err(error) => self.complete = Err(error),
        }
    }

    fn rest(&mut self, events: &mut Receiver<Arc<Event>>, pass: &mut impl FnMut(&Event)) {
        loop {
            match events.try_recv() {
                Ok(event) => self.one(&event, pass),
                Err(TryRecvError::Lagged(_)) => self.missed(pass),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    fn read(&self) -> Result<Vec<Event>, StoreError> {
        let sessions = match self.session {
            Some(session) => vec![session.clone()],
            None => {
                // The last used come first.
                let rows = self.engine.sessions().list(&ListFilter { archived: true, limit: 0, offset: 0 })?;
                let since = self.began - SECOND;
                rows.into_iter().take_while(|row| row.updated_at >= since).map(|row| row.id).collect()
            }
        };
        let mut events = Vec::new();
        for session in sessions {
            let after = self.engine.sessions().events(&session, self.last.unwrap_or(0))?;
            events.extend(after.into_iter().filter(|event| event.at >= self.began));
        }
        events.sort_by_key(|event| event.seq);
        Ok(events)
    }
}

fn tell(engine: &Engine, terminal: &Terminal, event: &Event) {
    if terminal.json {
        // An event always has a JSON form.
        if let Ok(line) = published::line(engine, event, Length::Usual) {
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
            if let Some(text) = event::lines(engine, terminal, None, &event.kind) {
                terminal.note(&text);
            }
        }
        // Beside the result, and for who looks on only.
        EventKind::TurnEnded { .. } if terminal.live => {
            if let Some(told) = costs::of_turn(engine, terminal, event) {
                terminal.note(&told);
            }
        }
        kind => {
            if let Some(text) = event::lines(engine, terminal, event.place.step.as_ref(), kind) {
                terminal.line(&text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use assent_core::run::EventKind;
    use assent_tests::desk::Desk;

    use super::watch;

    /// More events than wait for a listener.
    const MANY: usize = 5000;

    #[tokio::test]
    async fn what_came_too_fast_is_read_from_the_journal() {
        let desk = Desk::with(&[]);
        let (session, other) = (desk.session().await, desk.session().await);
        let before = desk.events(&session).len();
        for only in [Some(&session), None] {
            // Nobody listens while this goes on: it holds the thread.
            let work = async {
                std::thread::scope(|scope| {
                    let busy = scope.spawn(|| {
                        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                        runtime.block_on(async {
                            for at in 0..MANY {
                                desk.engine.sessions().rename(&session, &format!("Name {at}")).await.unwrap();
                            }
                            desk.engine.sessions().rename(&other, "Other").await.unwrap();
                        });
                    });
                    busy.join().unwrap();
                });
            };
            let mut seen = Vec::new();
            let ((), complete) = watch(&desk.engine, only, work, |event| seen.push(event.clone())).await;
            complete.unwrap();
            let renamed = |event: &&assent_core::run::Event| matches!(event.kind, EventKind::SessionRenamed { .. });
            let expected = MANY + usize::from(only.is_none());
            assert_eq!(seen.iter().filter(renamed).count(), expected);
            assert!(seen.is_sorted_by(|one, next| one.seq < next.seq), "each once, in order");
        }
        assert_eq!(desk.events(&session).len(), before + 2 * MANY);
    }
}
