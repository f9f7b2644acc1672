//! From a found object to an outline, field by field; what cannot be used is a fault at its place and is left out.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::contract::{Fault, PathPart, Stage};
use crate::plan::faults::Faults;
use crate::plan::keys;
use crate::plan::outline::{Outline, OutlineStep, PlannerOutput};
use crate::plan::{Route, RouteStep, StepType, ValidationMode};

/// Reads the object that was found; nothing when neither steps, nor a route, nor an answer could be used.
pub(super) fn output(object: &Map<String, Value>, faults: &mut Faults) -> Option<PlannerOutput> {
    let mut outline = Outline {
        title: text(object, keys::TITLE, &[], faults).unwrap_or_default(),
        intent: text(object, keys::INTENT, &[], faults).unwrap_or_default(),
        refined_task: text(object, keys::TASK, &[], faults).unwrap_or_default(),
        when: text(object, keys::WHEN, &[], faults).filter(|when| !when.is_empty()),
        extracted_context: context(object, faults),
        instructions: instructions(object, faults),
        route: route(object, faults),
        ..Outline::default()
    };
    outline.steps = steps(object, faults);
    outline.prose = prose(object);
    let answer = keys::field(object, keys::ANSWER).and_then(|(_, value)| value.as_str()).map(str::trim);
    let answer = answer.filter(|answer| !answer.is_empty());
    if outline.steps.is_empty() && outline.route.is_empty() {
        return answer.map(|answer| PlannerOutput::Answer(answer.to_owned()));
    }
    if answer.is_some() {
        faults.add(vec!["answer".into()], "an answer beside steps was left out", "Write either an answer or a plan.");
    }
    if !outline.route.is_empty() && outline.steps.is_empty() && outline.refined_task.is_empty() {
        let mut fault = Fault::new(Stage::Parse, "the task is missing").at(["refinedTask"]);
        fault.required = vec!["priorityOrder".into(), "refinedTask".into()];
        fault.missing = vec!["refinedTask".into()];
        faults.push(fault.hint("Say the task in one short sentence."));
    }
    Some(PlannerOutput::Plan(outline))
}

fn text(object: &Map<String, Value>, spellings: &[&str], place: &[PathPart], faults: &mut Faults) -> Option<String> {
    let (key, value) = keys::field(object, spellings)?;
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => {
            faults.add(at(place, key), "this has to be a text", "Write it as one text.");
            None
        }
    }
}

fn at(place: &[PathPart], key: &str) -> Vec<PathPart> {
    let mut path = place.to_vec();
    path.push(key.into());
    path
}

