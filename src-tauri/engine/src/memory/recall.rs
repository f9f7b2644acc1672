//! What is asked of the memory, and what comes back.

use std::collections::BTreeMap;

use assent_core::discovery::{Document, Index};
use assent_core::ids::SessionId;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::build_context_ids;
use crate::store::MemoryRow;

/// Memories of one recall, where nothing is said.
const USUAL_LIMIT: usize = 10;

/// What is asked of the memory. What is empty holds for all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recall {
    /// What it is about; the newest memories where nothing is said.
    pub query: String,
    /// How many memories are wanted at most.
    pub limit: usize,
    /// The contexts that they belong to, such as `decisions` or `session:<id>`.
    pub context_ids: Vec<String>,
    /// Kinds of event, each with the names of contexts: `{"fact": ["tool"]}` are facts of contexts like `tool:<name>`.
    /// A kind without names is every event of the kind. What tools take is told only to whoever names a kind or a
    /// context: there are more of these facts than of all else, and they say nothing of what was done.
    pub context_types: BTreeMap<String, Vec<String>>,
}

impl Default for Recall {
    fn default() -> Self {
        Self { query: String::new(), limit: USUAL_LIMIT, context_ids: Vec::new(), context_types: BTreeMap::new() }
    }
}

impl Recall {
    /// Memories that have to do with this.
    pub fn about(query: &str) -> Self {
        Self { query: query.to_owned(), ..Self::default() }
    }

    /// So many at most.
    pub fn limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Events of this kind, of contexts with this name.
    pub fn of(mut self, kind: &str, name: &str) -> Self {
        self.context_types.entry(kind.to_owned()).or_default().push(name.to_owned());
        self
    }

    /// In the contexts of whoever works in this project and session.
    pub fn within(self, repo_hash: &str, session: &SessionId) -> Self {
        Self { context_ids: build_context_ids(repo_hash, session), ..self }
    }

    /// Whether events of a kind in contexts with a name are wanted.
    pub fn wants(&self, kind: &str, name: &str) -> bool {
        let names = || self.context_types.get(kind);
        self.context_types.is_empty()
            || names().is_some_and(|names| names.is_empty() || names.iter().any(|wanted| wanted == name))
    }
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Recalled {
    /// The memories, the best first.
    pub memories: Vec<Value>,
    /// How many there are of them.
    pub items_found: usize,
    /// Whether the memory could not be asked, or what past calls teach could not.
    pub degraded: bool,
    /// How many memories were looked through, the newest, where there are more of them.
    pub cut: Option<usize>,
    /// Why there is none, for whoever asked.
    pub nothing: Option<String>,
    /// Where tools were looked for: whether they were compared with the query by meaning, or by words alone.
    pub by_meaning: Option<bool>,
}

impl Recalled {
    /// Nothing, because the memory could not be asked.
    pub fn degraded() -> Self {
        Self { degraded: true, ..Self::default() }
    }

    /// These memories.
    pub fn of(memories: Vec<Value>) -> Self {
        Self { items_found: memories.len(), memories, ..Self::default() }
    }
}

/// What can be asked for memories.
#[async_trait]
pub trait Recalls: Send + Sync {
    /// The memories that fit. Never an error: what cannot be asked is degraded.
    async fn recall(&self, recall: &Recall) -> Recalled;
}

/// The memories that fit, the best first; the newest first where nothing was asked. No more than
/// `most` are looked through.
pub(super) fn best(recall: &Recall, mut rows: Vec<MemoryRow>, most: usize) -> Recalled {
    let cut = (rows.len() > most).then_some(most);
    rows.truncate(most);
    let looked_at = rows.len();
    let chosen: Vec<MemoryRow> = if recall.query.trim().is_empty() {
        rows.into_iter().take(recall.limit).collect()
    } else {
        let mut index = Index::default();
        for (place, row) in rows.iter().enumerate() {
            let description = words(&row.payload);
            index.add(&Document {
                id: place.to_string(),
                name: row.context.clone(),
                description,
                ..Document::default()
            });
        }
        let hits = index.search(&recall.query, recall.limit);
        hits.iter().filter_map(|hit| rows.get(hit.id.parse::<usize>().ok()?).cloned()).collect()
    };
    let memories: Vec<Value> = chosen.iter().map(|row| json!(row)).collect();
    let nothing = memories.is_empty().then(|| match (looked_at, cut) {
        (0, _) => "Nothing of that kind is remembered.".to_owned(),
        (many, None) => format!("None of {many} memories says anything like that."),
        (many, Some(_)) => format!("None of the newest {many} memories says anything like that."),
    });
    Recalled { nothing, cut, ..Recalled::of(memories) }
}

/// The texts of a payload.
fn words(payload: &Value) -> String {
    match payload {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(words).collect::<Vec<_>>().join(" "),
        Value::Object(all) => all.values().map(words).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    }
}
