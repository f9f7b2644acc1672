//! How turns and plan versions stand, and which event leads from one state to the next.

use serde::{Deserialize, Serialize};

use super::{EventKind, TurnStatus};

/// How a turn stands.
///
/// No event is refused: what a turn is told has happened, and another process may have been quicker. A turn that is over
/// goes on when a run of it does: after an answer, a retry, or with another version of its plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum TurnState {
    /// Its message is being planned or answered. A process that dies here leaves it to be planned again.
    #[default]
    Planning,
    /// A plan waits for a person's word.
    Proposed,
    /// A run of it goes on.
    Running,
    /// It is over.
    Over(TurnStatus),
}

impl TurnState {
    /// Whether an event of this kind can lead to another state.
    pub fn is_moved_by(kind: &EventKind) -> bool {
        [Self::Planning, Self::Proposed, Self::Running].iter().any(|state| state.after(kind) != *state)
    }

    /// The state after an event of the turn.
    #[must_use]
    pub fn after(self, kind: &EventKind) -> Self {
        match (self, kind) {
            (_, EventKind::TurnEnded { status, .. }) => Self::Over(*status),
            (Self::Planning, EventKind::PlanProposed { .. }) => Self::Proposed,
            (Self::Planning | Self::Proposed, EventKind::PlanApproved { .. }) => Self::Running,
            (
                _,
                // What was approved to begin at once is begun by whoever takes the turn up.
                EventKind::PlanApproved { starts: true, .. }
                | EventKind::RunQueued { .. }
                | EventKind::RunStarted
                | EventKind::StepReset { .. }
                | EventKind::RequestAnswered { .. },
            ) => Self::Running,
            (state, _) => state,
        }
    }
}

/// The status of a plan version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Waits for approval, or lies in the library.
    Proposed,
    /// May run.
    Approved,
    /// May not run.
    Rejected,
    /// A later version took its place.
    Superseded,
}

impl PlanStatus {
    /// The status that an event gives to the version it names; of a version that is not there, `None` stands before.
    pub fn said_by(kind: &EventKind) -> Option<Self> {
        match kind {
            EventKind::PlanProposed { .. } => Some(Self::Proposed),
            EventKind::PlanApproved { .. } => Some(Self::Approved),
            EventKind::PlanRejected { .. } => Some(Self::Rejected),
            EventKind::PlanSuperseded { .. } => Some(Self::Superseded),
            _ => None,
        }
    }

    /// Whether a version may be given another status: a decision is made once, and only a later version takes the place
    /// of an approved one.
    pub fn may_become(self, next: Self) -> bool {
        match self {
            Self::Proposed => next != Self::Proposed,
            Self::Approved => next == Self::Superseded,
            Self::Rejected | Self::Superseded => false,
        }
    }
}

#[cfg(test)]
mod tests;
