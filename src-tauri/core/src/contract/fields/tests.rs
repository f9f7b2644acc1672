use std::time::Instant;

use serde_json::{Map, Value, json};

use super::{Field, fields_of};
use crate::contract::sample_of;

fn told(schema: &Value) -> Vec<String> {
    let line = |field: &Field| {
        let mark = if field.required { "!" } else { "" };
        format!("{}{}{mark}: {}", "  ".repeat(field.depth), field.name, field.takes)
    };
    fields_of(schema).fields.iter().map(line).collect()
}

#[test]
fn what_one_part_of_an_object_requires_is_required_of_the_field_that_another_names_and_each_is_told_once() {
    let url = json!({"url": {"type": "string"}});
    for schema in [
        json!({"$defs": {"in": {"properties": url}}, "$ref": "#/$defs/in", "required": ["url"]}),
        json!({"allOf": [{"required": ["url"]}, {"properties": url}]}),
        json!({"properties": url, "allOf": [{"required": ["url"], "properties": {"url": {"minLength": 1}}}]}),
    ] {
        let told = told(&schema);
        assert!(told.len() == 1 && told[0].starts_with("url!: text"), "{told:?}");
    }
    let either = json!({"required": ["kind"], "anyOf": [
        {"properties": {"kind": {"const": "a"}, "of_a": true}, "required": ["of_a"]},
        {"properties": {"kind": {"const": "b"}, "of_a": true}}
    ]});
    let expected = ["kind!: always \"a\"", "of_a!: any value", "kind!: always \"b\"", "of_a: any value"];
    assert_eq!(told(&either), expected, "each alternative has its own");
    let list =
        json!({"required": ["all"], "properties": {"all": {"type": "array", "items": {"properties": {"all": true}}}}});
    assert_eq!(told(&list), ["all!: list of objects", "  all: any value"]);
}

#[test]
fn each_field_is_told_with_what_it_takes_inside_the_one_that_it_stands_in() {
    let schema = json!({
        "$defs": {"output": {"type": "object", "description": "What one gave.", "required": ["name"],
            "properties": {"name": {"enum": ["a", "b"]}, "output": {"type": "object", "additionalProperties": {"type": "number"}}}}},
        "required": ["url", "found"],
        "properties": {
            "url": {"type": "string", "format": "uri", "description": " Where. ", "examples": ["https://example.com"]},
            "pages": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
            "found": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/output"}},
            "one": {"$ref": "#/$defs/output"},
            "either": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"deep": {"type": ["string", "null"]}}}]},
            "whole": {"allOf": [{"properties": {"left": true}}, {"required": ["right"], "properties": {"right": {"const": 7}}}]}
        }
    });
    let expected = [
        "url!: text, format uri",
        "pages: whole number, from 1, to 9",
        "found!: list of objects, at least 1",
        "  name!: one of \"a\", \"b\"",
        "  output: object",
        "    *: number",
        "one: object",
        "  name!: one of \"a\", \"b\"",
        "  output: object",
        "    *: number",
        "either: text or object",
        "  deep: text or nothing",
        "whole: object",
        "  left: any value",
        "  right!: always 7",
    ];
    assert_eq!(told(&schema), expected);
    let all = fields_of(&schema);
    assert!(!all.cut);
    assert_eq!(
        (all.fields[0].example.as_deref(), all.fields[0].description.as_str()),
        (Some("\"https://example.com\""), "Where.")
    );
    assert_eq!(all.fields[1].default.as_deref(), Some("3"));
    assert_eq!(all.fields[6].description, "What one gave.");
    let sample = json!({"url": "https://example.com", "pages": 3, "found": [{"name": "a", "output": {}}],
        "one": {"name": "a", "output": {}}, "either": "text", "whole": {"left": "text", "right": 7}});
    assert_eq!(sample_of(&schema), sample);
}

#[test]
fn fields_by_patterns_rows_of_a_list_and_what_a_condition_adds_are_told() {
    let schema = json!({
        "type": "object", "required": ["row"],
        "properties": {
            "row": {"type": "array", "prefixItems": [{"type": "string"}, {"properties": {"deep": {"type": "integer"}}}], "items": {"type": "number"}},
            "pair": {"prefixItems": [{"type": "string"}, {"type": "string"}], "items": false}
        },
        "patternProperties": {"^x-": {"type": "boolean"}},
        "if": {"properties": {"row": {"maxItems": 2}}},
        "then": {"properties": {"why": {"type": "string", "default": "none"}}, "required": ["why"]},
        "else": {"properties": {"more": {"type": "null"}}}
    });
    let expected = [
        "row!: list of text, then object, then numbers",
        "  deep: whole number",
        "pair: list of text, then text, and nothing else",
        "/^x-/: true or false",
        "why!: text",
        "more: nothing",
    ];
    assert_eq!(told(&schema), expected);
    assert!(fields_of(&schema).fields.iter().all(|field| field.default.is_none()), "only sometimes it counts");
}

