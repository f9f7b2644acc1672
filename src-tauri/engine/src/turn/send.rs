//! From a message to a plan or an answer.

use std::path::{Path, PathBuf};
use std::time::Duration;

use assent_core::contract::Fault;
use assent_core::ids::{PlanId, RunId, SessionId, TurnId};
use assent_core::plan::{CheckedPlan, Header, Plan, PlanRef, effects};
use assent_core::run::{Batch, Content, Decider, Durability, EventKind, Place, Purpose, SessionKind, TurnStatus};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::before::{Before, Made, Reading, Words};
use super::history::said_before;
use super::jobs::{still_there, workspace_of};
use super::{ApprovalPolicy, Message, Sources, TurnEnd, TurnError, Turns};
use crate::discovery::{Detail, workspace_overview};
use crate::executor::ExecutorError;
use crate::model::{ModelError, ModelProfile};
use crate::planner::{After, FullTemplate, Planned, PlanningError, PlanningOutcome, PlanningRequest, Relation, Trace};
use crate::store::{SessionRow, StoreError};

/// How long the folders of tools are waited for before a plan is made or approved, and when a program starts.
pub(crate) const LOOKING: Duration = Duration::from_secs(2);

impl Turns {
    /// Has the sources of tools looked at. A folder may be on a disk that does not answer: then what is known counts.
    pub(super) async fn with_sources(&self, look: impl FnOnce(&dyn Sources) + Send + 'static) {
        let sources = self.parts.sources.clone();
        let looked = tokio::task::spawn_blocking(move || look(sources.as_ref()));
        let _ = tokio::time::timeout(LOOKING, looked).await;
    }

    /// Takes a message to its answer, or to the point where a person has to say something. A message to a session in
    /// which a question is open answers that question, unless it takes the task back or is about something else; one
    /// that goes on from a finished plan becomes that plan's next version.
    ///
    /// # Errors
    /// [`TurnError`] where not even a turn could be begun, or the database fails. What goes wrong after that is
    /// written into the turn, which ends as failed.
    pub async fn send(&self, message: Message, cancel: &CancellationToken) -> Result<TurnEnd, TurnError> {
        let words = Words { text: &message.text, answers: message.answers.as_ref(), replans: None };
        self.send_words(&message.session, words, message.policy, cancel).await
    }

    /// As [`Turns::send`].
    pub(super) async fn send_words(
        &self,
        session: &SessionId,
        words: Words<'_>,
        policy: Option<ApprovalPolicy>,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        if words.text.trim().is_empty() {
            return Err(TurnError::EmptyMessage);
        }
        let session = self.parts.sessions.session(session.as_str())?;
        workspace_of(&session)?;
        if words.replans.is_none()
            && let Some(row) = self.question(&session.id, words.answers)?
            && let Some(answer) = Self::certain(&row, words.text)
        {
            return self.answer_in_words(&row.request.id, answer, words.text, cancel).await;
        }
        let turn = TurnId::new(self.parts.ids.fresh());
        let _held = self.hold(&turn)?;
        let place = place(&session.id, &turn);
        self.say(&session, &place, words).await?;
        self.plan(&session, &turn, words, policy, cancel).await
    }

    /// Stops what this process plans in a session, and nothing else that goes on there; whether there was anything. Such
    /// a turn ends as cancelled; its message stays.
    pub fn stop_planning(&self, session: &SessionId) -> bool {
        self.plannings.stop(session)
    }

    /// Keeps every other window and command from planning a turn.
    pub(super) fn hold(&self, turn: &TurnId) -> Result<Option<Box<dyn Send>>, TurnError> {
        Ok(self.parts.locks.try_lock(&RunId::from(turn.as_str()))?)
    }

    pub(super) async fn plan(
        &self,
        session: &SessionRow,
        turn: &TurnId,
        words: Words<'_>,
        policy: Option<ApprovalPolicy>,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let place = place(&session.id, turn);
        let planning = self.plannings.begin(&session.id, cancel);
        let (made, trace) = match self.make(session, turn, words, &planning.cancel).await {
            // The question that it was to answer was settled after it had been said.
            Err(TurnError::Run(settled @ ExecutorError::Settled { .. })) => {
                return self.unanswering(&place, &settled).await;
            }
            made => made?,
        };
        // Who has stopped it gets no plan any more, however near it was.
        let made = if planning.over() { Err(ModelError::Cancelled.into()) } else { made };
        let end = match made {
            Err(error) => self.failed(&place, trace, &error).await,
            Ok(Made::Answer { request, run }) => {
                self.hand_over(&place, (request, run), trace, words.text, cancel).await
            }
            Ok(Made::Outcome(PlanningOutcome::Answer { text })) => self.answered(&place, trace, text).await,
            Ok(Made::Outcome(PlanningOutcome::Faulty { plan, faults, .. })) => {
                self.faulty(&place, trace, *plan, faults, policy).await
            }
            Ok(Made::Outcome(PlanningOutcome::Plan { plan, notes })) => match still_there(session) {
                Ok(folder) => self.propose(&place, trace, *plan, notes, policy, &folder, cancel).await,
                Err(gone) => self.failed(&place, trace, &gone).await,
            },
        }?;
        self.replaced(words, &end).await?;
        Ok(end)
    }

