//! Strict reading of a plan file. Unlike a model's text a file is somebody's document: nothing in it is guessed, dropped
//! or overlooked. Writing one is serde's.

mod spelling;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use serde_json::{Value, json};

pub use self::spelling::spelled_as_in;
use super::Plan;
use super::faults::Faults;
use crate::contract::{Fault, PathPart, Schema, Stage, UnusableSchema};

/// The published schema of the format.
pub const PLAN_SCHEMA: &str = include_str!("plan.schema.json");
/// Bytes of a plan file.
pub const MAX_PLAN_FILE: usize = 8 << 20;
/// More faults are counted, not listed.
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
/// Every unknown field and every wrong value, each at its place in the text.
pub fn import(text: &str) -> Result<Plan, Vec<Fault>> {
    if text.len() > MAX_PLAN_FILE {
        return Err(vec![Fault::new(Stage::Plan, format!("the file is longer than {MAX_PLAN_FILE} bytes"))]);
    }
    let mut document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| vec![Fault::new(Stage::Parse, format!("the file is not JSON: {error}"))])?;
    if let Some(fields) = document.as_object_mut() {
        spelling::respell(fields);
        // Whoever takes a plan from a file gives it these anew.
        for (name, value) in [("id", json!("imported")), ("version", json!(1)), ("sessionId", json!(""))] {
            fields.entry(name).or_insert(value);
        }
    }
    let format = FORMAT.as_ref().map_err(|unusable| vec![Fault::new(Stage::Plan, unusable.to_string())])?;
    let mut faults = Faults::of(Stage::Plan, MAX_FAULTS);
    unknown_fields(&document, &format.schema, &mut Vec::new(), &mut faults);
    for fault in format.open.check(&document, Stage::Plan) {
        faults.push(fault);
    }
    if faults.count() > 0 {
        return Err(spelled_as_in(text, faults.into_vec()));
    }
    serde_json::from_value(document).map_err(|error| vec![Fault::new(Stage::Plan, error.to_string())])
}

/// Fields that the schema does not have, one fault each, where a validator would give one for the whole object.
fn unknown_fields(value: &Value, schema: &Value, place: &mut Vec<PathPart>, faults: &mut Faults) {
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
            None => {
                // What is only counted needs no advice.
                let known = properties.keys().filter(|_| !faults.is_full());
                let near = super::Known::did_you_mean(name, known);
                faults.add(place.iter().cloned(), "the format has no such field", near);
            }
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
