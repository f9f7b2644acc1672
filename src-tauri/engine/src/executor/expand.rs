//! Before anything of a run begins: each step that names a specialist with others below it is brought to the leaf that
//! does it. How is written down, so that going on after a crash finds the same leaf, and a person sees why.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use assent_core::heap::{Chooser, ChooserFailed, Choosing, Expanded, Question, Registry, expand_step};
use assent_core::ids::StepId;
use assent_core::plan::{ExecutorKind, Origin, Plan, Step};
use assent_core::run::{Durability, EventKind, Purpose, RunState, StepStatus, ValidationStatus};

use super::carrier::{Carrier, Happened};
use super::ends::skip;
use super::error::Stop;
use super::remarks::instructions_within;
use super::takeover::is_same;
use crate::heap::Delegation;
use crate::planner::{Asking, Beside, Trace};

/// Nobody waits longer for a choice.
const CHOICE: Duration = Duration::from_secs(60);

/// Brings the steps of the plan to their leaves that have not begun. Those on specialists with others below them are
/// left as they are where the person has chosen that they delegate while they run.
pub(super) async fn expand(carrier: &Carrier) -> Result<(), Stop> {
    let steps = &carrier.plan().steps;
    let is_open = |at: &usize| {
        let state = carrier.state();
        let step = state.step(*at);
        steps[*at].executor.kind == ExecutorKind::Specialist
            && step.status == StepStatus::Pending
            && step.expanded.is_none()
    };
    let open: Vec<usize> = (0..steps.len()).filter(is_open).collect();
    if open.is_empty() {
        return Ok(());
    }
    let specialists = carrier.parts.heap.now();
    let registry = &specialists.registry;
    let delegation = carrier.parts.delegation()?;
    for at in open {
        let id = steps[at].executor.id.as_str();
        let is_delegator = registry.get(id).is_some_and(assent_core::heap::Specialist::is_delegator);
        let is_root = registry.root_of(id).is_none_or(|root| root == id);
        let later = delegation == Delegation::Runtime && is_delegator;
        if !later && (is_delegator || !is_root) {
            expand_one(carrier, at, registry).await?;
        }
    }
    Ok(())
}

async fn expand_one(carrier: &Carrier, at: usize, registry: &Registry) -> Result<(), Stop> {
    let step = carrier.step(at);
    let chooser = StepChooser::of(carrier, &step, registry);
    let depth = carrier.plan().limits.depth as usize;
    let expanded = to_leaf(&step, registry, &chooser, depth).await;
    let mut events = chooser.told(at);
    if carrier.cancel.is_cancelled() {
        // What was asked until then was paid for.
        carrier.write(events, Durability::Queued).await?;
        return Err(Stop::Cancelled);
    }
    events.push((Some(at), event(expanded)));
    carrier.write(events, Durability::Queued).await
}

/// The earlier step that does a specialist's whole part of the task too: both stand side by side and were brought to the
/// same leaf, and would make the same thing.
pub(super) fn twin(plan: &Plan, state: &RunState, at: usize) -> Option<usize> {
    let step = plan.steps.get(at).filter(|step| is_part(step))?;
    let leaf = leaf_of(plan, state, at);
    let is_twin = |(place, other): &(usize, &Step)| leaf_of(plan, state, *place) == leaf && beside(other, step);
    plan.steps[..at].iter().enumerate().find(is_twin).map(|(place, _)| place)
}

fn is_part(step: &Step) -> bool {
    step.origin == Origin::Route && step.executor.kind == ExecutorKind::Specialist
}

/// Whether two steps are the whole parts of two specialists that stand side by side in a route, and ask for the same.
fn beside(one: &Step, other: &Step) -> bool {
    let as_other = || Step { id: other.id.clone(), executor: other.executor.clone(), ..one.clone() };
    // Most steps of a route wait for others: of those nothing is copied.
    is_part(one) && is_part(other) && one.dependencies == other.dependencies && is_same(&as_other(), other)
}

/// Ends a step whose part another one does, as that one has ended; whether it has.
pub(super) async fn ends_with_twin(carrier: &Carrier, at: usize) -> Result<bool, Stop> {
    let event = {
        let state = carrier.state();
        let twin = twin(carrier.plan(), &state, at).filter(|_| state.step(at).status == StepStatus::Pending);
        let Some(twin) = twin.map(|twin| state.step(twin)) else { return Ok(false) };
        let same = format!("{} is the same: {:?} does both", twin.id, leaf_of(carrier.plan(), &state, at));
        match twin.status {
            StepStatus::Completed => EventKind::StepEnded {
                status: StepStatus::Completed,
                validation: ValidationStatus::Skipped,
                result: None,
                reason: Some(same),
                because: None,
                carried_from: Some(carrier.run.clone()),
            },
            _ => skip(format!("{same}, and it is {}", twin.status.word()), Some(twin.id.clone())),
        }
    };
    carrier.write(vec![(Some(at), event)], Durability::Queued).await?;
    Ok(true)
}

