//! Whatever the list of fields shows as a default is what counts where nothing was given.

use serde_json::{Value, json};

use crate::contract::{Schema, fields_of};

fn filled(schema: &Value, value: Value) -> Value {
    Schema::compile_foreign(schema.clone()).unwrap().with_defaults(value)
}

fn schema() -> Value {
    json!({
        "$defs": {
            "depth": {"type": "integer", "default": 3},
            "site": {"type": "object", "required": ["url"], "properties": {
                "url": {"type": "string"}, "depth": {"$ref": "#/$defs/depth"}, "inner": {"$ref": "#/$defs/site"}}}
        },
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"allOf": [{"type": "string"}, {"default": "crawl"}]},
            "depth": {"$ref": "#/$defs/depth"},
            "site": {"$ref": "#/$defs/site"},
            "sites": {"type": "array", "items": {"$ref": "#/$defs/site"}},
            "by_name": {"additionalProperties": {"$ref": "#/$defs/site"}},
            "row": {"prefixItems": [{"$ref": "#/$defs/site"}]}
        },
        "allOf": [{"properties": {"level": {"default": "all"}}}]
    })
}

#[test]
fn a_default_behind_a_reference_or_in_what_is_there_is_filled_in() {
    assert_eq!(filled(&schema(), json!({})), json!({"name": "crawl", "depth": 3, "level": "all"}));
    let site = json!({"url": "u", "inner": {"url": "v"}});
    let whole = json!({"url": "u", "inner": {"url": "v", "depth": 3}, "depth": 3});
    let given = json!({"name": "n", "depth": 1, "level": "one", "site": site, "sites": [site, 7], "by_name": {"x": site}, "row": [site]});
    let expected = json!({"name": "n", "depth": 1, "level": "one", "site": whole, "sites": [whole, 7], "by_name": {"x": whole}, "row": [whole]});
    assert_eq!(filled(&schema(), given), expected);
    // What is not there is not made up, and one that is not whole is left as it was given.
    let given = json!({"name": "n", "depth": 1, "level": "one", "site": {"inner": {"url": "v"}}});
    assert_eq!(filled(&schema(), given.clone()), given);
    let required = json!({"required": ["a"], "properties": {"a": {}, "b": {"$ref": "#/$defs/d"}, "c": {"properties": {"d": {"default": 1}}}}, "$defs": {"d": {"default": 1}}});
    assert_eq!(filled(&required, json!({"c": {}})), json!({"c": {}}));
}

#[test]
fn no_schema_fills_in_more_than_there_is_room_for() {
    let itself = json!({"properties": {"x": {"$ref": "#", "default": {}}, "y": {"allOf": [{"$ref": "#"}]}}});
    assert_eq!(filled(&itself, json!({"y": {"y": {}}})), json!({"y": {"y": {"x": {}}, "x": {}}, "x": {}}));
    let large = json!({"items": {"properties": {"text": {"default": "x".repeat(100_000)}}}});
    let many = filled(&large, Value::Array(vec![json!({}); 10_000]));
    assert!(many.to_string().len() < 2 << 20, "{}", many.to_string().len());
    assert!(many[0]["text"].is_string());
}

/// What is shown as a default of a field is filled in, and what is not filled in is not shown.
#[test]
fn the_list_of_fields_shows_the_defaults_that_count() {
    let shown = |schema: &Value| -> Vec<String> {
        let with = fields_of(schema).fields.into_iter().filter(|field| field.default.is_some());
        with.map(|field| field.name).collect()
    };
    assert_eq!(shown(&schema())[..2], ["name", "depth"]);
    let either = json!({"properties": {"way": {"default": "a", "anyOf": [
        {"type": "string"}, {"type": "object", "properties": {"deep": {"default": 1}, "more": {"properties": {"deeper": {"default": 2}}}}}]},
        "after": {"default": 3}}});
    assert_eq!(shown(&either), ["way", "after"]);
    let given = json!({"way": {"more": {}}});
    assert_eq!(filled(&either, given), json!({"way": {"more": {}}, "after": 3}));
}
