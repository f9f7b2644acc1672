//! What is wrong with a value is told soon, however many ways there are to it.

use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::contract::{Schema, Stage};

fn deep(levels: usize, leaf: Value) -> Value {
    (0..levels).fold(leaf, |inner, _| json!({"a": inner}))
}

/// Schemas of a value at each level of which there are several ways to the next.
fn in_two_ways() -> Vec<Value> {
    let next = json!({"properties": {"a": {"$ref": "#/$defs/n"}}});
    let held = |node: Value| json!({"$defs": {"n": node}, "properties": {"x": {"$ref": "#/$defs/n"}}});
    // None of these comes back to itself.
    let level = |at: usize| match at {
        45 => json!({"type": "object"}),
        _ => {
            let next = json!({"properties": {"a": {"$ref": format!("#/$defs/n{}", at + 1)}}});
            json!({"type": "object", "anyOf": [next, next]})
        }
    };
    let levels: Map<String, Value> = (0..=45).map(|at| (format!("n{at}"), level(at))).collect();
    vec![
        json!({"$defs": levels, "properties": {"x": {"$ref": "#/$defs/n0"}}}),
        held(json!({"type": "object", "anyOf": [next, next]})),
        held(json!({"type": "object", "allOf": [next, next]})),
        held(json!({"type": "object", "oneOf": [next, {"required": ["b"]}, next]})),
        held(
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "patternProperties": {"a": {"$ref": "#/$defs/n"}}}),
        ),
        held(json!({"type": "object", "if": next, "then": next, "else": next})),
        held(json!({"type": "object", "dependentSchemas": {"a": next}, "anyOf": [next]})),
        held(json!({"type": "object", "unevaluatedProperties": false, "anyOf": [next, next]})),
        json!({"$dynamicAnchor": "n", "type": "object", "anyOf": [{"properties": {"a": {"$dynamicRef": "#n"}, "x": {"$dynamicRef": "#n"}}}, {"properties": {"a": {"$ref": "#"}, "x": {"$ref": "#"}}}]}),
    ]
}

#[test]
fn what_is_wrong_deep_in_a_schema_that_refers_to_itself_twice_is_told_soon() {
    for schema in in_two_ways() {
        let compiled = Schema::compile_foreign(schema.clone()).unwrap();
        let began = Instant::now();
        let faults = compiled.check(&json!({"x": deep(40, json!(1))}), Stage::OutputContract);
        assert!(began.elapsed().as_secs() < 20, "{schema}: {:?}", began.elapsed());
        let [fault] = &faults[..] else { panic!("{schema}: {faults:?}") };
        assert!(fault.message.starts_with("it does not fit; it is too large or too deep"), "{schema}: {fault}");
        assert!(!fault.hint.is_empty());
        // Of what is not so deep each fault is told where it is.
        for fault in compiled.check(&json!({"x": deep(3, json!(1))}), Stage::OutputContract) {
            assert!(!fault.message.starts_with("it does not fit; "), "{schema}: {fault}");
        }
        let fits = json!({"x": deep(3, json!({}))});
        assert_eq!(compiled.check(&fits, Stage::OutputContract).is_empty(), compiled.is_valid(&fits));
    }
}

#[test]
fn what_is_wrong_in_a_tree_is_told_where_it_is_however_deep() {
    let tree = json!({"type": "object", "properties": {
        "left": {"$ref": "#"}, "right": {"$ref": "#"}, "all": {"type": "array", "items": {"$ref": "#"}}}});
    let tree = Schema::compile_foreign(tree).unwrap();
    let wrong = (0..60).fold(json!(1), |inner, _| json!({"left": inner, "right": {}, "all": [{}, {}]}));
    let faults = tree.check(&wrong, Stage::OutputContract);
    assert_eq!((faults.len(), faults[0].path.len()), (1, 60), "{faults:?}");
    let many: Vec<Value> = (0..20_000).map(|_| json!({"left": 1, "right": "x".repeat(100)})).collect();
    assert_eq!(tree.check(&json!({"all": many}), Stage::OutputContract).len(), 1_000);
}

/// A list of alternatives keeps what each of them has looked at.
#[test]
fn many_alternatives_for_a_large_value_are_told_as_one_fault() {
    let ways: Vec<Value> = (0..5_000).map(|at| json!({"const": at})).collect();
    let schema = Schema::compile_foreign(json!({"properties": {"text": {"anyOf": ways}}})).unwrap();
    let faults = schema.check(&json!({"text": "x".repeat(4 << 20)}), Stage::OutputContract);
    assert!(faults.len() == 1 && faults[0].path.is_empty(), "{faults:?}");
    assert_eq!(schema.check(&json!({"text": "x"}), Stage::OutputContract)[0].place(), "text");
}
