//! What was interrupted: runs that a process has left behind.

use assent_core::ids::RunId;
use assent_core::run::EventKind;

use super::answer::refused;
use super::{Executor, ExecutorError, RunOutcome};
use crate::store::RunRow;

impl Executor {
    /// Carries on every run that is not over and that nobody else carries on. One that cannot go on keeps none of the
    /// others from it.
    ///
    /// # Errors
    /// The list of runs could not be read.
    pub async fn recover(&self) -> Result<Vec<(RunId, Result<RunOutcome, ExecutorError>)>, ExecutorError> {
        let unended = self.parts.runs.unended()?;
        let carried = unended.into_iter().map(|row| async move {
            let outcome = self.carry_on(&row.id, None).await;
            (row.id, outcome)
        });
        let outcomes = futures::future::join_all(carried).await;
        Ok(outcomes.into_iter().filter(|(_, outcome)| !matches!(outcome, Err(ExecutorError::Busy(_)))).collect())
    }

    /// The runs that are not over and wait for nobody: also one that waits for a person, and whose stop was asked for while
    /// somebody had it in hand who has died since, or in which a step still asks something after another of its calls was
    /// refused. Carrying it on ends the run, or the step.
    ///
    /// # Errors
    /// The runs cannot be read.
    pub fn interrupted(&self) -> Result<Vec<RunRow>, ExecutorError> {
        let mut found = Vec::new();
        for row in self.parts.runs.unended()? {
            if !row.status.is_waiting() || self.waits_to_end(&row) {
                found.push(row);
            }
        }
        Ok(found)
    }

    /// Whether a run that waits was stopped, or asks for what nothing can follow from. Of one in which nobody ever said
    /// either, nothing but its events is read: every program looks at all of them when it starts, and one that cannot be
    /// read keeps none from its work.
    fn waits_to_end(&self, row: &RunRow) -> bool {
        let ends = |kind: &EventKind| match kind {
            EventKind::RunStopAsked => true,
            EventKind::RequestAnswered { answer, .. } => answer.refuses(),
            _ => false,
        };
        let looked = self.parts.runs.run_events(&row.id).map_err(ExecutorError::from);
        let waits = looked.and_then(|events| {
            if !events.iter().any(|event| ends(&event.kind)) {
                return Ok(false);
            }
            let plan = self.parts.jobs.plan(row)?;
            let state = self.parts.folded(&row.id, &plan)?;
            Ok(state.stop_asked() || !refused(&plan, &state).is_empty())
        });
        waits.unwrap_or_else(|error| {
            tracing::warn!("whether run {} waits to be ended cannot be read: {error}", row.id);
            false
        })
    }

    /// Whether a person has stopped a run that is not over.
    pub(super) fn is_stop_asked(&self, run: &RunId) -> Result<bool, ExecutorError> {
        Ok(self.folded(&self.parts.runs.run(run)?)?.stop_asked())
    }
}
