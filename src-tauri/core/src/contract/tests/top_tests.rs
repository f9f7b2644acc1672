//! A contract says what it needs at its top, however that is put together.

use serde_json::{Map, Value, json};

use crate::contract::{Schema, agent_parameters, fits_an_agent, properties_of, validate_input};

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// The same two values, written in the ways that people and generators write them.
fn forms() -> Vec<Value> {
    let own = json!({"type": "object", "required": ["url"], "properties": {
        "url": {"type": "string"}, "pages": {"$ref": "#/$defs/count"}}});
    let with = |mut top: Value| {
        top["$defs"] = json!({"in": own, "alias": {"$ref": "#/$defs/in"}, "a b": own, "count": {"type": "integer"},
            "pages": {"properties": {"pages": {"$ref": "#/$defs/count"}}}});
        top
    };
    vec![
        with(own.clone()),
        with(json!({"$ref": "#/$defs/in"})),
        with(json!({"$ref": "#/$defs/alias", "description": "What it needs."})),
        with(json!({"$ref": "#/$defs/a%20b"})),
        with(json!({"allOf": [{"$ref": "#/$defs/in"}]})),
        with(
            json!({"type": "object", "required": ["url"], "properties": {"url": {"type": "string"}}, "allOf": [{"$ref": "#/$defs/pages"}]}),
        ),
        with(
            json!({"allOf": [{"required": ["url"]}, {"properties": {"url": {"type": "string"}}}, {"$ref": "#/$defs/pages"}], "unevaluatedProperties": false}),
        ),
    ]
}

// covers: C5 C20
#[test]
fn what_a_contract_refers_to_at_its_top_is_told_and_missed_as_if_it_stood_there() {
    for contract in forms() {
        let schema = Schema::compile_foreign(contract.clone()).unwrap();
        assert_eq!(fits_an_agent(schema.source()), Ok(()), "{contract}");
        assert_eq!(schema.required(), ["url"], "{contract}");
        let mut names: Vec<&String> = properties_of(schema.source()).into_iter().map(|(name, _)| name).collect();
        names.sort();
        assert_eq!(names, ["pages", "url"], "{contract}");

        let parameters = agent_parameters(Some(schema.source()));
        assert_eq!(parameters["required"], json!(["task", "url"]), "{contract}");
        let parameters = Schema::compile(parameters).unwrap();
        assert!(parameters.is_valid(&json!({"task": "t", "url": "u", "pages": 1})), "{contract}");
        for wrong in
            [json!({"task": "t"}), json!({"task": "t", "url": 1}), json!({"task": "t", "url": "u", "pages": "1"})]
        {
            assert!(!parameters.is_valid(&wrong), "{contract}: {wrong}");
        }
        let refused = validate_input(&schema, Some(&object(json!({"pages": 2})))).unwrap();
        let (required, missing) = (refused.required_fields, refused.missing_fields);
        assert_eq!((required, missing), (vec!["url".to_owned()], vec!["url".to_owned()]), "{contract}");
        assert_eq!(refused.hint, "Please provide all required fields: url", "{contract}");
    }
}

#[test]
fn a_value_that_two_parts_speak_of_is_held_to_both() {
    let contract =
        json!({"properties": {"size": {"type": "integer"}}, "allOf": [{"properties": {"size": {"minimum": 3}}}]});
    let parameters = Schema::compile(agent_parameters(Some(&contract))).unwrap();
    let sizes = [json!(3), json!(2), json!("x")].map(|size| parameters.is_valid(&json!({"task": "t", "size": size})));
    assert_eq!(sizes, [true, false, false]);
}

// covers: C5
#[test]
fn values_that_only_an_alternative_names_are_told_and_none_of_them_is_asked_for() {
    let contract = json!({
        "type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}},
        "oneOf": [
            {"required": ["url"], "properties": {"url": {"type": "string"}, "size": {"type": "integer"}, "path": false}},
            {"$ref": "#/$defs/file"}
        ],
        "then": {"properties": {"kind": {"const": "x"}, "why": {"type": "string"}}},
        "$defs": {"file": {"required": ["path"], "properties": {"path": {"type": "string"}, "size": {"type": "string"}},
            "anyOf": [{"properties": {"deep": {"type": "boolean"}}}, {}]}}
    });
    let schema = Schema::compile(contract.clone()).unwrap();
    let parameters = agent_parameters(Some(schema.source()));
    assert_eq!(parameters["required"], json!(["task", "kind"]));
    let mut told = parameters["properties"].as_object().unwrap().clone();
    told.shift_remove("task");
    let expected = json!({
        "kind": {"type": "string"}, "url": {"type": "string"}, "path": {"type": "string"}, "deep": {"type": "boolean"},
        "size": {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "why": {"type": "string"}
    });
    assert_eq!(Value::Object(told), expected);
    assert!(Schema::compile(parameters).unwrap().is_valid(&json!({"task": "t", "kind": "k", "url": "u"})));
    assert!(
        validate_input(&schema, Some(&object(json!({"kind": "k"})))).is_some(),
        "the contract still wants one of them"
    );
    let reserved = json!({"oneOf": [{"properties": {"task": {"type": "string"}}}, {}]});
    assert!(fits_an_agent(&reserved).unwrap_err().contains("\"task\" is no value of a context"));
}

#[test]
fn a_contract_whose_values_nobody_would_see_is_refused() {
    let many: Vec<Value> = (0..100).map(|at| json!({"properties": {format!("p{at}"): {}}})).collect();
    for (contract, why) in [
        (
            json!({"$ref": "#in", "$defs": {"in": {"$anchor": "in", "required": ["a"]}}}),
            "behind \"#in\", which is no place in it",
        ),
        (json!({"allOf": [{"$dynamicRef": "#in"}]}), "behind \"#in\""),
        (json!({"allOf": many}), "64 parts or more"),
        (json!({"$ref": "#/$defs/in", "$defs": {"in": {"type": "array"}}}), "schema of an object"),
        (json!({"$ref": "#/$defs/in", "$defs": {"in": {"properties": {"task": {}}}}}), "\"task\" is no value"),
        (json!({"allOf": [{"required": ["context"]}]}), "\"context\" is no value"),
    ] {
        let error = fits_an_agent(&contract).unwrap_err();
        assert!(error.contains(why), "{contract}: {error}");
    }
    // A name that stands for one place is written as that place where a pack is read.
    let named = json!({"$ref": "#in", "$defs": {"in": {"$anchor": "in", "required": ["a"]}}});
    let read = Schema::compile_foreign(named).unwrap();
    assert_eq!((fits_an_agent(read.source()), read.required()), (Ok(()), vec!["a".to_owned()]));
    // What only sometimes holds names no values of its own.
    assert_eq!(
        fits_an_agent(
            &json!({"properties": {"a": {}}, "allOf": [{"if": {"required": ["a"]}, "then": {"required": ["b"]}}]})
        ),
        Ok(())
    );
}
