//! Whether a step is done: the ledger decides for a tool step, the content for a reasoning step.
//!
//! Strict fails closed: without a successful call of every required tool a step is not completed. Advisory completes
//! with a warning. Nothing here looks at what a model says about its calls.

use assent_core::contract::{Fault, Resolved, Risk, Schema, Stage, ToolSpec, UnusableSchema};
use assent_core::plan::{Plan, Step, StepType, ValidationMode};
use assent_core::run::{CallState, CallStatus, Exchange, LedgerEntry, RunState, ValidationStatus};

use super::carrier::Carrier;
use super::guard::goes_round;
use super::left_behind::is_left_behind;
use super::reprompt::{OUTPUT_RETRIES, reprompts, told_again, unread, unwhole};
use super::{claims, words};
use crate::model::{OutputFormat, PlannerProfile, ReplySchema, ToolChoice};
use crate::tool::meta::is_meta;

/// What a step is to do that reports an effect without a call behind it.
const PROVE: &str = "Make the call that does it, or say what was really done.";
/// What a part is to do that has tools of its own and has called none.
const BEGIN: &str = "Make the calls that it needs. Where nothing is left to do, say why.";

/// The tool that runs commands and scripts.
pub(super) const SHELL: &str = "bash";

/// What follows from a reply that asks for no call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Judgement {
    /// The step is completed, perhaps with a warning.
    Complete {
        /// What the ledger says.
        validation: ValidationStatus,
        /// What is not as it should be.
        warning: Option<String>,
    },
    /// The step failed.
    Fail {
        /// What the ledger says.
        validation: ValidationStatus,
        /// Why.
        reason: String,
        /// The plan's limit that ended it, by its name in the document, and its value.
        limit: Option<(&'static str, u32)>,
    },
    /// The model is told which calls are missing.
    Enforce {
        /// Only those.
        missing: Vec<String>,
        /// How often it is told.
        attempt: u32,
    },
    /// The model is told what else is wrong.
    Reprompt(Fault),
}

/// The mode that counts for a step.
pub(super) fn mode(plan: &Plan, step: &Step) -> ValidationMode {
    step.tool_validation_mode.unwrap_or(plan.defaults.tool_validation_mode)
}

/// The required tools without a successful call.
pub(super) fn unsatisfied(state: &RunState, at: usize, step: &Step) -> Vec<String> {
    without(step, |tool| state.satisfied(at).any(|done| done == tool))
}

/// The required tools that were not called at all.
fn uncalled(state: &RunState, at: usize, step: &Step) -> Vec<String> {
    without(step, |tool| state.called(at).any(|done| done == tool))
}

fn without(step: &Step, has: impl Fn(&str) -> bool) -> Vec<String> {
    step.required_tools.iter().filter(|tool| !has(tool)).cloned().collect()
}

/// Whether a step has made the calls that it must make: a tool step that names none, at least one that did what it is for.
pub(super) fn is_satisfied(state: &RunState, at: usize, step: &Step) -> bool {
    satisfied_until(state, at, step, usize::MAX)
}

/// The same, as it stood when this was the latest entry of the ledger.
pub(super) fn satisfied_until(state: &RunState, at: usize, step: &Step, latest: usize) -> bool {
    match step.effective_type() {
        StepType::Reasoning => true,
        // To look for a tool is not yet to do anything.
        StepType::Tool if step.required_tools.is_empty() => {
            entries_until(state, at, latest).any(|entry| counts(entry) && !is_meta(&entry.tool))
        }
        StepType::Tool => unsatisfied_until(state, at, step, latest).is_empty(),
    }
}

/// The required tools without a call that counts, as it stood when this was the latest entry of the ledger.
pub(super) fn unsatisfied_until(state: &RunState, at: usize, step: &Step, latest: usize) -> Vec<String> {
    let entries = || entries_until(state, at, latest);
    without(step, |tool| entries().any(|entry| entry.tool == tool && entry.counts_among(entries)))
}

