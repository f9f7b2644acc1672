//! What Assent remembers beside its history: facts about tools, and what was done with them.
//!
//! Remembering never delays or fails what is remembered: it is put into a bounded queue, and a thread of its own writes
//! it. What the queue has no room for, or the store does not take, is lost; nothing relies on it. Recalling never fails
//! what asks: it says that it is degraded instead. Never here: models, the doings of tools, the executor.

mod recall;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use assent_core::contract::{Source, ToolSpec};
use assent_core::ids::{Digest, SessionId};
use async_trait::async_trait;
use serde_json::json;

use crate::clock::Clock;
use crate::store::{
    Forget, Memories, MemoryDraft, MemoryFilter, MemoryKind, MemoryRow, MemorySource, Relation, StoreError,
};
pub use recall::{Recall, Recalled, Recalls};
use worker::{Work, Worker};

/// The context that all tools have to do with.
pub const CONTEXT_TOOLS: &str = "tools";
/// The sort of memory of which a tool has one.
const SCHEMA: &str = "tool_schema";
/// Characters of an intent.
const MOST_INTENT: usize = 500;
/// Calls that are learned from.
const MOST_LESSONS: usize = 5_000;
/// Memories that a recall looks through, the newest; where there are more, it says so.
const MOST_LOOKED_AT: usize = 2_000;
/// So long whoever asks for everything waits for what is being written.
const LONG: Duration = Duration::from_secs(5);
/// So long a recall waits for the store.
const PATIENCE: Duration = Duration::from_secs(2);

/// The contexts of whoever works in a session, in the order in which they are asked.
pub fn build_context_ids(repo_hash: &str, session: &SessionId) -> Vec<String> {
    let fixed = ["decisions", "errors", "user_intent", CONTEXT_TOOLS].map(str::to_owned);
    let project = format!("project:{repo_hash}");
    std::iter::once(project).chain(fixed).chain([format!("session:{session}")]).collect()
}

/// A call that worked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUsage {
    /// The tool.
    pub tool: String,
    /// What was to be done, in the user's words; may be empty.
    pub intent: String,
    /// How long it took.
    pub duration_ms: u64,
    /// The session that it goes with.
    pub session: SessionId,
}

impl ToolUsage {
    /// A call of this tool that worked. Of a long intent the beginning is enough.
    pub fn new(tool: &str, intent: &str, duration_ms: u64, session: &SessionId) -> Self {
        let end = intent.char_indices().nth(MOST_INTENT).map_or(intent.len(), |(end, _)| end);
        Self { tool: tool.to_owned(), intent: intent[..end].to_owned(), duration_ms, session: session.clone() }
    }

    /// As it is remembered: the calls of one tool for one intent in a session are one memory.
    fn draft(self, at: i64) -> MemoryDraft {
        let Self { tool, intent, duration_ms, session } = self;
        let slot = Digest::of_bytes(format!("{session}\n{intent}").as_bytes()).to_string();
        let data = json!({"tool": tool, "intent": intent, "success": true, "duration_ms": duration_ms});
        MemoryDraft {
            context: format!("{}:usage", tool_context(&tool)),
            kind: MemoryKind::Action,
            source: MemorySource::Executor,
            slot: Some(slot),
            times: 1,
            session: Some(session),
            at,
            payload: json!({"kind": "tool_usage", "data": data}),
            links: vec![(Relation::RelatedTo, tool_context(&tool))],
        }
    }
}

/// An intent with the tool that was the right one, and how often.
pub type Lesson = (String, String, u32);

/// What past calls teach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lessons {
    /// A number that is another one after something was forgotten, or another process has taught something.
    pub revision: u64,
    /// The oldest first.
    pub lessons: Vec<Lesson>,
}

/// The memory on a store.
pub struct Memory {
    store: Arc<dyn Memories>,
    clock: Arc<dyn Clock>,
    worker: Worker,
}

impl Memory {
    /// A memory that writes to this store. No thread is started yet.
    pub fn new(store: Arc<dyn Memories>, clock: Arc<dyn Clock>) -> Self {
        Self { worker: Worker::new(store.clone()), store, clock }
    }

