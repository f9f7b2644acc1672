use std::collections::{BTreeSet, HashMap};
use std::iter::Peekable;
use std::str::Chars;

use assent_core::contract::Schema;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Rules;

/// A grammar as llama.cpp reads it, as far as ours go.
struct Grammar(HashMap<String, Node>);

enum Node {
    Text(Vec<char>),
    Class(bool, Vec<(char, char)>),
    Rule(String),
    All(Vec<Node>),
    Any(Vec<Node>),
    Times(Box<Node>, usize, usize),
}

impl Grammar {
    fn of(text: &str) -> Self {
        let rule = |line: &str| {
            let (name, body) = line.split_once(" ::= ").unwrap();
            let mut rest = body.chars().peekable();
            let node = any(&mut rest);
            assert_eq!(rest.next(), None, "{line}");
            (name.to_owned(), node)
        };
        Self(text.lines().map(rule).collect())
    }

    fn accepts(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        self.ends(&self.0["root"], &text, 0).contains(&text.len())
    }

    /// Where what a node stands for may end that begins at a place.
    fn ends(&self, node: &Node, text: &[char], at: usize) -> BTreeSet<usize> {
        match node {
            Node::Text(own) => text[at..].starts_with(own).then_some(at + own.len()).into_iter().collect(),
            Node::Class(negated, ranges) => {
                let fits = |one: &char| ranges.iter().any(|(from, to)| (from..=to).contains(&one)) != *negated;
                text.get(at).filter(|one| fits(one)).map(|_| at + 1).into_iter().collect()
            }
            Node::Rule(name) => self.ends(&self.0[name], text, at),
            Node::All(nodes) => nodes.iter().fold(BTreeSet::from([at]), |from, node| {
                from.into_iter().flat_map(|at| self.ends(node, text, at)).collect()
            }),
            Node::Any(nodes) => nodes.iter().flat_map(|node| self.ends(node, text, at)).collect(),
            Node::Times(node, least, most) => {
                let (mut now, mut all) = (BTreeSet::from([at]), BTreeSet::new());
                for times in 0..=*most {
                    if times >= *least {
                        all.extend(&now);
                    }
                    now = now.into_iter().flat_map(|at| self.ends(node, text, at)).collect();
                    if now.is_empty() || now.is_subset(&all) {
                        break;
                    }
                }
                all
            }
        }
    }
}

fn any(rest: &mut Peekable<Chars<'_>>) -> Node {
    let mut options = vec![all(rest)];
    while rest.next_if_eq(&'|').is_some() {
        options.push(all(rest));
    }
    Node::Any(options)
}

fn all(rest: &mut Peekable<Chars<'_>>) -> Node {
    let mut nodes = Vec::new();
    loop {
        let node = match rest.peek() {
            Some(' ') => {
                rest.next();
                continue;
            }
            Some('"') => Node::Text(quoted(rest)),
            Some('[') => class(rest),
            Some('(') => {
                rest.next();
                let inner = any(rest);
                assert_eq!(rest.next(), Some(')'));
                inner
            }
            Some('r') => {
                let name = std::iter::from_fn(|| rest.next_if(char::is_ascii_alphanumeric));
                Node::Rule(name.collect())
            }
            _ => return Node::All(nodes),
        };
        nodes.push(repeated(node, rest));
    }
}

fn repeated(node: Node, rest: &mut Peekable<Chars<'_>>) -> Node {
    let (least, most) = match rest.peek() {
        Some('*') => (0, usize::MAX),
        Some('+') => (1, usize::MAX),
        Some('?') => (0, 1),
        Some('{') => {
            let inner: String = rest.by_ref().skip(1).take_while(|one| *one != '}').collect();
            let (least, most) = inner.split_once(',').unwrap();
            return Node::Times(Box::new(node), least.parse().unwrap(), most.parse().unwrap());
        }
        _ => return node,
    };
    rest.next();
    Node::Times(Box::new(node), least, most)
}

fn quoted(rest: &mut Peekable<Chars<'_>>) -> Vec<char> {
    rest.next();
    let mut text = Vec::new();
    while let Some(one) = rest.next().filter(|one| *one != '"') {
        text.push(if one == '\\' { escaped(rest) } else { one });
    }
    text
}

fn class(rest: &mut Peekable<Chars<'_>>) -> Node {
    rest.next();
    let negated = rest.next_if_eq(&'^').is_some();
    let mut ranges = Vec::new();
    while let Some(one) = rest.next().filter(|one| *one != ']') {
        let from = if one == '\\' { escaped(rest) } else { one };
        let to = match rest.next_if_eq(&'-').map(|_| rest.next().unwrap()) {
            Some('\\') => escaped(rest),
            Some(to) => to,
            None => from,
        };
        ranges.push((from, to));
    }
    Node::Class(negated, ranges)
}

fn escaped(rest: &mut Peekable<Chars<'_>>) -> char {
    let digits = match rest.next().unwrap() {
        'n' => return '\n',
        'r' => return '\r',
        't' => return '\t',
        'x' => 2,
        'U' => 8,
        other => return other,
    };
    let code: String = rest.by_ref().take(digits).collect();
    char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap()
}

