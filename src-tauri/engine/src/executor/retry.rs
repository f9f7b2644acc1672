//! A settled step that is done once more, because a person says so.

use assent_core::ids::{RunId, StepId};
use assent_core::run::{Durability, EventKind, RunState};
use tokio_util::sync::CancellationToken;

use super::carrier::{Carrier, Happened};
use super::ends::{cut_short, is_under_way, withdrawn};
use super::{Executor, ExecutorError, plain, takeover};

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
                Some(at) if state.step(at).parent().is_none() => {
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
    let on = &state.step(at).id;
    let reason = format!("step {on}, on which it builds, is done again");
    let mut events = Vec::new();
    for next in carrier.job.plan.checked().downstream(at).into_iter().filter(|next| is_under_way(state, *next)) {
        if state.has_begun_effects(next) {
            return Err(ExecutorError::BuiltOn { step: state.step(next).id.clone(), on: on.clone() });
        }
        let mut below = vec![next];
        let mut looked = 0;
        while let Some(above) = below.get(looked).copied() {
            below.extend(state.step(above).children().iter().filter(|child| !state.step(**child).status.is_settled()));
            looked += 1;
        }
        events.extend(withdrawn(state, &reason, |step| step.is_some_and(|step| below.contains(&step))));
        for part in below.into_iter().rev() {
            events.extend(cut_short(state, part, &reason, (part == next).then(|| on.clone())));
        }
    }
    Ok(events)
}
