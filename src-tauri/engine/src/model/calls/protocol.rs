//! A request as plain turns, for endpoints that are called by a form of reply.

use assent_core::contract::ToolSpec;
use minijinja::{Environment, context};
use serde_json::{Value, json};

use super::{Spelling, blocks};
use crate::model::{Message, ModelError, Request, Role, ToolCall, ToolChoice};

/// One turn of plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) role: Role,
    pub(crate) text: String,
}

/// The conversation without any field for tools: calls as the model would have written them, results as the person's
/// turns, neighbours of one role as one turn. What the conversation does not tell stands at the end of the rules: the
/// tools, and the form of a reply.
pub(crate) fn plain_turns(request: &Request, spelling: Option<Spelling>) -> Result<Vec<Turn>, ModelError> {
    let mut turns: Vec<Turn> = Vec::new();
    for message in &request.messages {
        let text = match message {
            Message::System { text } | Message::User { text } => text.clone(),
            Message::Assistant { text, calls } => written(text, calls, spelling.unwrap_or(Spelling::Short)),
            Message::Tool { name, text, .. } => format!("Result of {name}:\n{text}"),
        };
        let role = match message.role() {
            Role::Tool => Role::User,
            role => role,
        };
        match turns.last_mut() {
            Some(last) if last.role == role => {
                last.text.push_str("\n\n");
                last.text.push_str(&text);
            }
            _ => turns.push(Turn { role, text }),
        }
    }
    if let Some(spelling) = spelling
        && !spelling.lists_tools(&request.messages)
        && !request.tools.is_empty()
        && request.choice != ToolChoice::None
    {
        let rules = told(request, spelling)?;
        match turns.first_mut() {
            Some(first) if first.role == Role::System => {
                first.text.push_str("\n\n");
                first.text.push_str(&rules);
            }
            _ => turns.insert(0, Turn { role: Role::System, text: rules }),
        }
    }
    Ok(turns)
}

fn written(text: &str, calls: &[ToolCall], spelling: Spelling) -> String {
    let (name_key, arguments_key) = spelling.keys();
    if spelling == Spelling::Block && !calls.is_empty() {
        let line = |call: &ToolCall| json!({"tool": call.name, "args": call.arguments}).to_string();
        let calls = calls.iter().map(|call| blocks::written(&call.name, &call.arguments).unwrap_or_else(|| line(call)));
        let parts = (!text.is_empty()).then(|| text.to_owned()).into_iter().chain(calls);
        return parts.collect::<Vec<_>>().join("\n");
    }
    let mut written: Vec<Value> =
        calls.iter().map(|call| json!({name_key: call.name, arguments_key: call.arguments})).collect();
    let mut parts: Vec<String> = Vec::new();
    match spelling {
        _ if calls.is_empty() => return text.to_owned(),
        Spelling::Short | Spelling::Block => parts.extend(written.drain(..).map(|call| call.to_string())),
        Spelling::Seed => parts.push(json!({"toolCalls": written}).to_string()),
    }
    if !text.is_empty() {
        parts.insert(0, text.to_owned());
    }
    parts.join("\n")
}

fn told(request: &Request, spelling: Spelling) -> Result<String, ModelError> {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    let tools: Vec<Value> = request.tools.iter().map(listed).collect();
    let json = serde_json::to_string_pretty(&tools).unwrap_or_default();
    let row = |tool: &Value| json!({"name": tool["name"], "line": tool["description"], "schema": tool["inputSchema"].to_string()});
    let rows = minijinja::Value::from(minijinja::value::Serde(tools.iter().map(row).collect::<Vec<_>>()));
    let context = context! { short => spelling != Spelling::Seed, tools => rows, json };
    let rendered = environment.render_str(include_str!("protocol.md"), context);
    rendered.map(|text| text.trim_end().to_owned()).map_err(|error| ModelError::BadRequest {
        endpoint: "the prompt of the tools".to_owned(),
        reason: error.to_string(),
    })
}

/// Longer descriptions and schemas, as foreign servers like them, are shortened: the prompt must leave room.
const MAX_DESCRIPTION: usize = 600;
const MAX_SCHEMA: usize = 2000;

fn listed(tool: &ToolSpec) -> Value {
    let description: String = tool.description.trim().chars().take(MAX_DESCRIPTION).collect();
    json!({"name": tool.name, "description": description, "inputSchema": shortened(&tool.parameters)})
}

/// A schema, or where it is too long the names of its properties, as many as there is room for.
fn shortened(parameters: &Value) -> Value {
    if parameters.to_string().len() <= MAX_SCHEMA {
        return parameters.clone();
    }
    let names = parameters.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.keys());
    let mut room = MAX_SCHEMA;
    let fitting = names.take_while(|name| {
        let fits = name.len() <= room;
        room = room.saturating_sub(name.len() + 3);
        fits
    });
    json!({"type": "object", "properties": fitting.collect::<Vec<_>>()})
}
