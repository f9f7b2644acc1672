//! What a step's model sees at its beginning, static first, so that prefix caches hit.
//!
//! Everything here follows from the plan, the folded events, the base and the templates, so that a request can be
//! rebuilt. What is said later is appended; what was sent stays, except where `told` says so.

use std::sync::Arc;

use assent_core::contract::ToolSpec;
use assent_core::order::sort_by_key;
use assent_core::plan::{Origin, Plan, Step, StepType};
use assent_core::run::{RunState, StepStatus};
use serde_json::Value;

use super::carrier::Carrier;
use super::expand::twin;
use super::recipe::Base;
use super::whole::Contents;
use super::words;
use crate::model::{Message, PlannerProfile};
use crate::prompt::{
    PromptError, StepCompact, StepCompactUser, StepGiven, StepHanded, StepReasoning, StepResult, StepSystem, StepTool,
    Synthesis, TakenValue, Templates, ToolLine, ToolSignature, Turn,
};
use crate::store::StoreError;
use crate::tool::Catalogue;
use crate::tool::human::{ASK_USER, REQUEST_USER_HELP};

/// So many steps that a step builds on indirectly are shown.
const FAR_STEPS: usize = 16;

/// Characters of a result for which there is no room.
const SHORT_CHARS: usize = 300;

/// Characters of a result that a small model can work with.
const COMPACT_CHARS: usize = 4000;

/// After a request that was too long, results have so many times less room.
const SHRUNK: usize = 4;

/// A token of a model is at least about so many characters of the texts seen here.
const CHARS_A_TOKEN: usize = 3;

/// Why a message could not be made.
#[derive(Debug)]
pub(super) enum Unmade {
    Prompt(PromptError),
    Store(StoreError),
}

impl From<PromptError> for Unmade {
    fn from(error: PromptError) -> Self {
        Self::Prompt(error)
    }
}

impl From<StoreError> for Unmade {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Unmade> for super::ExecutorError {
    fn from(error: Unmade) -> Self {
        match error {
            Unmade::Prompt(error) => error.into(),
            Unmade::Store(error) => error.into(),
        }
    }
}

/// Everything that messages are made from.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) plan: &'a Plan,
    pub(super) state: &'a RunState,
    pub(super) catalogue: &'a Catalogue,
    pub(super) templates: &'a Templates,
    pub(super) base: &'a Base,
    pub(super) contents: &'a dyn Contents,
}

impl<'a> View<'a> {
    /// The view of a run in hand.
    pub(super) fn of(carrier: &'a Carrier, state: &'a RunState, base: &'a Base) -> Self {
        let (catalogue, templates) = (&carrier.parts.catalogue, &carrier.parts.templates);
        Self { plan: carrier.plan(), state, catalogue, templates, base, contents: carrier }
    }

    /// The system message and the first user message of a step.
    pub(super) fn opening(&self, at: usize) -> Result<Vec<Message>, Unmade> {
        let step = self.step(at);
        if step.origin == Origin::AgentCall {
            let system = Message::System { text: self.agent_system(step)? };
            return Ok(vec![system, Message::User { text: self.agent_user(at, step)? }]);
        }
        let user = match self.base.shared.profile {
            PlannerProfile::Compact => self.compact_user(at, step)?,
            PlannerProfile::Full => self.full_user(at, step)?,
        };
        Ok(vec![Message::System { text: self.system()? }, Message::User { text: user }])
    }

