//! What a message may reply to or go on from: the plan that waits for an answer, else the session's latest run that is
//! over.

use assent_core::ids::{RequestId, RunId, SessionId, StepId};
use assent_core::plan::{Plan, PlanRef};
use assent_core::run::{Answer, Durability, EventKind, Place, RequestKind, RunState, StepStatus, TurnStatus};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::history::remarks_of;
use super::{TurnEnd, TurnError, Turns};
use crate::executor::{ExecutorError, fits, literal};
use crate::model::{Model, ModelError};
use crate::planner::{
    After, PlanningError, PlanningOutcome, Progress, Relation, Said, Settled, Speaker, Trace, Unplanned,
};
use crate::prompt::{Remark, Remarks};
use crate::store::{RequestRow, RunRow};

/// A plan as it stands.
pub(super) struct Before {
    plan: Plan,
    next: u32,
    settled: Vec<(StepId, StepStatus, String)>,
    remarks: Vec<Remark>,
    question: Option<Asked>,
}

/// What it waits to hear.
struct Asked {
    request: RequestId,
    run: RunId,
    prompt: String,
    /// Whether this message can be its answer.
    takes: bool,
}

/// What is made of a message.
pub(super) enum Reading {
    /// It is planned, knowing what is named here.
    Plan(Relation),
    /// It answers a question.
    Answer { request: RequestId, run: RunId },
}

impl Before {
    pub(super) fn settled(&self) -> Vec<Settled<'_>> {
        let all = self.settled.iter();
        all.map(|(step, status, result)| Settled { step, status: *status, result }).collect()
    }

    pub(super) fn progress<'a>(&'a self, settled: &'a [Settled<'a>]) -> Progress<'a> {
        Progress { plan: &self.plan, next: self.next, settled, remarks: &self.remarks }
    }

    pub(super) fn after<'a>(&'a self, progress: &'a Progress<'a>) -> After<'a> {
        match &self.question {
            Some(asked) => After::Question { plan: progress, question: &asked.prompt },
            None => After::Finished(progress),
        }
    }

    fn answers(&self) -> Option<Reading> {
        let asked = self.question.as_ref().filter(|asked| asked.takes)?;
        Some(Reading::Answer { request: asked.request.clone(), run: asked.run.clone() })
    }
}

/// What a person has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words<'m> {
    /// Byte for byte.
    pub text: &'m str,
    /// The question that it was written below.
    pub answers: Option<&'m RequestId>,
    /// The version that has it planned anew: it was said before, and is no answer to what was asked since.
    pub replans: Option<&'m PlanRef>,
}

/// What a message comes to before anything is done.
pub(super) enum Made {
    /// It answers a question.
    Answer { request: RequestId, run: RunId },
    /// It is planned, or answered without a plan.
    Outcome(PlanningOutcome),
}

impl Turns {
    /// The open question of a session that is named; where none is named, the oldest.
    ///
    /// # Errors
    /// The one that is named is settled: a word below it is no answer to another one.
    pub(super) fn question(
        &self,
        session: &SessionId,
        named: Option<&RequestId>,
    ) -> Result<Option<RequestRow>, TurnError> {
        let mut open = self.parts.requests.open_requests()?;
        open.retain(|row| row.session == *session && row.request.kind == RequestKind::Question);
        let Some(named) = named else { return Ok((!open.is_empty()).then(|| open.swap_remove(0))) };
        match open.iter().position(|row| row.request.id == *named) {
            Some(at) => Ok(Some(open.swap_remove(at))),
            None => Ok(self.parts.executor.open_request(named).map(|_| None)?),
        }
    }

    /// The answer that a message is for certain: an option, a number where one is asked for. Anything else is judged.
    pub(super) fn certain(row: &RequestRow, text: &str) -> Option<Answer> {
        literal(&row.request, text).map(|value| Answer::Value { value })
    }

