//! What the state of a run does not allow.

use thiserror::Error;

use crate::ids::{CallId, RequestId, RunId, StepId};
use crate::run::{RequestStatus, RunStatus, StepStatus};

/// An event that the state does not allow.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Conflict {
    /// The event belongs to another run, or to none.
    #[error("the event does not belong to run {0}")]
    OtherRun(RunId),
    /// The event needs a step of this run.
    #[error("the event names no step of the run")]
    NoStep,
    /// The step was delegated, and is not one of the plan.
    #[error("step {step} is a part of step {of}: have that one done again")]
    Part {
        /// The step.
        step: StepId,
        /// The step above it.
        of: StepId,
    },
    /// There is no such call.
    #[error("there is no call {0}")]
    NoCall(CallId),
    /// There is no such request.
    #[error("there is no request {0}")]
    NoRequest(RequestId),
    /// The identifier is taken.
    #[error("there is already a step, call or request {0}")]
    Taken(String),
    /// The step's status does not allow it.
    #[error("step {step} is {}, which does not allow this", status.word())]
    Step {
        /// The step.
        step: StepId,
        /// How it stands.
        status: StepStatus,
    },
    /// The call's state does not allow it.
    #[error("call {0} is not in a state for this")]
    Call(CallId),
    /// The request is settled: a second answer is never taken.
    #[error("request {request} is already {}", status.word())]
    Settled {
        /// The request.
        request: RequestId,
        /// How it stands.
        status: RequestStatus,
    },
    /// The run is over.
    #[error("run {0} is over")]
    Over(RunId),
    /// A person's help is awaited, and nothing begins before it comes.
    #[error("run {0} is paused until a person helps")]
    Paused(RunId),
    /// A person wants the run stopped: it can only end as that.
    #[error("run {0} was stopped by a person, and nothing begins in it any more")]
    Stopped(RunId),
    /// The run is said to have ended in a way that its steps do not show.
    #[error("the run is {}, not {}", derived.word(), claimed.word())]
    End {
        /// What the event says.
        claimed: RunStatus,
        /// What the steps say.
        derived: RunStatus,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_something_stands_is_said_in_words() {
        let settled = Conflict::Settled { request: "r1".into(), status: RequestStatus::Answered };
        assert_eq!(settled.to_string(), "request r1 is already answered");
        let end = Conflict::End { claimed: RunStatus::Completed, derived: RunStatus::CompletedWithWarnings };
        assert_eq!(end.to_string(), "the run is completed with warnings, not completed");
        let step = Conflict::Step { step: "s1".into(), status: StepStatus::InProgress };
        assert_eq!(step.to_string(), "step s1 is in progress, which does not allow this");
    }
}