fn entries_until(state: &RunState, at: usize, latest: usize) -> impl Iterator<Item = &LedgerEntry> {
    state.step(at).calls.iter().filter(move |entry| **entry <= latest).map(|entry| state.outcome(*entry))
}

/// Whether a call ended and the tool worked.
pub(super) fn worked(entry: &LedgerEntry) -> bool {
    matches!(&entry.state, CallState::Ended(end) if end.status == CallStatus::Success)
}

/// Whether a call ended and its tool says that it did what it is for: a command that ended with exit code 0.
pub(super) fn counts(entry: &LedgerEntry) -> bool {
    entry.did()
}

/// Of these required tools one that did what it is for, and that with nothing of what the step names: with what.
fn beside<'s>(state: &'s RunState, at: usize, tools: &'s [String]) -> Option<(&'s str, &'s str)> {
    state
        .entries_of(at)
        .filter(|entry| tools.contains(&entry.tool))
        .find_map(|entry| Some((&*entry.tool, entry.missed()?)))
}

/// What the ledger says of a step's required tools: a call that ended in an error was still made.
pub(super) fn validation(state: &RunState, at: usize, step: &Step) -> ValidationStatus {
    if step.required_tools.is_empty() {
        ValidationStatus::Skipped
    } else if uncalled(state, at, step).is_empty() {
        ValidationStatus::Passed
    } else {
        ValidationStatus::Failed
    }
}

/// How the next reply of a step is forced: finishing is left out until the ledger is satisfied, and only the last
/// reply names the one call that is missing. A small model whose task is a script is held to one from the beginning:
/// it otherwise squeezes the script into a shell command, which breaks.
pub(super) fn choice(
    state: &RunState,
    at: usize,
    step: &Step,
    has_tools: bool,
    is_last: bool,
    profile: PlannerProfile,
) -> ToolChoice {
    if !has_tools {
        return ToolChoice::None;
    }
    if is_satisfied(state, at, step) {
        let more = told_last(state, at).is_some_and(is_left_behind);
        return match (is_last, more) {
            (true, _) => ToolChoice::None,
            (false, true) => ToolChoice::Required,
            // Everything is done, and still the same is called: the next reply can only be the end.
            (false, false) if goes_round(state, at) => ToolChoice::None,
            (false, false) => ToolChoice::Auto,
        };
    }
    match unsatisfied(state, at, step).into_iter().next() {
        Some(missing)
            if profile == PlannerProfile::Compact && missing == SHELL && words::asks_for_script(&step.description) =>
        {
            ToolChoice::Script(missing)
        }
        Some(missing) if is_last => ToolChoice::Named(missing),
        _ => ToolChoice::Required,
    }
}

/// The fault that was told last, where nothing has come of it yet.
fn told_last(state: &RunState, at: usize) -> Option<&Fault> {
    match state.step(at).exchange.last()? {
        Exchange::Reprompted(fault) => Some(fault),
        _ => None,
    }
}

/// Whether the next reply is to be a result that fits: one did not fit its contract, and nothing is left to be called.
pub(super) fn mends(state: &RunState, at: usize, step: &Step) -> bool {
    let is_unfit = |fault: &Fault| fault.stage == Stage::OutputContract && !is_left_behind(fault);
    told_last(state, at).is_some_and(is_unfit) && step.contracts.output.is_some() && is_satisfied(state, at, step)
}

/// The shape of such a reply. Only a model that is held to shapes is asked for it: the form in which it ends a step has no
/// room for an object.
pub(super) fn mended(said: ReplySchema) -> OutputFormat {
    OutputFormat::Json { name: "result".to_owned(), schema: said }
}

/// Judges a reply that asks for no call.
pub(super) fn judge(plan: &Plan, state: &RunState, at: usize, text: &str, contract: Contract<'_>) -> Judgement {
    let step = state.document(plan, at);
    if let Some(fault) = unread(plan, state, at) {
        return Judgement::Reprompt(fault);
    }
    match step.effective_type() {
        StepType::Reasoning if words::is_filler(text) => empty(plan, state, at),
        StepType::Reasoning => content(plan, state, at, text, (contract, ValidationStatus::Skipped, None)),
        StepType::Tool if step.required_tools.is_empty() => open_tool_step(plan, state, at, text, contract),
        StepType::Tool => required(plan, state, at, text, contract),
    }
}

