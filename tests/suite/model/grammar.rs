//! Grammars against the real server: calls are valid by construction, whatever the tools' schemas look like.

use std::sync::Arc;

use assent_core::contract::{Schema, Stage};
use assent_engine::model::local::LocalModel;
use assent_engine::model::{OutputFormat, Request, ToolChoice};
use assent_tests::model::{ask, request, ruled, tool};
use serde_json::{Map, Value, json};

use super::local::Home;

fn calling(parameters: Value) -> Request {
    let mut request = request("Call the tool. Reply with {\"tool\":NAME,\"args\":{}}.");
    request.tools = [tool("mcp.odd.tool", parameters)].into();
    request.choice = ToolChoice::Required;
    request.max_tokens = 400;
    request
}

/// Schemas that the grammar keeps to exactly.
fn exact() -> Vec<Value> {
    vec![
        json!({"type": "object", "properties": {"path": {"type": "string", "minLength": 1, "maxLength": 20},
            "depth": {"type": "integer", "minimum": 0, "maximum": 9}, "kind": {"enum": ["file", "fol\"der\\", 3, null]}},
            "required": ["kind", "path"], "additionalProperties": false}),
        json!({"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"type": "null"}, "c": {"const": {"x": [1]}}},
            "additionalProperties": false}),
        json!({"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string", "maxLength": 5},
            "minItems": 2, "maxItems": 3}, "size": {"type": ["integer", "null"], "minimum": 1}}, "required": ["tags", "size"]}),
        json!({"type": "object", "properties": {}}),
        json!({}),
        json!({"allOf": [{"type": "object", "properties": {"a": {"enum": ["x"]}}, "required": ["a"]},
            {"properties": {"b": {"enum": ["y"]}}, "required": ["b"]}]}),
        json!({"type": "object", "properties": {"to": {"$ref": "#/$defs/place"}}, "required": ["to"],
            "$defs": {"place": {"type": "object", "properties": {"x": {"type": "integer", "minimum": 1, "maximum": 3}}, "required": ["x"]}}}),
        json!({"type": "object", "properties": {"path": {"enum": ["p"]}, "line": {"enum": [1]}, "text": {"enum": ["t"]}},
            "required": ["path"], "anyOf": [{"required": ["line"]}, {"required": ["text"]}], "additionalProperties": false}),
        json!({"$ref": "#/$defs/base", "properties": {"b": {"enum": ["y"]}}, "required": ["b"],
            "$defs": {"base": {"type": "object", "properties": {"a": {"enum": ["x"]}}, "required": ["a"]}}}),
        json!({"allOf": [{"allOf": [{"properties": {"a": {"enum": ["x"]}}, "required": ["a"]}]},
            {"properties": {"b": {"enum": ["y"]}}, "required": ["b"]}]}),
        json!({"type": "object", "patternProperties": {"": {"enum": [1]}}, "additionalProperties": false}),
        json!({"type": "object", "properties": {"v": {"anyOf": [{"const": "\n\u{7f}\u{1}é漢"}, {"const": "]]\"} ::="}]}}, "required": ["v"]}),
    ]
}

