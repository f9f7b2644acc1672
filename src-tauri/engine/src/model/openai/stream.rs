//! From a stream of chunks to one reply.

use std::collections::BTreeMap;
use std::pin::pin;

use assent_core::contract::{Fault, Stage};
use assent_core::run::Usage;
use futures::{Stream, StreamExt};
use reqwest::header::HeaderMap;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::model::calls::{Live, Names, RawCall, Read, read, read_beside, read_native, take_calls};
use crate::model::http::{Place, Said};
use crate::model::rounds::goes_round;
use crate::model::{DeltaKind, Finish, Message, ModelError, OutputFormat, Reply, Request, estimate_tokens};

/// Calls in one reply; more are dropped.
const MAX_CALLS: usize = 32;

/// Reads a stream to its end.
pub(super) async fn fold(
    events: impl Stream<Item = Result<String, ModelError>> + Send,
    request: &Request,
    protocol: bool,
    place: &Place,
    mut live: Live<'_>,
    cancel: &CancellationToken,
) -> Result<Reply, ModelError> {
    let mut events = pin!(events);
    let mut seen = Seen::default();
    loop {
        let next = tokio::select! {
            biased;
            // The connection is dropped with the stream, and the endpoint stops writing.
            () = cancel.cancelled() => return Err(ModelError::Cancelled),
            next = events.next() => next,
        };
        let Some(data) = next else { break };
        let data = data?;
        if data.trim() == "[DONE]" {
            seen.ended = true;
            break;
        }
        let chunk: Value =
            serde_json::from_str(&data).map_err(|_| place.nonsense(&format!("a piece is no JSON: {data}")))?;
        if chunk.get("error").is_some_and(|error| !error.is_null())
            && let Some(said) = Said::of(&chunk)
        {
            return Err(place.meaning(None, &HeaderMap::new(), &said));
        }
        seen.take(&chunk, &mut live);
        if goes_round(&seen.text) {
            // The connection is dropped with the stream, and the endpoint stops writing.
            seen.stop_circle(request);
            break;
        }
    }
    live.end();
    seen.settle(request, protocol, place)
}

#[derive(Default)]
struct Seen {
    text: String,
    thoughts: String,
    calls: BTreeMap<u64, PartCall>,
    usage: Usage,
    finish: Option<Finish>,
    any: bool,
    ended: bool,
    /// Pieces of text so far: about a token each.
    pieces: u32,
    circle: bool,
    /// What the endpoint says where it refuses.
    refusal: String,
}

#[derive(Default)]
struct PartCall {
    id: String,
    name: String,
    arguments: String,
}

