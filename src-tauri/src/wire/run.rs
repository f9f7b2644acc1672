//! Runs as they are shown: steps and the ledger of calls.

use assent_core::contract::{Fault, Risk};
use assent_core::ids::{CallId, RequestId, RunId, StepId};
use assent_core::plan::{Plan, Step};
use assent_core::run::{
    CallState, CallStatus, Content, Decider, LedgerEntry, RunState, StepState, StepStatus, Usage, ValidationStatus,
};
use assent_engine::engine::Carried;
use assent_engine::store::RunRow;
use serde::Serialize;
use serde_json::Value;

/// A run as its events fold.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RunView {
    /// Its row in lists.
    pub row: RunRow,
    /// In the plan's order.
    pub steps: Vec<StepView>,
    /// The ledger, in the order in which calls were asked for.
    pub calls: Vec<CallView>,
    /// The open requests, oldest first.
    pub requests: Vec<RequestId>,
    /// Tokens of all model calls.
    pub usage: Usage,
    /// How often a model has answered.
    pub model_calls: u32,
}

/// What a run carries out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunPlan {
    /// The version of the plan.
    pub plan: Plan,
    /// The steps to which others are handed on at the moment, each with the one above it.
    pub parts: Vec<Step>,
}

/// A step of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    /// Names it in the plan.
    pub id: StepId,
    /// How it stands.
    pub status: StepStatus,
    /// From 1; 0 before the first.
    pub attempt: u32,
    /// What the ledger said at its end.
    pub validation: Option<ValidationStatus>,
    /// What it gave.
    pub result: Option<Content>,
    /// Why it did not complete, or the warning with which it did.
    pub reason: Option<String>,
    /// Whether it completed with a warning.
    pub warning: bool,
    /// Whether it completed on something that was done again since.
    pub stale: bool,
    /// The earlier run whose completed step this is.
    pub carried_from: Option<RunId>,
    /// When the current attempt began.
    pub started_at: Option<i64>,
    /// When it was settled.
    pub ended_at: Option<i64>,
    /// Tokens of all attempts.
    pub usage: Usage,
}

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CallView {
    /// The call.
    pub call: CallId,
    /// The step that makes it.
    pub step: StepId,
    /// The tool.
    pub tool: String,
    /// With what.
    pub arguments: Content,
    /// How it stands.
    pub state: CallStateView,
    /// What it gave.
    pub output: Option<Content>,
    /// Why it did not work.
    pub error: Option<String>,
    /// Why it was not started.
    pub fault: Option<Fault>,
    /// Whether it counts towards the required tools.
    pub satisfied: bool,
    /// What its step names and it had nothing to do with, where that is so.
    pub missed: Option<String>,
    /// Set where the result is a person's word.
    pub by: Option<Decider>,
    /// The worst it can do; known once it began.
    pub risk: Option<Risk>,
    /// When it began.
    pub started_at: Option<i64>,
    /// How long it took.
    pub duration_ms: Option<u64>,
}

/// How a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CallStateView {
    /// A reply asks for it; nothing has happened.
    Planned,
    /// It has begun and has no end.
    Open,
    /// It waits for a person.
    Suspended,
    /// The tool worked.
    Success,
    /// The tool could not do it.
    Error,
    /// It was not started.
    Refused,
}

/// A call's arguments and result, whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CallContents {
    /// With what it was made.
    pub arguments: Value,
    /// What it gave; null before its end.
    pub output: Option<Value>,
}

impl From<Carried> for RunView {
    fn from(carried: Carried) -> Self {
        let state = &carried.state;
        Self {
            steps: state.steps().iter().map(StepView::from).collect(),
            calls: state.ledger().iter().map(|entry| CallView::new(entry, state)).collect(),
            requests: state.open_requests().map(|request| request.request.id.clone()).collect(),
            usage: state.usage(),
            model_calls: state.model_calls(),
            row: carried.row,
        }
    }
}

impl From<Carried> for RunPlan {
    fn from(Carried { plan, state, .. }: Carried) -> Self {
        Self::new(plan, &state)
    }
}

impl RunPlan {
    /// What an attempt that was given up had handed on is left out.
    fn new(plan: Plan, state: &RunState) -> Self {
        let children = state.steps().iter().flat_map(StepState::children);
        let parts = children.map(|child| state.document(&plan, *child).clone()).collect();
        Self { plan, parts }
    }
}