/// Schemas that are recursive, huge, malformed or hostile: something wider is right, as long as it is an object.
fn hostile() -> Vec<Value> {
    let many: Map<String, Value> = (0..3000).map(|n| (format!("field_{n}"), json!({"type": "string"}))).collect();
    let mut deep = json!({"type": "string"});
    for _ in 0..60 {
        deep = json!({"type": "object", "properties": {"in": deep}, "required": ["in"]});
    }
    let wide: Vec<Value> = (0..20_000).map(|n| json!(format!("option {n}"))).collect();
    vec![
        json!({"$ref": "#"}),
        json!({"type": "object", "properties": {"self": {"$ref": "#"}}, "required": ["self"]}),
        json!({"anyOf": [{"$ref": "#"}, {"$ref": "#/anyOf/0"}]}),
        json!({"type": "object", "properties": {"child": {"anyOf": [{"$ref": "#/properties/child"}]}}, "required": ["child"]}),
        json!({"type": "object", "properties": many}),
        deep,
        json!({"type": "object", "properties": {"pick": {"enum": wide}}, "required": ["pick"]}),
        json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^(([a-z])+.)+[A-Z]([a-z])+$", "minLength": 5000, "maxLength": 1}}, "required": ["a"]}),
        json!({"type": "object", "properties": {"a": {"type": "array", "minItems": 100_000, "maxItems": 5}}, "required": ["a"]}),
        json!({"type": "object", "properties": {"\" root ::= \\": {"type": "wat"}, "\n": {"type": 7}, "": {}}, "required": ["\" root ::= \\", "\n", ""]}),
        json!({"type": "object", "required": ["nowhere"], "properties": {"x": false}}),
        json!({"type": ["object", "object", 3, "no"], "properties": 5, "required": "x", "enum": []}),
        json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX},
            "m": {"type": "integer", "minimum": 9, "maximum": -9}, "f": {"type": "number", "multipleOf": 0.1}}, "required": ["n", "m", "f"]}),
        json!({"type": "object", "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": {"type": "integer"}, "minProperties": 50}),
        json!({"type": "object", "properties": {"x".repeat(5000): {"type": "string"}}, "required": ["x".repeat(5000)]}),
        json!("not a schema"),
        json!(false),
        json!({"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}, "not": {"type": "null"}}),
    ]
}

#[tokio::test]
async fn arguments_fit_their_schema_by_construction() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let model = LocalModel::new(parts);
    for schema in exact() {
        let reply = ask(&model, &calling(schema.clone())).await.unwrap_or_else(|error| panic!("{schema}: {error}"));
        assert_eq!((reply.calls.len(), &reply.faults), (1, &Vec::new()), "{schema}: {reply:?}");
        assert_eq!(reply.calls[0].name, "mcp.odd.tool");
        let faults = Schema::compile(schema.clone()).unwrap().check(&reply.calls[0].arguments, Stage::ToolArguments);
        assert_eq!(faults, [], "{schema}: {}", reply.calls[0].arguments);
    }
}

#[tokio::test]
async fn no_schema_makes_the_server_fail() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let model = LocalModel::new(parts);
    for schema in hostile() {
        let shown: String = schema.to_string().chars().take(200).collect();
        let mut request = calling(schema);
        Arc::make_mut(&mut request.tools)[0].description =
            "\u{0}\u{1b}[31m {{ x }} {% raw %} <|im_end|> \" ::= \\ ".into();
        request.max_tokens = 40;
        let reply = ask(&model, &request).await.unwrap_or_else(|error| panic!("{shown}: {error}"));
        if reply.calls.is_empty() {
            assert!(!reply.faults.is_empty(), "only a reply that is cut has no call: {shown}: {reply:?}");
        } else {
            assert!(reply.calls[0].arguments.is_object(), "{shown}: {reply:?}");
        }
    }
}

#[tokio::test]
async fn a_large_set_of_tools_still_makes_a_grammar() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let model = LocalModel::new(parts);
    let properties: Map<String, Value> =
        (0..30).map(|n| (format!("parameter_{n}"), json!({"type": "string", "maxLength": 900 + n}))).collect();
    let mut request = calling(json!({}));
    let rules = "Reply with {\"tool\":NAME,\"args\":{}}.".to_owned();
    request.messages.insert(0, assent_engine::model::Message::System { text: rules });
    request.tools =
        (0..60).map(|n| tool(&format!("tool_{n}"), json!({"type": "object", "properties": properties}))).collect();
    request.max_tokens = 20;
    ask(&model, &request).await.unwrap();
}

