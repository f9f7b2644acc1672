//! From a stream of events to one reply.

use std::collections::BTreeMap;
use std::pin::pin;

use futures::{Stream, StreamExt};
use reqwest::header::HeaderMap;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::wire::{REPLY_TOOL, replies_by_tool};
use crate::model::calls::{Names, RawCall, take_calls};
use crate::model::http::{Place, Said};
use crate::model::{Delta, DeltaKind, Finish, ModelError, Reply, Request};

/// Blocks of one reply; more are dropped.
const MAX_BLOCKS: usize = 64;

#[derive(Default)]
struct Block {
    id: String,
    name: String,
    text: String,
}

#[derive(Default)]
struct Seen {
    reply: Reply,
    calls: BTreeMap<u64, Block>,
    began: bool,
    stopped: bool,
}

/// Reads a stream to its end.
pub(super) async fn fold(
    events: impl Stream<Item = Result<String, ModelError>> + Send,
    request: &Request,
    place: &Place,
    deltas: &UnboundedSender<Delta>,
    cancel: &CancellationToken,
) -> Result<Reply, ModelError> {
    let mut events = pin!(events);
    let mut seen = Seen::default();
    while !seen.stopped {
        let next = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ModelError::Cancelled),
            next = events.next() => next,
        };
        let Some(data) = next else { break };
        let data = data?;
        let event: Value =
            serde_json::from_str(&data).map_err(|_| place.nonsense(&format!("a piece is no JSON: {data}")))?;
        if event.get("type").is_some_and(|kind| kind == "error")
            && let Some(said) = Said::of(&event)
        {
            return Err(place.meaning(None, &HeaderMap::new(), &said));
        }
        seen.take(&event, deltas);
    }
    match (seen.began, seen.stopped) {
        (false, _) => Err(place.nonsense("it sent no reply at all")),
        (true, false) => Err(place.broken("the answer broke off in the middle")),
        (true, true) => Ok(seen.settle(request)),
    }
}

impl Seen {
    fn take(&mut self, event: &Value, deltas: &UnboundedSender<Delta>) {
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let number = |pointer: &str| event.pointer(pointer).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        let index = event.get("index").and_then(Value::as_u64).unwrap_or(0);
        match text("/type") {
            "message_start" => {
                self.began = true;
                let usage = &mut self.reply.usage;
                usage.cached = number("/message/usage/cache_read_input_tokens").unwrap_or(0);
                let made = number("/message/usage/cache_creation_input_tokens").unwrap_or(0);
                let fresh = number("/message/usage/input_tokens").unwrap_or(0);
                usage.input = fresh.saturating_add(made).saturating_add(usage.cached);
            }
            "content_block_start" if text("/content_block/type") == "tool_use" && self.calls.len() < MAX_BLOCKS => {
                let (id, name) = (text("/content_block/id").to_owned(), text("/content_block/name").to_owned());
                self.calls.insert(index, Block { id, name, text: String::new() });
            }
            "content_block_delta" => match text("/delta/type") {
                "text_delta" => say(text("/delta/text"), &mut self.reply.text, DeltaKind::Text, deltas),
                "thinking_delta" => {
                    say(text("/delta/thinking"), &mut self.reply.thoughts, DeltaKind::Thought, deltas);
                }
                "input_json_delta" => {
                    if let Some(call) = self.calls.get_mut(&index) {
                        say(text("/delta/partial_json"), &mut call.text, DeltaKind::Structure, deltas);
                    }
                }
                _ => {}
            },
            "message_delta" => {
                self.reply.usage.output = number("/usage/output_tokens").unwrap_or(self.reply.usage.output);
                self.reply.finish = match text("/delta/stop_reason") {
                    "max_tokens" | "model_context_window_exceeded" => Finish::Length,
                    "refusal" => Finish::Refused,
                    _ => Finish::Stop,
                };
            }
            "message_stop" => self.stopped = true,
            _ => {}
        }
    }

    fn settle(mut self, request: &Request) -> Reply {
        let names = Names::of(&request.tools);
        let mut calls = Vec::new();
        for block in self.calls.into_values() {
            if replies_by_tool(request) && block.name == REPLY_TOOL {
                let document = serde_json::from_str::<Value>(&block.text).ok();
                let value = document.as_ref().and_then(|document| document.get("value"));
                self.reply.text = value.map_or(block.text, Value::to_string);
                continue;
            }
            let arguments = Value::String(block.text);
            calls.push(RawCall { id: Some(block.id), name: names.ours(&block.name), arguments });
        }
        take_calls(request, calls, &mut self.reply);
        self.reply.faults.extend(self.reply.finish.fault(""));
        self.reply
    }
}

fn say(piece: &str, whole: &mut String, kind: DeltaKind, deltas: &UnboundedSender<Delta>) {
    if piece.is_empty() {
        return;
    }
    whole.push_str(piece);
    // A receiver that is gone never stops the call.
    let _ = deltas.send(Delta { kind, text: piece.to_owned() });
}