/// The grammar of a tool's arguments.
fn grammar(parameters: &Value) -> Grammar {
    let mut rules = Rules::default();
    let root = rules.of_arguments(parameters);
    Grammar::of(&rules.write(&root))
}

/// Values that fit a schema are accepted, and those that do not are not, where the grammar is to be exact.
fn check(schema: Value, fitting: &[Value], other: &[Value]) {
    let (grammar, checked) = (grammar(&schema), Schema::compile(schema.clone()).unwrap());
    for value in fitting {
        assert!(checked.is_valid(value), "{value} is to fit {schema}");
        assert!(grammar.accepts(&value.to_string()), "{schema} excludes {value}");
    }
    for value in other {
        assert!(!checked.is_valid(value), "{value} is not to fit {schema}");
        assert!(!grammar.accepts(&value.to_string()), "{schema} takes {value}");
    }
}

#[test]
fn what_stands_beside_alternatives_holds_for_each_of_them() {
    let beside = json!({"type": "object", "properties": {"path": {"enum": ["p"]}, "line": {"type": "integer"}, "text": {"enum": ["t"]}},
        "required": ["path"], "additionalProperties": false, "oneOf": [{"required": ["line"]}, {"required": ["text"]}]});
    check(
        beside,
        &[json!({"path": "p", "line": 3}), json!({"path": "p", "text": "t"})],
        &[json!({"path": "p"}), json!({})],
    );
    let both = json!({"properties": {"a": {"enum": [1]}}, "required": ["a"],
        "anyOf": [{"properties": {"b": {"enum": [2]}}, "required": ["b"]}, {"properties": {"c": {"enum": [3]}}, "required": ["c"]}],
        "oneOf": [{"properties": {"d": {"enum": [4]}}, "required": ["d"]}, {"properties": {"e": {"enum": [5]}}, "required": ["e"]}]});
    let fitting = [json!({"a": 1, "b": 2, "d": 4}), json!({"a": 1, "c": 3, "e": 5}), json!({"a": 1, "b": 2, "e": 5})];
    check(both, &fitting, &[json!({"a": 1, "d": 4}), json!({"a": 1, "b": 2})]);
    let inner = json!({"properties": {"to": {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}},
        "anyOf": [{"properties": {"x": {"type": "integer"}}, "required": ["x"]}, {"properties": {"y": {"type": "null"}}, "required": ["y"]}]}}, "required": ["to"]});
    check(
        inner,
        &[json!({"to": {"kind": "k", "x": 1}}), json!({"to": {"kind": "k", "y": null}})],
        &[json!({"to": {"kind": "k"}})],
    );
}

#[test]
fn what_stands_beside_a_reference_holds_too() {
    let schema = json!({"$ref": "#/$defs/base", "properties": {"b": {"enum": ["y"]}}, "required": ["b"],
        "$defs": {"base": {"type": "object", "properties": {"a": {"enum": ["x"]}}, "required": ["a"]}}});
    check(schema, &[json!({"b": "y", "a": "x"})], &[json!({"a": "x"}), json!({"b": "y"})]);
    let property = json!({"properties": {"to": {"$ref": "#/$defs/a%20b", "properties": {"y": {"type": "boolean"}}, "required": ["y"]}}, "required": ["to"],
        "$defs": {"a b": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}}});
    check(property, &[json!({"to": {"y": true, "x": 1}})], &[json!({"to": {"x": 1}})]);
}

