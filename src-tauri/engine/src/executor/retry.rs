//! A settled step that is done once more, because a person says so.

use assent_core::ids::{RunId, StepId};
use assent_core::run::{Durability, EventKind, RunState, StepStatus};
use tokio_util::sync::CancellationToken;

use super::carrier::{Carrier, Happened};
use super::step::ended;
use super::{Executor, ExecutorError, plain, takeover, verify};

impl Executor {
    /// Makes a settled step, and what ended because of it, pending again; completed steps that build on it are marked
    /// stale. What builds on it and is under way is taken back with what it asks: it would act on a result that counts no
    /// more. [`Executor::carry_on`] does the work.
    ///
    /// # Errors
    /// [`ExecutorError::Conflict`] when the step is not settled or the run was cancelled; [`ExecutorError::BuiltOn`] where
    /// something under way builds on it that has begun an effect.
    pub async fn retry(&self, run: &RunId, step: &StepId) -> Result<(), ExecutorError> {
        let Some(_held) = self.parts.locks.try_lock(run)? else {
            return Err(ExecutorError::Busy(run.clone()));
        };
        let row = self.parts.runs.run(run)?;
        let state = self.folded(&row)?;
        let carrier = self.load(row, state, None, CancellationToken::new())?;
        let events = {
            let state = carrier.state();
            let at = state.index_of(step);
            let (mut events, stale) = match at {
                Some(at) if state.step(at).status.is_settled() && state.step(at).parent().is_none() => {
                    let stale = takeover::completed_downstream(carrier.job.plan.checked(), &state, at);
                    (taken_back(&carrier, &state, at)?, stale)
                }
                _ => (Vec::new(), Vec::new()),
            };
            events.push((at, EventKind::StepReset { stale }));
            events
        };
        carrier.write(events, Durability::Committed).await.map_err(plain)
    }
}

/// The end of all that builds on a step and is under way, each after the parts that it has handed on.
fn taken_back(carrier: &Carrier, state: &RunState, at: usize) -> Result<Vec<Happened>, ExecutorError> {
    let is_under_way = |step: &usize| matches!(state.step(*step).status, StepStatus::InProgress | StepStatus::Waiting);
    let mut events = Vec::new();
    for next in carrier.job.plan.checked().downstream(at).into_iter().filter(is_under_way) {
        let (step, on) = (&state.step(next).id, &state.step(at).id);
        if state.has_begun_effects(next) {
            return Err(ExecutorError::BuiltOn { step: step.clone(), on: on.clone() });
        }
        let mut below = vec![next];
        let mut looked = 0;
        while let Some(above) = below.get(looked).copied() {
            below.extend(state.step(above).children().iter().filter(|child| !state.step(**child).status.is_settled()));
            looked += 1;
        }
        for part in below.into_iter().rev() {
            let reason = format!("step {on}, on which it builds, is done again");
            for open in state.open_requests().filter(|open| open.step == Some(part)) {
                let request = open.request.id.clone();
                events.push((Some(part), EventKind::RequestCancelled { request, reason: reason.clone() }));
            }
            let validation = verify::validation(state, part, &carrier.step(part));
            let mut end = ended(StepStatus::Cancelled, validation, None, Some(reason));
            if let EventKind::StepEnded { because, .. } = &mut end {
                *because = (part == next).then(|| on.clone());
            }
            events.push((Some(part), end));
        }
    }
    Ok(events)
}
