//! Texts and values as events hold them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Blob;
use crate::ids::{CallId, Digest};

/// Longer contents stand in a blob of their own.
const INLINE_BYTES: usize = 1024;

/// Characters of a blob that lists show.
const PREVIEW_CHARS: usize = 200;

/// A text or value: small ones stand in the event, large ones in a blob that is stored once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", untagged)]
pub enum Content {
    /// The content-addressed whole, with its beginning.
    Blob {
        /// Names the blob.
        blob: Digest,
        /// The blob's length in bytes.
        bytes: u64,
        /// The first characters, for lists.
        preview: String,
    },
    /// The value itself.
    Inline {
        /// The value; copies of an event share it.
        inline: Arc<Value>,
    },
}

impl Content {
    /// A value that stands in the event.
    pub fn inline(value: impl Into<Value>) -> Self {
        Self::Inline { inline: Arc::new(value.into()) }
    }

    /// The value, where it stands in the event.
    pub fn here(&self) -> Option<&Value> {
        match self {
            Self::Inline { inline } => Some(inline),
            Self::Blob { .. } => None,
        }
    }

    /// A value as events hold it: in the event while it is short, else named by the event and kept in a blob that has
    /// to be written with it. A blob holds JSON, for a text too.
    pub fn keep(value: Value) -> (Self, Option<Blob>) {
        let short = match &value {
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
            Value::String(text) => text.len() <= INLINE_BYTES,
            Value::Array(_) | Value::Object(_) => false,
        };
        if short {
            return (Self::inline(value), None);
        }
        let bytes = value.to_string().into_bytes();
        if bytes.len() <= INLINE_BYTES {
            return (Self::inline(value), None);
        }
        let preview = match &value {
            Value::String(text) => text.chars().take(PREVIEW_CHARS).collect(),
            _ => String::from_utf8_lossy(&bytes).chars().take(PREVIEW_CHARS).collect(),
        };
        let digest = Digest::of_bytes(&bytes);
        let named = Self::Blob { blob: digest.clone(), bytes: bytes.len() as u64, preview };
        (named, Some(Blob { digest, bytes }))
    }

    /// What a blob holds: JSON, or else the text as it is.
    pub fn decode(blob: &[u8]) -> Value {
        serde_json::from_slice(blob).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(blob).into_owned()))
    }
}

/// A call that a reply asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PlannedCall {
    /// The call.
    pub id: CallId,
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// The arguments as the model wrote them.
    pub arguments: Content,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Content;
    use crate::ids::Digest;

    #[test]
    fn short_values_stand_in_the_event_and_long_ones_come_back_from_their_blob() {
        for short in [json!(null), json!(7), json!("é"), json!({"a": [1]}), json!("x".repeat(1024))] {
            assert_eq!(Content::keep(short.clone()), (Content::inline(short), None));
        }
        for long in [json!("\n".repeat(1025)), json!("42".repeat(600)), json!({"rows": vec![1; 600]})] {
            let (content, blob) = Content::keep(long.clone());
            let blob = blob.unwrap();
            let Content::Blob { blob: named, bytes, preview } = content else { panic!("{content:?}") };
            assert_eq!((&named, bytes), (&Digest::of_bytes(&blob.bytes), blob.bytes.len() as u64));
            assert_eq!((preview.chars().count(), Content::decode(&blob.bytes)), (200, long));
        }
    }

    #[test]
    fn a_blob_that_is_no_json_is_a_text() {
        assert_eq!(Content::decode(b"plain \xff text"), Value::String("plain \u{fffd} text".to_owned()));
        assert_eq!(Content::decode(b""), json!(""));
    }
}
