//! How alike tools and a request are in meaning. Who has an encoder of texts says it; nothing here knows one.

use std::sync::Arc;

use indexmap::IndexSet;

/// What shares no word with a request and is not more like it is not looked at: something is always a little alike.
const LEAST: f32 = 0.3;

/// How alike in meaning documents are to one request, by id. What has no value is as good as what has nothing in common.
#[derive(Debug, Clone, Default)]
pub struct Likeness {
    ids: Arc<IndexSet<Arc<str>>>,
    cosines: Vec<f32>,
}

impl Likeness {
    /// From cosines in the order of the ids, of which what is negative or no number counts as 0.
    pub fn of(ids: Arc<IndexSet<Arc<str>>>, cosines: Vec<f32>) -> Self {
        Self { ids, cosines }
    }

    /// Whether nothing was compared.
    pub(super) fn is_empty(&self) -> bool {
        self.cosines.is_empty()
    }

    /// The value of a document, from 0 to 1.
    pub(super) fn of_id(&self, id: &str) -> f32 {
        let cosine = self.ids.get_index_of(id).and_then(|at| self.cosines.get(at));
        cosine.copied().filter(|cosine| cosine.is_finite()).unwrap_or(0.0).clamp(0.0, 1.0)
    }

    /// The ids that are near enough to be looked at, with their values.
    pub(super) fn near(&self) -> impl Iterator<Item = (&str, f32)> {
        let near = self.cosines.iter().enumerate().filter(|(_, cosine)| **cosine > LEAST && cosine.is_finite());
        near.filter_map(|(at, cosine)| Some((&**self.ids.get_index(at)?, cosine.min(1.0))))
    }
}