fn leaf_of<'a>(plan: &'a Plan, state: &'a RunState, at: usize) -> &'a str {
    let expanded = state.step(at).expanded.as_ref();
    expanded.map_or(plan.steps[at].executor.id.as_str(), |expanded| expanded.leaf.as_str())
}

/// The leaf of a step, by its required tools or by choices.
pub(super) async fn to_leaf(
    step: &Step,
    registry: &Registry,
    chooser: &dyn Chooser,
    depth: usize,
) -> Result<Expanded, String> {
    let (id, required) = (&step.executor.id, &step.required_tools);
    let found = expand_step(registry, id, required, &step.description, chooser, depth).await;
    found.map_err(|fault| fault.to_string())
}

/// What is written of it: where there is no leaf, the step goes on with what it requires, and a person is told.
pub(super) fn event(expanded: Result<Expanded, String>) -> EventKind {
    match expanded {
        Ok(expanded) => EventKind::StepExpanded { expanded: Box::new(expanded) },
        Err(message) => EventKind::Warned { message },
    }
}

/// What whoever chooses is told of a step beside its task.
pub(super) struct About {
    path: Vec<StepId>,
    expected: Option<String>,
    instructions: Option<String>,
}

impl About {
    pub(super) fn of(carrier: &Carrier, step: &Step, registry: &Registry) -> Self {
        let (path, expected) = (carrier.path_to(step), step.expected_outcome.clone());
        Self { path, expected, instructions: instructions(carrier, step, registry) }
    }

    /// As much of it as a context of so many tokens has room for.
    pub(super) fn within(&self, carrier: &Carrier, context_tokens: u32) -> Beside {
        Beside {
            expected: self.expected.clone(),
            instructions: self.instructions.as_deref().map(|text| instructions_within(text, context_tokens)),
            remarks: carrier.remarks_on(&self.path, context_tokens),
        }
    }
}

/// What the plan says to the specialist that a step names, else to the one on top of it, and to the step itself. In a step
/// that was handed on stands already what its parent was told.
pub(super) fn instructions(carrier: &Carrier, step: &Step, registry: &Registry) -> Option<String> {
    let plan = carrier.plan();
    let id = step.executor.id.as_str();
    let of_plan = plan.instructions_to(id, registry.root_of(id)).filter(|_| step.parent_id.is_none());
    let both: Vec<&str> = of_plan.into_iter().chain(step.instructions.as_deref()).collect();
    (!both.is_empty()).then(|| both.join("\n"))
}

/// The model that chooses, for one step. What it was asked is kept until it is written.
pub(super) struct StepChooser<'a> {
    carrier: &'a Carrier,
    about: About,
    trace: Mutex<Trace>,
}

impl<'a> StepChooser<'a> {
    pub(super) fn of(carrier: &'a Carrier, step: &Step, registry: &Registry) -> Self {
        Self { carrier, about: About::of(carrier, step, registry), trace: Mutex::default() }
    }

    /// The events of its calls; what they name goes with the next events that are written.
    pub(super) fn told(self, at: usize) -> Vec<Happened> {
        told(self.carrier, self.trace.into_inner().unwrap_or_else(PoisonError::into_inner), at)
    }
}

impl Chooser for StepChooser<'_> {
    fn choose(&self, question: Question) -> Choosing<'_> {
        Box::pin(async move {
            let model = self.carrier.models().model(Purpose::Choose).await;
            let model = model.map_err(ChooserFailed::not_asked)?;
            let beside = self.about.within(self.carrier, model.profile().context_tokens);
            let asking = asking(self.carrier, model.as_ref());
            let (answer, trace) = self.carrier.silence.ask(asking.choose(&question, &beside)).await;
            self.trace.lock().unwrap_or_else(PoisonError::into_inner).add(trace);
            answer
        })
    }
}

/// Asking a model who does a step, within the time that the plan gives a call.
pub(super) fn asking<'a>(carrier: &'a Carrier, model: &'a dyn crate::model::Model) -> Asking<'a> {
    let parts = &carrier.parts;
    let limit = Duration::from_secs(carrier.plan().limits.call_seconds.into()).min(CHOICE);
    let tool_budget = carrier.plan().limits.tool_token_budget;
    let clock = parts.clock.as_ref();
    Asking { model, templates: &parts.templates, clock, limit, tool_budget, cancel: &carrier.cancel }
}

/// The events of model calls about a step.
pub(super) fn told(carrier: &Carrier, trace: Trace, at: usize) -> Vec<Happened> {
    carrier.keep(trace.blobs);
    trace.events.into_iter().map(|kind| (Some(at), kind)).collect()
}
