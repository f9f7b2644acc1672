//! What is found before another version of a plan is approved: what its earlier runs have begun ends, and nobody has an
//! effect made twice that they do not know of.

use std::time::Duration;

use assent_core::ids::StepId;
use assent_core::plan::Plan;
use assent_core::run::{CallState, Decider, Durability, EventKind, LedgerEntry, Place, RequestStatus, SessionKind};

use super::{TurnError, Turns};
use crate::executor::{Again, Was};
use crate::store::{RunRow, SessionRow};

/// So long the approval of a version waits for the end of an earlier one's run that another process carries on.
const STOPPING: Duration = Duration::from_secs(10);

impl Turns {
    /// Ends the unfinished runs of a plan's earlier versions, which are given back, and looks at what the latest run has done
    /// that the new version may do once more.
    pub(super) async fn end_earlier(
        &self,
        session: &SessionRow,
        new: &Plan,
        by: Decider,
    ) -> Result<Vec<RunRow>, TurnError> {
        let mut runs = self.parts.runs.runs_of(&session.id)?;
        // Of two who approve one version at once, the later ends nothing of what the other has begun.
        runs.retain(|run| run.plan.id == new.id && run.plan.version < new.version);
        let unfinished: Vec<RunRow> = runs.iter().filter(|run| !run.status.is_final()).cloned().collect();
        for earlier in &unfinished {
            self.nothing_unknown(earlier)?;
        }
        // A workflow that is over is to do everything anew.
        if unfinished.is_empty() && session.kind == SessionKind::Workflow {
            return Ok(unfinished);
        }
        // What nobody has in hand does nothing meanwhile: it is looked at before anything ends, so that an approval that
        // does not count ends nothing.
        let looked = match self.latest_worked_on(runs.iter())? {
            Some(latest) if !self.parts.locks.is_held(&latest.id)? => {
                self.nothing_twice(latest, new, by, APPROVAL).await?;
                Some((latest.id.clone(), self.begun(latest)?))
            }
            _ => None,
        };
        for earlier in &unfinished {
            self.end_run(earlier, STOPPING).await?;
        }
        match self.latest_worked_on(runs.iter())? {
            Some(latest) if looked != Some((latest.id.clone(), self.begun(latest)?)) => {
                self.nothing_twice(latest, new, by, APPROVAL).await?;
            }
            _ => {}
        }
        Ok(unfinished)
    }

    /// How many calls of a run have begun.
    fn begun(&self, row: &RunRow) -> Result<usize, TurnError> {
        Ok(self.folded(row)?.1.ledger().iter().filter(|entry| entry.begun.is_some()).count())
    }

    /// Refuses to end a run that has begun an effect of which nobody knows how it ended: another version would have it
    /// once more.
    fn nothing_unknown(&self, row: &RunRow) -> Result<(), TurnError> {
        // Whoever carries it on knows how its calls end.
        if self.parts.locks.is_held(&row.id)? {
            return Ok(());
        }
        let (_, state) = self.folded(row)?;
        let is_open = |entry: &&LedgerEntry| {
            let settled = state.step(entry.step).status.is_settled();
            matches!(entry.state, CallState::Open) && entry.repeated_by.is_none() && !settled
        };
        let Some(open) = state.ledger().iter().filter(is_open).find(|entry| entry.has_effects()) else { return Ok(()) };
        let asked = open.request.map(|request| &state.requests()[request]);
        let remedy = match asked.filter(|request| request.status == RequestStatus::Open) {
            Some(request) => format!("in its question, or with `assent answer {}`", request.request.id),
            None => format!("that run asks for it when it goes on, also with `assent resume {}`", row.id),
        };
        let step = &state.step(open.step).id;
        let problem = format!(
            "{} in step {step} of the earlier run may already have had its effect: say first what became of it ({remedy})",
            open.tool
        );
        Err(TurnError::PlanState(problem))
    }

    /// Ends a run of an earlier version, whoever carries it on: what it has done is known when this returns, and what is
    /// taken over from it.
    async fn end_run(&self, row: &RunRow, limit: Duration) -> Result<(), TurnError> {
        let executor = &self.parts.executor;
        if !executor.cancel_within(&row.id, limit).await? {
            // Its holder may have died instead of stopping it.
            self.nothing_unknown(row)?;
            if !executor.cancel_within(&row.id, Duration::ZERO).await? {
                let problem = "the earlier run is being stopped and has not ended yet: look at what it does, then approve once more";
                return Err(TurnError::PlanState(problem.to_owned()));
            }
        }
        Ok(())
    }

    /// Where a run that is over has had an effect, or may have had one, that the run to come may make anew, a person's word
    /// counts only when it is given once more, after they were told just that. That they were told is the last event of
    /// the run that is over.
    pub(super) async fn nothing_twice(
        &self,
        row: &RunRow,
        new: &Plan,
        by: Decider,
        redo: Redo<'_>,
    ) -> Result<(), TurnError> {
        let (old, state) = self.folded(row)?;
        let again = self.parts.executor.made_again(&old, &state, new, redo.wanted)?;
        let Some(message) = told(&again, redo.remedy) else { return Ok(()) };
        let events = self.parts.runs.run_events(&row.id)?;
        let is_this = |kind: &EventKind| matches!(kind, EventKind::Warned { message: said } if *said == message);
        let is_told = events.last().is_some_and(|event| is_this(&event.kind));
        if is_told && by != Decider::Policy {
            return Ok(());
        }
        if !is_told {
            let place =
                Place { session: row.session.clone(), turn: row.turn.clone(), run: Some(row.id.clone()), step: None };
            let warned = EventKind::Warned { message: message.clone() };
            self.write(&place, vec![warned], Vec::new(), Durability::Committed).await?;
        }
        Err(TurnError::PlanState(message))
    }
}

/// What a person wants done that an earlier run has begun.
#[derive(Clone, Copy)]
pub(super) struct Redo<'a> {
    /// The steps that they have named, or that build on one: what those have had done is wanted anew.
    pub(super) wanted: &'a [&'a StepId],
    /// How they say so once more.
    pub(super) remedy: &'a str,
}

const APPROVAL: Redo<'static> = Redo { wanted: &[], remedy: "approve once more" };

/// What a person has to know of the calls that may be made once more.
fn told(again: &[Again], remedy: &str) -> Option<String> {
    let first =
        [Was::BrokenOff, Was::Unknown, Was::Done].iter().find_map(|was| again.iter().find(|one| one.was == *was))?;
    let how = match first.was {
        Was::BrokenOff => "was stopped in the middle and may have done a part",
        Was::Unknown => "was left out and may already have had its effect",
        Was::Done => "has had its effect, and may have it once more",
    };
    let more = match again.len() - 1 {
        0 => String::new(),
        1 => " (and one more call)".to_owned(),
        more => format!(" (and {more} more calls)"),
    };
    let (tool, step) = (&first.tool, &first.step);
    Some(format!("{tool} in step {step} of the earlier run {how}{more}: look at what it did, then {remedy}"))
}
