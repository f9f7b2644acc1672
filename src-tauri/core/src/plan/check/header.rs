//! What a plan says as a whole: its format, texts, context, limits and route.

use std::ops::RangeInclusive;

use super::Faults;
use crate::contract::{PathPart, Stage};
use crate::plan::known::PLANNER;
use crate::plan::{FORMAT, Known, Limits, Plan};

/// Characters of the message that a plan answers.
const MAX_MESSAGE: usize = 400_000;
/// Characters of a title.
const MAX_TITLE: usize = 300;
/// Characters of any other text of the header.
const MAX_TEXT: usize = 20_000;
/// Bytes of the extracted context as JSON.
const MAX_CONTEXT: usize = 100_000;
/// Specialists that are given instructions, and elements of a route.
const MAX_NAMES: usize = 500;

pub(super) fn check(plan: &Plan, known: &Known, faults: &mut Faults) {
    if plan.format != FORMAT {
        faults.add(["format".into()], "this format is not known here", format!("It has to be {FORMAT}."));
    }
    if plan.version == 0 || plan.supersedes.is_some_and(|before| before >= plan.version || before == 0) {
        faults.add(["version".into()], "versions count from 1, and a version replaces an earlier one", "");
    }
    if plan.id.as_str().is_empty() || plan.id.as_str().len() > 200 {
        faults.add(["id".into()], "the plan needs an id of 1 to 200 bytes", "");
    }
    let texts = [
        ("title", &plan.title, MAX_TITLE),
        ("intent", &plan.intent, MAX_TEXT),
        ("refinedTask", &plan.refined_task, MAX_TEXT),
        ("userMessage", &plan.user_message, MAX_MESSAGE),
    ];
    for (field, text, limit) in texts {
        length([field.into()], text, limit, faults);
    }
    if serde_json::to_string(&plan.extracted_context).map_or(0, |json| json.len()) > MAX_CONTEXT {
        faults.add(
            ["extractedContext".into()],
            format!("this is longer than {MAX_CONTEXT} bytes"),
            "Keep only values that steps need.",
        );
    }
    if plan.instructions.len() > MAX_NAMES {
        faults.add(["instructions".into()], format!("more than {MAX_NAMES} specialists are instructed"), "");
    }
    for (id, text) in plan.instructions.iter().take(MAX_NAMES) {
        length(["instructions".into(), id.as_str().into()], text, MAX_TEXT, faults);
    }
    limits(&plan.limits, faults);
    route(plan, known, faults);
}

pub(super) fn length<const N: usize>(path: [PathPart; N], text: &str, limit: usize, faults: &mut Faults) {
    if text.len() > limit && text.chars().count() > limit {
        faults.add(path, format!("this is longer than {limit} characters"), "Shorten it.");
    }
}

fn limits(limits: &Limits, faults: &mut Faults) {
    let bounds: [(&str, u32, RangeInclusive<u32>); 12] = [
        ("plannerRetries", limits.planner_retries, 0..=5),
        ("toolValidationRetries", limits.tool_validation_retries, 0..=10),
        ("outputRetries", limits.output_retries, 0..=10),
        ("inputRetries", limits.input_retries, 0..=10),
        ("stepIterations", limits.step_iterations, 1..=200),
        ("depth", limits.depth, 1..=20),
        ("branchCalls", limits.branch_calls, 1..=100_000),
        ("branchTokens", limits.branch_tokens, 1_000..=1_000_000_000),
        ("callSeconds", limits.call_seconds, 1..=86_400),
        ("maxParallelSteps", limits.max_parallel_steps, 1..=64),
        ("toolTokenBudget", limits.tool_token_budget, 100..=200_000),
        ("toolResultMaxLength", limits.tool_result_max_length, 200..=10_000_000),
    ];
    for (name, value, range) in bounds {
        if !range.contains(&value) {
            let message = format!("{value} is out of bounds");
            faults.add(["limits".into(), name.into()], message, format!("Use {} to {}.", range.start(), range.end()));
        }
    }
}

fn route(plan: &Plan, known: &Known, faults: &mut Faults) {
    if plan.route.len() > MAX_NAMES.max(plan.steps.len()) {
        faults.add(["route".into()], "the route has more elements than the plan has steps", "");
        return;
    }
    for (index, element) in plan.route.iter().enumerate() {
        for id in element.ids().iter().filter(|id| !known.runs(id)) {
            unknown_specialist(["route".into(), index.into()], id, known, faults);
        }
    }
}

/// The fault of a name that is no specialist which can run.
pub(super) fn unknown_specialist<const N: usize>(path: [PathPart; N], id: &str, known: &Known, faults: &mut Faults) {
    let shown: String = id.chars().take(80).collect();
    if id == PLANNER {
        faults.add_to(Stage::Route, path, "the planner does not run as a step of a plan", "Name another specialist.");
    } else {
        let near = Known::did_you_mean(id, known.specialists.keys().filter(|id| *id != PLANNER));
        faults.add_to(Stage::Route, path, format!("there is no specialist {shown:?}"), near);
    }
}
