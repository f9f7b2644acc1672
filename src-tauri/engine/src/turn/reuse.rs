//! A plan that was made before, proposed for a message: as it is, or with the message's values in the place of its own.
//!
//! What is proposed is a plan like any other: it is checked against what is there now, and nothing of it runs before its
//! approval. One that does not hold any more, because a tool is gone, is proposed with what is wrong, for a person to mend.
//! Where the program dies before there is a plan, the message is planned as any other is.

use assent_core::contract::Fault;
use assent_core::ids::{PlanId, SessionId, TurnId};
use assent_core::plan::{Plan, check};
use assent_core::run::{Durability, EventKind, Place, Purpose, SessionKind};
use tokio_util::sync::CancellationToken;

use super::before::Words;
use super::jobs::{still_there, workspace_of};
use super::naming::named_after;
use super::send::place;
use super::{ApprovalPolicy, TurnEnd, TurnError, Turns};
use crate::model::ModelError;
use crate::planner::{Adapting, Slot, Trace, Unplanned};
use crate::store::SessionRow;

/// A plan that is to be proposed once more.
#[derive(Debug, Clone, PartialEq)]
pub struct Reuse {
    /// Where.
    pub session: SessionId,
    /// The document; its id, version and session are given anew.
    pub plan: Plan,
    /// What the person wrote; without it the turn begins with the message that the plan was made for.
    pub message: Option<String>,
    /// When it needs the person's word; it always does where nothing is said.
    pub policy: Option<ApprovalPolicy>,
}

impl Turns {
    /// Proposes a plan as it is, in a turn of its own.
    ///
    /// # Errors
    /// There is no such chat, or it cannot be written down.
    pub async fn reuse(&self, reuse: Reuse, cancel: &CancellationToken) -> Result<TurnEnd, TurnError> {
        let Reuse { session, plan, message, policy } = reuse;
        let session = self.chat(&session)?;
        let message = message.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| plan.user_message.clone());
        let turn = TurnId::new(self.parts.ids.fresh());
        let _held = self.hold(&turn)?;
        let at = place(&session.id, &turn);
        self.say(&session, &at, Words { text: &message, answers: None, replans: None }).await?;
        self.offer(&session, &at, plan, (Trace::default(), Vec::new()), policy, cancel).await
    }

    /// Proposes a plan for another message: its steps, tools and order stay, and the values of its own message give way to
    /// those of the new one. A model is asked about values only where code cannot tell, once.
    ///
    /// # Errors
    /// There is no such chat or no message, it cannot be written down, or [`TurnError::NeedsModel`]: then nothing is
    /// proposed.
    pub async fn adapt(&self, reuse: Reuse, cancel: &CancellationToken) -> Result<TurnEnd, TurnError> {
        let Reuse { session, plan, message, policy } = reuse;
        let message = message.unwrap_or_default();
        if message.trim().is_empty() {
            return Err(TurnError::EmptyMessage);
        }
        let session = self.chat(&session)?;
        let mut adapting = Adapting::of(&plan, &message);
        let model = if adapting.needs_model() { Some(self.parts.models.model(Purpose::Plan).await) } else { None };
        if let Some(Err(error)) = &model {
            adapting.without_model(&error.to_string());
            if adapting.is_unchanged() {
                return Err(needs_model(error, &adapting.finish().unasked));
            }
        }
        let turn = TurnId::new(self.parts.ids.fresh());
        let _held = self.hold(&turn)?;
        let at = place(&session.id, &turn);
        self.say(&session, &at, Words { text: &message, answers: None, replans: None }).await?;
        let mut trace = Trace::default();
        if let Some(Ok(model)) = model {
            let planning = self.plannings.begin(&session.id, cancel);
            let asked = self.parts.planner.ask_values(model.as_ref(), &mut adapting, &planning.cancel).await;
            let asked = match asked {
                Ok(told) if planning.over() => Err(Unplanned { error: ModelError::Cancelled.into(), trace: told }),
                asked => asked,
            };
            match asked {
                Ok(told) => trace = told,
                Err(unplanned) => return self.failed(&at, unplanned.trace, &unplanned.error).await,
            }
        }
        let adapted = adapting.finish();
        self.offer(&session, &at, adapted.plan, (trace, adapted.notes), policy, cancel).await
    }

    /// The session, where it is a chat.
    fn chat(&self, session: &SessionId) -> Result<SessionRow, TurnError> {
        let session = self.parts.sessions.session(session.as_str())?;
        workspace_of(&session)?;
        if session.kind == SessionKind::Chat {
            return Ok(session);
        }
        let problem = "a workflow has one plan of its own: use the saved plan in a chat, or save it as a workflow";
        Err(TurnError::PlanState(problem.to_owned()))
    }

    /// Writes down what the person wrote, at the beginning of a turn.
    pub(super) async fn say(&self, session: &SessionRow, at: &Place, words: Words<'_>) -> Result<(), TurnError> {
        let said = EventKind::MessageReceived {
            text: words.text.to_owned(),
            answers: words.answers.cloned(),
            replans: words.replans.cloned(),
        };
        let events = [said].into_iter().chain(named_after(session, words.text)).collect();
        self.write(at, events, Vec::new(), Durability::Committed).await
    }

    async fn offer(
        &self,
        session: &SessionRow,
        at: &Place,
        plan: Plan,
        (trace, notes): (Trace, Vec<Fault>),
        policy: Option<ApprovalPolicy>,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let policy = Some(policy.unwrap_or(ApprovalPolicy::AlwaysAsk));
        let workspace = match still_there(session) {
            Ok(workspace) => workspace,
            Err(gone) => return self.failed(at, trace, &gone).await,
        };
        let plan = Plan {
            id: PlanId::new(self.parts.ids.fresh()),
            version: 1,
            supersedes: None,
            session_id: session.id.clone(),
            created_at: self.parts.clock.now(),
            ..plan.from_outside()
        };
        let known = self.parts.knowledge.known(&workspace, session.kind);
        match check(plan.clone(), &known) {
            Ok(plan) => self.propose(at, trace, plan, notes, policy, &workspace, cancel).await,
            Err(faults) => {
                let mut trace = trace;
                trace.events.extend(notes.into_iter().map(|note| EventKind::Warned { message: note.to_string() }));
                self.faulty(at, trace, plan, faults, policy).await
            }
        }
    }
}

fn needs_model(why: &ModelError, values: &[Slot]) -> TurnError {
    let values: Vec<&str> = values.iter().map(|slot| slot.value.as_str()).collect();
    TurnError::NeedsModel { why: why.to_string(), values: values.join(", ") }
}