/// A step that would be completed, with what it is shown: whether it goes on without having done what it says, or what
/// it is there for, although it could. Told once; a reply that stays with it is believed, and marked where it reports
/// an effect.
pub(super) fn undone(carrier: &Carrier, state: &RunState, at: usize, text: &str, tools: &[ToolSpec]) -> Option<Fault> {
    let effects = || tools.iter().filter(|tool| tool.risk != Risk::Read && !is_meta(&tool.name));
    effects().next()?;
    let is_told = |fault: &Fault| [PROVE, BEGIN].contains(&fault.hint.as_str());
    if reprompts(state, at, is_told) > 0 {
        return None;
    }
    let (message, hint) = match claims::unproven(carrier, state, at, text) {
        Some(unproven) if effects().any(|tool| unproven.is_within(tool.risk)) => (unproven.why, PROVE),
        Some(_) => return None,
        None => {
            let step = state.step(at);
            let idle = step.calls.is_empty() && step.children().is_empty();
            // Whoever stands in for a planner was not chosen for its tools.
            let plan = carrier.plan();
            let chosen = state.document(plan, at).is_handed_over() && !plan.fallback.used;
            if !(idle && chosen) {
                return None;
            }
            ("your part has tools of its own, and none was called".to_owned(), BEGIN)
        }
    };
    let fault = Fault::new(Stage::RequiredTools, message).hint(hint);
    Some(Fault { attempt: Some(1), retries_remaining: Some(0), ..fault })
}

/// A step that is there for its words has none.
fn empty(plan: &Plan, state: &RunState, at: usize) -> Judgement {
    let Some(fault) = unwhole(state, at) else {
        return once(state, at, "your reply was empty", "the reply stayed empty");
    };
    Judgement::Fail {
        validation: ValidationStatus::Skipped,
        reason: fault.message.clone(),
        limit: Some((OUTPUT_RETRIES, plan.limits.output_retries)),
    }
}

/// Told once, failed at the second time.
fn once(state: &RunState, at: usize, fault: &str, reason: &str) -> Judgement {
    let fault = Fault::new(Stage::RequiredTools, fault).hint("Do this step.");
    told_again(state, at, fault, 1).map_or_else(
        || Judgement::Fail { validation: ValidationStatus::Skipped, reason: reason.to_owned(), limit: None },
        Judgement::Reprompt,
    )
}

/// A tool step that names no tools: it must have called something, and something must have come of it.
fn open_tool_step(plan: &Plan, state: &RunState, at: usize, text: &str, contract: Contract<'_>) -> Judgement {
    let step = state.document(plan, at);
    let validation = ValidationStatus::Skipped;
    if state.called(at).all(is_meta) {
        return once(state, at, "this step needs a tool, and none was called", "no tool was called");
    }
    if is_satisfied(state, at, step) {
        return content(plan, state, at, text, (contract, validation, None));
    }
    let reason = "no call of this step did what it is for".to_owned();
    if mode(plan, step) == ValidationMode::Advisory {
        return content(plan, state, at, text, (contract, validation, Some(reason)));
    }
    let fault = Fault::new(Stage::RequiredTools, format!("the step is not done: {reason}"));
    let fault = fault.hint("Make a call that does, or one that mends what stood in the way.");
    let retries = plan.limits.tool_validation_retries;
    told_again(state, at, fault, retries).map_or_else(
        || Judgement::Fail { validation, reason, limit: Some(("toolValidationRetries", retries)) },
        Judgement::Reprompt,
    )
}

