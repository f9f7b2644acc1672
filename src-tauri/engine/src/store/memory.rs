//! What is remembered beside the history.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use assent_core::ids::SessionId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::table::{counter, memory};
use super::{Store, StoreError};

/// What kind of thing is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MemoryKind {
    /// Something that is so.
    Fact,
    /// Something that was done.
    Action,
    /// Something that was decided.
    Decision,
    /// Something that was seen, a failure for one.
    Observation,
    /// What somebody thought of it.
    Feedback,
}

/// On whose word something is remembered, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MemorySource {
    /// A check.
    Validator,
    /// A call that was made.
    Executor,
    /// The person.
    User,
    /// A model.
    Agent,
    /// Assent itself.
    System,
}

/// How a memory has to do with a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Has to do with it.
    RelatedTo,
    /// Says more about it.
    Extends,
    /// Speaks for it.
    Reinforces,
    /// Speaks against it.
    Contradicts,
}

/// Something to be remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryDraft {
    /// What it belongs to, such as `tool:grep`; what stands before the first colon is the context's name.
    pub context: String,
    /// What kind of thing it is.
    pub kind: MemoryKind,
    /// On whose word.
    pub source: MemorySource,
    /// Where a context has only one memory of a sort: the sort. A newer one takes its place.
    pub slot: Option<String>,
    /// How often it came; added up where it takes the place of another.
    pub times: u32,
    /// The session that it goes with.
    pub session: Option<SessionId>,
    /// When: milliseconds since 1970, UTC.
    pub at: i64,
    /// What is remembered.
    pub payload: Value,
    /// Contexts that it has to do with.
    pub links: Vec<(Relation, String)>,
}

/// Something that is remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryRow {
    /// Its number.
    pub id: i64,
    /// What it belongs to.
    pub context: String,
    /// What kind of thing it is.
    pub kind: MemoryKind,
    /// On whose word.
    pub source: MemorySource,
    /// How often it came.
    pub times: u32,
    /// The session that it goes with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// When.
    pub at: i64,
    /// What is remembered.
    pub payload: Value,
    /// Contexts that it has to do with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<(Relation, String)>,
}

/// Which memories are wanted; what is empty holds for all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryFilter {
    /// Their contexts.
    pub contexts: Vec<String>,
    /// Kinds, each with names of contexts; a kind without names is every memory of the kind.
    pub types: BTreeMap<String, Vec<String>>,
    /// A sort of which contexts have one memory each, and which is not wanted.
    pub without: Option<String>,
    /// How many at most, the newest.
    pub limit: usize,
}

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forget {
    /// These, by their numbers.
    These(Vec<i64>),
    /// What belongs to these contexts, and to those below them: `tool:grep` takes `tool:grep:usage` along.
    Context(String),
    /// What belongs to the tools of a source, whose names begin with its own and a dot.
    Source(String),
    /// Everything.
    All,
}

/// What is remembered. Every call blocks until SQLite is done.
pub trait Memories: Send + Sync {
    /// Remembers these, all in one transaction. What belongs to a session that is gone is not remembered.
    ///
    /// # Errors
    /// The database cannot be written; nothing of it is remembered.
    fn remember(&self, drafts: Vec<MemoryDraft>) -> Result<(), StoreError>;
    /// Memories, the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    fn memories(&self, filter: &MemoryFilter) -> Result<Vec<MemoryRow>, StoreError>;
    /// What stands in a slot now, by context: digests of the payloads.
    ///
    /// # Errors
    /// The database cannot be read.
    fn slots(&self, slot: &str) -> Result<BTreeMap<String, String>, StoreError>;
    /// A number that is another one after anything was forgotten, and after somebody else than this has remembered
    /// something.
    ///
    /// # Errors
    /// The database cannot be read.
    fn revision(&self) -> Result<u64, StoreError>;
    /// Forgets, and says how much.
    ///
    /// # Errors
    /// The database cannot be written.
    fn forget(&self, what: &Forget) -> Result<usize, StoreError>;
}

impl Memories for Store {
    fn remember(&self, drafts: Vec<MemoryDraft>) -> Result<(), StoreError> {
        self.write(move |writer| writer.change(|tx| memory::insert_all(tx, &drafts)))?;
        self.remembered.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    fn memories(&self, filter: &MemoryFilter) -> Result<Vec<MemoryRow>, StoreError> {
        self.read(|connection| memory::list(connection, filter))
    }

    fn slots(&self, slot: &str) -> Result<BTreeMap<String, String>, StoreError> {
        self.read(|connection| memory::slots(connection, slot))
    }

    fn revision(&self) -> Result<u64, StoreError> {
        // In the moment between a commit of our own and its count this is one too many, and the same again afterwards.
        let own = self.remembered.load(Ordering::Acquire);
        Ok(self.read(counter::memory_changes)?.wrapping_sub(own))
    }

    fn forget(&self, what: &Forget) -> Result<usize, StoreError> {
        let what = what.clone();
        self.write(move |writer| writer.change(|tx| memory::forget(tx, &what)))
    }
}
