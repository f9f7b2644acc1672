//! A step of a specialist without tools, while it runs: it hands its task on to specialists below it, and is over when
//! they are. It never calls a tool, and what its parts called counts for it.

use assent_core::contract::Fault;
use assent_core::heap::{Question, Registry, Settled, child_steps, question_at};
use assent_core::ids::StepId;
use assent_core::plan::{ExecutorKind, Route, Step, ValidationMode, makers_in_turn};
use assent_core::run::{Durability, EventKind, Purpose, RunState, StepStatus, ValidationStatus};

use super::carrier::Happened;
use super::complete::both;
use super::ends::because_of;
use super::error::Stop;
use super::expand::{About, StepChooser, asking, event, instructions, to_leaf, told};
use super::step::{Worker, ended};
use super::{caps, verify, words};
use crate::model::ModelError;
use crate::planner::Delegated;

/// Steps that a run may delegate in all.
const DELEGATIONS: u32 = 64;

/// To whom a step is handed on, how that was settled, and the events of the question.
type Whom = Result<(Delegated, Settled, Vec<Happened>), ModelError>;

impl Worker<'_> {
    /// Whether the step is one of a specialist that can only hand it on.
    pub(super) fn hands_on(&self) -> bool {
        let executor = &self.plan_step().executor;
        let is_open = || self.carrier.state().step(self.at).expanded.is_none();
        let is_delegator = || {
            let specialists = self.carrier.parts.heap.now();
            specialists.registry.get(&executor.id).is_some_and(assent_core::heap::Specialist::is_delegator)
        };
        executor.kind == ExecutorKind::Specialist && is_open() && is_delegator()
    }

    /// Hands the step on. Where that would go too deep or too far, or one leaf has what the step requires, it is brought
    /// to a leaf instead.
    pub(super) async fn delegate(&mut self) -> Result<(), Stop> {
        let specialists = self.carrier.parts.heap.now();
        let registry = &specialists.registry;
        let step = self.plan_step();
        let limit = self.delegation_limit(registry.caps().children);
        let asked = question_at(registry, &step.executor.id, &step.description);
        // The heap may have changed since it was seen to have somebody below it.
        if limit.is_some()
            || asked.options.is_empty()
            || registry.leaf_for(&step.executor.id, &step.required_tools).is_some()
        {
            let chooser = StepChooser::of(self.carrier, step, registry);
            let expanded = to_leaf(step, registry, &chooser, 0).await;
            let events = limit.into_iter().chain([event(expanded)]).collect();
            return self.write(events, Durability::Queued).await;
        }
        if self.out_of_tokens().await? {
            return Ok(());
        }
        let (named, by, mut events) = match self.whom(step, registry, &asked).await? {
            Ok(named) => named,
            Err(error) => return self.model_failed("", error).await,
        };
        let mut faults = Vec::new();
        let heap = self.in_turn(named.heap, registry, &mut faults);
        let (steps, unknown) = {
            // Its parts are told everything that it is told.
            let told = Step { instructions: instructions(self.carrier, step, registry), ..step.clone() };
            let earlier = self.carrier.state().step(self.at).delegated();
            child_steps(&told, &heap, None, earlier, registry)
        };
        faults.extend(unknown);
        events.extend(faults.iter().map(|fault| (Some(self.at), EventKind::Warned { message: fault.to_string() })));
        events.push((
            Some(self.at),
            EventKind::StepDelegated {
                summary: named.summary,
                steps,
                by: Some(by),
                call: None,
                prompt: None,
                does: None,
            },
        ));
        self.carrier.write(events, Durability::Queued).await
    }

    /// Whom a step is handed on to, how that was settled and what came of the question; or why no model can be asked.
    async fn whom(&self, step: &Step, registry: &Registry, asked: &Question) -> Result<Whom, Stop> {
        let first = asked.options[0].id.as_str();
        if asked.options.len() == 1 {
            return Ok(Ok((Delegated::to(first), Settled::OnlyOption, Vec::new())));
        }
        let model = match self.carrier.models().model(Purpose::Choose).await {
            Ok(model) => model,
            Err(error) => return Ok(Err(error)),
        };
        let about = About::of(self.carrier, step, registry);
        let beside = about.within(self.carrier, model.profile().context_tokens);
        let asking = asking(self.carrier, model.as_ref());
        let (answer, trace) = self.carrier.silence.ask(asking.delegate(asked, &beside)).await;
        if self.carrier.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let mut events = told(self.carrier, trace, self.at);
        let reason = answer.as_ref().err().map_or_else(|| "none was named".to_owned(), ToString::to_string);
        if let Some(named) = answer.ok().filter(|named| !named.heap.is_empty()) {
            return Ok(Ok((named, Settled::Chooser, events)));
        }
        let message = format!("{} was handed on to {first:?}, the first below it: {reason}", step.id);
        events.push((Some(self.at), EventKind::Warned { message }));
        Ok(Ok((Delegated::to(first), Settled::Fallback { reason }, events)))
    }

    /// Whom a step is handed on to, so that no two who could make the same thing work side by side.
    fn in_turn(&self, heap: Route, registry: &Registry, faults: &mut Vec<Fault>) -> Route {
        let catalogue = &self.carrier.parts.catalogue;
        let has_effects = |tool: &&str| catalogue.get(tool).is_some_and(|tool| tool.spec().risk.has_effects());
        let below = |id: &str| registry.get(id).into_iter().flat_map(|one| registry.tools_below(&one.id));
        makers_in_turn(heap, |id| below(id).filter(has_effects).collect(), "delegateHeap", faults)
    }

    /// The limit beyond which nothing is delegated any more, where there are to be so many more steps.
    pub(super) fn delegation_limit(&self, more: usize) -> Option<EventKind> {
        let state = self.carrier.state();
        let depth = self.carrier.plan().limits.depth;
        let above = std::iter::successors(state.step(self.at).parent(), |at| state.step(*at).parent()).count();
        if above >= depth as usize {
            return Some(caps::reached("depth", depth));
        }
        let planned = self.carrier.plan().steps.len();
        let parts: usize = (0..planned).map(|step| state.with_parts(step).len() - 1).sum();
        let too_many = parts + more > DELEGATIONS as usize;
        too_many.then(|| caps::reached("delegations", DELEGATIONS))
    }

    /// Ends a step whose parts are over. Its strict required tools must be in the ledger of one of them.
    pub(super) async fn gather(&mut self) -> Result<(), Stop> {
        let (outcome, results) = {
            let state = self.carrier.state();
            let results: Vec<_> =
                state.step(self.at).children().iter().filter_map(|child| state.step(*child).result.clone()).collect();
            (gathered(&state, self.at, self.plan_step(), self.carrier.plan()), results)
        };
        let mut texts = Vec::with_capacity(results.len());
        for result in &results {
            texts.push(words::plain(self.carrier.value(result)?.as_ref()));
        }
        let result = self.carrier.text(&texts.join("\n\n"));
        let Gathered { status, validation, reason, because } = outcome;
        let warned = reason.clone().filter(|_| status == StepStatus::Completed);
        let warned = warned.map(|message| EventKind::Warned { message });
        let ended = because_of(ended(status, validation, result, reason), because);
        self.write(warned.into_iter().chain([ended]).collect(), Durability::Queued).await
    }
}

