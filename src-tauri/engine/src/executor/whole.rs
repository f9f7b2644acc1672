//! The whole of a content: where it stands in an event, borrowed from there. And what was made of it before.

use std::ops::Deref;
use std::sync::Arc;

use assent_core::run::Content;
use serde_json::Value;

use super::context::Unmade;
use crate::store::{Blobs, StoreError};

/// A value that stands in an event, or was read from its blob.
pub(super) enum Whole<'c> {
    Here(&'c Value),
    Kept(Arc<Value>),
}

impl Deref for Whole<'_> {
    type Target = Value;

    fn deref(&self) -> &Value {
        match self {
            Self::Here(value) => value,
            Self::Kept(value) => value,
        }
    }
}

impl AsRef<Value> for Whole<'_> {
    fn as_ref(&self) -> &Value {
        self
    }
}

/// Where contents are read.
pub(super) trait Contents {
    /// The whole of a content.
    fn whole<'c>(&self, content: &'c Content) -> Result<Whole<'c>, StoreError>;

    /// What a step gave, as others are told: made now, where it is not known from before.
    fn gave(&self, _at: usize, make: &dyn Fn() -> Result<String, Unmade>) -> Result<Arc<str>, Unmade> {
        make().map(Arc::from)
    }
}

/// Contents as they are stored.
pub(super) struct Stored<'a>(pub(super) &'a dyn Blobs);

impl Contents for Stored<'_> {
    fn whole<'c>(&self, content: &'c Content) -> Result<Whole<'c>, StoreError> {
        match content {
            Content::Inline { inline } => Ok(Whole::Here(inline)),
            Content::Blob { blob, .. } => self.0.blob(blob).map(|bytes| Whole::Kept(Arc::new(Content::decode(&bytes)))),
        }
    }
}