fn prose(object: &Map<String, Value>) -> String {
    match keys::field(object, keys::PLAN_TEXT) {
        Some((_, Value::String(text))) => text.trim().to_owned(),
        Some((_, Value::Array(lines))) => lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

fn context(object: &Map<String, Value>, faults: &mut Faults) -> Map<String, Value> {
    match keys::field(object, keys::CONTEXT) {
        None => Map::new(),
        Some((_, Value::Object(values))) => values.clone(),
        Some((key, _)) => {
            faults.add(
                vec![key.into()],
                "this has to be an object of names and values",
                "Write {} when there are none.",
            );
            Map::new()
        }
    }
}

fn instructions(object: &Map<String, Value>, faults: &mut Faults) -> IndexMap<String, String> {
    let mut found: IndexMap<String, String> = IndexMap::new();
    let mut add = |id: String, key: &str, value: &Value, faults: &mut Faults| match value {
        Value::Null => {}
        Value::String(text) if text.trim().is_empty() => {}
        Value::String(text) => {
            found.entry(id).or_insert_with(|| text.trim().to_owned());
        }
        _ => faults.add(vec![key.into()], "instructions have to be a text", "Write them as one text."),
    };
    for (key, value) in object {
        if let Some(id) = keys::instructed(key) {
            add(id, key, value, faults);
        }
    }
    if let Some((_, Value::Object(all))) = keys::field(object, keys::INSTRUCTIONS) {
        for (id, value) in all {
            add(id.clone(), id, value, faults);
        }
    }
    found
}

fn route(object: &Map<String, Value>, faults: &mut Faults) -> Route {
    let Some((key, value)) = keys::field(object, keys::ROUTE) else { return Route::new() };
    let elements = match value {
        Value::Array(elements) => elements.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut route = Route::new();
    for (index, element) in elements.iter().enumerate() {
        let mut drop_it = || {
            let hint = "Use a specialist's id, or {\"parallel\": [ids]}.";
            faults.add(vec![key.into(), index.into()], "this names no specialist", hint);
        };
        match element {
            Value::String(id) if !id.trim().is_empty() => route.push(RouteStep::One(id.trim().to_owned())),
            Value::Object(group) => {
                let ids = group.get("parallel").map(names).unwrap_or_default();
                if ids.is_empty() { drop_it() } else { route.push(RouteStep::Parallel { parallel: ids }) }
            }
            _ => drop_it(),
        }
    }
    route
}

/// Names from a list or from one text; what is neither is no name.
fn names(value: &Value) -> Vec<String> {
    let name = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    match value {
        Value::Array(items) => items.iter().filter_map(name).collect(),
        one => name(one).into_iter().collect(),
    }
}

/// Steps that are something else than a list of them.
pub(super) fn not_a_list(object: &Map<String, Value>, faults: &mut Faults) {
    if let Some((key, value)) = keys::field(object, keys::STEPS)
        && !value.is_array()
    {
        faults.add(vec![key.into()], "this has to be a list of steps", "Write [{...}, {...}], also for one step.");
    }
}

fn steps(object: &Map<String, Value>, faults: &mut Faults) -> Vec<OutlineStep> {
    not_a_list(object, faults);
    let lists = [keys::STEPS, keys::PLAN_TEXT].into_iter().filter_map(|spellings| keys::field(object, spellings));
    let found = lists
        .filter_map(|(key, value)| value.as_array().map(|items| (key, items)))
        .find(|(_, items)| items.iter().any(Value::is_object));
    let Some((key, items)) = found else { return Vec::new() };
    for (other, list) in keys::fields(object, keys::STEPS) {
        if other != key && list.as_array().is_some_and(|list| !list.is_empty() && list != items) {
            let message = format!("this is a second list of steps beside {key}; it was left out");
            faults.add(vec![other.into()], message, "Write all steps in one list.");
        }
    }
    let mut steps = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let place = [key.into(), index.into()];
        let read = match item {
            Value::Object(fields) => step(fields, &place, faults),
            Value::String(text) if !text.trim().is_empty() => {
                Some(OutlineStep { description: text.trim().to_owned(), ..OutlineStep::default() })
            }
            _ => None,
        };
        match read {
            Some(step) => steps.push(step),
            None => faults.add(place.to_vec(), "this step does not say what to do", "Give it a description."),
        }
    }
    steps
}

fn step(fields: &Map<String, Value>, place: &[PathPart], faults: &mut Faults) -> Option<OutlineStep> {
    let description = text(fields, keys::STEP_TEXT, place, faults).filter(|text| !text.is_empty())?;
    let mut step = OutlineStep {
        id: keys::field(fields, keys::STEP_ID).and_then(|(_, id)| names(id).into_iter().next()),
        description,
        step_type: one_of(fields, keys::STEP_TYPE, place, faults, |word| match word {
            "tool" => Some(StepType::Tool),
            "reasoning" => Some(StepType::Reasoning),
            _ => None,
        }),
        required_tools: tools(fields, place, faults),
        expected_outcome: text(fields, keys::STEP_OUTCOME, place, faults).filter(|text| !text.is_empty()),
        tool_validation_mode: one_of(fields, keys::STEP_MODE, place, faults, |word| match word {
            "strict" => Some(ValidationMode::Strict),
            "advisory" => Some(ValidationMode::Advisory),
            _ => None,
        }),
        after: keys::field(fields, keys::STEP_AFTER).map(|(_, after)| names(after)).unwrap_or_default(),
        specialist: keys::field(fields, keys::STEP_WHO).and_then(|(_, who)| names(who).into_iter().next()),
        instructions: text(fields, keys::STEP_INSTRUCTIONS, place, faults).filter(|text| !text.is_empty()),
    };
    settle_tool_words(&mut step);
    Some(step)
}

/// The tools that a step must call. A requirement is never lost in silence: what names no tool is a fault.
fn tools(fields: &Map<String, Value>, place: &[PathPart], faults: &mut Faults) -> Vec<String> {
    let Some((key, value)) = keys::field(fields, keys::STEP_TOOLS) else { return Vec::new() };
    let items = match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut found = Vec::new();
    for (index, item) in items.iter().enumerate() {
        // As a call has it: `{"toolName": …}`.
        let named = item.as_object().and_then(|object| keys::field(object, keys::TOOL_NAME)).map(|(_, name)| name);
        let mut name = names(named.unwrap_or(item));
        if name.len() == 1 {
            found.append(&mut name);
        } else {
            let path = place.iter().cloned().chain([key.into(), index.into()]);
            faults.add(path, "this names no tool", "Write the tool's name as a text.");
        }
    }
    found
}

/// `find` is a tool step without required tools that no specialist is bound to; `none` is a reasoning step.
fn settle_tool_words(step: &mut OutlineStep) {
    let is = |tool: &String, word: &str| keys::bare(tool) == word;
    let finds = step.required_tools.iter().any(|tool| is(tool, keys::FIND_TOOL));
    let thinks = step.required_tools.iter().any(|tool| is(tool, keys::NO_TOOL));
    step.required_tools.retain(|tool| !is(tool, keys::FIND_TOOL) && !is(tool, keys::NO_TOOL));
    if step.required_tools.is_empty() {
        if finds {
            step.step_type = Some(StepType::Tool);
            step.specialist = None;
        } else if thinks {
            step.step_type = Some(StepType::Reasoning);
        }
    }
}

fn one_of<T>(
    fields: &Map<String, Value>,
    spellings: &[&str],
    place: &[PathPart],
    faults: &mut Faults,
    read: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let (key, value) = keys::field(fields, spellings)?;
    let found = value.as_str().and_then(|word| read(&word.trim().to_lowercase()));
    if found.is_none() {
        faults.add(
            at(place, key),
            "this is none of the values that are known here",
            "Leave it out, or use a known one.",
        );
    }
    found
}
