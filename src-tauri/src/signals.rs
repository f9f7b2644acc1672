//! Where the page is told things, and what of them is still being written: a page that comes later, or looks at a session
//! later, is told of that from its beginning, in order with everything else.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assent_core::ids::SessionId;
use assent_core::run::{Event, EventKind, Place};
use tokio::sync::broadcast;

use crate::stream::{joined, keep_end};
use crate::wire::{PlanningSign, Signal, TextKind};

/// So many bytes of one text are kept. Of a longer one its end is.
const MOST: usize = 1 << 18;

/// Tells whoever listens. Clones tell the same.
#[derive(Clone)]
pub struct Signals(Arc<Told>);

struct Told {
    sender: broadcast::Sender<Signal>,
    /// Held while something is told, so that nothing comes between a piece and what is told of it once more.
    written: Mutex<Written>,
}

/// What is being written.
#[derive(Debug, Default)]
struct Written {
    /// Its pieces, in the order in which they were told first.
    pieces: Vec<Signal>,
    /// The sessions in which something goes on: a piece may come after the end of what it tells of, and is nobody's then.
    active: HashSet<SessionId>,
}

impl Signals {
    /// Nobody listens yet; so many signals wait for whoever does.
    pub fn new(room: usize) -> Self {
        Self(Arc::new(Told { sender: broadcast::Sender::new(room), written: Mutex::default() }))
    }

    /// Everything from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Signal> {
        self.0.sender.subscribe()
    }

    /// Tells something.
    pub fn tell(&self, signal: Signal) {
        let mut written = self.written();
        written.take(&signal);
        self.send(signal);
    }

    /// Tells what is being written in a session, from its beginning.
    pub fn retell(&self, session: &SessionId) {
        let written = self.written();
        let pieces = written.pieces.iter().filter(|piece| place(piece).is_some_and(|at| at.session == *session));
        self.send(Signal::UnderWay { session: session.clone(), pieces: pieces.cloned().collect() });
    }

    /// Tells what was committed; it may end what is being written.
    pub fn committed(&self, event: Arc<Event>) {
        let mut written = self.written();
        written.end(&event);
        self.send(Arc::unwrap_or_clone(event).into());
    }

    /// Tells that events were missed: whatever is being written may have ended with one of them.
    pub fn missed(&self) {
        let mut written = self.written();
        written.pieces.clear();
        self.send(Signal::Behind { after: 0 });
    }

    fn send(&self, signal: Signal) {
        // Whoever listens later reads how things stand.
        let _nobody_listens = self.0.sender.send(signal);
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.0.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Written {
    fn take(&mut self, signal: &Signal) {
        match signal {
            Signal::Again { place: at, .. } => self.forget(|piece| is_text_of(piece, at)),
            Signal::Planning { place: at, progress: PlanningSign::Again } => {
                self.forget(|piece| is_planning_of(piece, at));
            }
            Signal::Work { session, active: true } => {
                self.active.insert(session.clone());
            }
            Signal::Work { session, active: false } | Signal::SessionDeleted { session } => {
                self.active.remove(session);
                self.forget(|piece| place(piece).is_some_and(|at| at.session == *session));
            }
            // No page shows it.
            Signal::Text { kind: TextKind::Structure, .. } => {}
            _ if place(signal).is_some_and(|at| self.active.contains(&at.session)) => self.grow(signal),
            _ => {}
        }
    }

    fn grow(&mut self, signal: &Signal) {
        // Several write at the same time: what a piece goes on with need not be the last.
        let older = self.pieces.iter_mut().rfind(|older| is_beside(older, signal));
        let Some(older) = older else { return self.pieces.push(signal.clone()) };
        if joined(older, signal) {
            shorten(older);
        } else if takes_the_place_of(signal, older) {
            *older = signal.clone();
        } else {
            self.pieces.push(signal.clone());
        }
    }

    fn end(&mut self, event: &Event) {
        let at = &event.place;
        match &event.kind {
            EventKind::ModelReplied { .. }
            | EventKind::ModelFailed { .. }
            | EventKind::Answered { .. }
            | EventKind::StepEnded { .. } => self.forget(|piece| is_text_of(piece, at)),
            EventKind::PlanProposed { .. } | EventKind::TurnEnded { .. } => {
                let turn = Place { run: None, step: None, ..at.clone() };
                self.forget(|piece| is_text_of(piece, &turn) || is_planning_of(piece, &turn));
            }
            EventKind::CallEnded { call, .. } => {
                self.forget(|piece| matches!(piece, Signal::Call { call: ended, .. } if ended == call));
            }
            _ => {}
        }
    }

    fn forget(&mut self, is_over: impl Fn(&Signal) -> bool) {
        self.pieces.retain(|piece| !is_over(piece));
    }
}

/// Whether two pieces belong to the same text, plan or call.
fn is_beside(one: &Signal, other: &Signal) -> bool {
    match (one, other) {
        (Signal::Call { call, .. }, Signal::Call { call: same, .. }) => call == same,
        (Signal::Text { .. }, Signal::Text { .. }) | (Signal::Planning { .. }, Signal::Planning { .. }) => {
            place(one) == place(other)
        }
        _ => false,
    }
}

/// Whether of two pieces of a plan the newer one is a step of which more is there by now.
fn takes_the_place_of(newer: &Signal, older: &Signal) -> bool {
    use PlanningSign::Step;
    matches!(
        (newer, older),
        (
            Signal::Planning { progress: Step { index, .. }, .. },
            Signal::Planning { progress: Step { index: same, .. }, .. },
        ) if index == same
    )
}

/// Keeps the end of a text that has become too long to be told once more as a whole.
fn shorten(piece: &mut Signal) {
    if let Signal::Text { text, .. }
    | Signal::Planning { progress: PlanningSign::Answer { text } | PlanningSign::Thought { text }, .. } = piece
    {
        keep_end(text, MOST);
    }
}

fn place(piece: &Signal) -> Option<&Place> {
    match piece {
        Signal::Planning { place, .. } | Signal::Text { place, .. } | Signal::Call { place, .. } => Some(place),
        _ => None,
    }
}

fn is_text_of(piece: &Signal, at: &Place) -> bool {
    matches!(piece, Signal::Text { place, .. } if is_same(place, at))
}

fn is_planning_of(piece: &Signal, at: &Place) -> bool {
    matches!(piece, Signal::Planning { place, .. } if (&place.session, &place.turn) == (&at.session, &at.turn))
}

/// Whether both are the same step, or, without one, the same turn.
fn is_same(one: &Place, other: &Place) -> bool {
    one.session == other.session
        && one.step == other.step
        && if one.step.is_some() { one.run == other.run } else { one.turn == other.turn }
}

#[cfg(test)]
mod tests;
