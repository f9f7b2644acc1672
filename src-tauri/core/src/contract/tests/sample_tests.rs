//! The example of a contract fits that contract.

use serde_json::{Value, json};

use crate::contract::{Schema, fitting_sample, sample_of};

fn fits(schema: Value) -> Value {
    let compiled = Schema::compile_foreign(schema.clone()).unwrap();
    let sample = sample_of(compiled.source());
    assert!(compiled.is_valid(&sample), "{schema}: {sample}");
    sample
}

#[test]
fn a_text_with_a_format_is_one_of_that_format() {
    for format in [
        "date",
        "date-time",
        "time",
        "duration",
        "email",
        "idn-email",
        "hostname",
        "idn-hostname",
        "ipv4",
        "ipv6",
        "uri",
        "iri",
        "uri-reference",
        "iri-reference",
        "uri-template",
        "uuid",
        "json-pointer",
        "relative-json-pointer",
        "regex",
    ] {
        let schema =
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "format": format}}});
        let asserted = Schema::compile(schema.clone()).unwrap();
        // The validator asserts those of names in other scripts only where it is built with the tables for them.
        let is_asserted = !format.starts_with("idn-");
        assert!(
            !is_asserted || ["text ~ {", "x y\n(", "%"].iter().any(|odd| !asserted.is_valid(&json!({"a": odd}))),
            "{format}"
        );
        fits(schema);
    }
    assert_eq!(fits(json!({"type": "string", "format": "of somebody's own"})), "text");
}

#[test]
fn an_example_that_is_shown_fits_whatever_the_schema_gives_for_one() {
    let shown = |schema: Value| fitting_sample(&Schema::compile_foreign(schema).unwrap());
    for (schema, sample) in [
        (json!({"type": "string", "pattern": "^[0-9]{3}$", "examples": ["007"]}), json!("007")),
        (json!({"type": "string", "pattern": "^a+$", "default": "aa"}), json!("aa")),
        (
            json!({"type": "array", "minItems": 3, "uniqueItems": true, "items": {"enum": ["a", "b", "c"]}}),
            json!(["a", "b", "c"]),
        ),
        (
            json!({"type": "array", "minItems": 2, "uniqueItems": true, "items": {"type": "integer", "multipleOf": 5}}),
            json!([5, 10]),
        ),
        (
            json!({"type": "array", "minItems": 2, "uniqueItems": true, "items": {"type": "object", "properties": {"a": {"type": "string"}}}}),
            json!([{"a": "text"}, {"a": "text1"}]),
        ),
        (
            json!({"type": "object", "required": ["b"], "properties": {"a": {"type": "boolean"}}}),
            json!({"a": true, "b": "text"}),
        ),
        (json!({"type": "object", "required": ["n"], "additionalProperties": {"type": "integer"}}), json!({"n": 1})),
        (
            json!({"type": "object", "minProperties": 2, "properties": {"a": {"type": "boolean"}}, "additionalProperties": {"type": "null"}}),
            json!({"a": true, "field_1": null}),
        ),
        (json!({"type": "integer", "minimum": 7, "multipleOf": 5}), json!(10)),
        (json!({"type": "number", "minimum": 0.3, "multipleOf": 0.25}), json!(0.5)),
        // What a schema gives for an example need not be one, and what need not be there may be left out.
        (json!({"type": "integer", "examples": ["seven"]}), json!(1)),
        (
            json!({"required": ["a"], "properties": {"a": {"type": "boolean"}, "b": {"type": "string", "pattern": "^x$"}}}),
            json!({"a": true}),
        ),
    ] {
        assert_eq!(shown(schema.clone()), Some(sample), "{schema}");
    }
    for none in [
        json!({"type": "string", "pattern": "^x$"}),
        json!({"required": ["b"], "properties": {"b": {"type": "string", "pattern": "^x$", "examples": ["y"]}}}),
        json!({"type": "object", "propertyNames": {"pattern": "^x$"}, "minProperties": 1}),
        json!({"not": {}}),
        json!(false),
    ] {
        assert_eq!(shown(none.clone()), None, "{none}");
    }
}

#[test]
fn an_example_keeps_to_what_is_asked_of_lists_numbers_and_texts() {
    let one = |name: &str| json!({"contains": {"properties": {"name": {"const": name}}}});
    let list = json!({"type": "array", "minItems": 3, "items": {"$ref": "#/$defs/one"}, "allOf": [one("a"), one("b")],
        "$defs": {"one": {"type": "object", "required": ["name", "size"], "properties": {"name": {"enum": ["c", "a", "b"]}, "size": {"type": "integer"}}}}});
    let item = |name: &str| json!({"name": name, "size": 1});
    assert_eq!(fits(list), json!([item("a"), item("b"), item("c")]));
    assert_eq!(
        fits(json!({"prefixItems": [{"type": "boolean"}, {"type": "null"}], "items": false})),
        json!([true, null])
    );
    for schema in [
        json!({"type": "number", "maximum": 0.5}),
        json!({"type": "number", "exclusiveMinimum": 4}),
        json!({"type": "number", "exclusiveMaximum": -2.5}),
        json!({"type": "integer", "minimum": 7, "maximum": 9}),
        json!({"type": "integer", "multipleOf": 10}),
        json!({"type": "string", "minLength": 40}),
        json!({"type": "string", "maxLength": 2}),
        json!({"type": ["integer", "null"]}),
        json!({"type": "null"}),
        json!({"type": "array", "maxItems": 0, "items": {}}),
        json!({"contains": {"const": 3}}),
        json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        json!({"oneOf": [{"$ref": "#/$defs/a"}, {"type": "integer"}], "$defs": {"a": {"anyOf": [{"type": "array", "minItems": 2}]}}}),
        json!({"properties": {"a": {"minimum": 5}}, "allOf": [{"properties": {"a": {"type": "integer"}, "b": {"const": 1}}, "required": ["a", "b"]}]}),
    ] {
        fits(schema);
    }
}
