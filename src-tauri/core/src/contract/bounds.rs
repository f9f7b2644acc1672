//! What a schema of unknown origin must not be: too large, too deep, dependent on another document, or endless.
//!
//! A schema may refer to itself as long as each round looks at a smaller part of the instance, as trees do. One whose
//! references come back to where they began with the same value would never be through with it.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::UnusableSchema;
use super::effort::Effort;
use super::refs::{Document, Graph};

/// Bytes of a schema.
const MOST_BYTES: usize = 256 << 10;
/// Patterns of a schema: each is compiled to much more than it is long.
const MOST_PATTERNS: usize = 200;
/// Levels of a schema.
const MOST_DEPTH: usize = 64;
/// Levels of a schema when its references are followed, each once.
const MOST_HEIGHT: usize = 256;
/// Schemas that may look at one and the same value.
const MOST_LOOKS: usize = 10_000;

/// Whether a schema of unknown origin may be compiled, as far as its size goes.
///
/// # Errors
/// Why not, and where.
pub(super) fn within_bounds(schema: &Value) -> Result<(), UnusableSchema> {
    let fault = |message: String, place: &str| UnusableSchema { message, place: place.to_owned() };
    let mut patterns = 0;
    let mut open: Vec<(&Value, usize, String)> = vec![(schema, 1, String::new())];
    while let Some((value, depth, place)) = open.pop() {
        if depth > MOST_DEPTH {
            return Err(fault(format!("it is more than {MOST_DEPTH} levels deep"), &place));
        }
        match value {
            Value::Object(fields) => {
                patterns += usize::from(fields.get("pattern").is_some_and(Value::is_string));
                patterns += fields.get("patternProperties").and_then(Value::as_object).map_or(0, Map::len);
                open.extend(fields.iter().map(|(key, value)| (value, depth + 1, format!("{place}/{key}"))));
            }
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(at, item)| (item, depth + 1, format!("{place}/{at}"))));
            }
            _ => {}
        }
    }
    if patterns > MOST_PATTERNS {
        return Err(fault(format!("it has {patterns} patterns, at most {MOST_PATTERNS}"), ""));
    }
    let size = schema.to_string().len();
    if size > MOST_BYTES {
        return Err(fault(format!("it has {size} bytes, at most {MOST_BYTES}"), ""));
    }
    Ok(())
}

/// A schema in which references are places in it, where that can be: parts of it are read by whoever shows it, calls its
/// agent or holds a model to it.
///
/// # Errors
/// A reference leads out of the document, or a part names rules of elsewhere.
pub(super) fn by_places(schema: Value) -> Result<Value, UnusableSchema> {
    let written = {
        let document = Document::of(&schema)?;
        let graph = document.graph()?;
        if let Some((rules, place)) = document.rules_of_elsewhere(&graph) {
            return Err(UnusableSchema { message: format!("its rules are another document: {}", cut(rules)), place });
        }
        let is_place = |to: &str| to == "#" || to.starts_with("#/");
        match document.has_names(&graph) || !document.written(&graph).all(is_place) {
            true => document.by_places(&graph),
            false => None,
        }
    };
    Ok(written.unwrap_or(schema))
}

