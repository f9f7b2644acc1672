//! What is remembered, as a person reads it.

use assent_core::ids::SessionId;
use assent_core::order;
use assent_engine::memory::{Recall, Recalled};
use assent_engine::store::{MemoryKind, MemoryRow, MemorySource, Relation};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What is asked of the memory. What is empty holds for all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default)]
pub struct MemoryAsked {
    /// What it is about; the newest memories where nothing is said.
    pub words: String,
    /// What kinds are wanted. Without any, what tools say of themselves is left out: it says nothing of what was done.
    pub kinds: Vec<MemoryKind>,
    /// How many at most.
    pub limit: usize,
}

/// What is remembered of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MemoryFound {
    /// The memories: what fits best first, or the newest.
    pub rows: Vec<MemoryView>,
    /// Why there is none.
    pub nothing: Option<String>,
    /// Whether the memory could not be asked.
    pub degraded: bool,
    /// How many were looked through, the newest, where there are more.
    pub cut: Option<usize>,
}

/// Something that is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MemoryView {
    /// Its number.
    pub id: i64,
    /// What kind of thing it is.
    pub kind: MemoryKind,
    /// On whose word.
    pub source: MemorySource,
    /// What it is about: the tool that it says something of, else what it belongs to.
    pub about: String,
    /// What is remembered: in the person's words where it has any, of a tool what it does.
    pub words: String,
    /// How often it came.
    pub times: u32,
    /// When it came last: milliseconds since 1970.
    pub at: i64,
    /// The session that it goes with.
    pub session: Option<SessionId>,
    /// What it has to do with.
    pub links: Vec<MemoryLink>,
}

/// How a memory has to do with something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MemoryLink {
    /// How.
    pub relation: Relation,
    /// With what, such as `tool:grep`.
    pub context: String,
}

impl From<MemoryAsked> for Recall {
    fn from(MemoryAsked { words, kinds, limit }: MemoryAsked) -> Self {
        let word = |kind: &MemoryKind| json!(kind).as_str().unwrap_or_default().to_owned();
        let context_types = order::map(kinds.iter().map(|kind| (word(kind), Vec::new())));
        Self { context_types, ..Self::about(&words).limit(limit) }
    }
}

impl From<Recalled> for MemoryFound {
    fn from(Recalled { memories, degraded, cut, nothing, .. }: Recalled) -> Self {
        let rows = memories.into_iter().filter_map(|row| serde_json::from_value::<MemoryRow>(row).ok());
        Self { rows: rows.map(MemoryView::from).collect(), nothing, degraded, cut }
    }
}

impl From<MemoryRow> for MemoryView {
    fn from(row: MemoryRow) -> Self {
        let MemoryRow { id, context, kind, source, times, session, at, payload, links } = row;
        let data = payload.get("data").unwrap_or(&payload);
        let text = |key: &str| data.get(key).and_then(Value::as_str).map(str::to_owned);
        let (about, words) = match text("tool") {
            Some(tool) => (tool, text("intent").or_else(|| text("description")).unwrap_or_default()),
            None => (context, data.as_str().map_or_else(|| data.to_string(), str::to_owned)),
        };
        let links = links.into_iter().map(|(relation, context)| MemoryLink { relation, context }).collect();
        Self { id, kind, source, about, words, times, at, session, links }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_worked_has_its_tool_and_the_words_that_it_was_for_and_anything_else_is_shown_as_it_is() {
        let view = |payload: Value| {
            let row = MemoryRow {
                id: 7,
                context: "project:notes".to_owned(),
                kind: MemoryKind::Action,
                source: MemorySource::Executor,
                times: 2,
                session: None,
                at: 5,
                payload,
                links: Vec::new(),
            };
            let MemoryView { id, about, words, times, at, .. } = row.into();
            assert_eq!((id, times, at), (7, 2, 5));
            (about, words)
        };
        let both = |about: &str, words: &str| (about.to_owned(), words.to_owned());
        let usage = json!({"kind": "tool_usage", "data": {"tool": "grep", "intent": "Find Berlin"}});
        assert_eq!(view(usage), both("grep", "Find Berlin"));
        assert_eq!(view(json!({"data": {"tool": "grep"}})), both("grep", ""));
        let schema = json!({"kind": "tool_schema", "data": {"tool": "grep", "description": "Finds lines."}});
        assert_eq!(view(schema), both("grep", "Finds lines."));
        assert_eq!(view(json!("as a list")), both("project:notes", "as a list"));
        assert_eq!(view(json!({"data": [1]})), both("project:notes", "[1]"));
    }
}