impl From<&StepState> for StepView {
    fn from(step: &StepState) -> Self {
        Self {
            id: step.id.clone(),
            status: step.status,
            attempt: step.attempt,
            validation: step.validation,
            result: step.result.clone(),
            reason: step.reason.clone(),
            warning: step.has_warning(),
            stale: step.stale,
            carried_from: step.carried_from.clone(),
            started_at: step.started_at,
            ended_at: step.ended_at,
            usage: step.usage,
        }
    }
}

impl CallView {
    fn new(entry: &LedgerEntry, state: &RunState) -> Self {
        let mut view = Self {
            call: entry.call.clone(),
            step: state.step(entry.step).id.clone(),
            tool: entry.tool.clone(),
            arguments: entry.arguments.clone(),
            state: CallStateView::Planned,
            output: None,
            error: None,
            fault: None,
            satisfied: false,
            missed: None,
            by: None,
            risk: entry.risk,
            started_at: entry.started_at,
            duration_ms: None,
        };
        match &entry.state {
            CallState::Planned => {}
            CallState::Open => view.state = CallStateView::Open,
            CallState::Suspended => view.state = CallStateView::Suspended,
            CallState::Refused(fault) => {
                view.state = CallStateView::Refused;
                view.fault = Some(fault.clone());
            }
            CallState::Ended(end) => {
                let worked = end.status == CallStatus::Success;
                view.state = if worked { CallStateView::Success } else { CallStateView::Error };
                view.output = Some(end.output.clone());
                view.error.clone_from(&end.error);
                view.satisfied = end.satisfied;
                view.missed.clone_from(&end.missed);
                view.by = end.by;
                view.duration_ms = Some(end.duration_ms);
            }
        }
        view
    }
}

#[cfg(test)]
mod tests {
    use assent_core::ids::SessionId;
    use assent_core::run::{EventKind, Place};
    use serde_json::json;

    use super::*;

    #[test]
    fn the_parts_are_those_of_the_attempt_that_counts_each_with_the_step_above_it() {
        let plan: Plan = serde_json::from_value(json!({
            "format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "c",
            "steps": [{"id": "s1", "description": "Sort"}, {"id": "s2", "description": "Tell", "dependencies": ["s1"]}]
        }))
        .unwrap();
        let run = RunId::new("r");
        let mut state = RunState::new(run.clone(), &plan);
        let place = |step: Option<&str>| Place {
            session: SessionId::new("c"),
            turn: None,
            run: Some(run.clone()),
            step: step.map(StepId::from),
        };
        state.apply(&place(None), 0, &EventKind::RunStarted).unwrap();
        let part = |id: &str| Step { parent_id: Some(StepId::new("s1")), ..Step::new(StepId::from(id), "a part") };
        let handed = |id: &str| EventKind::StepDelegated {
            summary: String::new(),
            steps: vec![part(id)],
            by: None,
            call: None,
            prompt: None,
            does: None,
        };
        let begin = |attempt: u32| EventKind::StepStarted { attempt };
        let failed: EventKind =
            serde_json::from_value(json!({"kind": "step_ended", "status": "failed", "validation": "failed"})).unwrap();
        let told = [
            ("s1", begin(1)),
            ("s1", handed("s1/1")),
            ("s1/1", begin(1)),
            ("s1/1", failed.clone()),
            ("s1", failed),
            ("s1", EventKind::StepReset { stale: Vec::new() }),
            ("s1", begin(2)),
            ("s1", handed("s1/2")),
        ];
        let mut seen = Vec::new();
        for (step, kind) in &told {
            state.apply(&place(Some(step)), 0, kind).unwrap();
            let parts = RunPlan::new(plan.clone(), &state).parts;
            seen.push(parts.into_iter().map(|part| (part.id.to_string(), part.parent_id)).collect::<Vec<_>>());
        }
        let one = |id: &str| vec![(id.to_owned(), Some(StepId::new("s1")))];
        assert_eq!((&seen[0], &seen[1], &seen[6], &seen[7]), (&vec![], &one("s1/1"), &vec![], &one("s1/2")));
    }
}
