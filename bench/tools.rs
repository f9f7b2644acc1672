//! Tools in a budget: tokens of tool descriptions, and of whole requests, with more and more tools connected, and what
//! remembering a call costs whoever made it.
//!
//! Run with `cargo run --release -p assent-tests --example bench-tools`; prints one JSON object.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::Result;
use assent_core::contract::{Risk, Source, ToolSpec, estimate_tokens};
use assent_core::ids::SessionId;
use assent_core::run::Purpose;
use assent_engine::clock::SystemClock;
use assent_engine::live::Unwatched;
use assent_engine::memory::{Memory, ToolUsage};
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{Message as Said, ModelProfile, PlannerProfile, Request};
use assent_engine::store::{Forget, Home, Memories, MemoryDraft, MemoryFilter, MemoryRow, Store, StoreError};
use assent_engine::tool::{CallContext, Effects, Outcome, Tool, ToolStop};
use assent_engine::turn::{ApprovalPolicy, Message};
use assent_tests::desk::{Only, engine_with};
use assent_tests::told::planned_with;
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const CALLS: usize = 2000;
/// Tools that a run has explained: more than the budget has room for.
const EXPLAINED: usize = 8;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let [mut tokens, mut planned, mut whole] = std::array::from_fn(|_| serde_json::Map::new());
    for connected in [10, 50, 100, 1_000, 10_000] {
        let (of_step, of_planner, largest) = most_tokens(connected).await?;
        tokens.insert(connected.to_string(), json!(of_step));
        planned.insert(connected.to_string(), json!(of_planner));
        whole.insert(connected.to_string(), json!(largest));
    }
    let figures = json!({
        "tokensWithToolsConnected": tokens, "planningTokensWithToolsConnected": planned,
        "largestRequestWithToolsConnected": whole,
        "rememberMicros": remembering()?,
    });
    println!("{}", serde_json::to_string_pretty(&figures)?);
    Ok(())
}

struct Connected(ToolSpec);

#[async_trait]
impl Tool for Connected {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }
    fn effects(&self, _: &Value) -> Effects {
        Effects::none(self.0.risk)
    }
    async fn call(&self, _: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        Ok(Outcome::Success(json!("done")))
    }
}

/// Sources have twenty tools each: with 10,000 tools there are 500.
fn name(number: usize) -> String {
    format!("mcp.server{}.make_item{number}", number / 20)
}

fn connected(number: usize) -> Arc<dyn Tool> {
    let properties: serde_json::Map<String, Value> = ["title", "body", "owner", "label"]
        .into_iter()
        .map(|name| (name.to_owned(), json!({"type": "string", "description": format!("The {name} of the item.")})))
        .collect();
    Arc::new(Connected(ToolSpec::new(
        name(number),
        format!("Make an item of kind {number} on the board, with everything that belongs to it."),
        json!({"type": "object", "properties": properties, "required": ["title"]}),
        Source::Mcp,
        Risk::Read,
    )))
}

