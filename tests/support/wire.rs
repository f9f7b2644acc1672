//! Scenarios over a real adapter: what a test's model answers goes over HTTP in the words of an endpoint, and comes
//! back through the adapter that an endpoint is spoken to with.
//!
//! The scenarios are built into three programs. Which one runs decides how its models are reached: `suite` in process,
//! `suite_native` by the endpoint's own calls, `suite_protocol` by the JSON protocol.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use assent_core::run::Purpose;
use assent_engine::model::{
    CallForm, Delta, Dialect, Message, Model, ModelError, ModelProfile, OpenAi, OutputFormat, Reply, Request,
    RetryPolicy, ToolChoice,
};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use crate::model::{RecordedPause, endpoint};
use crate::sse::{Answer, FakeServer};

/// How the model of a scenario is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// In process.
    Direct,
    /// At an endpoint with tool calls of its own.
    Native,
    /// At an endpoint without: by the JSON protocol.
    Protocol,
}

impl Wire {
    /// The wire of this program.
    pub fn of_this_program() -> Self {
        let path = std::env::current_exe().unwrap_or_else(|_| PathBuf::new());
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("suite_native") {
            Self::Native
        } else if name.starts_with("suite_protocol") {
            Self::Protocol
        } else {
            Self::Direct
        }
    }

    /// A model over this wire.
    pub fn lead_to(self, brain: Arc<dyn Model>) -> Arc<dyn Model> {
        let dialect = match self {
            Self::Direct => return brain,
            Self::Native => Dialect::COMPATIBLE,
            Self::Protocol => Dialect::PLAIN,
        };
        Arc::new(Wired { brain, dialect, line: OnceCell::new(), tickets: AtomicU64::new(1) })
    }
}

/// A model that thinks in process and speaks over HTTP.
struct Wired {
    brain: Arc<dyn Model>,
    dialect: Dialect,
    line: OnceCell<Line>,
    tickets: AtomicU64,
}

struct Line {
    adapter: OpenAi,
    /// What the server will answer, by the number that its request carries as its seed.
    answers: Arc<Mutex<HashMap<u64, Answer>>>,
    /// What it was told of which tool to call, by the same number.
    choices: Arc<Mutex<HashMap<u64, Value>>>,
    _server: FakeServer,
}

impl Wired {
    async fn line(&self) -> &Line {
        let open = async {
            let answers: Arc<Mutex<HashMap<u64, Answer>>> = Arc::default();
            let choices: Arc<Mutex<HashMap<u64, Value>>> = Arc::default();
            let (waiting, told) = (answers.clone(), choices.clone());
            let server = FakeServer::answering(move |_, request| {
                let ticket = request.body["seed"].as_u64().expect("every request carries its number");
                let choice = request.body.get("tool_choice").cloned().unwrap_or_default();
                told.lock().expect("no panic under the lock").insert(ticket, choice);
                waiting.lock().expect("no panic under the lock").get(&ticket).cloned()
            })
            .await;
            let pause = Arc::new(RecordedPause::default());
            let place = endpoint(&server.address, self.dialect);
            let adapter = OpenAi::new(self.brain.profile().clone(), place, RetryPolicy::default(), pause);
            Line { adapter: adapter.expect("a client"), answers, choices, _server: server }
        };
        self.line.get_or_init(|| open).await
    }
}

#[async_trait]
impl Model for Wired {
    fn profile(&self) -> &ModelProfile {
        self.brain.profile()
    }