#[test]
fn what_is_no_object_is_told_as_what_it_is() {
    for (schema, expected) in [
        (json!({"type": "array", "items": {"type": "string"}}), vec!["(the value)!: list of texts"]),
        (json!({"items": {"properties": {"a": true}}}), vec!["(the value)!: list of objects", "  a: any value"]),
        (
            json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer", "minimum": 1}}}),
            vec!["(the value)!: whole number, from 1"],
        ),
        (json!({"enum": ["a", "b"]}), vec!["(the value)!: one of \"a\", \"b\""]),
        (
            json!({"anyOf": [{"type": "null"}, {"properties": {"a": true}}]}),
            vec!["(the value)!: nothing or object", "  a: any value"],
        ),
        (json!({"anyOf": [{"required": ["a"]}, {"properties": {"b": true}}]}), vec!["b: any value"]),
        (json!({"type": "object"}), vec![]),
    ] {
        assert_eq!(told(&schema), expected, "{schema}");
    }
}

#[test]
fn references_that_come_round_again_are_told_and_not_followed() {
    let tree = json!({"$defs": {"node": {"type": "object", "properties": {
        "name": {"type": "string"}, "below": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}},
        "properties": {"root": {"$ref": "#/$defs/node"}}});
    let expected = ["root: object", "  name: text", "  below: list of objects, of the same fields again"];
    assert_eq!(told(&tree), expected);
    let of_itself = json!({"properties": {"x": {"$ref": "#"}, "y": {"$ref": "#/properties/y"}}});
    assert_eq!(told(&of_itself), ["x: object, of the same fields again", "y: any value"]);
    sample_of(&of_itself);
    let away = json!({"properties": {"a": {"$ref": "https://example.com/s.json"}, "b": {"$ref": "#/$defs/gone"}}});
    let expected = [
        "a: what stands at https://example.com/s.json, which is not in this document",
        "b: what stands at #/$defs/gone, which is not in this document",
    ];
    assert_eq!(told(&away), expected);
}

#[test]
fn what_is_no_schema_has_no_fields() {
    for schema in [json!(true), json!(null), json!([1]), json!("text"), json!({"properties": 3, "required": "x"})] {
        assert_eq!(told(&schema), [""; 0], "{schema}");
        sample_of(&schema);
    }
    assert_eq!(
        told(&json!({"properties": {"a": 3, "b": {"type": 7, "enum": "x", "anyOf": {}}}})),
        ["a: any value", "b: any value"]
    );
}

/// Each of these would be followed for ever, or fill the window.
#[test]
fn a_schema_that_is_huge_or_branches_without_end_is_cut_soon() {
    let wide: Map<String, Value> = (0..60_000)
        .map(|at| (format!("field_{at}"), json!({"type": "string", "description": "x".repeat(60)})))
        .collect();
    let names: Vec<String> = wide.keys().cloned().collect();
    let wide = json!({"properties": wide, "required": names});
    assert!(wide.to_string().len() > 5 << 20);
    let long = json!({"properties": {"a": {"enum": vec!["much"; 900_000], "description": "d".repeat(5 << 20)}}});
    // Each level has eight ways to all of the level below it.
    let mut levels = Map::new();
    for at in 0..40 {
        let below: Map<String, Value> =
            (0..8).map(|way| (format!("way_{way}"), json!({"$ref": format!("#/$defs/l{}", at + 1)}))).collect();
        levels.insert(format!("l{at}"), json!({"properties": below}));
    }
    let branching = json!({"$defs": levels, "$ref": "#/$defs/l0"});
    let twice = json!({"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]},
        "b": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}], "items": {"$ref": "#/$defs/a"}}},
        "properties": {"x": {"$ref": "#/$defs/a"}, "y": {"$ref": "#/$defs/b"}}});
    let mut deep = json!({"type": "string"});
    for _ in 0..100 {
        deep = json!({"properties": {"in": deep}});
    }
    for (schema, is_cut) in [(&wide, true), (&long, false), (&branching, true), (&twice, false), (&deep, true)] {
        let began = Instant::now();
        let list = fields_of(schema);
        let sample = sample_of(schema);
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
        assert_eq!(list.cut, is_cut, "{:?}", list.fields.first());
        assert!(list.fields.len() <= 400);
        let size: usize = list.fields.iter().map(|one| one.takes.len() + one.description.len()).sum();
        assert!(size < 400 * 5_000, "{size}");
        assert!(sample.to_string().len() < 5 << 20);
    }
}