/// How a step ends whose parts are over.
struct Gathered {
    status: StepStatus,
    validation: ValidationStatus,
    reason: Option<String>,
    /// The step elsewhere because of which a part ended.
    because: Option<StepId>,
}

fn gathered(state: &RunState, at: usize, step: &Step, plan: &assent_core::plan::Plan) -> Gathered {
    let missing: Vec<&str> =
        step.required_tools.iter().filter(|tool| !state.has_called(at, tool)).map(String::as_str).collect();
    let validation = match (step.required_tools.is_empty(), missing.is_empty()) {
        (true, _) => ValidationStatus::Skipped,
        (false, true) => ValidationStatus::Passed,
        (false, false) => ValidationStatus::Failed,
    };
    let bad = |child: &&usize| state.step(**child).status != StepStatus::Completed;
    if let Some(child) = state.step(at).children().iter().find(bad) {
        let part = state.step(*child);
        let why = part.reason.as_deref().unwrap_or("it did not complete");
        let status = if part.status == StepStatus::Cancelled { StepStatus::Cancelled } else { StepStatus::Failed };
        let because = state.cause_outside(*child).map(|cause| state.step(cause).id.clone());
        return Gathered { status, validation, reason: Some(format!("part {}: {why}", part.id)), because };
    }
    let reason = (!missing.is_empty())
        .then(|| format!("Step {} did not invoke required tools: {}", step.id, missing.join(", ")));
    let strict = verify::mode(plan, step) == ValidationMode::Strict;
    let status = if strict && reason.is_some() { StepStatus::Failed } else { StepStatus::Completed };
    // Its words are those of its parts, and marked where they are.
    let marked = state.step(at).children().iter().map(|child| state.step(*child)).filter(|part| part.has_warning());
    let marks = marked.filter_map(|part| Some(format!("part {}: {}", part.id, part.reason.as_deref()?)));
    let reason = marks.fold(reason, |reason, mark| both(reason, Some(mark)));
    Gathered { status, validation, reason, because: None }
}