    async fn reply(
        &self,
        request: &Request,
        deltas: &UnboundedSender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        // Plans of a schema are no tool calls, and scripts of tests take liberties with the schema.
        if request.purpose != Purpose::Step || request.output != OutputFormat::Text {
            return self.brain.reply(request, deltas, cancel).await;
        }
        let (nobody, _) = unbounded_channel();
        let meant = self.brain.reply(request, &nobody, cancel).await?;
        if !meant.faults.is_empty() {
            // It stands for what an adapter could not read.
            return Ok(meant);
        }
        let ticket = self.tickets.fetch_add(1, Ordering::SeqCst);
        let line = self.line().await;
        let answer = match self.dialect {
            Dialect::PLAIN => written(request, &meant),
            _ => native(&meant),
        };
        line.answers.lock().expect("no panic under the lock").insert(ticket, answer);
        let numbered = Request { seed: Some(ticket), ..request.clone() };
        let said = line.adapter.reply(&numbered, deltas, cancel).await?;
        let calls = |reply: &Reply| -> Vec<(String, Value)> {
            reply.calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect()
        };
        assert_eq!((said.text.trim(), calls(&said)), (meant.text.trim(), calls(&meant)), "it is read as it was meant");
        assert_eq!((said.thoughts.as_str(), said.usage), (meant.thoughts.as_str(), meant.usage));
        if self.dialect == Dialect::COMPATIBLE && !request.tools.is_empty() {
            let told = line.choices.lock().expect("no panic under the lock").remove(&ticket);
            assert_eq!(told, Some(chosen(&request.choice)), "the endpoint is told what may be called");
        }
        Ok(said)
    }

    async fn count_tokens(&self, text: &str) -> Option<u32> {
        self.brain.count_tokens(text).await
    }

    fn spells_calls(&self) -> bool {
        self.dialect.calls != CallForm::Native
    }
}

/// A choice of tools in the words of chat completions.
fn chosen(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::Required => json!("required"),
        ToolChoice::None => json!("none"),
        // An endpoint takes no dots in names.
        ToolChoice::Named(name) | ToolChoice::Script(name) => {
            json!({"type": "function", "function": {"name": name.replace('.', "_")}})
        }
    }
}

fn chunks(delta: &Value, reason: &str, reply: &Reply) -> Answer {
    let piece = json!({"choices": [{"index": 0, "delta": delta}]});
    let last = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    let usage = json!({"prompt_tokens": reply.usage.input, "completion_tokens": reply.usage.output});
    let usage = json!({"choices": [], "usage": usage});
    Answer::events([]).event(&piece.to_string()).event(&last.to_string()).event(&usage.to_string()).event("[DONE]")
}

/// A reply in the fields of chat completions.
fn native(reply: &Reply) -> Answer {
    let calls: Vec<Value> = reply
        .calls
        .iter()
        .enumerate()
        .map(|(index, call)| {
            let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
            json!({"index": index, "id": call.id, "type": "function", "function": function})
        })
        .collect();
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    let mut delta = json!({"role": "assistant", "content": reply.text, "tool_calls": calls});
    if !reply.thoughts.is_empty() {
        delta["reasoning_content"] = json!(reply.thoughts);
    }
    chunks(&delta, reason, reply)
}

/// A reply in the form that its request asks for: one line a call, or the list of the seeds.
fn written(request: &Request, reply: &Reply) -> Answer {
    let is_short = request.messages.iter().any(|message| match message {
        Message::System { text } => text.contains(r#"{"tool":"#),
        _ => false,
    });
    let text = match (is_short, reply.calls.is_empty()) {
        (true, true) => json!({"done": reply.text}).to_string(),
        (false, true) => json!({"content": reply.text, "nextStepDecision": "continue"}).to_string(),
        (true, false) => {
            let lines = reply.calls.iter().map(|call| json!({"tool": call.name, "args": call.arguments}).to_string());
            lines.collect::<Vec<_>>().join("\n")
        }
        (false, false) => {
            let calls = reply.calls.iter().map(|call| json!({"toolName": call.name, "arguments": call.arguments}));
            format!("```json\n{}\n```", json!({"toolCalls": calls.collect::<Vec<_>>()}))
        }
    };
    let thoughts = if reply.thoughts.is_empty() { String::new() } else { format!("<think>{}</think>", reply.thoughts) };
    chunks(&json!({"role": "assistant", "content": format!("{thoughts}{text}")}), "stop", reply)
}
