//! Strict reading of a plan file. Unlike a model's text a file is somebody's document: nothing in it is guessed, dropped
//! or overlooked. Writing one is serde's.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::{Plan, keys};
use crate::contract::{Fault, PathPart, Schema, Stage, UnusableSchema};

/// The published schema of the format.
pub const PLAN_SCHEMA: &str = include_str!("plan.schema.json");
/// Bytes of a plan file.
pub const MAX_PLAN_FILE: usize = 8 << 20;
/// More faults are not listed.
const MAX_FAULTS: usize = 100;

/// What a plan file is held to: compiled for the first one.
static FORMAT: LazyLock<Result<Format, UnusableSchema>> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(PLAN_SCHEMA).unwrap_or_default();
    Ok(Format { open: Schema::compile(without_closing(schema.clone()))?, schema })
});

struct Format {
    schema: Value,
    /// Without what it says of unknown fields: those are told with their places.
    open: Schema,
}

/// Reads an `assent.plan/1` document. The seeds' spellings are accepted beside the format's: `priorityOrder`,
/// `todoList`, `instructionsForGeneral` and its like, and a step's `specialist`.
///
/// A plan that was written by hand need not say its id, its version and its session: they are given anew where it is
/// taken in.
///
/// What comes back is as untrusted as any plan; its grants count for nothing until it is checked.
///
/// # Errors
/// Every unknown field and every wrong value, each at its place.
pub fn import(text: &str) -> Result<Plan, Vec<Fault>> {
    if text.len() > MAX_PLAN_FILE {
        return Err(vec![Fault::new(Stage::Plan, format!("the file is longer than {MAX_PLAN_FILE} bytes"))]);
    }
    let mut document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| vec![Fault::new(Stage::Parse, format!("the file is not JSON: {error}"))])?;
    if let Some(fields) = document.as_object_mut() {
        respell(fields);
        // Whoever takes a plan from a file gives it these anew.
        for (name, value) in [("id", json!("imported")), ("version", json!(1)), ("sessionId", json!(""))] {
            fields.entry(name).or_insert(value);
        }
    }
    let format = FORMAT.as_ref().map_err(|unusable| vec![Fault::new(Stage::Plan, unusable.to_string())])?;
    let mut faults = Vec::new();
    let mut place = Vec::new();
    unknown_fields(&document, &format.schema, &mut place, &mut faults);
    faults.extend(format.open.check(&document, Stage::Plan));
    faults.truncate(MAX_FAULTS);
    if !faults.is_empty() {
        return Err(faults);
    }
    serde_json::from_value(document).map_err(|error| vec![Fault::new(Stage::Plan, error.to_string())])
}

/// The seeds' names of fields as the format's, where those are not there too.
fn respell(fields: &mut Map<String, Value>) {
    rename(fields, "priorityOrder", "route");
    rename(fields, "todoList", "steps");
    let spoken: Vec<(String, String)> =
        fields.keys().filter_map(|key| keys::instructed(key).map(|id| (key.clone(), id))).collect();
    if !spoken.is_empty() {
        let mut all = match fields.shift_remove("instructions") {
            Some(Value::Object(all)) => all,
            _ => Map::new(),
        };
        for (key, id) in spoken {
            if let Some(text) = fields.shift_remove(&key).filter(|text| !text.is_null()) {
                all.entry(id).or_insert(text);
            }
        }
        fields.insert("instructions".to_owned(), Value::Object(all));
    }
    let steps = fields.get_mut("steps").and_then(Value::as_array_mut);
    for step in steps.into_iter().flatten().filter_map(Value::as_object_mut) {
        if let Some(Value::String(id)) = step.get("specialist").cloned()
            && !step.contains_key("executor")
        {
            step.shift_remove("specialist");
            step.insert("executor".to_owned(), json!({"kind": "specialist", "id": id}));
        }
    }
}

fn rename(fields: &mut Map<String, Value>, from: &str, to: &str) {
    if !fields.contains_key(to)
        && let Some(value) = fields.shift_remove(from)
    {
        fields.insert(to.to_owned(), value);
    }
}

/// Fields that the schema does not have, one fault each, where a validator would give one for the whole object.
fn unknown_fields(value: &Value, schema: &Value, place: &mut Vec<PathPart>, faults: &mut Vec<Fault>) {
    let (Some(properties), Value::Object(fields)) = (schema.get("properties").and_then(Value::as_object), value) else {
        if let (Some(items), Value::Array(elements)) = (schema.get("items"), value) {
            for (index, element) in elements.iter().enumerate() {
                place.push(index.into());
                unknown_fields(element, items, place, faults);
                place.pop();
            }
        }
        return;
    };
    for (name, inner) in fields {
        place.push(name.as_str().into());
        match properties.get(name) {
            Some(known) => unknown_fields(inner, known, place, faults),
            None if faults.len() < MAX_FAULTS => {
                let near = super::Known::did_you_mean(name, properties.keys());
                let mut fault = Fault::new(Stage::Plan, "the format has no such field").hint(near);
                fault.path.clone_from(place);
                faults.push(fault);
            }
            None => {}
        }
        place.pop();
    }
}

/// The schema without its refusals of further fields, which are reported one by one.
fn without_closing(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(fields) => {
            if fields.get("additionalProperties") == Some(&Value::Bool(false)) {
                fields.shift_remove("additionalProperties");
            }
            for inner in fields.values_mut() {
                *inner = without_closing(inner.take());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| *inner = without_closing(inner.take())),
        _ => {}
    }
    schema
}
