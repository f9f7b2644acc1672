//! What a fault says: no value of the one who gave it, and no more of anything than can be read.

use serde_json::{Map, Value, json};

use crate::contract::{Fault, Schema, Stage, validate_input};

const SECRET: &str = "SECRET-1";

fn faults(schema: Value, instance: &Value) -> Vec<Fault> {
    let schema = Schema::compile(schema).unwrap();
    assert!(!schema.is_valid(instance));
    schema.check(instance, Stage::OutputContract)
}

#[test]
fn no_name_and_no_value_is_quoted_of_what_may_not_be_there() {
    let named = |names: Value| json!({"properties": {"keys": {"propertyNames": names}}});
    for (schema, said) in [
        (
            named(json!({"pattern": "^[a-z]+$"})),
            "a field has a name that it must not have: the name does not match \"^[a-z]+$\"",
        ),
        (named(json!({"maxLength": 3})), "the name is longer than 3 characters"),
        (named(json!({"enum": ["a", "b"]})), "the name is not one of"),
        (named(json!({"not": {"pattern": "SECRET"}})), "the name is what it must not be"),
        (named(json!({"anyOf": [{"const": "a"}, {"format": "uri"}]})), "the name is not valid under any"),
        (json!({"properties": {"keys": {"not": {"minProperties": 1}}}}), "the value is what it must not be"),
    ] {
        let instance = json!({"keys": {(SECRET): SECRET, "SECRET-12": SECRET}});
        let faults = faults(schema.clone(), &instance);
        // What is wrong with several names in the same way is told once.
        let [fault] = &faults[..] else { panic!("{schema}: {faults:?}") };
        assert!(fault.message.contains(said), "{schema}: {fault}");
        assert_eq!(fault.place(), "keys", "{schema}");
        assert!(!fault.hint.is_empty() && !fault.to_string().contains(SECRET), "{schema}: {fault}");
    }
    let fault = &faults(json!({"not": {"type": "string"}}), &json!(SECRET))[0];
    assert_eq!(fault.hint, "Give one that does not fit {\"type\":\"string\"}.");
}

#[test]
fn no_fault_says_more_than_can_be_read_whatever_the_schema_or_the_value_holds() {
    let long = "x".repeat(100_000);
    let many: Map<String, Value> = (0..5_000).map(|at| (format!("{at}{long}")[..50].to_owned(), json!(1))).collect();
    let names: Vec<&String> = many.keys().collect();
    for (schema, instance) in [
        (json!({"const": long}), json!(1)),
        (json!({"enum": [long, long]}), json!(1)),
        (json!({"pattern": format!("^{}$", "y".repeat(10_000))}), json!("x")),
        (json!({"not": {"enum": [long]}}), json!(long)),
        (json!({"propertyNames": {"enum": [long]}}), json!({"a": 1})),
        (json!({"unevaluatedProperties": false}), json!(many)),
        (json!({"additionalProperties": false}), json!({(long.clone()): 1})),
        (json!({"additionalProperties": {"type": "integer"}}), json!({(long.clone()): "x"})),
        (json!({"required": [long]}), json!(many)),
        (json!({"required": names}), json!({})),
    ] {
        for fault in faults(schema, &instance) {
            assert!(fault.to_string().len() < 8_000, "{}", &fault.to_string()[..500]);
            let provided: usize = fault.provided.iter().map(String::len).sum();
            assert!(provided < 100_000, "{provided}");
            let path = serde_json::to_string(&fault.path).unwrap();
            assert!(path.len() < 400, "{}", path.len());
        }
    }
    // What is missing is told in whole, so that all of it can be given at once.
    let schema = Schema::compile(json!({"required": names})).unwrap();
    assert_eq!(validate_input(&schema, None).unwrap().missing_fields.len(), 5_000);
}
