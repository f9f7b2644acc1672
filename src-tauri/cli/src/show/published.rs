//! Events in their published JSON form, with texts that the history keeps apart put back where a reader needs them.

use assent_core::run::{Content, Event, EventKind};
use assent_engine::Engine;
use serde_json::{Value, json};

/// How much of long texts and values stands in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Answers are whole; of arguments and results that are long, the beginning and the name of the whole.
    Usual,
    /// All of it.
    Whole,
}

/// An event as one line.
///
/// # Errors
/// It has no JSON form.
pub fn line(engine: &Engine, event: &Event, length: Length) -> serde_json::Result<String> {
    if length == Length::Usual && !matches!(event.kind, EventKind::Answered { .. }) {
        return serde_json::to_string(event);
    }
    let mut value = serde_json::to_value(event)?;
    put_back(engine, &mut value);
    serde_json::to_string(&value)
}

/// Puts the whole in the place of its name and beginning; what cannot be read stays as it is.
fn put_back(engine: &Engine, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.contains_key("blob")
                && let Ok(content @ Content::Blob { .. }) = serde_json::from_value(Value::Object(fields.clone()))
                && let Ok(whole) = engine.content(&content)
            {
                *value = json!({"inline": whole});
                return;
            }
            // What stands in the event itself may look like anything.
            fields.iter_mut().filter(|(key, _)| *key != "inline").for_each(|(_, field)| put_back(engine, field));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| put_back(engine, item)),
        _ => {}
    }
}
