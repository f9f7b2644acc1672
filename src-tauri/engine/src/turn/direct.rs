//! A person's own call of a tool: a plan of one step, approved by making it.
//!
//! The same checks, sandbox and ledger hold for it; in the place of a model stands the person, who asks for exactly
//! this call.

use std::sync::Arc;

use assent_core::ids::{SessionId, TurnId};
use assent_core::plan::{Limits, Origin, Outline, OutlineStep, Plan, StepType, check, to_plan};
use assent_core::run::{Batch, Decider, Durability, EventKind, Purpose};
use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::jobs::workspace_of;
use super::naming::named_after;
use super::send::place;
use super::{TurnEnd, TurnError, Turns};
use crate::executor::Models;
use crate::model::{Delta, Finish, Message, Model, ModelError, ModelProfile, PlannerProfile, Reply, Request, ToolCall};
use crate::store::StoreError;

/// Seconds that a person's own call may take.
const LONGEST_BY_HAND: u32 = 3600;

impl Turns {
    /// Calls a tool as the person asks for it, in a session of its own turn.
    ///
    /// # Errors
    /// There is no such tool, or the call cannot be written down.
    pub async fn call(
        &self,
        session: &SessionId,
        tool: &str,
        arguments: Map<String, Value>,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let row = self.parts.sessions.session(session.as_str())?;
        let known = self.parts.knowledge.known(&workspace_of(&row)?, row.kind);
        if !known.tools.contains_key(tool) {
            return Err(TurnError::NoTool(tool.to_owned()));
        }
        let text = format!("{tool} {}", Value::Object(arguments.clone()));
        let plan = self.one_step(session, tool, &text, arguments)?;
        let plan = check(plan, &known).map_err(TurnError::PlanFaults)?;
        let turn = TurnId::new(self.parts.ids.fresh());
        let at = place(session, &turn);
        let reference = plan.plan_ref();
        let named = named_after(&row, &text);
        let proposed = [
            EventKind::PlanProposed { plan: reference.clone(), faults: Vec::new() },
            EventKind::PlanApproved { plan: reference.clone(), by: Decider::User, note: None, starts: true },
        ];
        let events = [EventKind::MessageReceived { text, answers: None, replans: None }]
            .into_iter()
            .chain(named)
            .chain(proposed)
            .collect();
        let batch = Batch { events: self.drafts(&at, events), plans: vec![plan.plan().clone()], ..Batch::default() };
        self.parts.journal.append(batch, Durability::Synced).await?;
        self.run(&reference, cancel).await
    }

    fn one_step(
        &self,
        session: &SessionId,
        tool: &str,
        text: &str,
        arguments: Map<String, Value>,
    ) -> Result<Plan, StoreError> {
        let step = OutlineStep {
            description: text.to_owned(),
            step_type: Some(StepType::Tool),
            required_tools: vec![tool.to_owned()],
            ..OutlineStep::default()
        };
        let outline = Outline { title: tool.to_owned(), steps: vec![step], ..Outline::default() };
        let mut plan = to_plan(outline, self.header(session, text), &[]).0;
        for step in &mut plan.steps {
            step.origin = Origin::Call;
            step.input.context = arguments.clone();
        }
        // Nobody is there to be told that the call is still missing, and who makes a call says how long it may take.
        let limits = Limits { tool_validation_retries: 0, call_seconds: LONGEST_BY_HAND, ..self.limits()? };
        Ok(Plan { limits, ..plan })
    }
}

/// The person in the place of a model, where a plan is one call of theirs; wherever and whenever its run goes on.
pub(super) fn by_hand(plan: &Plan) -> Option<Arc<dyn Models>> {
    let [step] = &plan.steps[..] else { return None };
    let [tool] = &step.required_tools[..] else { return None };
    if step.origin != Origin::Call {
        return None;
    }
    let profile = ModelProfile {
        id: "by hand".to_owned(),
        context_tokens: u32::MAX,
        planner: PlannerProfile::Compact,
        parallel: 1,
        local: true,
    };
    let call =
        ToolCall { id: step.id.to_string(), name: tool.clone(), arguments: Value::Object(step.input.context.clone()) };
    Some(Arc::new(ByHand(Arc::new(Person { profile, call }))))
}

struct ByHand(Arc<Person>);

/// Asks for one call, and then has nothing more to say.
struct Person {
    profile: ModelProfile,
    call: ToolCall,
}

#[async_trait]
impl Models for ByHand {
    async fn model(&self, _purpose: Purpose) -> Result<Arc<dyn Model>, ModelError> {
        Ok(self.0.clone())
    }
}

#[async_trait]
impl Model for Person {
    fn profile(&self) -> &ModelProfile {
        &self.profile
    }

    async fn reply(
        &self,
        request: &Request,
        _deltas: &UnboundedSender<Delta>,
        _cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        let asked = |message: &Message| matches!(message, Message::Assistant { calls, .. } if !calls.is_empty());
        if request.messages.iter().any(asked) {
            return Ok(Reply { finish: Finish::Stop, ..Reply::default() });
        }
        Ok(Reply { calls: vec![self.call.clone()], finish: Finish::Calls, ..Reply::default() })
    }

    async fn count_tokens(&self, _text: &str) -> Option<u32> {
        Some(0)
    }
}
