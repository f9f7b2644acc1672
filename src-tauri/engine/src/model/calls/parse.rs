//! Reading calls, text and thoughts out of what a model wrote.
//!
//! Accepted: a bare object, fenced text, text around it, thoughts before it, several objects; `toolCalls`,
//! `tool_calls`, one call alone, a list of calls; `toolName`, `tool`, `name` or `function`; `arguments`, `parameters`,
//! `args` or `input`, as an object or as text.

use assent_core::contract::{Fault, Stage};
use serde_json::{Map, Value};

use super::{RawCall, blocks};

/// Objects that are looked at in one text; a text that is all braces must not cost more than it says.
const MAX_TRIES: usize = 500;

/// Calls that are taken from one reply.
const MAX_CALLS: usize = 32;

/// What a model's text holds.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Read {
    pub(crate) text: String,
    pub(crate) thoughts: String,
    pub(crate) calls: Vec<RawCall>,
    pub(crate) faults: Vec<Fault>,
}

/// Reads a text of the protocol.
pub(crate) fn read(raw: &str) -> Read {
    let (thoughts, body) = split_thoughts(raw);
    let mut read = Read { thoughts, ..Read::default() };
    let (documents, outside) = documents(body);
    let mut said: Vec<String> = Vec::new();
    for Document { value, block } in documents {
        if let Some(text) = text_of(&value) {
            said.push(text);
        }
        read.calls.extend(calls_of(&value).into_iter().map(|call| {
            let (name, arguments) = blocks::with_block(call.name, call.arguments, block.clone());
            RawCall { name, arguments, ..call }
        }));
    }
    read.calls.truncate(MAX_CALLS);
    let talks = !read.calls.is_empty() || !said.is_empty();
    said.retain(|text| !text.is_empty());
    read.text = if talks { said.join("\n") } else { body.trim().to_owned() };
    if !talks && looks_cut(outside) {
        let fault = Fault::new(Stage::Parse, "the reply begins a call or an object that has no end")
            .hint("Write it again, shorter.");
        read.faults.push(fault);
    }
    read
}

/// The calls in a text, of these tools only: for endpoints with calls of their own, whose models now and then write
/// them down instead.
pub(crate) fn calls_in(text: &str, is_tool: impl Fn(&str) -> bool) -> Vec<RawCall> {
    let (_, body) = split_thoughts(text);
    let (documents, _) = documents(body);
    let calls = documents.iter().flat_map(|document| calls_of(&document.value)).filter(|call| is_tool(&call.name));
    calls.take(MAX_CALLS).collect()
}

/// The one JSON document of a text: bare, fenced or with text around it; the largest where there are several.
pub(crate) fn single_object(raw: &str) -> Option<Value> {
    let (_, body) = split_thoughts(raw);
    let (documents, _) = documents(body);
    documents.into_iter().map(|document| document.value).max_by_key(|value| value.to_string().len())
}

/// Thoughts between `<think>` and `</think>`, also where the opening mark is part of the model's template.
pub(crate) fn split_thoughts(raw: &str) -> (String, &str) {
    let trimmed = raw.trim_start();
    let inside = trimmed.strip_prefix("<think>");
    match (inside, trimmed.split_once("</think>")) {
        (_, Some((before, after))) => {
            (before.strip_prefix("<think>").unwrap_or(before).trim().to_owned(), after.trim_start())
        }
        (Some(rest), None) => (rest.trim().to_owned(), ""),
        (None, None) => (String::new(), raw),
    }
}

/// A JSON document in a text.
struct Document {
    value: Value,
    /// The fenced block below a call that takes one.
    block: Option<String>,
}

/// Every JSON object or array of objects in a text, and what stands after the last one.
fn documents(text: &str) -> (Vec<Document>, &str) {
    let mut found = Vec::new();
    let mut at = 0;
    let mut rest = 0;
    for _ in 0..MAX_TRIES {
        let Some(start) = text[at..].find(['{', '[']).map(|offset| at + offset) else {
            break;
        };
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) if value.is_object() || value.as_array().is_some_and(|list| is_list_of_objects(list)) => {
                at = start + stream.byte_offset();
                let takes = value.as_object().and_then(call_of).is_some_and(|call| blocks::takes_block(&call.name));
                let block = blocks::leading(&text[at..]).filter(|_| takes);
                if takes && block.is_none() && text[at..].trim_start().starts_with("```") && is_open(&text[at..]) {
                    // The block has no end: neither it nor its call is whole.
                    return (found, &text[start..]);
                }
                if let Some((_, after)) = &block {
                    at = text.len() - after.len();
                }
                rest = at;
                found.push(Document { value, block: block.map(|(block, _)| block) });
            }
            _ => at = start + 1,
        }
    }
    (found, &text[rest..])
}

/// Whether a fence is opened here and more than its end follows: ` ``` ` alone only closes the call's own fence.
fn is_open(text: &str) -> bool {
    text.trim_start().trim_start_matches('`').split_once('\n').is_some_and(|(_, body)| !body.trim().is_empty())
}

fn is_list_of_objects(list: &[Value]) -> bool {
    !list.is_empty() && list.iter().all(Value::is_object)
}

fn looks_cut(outside: &str) -> bool {
    let start = outside.trim_start().trim_start_matches("```json").trim_start_matches('`').trim_start();
    start.starts_with("{\"")
}

fn calls_of(document: &Value) -> Vec<RawCall> {
    match document {
        Value::Array(items) => items.iter().filter_map(|item| call_of(item.as_object()?)).collect(),
        Value::Object(fields) => {
            let list = ["toolCalls", "tool_calls"].iter().find_map(|key| fields.get(*key));
            match list {
                Some(Value::Array(items)) => items.iter().filter_map(|item| call_of(item.as_object()?)).collect(),
                Some(Value::Object(one)) => call_of(one).into_iter().collect(),
                _ => call_of(fields).into_iter().collect(),
            }
        }
        _ => Vec::new(),
    }
}

/// One call. `name` alone does not make an object a call: there must be arguments beside it.
fn call_of(fields: &Map<String, Value>) -> Option<RawCall> {
    let id = fields.get("id").and_then(Value::as_str).map(str::to_owned);
    let inner = ["function", "functionCall", "function_call"].iter().find_map(|key| fields.get(*key)?.as_object());
    if let Some(function) = inner {
        return call_of(function).map(|call| RawCall { id, ..call });
    }
    let arguments = ["arguments", "args", "parameters", "input"].iter().find_map(|key| fields.get(*key));
    let named = ["toolName", "tool", "tool_name"].iter().find_map(|key| fields.get(*key)?.as_str());
    let name = match (named, arguments) {
        (Some(name), _) => name,
        (None, Some(_)) => ["name", "function"].iter().find_map(|key| fields.get(*key)?.as_str())?,
        (None, None) => return None,
    };
    if name.is_empty() {
        return None;
    }
    Some(RawCall { id, name: name.to_owned(), arguments: arguments.cloned().unwrap_or_default() })
}

/// What a document of the protocol says, which may be nothing. An object with other fields is the model's own JSON, and
/// stays as it is.
fn text_of(document: &Value) -> Option<String> {
    const OURS: [&str; 7] = ["done", "content", "answer", "nextStepDecision", "toolCalls", "tool_calls", "thoughts"];
    let fields = document.as_object().filter(|fields| !fields.is_empty())?;
    if !fields.keys().all(|key| OURS.contains(&key.as_str())) {
        return None;
    }
    Some(match ["done", "content", "answer"].iter().find_map(|key| fields.get(*key)) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    })
}