    /// What a message comes to: all that models are asked before there is a plan.
    async fn make(
        &self,
        session: &SessionRow,
        turn: &TurnId,
        words: Words<'_>,
        cancel: &CancellationToken,
    ) -> Result<(Result<Made, PlanningError>, Trace), TurnError> {
        let text = words.text;
        let model = self.parts.models.model(Purpose::Plan).await;
        let before = self.before(&session.id, words)?;
        let read = self.read(model.as_deref(), before.as_ref(), text, cancel).await;
        let (relation, mut trace) = match read {
            Ok((Reading::Plan(relation), trace)) => (relation, trace),
            Ok((Reading::Answer { request, run }, trace)) => return Ok((Ok(Made::Answer { request, run }), trace)),
            Err(unread) => return Ok((Err(unread.error), unread.trace)),
        };
        let begun = model.map_err(PlanningError::from).and_then(|model| Ok((model, still_there(session)?)));
        let (model, workspace) = match begun {
            Ok(begun) => begun,
            Err(error) => return Ok((Err(error), trace)),
        };
        let before = before.filter(|_| relation == Relation::Earlier);
        let settled = before.as_ref().map(Before::settled).unwrap_or_default();
        let progress = before.as_ref().map(|before| before.progress(&settled));
        let events = self.parts.sessions.session_events(&session.id, 0)?;
        let mut conversation = said_before(&events, turn, self.parts.blobs.as_ref())?;
        conversation.extend(self.said_of_waiting(&session.id)?);
        let _ = cancel.run_until_cancelled(self.with_sources(|sources| sources.look_again())).await;
        let known = self.parts.knowledge.known(&workspace, session.kind);
        let Some(files) = cancel.run_until_cancelled(self.overview(workspace, model.profile())).await else {
            return Ok((Err(ModelError::Cancelled.into()), trace));
        };
        let specialists = self.parts.knowledge.heap().now();
        let there = specialists.packed();
        let request = PlanningRequest {
            header: self.header(&session.id, text),
            conversation: &conversation,
            files: &files,
            specialists: &specialists.lines,
            registry: Some(&specialists.registry),
            there: &there,
            core: self.parts.knowledge.shown(),
            known: &known,
            tools: self.parts.knowledge.tools(),
            library: self.parts.knowledge.library(),
            vault: Some(&self.parts.vault),
            after: before
                .as_ref()
                .zip(progress.as_ref())
                .map_or(After::Nothing, |(before, progress)| before.after(progress)),
            template: FullTemplate::chosen(self.parts.settings.as_ref())?,
            limits: self.limits()?,
        };
        let progress = self.parts.live.planning(&place(&session.id, turn));
        Ok(match self.parts.planner.plan(model.as_ref(), &request, &progress, cancel).await {
            Err(unplanned) => {
                trace.add(unplanned.trace);
                (Err(unplanned.error), trace)
            }
            Ok(Planned { outcome, trace: calls }) => {
                trace.add(calls);
                (Ok(Made::Outcome(outcome)), trace)
            }
        })
    }

    /// The head of a first version.
    pub(super) fn header(&self, session: &SessionId, text: &str) -> Header {
        Header {
            id: PlanId::new(self.parts.ids.fresh()),
            version: 1,
            supersedes: None,
            session_id: session.clone(),
            user_message: text.to_owned(),
            created_at: self.parts.clock.now(),
        }
    }

    async fn answered(&self, place: &Place, trace: Trace, text: String) -> Result<TurnEnd, TurnError> {
        let (text, blob) = Content::keep(Value::String(text));
        let mut events = trace.events;
        events.push(EventKind::Answered { text });
        events.push(EventKind::TurnEnded { status: TurnStatus::Answered, error: None });
        let blobs = trace.blobs.into_iter().chain(blob).collect();
        self.write(place, events, blobs, Durability::Committed).await?;
        Ok(TurnEnd::Answered { session: place.session.clone() })
    }

