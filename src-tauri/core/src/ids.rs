//! Identifiers: one newtype for each kind of thing, so that they cannot be mixed up, and content digests.
//!
//! Every event names its session, turn, run and step, and is passed on many times: a copy of an identifier shares its text.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes any text as an identifier.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The identifier as it is written.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }
    )+};
}

ids! {
    /// One chat, with its messages, plans and runs.
    SessionId,
    /// One user message and everything up to the answer or the question that ends it.
    TurnId,
    /// A plan; its versions share this id.
    PlanId,
    /// One execution of one approved plan version.
    RunId,
    /// A step, unique within its plan (`s1`, `s2`, …; children get `parent/1`).
    StepId,
    /// One tool call, unique everywhere.
    CallId,
    /// Something only a person can settle.
    RequestId,
    /// A plan that a person keeps in the library.
    SavedPlanId,
}

/// The SHA-256 of some content, in lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(transparent)]
pub struct Digest(Arc<str>);

impl Digest {
    /// The digest of raw bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut text = String::with_capacity(64);
        for byte in Sha256::digest(bytes) {
            text.push(char::from(b"0123456789abcdef"[usize::from(byte >> 4)]));
            text.push(char::from(b"0123456789abcdef"[usize::from(byte & 15)]));
        }
        Self(text.into())
    }

    /// The digest of a JSON value in which the order of an object's keys does not count.
    pub fn of_json(value: &Value) -> Self {
        let mut canonical = String::new();
        write_canonical(value, &mut canonical);
        Self::of_bytes(canonical.as_bytes())
    }

    /// A digest that was written down: sixty-four lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == 64 && text.bytes().all(is_digit)).then(|| Self(text.into()))
    }

    /// The sixty-four hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<(&String, &Value)> = map.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (index, (key, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_text(key, out);
                out.push(':');
                write_canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::String(text) => write_text(text, out),
        Value::Null => out.push_str("null"),
        Value::Bool(known) => out.push_str(if *known { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_string()),
    }
}

/// A text as JSON has it. Most need no escape.
fn write_text(text: &str, out: &mut String) {
    if text.bytes().any(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        out.push_str(&Value::from(text).to_string());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Digest;

    #[test]
    fn the_order_of_keys_does_not_change_a_digest_and_a_value_does() {
        let one = Digest::of_json(&json!({"a": [1, {"x": 1, "y": 2}], "b": "ü"}));
        let same = Digest::of_json(&json!({"b": "ü", "a": [1, {"y": 2, "x": 1}]}));
        let other = Digest::of_json(&json!({"b": "ü", "a": [{"y": 2, "x": 1}, 1]}));
        assert_eq!(one, same);
        assert_ne!(one, other);
    }

    #[test]
    fn a_digest_of_json_is_that_of_its_text_with_sorted_keys() {
        let value =
            json!({"z\n": ["ü\u{7f}", "\"\\\u{1}", null, true, false, 1.5, -7, 1e300, {}], "a": {"c": [], "b": 0}});
        let text =
            "{\"a\":{\"b\":0,\"c\":[]},\"z\\n\":[\"ü\u{7f}\",\"\\\"\\\\\\u0001\",null,true,false,1.5,-7,1e+300,{}]}";
        assert_eq!(value["z\n"][7].to_string(), "1e+300");
        assert_eq!(Digest::of_json(&value), Digest::of_bytes(text.as_bytes()));
    }

    #[test]
    fn what_is_no_digest_is_not_read_as_one() {
        let digest = Digest::of_bytes(b"abc");
        assert_eq!(Digest::parse(digest.as_str()), Some(digest.clone()));
        assert_eq!(Digest::parse(&digest.as_str().to_uppercase()), None);
        assert_eq!((Digest::parse("ba78"), Digest::parse(&"g".repeat(64))), (None, None));
    }

    #[test]
    fn bytes_have_the_published_digest() {
        assert_eq!(
            Digest::of_bytes(b"abc").as_str(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