    pub(super) fn step(&self, at: usize) -> &'a Step {
        self.state.document(self.plan, at)
    }

    pub(super) fn system(&self) -> Result<String, Unmade> {
        if let Some(made) = self.base.system.get() {
            return Ok(made.clone());
        }
        let text = match self.base.shared.profile {
            PlannerProfile::Compact => self.compact_system()?,
            PlannerProfile::Full => self.full_system()?,
        };
        Ok(self.base.system.get_or_init(|| text).clone())
    }

    fn has(&self, tool: &str) -> bool {
        self.base.tools.iter().any(|one| one.name == tool)
    }

    fn compact_system(&self) -> Result<String, Unmade> {
        let told = |tool: &ToolSpec| (words::signature(&tool.parameters), words::taken(tool));
        let told: Vec<(String, Vec<TakenValue>)> = self.base.tools.iter().map(told).collect();
        let tools: Vec<ToolSignature<'_>> = self
            .base
            .tools
            .iter()
            .zip(&told)
            .map(|(tool, (parameters, inputs))| {
                let line = tool.description.trim();
                ToolSignature { name: &tool.name, parameters, line, inputs }
            })
            .collect();
        let (ask_user, request_help) = (self.has(ASK_USER), self.has(REQUEST_USER_HELP));
        let studio = self.studio()?;
        let system = StepCompact { tools: &tools, ask_user, request_help, studio: studio.as_deref() };
        Ok(self.templates.render(&system)?.text)
    }

    /// What is told of the studio.
    fn studio(&self) -> Result<Option<String>, Unmade> {
        let rendered = self.base.shared.studio.as_ref().map(|studio| self.templates.render(studio)).transpose()?;
        Ok(rendered.map(|studio| studio.text.trim_end().to_owned()))
    }

    fn compact_user(&self, at: usize, step: &Step) -> Result<String, Unmade> {
        let remarks = self.remarks();
        let results = self.results(at, self.room_beside(&remarks))?;
        let context = self.context(step);
        Ok(self
            .templates
            .render(&StepCompactUser {
                conversation: &self.turns(),
                message: &self.plan.user_message,
                files: &self.base.files,
                context: context.as_ref(),
                results: &shown(&results),
                instructions: self.instructions(at, step).as_deref(),
                remarks: &remarks,
                task: &step.description,
                expect: step.expected_outcome.as_deref().unwrap_or("the task is done"),
                tools: &step.required_tools,
                last: self.is_last(at),
            })?
            .text)
    }

    /// What was said before, as far as the step is told.
    fn turns(&self) -> Vec<Turn<'_>> {
        self.base.conversation.iter().map(|(role, text)| Turn { role, text }).collect()
    }

    fn full_system(&self) -> Result<String, Unmade> {
        let tools: Vec<ToolLine<'_>> =
            self.base.tools.iter().map(|tool| ToolLine { name: &tool.name, line: tool.line() }).collect();
        let role = &self.base.shared.role;
        let (ask_user, request_help) = (self.has(ASK_USER), self.has(REQUEST_USER_HELP));
        let studio = self.studio()?;
        let system =
            StepSystem { role, ask_user, request_help, studio: studio.as_deref(), tools: &tools, context: None };
        Ok(self.templates.render(&system)?.text)
    }

    fn full_user(&self, at: usize, step: &Step) -> Result<String, Unmade> {
        let remarks = self.remarks();
        let results = self.results(at, self.room_beside(&remarks))?;
        let shown = shown(&results);
        let context = self.context(step);
        let instructions = self.instructions(at, step);
        let conversation = self.turns();
        let mut given = StepGiven {
            instructions: instructions.as_deref(),
            remarks: &remarks,
            context: context.as_ref(),
            input: None,
            results: &shown,
            conversation: &conversation,
            message: None,
        };
        let without = self.render_full(step, &given)?;
        if self.plan.fallback.used || words::loses_values(&self.plan.user_message, &without) {
            given.message = Some(&self.plan.user_message);
            return self.render_full(step, &given);
        }
        Ok(without)
    }

    fn render_full(&self, step: &Step, given: &StepGiven<'_>) -> Result<String, Unmade> {
        let (description, expected_outcome) = (step.description.as_str(), step.expected_outcome.as_deref());
        let given = given.clone();
        let rendered = match step.effective_type() {
            StepType::Reasoning => {
                let reasoning = StepReasoning { description, expected_outcome, given };
                if step.is_handed_over() {
                    self.templates.render(&StepHanded(reasoning))?
                } else {
                    self.templates.render(&reasoning)?
                }
            }
            StepType::Tool => {
                let required_tools = &step.required_tools;
                self.templates.render(&StepTool { description, required_tools, expected_outcome, given })?
            }
        };
        Ok(rendered.text)
    }

    /// What the template of a step's opening says by itself, whatever it is filled with: nothing that anybody has said. A
    /// small model's has neither numbers nor names in it.
    pub(super) fn wording(&self, at: usize) -> Result<String, Unmade> {
        let step = self.step(at);
        if step.origin == Origin::AgentCall || self.base.shared.profile == PlannerProfile::Compact {
            return Ok(String::new());
        }
        self.render_full(&Step { description: String::new(), ..step.clone() }, &StepGiven::default())
    }

    /// Explicit values win over those of the conversation.
    fn context(&self, step: &Step) -> Option<Value> {
        let mut context = self.plan.extracted_context.clone();
        context.extend(step.input.context.clone());
        (!context.is_empty()).then_some(Value::Object(context))
    }

    /// What the plan says to the specialist that the step names, else to the one on top of it, and to the step itself;
    /// and to those whose part it does beside its own.
    fn instructions(&self, at: usize, step: &Step) -> Option<String> {
        let expanded = self.state.step(at).expanded.as_ref();
        let of_plan = self.plan.instructions_to(&step.executor.id, expanded.map(|expanded| expanded.root.as_str()));
        let is_done_here = |(place, _): &(usize, &Step)| *place > at && twin(self.plan, self.state, *place) == Some(at);
        let others = self.plan.steps.iter().enumerate().filter(is_done_here);
        let of_others = others.filter_map(|(_, other)| self.plan.instructions_for(&other.executor.id));
        let mut both: Vec<&str> = of_plan.into_iter().chain(step.instructions.as_deref()).collect();
        both.extend(of_others.filter(|one| Some(*one) != of_plan));
        (!both.is_empty()).then(|| both.join("\n"))
    }

    /// Whether a step's text is what the user gets as the answer.
    pub(super) fn is_last(&self, at: usize) -> bool {
        self.state.answering_step() == Some(at)
    }

    /// Characters of all results together; less after a request that was too long.
    pub(super) fn room(&self) -> usize {
        room_of(self.base.shared.context_tokens) / self.tightness()
    }

    fn tightness(&self) -> usize {
        if self.base.shared.shrunk { SHRUNK } else { 1 }
    }

    /// Characters of one result.
    pub(super) fn most(&self) -> usize {
        let most = self.room().min(self.plan.limits.tool_result_max_length as usize);
        match self.base.shared.profile {
            PlannerProfile::Full => most,
            PlannerProfile::Compact => most.min(COMPACT_CHARS / self.tightness()),
        }
    }

    /// Results of what a step builds on, in the plan's order: as many as there is room for whole, nearest first, the
    /// others shortened.
    fn results(&self, at: usize, mut room: usize) -> Result<Vec<Shown<'a>>, Unmade> {
        let most = self.most();
        let mut chosen = Vec::new();
        for near in self.ancestors(at) {
            let text = self.result_text(near, most.min(room.max(SHORT_CHARS)))?;
            room = room.saturating_sub(text.len());
            chosen.push((near, text));
            if room == 0 && chosen.len() >= FAR_STEPS {
                break;
            }
        }
        sort_by_key(&mut chosen, |(near, _)| *near);
        Ok(chosen.into_iter().map(|(near, text)| self.shown(near, text)).collect())
    }

    fn shown(&self, at: usize, text: Arc<str>) -> Shown<'a> {
        Shown { step: self.step(at), status: self.state.step(at).status.word(), text }
    }

    /// What a step builds on, nearest first: all that it, or a step that has delegated it, names, then some of what those
    /// build on.
    fn ancestors(&self, at: usize) -> Vec<usize> {
        let above = std::iter::successors(Some(at), |at| self.state.step(*at).parent());
        let mut found: Vec<usize> = above.flat_map(|at| self.state.step(at).dependencies()).copied().collect();
        let mut next = 0;
        while next < found.len() && found.len() < FAR_STEPS {
            for near in self.state.step(found[next]).dependencies() {
                if !found.contains(near) {
                    found.push(*near);
                }
            }
            next += 1;
        }
        found
    }

    /// The request for the answer of the turn.
    pub(super) fn synthesis(&self) -> Result<Vec<Message>, Unmade> {
        let total = self.state.steps().len();
        let remarks = self.remarks();
        let mut room = self.room_beside(&remarks);
        let most = self.most();
        let mut results = Vec::new();
        let is_outermost = |at: &usize| self.state.step(*at).parent().is_none();
        let failed = (0..total).filter(is_outermost).any(|at| self.state.step(at).status != StepStatus::Completed);
        // The end of a plan builds on its beginning: what there is no room for is the beginning.
        // What parts gave stands in the result of the step that they are parts of.
        for at in (0..total).rev().filter(is_outermost) {
            let text = self.result_text(at, most.min(room.max(SHORT_CHARS)))?;
            room = room.saturating_sub(text.len());
            results.push(self.shown(at, text));
            if room == 0 && results.len() >= FAR_STEPS {
                break;
            }
        }
        results.reverse();

        let message = &self.plan.user_message;
        let text =
            self.templates.render(&Synthesis { message, results: &shown(&results), failed, remarks: &remarks })?.text;
        Ok(vec![Message::User { text }])
    }
}

/// Characters of all results together in a context of so many tokens.
pub(super) fn room_of(context_tokens: u32) -> usize {
    context_tokens as usize * CHARS_A_TOKEN / 2
}

/// A result with its text.
struct Shown<'a> {
    step: &'a Step,
    status: &'static str,
    text: Arc<str>,
}

fn shown<'a>(results: &'a [Shown<'_>]) -> Vec<StepResult<'a>> {
    let shown = results.iter().map(|Shown { step, status, text }| {
        let (id, task) = (step.id.as_str(), step.description.as_str());
        StepResult { id, task, status, text }
    });
    shown.collect()
}