    /// Has every tool remembered, in the background. What is remembered already and has not changed is left alone.
    pub fn register<'a>(&self, tools: impl IntoIterator<Item = &'a ToolSpec>) {
        self.worker.push(Work::Register(tools.into_iter().map(|spec| self.tool_schema(spec)).collect()));
    }

    /// Forgets the tools of a source that was removed, whose names begin with its own and a dot, and what was done with
    /// them, in the background.
    pub fn unregister(&self, source: &str) {
        self.worker.push(Work::Forget(source.to_owned()));
    }

    /// Remembers what a tool takes. A second time replaces the first.
    pub fn store_tool_schema(&self, tool: &ToolSpec) {
        self.register([tool]);
    }

    fn tool_schema(&self, tool: &ToolSpec) -> MemoryDraft {
        let ToolSpec { name, description, parameters, source, .. } = tool;
        let (source_type, tags) = match source {
            Source::Core | Source::Human => (json!("toolbus"), &["core"][..]),
            other => (json!(other), &[][..]),
        };
        let data = json!({
            "tool": name, "description": description, "parameters": parameters, "source_type": source_type, "tags": tags,
        });
        MemoryDraft {
            context: tool_context(name),
            kind: MemoryKind::Fact,
            source: MemorySource::System,
            slot: Some(SCHEMA.to_owned()),
            times: 1,
            session: None,
            at: self.clock.now(),
            payload: json!({"kind": SCHEMA, "data": data}),
            links: vec![(Relation::RelatedTo, CONTEXT_TOOLS.to_owned())],
        }
    }

    /// Remembers that a tool was the right one. Returns at once, whatever becomes of it.
    pub fn store_tool_usage(&self, usage: ToolUsage) {
        self.worker.push(Work::Used(usage, self.clock.now()));
    }

    /// Has somebody learn of every call that worked, on the memory's own thread.
    pub fn teach(&self, learner: impl Fn(&ToolUsage) + Send + Sync + 'static) {
        self.worker.teach(Box::new(learner));
    }

    /// Remembers something. Returns at once, whatever becomes of it.
    pub fn remember(&self, draft: MemoryDraft) {
        self.worker.push(Work::Remember(draft));
    }

    /// What past calls teach, where it is not what it was at the revision that is `known`. Where something has changed
    /// since, what is to be remembered is written first: it may be of a session that was removed.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn lessons_since(&self, known: Option<u64>) -> Result<Option<Lessons>, StoreError> {
        if known.is_some() {
            if known == Some(self.store.revision()?) {
                return Ok(None);
            }
            self.settle();
        }
        // Read before the lessons: what changes in between is read once more.
        let revision = self.store.revision()?;
        Ok(Some(Lessons { revision, lessons: self.lessons()? }))
    }

    /// What past calls teach, the oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn lessons(&self) -> Result<Vec<Lesson>, StoreError> {
        let types = [("action".to_owned(), vec!["tool".to_owned()])].into();
        let filter = MemoryFilter { types, limit: MOST_LESSONS, ..MemoryFilter::default() };
        let lesson = |row: &MemoryRow| {
            let text = |key: &str| row.payload["data"][key].as_str().map(str::to_owned);
            Some((text("intent")?, text("tool")?, row.times))
        };
        Ok(self.store.memories(&filter)?.iter().rev().filter_map(lesson).collect())
    }

    /// Memories, the newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn list(&self, filter: &MemoryFilter) -> Result<Vec<MemoryRow>, StoreError> {
        self.store.memories(filter)
    }

    /// Forgets, and says how much.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn forget(&self, what: &Forget) -> Result<usize, StoreError> {
        self.store.forget(what)
    }

    /// Waits until everything that was to be remembered so far is written or lost.
    pub fn settle(&self) {
        self.settle_within(LONG);
    }

    /// The same, at most so long: a store may hang.
    pub fn settle_within(&self, patience: Duration) {
        self.worker.settle(patience);
    }
}

#[async_trait]
impl Recalls for Memory {
    async fn recall(&self, recall: &Recall) -> Recalled {
        let is_open = recall.context_ids.is_empty() && recall.context_types.is_empty();
        let filter = MemoryFilter {
            contexts: recall.context_ids.clone(),
            types: recall.context_types.clone(),
            without: is_open.then(|| SCHEMA.to_owned()),
            // One more tells whether these are all.
            limit: MOST_LOOKED_AT + 1,
        };
        let store = self.store.clone();
        let (tell, told) = tokio::sync::oneshot::channel();
        // Not a thread of the runtime, which waits for its own when it ends: a store may hang.
        let asked = std::thread::Builder::new().name("recall".to_owned()).spawn(move || {
            let rows = store.memories(&filter);
            // Who has the answer may close the store.
            drop(store);
            // Nobody listens any more where it took too long.
            let _ = tell.send(rows);
        });
        let looked = match asked {
            Ok(_) => tokio::time::timeout(PATIENCE, told).await,
            Err(error) => {
                tracing::warn!("the memory cannot be asked: {error}");
                return Recalled::degraded();
            }
        };
        match looked {
            Ok(Ok(Ok(rows))) => recall::best(recall, rows, MOST_LOOKED_AT),
            Ok(Ok(Err(error))) => {
                tracing::warn!("the memory cannot be asked: {error}");
                Recalled::degraded()
            }
            Ok(Err(_)) | Err(_) => Recalled::degraded(),
        }
    }
}

fn tool_context(name: &str) -> String {
    format!("tool:{name}")
}

#[cfg(test)]
mod tests;