#[tokio::test]
async fn the_choice_is_kept() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let model = LocalModel::new(parts);
    let object = |key: &str| json!({"type": "object", "properties": {key: {"type": "string", "maxLength": 9}}, "required": [key]});
    let mut request = request("Say hello to Ann.");
    request.tools =
        [tool("read", object("path")), tool("grep", object("pattern")), tool("bash", object("command"))].into();
    for name in ["read", "grep", "bash"] {
        request.choice = ToolChoice::Named(name.into());
        let reply = ask(&model, &request).await.unwrap();
        assert_eq!(reply.calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), [name]);
    }
    request.choice = ToolChoice::Required;
    let reply = ask(&model, &request).await.unwrap();
    assert_eq!((reply.calls.len(), reply.text.as_str()), (1, ""));
    request.choice = ToolChoice::None;
    assert_eq!(ask(&model, &request).await.unwrap().calls, []);
}

#[tokio::test]
async fn the_form_that_the_prompt_asks_for_is_the_form_of_the_grammar() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let model = LocalModel::new(parts);
    let mut request = request("Output Format:\n{ \"toolCalls\": [ { \"toolName\": \"read\", \"arguments\": {} } ] }");
    request.tools =
        [tool("read", json!({"type": "object", "properties": {"n": {"enum": [1]}}, "required": ["n"]}))].into();
    request.choice = ToolChoice::Required;
    let reply = ask(&model, &request).await.unwrap();
    assert!((1..=4).contains(&reply.calls.len()), "{reply:?}");
    assert!(reply.calls.iter().all(|call| call.name == "read" && call.arguments == json!({"n": 1})), "{reply:?}");
}

#[tokio::test]
async fn structured_output_fits_its_schema() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let model = LocalModel::new(parts);
    let step = json!({"type": "object", "properties": {"tool": {"enum": ["grep", "none"]}, "do": {"type": "string", "minLength": 1, "maxLength": 40}},
        "required": ["tool", "do"], "additionalProperties": false});
    let schema = json!({"anyOf": [
        {"type": "object", "properties": {"answer": {"type": "string", "maxLength": 30}}, "required": ["answer"], "additionalProperties": false},
        {"type": "object", "properties": {"title": {"type": "string", "maxLength": 30}, "steps": {"type": "array", "items": step, "minItems": 1, "maxItems": 2}},
            "required": ["title", "steps"], "additionalProperties": false}]});
    let mut request = request("Plan how to count words.");
    request.max_tokens = 300;
    request.output = OutputFormat::Json { name: "plan".into(), schema: schema.clone().into() };
    let reply = ask(&model, &request).await.unwrap();
    let document: Value = serde_json::from_str(&reply.text).unwrap();
    assert_eq!(Schema::compile(schema).unwrap().check(&document, Stage::OutputContract), []);
    assert_eq!(reply.faults, []);
}

#[tokio::test]
async fn long_texts_come_as_blocks_where_the_prompt_asks_for_them() {
    let home = Home::new();
    let Some(parts) = home.parts() else { return };
    let model = LocalModel::new(parts);
    let text = |key: &str| json!({"type": "object", "properties": {key: {"type": "string"}, "timeout": {"type": "integer"}}, "required": [key]});
    let file = json!({"type": "object", "properties": {"path": {"type": "string", "maxLength": 20}, "content": {"type": "string"}},
        "required": ["path", "content"]});
    let mut request = ruled("{\"tool\":\"python\"}\n```python\nprint(1)\n```", "Print 1.");
    request.tools = [tool("bash", text("command")), tool("create_file", file)].into();
    request.max_tokens = 150;
    for name in ["bash", "create_file"] {
        request.choice = ToolChoice::Named(name.into());
        let reply = ask(&model, &request).await.unwrap();
        if reply.calls.is_empty() {
            assert!(!reply.faults.is_empty(), "only a block that is cut makes no call: {reply:?}");
            continue;
        }
        let keys: Vec<&String> = reply.calls[0].arguments.as_object().unwrap().keys().collect();
        let expected = if name == "bash" { vec!["command"] } else { vec!["path", "content"] };
        assert_eq!(
            (reply.calls[0].name.as_str(), keys),
            (name, expected.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>().iter().collect())
        );
    }
}
