//! What is remembered, as a person reads it.

use assent_engine::store::MemoryRow;
use serde::Serialize;
use serde_json::Value;

/// Something that is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MemoryView {
    /// Its number.
    pub id: i64,
    /// What it is about: the tool whose call worked, else what it belongs to.
    pub about: String,
    /// What is remembered, in the person's words where it has any.
    pub words: String,
    /// How often it came.
    pub times: u32,
    /// When it came last: milliseconds since 1970.
    pub at: i64,
}

impl From<MemoryRow> for MemoryView {
    fn from(MemoryRow { id, context, times, at, payload, .. }: MemoryRow) -> Self {
        let data = payload.get("data").unwrap_or(&payload);
        let text = |key: &str| data.get(key).and_then(Value::as_str).map(str::to_owned);
        let (about, words) = match text("tool") {
            Some(tool) => (tool, text("intent").unwrap_or_default()),
            None => (context, data.as_str().map_or_else(|| data.to_string(), str::to_owned)),
        };
        Self { id, about, words, times, at }
    }
}

#[cfg(test)]
mod tests {
    use assent_engine::store::{MemoryKind, MemorySource};
    use serde_json::json;

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
            let MemoryView { id, about, words, times, at } = row.into();
            assert_eq!((id, times, at), (7, 2, 5));
            (about, words)
        };
        let both = |about: &str, words: &str| (about.to_owned(), words.to_owned());
        let usage = json!({"kind": "tool_usage", "data": {"tool": "grep", "intent": "Find Berlin"}});
        assert_eq!(view(usage), both("grep", "Find Berlin"));
        assert_eq!(view(json!({"data": {"tool": "grep"}})), both("grep", ""));
        assert_eq!(view(json!("as a list")), both("project:notes", "as a list"));
        assert_eq!(view(json!({"data": [1]})), both("project:notes", "[1]"));
    }
}
