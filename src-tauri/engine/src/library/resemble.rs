//! Whether a message resembles one that a saved plan was made for: what both are about, apart from the values in them.
//!
//! The measure is the cosine of two sets of stems, each weighed by how seldom it is among the messages that are known
//! (idf); a stem that stands for another counts for a part. No model is asked and nothing leaves the machine. The threshold
//! was set on messages that are not those of the test that holds it: `tests.rs` has both.

use std::collections::{BTreeMap, BTreeSet};

use assent_core::discovery::{stands_for, stems};

use crate::planner::without_values;

/// Stems of a text that count.
const MOST_STEMS: usize = 60;
/// What a stem counts that only stands for another.
const PART: f32 = 0.7;
/// A message resembles another from here on.
pub(super) const RESEMBLES: f32 = 0.5;
/// So many topics have to be shared: one word alone says nothing.
const LEAST_SHARED: usize = 2;

/// What a text is about.
#[derive(Debug, Clone, Default)]
pub(super) struct Topics(BTreeSet<String>);

impl Topics {
    pub(super) fn of(text: &str) -> Self {
        Self(stems(&without_values(text), MOST_STEMS).into_iter().collect())
    }
}

/// How much the stems of some messages say.
pub(super) struct Weights {
    /// How many texts have a stem.
    having: BTreeMap<String, usize>,
    texts: usize,
}

impl Weights {
    pub(super) fn of<'t>(texts: impl Iterator<Item = &'t Topics>) -> Self {
        let mut weights = Self { having: BTreeMap::new(), texts: 0 };
        for text in texts {
            weights.texts += 1;
            text.0.iter().for_each(|stem| *weights.having.entry(stem.clone()).or_default() += 1);
        }
        weights
    }

    fn of_stem(&self, stem: &str) -> f32 {
        let having = self.having.get(stem).copied().unwrap_or_default() as f32;
        (1.0 + (self.texts as f32 + 1.0) / (having + 1.0)).ln()
    }

    fn norm(&self, topics: &Topics) -> f32 {
        topics.0.iter().map(|stem| self.of_stem(stem).powi(2)).sum::<f32>().sqrt()
    }

    /// From 0, nothing in common, to 1, the same topics.
    pub(super) fn likeness(&self, one: &Topics, other: &Topics) -> f32 {
        let (mut shared, mut count) = (0.0, 0);
        for stem in &one.0 {
            if other.0.contains(stem) {
                shared += self.of_stem(stem).powi(2);
                count += 1;
            } else if let Some(near) = other.0.iter().find(|near| !one.0.contains(*near) && stands_for(stem, near)) {
                shared += PART * self.of_stem(stem) * self.of_stem(near);
                count += 1;
            }
        }
        let whole = self.norm(one) * self.norm(other);
        let least = LEAST_SHARED.min(one.0.len()).min(other.0.len());
        if whole == 0.0 || count < least { 0.0 } else { (shared / whole).min(1.0) }
    }
}
