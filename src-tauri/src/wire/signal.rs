//! What the page is told without asking: events, signs of life, and what goes on in this process.

use assent_core::ids::{CallId, SessionId};
use assent_core::run::{Event, Place};
use assent_engine::live::Sign;
use assent_engine::model::DeltaKind;
use assent_engine::model::local::Loading;
use assent_engine::planner::PlanningProgress;
use serde::Serialize;

use super::Failure;

/// Several signals, sent at once.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Packet {
    /// Counts from 1; the page says which it has taken, so that the shell notices when it stops reading.
    pub number: u64,
    /// In order.
    pub signals: Vec<Signal>,
}

/// Something that happens. A sign of life may come after the event that ends what it tells of; it means nothing then.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Signal {
    /// Something was written down.
    Committed {
        /// What.
        event: Box<Event>,
    },
    /// The page was too slow: everything after this sequence number has to be read again. What follows is complete.
    Behind {
        /// The last event that was told.
        after: u64,
    },
    /// A plan while it is written.
    Planning {
        /// Where.
        #[serde(flatten)]
        place: Place,
        /// What of it.
        progress: PlanningSign,
    },
    /// A piece of a step's reply; without a step, of the turn's answer.
    Text {
        /// Where.
        #[serde(flatten)]
        place: Place,
        /// What kind of text.
        kind: TextKind,
        /// The piece.
        text: String,
    },
    /// The model is asked once more: the pieces so far are void.
    Again {
        /// Where.
        #[serde(flatten)]
        place: Place,
        /// Why.
        reason: String,
    },
    /// A piece of what a long call puts out.
    Call {
        /// Where.
        #[serde(flatten)]
        place: Place,
        /// The call.
        call: CallId,
        /// The piece.
        text: String,
    },
    /// What is being written in a session and what its long calls are doing, from the beginning: it takes the place of
    /// everything that was told of that.
    UnderWay {
        /// Which.
        session: SessionId,
        /// In the order in which they began.
        pieces: Vec<Signal>,
    },
    /// The embedded model is being loaded.
    Loading {
        /// How far.
        state: LoadingState,
        /// Since the start.
        elapsed_ms: u64,
    },
    /// A model is being fetched.
    Pull {
        /// Which.
        model: String,
        /// Bytes that are there.
        done: u64,
        /// Bytes that there will be.
        total: u64,
    },
    /// Fetching a model is over.
    PullEnded {
        /// Which.
        model: String,
        /// Why it is not there.
        failure: Option<Failure>,
    },
    /// A session was removed: it leaves no event.
    SessionDeleted {
        /// Which.
        session: SessionId,
    },
    /// Work of a session began or ended; while it goes on it can be stopped.
    Work {
        /// Which.
        session: SessionId,
        /// Whether it goes on.
        active: bool,
    },
    /// Work in the background could not go on, and no event says so.
    Trouble {
        /// Where.
        session: SessionId,
        /// Why.
        failure: Failure,
    },
    /// A person wants to see this session: a notification was clicked.
    Show {
        /// Which.
        session: SessionId,
    },
    /// A person wants to see what waits for them: they chose it in the tray.
    ShowInbox,
    /// The window is about to go: what the page holds is to be written down now, and that it was is to be said.
    Closing,
}

/// What there is of a plan that is being written; not yet checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PlanningSign {
    /// What the planner thinks aloud.
    Thought {
        /// The piece.
        text: String,
    },
    /// The title.
    Title {
        /// The whole.
        text: String,
    },
    /// A step.
    Step {
        /// From 0.
        index: usize,
        /// What to do.
        description: String,
        /// The first required tool.
        tool: Option<String>,
    },
    /// A piece of a direct answer.
    Answer {
        /// The piece.
        text: String,
    },
    /// What came so far is void: the planner is asked again.
    Again,
}

/// What kind of text a piece belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TextKind {
    /// The text.
    Text,
    /// Thoughts.
    Thought,
    /// Calls or structured output, raw.
    Structure,
}

/// How far loading of the embedded model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LoadingState {
    /// Its server is being started.
    Starting,
    /// It loads.
    Loading,
    /// It answers.
    Ready,
    /// It came to nothing, or nobody waits for it any more.
    Ended,
}

impl From<Event> for Signal {
    fn from(event: Event) -> Self {
        Self::Committed { event: Box::new(event) }
    }
}

impl From<Sign> for Signal {
    fn from(sign: Sign) -> Self {
        match sign {
            Sign::Planning(place, progress) => Self::Planning { place, progress: progress.into() },
            Sign::Writing(place, delta) => {
                let kind = match delta.kind {
                    DeltaKind::Text => TextKind::Text,
                    DeltaKind::Thought => TextKind::Thought,
                    DeltaKind::Structure => TextKind::Structure,
                    DeltaKind::Again => return Self::Again { place, reason: delta.text },
                };
                Self::Text { place, kind, text: delta.text }
            }
            Sign::Calling(place, call, progress) => Self::Call { place, call, text: progress.text },
            Sign::Loading(loading) => {
                let (state, elapsed) = match loading {
                    Loading::Starting => (LoadingState::Starting, std::time::Duration::ZERO),
                    Loading::Loading(elapsed) => (LoadingState::Loading, elapsed),
                    Loading::Ready(elapsed) => (LoadingState::Ready, elapsed),
                    Loading::Ended => (LoadingState::Ended, std::time::Duration::ZERO),
                };
                Self::Loading { state, elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX) }
            }
        }
    }
}

impl From<PlanningProgress> for PlanningSign {
    fn from(progress: PlanningProgress) -> Self {
        match progress {
            PlanningProgress::Thought(text) => Self::Thought { text },
            PlanningProgress::Title(text) => Self::Title { text },
            PlanningProgress::Step { index, description, tool } => Self::Step { index, description, tool },
            PlanningProgress::Answer(text) => Self::Answer { text },
            PlanningProgress::Again => Self::Again,
        }
    }
}
