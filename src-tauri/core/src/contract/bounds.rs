//! What a schema of unknown origin must not be: too large, too deep, dependent on another document, or endless.
//!
//! A schema may refer to itself as long as each round looks at a smaller part of the instance, as trees do. One whose
//! references come back to where they began with the same value would never be through with it.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::UnusableSchema;

/// Bytes of a schema.
const MOST_BYTES: usize = 256 << 10;
/// Levels of a schema.
const MOST_DEPTH: usize = 64;
/// Levels of a schema when its references are followed, each once.
const MOST_HEIGHT: usize = 256;
/// Schemas that may look at one and the same value.
const MOST_LOOKS: usize = 10_000;
/// Keywords whose values are data, whatever they look like.
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];

/// Whether a schema of unknown origin may be compiled.
///
/// # Errors
/// Why not, and where.
pub fn within_bounds(schema: &Value) -> Result<(), UnusableSchema> {
    let fault = |message: String, place: &str| UnusableSchema { message, place: place.to_owned() };
    let mut open: Vec<(&Value, usize, String)> = vec![(schema, 1, String::new())];
    while let Some((value, depth, place)) = open.pop() {
        if depth > MOST_DEPTH {
            return Err(fault(format!("it is more than {MOST_DEPTH} levels deep"), &place));
        }
        match value {
            Value::Object(fields) => {
                if let Some(target) = leads_out(fields) {
                    return Err(fault(format!("it refers to another document: {}", cut(target)), &place));
                }
                let below = fields.iter().filter(|(key, _)| !DATA.contains(&key.as_str()));
                open.extend(below.map(|(key, value)| (value, depth + 1, format!("{place}/{key}"))));
            }
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(at, item)| (item, depth + 1, format!("{place}/{at}"))));
            }
            _ => {}
        }
    }
    let size = schema.to_string().len();
    if size > MOST_BYTES {
        return Err(fault(format!("it has {size} bytes, at most {MOST_BYTES}"), ""));
    }
    Ok(())
}

/// What of a schema's keywords leads out of its document.
pub fn leads_out(fields: &Map<String, Value>) -> Option<&str> {
    ["$ref", "$dynamicRef", "$id", "$schema"].into_iter().find_map(|key| {
        let target = fields.get(key).and_then(Value::as_str)?;
        let known_draft = key == "$schema" && target.contains("json-schema.org");
        (!target.starts_with('#') && !known_draft).then_some(target)
    })
}

/// Whether a check of any value comes to an end, and soon: no references that come back to where they began without
/// looking at another value, no endless chain of them, no schema that looks at one value again and again.
///
/// # Errors
/// The schema at which that shows.
pub(super) fn comes_to_an_end(schema: &Value) -> Result<(), UnusableSchema> {
    let graph = Graph::of(schema);
    let fault = |at: usize, message: String| UnusableSchema { message, place: graph.places[at].clone() };
    let (order, circle) = inner_first(&graph.same_value);
    if let Some(at) = circle {
        return Err(fault(at, "its references go round in a circle: no value could ever be checked".to_owned()));
    }
    let mut looks = vec![1_usize; graph.places.len()];
    for at in order {
        looks[at] = graph.same_value[at].iter().fold(1, |all, to| looks[*to].saturating_add(all));
        if looks[at] > MOST_LOOKS {
            return Err(fault(at, format!("it looks at one value more than {MOST_LOOKS} times")));
        }
    }
    let mut heights = vec![0_usize; graph.places.len()];
    for at in inner_first(&graph.all).0 {
        heights[at] = 1 + graph.all[at].iter().map(|to| heights[*to]).max().unwrap_or(0);
        if heights[at] > MOST_HEIGHT {
            return Err(fault(at, format!("its references make it more than {MOST_HEIGHT} levels deep")));
        }
    }
    Ok(())
}

