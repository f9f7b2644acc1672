//! The fields of the object that a schema describes, whether it names them itself, refers to where they are named, or is put
//! together by `allOf`.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::Value;

use super::Resolved;
use super::parts::{parts, referred};

/// Schemas of which one is made at its top.
const MOST_PARTS: usize = 64;

/// The fields that a schema names for its object, each once, as it stands first.
pub fn properties_of(schema: &Value) -> Vec<(&String, &Value)> {
    let (mut properties, mut seen) = (named(schema), HashSet::new());
    properties.retain(|(name, _)| seen.insert(*name));
    properties
}

/// The same, each with all that is said of it: its keywords may stand behind a reference, in an `allOf`, or where the field
/// is named once more.
pub fn resolved_properties(schema: &Value) -> IndexMap<&String, Resolved<'_>> {
    let mut said: IndexMap<&String, Vec<&Value>> = IndexMap::new();
    for (name, property) in named(schema) {
        said.entry(name).or_default().push(property);
    }
    said.into_iter().map(|(name, said)| (name, Resolved::of(schema, &said))).collect()
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

/// The fields that a schema names only in alternatives to what its object is, each with all that they say of it. Which of
/// them are wanted its check tells.
pub(super) fn in_ways(schema: &Value) -> IndexMap<&String, Vec<&Value>> {
    let own: HashSet<&String> = named(schema).into_iter().map(|(name, _)| name).collect();
    let mut all = top(schema);
    let mut at = 0;
    while let Some(part) = all.get(at).copied().filter(|_| all.len() < MOST_PARTS) {
        let several = ["anyOf", "oneOf"].into_iter().filter_map(|key| part.get(key)?.as_array()).flatten();
        let ways = several.chain(["then", "else"].into_iter().filter_map(|key| part.get(key)));
        let more = parts(schema, &ways.collect::<Vec<_>>(), MOST_PARTS);
        let more: Vec<&Value> =
            more.into_iter().filter(|one| !all.iter().any(|known| std::ptr::eq(*known, *one))).collect();
        all.extend(more);
        at += 1;
    }
    let mut ways: IndexMap<&String, Vec<&Value>> = IndexMap::new();
    for (name, property) in all.into_iter().filter_map(|part| part.get("properties")?.as_object()).flatten() {
        let said = ways.entry(name).or_default();
        if property.is_object() && !said.contains(&property) {
            said.push(property);
        }
    }
    ways.retain(|name, said| !own.contains(name) && !said.is_empty());
    ways
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
