//! A model whose replies a test writes down beforehand: a queue for each purpose, every request recorded.
//!
//! Nothing that ships offers it: the registry does not know it. It answers at once, or waits at a [`Gate`] until the
//! test opens it, and stops when it is cancelled, like a real one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use assent_core::run::{Purpose, Usage};
use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::{Delta, DeltaKind, Finish, Model, ModelError, ModelProfile, PlannerProfile, Reply, Request, ToolCall};

/// One reply to come.
#[derive(Debug, Clone)]
pub struct Scripted {
    outcome: Result<Reply, ModelError>,
    pieces: Vec<String>,
    gate: Option<Gate>,
}

impl Scripted {
    /// A whole reply, as it is.
    pub fn reply(reply: Reply) -> Self {
        let pieces = if reply.text.is_empty() { Vec::new() } else { vec![reply.text.clone()] };
        Self { outcome: Ok(reply), pieces, gate: None }
    }

    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::reply(Reply { text: text.into(), usage: small_usage(), ..Reply::default() })
    }

    /// One call.
    pub fn call(name: &str, arguments: Value) -> Self {
        Self::calls([(name, arguments)])
    }

    /// Several calls in one reply. Their ids are `NAME-1`, `NAME-2`, … in the order of the reply.
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let calls = calls.into_iter().enumerate().map(|(index, (name, arguments))| ToolCall {
            id: format!("{name}-{}", index + 1),
            name: name.to_owned(),
            arguments,
        });
        let calls = calls.collect();
        Self::reply(Reply { calls, finish: Finish::Calls, usage: small_usage(), ..Reply::default() })
    }

    /// A failure that was not worth another try, or the last one.
    pub fn failure(error: ModelError) -> Self {
        Self { outcome: Err(error), pieces: Vec::new(), gate: None }
    }

    /// The same, but its text comes in these pieces.
    #[must_use]
    pub fn in_pieces<'a>(mut self, pieces: impl IntoIterator<Item = &'a str>) -> Self {
        self.pieces = pieces.into_iter().map(str::to_owned).collect();
        self
    }

    /// The same, but only after the gate is opened; cancelling does not wait for it.
    #[must_use]
    pub fn behind(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }
}

fn small_usage() -> Usage {
    Usage { input: 100, cached: 0, output: 10 }
}

/// Holds a reply back until the test lets it go, and tells the test that the request has come.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    reached: CancellationToken,
    opened: CancellationToken,
}

impl Gate {
    /// Waits until the request stands at the gate.
    pub async fn reached(&self) {
        self.reached.cancelled().await;
    }

    /// Lets the reply go, now or when its request comes.
    pub fn open(&self) {
        self.opened.cancel();
    }

    /// The other side: says that the request has come, and waits until the gate is open.
    pub async fn pass(&self) {
        self.reached.cancel();
        self.opened.cancelled().await;
    }
}

/// A model that answers from queues, one for each purpose.
pub struct ScriptedModel {
    profile: ModelProfile,
    tokenizer: Option<fn(&str) -> u32>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    queues: HashMap<Purpose, VecDeque<Scripted>>,
    requests: Vec<Request>,
    forgets: bool,
}

impl Default for ScriptedModel {
    fn default() -> Self {
        Self::new(ModelProfile {
            id: "scripted/test".to_owned(),
            context_tokens: 8192,
            planner: PlannerProfile::Compact,
            parallel: 4,
            local: true,
        })
    }
}

impl ScriptedModel {
    /// A model with this profile and no replies yet.
    pub fn new(profile: ModelProfile) -> Self {
        Self { profile, tokenizer: None, state: Mutex::default() }
    }

    /// The same, with a tokenizer of its own.
    #[must_use]
    pub fn counting(self, tokenizer: fn(&str) -> u32) -> Self {
        Self { tokenizer: Some(tokenizer), ..self }
    }

    /// Puts a reply at the end of a purpose's queue.
    pub fn push(&self, purpose: Purpose, next: Scripted) {
        self.lock().queues.entry(purpose).or_default().push_back(next);
    }

