//! The body of a request.

use serde_json::{Map, Value, json};

use crate::model::calls::{Names, native_turns};
use crate::model::{Message, OutputFormat, Request, ToolChoice};

/// The tool whose arguments are a structured reply: the protocol's own way to hold a model to a schema.
pub(super) const REPLY_TOOL: &str = "reply";

/// Whether the reply is asked for as the arguments of [`REPLY_TOOL`].
pub(super) fn replies_by_tool(request: &Request) -> bool {
    matches!(request.output, OutputFormat::Json { .. }) && request.tools.is_empty()
}

pub(super) fn body(request: &Request, model: &str) -> Map<String, Value> {
    let names = Names::of(&request.tools);
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    set("model", model.into());
    set("max_tokens", request.max_tokens.into());
    set("stream", true.into());
    set("temperature", json!(request.temperature));
    let turns = native_turns(request);
    let system = system(&turns);
    if !system.is_empty() {
        // Everything up to here is the same for every request of a role, so it is worth keeping.
        set("system", json!([{"type": "text", "text": system, "cache_control": kept()}]));
    }
    set("messages", messages(&turns, &names));
    match &request.output {
        OutputFormat::Json { schema, .. } if replies_by_tool(request) => {
            // A schema may be a choice between objects, which the protocol does not take at the top.
            let parameters = json!({"type": "object", "properties": {"value": schema}, "required": ["value"]});
            let description = "Gives the reply in the asked form.";
            set("tools", json!([{"name": REPLY_TOOL, "description": description, "input_schema": parameters}]));
            set("tool_choice", json!({"type": "tool", "name": REPLY_TOOL}));
        }
        _ if !request.tools.is_empty() => {
            let tools = request.tools.iter().map(|tool| {
                let name = names.wire(&tool.name);
                json!({"name": name, "description": tool.description, "input_schema": as_object(&tool.parameters)})
            });
            set("tools", tools.collect());
            set("tool_choice", choice(&request.choice, &names));
        }
        _ => {}
    }
    body
}

/// Parameters always say that they are an object; the protocol insists on it.
fn as_object(parameters: &Value) -> Value {
    match parameters {
        Value::Object(fields) if fields.get("type").is_some_and(|kind| kind == "object") => parameters.clone(),
        Value::Object(fields) => {
            let mut fields = fields.clone();
            fields.insert("type".to_owned(), "object".into());
            Value::Object(fields)
        }
        _ => json!({"type": "object"}),
    }
}

fn choice(choice: &ToolChoice, names: &Names) -> Value {
    match choice {
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Named(name) | ToolChoice::Script(name) => json!({"type": "tool", "name": names.wire(name)}),
        ToolChoice::None => json!({"type": "none"}),
    }
}

fn system(messages: &[Message]) -> String {
    let texts = messages.iter().filter_map(|message| match message {
        Message::System { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Turns of person and model by turns, as the protocol wants them: results of calls are the person's.
fn messages(messages: &[Message], names: &Names) -> Value {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message {
            Message::System { .. } => continue,
            Message::User { text } => ("user", text_block(text)),
            Message::Assistant { text, calls } => {
                let mut blocks = text_block(text);
                blocks.extend(calls.iter().map(|call| {
                    let input = if call.arguments.is_object() { call.arguments.clone() } else { json!({}) };
                    json!({"type": "tool_use", "id": wire_id(&call.id), "name": names.wire(&call.name), "input": input})
                }));
                ("assistant", blocks)
            }
            Message::Tool { id, text, .. } => {
                ("user", vec![json!({"type": "tool_result", "tool_use_id": wire_id(id), "content": text})])
            }
        };
        if blocks.is_empty() {
            continue;
        }
        match turns.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    // And everything up to here begins the next request of the same step.
    if let Some(Value::Object(last)) = turns.last_mut().and_then(|(_, content)| content.last_mut()) {
        last.insert("cache_control".to_owned(), kept());
    }
    turns.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

/// What marks the end of something that the endpoint is to keep.
fn kept() -> Value {
    json!({"type": "ephemeral"})
}

/// Empty texts are refused.
fn text_block(text: &str) -> Vec<Value> {
    if text.trim().is_empty() { Vec::new() } else { vec![json!({"type": "text", "text": text})] }
}

/// Ids that other endpoints made may hold more than this protocol takes.
fn wire_id(id: &str) -> String {
    id.chars().map(|sign| if sign.is_ascii_alphanumeric() || sign == '-' { sign } else { '_' }).collect()
}