    /// The plan that a message may belong to.
    pub(super) fn before(&self, session: &SessionId, words: Words<'_>) -> Result<Option<Before>, TurnError> {
        let question = self.question(session, words.answers)?;
        let of_question = question.as_ref().and_then(|row| row.run.as_ref());
        let row = match of_question {
            Some(run) => Some(self.parts.runs.run(run)?),
            None => self.parts.runs.latest_runs(session, 1)?.pop().filter(|row| row.status.is_final()),
        };
        let Some(row) = row else { return Ok(None) };
        let (plan, state) = self.folded(&row)?;
        let versions = self.parts.plans.history(&plan.id)?;
        let latest = versions.last().map_or(plan.version, |row| row.plan.version);
        let answer = Answer::Value { value: Value::String(words.text.trim().to_owned()) };
        let question = question.map(|open| Asked {
            takes: words.replans.is_none() && fits(&open.request, &answer).is_ok(),
            request: open.request.id,
            prompt: open.request.prompt,
            run: row.id,
        });
        let settled = self.parts.executor.results(&state)?;
        let remarks = remarks_of(self.parts.plans.said_of(&row.plan)?);
        Ok(Some(Before { settled, remarks, plan, next: latest + 1, question }))
    }

    /// What a person said of the plan that waits for approval in a session, as a part of what was said there.
    pub(super) fn said_of_waiting(&self, session: &SessionId) -> Result<Option<Said>, TurnError> {
        let plans = &self.parts.plans;
        let Some(plan) = plans.waiting(session)? else { return Ok(None) };
        let remarks = remarks_of(plans.said_of(&plan)?);
        if remarks.is_empty() {
            return Ok(None);
        }
        let told = self.parts.executor.templates().render(&Remarks { remarks: &remarks });
        Ok(Some(Said { by: Speaker::User, text: told.map_err(ExecutorError::from)?.text }))
    }

    /// A run's plan, and what its events fold to.
    pub(super) fn folded(&self, row: &RunRow) -> Result<(Plan, RunState), TurnError> {
        let plan = self.parts.plans.plan(row.plan.id.as_str(), Some(row.plan.version))?;
        let events = self.parts.runs.run_events(&row.id)?;
        let state = RunState::folded(row.id.clone(), &plan, events).map_err(ExecutorError::from)?;
        Ok((plan, state))
    }

    /// What a message is to the plan before it. Where the model cannot be asked, it answers the question that waits: a
    /// person's word is never lost to a connection.
    pub(super) async fn read(
        &self,
        model: Result<&dyn Model, &ModelError>,
        before: Option<&Before>,
        text: &str,
        cancel: &CancellationToken,
    ) -> Result<(Reading, Trace), Unplanned> {
        let Some(before) = before else { return Ok((Reading::Plan(Relation::New), Trace::default())) };
        let settled = before.settled();
        let progress = before.progress(&settled);
        let judged = match model {
            Ok(model) => self.parts.planner.relation(model, &before.after(&progress), text, cancel).await,
            Err(error) => Err(Unplanned { error: error.clone().into(), trace: Trace::default() }),
        };
        match judged {
            Ok((Relation::Answer, trace)) => Ok((before.answers().unwrap_or(Reading::Plan(Relation::Earlier)), trace)),
            Ok((relation, trace)) => Ok((Reading::Plan(relation), trace)),
            Err(unread) if matches!(unread.error, PlanningError::Model(ModelError::Cancelled)) => Err(unread),
            // Whatever keeps it from being planned too is told then.
            Err(unread) => Ok((before.answers().unwrap_or(Reading::Plan(Relation::New)), unread.trace)),
        }
    }

    /// Hands a message that is already written down to the step that asked.
    pub(super) async fn hand_over(
        &self,
        place: &Place,
        (request, run): (RequestId, RunId),
        trace: Trace,
        text: &str,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let answer = Answer::Value { value: Value::String(text.trim().to_owned()) };
        self.write(place, trace.events, trace.blobs, Durability::Committed).await?;
        if let Err(error) = self.parts.executor.answer(&request, answer, place.turn.clone()).await {
            return self.unanswering(place, &error).await;
        }
        self.carry_on(&run, place.turn.clone(), cancel).await
    }

    /// The end of a turn whose message answers nothing: somebody else was quicker, or it does not fit. It has been said,
    /// and nothing follows from it.
    pub(super) async fn unanswering(&self, place: &Place, error: &ExecutorError) -> Result<TurnEnd, TurnError> {
        let ended = EventKind::TurnEnded { status: TurnStatus::Failed, error: Some(error.to_string()) };
        self.write(place, vec![ended], Vec::new(), Durability::Committed).await?;
        Ok(TurnEnd::Failed { session: place.session.clone() })
    }
}