    pub(super) async fn failed(
        &self,
        place: &Place,
        trace: Trace,
        error: &PlanningError,
    ) -> Result<TurnEnd, TurnError> {
        let session = place.session.clone();
        let (status, error, end) = match error {
            PlanningError::Model(ModelError::Cancelled) => {
                (TurnStatus::Cancelled, None, TurnEnd::Cancelled { session })
            }
            error => (TurnStatus::Failed, Some(error.to_string()), TurnEnd::Failed { session }),
        };
        let mut events = trace.events;
        events.push(EventKind::TurnEnded { status, error });
        self.write(place, events, trace.blobs, Durability::Committed).await?;
        Ok(end)
    }

    /// A plan that a person may mend, or, where nobody is asked, the end of the turn.
    pub(super) async fn faulty(
        &self,
        place: &Place,
        trace: Trace,
        plan: Plan,
        faults: Vec<Fault>,
        policy: Option<ApprovalPolicy>,
    ) -> Result<TurnEnd, TurnError> {
        let reference = PlanRef::unchecked(&plan);
        let error = format!("the plan cannot run as it is: {}", first(&faults));
        let mut events = trace.events;
        events.push(EventKind::PlanProposed { plan: reference.clone(), faults });
        let asks = self.policy(policy)? != ApprovalPolicy::NeverAsk;
        if !asks {
            events.push(EventKind::TurnEnded { status: TurnStatus::Failed, error: Some(error) });
        }
        let events = self.drafts(place, events);
        let batch = Batch { events, blobs: trace.blobs, plans: vec![plan], ..Batch::default() };
        self.parts.journal.append(batch, Durability::Committed).await?;
        let session = place.session.clone();
        Ok(if asks { TurnEnd::AwaitingApproval { session, plan: reference } } else { TurnEnd::Failed { session } })
    }

    #[expect(clippy::too_many_arguments, reason = "one place, one decision: a struct would only rename them")]
    pub(super) async fn propose(
        &self,
        place: &Place,
        trace: Trace,
        plan: CheckedPlan,
        notes: Vec<Fault>,
        policy: Option<ApprovalPolicy>,
        workspace: &Path,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let reference = plan.plan_ref();
        let has_effects = effects(plan.plan(), &self.parts.knowledge.known(workspace, SessionKind::Chat)).any();
        let mut events = trace.events;
        events.extend(notes.into_iter().map(|note| EventKind::Warned { message: note.to_string() }));
        events.push(EventKind::PlanProposed { plan: reference.clone(), faults: Vec::new() });
        let events = self.drafts(place, events);
        let plans = vec![plan.plan().clone()];
        let batch = Batch { events, blobs: trace.blobs, plans, ..Batch::default() };
        self.parts.journal.append(batch, Durability::Committed).await?;
        if self.policy(policy)?.asks(has_effects) {
            return Ok(TurnEnd::AwaitingApproval { session: place.session.clone(), plan: reference });
        }
        let (job, _held) = match self.approve_as(&reference, Decider::Policy, None, true).await {
            // What became of an effect of the earlier run is a person's word, whatever the policy.
            Err(TurnError::PlanState(message)) => {
                self.write(place, vec![EventKind::Warned { message }], Vec::new(), Durability::Committed).await?;
                return Ok(TurnEnd::AwaitingApproval { session: place.session.clone(), plan: reference });
            }
            approved => approved?,
        };
        self.start(&reference, job, None, cancel).await
    }

    /// The workspace as a planner on this model is shown it. A large folder, or one on a slow disk, keeps nobody else
    /// waiting, and nobody who stops.
    pub(super) async fn overview(&self, workspace: PathBuf, model: &ModelProfile) -> Vec<String> {
        let (hidden, detail) = (self.parts.hidden.clone(), Detail::of(model.local));
        let looking = tokio::task::spawn_blocking(move || workspace_overview(&workspace, &hidden, detail));
        looking.await.unwrap_or_default()
    }

    fn policy(&self, of_message: Option<ApprovalPolicy>) -> Result<ApprovalPolicy, StoreError> {
        of_message.map_or_else(|| ApprovalPolicy::chosen(self.parts.settings.as_ref()), Ok)
    }
}

/// Where the events of a turn belong.
pub(super) fn place(session: &SessionId, turn: &TurnId) -> Place {
    Place { session: session.clone(), turn: Some(turn.clone()), run: None, step: None }
}

fn first(faults: &[Fault]) -> String {
    faults.first().map_or_else(|| "nobody says why".to_owned(), Fault::to_string)
}
