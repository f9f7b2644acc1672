//! Reading calls, text and thoughts out of what a model wrote.
//!
//! Accepted: a bare object, fenced text, text around it, thoughts before it, several objects; `toolCalls`,
//! `tool_calls`, one call alone, a list of calls; `toolName`, `tool`, `name` or `function`; `arguments`, `parameters`,
//! `args` or `input`, as an object or as text; lists of calls as Python; and the spellings of the table.

use assent_core::contract::{Fault, Stage};
use serde_json::Value;

use super::json::text_of;
use super::scan::{Found, Scan, What, largest_document, scan};
use super::{RawCall, Spelling, Tools, thoughts};
use crate::model::{Request, ToolChoice};

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
pub(crate) fn read(raw: &str, request: &Request) -> Read {
    let (thoughts, body) = thoughts::split(raw);
    let tools = Tools::of(&request.tools);
    let mut read = Read { thoughts, ..Read::default() };
    let mut said: Vec<String> = Vec::new();
    for found in meant(scan(&body, &tools), &request.choice) {
        match found.what {
            What::Call(call) => read.calls.push(RawCall { name: tools.ours(&call.name), ..call }),
            What::Said(text) => said.push(text),
            What::Cut => read.faults.push(cut()),
            What::Unreadable => read.faults.push(unreadable()),
        }
    }
    read.calls.truncate(MAX_CALLS);
    let talks = !read.calls.is_empty() || !said.is_empty();
    said.retain(|text| !text.is_empty());
    read.text = if talks { said.join("\n") } else { body.trim().to_owned() };
    read
}

/// The calls in a text of an endpoint with calls of its own, whose model wrote them down instead: in a spelling of the
/// table, or by JSON when they name a tool. The text is what is left: all of it when there are none.
pub(crate) fn read_native(raw: &str, request: &Request) -> Read {
    let (thoughts, body) = thoughts::split(raw);
    let tools = Tools::of(&request.tools);
    let mut read = Read { thoughts, ..Read::default() };
    if request.choice != ToolChoice::None && !request.tools.is_empty() {
        for Found { what, marked, .. } in meant(scan(&body, &tools), &request.choice) {
            match what {
                What::Call(call) if marked || tools.spec(&call.name).is_some() => {
                    read.calls.push(RawCall { name: tools.ours(&call.name), ..call });
                }
                // Without a mark it may be any text, unless whole calls stand before.
                What::Cut if marked || !read.calls.is_empty() => read.faults.push(cut()),
                What::Unreadable if marked => read.faults.push(unreadable()),
                _ => {}
            }
        }
    }
    read.calls.truncate(MAX_CALLS);
    if read.calls.is_empty() {
        read.text = done(&body, request).unwrap_or_else(|| body.into_owned());
    }
    read
}

/// The text of a reply that is nothing but the end of a step, as the short forms write it.
fn done(body: &str, request: &Request) -> Option<String> {
    let inside = body.trim().trim_start_matches("```json").trim_matches('`').trim();
    let document: Value = serde_json::from_str(inside).ok().filter(|_| Spelling::ends_by_done(request))?;
    document.get("done").and_then(|_| text_of(&document))
}

/// What is meant to be carried out. Where a text is as right as a call, one in a code block in the middle of a text is
/// an example of what a call looks like.
fn meant(scan: Scan, choice: &ToolChoice) -> impl Iterator<Item = Found> {
    let may_talk = matches!(choice, ToolChoice::Auto | ToolChoice::None);
    let is_explained = may_talk && scan.prose == (true, true);
    scan.found.into_iter().filter(move |found| {
        let is_said = matches!(found.what, What::Said(_));
        is_said || !(is_explained && found.quoted)
    })
}

fn cut() -> Fault {
    Fault::new(Stage::Parse, "the reply begins a call or an object that has no end").hint("Write it again, shorter.")
}

fn unreadable() -> Fault {
    Fault::new(Stage::Parse, "the reply holds a call that cannot be read")
        .hint("Write its arguments as one JSON object, complete and without comments.")
}

/// A text beside calls that the endpoint itself has named.
pub(crate) fn read_beside(raw: &str) -> Read {
    let (thoughts, body) = thoughts::split(raw);
    Read { thoughts, text: body.into_owned(), ..Read::default() }
}

/// The one JSON document of a text: bare, fenced or with text around it; the largest where there are several.
pub(crate) fn single_object(raw: &str) -> Option<Value> {
    let (_, body) = thoughts::split(raw);
    largest_document(&body)
}
