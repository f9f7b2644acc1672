use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{AgentCall, InputRefused, MOST_TOLD, RESERVED, agent_parameters, fits_an_agent, validate_input};
use crate::contract::{PathPart, Schema};

/// The contract of a planner of crawls, as a pack writes it.
fn contract() -> Value {
    json!({
        "type": "object",
        "properties": {
            "target_url": {"type": "string", "format": "uri"},
            "task_name": {"type": "string"},
            "collected_information": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/agentOutput"}}
        },
        "required": ["target_url", "task_name", "collected_information"],
        "$defs": {"agentOutput": {
            "type": "object",
            "properties": {
                "agent_name": {"type": "string", "enum": ["discovery_agent", "selector_agent"]},
                "output": {"type": "object"},
                "description": {"type": "string"}
            },
            "required": ["agent_name", "output", "description"]
        }}
    })
}

fn compiled() -> Schema {
    Schema::compile(contract()).unwrap()
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn refused(context: Value) -> InputRefused {
    validate_input(&compiled(), Some(&object(context))).unwrap()
}

fn item(name: &str) -> Value {
    json!({"agent_name": name, "output": {}, "description": "found"})
}

// covers: C3 C11 C12 C13 C14 C15 C41
#[test]
fn values_beside_the_task_are_the_context_and_win_over_the_explicit_one() {
    let arguments = object(json!({
        "task": "Generate comprehensive crawl plan", "run_identifier": "12c5", "expected_outputs": ["plan_file_path"],
        "output_contract_schema": {"type": "object"},
        "context": {"target_url": "https://old.example", "kept": 1, "task": "not a value"},
        "target_url": "https://example.com", "collected_information": [item("discovery_agent")]
    }));
    let before = arguments.clone();
    let call = AgentCall::of(&arguments);
    assert_eq!(arguments, before, "the caller's object stays as it is");
    assert_eq!(call.task.as_deref(), Some("Generate comprehensive crawl plan"));
    let expected =
        json!({"target_url": "https://example.com", "kept": 1, "collected_information": [item("discovery_agent")]});
    assert_eq!(Value::Object(call.context), expected);

    let only_explicit = object(json!({"task": " as it is ", "context": {"b": null, "a": [1, {"c": 2}]}}));
    let call = AgentCall::of(&only_explicit);
    assert_eq!(
        (call.task.as_deref(), Value::Object(call.context)),
        (Some(" as it is "), json!({"b": null, "a": [1, {"c": 2}]}))
    );
    let none = AgentCall::of(&object(json!({"task": 7, "context": null})));
    assert_eq!(none, AgentCall::default());
}

#[test]
fn a_context_in_quotes_is_read_and_one_that_is_none_is_refused_at_its_place() {
    let of = |context: Value| AgentCall::of(&object(json!({"task": "Go", "context": context, "b": 2})));
    let quoted = of(json!(r#"{"a": {"c": [1]}, "task": "not a value"}"#));
    assert_eq!((Value::Object(quoted.context), quoted.odd_context), (json!({"a": {"c": [1]}, "b": 2}), None));
    let meant = AgentCall::as_meant(object(json!({"task": "{}", "context": "{\"a\": 1}", "other": "{}"})));
    assert_eq!(Value::Object(meant), json!({"task": "{}", "context": {"a": 1}, "other": "{}"}));
    for nothing in [json!(null), json!(" "), json!("null"), json!({})] {
        let call = of(nothing);
        assert_eq!((Value::Object(call.context.clone()), call.refused(None, None)), (json!({"b": 2}), None));
    }
    for (context, what) in [
        (json!(["secret"]), "a list"),
        (json!("secret"), "a text"),
        (json!("[\"secret\"]"), "a text"),
        (json!(7), "a number"),
        (json!(true), "true or false"),
    ] {
        let refused = of(context).refused(None, None).unwrap();
        assert_eq!((refused.path.as_slice(), refused.success), ([PathPart::from("context")].as_slice(), false));
        assert_eq!(refused.validation_message, format!("context: it is {what} and no object"));
        assert!(refused.hint.starts_with("context: Give an object with the values"), "{}", refused.hint);
        assert_eq!((refused.missing_fields, refused.provided_fields), (vec![], vec!["b".to_owned()]));
    }
}

// covers: C18 C20 C21
#[test]
fn a_missing_task_is_told_together_with_all_that_the_contract_misses() {
    let contract = compiled();
    let refused = |arguments: Value| {
        let call = AgentCall::of(&object(arguments));
        call.refused(Some(&contract), validate_input(&contract, Some(&call.context)))
    };
    for task in [json!(null), json!("  "), json!(7)] {
        let all = refused(json!({"task": task, "target_url": "https://example.com"})).unwrap();
        assert_eq!(all.hint, "Please provide all required fields: task, task_name, collected_information");
        assert_eq!(all.validation_message.find("'task' is a required property; 'task_name' is"), Some(0));
        assert_eq!(all.missing_fields, ["task", "task_name", "collected_information"]);
        assert_eq!(all.required_fields, ["task", "target_url", "task_name", "collected_information"]);
    }
    let with = |collected: Value| json!({"target_url": "https://example.com", "task_name": "x", "collected_information": collected});
    let only = refused(with(json!([item("discovery_agent")]))).unwrap();
    assert_eq!((only.hint.as_str(), only.path), ("Please provide all required fields: task", vec![]));
    assert_eq!(only.missing_fields, ["task"]);
    let both = refused(with(json!([]))).unwrap();
    assert!(
        both.hint.starts_with("Please provide all required fields: task; collected_information: "),
        "{}",
        both.hint
    );
    assert_eq!(both.missing_fields, ["task"]);
    let odd = refused(json!({"context": [1]})).unwrap();
    assert_eq!(odd.path, [PathPart::from("context")]);
    assert!(
        odd.hint.ends_with("; Please provide all required fields: task, target_url, task_name, collected_information"),
        "{}",
        odd.hint
    );
    let mut whole = with(json!([item("discovery_agent")]));
    whole["task"] = json!("Plan it");
    assert_eq!(refused(whole), None);
}

// covers: C17 C18 C19 C20 C21 C51 C52
#[test]
fn what_is_missing_is_told_in_the_very_object_that_a_caller_can_mend_it_by() {
    let refused = validate_input(&compiled(), None).unwrap();
    let expected = json!({
        "success": false,
        "error": "Input contract validation failed",
        "validation_message": "'target_url' is a required property",
        "path": [],
        "required_fields": ["target_url", "task_name", "collected_information"],
        "missing_fields": ["target_url", "task_name", "collected_information"],
        "provided_fields": [],
        "hint": "Please provide all required fields: target_url, task_name, collected_information"
    });
    assert_eq!(serde_json::to_value(&refused).unwrap(), expected);
    let keys: Vec<String> = object(serde_json::to_value(&refused).unwrap()).keys().cloned().collect();
    assert_eq!(keys, expected.as_object().unwrap().keys().cloned().collect::<Vec<_>>(), "in this order");
    let some = refused_with_url();
    assert_eq!(some.missing_fields, ["task_name", "collected_information"]);
    assert_eq!(some.provided_fields, ["target_url"]);
    assert_eq!(some.hint, "Please provide all required fields: task_name, collected_information");
    let whole = json!({"target_url": "https://example.com", "task_name": "x", "collected_information": [item("discovery_agent")]});
    assert_eq!(validate_input(&compiled(), Some(&object(whole))), None);
}

fn refused_with_url() -> InputRefused {
    refused(json!({"target_url": "https://example.com"}))
}

// covers: C19 C23 C24 C25
#[test]
fn where_nothing_is_missing_the_place_is_named_and_what_to_do_about_it() {
    let with = |collected: Value| {
        refused(json!({"target_url": "https://example.com", "task_name": "x", "collected_information": collected}))
    };
    let empty = with(json!([]));
    assert_eq!(empty.path, [PathPart::from("collected_information")]);
    assert!(empty.hint.starts_with("collected_information: ") && empty.missing_fields.is_empty(), "{empty:?}");

    let wrong = with(json!([item("discovery_agent"), item("someone_else")]));
    assert_eq!(wrong.path, ["collected_information".into(), 1.into(), PathPart::from("agent_name")]);
    assert!(
        wrong.hint.contains("collected_information[1].agent_name: Use one of") && wrong.hint.contains("selector_agent"),
        "{}",
        wrong.hint
    );
    assert!(!wrong.validation_message.contains("someone_else"), "{}", wrong.validation_message);

    let half = with(json!([{"agent_name": "discovery_agent"}]));
    assert_eq!(half.path, ["collected_information".into(), PathPart::from(0)]);
    assert_eq!(half.hint, "collected_information[0]: Please provide all required fields: output, description");
}

#[test]
fn a_contract_that_is_closed_is_not_broken_by_what_says_how_the_agent_is_called() {
    let closed = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": false});
    let closed = Schema::compile(closed).unwrap();
    let about =
        json!({"task": "x", "run_identifier": "r", "expected_outputs": [], "output_contract_schema": {}, "a": 1});
    assert_eq!(validate_input(&closed, Some(&AgentCall::of(&object(about)).context)), None);
    let refused = validate_input(&closed, Some(&object(json!({"a": 1, "more": 2})))).unwrap();
    assert_eq!((refused.missing_fields.as_slice(), refused.hint.as_str()), ([].as_slice(), "Leave these out."));
}

#[test]
fn an_address_that_is_none_does_not_fit() {
    let refused = refused(
        json!({"target_url": "not a url", "task_name": "x", "collected_information": [item("discovery_agent")]}),
    );
    assert_eq!(refused.path, [PathPart::from("target_url")]);
    assert!(!serde_json::to_string(&refused).unwrap().contains("not a url"));
}

#[test]
fn all_faults_are_told_at_once_and_a_flood_of_them_is_cut() {
    let refused = refused(json!({"target_url": 5, "collected_information": [{"agent_name": 1}]}));
    for part in
        ["'task_name' is a required property", "target_url: ", "collected_information[0]: 'output'", "agent_name: "]
    {
        assert!(refused.validation_message.contains(part), "{part}: {}", refused.validation_message);
    }
    let flood: Vec<Value> =
        (0..5_000).map(|_| json!({"agent_name": "x".repeat(1000), "output": 1, "description": 2})).collect();
    let refused = validate_input(
        &compiled(),
        Some(&object(json!({"target_url": "https://a.example", "task_name": "x", "collected_information": flood}))),
    )
    .unwrap();
    let told = serde_json::to_string(&refused).unwrap();
    assert!(told.len() < 2 * MOST_TOLD * 500 && refused.hint.contains("more"), "{} bytes", told.len());
}

// covers: C5
#[test]
fn the_tools_parameters_are_the_task_and_what_the_contract_asks_for() {
    let parameters = agent_parameters(Some(&contract()));
    assert_eq!(parameters["required"], json!(["task", "target_url", "task_name", "collected_information"]));
    assert_eq!(parameters["properties"]["collected_information"], contract()["properties"]["collected_information"]);
    assert_eq!(parameters["$defs"], contract()["$defs"]);
    let compiled = Schema::compile(parameters).unwrap();
    let call = json!({"task": "t", "target_url": "https://a.example", "task_name": "n", "collected_information": [item("discovery_agent")]});
    assert!(compiled.is_valid(&call));
    assert!(!compiled.is_valid(&json!({"task": "t"})));
    let any = Schema::compile(agent_parameters(None)).unwrap();
    assert!(any.is_valid(&json!({"task": "t"})) && any.is_valid(&json!({"task": "t", "context": {}})));
}

#[test]
fn a_contract_that_no_call_could_keep_is_refused() {
    assert!(fits_an_agent(&contract()).is_ok());
    for (schema, why) in [
        (json!({"type": "array"}), "schema of an object"),
        (json!({"type": ["object", "null"]}), "schema of an object"),
        (json!({"properties": {"task": {}}}), "\"task\" is no value"),
        (json!({"required": ["run_identifier"]}), "\"run_identifier\" is no value"),
    ] {
        let error = fits_an_agent(&schema).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z ]{0,6}".prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name(), inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect()))
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    let known = ["target_url", "task_name", "collected_information", "agent_name", "output", "description"];
    prop_oneof![
        prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        prop::sample::select(RESERVED.to_vec()).prop_map(str::to_owned),
        "[a-z]{1,3}"
    ]
}

fn fields() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map(name(), value(), 0..6).prop_map(|map| map.into_iter().collect())
}

#[test]
fn values_are_shown_to_a_caller_with_all_that_they_refer_to() {
    let whole = |contract: Value| {
        let contract = Schema::compile_foreign(contract).unwrap();
        Schema::compile(agent_parameters(Some(contract.source()))).unwrap()
    };
    let leaf = json!({"children": []});
    let tree = whole(json!({
        "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}, "required": ["children"],
    }));
    // A child is what the contract says, and needs no task.
    assert!(tree.is_valid(&json!({"task": "x", "children": [leaf]})));
    assert!(!tree.is_valid(&json!({"task": "x", "children": [{}]})) && !tree.is_valid(&leaf));
    let inside = whole(json!({
        "$id": "https://example.com/tree", "properties": {"size": {"$ref": "/number"}},
        "$defs": {"number": {"$id": "/number", "type": "integer"}},
    }));
    assert!(inside.is_valid(&json!({"task": "x", "size": 1})) && !inside.is_valid(&json!({"task": "x", "size": "1"})));
    let by_name = json!({
        "$id": "https://example.com/list", "type": "object", "required": ["items"],
        "properties": {"items": {"description": "All.", "type": "array", "items": {"$dynamicRef": "#item"}}},
        "$defs": {"item": {"$dynamicAnchor": "item"}, "other": {"$id": "other", "$defs": {"x": {"$dynamicAnchor": "item"}}}},
    });
    let by_name = whole(by_name);
    assert_eq!(by_name.source()["properties"]["items"], json!({"description": "All.", "type": "array"}));
    assert_eq!(by_name.required(), ["task", "items"]);
}

proptest! {
    #[test]
    fn no_call_puts_a_reserved_name_into_the_context_or_loses_another(explicit in fields(), beside in fields()) {
        let mut arguments = beside.clone();
        arguments.insert("context".to_owned(), Value::Object(explicit.clone()));
        let call = AgentCall::of(&arguments);
        for name in RESERVED {
            prop_assert!(!call.context.contains_key(name));
        }
        for (name, value) in beside.iter().filter(|(name, _)| !RESERVED.contains(&name.as_str())) {
            prop_assert_eq!(call.context.get(name), Some(value));
        }
        for (name, value) in explicit.iter().filter(|(name, _)| !RESERVED.contains(&name.as_str()) && !beside.contains_key(*name)) {
            prop_assert_eq!(call.context.get(name), Some(value));
        }
        prop_assert!(call.context.len() <= explicit.len() + beside.len());
    }

    #[test]
    fn a_refusal_is_there_exactly_where_the_contract_does_not_hold_and_adds_up(context in fields()) {
        let contract = compiled();
        let refused = validate_input(&contract, Some(&context));
        prop_assert_eq!(refused.is_none(), contract.is_valid(&Value::Object(context.clone())));
        if let Some(refused) = refused {
            prop_assert!(!refused.hint.is_empty() && !refused.validation_message.is_empty());
            prop_assert!(refused.missing_fields.iter().all(|name| !context.contains_key(name)));
            prop_assert!(refused.provided_fields.iter().all(|name| context.contains_key(name)));
            let there = refused.required_fields.iter().filter(|name| context.contains_key(*name)).count();
            prop_assert_eq!(there + refused.missing_fields.len(), refused.required_fields.len());
        }
    }

    #[test]
    fn no_message_quotes_a_value(secret in "[A-Z0-9]{12}", place in 0..4_usize) {
        let mut context = object(json!({"target_url": "https://example.com", "task_name": "x", "collected_information": [item("discovery_agent")]}));
        match place {
            0 => drop(context.insert("target_url".to_owned(), json!(secret))),
            1 => drop(context.insert("task_name".to_owned(), json!([secret]))),
            2 => drop(context.insert("collected_information".to_owned(), json!([item(&secret)]))),
            _ => drop(context.insert("collected_information".to_owned(), json!({"key": secret}))),
        }
        let refused = validate_input(&compiled(), Some(&context)).unwrap();
        prop_assert!(!serde_json::to_string(&refused).unwrap().contains(&secret));
    }
}

#[test]
fn examples_are_for_people_and_cost_a_model_nothing() {
    let contract = json!({"type": "object", "required": ["url"], "properties": {
        "url": {"type": "string", "examples": ["https://a.example"]},
        "examples": {"type": "array", "items": {"$ref": "#/$defs/one"}, "examples": [["a"]]},
        "kind": {"enum": ["a"], "const": {"examples": ["a"]}}
    }, "$defs": {"one": {"type": "string", "examples": ["a"]}}});
    let parameters = agent_parameters(Some(&contract));
    assert_eq!(parameters["properties"]["url"], json!({"type": "string"}));
    assert_eq!(parameters["properties"]["examples"], json!({"type": "array", "items": {"$ref": "#/$defs/one"}}));
    assert_eq!(parameters["properties"]["kind"]["const"], json!({"examples": ["a"]}), "a value stays as it is");
    assert_eq!(parameters["$defs"]["one"], json!({"type": "string"}));
}

#[test]
fn a_value_that_is_named_twice_takes_no_reference_away_from_where_it_leads() {
    let contract = json!({"type": "object", "properties": {
        "urls": {"type": "array", "items": {"type": "string", "format": "uri"}},
        "first": {"$ref": "#/properties/urls/items"},
        "others": {"$ref": "#/properties/urls"}
    }, "allOf": [{"properties": {"urls": {"minItems": 1}}}]});
    let (whole, parameters) = (Schema::compile(contract.clone()), Schema::compile(agent_parameters(Some(&contract))));
    let (whole, parameters) = (whole.unwrap(), parameters.unwrap());
    let url = "https://a.example";
    for (context, fits) in [
        (json!({"urls": [url], "first": url, "others": []}), true),
        (json!({"urls": []}), false),
        (json!({"first": "no address"}), false),
        (json!({"others": ["no address"]}), false),
    ] {
        let mut call = context.clone();
        call["task"] = json!("Read it");
        assert_eq!((whole.is_valid(&context), parameters.is_valid(&call)), (fits, fits), "{context}");
    }
}
