use serde_json::{Map, Value, json};

use crate::contract::{Schema, Stage};

#[test]
fn patterns_of_a_foreign_schema_are_few_small_and_given_up_in_time() {
    let foreign = |patterns: Vec<String>| {
        let fields: Map<String, Value> =
            patterns.into_iter().enumerate().map(|(at, one)| (format!("f{at}"), json!({"pattern": one}))).collect();
        Schema::compile_foreign(json!({"type": "object", "properties": fields}))
    };
    let many = foreign((0..201).map(|at| format!("^{at}$")).collect()).unwrap_err();
    assert_eq!(many.to_string(), "the schema cannot be used: it has 201 patterns, at most 200");
    let named = json!({"patternProperties": (0..201).map(|at| (at.to_string(), json!({}))).collect::<Map<_, _>>()});
    assert!(Schema::compile_foreign(named).is_err());
    let large = foreign(vec!["(\\p{L}{100}){100}".to_owned()]);
    assert!(large.is_err_and(|error| !error.message.is_empty()));
    let slow = foreign(vec!["^(?=a)(a|aa)+$".to_owned()]).unwrap();
    let faults = slow.check(&json!({"f0": format!("{}b", "a".repeat(60))}), Stage::InputContract);
    assert_eq!(faults.len(), 1, "{faults:?}");
}