/// How much a check takes, if a check of any value comes to an end, and soon: no references that come back to where they began without
/// looking at another value, no endless chain of them, no schema that looks at one value again and again.
///
/// # Errors
/// The schema at which that shows, or a reference that leads out of the document.
pub(super) fn comes_to_an_end(schema: &Value) -> Result<Effort, UnusableSchema> {
    let document = Document::of(schema)?;
    let graph: Graph<'_> = document.graph()?;
    let fault = |at: usize, message: String| UnusableSchema { message, place: document.place(graph.schema(at)) };
    let (order, circle) = inner_first(&graph.same_value);
    if let Some(at) = circle {
        return Err(fault(at, "its references go round in a circle: no value could ever be checked".to_owned()));
    }
    let mut looks = vec![1_usize; order.len()];
    for &at in &order {
        let once = graph.same_value[at].iter().fold(0, |all: usize, to| looks[*to].saturating_add(all));
        let times = if graph.looks_twice(at) { 2 } else { 1 };
        looks[at] = once.saturating_mul(times).saturating_add(1);
        if looks[at] > MOST_LOOKS {
            return Err(fault(at, format!("it looks at one value more than {MOST_LOOKS} times")));
        }
    }
    let mut heights = vec![0_usize; looks.len()];
    for at in inner_first(&graph.all).0 {
        heights[at] = 1 + graph.all[at].iter().map(|to| heights[*to]).max().unwrap_or(0);
        if heights[at] > MOST_HEIGHT {
            return Err(fault(at, format!("its references make it more than {MOST_HEIGHT} levels deep")));
        }
    }
    Ok(Effort::of(&graph, &order))
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
            json!({"$id": "https://example.com/a", "$ref": "https://example.com/a"}),
            json!({"$id": "https://example.com/a", "$ref": "/b", "$defs": {"b": {"$id": "b", "anyOf": [{"$ref": "a"}]}}}),
            json!({"$id": "https://example.com/a", "$ref": "b#me", "$defs": {"b": {"$id": "b", "$defs": {"x": {"$anchor": "me", "not": {"$ref": "/a"}}}}}}),
            json!({"$dynamicAnchor": "me", "$dynamicRef": "#me"}),
            json!({"$id": "https://example.com/a", "$dynamicAnchor": "me", "$ref": "b", "$defs": {"b": {"$id": "b", "$dynamicRef": "#me", "$defs": {"me": {"$dynamicAnchor": "me"}}}}}),
            json!({"$ref": "#/examples/0", "examples": [{"$ref": "#"}]}),
            json!({"$ref": "#/other/0", "other": [{"allOf": [{"$ref": "#"}]}]}),
            json!({"allOf": [{"$ref": "#/properties/default"}], "properties": {"default": {"$ref": "#"}}}),
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
            assert_eq!(comes_to_an_end(&ends).err(), None, "{ends}");
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
    fn a_schema_that_looks_for_what_was_not_looked_at_is_through_with_it_or_told() {
        let once_more = |inner: Value, _| json!({"unevaluatedProperties": false, "allOf": [inner]});
        let leaf = json!({"properties": {"a": {}}});
        let error = Schema::compile_foreign((0..25).fold(leaf.clone(), once_more)).unwrap_err();
        assert!(error.message.contains("more than 10000 times"), "{error}");
        let fine = Schema::compile_foreign((0..8).fold(leaf, once_more)).unwrap();
        assert!(fine.is_valid(&json!({"a": 1})) && !fine.is_valid(&json!({"b": 1})));
    }

    #[test]
    fn what_is_too_large_too_deep_or_leads_away_is_told_with_its_place() {
        let mut deep = json!({});
        for _ in 0..MOST_DEPTH {
            deep = json!({"items": deep});
        }
        let large = json!({"enum": ["x".repeat(300 << 10)]});
        for (schema, why, place) in [(deep, "levels deep", ""), (large, "bytes", "")] {
            let error = within_bounds(&schema).unwrap_err();
            assert!(error.message.contains(why), "{error}");
            assert!(error.place.starts_with(place), "{error:?}");
        }
        for (schema, place) in [
            (json!({"items": {"$ref": "https://example.com/s"}}), "/items"),
            (json!({"$ref": "other.json#/a"}), ""),
            (json!({"$id": "https://example.com/s", "not": {"$ref": "/t"}}), "/not"),
            (json!({"$schema": "https://example.com/rules"}), ""),
        ] {
            let error = Schema::compile_foreign(schema).unwrap_err();
            assert!(error.message.contains("another document"), "{error}");
            assert_eq!(error.place, place, "{error:?}");
        }
        let data = json!({"properties": {"x": {"default": {"$ref": "https://example.com", "$schema": "x"}}}});
        assert!(Schema::compile_foreign(data).is_ok());
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