#[test]
fn parts_inside_parts_hold_and_circles_of_them_end() {
    let schema = json!({"allOf": [
        {"allOf": [{"properties": {"a": {"enum": ["x"]}}, "required": ["a"]}, {"$ref": "#/$defs/b"}]},
        {"properties": {"a": {"type": "string"}, "c": {"type": "null"}}}],
        "$defs": {"b": {"allOf": [{"allOf": [{"properties": {"b": {"enum": ["y"]}}, "required": ["b"]}]}]}}});
    check(schema, &[json!({"a": "x", "b": "y"}), json!({"a": "x", "b": "y", "c": null})], &[json!({"a": "x"})]);
    let same = json!({"properties": {"p": {"properties": {"x": {"type": "integer"}}}}, "required": ["p"],
        "allOf": [{"properties": {"p": {"required": ["y"], "properties": {"y": {"type": "integer"}}}}}]});
    check(same, &[json!({"p": {"y": 2}}), json!({"p": {"y": 2, "x": 1}})], &[json!({"p": {"x": 1}})]);
    let circle = json!({"allOf": [{"$ref": "#"}, {"anyOf": [{"$ref": "#"}, {"properties": {"a": {"enum": [1]}}, "required": ["a"]}]}]});
    assert!(grammar(&circle).accepts(r#"{"a":1}"#));
}

#[test]
fn names_that_only_a_pattern_a_condition_or_a_kind_of_value_describes_are_taken() {
    let patterns = json!({"type": "object", "patternProperties": {"^x": {"type": "string"}, "^n": {"type": "integer"}}, "additionalProperties": false});
    check(patterns, &[json!({}), json!({"xa": "1", "na": 2})], &[json!({"xa": true})]);
    let beside = json!({"type": "object", "properties": {"a": {"type": "boolean"}}, "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": false});
    check(
        beside,
        &[json!({}), json!({"a": true}), json!({"a": true, "x": "1", "xy": "2"}), json!({"x": "1"})],
        &[json!({"x": 1})],
    );
    let mapped = json!({"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"], "additionalProperties": {"type": "integer"}});
    check(mapped, &[json!({"a": true}), json!({"a": true, "n": 3})], &[json!({"a": true, "n": "x"}), json!({"n": 3})]);
    let condition = json!({"type": "object", "properties": {"kind": {"enum": ["file", "none"]}}, "required": ["kind"],
        "if": {"properties": {"kind": {"const": "file"}}}, "then": {"properties": {"path": {"type": "string"}}, "required": ["path"]},
        "dependentRequired": {"kind": ["why"]}});
    check(
        condition,
        &[json!({"kind": "file", "path": "p", "why": [1]}), json!({"kind": "none", "why": "x"})],
        &[json!({"path": "p"})],
    );
}

#[test]
fn lists_of_several_kinds_and_long_lists_are_taken() {
    let row = json!({"properties": {"l": {"type": "array", "prefixItems": [{"type": "object", "properties": {"a": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}}}, {"type": "string"}],
        "items": {"type": "boolean"}}}, "required": ["l"]});
    check(row, &[json!({"l": [{"a": [[1]]}, "x", true, false]}), json!({"l": []})], &[json!({"l": [3]})]);
    let long: Vec<u32> = (0..1500).map(|_| 7).collect();
    check(
        json!({"properties": {"l": {"type": "array", "items": {"const": 7}, "minItems": 1500}}, "required": ["l"]}),
        &[json!({"l": long})],
        &[json!({"l": []})],
    );
    check(
        json!({"properties": {"v": {"type": ["number", "null"], "allOf": [{"type": ["integer", "string"]}]}}, "required": ["v"]}),
        &[json!({"v": 3})],
        &[json!({"v": null})],
    );
}

#[test]
fn a_schema_of_which_not_everything_is_seen_takes_any_object() {
    for schema in [
        json!({"properties": {"a": {"type": "integer"}}, "allOf": [{"$ref": "https://example.com/other"}]}),
        json!({"properties": {"a": {"type": "integer"}}, "anyOf": [{"$dynamicRef": "#x"}]}),
        json!({"additionalProperties": true}),
        json!({"minProperties": 1}),
        json!({"if": {"required": ["a"]}, "then": {"required": ["b"]}}),
        json!({"type": "string"}),
        json!({"oneOf": []}),
        json!({"anyOf": 7, "allOf": {"a": 1}, "required": ["x".repeat(5000)]}),
    ] {
        assert!(grammar(&schema).accepts(r#"{"other":{"b":[1]}}"#), "{schema}");
        assert!(!grammar(&schema).accepts("[1]"), "{schema}");
    }
    assert!(grammar(&json!({})).accepts("{}") && !grammar(&json!({})).accepts(r#"{"a":1}"#));
}

/// A schema of an object with the fields `a` and `b`, put together of parts in one of many ways.
fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!({"properties": {"a": {"type": "integer"}}}),
        json!({"properties": {"b": {"type": ["string", "null"]}}}),
        json!({"required": ["a"]}),
        json!({"required": ["b"], "properties": {"a": {}}}),
        json!({"$ref": "#/$defs/x"}),
        json!({"properties": {"a": {"enum": [1, 2]}, "b": {"const": "t"}}}),
    ]);
    leaf.prop_recursive(3, 12, 3, |inner| {
        let several = prop::collection::vec(inner.clone(), 1..3);
        (prop::sample::select(vec!["allOf", "anyOf", "oneOf"]), several, inner).prop_map(
            |(key, several, mut beside)| {
                beside[key] = json!(several);
                beside
            },
        )
    })
}

proptest! {
    #[test]
    fn no_value_of_known_fields_that_fits_is_excluded(part in schemas(), a in 0..4_i64, b in 0..4_usize) {
        let mut schema = json!({"type": "object", "properties": {"a": {}, "b": {}}, "allOf": [part],
            "$defs": {"x": {"properties": {"b": {"type": "string"}}}}});
        schema["additionalProperties"] = json!(false);
        let Ok(checked) = Schema::compile(schema.clone()) else { return Ok(()) };
        let b = [None, Some(json!("t")), Some(json!("u")), Some(Value::Null)][b].clone();
        let fields = [("a", (a > 0).then(|| json!(a))), ("b", b)];
        let known: Vec<_> = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        let value = |known: Vec<(String, Value)>| Value::Object(known.into_iter().collect());
        if checked.is_valid(&value(known.clone())) {
            // What is required comes first.
            let turned = value(known.iter().rev().cloned().collect());
            let grammar = grammar(&schema);
            let is_taken = grammar.accepts(&value(known.clone()).to_string()) || grammar.accepts(&turned.to_string());
            prop_assert!(is_taken, "{} excludes {:?}", schema, known);
        }
    }
}