fn required(plan: &Plan, state: &RunState, at: usize, text: &str, contract: Contract<'_>) -> Judgement {
    let step = state.document(plan, at);
    let validation = validation(state, at, step);
    let unsatisfied = unsatisfied(state, at, step);
    let uncalled = uncalled(state, at, step);
    if unsatisfied.is_empty() {
        return content(plan, state, at, text, (contract, validation, None));
    }
    let reason = if let (true, Some((tool, named))) = (uncalled.is_empty(), beside(state, at, &unsatisfied)) {
        format!("Step {} has called {tool}, and no call of it had to do with {named}", step.id)
    } else if uncalled.is_empty() {
        format!("Step {} has no successful call of: {}", step.id, unsatisfied.join(", "))
    } else {
        format!("Step {} did not invoke required tools: {}", step.id, uncalled.join(", "))
    };
    if mode(plan, step) == ValidationMode::Advisory {
        return content(plan, state, at, text, (contract, validation, Some(reason)));
    }
    let enforced = state.step(at).exchange.iter().filter(|item| matches!(item, Exchange::Enforced { .. })).count();
    let (enforced, retries) = (u32::try_from(enforced).unwrap_or(u32::MAX), plan.limits.tool_validation_retries);
    let attempt =
        enforced.saturating_add(reprompts(state, at, |fault| fault.stage == Stage::RequiredTools)).saturating_add(1);
    if let Some((tool, named)) = beside(state, at, &unsatisfied).filter(|_| uncalled.is_empty() && attempt <= retries) {
        let message = format!("the step is not done: no call of {tool} had to do with {named}");
        let fault = Fault::new(Stage::RequiredTools, message).hint("Make a call that does.");
        let left = Some(retries - attempt);
        return Judgement::Reprompt(Fault { attempt: Some(attempt), retries_remaining: left, ..fault });
    }
    if attempt <= retries {
        // A call that failed was made, and is not missing: it comes up when no other is.
        let missing = if uncalled.is_empty() { unsatisfied } else { uncalled };
        return Judgement::Enforce { missing, attempt };
    }
    Judgement::Fail { validation, reason, limit: Some(("toolValidationRetries", retries)) }
}

/// What the result of a step has to fit, compiled once in a run.
pub(super) type Contract<'c> = Option<&'c Result<Schema, UnusableSchema>>;

/// The last check: what comes out fits its contract, if there is one.
fn content(
    plan: &Plan,
    state: &RunState,
    at: usize,
    text: &str,
    (contract, validation, warning): (Contract<'_>, ValidationStatus, Option<String>),
) -> Judgement {
    let schema = match contract {
        None => return Judgement::Complete { validation, warning },
        Some(Ok(schema)) => schema,
        Some(Err(error)) => return Judgement::Fail { validation, reason: error.to_string(), limit: None },
    };
    let fault = match serde_json::from_str(bare(text)) {
        Ok(value) => Fault::joined(schema.check(&value, Stage::OutputContract)),
        Err(_) => {
            let message = format!("the result has to be one JSON {} and nothing else", wanted(schema));
            Some(Fault::new(Stage::OutputContract, message))
        }
    };
    let Some(fault) = fault else {
        return Judgement::Complete { validation, warning };
    };
    let retries = plan.limits.output_retries;
    told_again(state, at, fault.clone(), retries).map_or_else(
        || Judgement::Fail {
            validation,
            reason: format!("the result does not fit its contract: {fault}"),
            limit: Some((OUTPUT_RETRIES, retries)),
        },
        Judgement::Reprompt,
    )
}

/// What a contract wants of a result as a whole, as JSON calls it.
fn wanted(contract: &Schema) -> String {
    let said = Resolved::of(contract.source(), &[contract.source()]);
    let is_object = ["properties", "required", "patternProperties"].iter().any(|key| said.first(key).is_some());
    match said.kinds() {
        Some(kinds) if !kinds.is_empty() => kinds.join(" or "),
        None if is_object => "object".to_owned(),
        _ => "value".to_owned(),
    }
}

/// A text without the fence that models like to put around JSON.
pub(super) fn bare(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.map_or(text, |rest| rest.strip_prefix("json").unwrap_or(rest).trim())
}
