//! How alike tools and a request are in meaning. Who has an encoder of texts says it; nothing here knows one.

use std::collections::HashMap;

/// What shares no word with a request and is less like it is not looked at: something is always a little alike.
const LEAST: f32 = 0.3;

/// How alike in meaning documents are to one request, by id. What has no value is as good as what has nothing in common.
#[derive(Debug, Clone, Default)]
pub struct Likeness(HashMap<String, f32>);

impl Likeness {
    /// From cosines, of which what is negative or no number counts as 0.
    pub fn of(cosines: impl IntoIterator<Item = (String, f32)>) -> Self {
        Self(cosines.into_iter().filter(|(_, cosine)| cosine.is_finite()).collect())
    }

    /// The value of a document, from 0 to 1.
    pub(super) fn of_id(&self, id: &str) -> f32 {
        self.0.get(id).copied().unwrap_or(0.0).clamp(0.0, 1.0)
    }

    /// The wanted ids that are the most alike, in no order.
    pub(super) fn best(&self, most: usize, wants: impl Fn(&str) -> bool) -> Vec<&str> {
        let near = self.0.iter().filter(|(id, value)| **value >= LEAST && wants(id));
        let mut near: Vec<(&str, f32)> = near.map(|(id, value)| (id.as_str(), *value)).collect();
        if most < near.len() {
            // Of equal ones the first by id: nothing hangs on what came first.
            near.select_nth_unstable_by(most, |one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(other.0)));
            near.truncate(most);
        }
        near.into_iter().map(|(id, _)| id).collect()
    }
}
