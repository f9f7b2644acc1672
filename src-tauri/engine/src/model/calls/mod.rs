//! How tools are called at an endpoint, which nothing outside `model/` sees.
//!
//! *Native*: the endpoint's own fields. *Protocol*: the model is told the tools and a form of reply in plain text, and
//! its text is read back; on the local server a grammar holds it to that form. A prompt that already names the form
//! (the application's own templates do) is not told twice.

mod alone;
mod blocks;
mod json;
mod live;
mod names;
mod parse;
mod protocol;
mod python;
mod scan;
mod spelled;
mod table;
mod thoughts;

use std::borrow::Cow;

use assent_core::contract::{Fault, Stage};
use serde_json::Value;

use super::{Finish, Message, Reply, Request, Role, ToolCall, ToolChoice};

pub(crate) use blocks::{PYTHON, SHELL, parameter_of};
pub(crate) use live::{Expect, Live};
pub(crate) use names::{Names, Tools};
pub(crate) use parse::{Read, read, read_beside, read_native, single_object};
pub(crate) use protocol::plain_turns;

/// How an endpoint is made to call tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallForm {
    /// By the endpoint's own fields.
    Native,
    /// By a form of reply that the prompt describes.
    Protocol,
    /// The same, held by a grammar.
    Grammar,
}

/// The form of reply of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// `{"tool":…,"args":{…}}` or `{"done":…}`: one call a reply, few tokens.
    Short,
    /// The same, but texts of commands and files follow as fenced blocks.
    Block,
    /// `{"toolCalls":[{"toolName":…,"arguments":{…}}]}` or `{"content":…}`.
    Seed,
}

impl Spelling {
    /// The form that the conversation already asks for. The short ones stand in the rules; what a person or an earlier
    /// result says in such words is no rule.
    fn told(messages: &[Message]) -> Option<Self> {
        let mut told = None;
        for message in messages {
            let (Message::System { text } | Message::User { text }) = message else { continue };
            let is_rule = matches!(message, Message::System { .. });
            if is_rule && text.contains(r#"{"tool":"python"}"#) {
                return Some(Self::Block);
            }
            if is_rule && (text.contains(r#"{"tool":"#) || text.contains(r#"{"done":"#)) {
                return Some(Self::Short);
            }
            if text.contains("\"toolCalls\"") || text.contains("'toolCalls'") {
                told = Some(Self::Seed);
            }
        }
        told
    }

    /// Whether the rules end a step by `{"done":…}`. Models do as they are told, also where calls are an endpoint's own.
    pub(crate) fn ends_by_done(request: &Request) -> bool {
        matches!(Self::told(&request.messages), Some(Self::Short | Self::Block))
    }

    /// Whether the conversation says which tools there are: the prompts of the short forms do, those of the seeds' form
    /// leave it to the endpoint.
    fn lists_tools(self, messages: &[Message]) -> bool {
        self != Self::Seed && Self::told(messages).is_some()
    }

    /// The form of a request under the protocol: as told, short where calls are possible, none for plain texts.
    pub(crate) fn of(request: &Request) -> Option<Self> {
        Self::told(&request.messages).or((!request.tools.is_empty()).then_some(Self::Short))
    }

    /// The keys of a call's name and arguments.
    pub(crate) fn keys(self) -> (&'static str, &'static str) {
        match self {
            Self::Short | Self::Block => ("tool", "args"),
            Self::Seed => ("toolName", "arguments"),
        }
    }
}

/// Told where the prompt of a step speaks of calls as JSON and the endpoint has calls of its own: else they come as text.
const CALLED_NOT_WRITTEN: &str = "Your tools are functions of this interface. Where you are asked for 'toolCalls', call \
     the functions; do not write the calls as JSON.";

/// The conversation as an endpoint with calls of its own is told it.
pub(crate) fn native_turns(request: &Request) -> Cow<'_, [Message]> {
    let can_call = !request.tools.is_empty() && request.choice != ToolChoice::None;
    let mut messages = Cow::Borrowed(request.messages.as_slice());
    if can_call && Spelling::told(&request.messages) == Some(Spelling::Seed) {
        let system = messages.iter().position(|message| matches!(message, Message::System { .. }));
        if let Some(Message::System { text }) = system.and_then(|at| messages.to_mut().get_mut(at)) {
            text.push_str("\n\n");
            text.push_str(CALLED_NOT_WRITTEN);
        }
    }
    messages
}

/// A call before it has an id.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RawCall {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

/// Adds calls to a reply: arguments as objects, ids that are unique in the conversation.
pub(crate) fn take_calls(request: &Request, raw: Vec<RawCall>, reply: &mut Reply) {
    let mut known: Vec<&str> = Vec::new();
    for message in &request.messages {
        if let Message::Assistant { calls, .. } = message {
            known.extend(calls.iter().map(|call| call.id.as_str()));
        }
    }
    for call in raw {
        let taken = |id: &str| known.contains(&id) || reply.calls.iter().any(|other| other.id == id);
        let id = match call.id {
            Some(id) if !id.is_empty() && id.len() <= 128 && !taken(&id) => id,
            _ => (known.len() + reply.calls.len() + 1..)
                .map(|number| format!("call-{number}"))
                .find(|id| !taken(id))
                .unwrap_or_default(),
        };
        let arguments = match call.arguments {
            Value::Object(fields) => Value::Object(fields),
            Value::Null => Value::Object(serde_json::Map::new()),
            Value::String(text) => match serde_json::from_str::<Value>(&text) {
                Ok(Value::Object(fields)) => Value::Object(fields),
                _ if text.trim().is_empty() => Value::Object(serde_json::Map::new()),
                _ => unreadable(&call.name, text, reply),
            },
            other => unreadable(&call.name, other.to_string(), reply),
        };
        reply.calls.push(ToolCall { id, name: call.name, arguments });
    }
    if !reply.calls.is_empty() && reply.finish != Finish::Length {
        reply.finish = Finish::Calls;
    }
}

fn unreadable(name: &str, text: String, reply: &mut Reply) -> Value {
    let fault = Fault::new(Stage::Parse, format!("the arguments of the call of {name} are no JSON object"))
        .at(["calls".into(), assent_core::contract::PathPart::Index(reply.calls.len()), "arguments".into()])
        .hint("Write the arguments as one JSON object, complete and without comments.");
    reply.faults.push(fault);
    Value::String(text)
}

/// The wire name of a role.
pub(crate) fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

#[cfg(test)]
mod tests;
