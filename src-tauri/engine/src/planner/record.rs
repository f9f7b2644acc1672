//! What is written down of a planning: every call, with a recipe that rebuilds its request byte for byte.

use assent_core::contract::Fault;
use assent_core::ids::{CallId, Digest};
use assent_core::run::{Blob, Content, EventKind, PlannedCall, Purpose};
use serde_json::{Value, json};

use super::compose::Prompt;
use super::told::ToolsTold;
use super::{Attempt, PlanningOutcome, Trace};
use crate::clock::Clock;
use crate::model::{Message, ModelError, OutputFormat, Reply, Request, not_whole_answer};

/// Collects events and blobs.
pub(super) struct Recorder<'a> {
    clock: &'a dyn Clock,
    purpose: Purpose,
    model: String,
    asked_at: i64,
    trace: Trace,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(clock: &'a dyn Clock, purpose: Purpose, model: String) -> Self {
        Self { clock, purpose, model, asked_at: clock.now(), trace: Trace::default() }
    }

    pub(super) fn asked(&mut self) {
        self.asked_at = self.clock.now();
        self.trace.calls += 1;
    }

    pub(super) fn failed(&mut self, error: &ModelError) {
        self.trace.events.push(EventKind::ModelFailed {
            purpose: self.purpose,
            model: self.model.clone(),
            error: error.to_string(),
            retrying: false,
        });
    }

    /// What whoever is asked is not shown for want of tokens.
    pub(super) fn left_out(&mut self, told: &ToolsTold) {
        if told.left_out.is_empty() {
            return;
        }
        let who = if self.purpose == Purpose::Choose { "whoever chooses a specialist" } else { "the planner" };
        let named = told.left_out.iter().map(|name| format!("{name} (no tokens left in the budget)"));
        let named = named.collect::<Vec<String>>().join(", ");
        self.trace.events.extend([
            EventKind::LimitReached { limit: "toolTokenBudget".to_owned(), value: told.budget },
            EventKind::Warned { message: format!("Tools that {who} is not shown: {named}") },
        ]);
    }

    /// The tools that the planner is shown were found without what past runs teach.
    pub(super) fn untaught(&mut self) {
        let message = "The tools for this plan were found without what past runs teach, because the memory cannot be \
            asked now.";
        self.trace.events.push(EventKind::Warned { message: message.to_owned() });
    }

    /// Nobody has answered.
    pub(super) fn silent(&mut self, reason: &str) {
        self.trace.events.push(EventKind::ModelFailed {
            purpose: self.purpose,
            model: self.model.clone(),
            error: reason.to_owned(),
            retrying: false,
        });
    }

    /// The failure that was written down last is followed by a shorter request.
    pub(super) fn shortened(&mut self, why: &ModelError) {
        if let Some(EventKind::ModelFailed { retrying, error, .. }) = self.trace.events.last_mut() {
            *retrying = true;
            *error = why.shortened();
        }
    }

    /// Tells of an answer that ends in the middle.
    pub(super) fn warn(&mut self, attempt: &Attempt, reply: &Reply) {
        let answers = matches!(attempt, Attempt::Done(PlanningOutcome::Answer { .. }));
        let message = reply.not_whole().filter(|_| answers).map(not_whole_answer);
        self.trace.events.extend(message.map(|message| EventKind::Warned { message }));
    }

    pub(super) fn replied(&mut self, prompt: &Prompt, reply: &Reply, faults: &[Fault]) {
        self.trace.usage.input += reply.usage.input;
        self.trace.usage.cached += reply.usage.cached;
        self.trace.usage.output += reply.usage.output;
        self.trace.calls += reply.before;
        let recipe = self.recipe(prompt);
        let text = self.text(&reply.text);
        let thoughts = self.text(&reply.thoughts);
        let calls = reply
            .calls
            .iter()
            .map(|call| PlannedCall {
                id: CallId::new(call.id.clone()),
                tool: call.name.clone(),
                arguments: self.content(call.arguments.clone()),
            })
            .collect();
        self.trace.events.push(EventKind::ModelReplied {
            purpose: self.purpose,
            model: self.model.clone(),
            recipe: Some(recipe),
            text,
            thoughts,
            calls,
            faults: faults.iter().chain(reply.faults.iter().filter(|fault| !faults.contains(fault))).cloned().collect(),
            before: reply.before,
            usage: reply.usage,
            duration_ms: u64::try_from(self.clock.now() - self.asked_at).unwrap_or(0),
        });
    }

    /// There are no further tries.
    pub(super) fn reached(&mut self, retries: u32) {
        self.trace.events.push(EventKind::LimitReached { limit: "plannerRetries".to_owned(), value: retries });
    }

    pub(super) fn into_trace(self) -> Trace {
        self.trace
    }

    /// The messages are blobs: the system message is stored once for all turns, and so are the parts of a retry.
    fn recipe(&mut self, prompt: &Prompt) -> Content {
        let Request { purpose, messages, max_tokens, temperature, seed, output, avoid, .. } = &prompt.request;
        let mut templates = prompt.templates.iter();
        let messages: Vec<Value> = messages
            .iter()
            .map(|message| {
                let (role, text) = match message {
                    Message::System { text } => ("system", text),
                    Message::User { text } => ("user", text),
                    Message::Assistant { text, .. } => ("assistant", text),
                    Message::Tool { text, .. } => ("tool", text),
                };
                let template = if role == "assistant" { None } else { templates.next() };
                json!({"role": role, "template": template, "blob": self.keep(text.clone().into_bytes())})
            })
            .collect();
        let output = match output {
            OutputFormat::Text => Value::Null,
            OutputFormat::Json { name, schema } => {
                json!({"name": name, "schema": self.keep(schema.to_string().into_bytes())})
            }
        };
        let mut recipe = json!({
            "purpose": purpose, "messages": messages, "output": output,
            "maxTokens": max_tokens, "temperature": temperature, "seed": seed, "avoid": avoid,
        });
        if !prompt.told.is_empty() {
            recipe["told"] = json!(prompt.told);
        }
        Content::inline(recipe)
    }

    fn text(&mut self, text: &str) -> Option<Content> {
        if text.is_empty() { None } else { Some(self.content(Value::String(text.to_owned()))) }
    }

    fn content(&mut self, value: Value) -> Content {
        let (content, blob) = Content::keep(value);
        self.trace.blobs.extend(blob);
        content
    }

    fn keep(&mut self, bytes: Vec<u8>) -> Digest {
        let digest = Digest::of_bytes(&bytes);
        if !self.trace.blobs.iter().any(|blob| blob.digest == digest) {
            self.trace.blobs.push(Blob { digest: digest.clone(), bytes });
        }
        digest
    }
}