/// Estimated tokens of all that the largest request of a step tells of tools, in a run that explains more tools than the
/// budget has room for; of all that the planner's request tells of tools; and of all that the largest request carries.
async fn most_tokens(tools: usize) -> Result<(usize, usize, usize)> {
    let folder = tempfile::tempdir()?;
    let home = Home::at(folder.path().join("home"))?;
    std::fs::create_dir(folder.path().join("workspace"))?;
    let store = Store::open(&home, Arc::new(SystemClock))?;
    let id = "scripted/bench".to_owned();
    let profile = ModelProfile { id, context_tokens: 32_768, planner: PlannerProfile::Full, parallel: 1, local: false };
    let model = Arc::new(ScriptedModel::new(profile));
    let all = (0..tools).map(connected).collect();
    let engine = engine_with(store, &home, Arc::new(Only(model.clone())), all, Arc::new(Unwatched));
    let plan = json!({"title": "Items", "refinedTask": "Make items.", "todoList": [
        {"id": "step_1", "description": "Make items", "stepType": "tool", "expectedOutcome": "Items are there"}]});
    model.push(Purpose::Plan, Scripted::text(plan.to_string()));
    let explained: Vec<String> = (0..EXPLAINED).map(name).collect();
    let explain = explained.iter().map(|name| ("tool_explain", json!({"tool_id": name})));
    model.push(Purpose::Step, Scripted::calls([("tool_search", json!({"query": "make an item on the board"}))]));
    model.push(Purpose::Step, Scripted::calls(explain));
    let latest = name(EXPLAINED - 1);
    model.push(Purpose::Step, Scripted::calls([(latest.as_str(), json!({"title": "x"}))]));
    model.push(Purpose::Step, Scripted::text("Made."));
    let session = engine.sessions().create(&folder.path().join("workspace")).await?;
    let policy = Some(ApprovalPolicy::NeverAsk);
    let message = Message { session, text: "Make items on the board".to_owned(), policy, answers: None };
    engine.turns().send(message, &CancellationToken::new()).await?;
    let requests = model.requests();
    let steps = requests.iter().filter(|request| request.purpose == Purpose::Step);
    let of_step = steps.map(|request| request.tools.iter().map(ToolSpec::estimated_tokens).sum()).max().unwrap_or(0);
    let planner = requests.iter().find(|request| request.purpose == Purpose::Plan);
    let all: Vec<String> = engine.tools().list().iter().map(|spec| spec.name.clone()).collect();
    let listed = planner.map(|request| planned_with(request, &all)).unwrap_or_default();
    let of_planner = listed.iter().map(|(_, told)| estimate_tokens(told) as usize).sum();
    let whole = |request: &Request| -> usize {
        let said = request.messages.iter().map(|message| match message {
            Said::System { text } | Said::User { text } | Said::Assistant { text, .. } | Said::Tool { text, .. } => {
                text
            }
        });
        let said: usize = said.map(|text| estimate_tokens(text) as usize).sum();
        said + request.tools.iter().map(ToolSpec::estimated_tokens).sum::<usize>()
    };
    Ok((of_step, of_planner, requests.iter().map(whole).max().unwrap_or(0)))
}

/// A store that takes nothing: it fails at once, or hangs until it is let go.
struct Broken(Option<Mutex<Receiver<()>>>);

impl Broken {
    fn break_down<T>(&self) -> Result<T, StoreError> {
        if let Some(held) = &self.0 {
            let _ = held.lock().unwrap_or_else(PoisonError::into_inner).recv();
        }
        Err(StoreError::Other("it is broken".to_owned()))
    }
}

impl Memories for Broken {
    fn remember(&self, _: Vec<MemoryDraft>) -> Result<(), StoreError> {
        self.break_down()
    }
    fn memories(&self, _: &MemoryFilter) -> Result<Vec<MemoryRow>, StoreError> {
        self.break_down()
    }
    fn slots(&self, _: &str) -> Result<BTreeMap<String, String>, StoreError> {
        self.break_down()
    }
    fn revision(&self) -> Result<u64, StoreError> {
        self.break_down()
    }
    fn forget(&self, _: &Forget) -> Result<usize, StoreError> {
        self.break_down()
    }
}

/// Microseconds on the path of a call, by how the store is: the mean of many calls.
fn remembering() -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(Store::open(&Home::at(folder.path())?, Arc::new(SystemClock))?);
    let (release, held) = sync_channel(0);
    let (works, fails) = (mean_micros(store), mean_micros(Arc::new(Broken(None))));
    let memory = Memory::new(Arc::new(Broken(Some(Mutex::new(held)))), Arc::new(SystemClock));
    let hangs = of_calls(&memory);
    // The memory waits for its thread when it goes.
    drop(release);
    Ok(json!({"works": works, "fails": fails, "hangs": hangs}))
}

fn mean_micros(store: Arc<dyn Memories>) -> f64 {
    of_calls(&Memory::new(store, Arc::new(SystemClock)))
}

fn of_calls(memory: &Memory) -> f64 {
    let session = SessionId::new("bench");
    let begun = Instant::now();
    for _ in 0..CALLS {
        memory.store_tool_usage(ToolUsage::new("grep", "How many lines mention Berlin in the notes?", 3, &session));
    }
    begun.elapsed().as_secs_f64() * 1e6 / CALLS as f64
}
