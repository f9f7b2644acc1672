//! JSON documents inside of a text, and the calls that they are.

use serde_json::{Map, Value};

use super::RawCall;

/// What stands at a place of a text.
#[derive(Debug, PartialEq)]
pub(super) enum Outcome<T> {
    /// Something whole, and how many bytes it takes.
    Whole(T, usize),
    /// The beginning of something that the text ends in, and what of it is whole.
    Cut(T),
    /// Something of so many bytes that breaks its own form.
    Unreadable(usize),
    /// Nothing of the kind.
    No,
}

/// Objects and lists inside each other; what is deeper is no document.
const DEPTH: usize = 100;

/// How much of a text may be looked at, counted in bytes: a text that is all braces costs no more than a few readings.
#[derive(Debug)]
pub(super) struct Room(usize);

impl Room {
    pub(super) fn of(text: &str) -> Self {
        Self(text.len().saturating_mul(8).saturating_add(1 << 16))
    }
}

/// The JSON object or list that a text begins with.
pub(super) fn document(text: &str, room: &mut Room) -> Outcome<Value> {
    if !text.starts_with(['{', '[']) || room.0 == 0 {
        return Outcome::No;
    }
    let (balance, seen) = balance(text);
    room.0 = room.0.saturating_sub(seen);
    let is_object = first_key(text).is_some();
    match balance {
        Balance::Closed => match serde_json::from_str(&text[..seen]) {
            Ok(value) => Outcome::Whole(value, seen),
            Err(_) if is_object => Outcome::Unreadable(seen),
            Err(_) => Outcome::No,
        },
        Balance::Wrong if is_object => Outcome::Unreadable(seen),
        Balance::Open if is_object => Outcome::Cut(Value::Null),
        Balance::Wrong | Balance::Open => Outcome::No,
    }
}

#[derive(Debug, PartialEq)]
enum Balance {
    Closed,
    Wrong,
    Open,
}

/// How far a bracket at the beginning of a text reaches.
fn balance(text: &str) -> (Balance, usize) {
    let mut open: Vec<u8> = Vec::new();
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'{' | b'[' if open.len() == DEPTH => return (Balance::Wrong, at),
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' if open.pop() != Some(byte) => return (Balance::Wrong, at),
            b'}' | b']' if open.is_empty() => return (Balance::Closed, at + 1),
            b'"' => loop {
                match bytes.next() {
                    Some((_, b'\\')) => drop(bytes.next()),
                    Some((_, b'"')) => break,
                    Some(_) => {}
                    None => return (Balance::Open, text.len()),
                }
            },
            _ => {}
        }
    }
    (Balance::Open, text.len())
}

/// Keys that a call, or a text of the protocol, begins with.
const KEYS: [&str; 14] = [
    "tool",
    "toolName",
    "tool_name",
    "toolCalls",
    "tool_calls",
    "name",
    "function",
    "functionCall",
    "function_call",
    "id",
    "type",
    "done",
    "content",
    "thoughts",
];

/// Whether an object that cannot be read begins as calls do.
pub(super) fn begins_as_call(text: &str) -> bool {
    match first_key(text) {
        Some((key, true)) => KEYS.contains(&key),
        Some((key, false)) => KEYS.iter().any(|known| known.starts_with(key)),
        None => false,
    }
}

/// The first key of the object, or list of objects, that a text begins with, and whether the key is whole.
fn first_key(text: &str) -> Option<(&str, bool)> {
    let inside = text.strip_prefix('[').map_or(text, str::trim_start).strip_prefix('{')?;
    let key = inside.trim_start().strip_prefix('"')?;
    let end = key.find(|character: char| !character.is_alphanumeric() && !"_-. ".contains(character));
    match end {
        None => Some((key, false)),
        Some(end) => key[end..].starts_with('"').then_some((&key[..end], true)),
    }
}

pub(super) fn is_list_of_objects(list: &[Value]) -> bool {
    !list.is_empty() && list.iter().all(Value::is_object)
}

/// The calls that a document is: a list of them, one alone, or an object around them.
pub(super) fn calls_of(document: &Value) -> Vec<RawCall> {
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

/// The calls of a list that stand whole before the end of the text in which the list has none. What is inside of a call
/// is never one.
pub(super) fn calls_before_cut(text: &str) -> Vec<RawCall> {
    let mut calls = Vec::new();
    let Some(mut items) = list_of(text).and_then(|list| list.strip_prefix('[')) else {
        return calls;
    };
    while let Some((Value::Object(item), behind)) = first_value(items) {
        calls.extend(call_of(&item));
        items = behind.strip_prefix(',').unwrap_or_default();
    }
    calls
}

/// Where the list of calls begins in the beginning of a document.
fn list_of(text: &str) -> Option<&str> {
    let Some(mut fields) = text.strip_prefix('{') else {
        return Some(text);
    };
    loop {
        let (key, behind) = first_value(fields)?;
        let value = behind.strip_prefix(':')?.trim_start();
        if matches!(key.as_str()?, "toolCalls" | "tool_calls") {
            return Some(value);
        }
        fields = first_value(value)?.1.strip_prefix(',')?;
    }
}

/// The value at the beginning of a text, and what follows it behind white space.
fn first_value(text: &str) -> Option<(Value, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, text[values.byte_offset()..].trim_start()))
}

/// One call. `name` alone does not make an object a call: there must be arguments beside it.
pub(super) fn call_of(fields: &Map<String, Value>) -> Option<RawCall> {
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
pub(super) fn text_of(document: &Value) -> Option<String> {
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