    /// The same, for building.
    #[must_use]
    pub fn with(self, purpose: Purpose, next: Scripted) -> Self {
        self.push(purpose, next);
        self
    }

    /// The same, but it keeps no request: for measuring, where what a model keeps is no cost of the engine.
    #[must_use]
    pub fn forgetting(self) -> Self {
        self.lock().forgets = true;
        self
    }

    /// Every request so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Request> {
        self.lock().requests.clone()
    }

    /// How many replies nobody has asked for yet.
    pub fn left(&self) -> usize {
        self.lock().queues.values().map(VecDeque::len).sum()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, request: &Request) -> Result<Scripted, ModelError> {
        let mut state = self.lock();
        if !state.forgets {
            state.requests.push(request.clone());
        }
        let next = state.queues.get_mut(&request.purpose).and_then(VecDeque::pop_front);
        next.ok_or_else(|| ModelError::BadRequest {
            endpoint: self.profile.id.clone(),
            reason: format!("the script has no further reply for the purpose {:?}", request.purpose),
        })
    }
}

#[async_trait]
impl Model for ScriptedModel {
    fn profile(&self) -> &ModelProfile {
        &self.profile
    }

    async fn reply(
        &self,
        request: &Request,
        deltas: &UnboundedSender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        let next = self.take(request)?;
        if let Some(gate) = &next.gate {
            tokio::select! {
                biased;
                () = gate.pass() => {}
                () = cancel.cancelled() => return Err(ModelError::Cancelled),
            }
        }
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        for text in next.pieces {
            // A receiver that is gone never stops the call.
            let _ = deltas.send(Delta { kind: DeltaKind::Text, text });
        }
        next.outcome
    }

    async fn count_tokens(&self, text: &str) -> Option<u32> {
        self.tokenizer.map(|tokenizer| tokenizer(text))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::model::{OutputFormat, ToolChoice};

    fn request(purpose: Purpose) -> Request {
        Request {
            purpose,
            messages: Vec::new(),
            tools: [].into(),
            choice: ToolChoice::None,
            output: OutputFormat::Text,
            max_tokens: 100,
            temperature: 0.0,
            seed: None,
            avoid: Vec::new(),
        }
    }

    #[tokio::test]
    async fn every_purpose_has_its_own_queue_and_every_request_is_recorded() {
        let model = ScriptedModel::default()
            .with(Purpose::Plan, Scripted::text("a plan").in_pieces(["a ", "plan"]))
            .with(Purpose::Step, Scripted::call("grep", json!({"pattern": "x"})));
        let (deltas, mut seen) = unbounded_channel();
        let cancel = CancellationToken::new();
        let step = model.reply(&request(Purpose::Step), &deltas, &cancel).await.unwrap();
        assert_eq!(step.calls[0].name, "grep");
        let plan = model.reply(&request(Purpose::Plan), &deltas, &cancel).await.unwrap();
        assert_eq!(plan.text, "a plan");
        assert_eq!([seen.try_recv().unwrap().text, seen.try_recv().unwrap().text], ["a ", "plan"]);
        assert!(model.reply(&request(Purpose::Plan), &deltas, &cancel).await.is_err());
        let purposes: Vec<Purpose> = model.requests().iter().map(|request| request.purpose).collect();
        assert_eq!(purposes, [Purpose::Step, Purpose::Plan, Purpose::Plan]);
        assert_eq!(model.left(), 0);
    }

    #[tokio::test]
    async fn a_gate_holds_the_reply_and_cancelling_does_not_wait_for_it() {
        let gate = Gate::default();
        let model = ScriptedModel::default().with(Purpose::Step, Scripted::text("late").behind(&gate));
        let (deltas, _seen) = unbounded_channel();
        let cancel = CancellationToken::new();
        let request = request(Purpose::Step);
        let asked = model.reply(&request, &deltas, &cancel);
        let test = async {
            gate.reached().await;
            cancel.cancel();
        };
        assert_eq!(tokio::join!(asked, test).0, Err(ModelError::Cancelled));
    }
}
