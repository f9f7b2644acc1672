//! How alike tools and a request are in meaning. Who has an encoder of texts says it; nothing here knows one.

use std::sync::Arc;

/// What shares no word with a request and is not more like it is not looked at: something is always a little alike.
pub(super) const LEAST: f32 = 0.3;

/// How alike in meaning documents are to one request, by id. What has no value is as good as what has nothing in common.
#[derive(Debug, Clone, Default)]
pub struct Likeness(Vec<(Arc<str>, f32)>);

impl Likeness {
    /// From cosines, of which what is negative or no number counts as 0.
    pub fn of<Id: Into<Arc<str>>>(cosines: impl IntoIterator<Item = (Id, f32)>) -> Self {
        Self(cosines.into_iter().filter(|(_, cosine)| cosine.is_finite()).map(|(id, one)| (id.into(), one)).collect())
    }

    /// The ids and their values, from 0 to 1.
    pub(super) fn values(&self) -> impl Iterator<Item = (&str, f32)> {
        self.0.iter().map(|(id, cosine)| (&**id, cosine.clamp(0.0, 1.0)))
    }
}
