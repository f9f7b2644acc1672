//! The body of a request.

use serde_json::{Map, Value, json};

use super::{Dialect, JsonForm};
use crate::model::calls::{Names, Spelling, native_turns, plain_turns, role_name};
use crate::model::{CallForm, Message, ModelError, OutputFormat, Request, ToolChoice, grammar};

pub(crate) fn body(request: &Request, model: &str, dialect: Dialect) -> Result<Map<String, Value>, ModelError> {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    set("model", model.into());
    let native = dialect.calls == CallForm::Native;
    let names = Names::of(&request.tools);
    if native {
        set("messages", native_messages(&native_turns(request), &names));
    } else {
        let turns = plain_turns(request, Spelling::of(request))?;
        let turns = turns.iter().map(|turn| json!({"role": role_name(turn.role), "content": turn.text}));
        set("messages", turns.collect());
    }
    set("stream", true.into());
    set("stream_options", json!({"include_usage": true}));
    set(if dialect.newer_limit { "max_completion_tokens" } else { "max_tokens" }, request.max_tokens.into());
    set("temperature", json!(request.temperature));
    if let Some(seed) = request.seed {
        set("seed", (seed & 0x7fff_ffff).into());
    }
    if native && !request.tools.is_empty() {
        set(
            "tools",
            request
                .tools
                .iter()
                .map(|tool| {
                    json!({"type": "function", "function": {
                        "name": names.wire(&tool.name), "description": tool.description, "parameters": tool.parameters,
                    }})
                })
                .collect(),
        );
        set("tool_choice", choice(&request.choice, &names));
    }
    let grammar = if dialect.calls == CallForm::Grammar || dialect.json == JsonForm::Grammar {
        grammar::of_request(request, Spelling::of(request))
    } else {
        None
    };
    if let Some(grammar) = grammar {
        set("grammar", grammar.into());
    } else if let (OutputFormat::Json { name, schema }, JsonForm::Schema) = (&request.output, dialect.json) {
        let schema = json!({"name": name, "schema": schema, "strict": is_strict(schema)});
        set("response_format", json!({"type": "json_schema", "json_schema": schema}));
    }
    // Who takes grammars is llama.cpp, which alone takes words here in the place of tokens.
    if dialect.json == JsonForm::Grammar && !request.avoid.is_empty() {
        set("logit_bias", request.avoid.iter().map(|word| json!([word, false])).collect());
    }
    Ok(body)
}

/// Leaves of the tools' schemas what every endpoint reads: names, types, enumerations and texts. What a model then writes
/// is checked against the whole schema before it is used.
pub(crate) fn plain_schemas(body: &mut Map<String, Value>) {
    for parameters in parameters_of(body) {
        *parameters = Plain::of(parameters);
    }
}

/// The same for the tools whose schemas refer to parts of themselves, which some endpoints refuse, and others follow for
/// ever where a part contains itself.
pub(crate) fn plain_references(body: &mut Map<String, Value>) {
    for parameters in parameters_of(body).filter(|parameters| refers(parameters)) {
        *parameters = Plain::of(parameters);
    }
}

fn parameters_of(body: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    let tools = body.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten();
    tools.filter_map(|tool| tool.pointer_mut("/function/parameters"))
}

fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            fields.get("$ref").is_some_and(Value::is_string)
                || fields.get("$dynamicRef").is_some_and(Value::is_string)
                || fields.values().any(refers)
        }
        Value::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

/// References that are followed in one schema; what is beyond them may be anything.
const MOST_FOLLOWED: usize = 200;

/// A schema being made plain.
struct Plain<'a> {
    whole: &'a Value,
    /// The references that are being followed.
    followed: Vec<&'a str>,
    left: usize,
}

impl<'a> Plain<'a> {
    /// A schema in plain words, with what its references lead to in their place. Where that would be longer than the
    /// schema, which is what was counted, the references lead nowhere.
    fn of(schema: &Value) -> Value {
        let made = |left| Plain { whole: schema, followed: Vec::new(), left }.made(schema);
        let plain = made(MOST_FOLLOWED);
        if plain.to_string().len() <= schema.to_string().len() { plain } else { made(0) }
    }

    fn made(&mut self, schema: &'a Value) -> Value {
        let Some(fields) = schema.as_object() else { return json!({}) };
        let mut plain = Map::new();
        if let Some(target) = fields.get("$ref").and_then(Value::as_str)
            && let Value::Object(led) = self.led(target)
        {
            plain = led;
        }
        for (key, value) in fields {
            let kept = match (key.as_str(), value) {
                ("type" | "enum" | "required" | "description", value) => value.clone(),
                ("properties", Value::Object(all)) => {
                    Value::Object(all.iter().map(|(name, one)| (name.clone(), self.made(one))).collect())
                }
                ("items", one) => self.made(one),
                _ => continue,
            };
            plain.insert(key.clone(), kept);
        }
        Value::Object(plain)
    }

    /// What a reference leads to.
    fn led(&mut self, target: &'a str) -> Value {
        let found = target.strip_prefix('#').and_then(|pointer| self.whole.pointer(pointer));
        let Some(found) = found.filter(|_| self.left > 0 && !self.followed.contains(&target)) else {
            return json!({});
        };
        self.left -= 1;
        self.followed.push(target);
        let made = self.made(found);
        self.followed.pop();
        made
    }
}

fn choice(choice: &ToolChoice, names: &Names) -> Value {
    match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Named(name) | ToolChoice::Script(name) => {
            json!({"type": "function", "function": {"name": names.wire(name)}})
        }
        ToolChoice::None => "none".into(),
    }
}

fn native_messages(messages: &[Message], names: &Names) -> Value {
    let messages = messages.iter().map(|message| match message {
        Message::Assistant { text, calls } if !calls.is_empty() => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| {
                    let arguments = match &call.arguments {
                        Value::String(text) => text.clone(),
                        arguments => arguments.to_string(),
                    };
                    let function = json!({"name": names.wire(&call.name), "arguments": arguments});
                    json!({"id": call.id, "type": "function", "function": function})
                })
                .collect();
            let content = if text.is_empty() { Value::Null } else { text.as_str().into() };
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
        Message::Tool { id, text, .. } => json!({"role": "tool", "tool_call_id": id, "content": text}),
        Message::System { text } | Message::User { text } | Message::Assistant { text, .. } => {
            json!({"role": role_name(message.role()), "content": text})
        }
    });
    messages.collect()
}

/// Whether a schema keeps to what the strict mode asks for: closed objects whose properties are all required.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let closed = match fields.get("properties").and_then(Value::as_object) {
                Some(properties) => {
                    let required = fields.get("required").and_then(Value::as_array);
                    let needs = |name: &String| required.is_some_and(|names| names.iter().any(|other| other == name));
                    fields.get("additionalProperties") == Some(&Value::Bool(false)) && properties.keys().all(needs)
                }
                None => fields.get("type").is_none_or(|kind| kind != "object"),
            };
            closed && fields.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        _ => true,
    }
}
