//! Signs of life: pieces of what models write, and what long calls are doing. Streamed while it happens, never stored.
//!
//! A sign travels beside the events and not in their order: it may come after the event that ends what it tells of.
//! Whoever shows signs ignores such a one.

use assent_core::ids::CallId;
use assent_core::run::Place;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::model::Delta;
use crate::model::local::{Loading, Notice};
use crate::planner::PlanningProgress;
use crate::tool::Progress;

/// Where signs of life go.
pub trait Live: Send + Sync {
    /// For a plan, or a direct answer, while it is written.
    fn planning(&self, place: &Place) -> UnboundedSender<PlanningProgress>;

    /// For the pieces of a step's replies, or of the answer.
    fn deltas(&self, place: &Place) -> UnboundedSender<Delta>;

    /// For the signs of life of a call.
    fn progress(&self, place: &Place, call: &CallId) -> UnboundedSender<Progress>;
}

/// A sign of life and where it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sign {
    /// A plan is being written.
    Planning(Place, PlanningProgress),
    /// A step's reply, or the answer of a turn, is being written.
    Writing(Place, Delta),
    /// A call is at work.
    Calling(Place, CallId, Progress),
    /// The embedded model is being loaded.
    Loading(Loading),
}

/// Nobody looks.
#[derive(Debug, Default, Clone, Copy)]
pub struct Unwatched;

impl Live for Unwatched {
    fn planning(&self, _place: &Place) -> UnboundedSender<PlanningProgress> {
        unbounded_channel().0
    }

    fn deltas(&self, _place: &Place) -> UnboundedSender<Delta> {
        unbounded_channel().0
    }

    fn progress(&self, _place: &Place, _call: &CallId) -> UnboundedSender<Progress> {
        unbounded_channel().0
    }
}

/// Everything goes into one list, in the order in which it comes.
#[derive(Debug, Clone)]
pub struct Watched {
    signs: UnboundedSender<Sign>,
}

impl Watched {
    /// The sending and the receiving end. A receiver that is dropped stops nothing.
    pub fn new() -> (Self, UnboundedReceiver<Sign>) {
        let (signs, receiver) = unbounded_channel();
        (Self { signs }, receiver)
    }

    /// For how loading of the embedded model goes.
    pub fn notice(&self) -> Notice {
        let signs = self.signs.clone();
        std::sync::Arc::new(move |loading| drop(signs.send(Sign::Loading(loading))))
    }

    /// A sender of pieces, each of which becomes a sign.
    fn each<T: Send + 'static>(&self, sign: impl Fn(T) -> Sign + Send + 'static) -> UnboundedSender<T> {
        let (sender, mut pieces) = unbounded_channel();
        let signs = self.signs.clone();
        tokio::spawn(async move {
            while let Some(piece) = pieces.recv().await {
                if signs.send(sign(piece)).is_err() {
                    return;
                }
            }
        });
        sender
    }
}

impl Live for Watched {
    fn planning(&self, place: &Place) -> UnboundedSender<PlanningProgress> {
        let place = place.clone();
        self.each(move |progress| Sign::Planning(place.clone(), progress))
    }

    fn deltas(&self, place: &Place) -> UnboundedSender<Delta> {
        let place = place.clone();
        self.each(move |delta| Sign::Writing(place.clone(), delta))
    }

    fn progress(&self, place: &Place, call: &CallId) -> UnboundedSender<Progress> {
        let (place, call) = (place.clone(), call.clone());
        self.each(move |progress| Sign::Calling(place.clone(), call.clone(), progress))
    }
}

#[cfg(test)]
mod tests {
    use assent_core::run::Place;

    use super::*;
    use crate::model::DeltaKind;

    fn place() -> Place {
        Place { session: "s".into(), turn: Some("t".into()), run: None, step: None }
    }

    #[tokio::test]
    async fn every_sign_says_where_it_belongs() {
        let (live, mut signs) = Watched::new();
        let delta = Delta { kind: DeltaKind::Text, text: "Two ".into() };
        live.deltas(&place()).send(delta.clone()).unwrap();
        assert_eq!(signs.recv().await, Some(Sign::Writing(place(), delta)));
        let progress = Progress { text: "3 of 7 files".into() };
        live.progress(&place(), &"c1".into()).send(progress.clone()).unwrap();
        assert_eq!(signs.recv().await, Some(Sign::Calling(place(), "c1".into(), progress)));
        live.planning(&place()).send(PlanningProgress::Again).unwrap();
        assert_eq!(signs.recv().await, Some(Sign::Planning(place(), PlanningProgress::Again)));
        live.notice()(Loading::Starting);
        assert_eq!(signs.recv().await, Some(Sign::Loading(Loading::Starting)));
    }

    #[tokio::test]
    async fn a_watcher_who_is_gone_stops_nobody() {
        let (live, signs) = Watched::new();
        drop(signs);
        let sender = live.planning(&place());
        sender.send(PlanningProgress::Again).unwrap();
        sender.closed().await;
        live.notice()(Loading::Starting);
    }
}