/// All nodes, each behind those that it leads to, and one at which a path comes back to itself.
fn inner_first(leads_to: &[Vec<usize>]) -> (Vec<usize>, Option<usize>) {
    let (mut order, mut circle) = (Vec::with_capacity(leads_to.len()), None);
    let (mut done, mut on_path) = (HashSet::new(), HashSet::new());
    for start in 0..leads_to.len() {
        // Each entry: a node, and how many of those that it leads to were looked at.
        let mut path: Vec<(usize, usize)> = Vec::new();
        if !done.contains(&start) {
            path.push((start, 0));
            on_path.insert(start);
        }
        while let Some((node, next)) = path.last_mut() {
            let Some(to) = leads_to[*node].get(*next).copied() else {
                on_path.remove(node);
                done.insert(*node);
                order.push(*node);
                path.pop();
                continue;
            };
            *next += 1;
            if on_path.contains(&to) {
                circle = circle.or(Some(to));
            } else if !done.contains(&to) {
                on_path.insert(to);
                path.push((to, 0));
            }
        }
    }
    (order, circle)
}

/// The objects of a schema, and where each leads.
struct Graph {
    places: Vec<String>,
    /// To objects that look at the same value.
    same_value: Vec<Vec<usize>>,
    /// To those that stand in it, and those that it refers to.
    all: Vec<Vec<usize>>,
}

struct Found<'s> {
    fields: &'s Map<String, Value>,
    place: String,
    /// What references are relative to.
    base: &'s Value,
    /// The object that it stands in.
    parent: Option<usize>,
}

impl Graph {
    fn of(schema: &Value) -> Self {
        let mut found: Vec<Found<'_>> = Vec::new();
        let mut open = vec![(schema, String::new(), schema, None)];
        while let Some((value, place, base, parent)) = open.pop() {
            match value {
                Value::Object(fields) => {
                    let is_own = fields.get("$id").and_then(Value::as_str).is_some_and(|id| !id.starts_with('#'));
                    let base = if is_own { value } else { base };
                    let below = fields.iter().filter(|(key, _)| !DATA.contains(&key.as_str()));
                    let at = Some(found.len());
                    open.extend(below.map(|(key, value)| (value, format!("{place}/{}", escaped(key)), base, at)));
                    found.push(Found { fields, place, base, parent });
                }
                Value::Array(items) => {
                    let items = items.iter().enumerate();
                    open.extend(items.map(|(at, item)| (item, format!("{place}/{at}"), base, parent)));
                }
                _ => {}
            }
        }
        let index: HashMap<usize, usize> =
            found.iter().enumerate().map(|(at, one)| (address(one.fields), at)).collect();
        let at = |value: &Value| value.as_object().and_then(|fields| index.get(&address(fields)).copied());
        let same_value: Vec<Vec<usize>> =
            found.iter().map(|one| same_value(one.fields, one.base).filter_map(at).collect()).collect();
        let mut all = same_value.clone();
        for (at, one) in found.iter().enumerate() {
            if let Some(parent) = one.parent {
                all[parent].push(at);
            }
        }
        Self { places: found.into_iter().map(|one| one.place).collect(), same_value, all }
    }
}

fn address(fields: &Map<String, Value>) -> usize {
    std::ptr::from_ref(fields) as usize
}

/// The schemas to which one hands the very value that it looks at.
fn same_value<'s>(fields: &'s Map<String, Value>, base: &'s Value) -> impl Iterator<Item = &'s Value> {
    let referred = ["$ref", "$dynamicRef"].into_iter().filter_map(|key| target(fields.get(key)?.as_str()?, base));
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| fields.get(key)?.as_array()).flatten();
    let single = ["not", "if", "then", "else"].into_iter().filter_map(|key| fields.get(key));
    let dependent = fields.get("dependentSchemas").and_then(Value::as_object).into_iter().flat_map(Map::values);
    referred.chain(lists).chain(single).chain(dependent)
}

/// What a reference inside the document names.
fn target<'s>(reference: &str, base: &'s Value) -> Option<&'s Value> {
    let fragment = reference.strip_prefix('#')?;
    if fragment.is_empty() || fragment.starts_with('/') {
        return base.pointer(&decoded(fragment));
    }
    let mut open = vec![base];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                let named = |key: &str| fields.get(key).and_then(Value::as_str) == Some(fragment);
                if named("$anchor") || named("$dynamicAnchor") {
                    return Some(value);
                }
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    None
}

