//! The states of turns, runs, steps and requests.

use serde::{Deserialize, Serialize};

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// With an answer.
    Answered,
    /// With a question that only a person can settle.
    Asked,
    /// With an error.
    Failed,
    /// By a person.
    Cancelled,
}

/// The status of a run; derived from its events, never set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Nothing has started.
    Queued,
    /// A step is in progress.
    Running,
    /// `ask_user` ended the turn.
    WaitingForInput,
    /// A confirmation, a permission, an unknown outcome or a cap waits for a person.
    Suspended,
    /// An agent inside a workflow asked for help.
    WaitingForUser,
    /// All steps are settled; the answer is being written.
    Synthesizing,
    /// Every step is completed.
    Completed,
    /// Done, with a step skipped, cancelled or completed with a warning.
    CompletedWithWarnings,
    /// A step failed.
    Failed,
    /// A person stopped it.
    Cancelled,
}

impl RunStatus {
    /// Whether nothing more will happen without a person's retry.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::CompletedWithWarnings | Self::Failed | Self::Cancelled)
    }

    /// In words, for people and for models.
    pub fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::WaitingForInput => "waiting for an answer",
            Self::Suspended => "waiting for a decision",
            Self::WaitingForUser => "waiting for help",
            Self::Synthesizing => "writing its answer",
            Self::Completed => "completed",
            Self::CompletedWithWarnings => "completed with warnings",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether a person has to settle something first.
    pub fn is_waiting(self) -> bool {
        matches!(self, Self::WaitingForInput | Self::Suspended | Self::WaitingForUser)
    }
}

/// The status of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Not started.
    #[default]
    Pending,
    /// Being worked on.
    InProgress,
    /// A request of it is open.
    Waiting,
    /// Done, by the ledger.
    Completed,
    /// Not done.
    Failed,
    /// Never started, because of another step.
    Skipped,
    /// Ended by a person.
    Cancelled,
}

impl StepStatus {
    /// Whether the step is over.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Skipped | Self::Cancelled)
    }

    /// In words, for people and for models.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in progress",
            Self::Waiting => "waiting",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What the ledger says of a step's required tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ValidationStatus {
    /// All were called.
    Passed,
    /// One was not.
    Failed,
    /// There was nothing to check.
    Skipped,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// The tool worked; whether that satisfies a required tool is another question.
    Success,
    /// The tool could not do it.
    Error,
}

/// The status of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RequestStatus {
    /// Waits for a person.
    Open,
    /// A person has settled it.
    Answered,
    /// What asked is no longer there.
    Cancelled,
}

impl RequestStatus {
    /// In words, for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered => "answered",
            Self::Cancelled => "cancelled",
        }
    }
}
