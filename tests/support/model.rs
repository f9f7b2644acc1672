//! Builders for requests, and models whose waits are recorded instead of waited for.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::run::Purpose;
use assent_engine::model::local::{LocalParts, LocalSettings, Places, manifest};
use assent_engine::model::{
    Delta, DeltaKind, Dialect, Endpoint, Message, Model, ModelError, ModelProfile, OpenAi, OutputFormat, Pause,
    PlannerProfile, Reply, Request, RetryPolicy, Secret, ToolChoice,
};
use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

use crate::needs;

/// A request with one message of a person.
pub fn request(text: &str) -> Request {
    Request {
        purpose: Purpose::Step,
        messages: vec![Message::User { text: text.into() }],
        tools: [].into(),
        choice: ToolChoice::None,
        output: OutputFormat::Text,
        max_tokens: 64,
        temperature: 0.0,
        seed: Some(1),
        avoid: Vec::new(),
    }
}

/// A recorded reply: the model, what it wrote, and the calls that stand in it.
pub type Recorded = (String, String, Vec<(String, Value)>);

/// A request that lets a model make these calls, or talk.
pub fn open_to(calls: &[(String, Value)]) -> Request {
    let names: BTreeSet<&str> = calls.iter().map(|(name, _)| name.as_str()).collect();
    let tools = names.into_iter().map(|name| tool(name, serde_json::json!({"type": "object"}))).collect();
    Request { tools, choice: ToolChoice::Auto, ..request("Do it.") }
}

/// The same below rules, which say how to reply.
pub fn ruled(rules: &str, text: &str) -> Request {
    let mut request = request(text);
    request.messages.insert(0, Message::System { text: rules.into() });
    request
}

/// A tool without anything special.
pub fn tool(name: &str, parameters: Value) -> ToolSpec {
    ToolSpec::new(name, format!("Does {name}."), parameters, Source::Core, Risk::Read)
}

/// A profile for tests.
pub fn profile() -> ModelProfile {
    ModelProfile {
        id: "openai/test".into(),
        context_tokens: 8192,
        planner: PlannerProfile::Full,
        parallel: 4,
        local: false,
    }
}

/// Time that passes at once, and is written down.
#[derive(Default)]
pub struct RecordedPause(Mutex<Vec<Duration>>);

#[async_trait]
impl Pause for RecordedPause {
    async fn pause(&self, time: Duration) {
        self.0.lock().expect("no panic under the lock").push(time);
    }
}

impl RecordedPause {
    /// How long would have been waited.
    pub fn waits(&self) -> Vec<Duration> {
        self.0.lock().expect("no panic under the lock").clone()
    }
}

/// The key that tests use; it must never be seen.
pub const KEY: &str = "sk-test-very-secret-0123456789";

/// Where a fake server is spoken to.
pub fn endpoint(address: &str, dialect: Dialect) -> Endpoint {
    Endpoint {
        base_url: format!("{address}/v1"),
        model: "test".into(),
        key: Some(Secret::new(KEY)),
        dialect,
        silence: Duration::from_secs(20),
    }
}

/// An OpenAI-compatible model at a fake server.
pub fn openai(address: &str, dialect: Dialect) -> (OpenAi, Arc<RecordedPause>) {
    let pause = Arc::new(RecordedPause::default());
    let model = OpenAi::new(profile(), endpoint(address, dialect), RetryPolicy::default(), pause.clone());
    (model.expect("a client"), pause)
}

/// Asks and drops the pieces.
pub async fn ask(model: &dyn Model, request: &Request) -> Result<Reply, ModelError> {
    asked(model, request).await.0
}

/// Asks and gives the pieces too.
pub async fn asked(model: &dyn Model, request: &Request) -> (Result<Reply, ModelError>, Vec<Delta>) {
    let (deltas, mut seen) = unbounded_channel();
    let reply = model.reply(request, &deltas, &CancellationToken::new()).await;
    drop(deltas);
    (reply, drain(&mut seen))
}

/// What has come so far.
pub fn drain(seen: &mut UnboundedReceiver<Delta>) -> Vec<Delta> {
    std::iter::from_fn(|| seen.try_recv().ok()).collect()
}

/// The text of the pieces of one kind.
pub fn said(deltas: &[Delta], kind: DeltaKind) -> String {
    deltas.iter().filter(|delta| delta.kind == kind).map(|delta| delta.text.as_str()).collect()
}

/// The smoke model on a data folder, when the set-up has fetched it and built the server; else says how to get them.
///
/// # Panics
/// As [`needs::missing`].
pub fn smoke(data: &std::path::Path, guard: PathBuf) -> Option<LocalParts> {
    let places = Places::usual(data, |name| std::env::var_os(name));
    let file = manifest().iter().find(|model| model.id == "smoke")?.clone();
    if let Err(error) = places.server().and_then(|_| places.model(&file)) {
        needs::missing(error);
        return None;
    }
    // One thread: tests run beside each other, and threads that wait for each other on busy cores only spin.
    let settings =
        LocalSettings { threads: Some(1), ready_within: Duration::from_secs(120), ..LocalSettings::default() };
    Some(LocalParts { file, places, guard, settings, notice: None })
}
