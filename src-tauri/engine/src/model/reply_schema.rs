//! The schema of a reply with its compiled form beside it.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use assent_core::contract::Schema;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The schema that a reply has to fit. It is compiled when the first reply is held against it, once for all copies of it:
/// whoever asks for the same again keeps it.
#[derive(Clone)]
pub struct ReplySchema(Arc<Inner>);

struct Inner {
    source: Value,
    /// `None` where it cannot be compiled.
    compiled: OnceLock<Option<Schema>>,
}

impl ReplySchema {
    /// The compiled form; `None` where nothing can be checked against it.
    pub fn compiled(&self) -> Option<&Schema> {
        self.0.compiled.get_or_init(|| Schema::compile(self.0.source.clone()).ok()).as_ref()
    }
}

impl From<Value> for ReplySchema {
    fn from(source: Value) -> Self {
        Self(Arc::new(Inner { source, compiled: OnceLock::new() }))
    }
}

impl Deref for ReplySchema {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0.source
    }
}

impl Serialize for ReplySchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.source.serialize(serializer)
    }
}

impl PartialEq for ReplySchema {
    fn eq(&self, other: &Self) -> bool {
        self.0.source == other.0.source
    }
}

impl fmt::Debug for ReplySchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ReplySchema").field(&self.0.source).finish()
    }
}
