//! A person's own call of a tool: a plan of one step, approved by making it.
//!
//! The same checks, sandbox and ledger hold for it; in the place of a model stands the person, who asks for exactly
//! this call.

use std::sync::{Arc, Mutex, PoisonError};

use assent_core::ids::{SessionId, TurnId};
use assent_core::plan::{Limits, Outline, OutlineStep, Plan, StepType, check, to_plan};
use assent_core::run::{Batch, Decider, Durability, EventKind, Purpose};
use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::jobs::workspace_of;
use super::send::place;
use super::{TurnEnd, TurnError, Turns};
use crate::executor::Models;
use crate::model::{Delta, Finish, Model, ModelError, ModelProfile, PlannerProfile, Reply, Request, ToolCall};
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
        arguments: Value,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let row = self.parts.sessions.session(session.as_str())?;
        let known = self.parts.knowledge.known(&workspace_of(&row)?, row.kind);
        if !known.tools.contains_key(tool) {
            return Err(TurnError::NoTool(tool.to_owned()));
        }
        let text = format!("{tool} {arguments}");
        let plan = check(self.one_step(session, tool, &text)?, &known).map_err(TurnError::PlanFaults)?;
        let turn = TurnId::new(self.parts.ids.fresh());
        let at = place(session, &turn);
        let reference = plan.plan_ref();
        let events = vec![
            EventKind::MessageReceived { text },
            EventKind::PlanProposed { plan: reference.clone(), faults: Vec::new() },
            EventKind::PlanApproved { plan: reference.clone(), by: Decider::User, note: None },
        ];
        let batch = Batch { events: self.drafts(&at, events), plans: vec![plan.plan().clone()], ..Batch::default() };
        self.parts.journal.append(batch, Durability::Synced).await?;
        let call = ToolCall { id: self.parts.ids.fresh(), name: tool.to_owned(), arguments };
        self.run_by(&reference, Some(Arc::new(ByHand::new(call))), None, cancel).await
    }

    fn one_step(&self, session: &SessionId, tool: &str, text: &str) -> Result<Plan, StoreError> {
        let step = OutlineStep {
            description: text.to_owned(),
            step_type: Some(StepType::Tool),
            required_tools: vec![tool.to_owned()],
            ..OutlineStep::default()
        };
        let outline = Outline { title: tool.to_owned(), steps: vec![step], ..Outline::default() };
        let plan = to_plan(outline, self.header(session, text), &[]).0;
        // Nobody is there to be told that the call is still missing, and who makes a call says how long it may take.
        let limits = Limits { tool_validation_retries: 0, call_seconds: LONGEST_BY_HAND, ..self.limits()? };
        Ok(Plan { limits, ..plan })
    }
}

/// The person in the place of a model: asks for one call, and then has nothing more to say.
struct ByHand {
    call: Arc<Once>,
}

struct Once {
    profile: ModelProfile,
    call: Mutex<Option<ToolCall>>,
}

impl ByHand {
    fn new(call: ToolCall) -> Self {
        let profile = ModelProfile {
            id: "by hand".to_owned(),
            context_tokens: u32::MAX,
            planner: PlannerProfile::Compact,
            parallel: 1,
            local: true,
        };
        Self { call: Arc::new(Once { profile, call: Mutex::new(Some(call)) }) }
    }
}

#[async_trait]
impl Models for ByHand {
    async fn model(&self, _purpose: Purpose) -> Result<Arc<dyn Model>, ModelError> {
        Ok(self.call.clone())
    }
}

#[async_trait]
impl Model for Once {
    fn profile(&self) -> &ModelProfile {
        &self.profile
    }

    async fn reply(
        &self,
        _request: &Request,
        _deltas: &UnboundedSender<Delta>,
        _cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        let call = self.call.lock().unwrap_or_else(PoisonError::into_inner).take();
        let finish = if call.is_some() { Finish::Calls } else { Finish::Stop };
        Ok(Reply { calls: call.into_iter().collect(), finish, ..Reply::default() })
    }

    async fn count_tokens(&self, _text: &str) -> u32 {
        0
    }
}
