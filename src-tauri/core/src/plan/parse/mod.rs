//! Reading a model's text as a plan: a bare object, a fence, markers, thinking before it, other objects beside it, a
//! text that was cut off. Total and linear: any text ends in an output or in faults that name the place.

mod find;
mod json;
mod read;

#[cfg(test)]
mod tests;

use serde_json::Value;

use self::find::{Reading, Search, find};
use self::json::Quality;
use super::faults::Faults;
use super::outline::PlannerOutput;
use crate::contract::{Fault, Stage};

/// Text beyond this many bytes is not read.
pub const MAX_PLANNER_TEXT: usize = 1 << 20;
/// More faults are counted, not listed.
const MAX_FAULTS: usize = 40;

/// Reads a planner's reply in any profile: what is usable, and everything that is not, each at its place.
///
/// Without an output there is at least one fault. An output with faults is worth running; whether to ask the planner
/// again instead is the caller's decision.
pub fn parse(text: &str) -> (Option<PlannerOutput>, Vec<Fault>) {
    let mut faults = Faults::of(Stage::Parse, MAX_FAULTS);
    let text = bounded(text, &mut faults);
    let output = match find(text) {
        Search::Plan(candidate) => {
            note_quality(text, &candidate.read, &mut faults);
            if candidate.rivals > 1 {
                let (rivals, place) = (candidate.rivals, place(text, candidate.read.start));
                let message = format!("{rivals} objects could be the plan; the last whole one, at {place}, was read");
                faults.add(Vec::new(), message, "Write one JSON object.");
            }
            read::output(&candidate.object, &mut faults)
        }
        Search::Other(seen) => {
            explain_absence(text, seen.as_ref(), &mut faults);
            None
        }
    };
    if output.is_none() {
        faults.push(no_plan());
    }
    (output, faults.into_vec())
}

/// Reads an `emit_plan` call's arguments, or any value that is a plan already.
pub fn parse_value(value: &Value) -> (Option<PlannerOutput>, Vec<Fault>) {
    match value {
        Value::String(text) => parse(text),
        other => parse(&other.to_string()),
    }
}

/// The strict reading of the route template: an order and a task, both not empty, else nothing.
pub fn parse_plan_output(text: &str) -> Option<super::Outline> {
    match parse(text).0 {
        Some(PlannerOutput::Plan(outline)) if !outline.route.is_empty() && !outline.refined_task.is_empty() => {
            Some(outline)
        }
        _ => None,
    }
}

fn bounded<'a>(text: &'a str, faults: &mut Faults) -> &'a str {
    if text.len() <= MAX_PLANNER_TEXT {
        return text;
    }
    faults.add(Vec::new(), format!("only the first {MAX_PLANNER_TEXT} bytes were read"), "Write a shorter plan.");
    let end = (0..=MAX_PLANNER_TEXT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    &text[..end]
}

fn note_quality(text: &str, read: &Reading, faults: &mut Faults) {
    if let Some(twice) = &read.twice {
        let message = "this key stands twice in one object; what it says the last time was read";
        faults.add(twice.clone(), message, "Write each key once.");
    }
    let (path, place) = (read.path.clone(), place(text, read.end));
    match read.quality {
        Quality::Whole | Quality::Mended => {}
        Quality::Truncated => {
            faults.add(path, format!("the text ends inside the object, at {place}"), "Write a shorter plan.");
        }
        Quality::Broken => {
            let message = format!("the object is broken at {place}; only what stands before that was read");
            faults.add(path, message, "Write valid JSON.");
        }
    }
}

/// A byte's place as an editor shows it.
fn place(text: &str, at: usize) -> String {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line = before.split(|byte| *byte == b'\n').next_back().unwrap_or_default();
    let lines = before.iter().filter(|byte| **byte == b'\n').count();
    format!("line {}, column {}", lines + 1, String::from_utf8_lossy(line).chars().count() + 1)
}

fn explain_absence(text: &str, seen: Option<&(Value, Reading)>, faults: &mut Faults) {
    match seen {
        None if text.trim().is_empty() => faults.add(Vec::new(), "the reply is empty", ""),
        None => {
            let end = place(text, text.len());
            let message = format!("the reply, which ends at {end}, holds no JSON object");
            faults.add(Vec::new(), message, "Output only a single JSON object, no other text.");
        }
        Some((value, read)) => {
            note_quality(text, read, faults);
            let start = place(text, read.start);
            let what = if value.is_object() { "object" } else { "list" };
            if let Some(object) = value.as_object() {
                read::not_a_list(object, faults);
            }
            let message = format!("the {what} at {start} has nothing to do in it and no answer");
            let mut fault = Fault::new(Stage::Parse, message);
            fault.provided = value.as_object().into_iter().flat_map(|fields| fields.keys()).take(20).cloned().collect();
            faults.push(fault);
        }
    }
}

fn no_plan() -> Fault {
    let mut fault = Fault::new(Stage::Parse, "this is no plan");
    fault.required = vec!["steps".into(), "priorityOrder".into(), "answer".into()];
    fault.missing = fault.required.clone();
    fault.hint("Give steps, or a priorityOrder with a refinedTask, or an answer.")
}
