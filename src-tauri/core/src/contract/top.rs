//! The fields of the object that a schema describes, whether it names them itself, refers to where they are named, or is put
//! together by `allOf`.

use std::collections::HashSet;

use serde_json::Value;

use super::parts::{parts, referred};

/// Schemas of which one is made at its top.
const MOST_PARTS: usize = 64;

/// The fields that a schema names for its object, each once, as it stands first.
pub fn properties_of(schema: &Value) -> Vec<(&String, &Value)> {
    let (mut properties, mut seen) = (named(schema), HashSet::new());
    properties.retain(|(name, _)| seen.insert(*name));
    properties
}

/// The same, each as often as it is named.
pub(super) fn named(schema: &Value) -> Vec<(&String, &Value)> {
    let properties = top(schema).into_iter().filter_map(|part| part.get("properties")?.as_object());
    properties.flatten().collect()
}

/// The fields that its object is not whole without.
pub(super) fn required_of(schema: &Value) -> Vec<String> {
    let lists = top(schema).into_iter().filter_map(|part| part.get("required")?.as_array());
    let mut seen = HashSet::new();
    let names = lists.flatten().filter_map(Value::as_str).filter(|name| seen.insert(*name));
    names.map(str::to_owned).collect()
}

/// What a schema says of its object as a whole, part by part.
pub(super) fn top(schema: &Value) -> Vec<&Value> {
    parts(schema, &[schema], MOST_PARTS)
}

/// Why a schema may name fields that nobody sees who reads it.
pub(super) fn out_of_sight(schema: &Value) -> Option<String> {
    let parts = top(schema);
    if parts.len() == MOST_PARTS {
        return Some(format!("it is put together of {MOST_PARTS} parts or more; write its values in one place"));
    }
    let away = parts.iter().find_map(|part| match part.get("$ref") {
        Some(to) => referred(schema, part).is_none().then_some(to),
        None => part.get("$dynamicRef").or_else(|| part.get("$recursiveRef")),
    })?;
    let to: String = away.to_string().chars().take(64).collect();
    Some(format!("its values stand behind {to}, which is no place in it; write them at its top, or in its $defs"))
}
