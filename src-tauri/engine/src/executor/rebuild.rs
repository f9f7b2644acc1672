//! The request behind a reply, rebuilt byte for byte from the plan, the events before it, and what it names.

use assent_core::contract::Source;
use assent_core::ids::RunId;
use assent_core::plan::Plan;
use assent_core::run::{CallState, EventKind, Purpose, RunState};
use thiserror::Error;

use super::context::View;
use super::whole::Contents as _;
use super::{Executor, ExecutorError, base, recipe, step, synthesis, verify};
use crate::heap::left_to_say;
use crate::model::{Request, is_held_to_shapes};
use crate::planner::ToolsTold;
use crate::store::StoreError;
use crate::tool::scope::LeftOut;

/// Why a request could not be rebuilt.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum NotRebuilt {
    /// The event is no reply in this run, or has no recipe.
    #[error("event {0} is no model reply with a record of its request")]
    NoReply(u64),
    /// The templates have changed since; their sources of then are in the named blobs.
    #[error("the request was made from other templates than those in use: {0}")]
    Templates(String),
    /// What a call gave is told in the way of its tool, and that is gone.
    #[error("the request tells what {0} gave, and there is no such tool any more")]
    Tool(String),
    /// Something could not be read.
    #[error(transparent)]
    Other(#[from] ExecutorError),
}

impl From<StoreError> for NotRebuilt {
    fn from(error: StoreError) -> Self {
        Self::Other(error.into())
    }
}

/// What a model was sent, and what it would have been sent with more room.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    /// The request, byte for byte.
    pub request: Request,
    /// The tools that it tells of, each with the tokens that this took of the budget, as they were counted for it. A
    /// planner, and whoever chooses a specialist, is told of tools that it cannot call.
    pub told: Vec<(String, u32)>,
    /// Tokens that the names of the studio's tools took of it.
    pub studio_tokens: u32,
    /// Tools that belong to it and that it does not tell of, and why.
    pub left_out: Vec<(String, LeftOut)>,
    /// The tokens that there were for tools; 0 where it is none that tells of any.
    pub budget: u32,
    /// Where tools were looked for: whether they were compared with the message by meaning, or by words alone.
    pub by_meaning: Option<bool>,
}

impl Sent {
    /// A request without tools to call, and what it tells of some.
    pub(crate) fn telling(request: Request, told: ToolsTold) -> Self {
        let ToolsTold { tools, left_out, budget, by_meaning } = told;
        let left_out = left_out.into_iter().map(|name| (name, LeftOut::Budget)).collect();
        Self { request, told: tools, studio_tokens: 0, left_out, budget, by_meaning }
    }
}

impl Executor {
    /// The request that the reply with this sequence number answered.
    ///
    /// # Errors
    /// [`NotRebuilt`] when it cannot be had exactly.
    pub fn request_of(&self, plan: &Plan, run: &RunId, seq: u64) -> Result<Request, NotRebuilt> {
        self.sent(plan, run, seq).map(|sent| sent.request)
    }

    /// The same, with what was left out of it.
    ///
    /// # Errors
    /// As [`Executor::request_of`].
    pub fn sent(&self, plan: &Plan, run: &RunId, seq: u64) -> Result<Sent, NotRebuilt> {
        let parts = &self.parts;
        let mut state = RunState::new(run.clone(), plan);
        let mut found = None;
        for event in parts.runs.run_events(run)? {
            if event.seq == seq {
                found = Some(event);
                break;
            }
            state.apply(&event.place, event.at, &event.kind).map_err(ExecutorError::from)?;
        }
        let Some(event) = found else {
            return Err(NotRebuilt::NoReply(seq));
        };
        let EventKind::ModelReplied { purpose, model, recipe, .. } = &event.kind else {
            return Err(NotRebuilt::NoReply(seq));
        };
        if matches!(purpose, Purpose::Choose | Purpose::Prompt) {
            let recipe = recipe.as_ref().ok_or(NotRebuilt::NoReply(seq))?;
            let recipe = self.stored().whole(recipe)?;
            let rebuilt = crate::planner::request_of(&recipe, parts.blobs.as_ref())?;
            let (request, told) = rebuilt.ok_or(NotRebuilt::NoReply(seq))?;
            return Ok(Sent::telling(request, told));
        }
        let recipe = recipe::read(recipe.as_ref());
        let at = event.place.step.as_ref().and_then(|step| state.index_of(step));
        let recorded = || at.and_then(|at| state.base(at).cloned());
        let digest = recipe.base.or_else(recorded).ok_or(NotRebuilt::NoReply(seq))?;
        let base = base::load(parts.blobs.as_ref(), &digest)?;
        self.can_be_told(&state, &base)?;
        let view = View {
            plan,
            state: &state,
            catalogue: &parts.catalogue,
            templates: &parts.templates,
            base: &base,
            contents: &self.stored(),
        };
        if *purpose == Purpose::Synthesis {
            let request = synthesis::request(&base, view.synthesis().map_err(ExecutorError::from)?);
            return Ok(Sent::telling(request, ToolsTold::default()));
        }
        let at = at.ok_or(NotRebuilt::NoReply(seq))?;
        let told = state.step(at).exchange.len();
        let messages = view.conversation(at, told).map_err(ExecutorError::from)?;
        let mut request = step::rebuilt(&base, messages, recipe.choice, recipe.draw);
        let step = state.document(plan, at);
        if is_held_to_shapes(model)
            && verify::mends(&state, at, step)
            && let Some(contract) = &step.contracts.output
        {
            request.output = verify::mended(left_to_say(contract).into());
        }
        let recipe::Shared { tokens, studio_tokens, left_out, .. } = base.shared;
        let tokens = tokens.into_iter().chain(std::iter::repeat(0));
        let told = request.tools.iter().map(|tool| tool.name.clone()).zip(tokens).collect();
        let budget = plan.limits.tool_token_budget;
        Ok(Sent { request, told, studio_tokens, left_out, budget, by_meaning: None })
    }

    /// Whether what is here now tells what was told then: the same templates, and the tools that have given something in
    /// the run, where they tell it in a way of their own. Those of a described source do, and may be gone; what another
    /// gave that is gone was told as it is.
    fn can_be_told(&self, state: &RunState, base: &recipe::Base) -> Result<(), NotRebuilt> {
        let parts = &self.parts;
        let now = assent_core::ids::Digest::of_bytes(recipe::template_list(&parts.templates).to_string().as_bytes());
        if now != base.shared.templates {
            return Err(NotRebuilt::Templates(base.shared.templates.to_string()));
        }
        for entry in state.ledger() {
            if !matches!(entry.state, CallState::Ended(_)) || parts.catalogue.get(&entry.tool).is_some() {
                continue;
            }
            let Some(digest) = state.base(entry.step) else { continue };
            let base = base::load(parts.blobs.as_ref(), digest)?;
            if base.tools.iter().any(|spec| spec.name == entry.tool && spec.source == Source::Catalogue) {
                return Err(NotRebuilt::Tool(entry.tool.clone()));
            }
        }
        Ok(())
    }
}