/// A fragment without its percent signs.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut left = fragment.as_bytes();
    while let [first, rest @ ..] = left {
        let code = match (first, rest) {
            (b'%', [high, low, ..]) => {
                std::str::from_utf8(&[*high, *low]).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok())
            }
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        left = if code.is_some() { &rest[2..] } else { rest };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn cut(text: &str) -> String {
    text.chars().filter(|sign| !sign.is_control()).take(64).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{MOST_DEPTH, comes_to_an_end, within_bounds};
    use crate::contract::Schema;

    #[test]
    fn references_that_go_round_are_told_and_trees_are_none() {
        for endless in [
            json!({"$ref": "#"}),
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "properties": {"x": {"$ref": "#/$defs/a"}}}),
            json!({"$defs": {"a b": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/a%20b"}]}}}),
            json!({"$anchor": "me", "allOf": [{"not": {"$ref": "#me"}}]}),
            json!({"$defs": {"a": {"dependentSchemas": {"x": {"if": {"$ref": "#/$defs/a"}}}}}}),
        ] {
            let error = comes_to_an_end(&endless).unwrap_err();
            assert!(error.to_string().contains("go round in a circle"), "{endless}: {error}");
            assert!(Schema::compile(endless.clone()).is_err(), "{endless}");
        }
        for ends in [
            json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}}),
            json!({"$defs": {"a": {"type": "integer"}}, "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}),
            json!({"const": {"$ref": "#/const"}, "default": {"$ref": "#"}}),
            json!({"properties": {"$ref": {"type": "string"}, "not": {"type": "null"}}}),
            json!(true),
        ] {
            assert_eq!(comes_to_an_end(&ends), Ok(()), "{ends}");
            assert!(Schema::compile(ends.clone()).is_ok(), "{ends}");
        }
    }

    /// `count` definitions, each made of the reference to the next.
    fn chain(count: usize, link: impl Fn(Value) -> Value) -> Value {
        let mut defs = serde_json::Map::new();
        for at in 0..count {
            defs.insert(format!("d{at}"), link(json!({"$ref": format!("#/$defs/d{}", at + 1)})));
        }
        defs.insert(format!("d{count}"), json!({"type": "integer"}));
        json!({"$defs": defs, "$ref": "#/$defs/d0"})
    }

    #[test]
    fn schemas_that_would_use_up_the_stack_or_the_time_are_told() {
        let deep = |to: Value| (0..50).fold(to, |inner, _| json!({"items": inner}));
        let twice = |to: Value| json!({"allOf": [to, to]});
        for (schema, why) in [
            (chain(5_000, |to| to), "levels deep"),
            (chain(100, deep), "levels deep"),
            (chain(40, twice), "more than 10000 times"),
        ] {
            let error = Schema::compile(schema).unwrap_err();
            assert!(error.message.contains(why), "{error}");
        }
        let fine = Schema::compile_foreign(chain(10, twice)).unwrap();
        assert!(fine.is_valid(&json!(1)) && !fine.is_valid(&json!("x")));
        assert!(Schema::compile_foreign(chain(4, deep)).is_ok());
    }

    #[test]
    fn what_is_too_large_too_deep_or_leads_away_is_told_with_its_place() {
        let mut deep = json!({});
        for _ in 0..MOST_DEPTH {
            deep = json!({"items": deep});
        }
        let large = json!({"enum": ["x".repeat(300 << 10)]});
        for (schema, why, place) in [
            (deep, "levels deep", ""),
            (large, "bytes", ""),
            (json!({"items": {"$ref": "https://example.com/s"}}), "another document: https://example.com/s", "/items"),
            (json!({"$ref": "other.json#/a"}), "another document", ""),
            (json!({"$id": "https://example.com/s"}), "another document", ""),
        ] {
            let error = within_bounds(&schema).unwrap_err();
            assert!(error.message.contains(why), "{error}");
            assert!(error.place.starts_with(place), "{error:?}");
        }
        let fine =
            json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": "#/$defs/a", "$defs": {"a": {}}});
        assert_eq!(within_bounds(&fine), Ok(()));
        let data = json!({"properties": {"x": {"default": {"$ref": "https://example.com"}}}});
        assert_eq!(within_bounds(&data), Ok(()));
    }

    #[test]
    fn no_value_makes_the_check_of_references_panic() {
        for odd in ["#/%", "#/%zz", "#%2", "#/~", "#nowhere", "", "#/$defs/é"] {
            let schema: Value = json!({"$defs": {"é": {}}, "properties": {"x": {"$ref": odd}}});
            let _ = comes_to_an_end(&schema);
            let _ = Schema::compile(schema);
        }
    }
}