impl Seen {
    fn take(&mut self, chunk: &Value, live: &mut Live<'_>) {
        self.take_usage(chunk);
        let Some(choice) = chunk.pointer("/choices/0") else {
            return;
        };
        self.any = true;
        // An endpoint that does not stream sends one message where a delta would be.
        let delta = choice.get("delta").or_else(|| choice.get("message")).unwrap_or(&Value::Null);
        for key in ["reasoning_content", "reasoning"] {
            if let Some(thought) = delta.get(key).and_then(Value::as_str) {
                self.thoughts.push_str(thought);
                live.named(DeltaKind::Thought, thought);
                break;
            }
        }
        if let Some(text) = delta.get("content").and_then(Value::as_str) {
            self.text.push_str(text);
            self.pieces += u32::from(!text.is_empty());
            live.text(text);
        }
        if let Some(refusal) = delta.get("refusal").and_then(Value::as_str).filter(|refusal| !refusal.is_empty()) {
            self.refusal.push_str(refusal);
            self.finish = Some(Finish::Refused);
        }
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.take_call(call, live);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            let finish = match reason {
                "tool_calls" | "function_call" => Finish::Calls,
                "length" => Finish::Length,
                "content_filter" => Finish::Refused,
                _ => Finish::Stop,
            };
            self.finish = Some(self.finish.filter(|known| *known == Finish::Refused).unwrap_or(finish));
        }
    }

    /// Ends a reply that would go on for ever. The endpoint has not said how many tokens it took.
    fn stop_circle(&mut self, request: &Request) {
        self.circle = true;
        self.finish = Some(Finish::Length);
        let texts = request.messages.iter().map(|message| match message {
            Message::System { text } | Message::User { text } => text,
            Message::Assistant { text, .. } | Message::Tool { text, .. } => text,
        });
        self.usage.input = texts.map(|text| estimate_tokens(text)).sum();
        self.usage.output = self.pieces;
    }

    fn take_usage(&mut self, chunk: &Value) {
        let number = |pointer: &str| chunk.pointer(pointer).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        if let Some(input) = number("/usage/prompt_tokens") {
            self.usage.input = input;
            self.usage.output = number("/usage/completion_tokens").unwrap_or(0);
            self.usage.cached = number("/usage/prompt_tokens_details/cached_tokens").unwrap_or(0);
        }
        if let Some(cached) = number("/timings/cache_n") {
            self.usage.cached = cached;
        }
    }

    fn take_call(&mut self, call: &Value, live: &mut Live<'_>) {
        let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let (id, name) = (text("/id"), text("/function/name"));
        let last = self.calls.keys().next_back().copied();
        let next = last.map_or(0, |last| last.saturating_add(1));
        let told = call.get("index").and_then(Value::as_u64);
        // Some endpoints give every call the index 0, or none: another id is another call.
        let other = |index: u64| {
            self.calls.get(&index).is_some_and(|known| !id.is_empty() && !known.id.is_empty() && known.id != id)
        };
        let index = match told.or(last) {
            Some(index) if !name.is_empty() && other(index) => next,
            Some(index) if told.is_none() && id.is_empty() && !name.is_empty() => index.saturating_add(1),
            Some(index) => index,
            None => 0,
        };
        if !self.calls.contains_key(&index) && self.calls.len() >= MAX_CALLS {
            return;
        }
        let arguments = match call.pointer("/function/arguments") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => String::new(),
            Some(object) => object.to_string(),
        };
        let entry = self.calls.entry(index).or_default();
        if entry.id.is_empty() {
            entry.id.push_str(id);
        }
        if entry.name.is_empty() {
            entry.name.push_str(name);
        }
        entry.arguments.push_str(&arguments);
        live.named(DeltaKind::Structure, &arguments);
    }

    fn settle(self, request: &Request, protocol: bool, place: &Place) -> Result<Reply, ModelError> {
        if !self.any {
            let reason = "it sent no reply at all";
            return Err(if self.ended { place.broken(reason) } else { place.nonsense(reason) });
        }
        if self.finish.is_none() && !self.ended {
            return Err(place.broken("the answer broke off in the middle"));
        }
        let mut reply = Reply {
            thoughts: self.thoughts,
            usage: self.usage,
            finish: self.finish.unwrap_or_default(),
            ..Reply::default()
        };
        let names = Names::of(&request.tools);
        let mut calls: Vec<RawCall> = Vec::new();
        for part in self.calls.into_values().filter(|part| !part.name.is_empty()) {
            let arguments = Value::String(part.arguments);
            calls.push(RawCall { id: Some(part.id), name: names.ours(&part.name), arguments });
        }
        let structured = matches!(request.output, OutputFormat::Json { .. });
        let mut text = if protocol { read(&self.text, request) } else { Read::default() };
        if !protocol || structured && (text.calls.is_empty() || request.tools.is_empty()) {
            // Calls in the text are looked for only where the endpoint itself has named none.
            text = if calls.is_empty() { read_native(&self.text, request) } else { read_beside(&self.text) };
        }
        reply.thoughts.push_str(&text.thoughts);
        reply.text = text.text;
        reply.faults = text.faults;
        calls.extend(text.calls);
        take_calls(request, calls, &mut reply);
        if self.circle {
            let fault = Fault::new(Stage::Parse, "the reply said the same over and over and was stopped");
            reply.faults.push(fault.hint("Write it in another way."));
        } else {
            reply.faults.extend(reply.finish.fault(&self.refusal));
        }
        Ok(reply)
    }
}

#[cfg(test)]
mod tests;
