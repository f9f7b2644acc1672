//! An inverted index over texts.
//!
//! Source of the ranking: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with
//! the idf and the term weight that Lucene uses (idf never negative, no factor k1 + 1).

use assent_core::order::sort_by;
use indexmap::IndexMap;

use super::words::{Vocabulary, cut};

const K1: f32 = 1.2;
const B: f32 = 0.75;
/// Words of one text that count; what follows in an overlong one is left out.
const MOST_WORDS: usize = 2000;
/// Words of one query that count.
const MOST_QUERY_WORDS: usize = 200;

/// A text that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    /// Which, in the order in which texts were added, from 0.
    pub place: usize,
    /// How well it fits; comparable only within one search.
    pub score: f32,
}

/// Texts by their words.
#[derive(Default)]
pub(crate) struct Index {
    vocabulary: Vocabulary,
    /// For each stem, the places of the texts that have it, ascending, with how often.
    postings: Vec<Vec<(usize, u32)>>,
    /// Words of each text.
    lengths: Vec<usize>,
}

impl Index {
    /// Adds a text behind the others.
    pub fn add(&mut self, text: &str) {
        let mut numbers = Vec::new();
        let vocabulary = &mut self.vocabulary;
        cut(text, |word| {
            if numbers.len() < MOST_WORDS {
                numbers.extend(vocabulary.learn(word));
            }
        });
        let place = self.lengths.len();
        self.lengths.push(numbers.len());
        self.postings.resize_with(self.vocabulary.len(), Vec::new);
        for (stem, count) in counted(numbers) {
            self.postings[stem as usize].push((place, count));
        }
    }

    /// The best of the wanted texts for a query, the best first; equal ones in their order. Nothing that shares no word
    /// with the query.
    pub fn search(&self, query: &str, limit: usize, wanted: impl Fn(usize) -> bool) -> Vec<Hit> {
        let scores = self.scores(query).into_iter().enumerate();
        let hits = scores.filter(|(place, score)| *score > 0.0 && wanted(*place));
        let mut hits: Vec<Hit> = hits.map(|(place, score)| Hit { place, score }).collect();
        // Stable: what is equal stays in its order.
        sort_by(&mut hits, |one, other| other.score.total_cmp(&one.score));
        hits.truncate(limit);
        hits
    }

    /// The score of every text.
    fn scores(&self, query: &str) -> Vec<f32> {
        let mut numbers = Vec::new();
        let mut left = MOST_QUERY_WORDS;
        cut(query, |word| {
            if left > 0 {
                left -= 1;
                numbers.extend(self.vocabulary.find(word));
            }
        });
        let mut scores = vec![0.0_f32; self.lengths.len()];
        let texts = self.lengths.len() as f32;
        let average = (self.lengths.iter().sum::<usize>() as f32 / texts.max(1.0)).max(1.0);
        for (stem, times) in counted(numbers) {
            let list = &self.postings[stem as usize];
            let having = list.len() as f32;
            let idf = (1.0 + (texts - having + 0.5) / (having + 0.5)).ln() * times as f32;
            for (place, count) in list {
                let (length, count) = (self.lengths[*place] as f32, *count as f32);
                scores[*place] += idf * count / (count + K1 * (1.0 - B + B * length / average));
            }
        }
        scores
    }
}

/// Numbers with how often each occurs, in the order in which they first do: sums must not depend on how stems are
/// numbered.
fn counted(numbers: Vec<u32>) -> Vec<(u32, u32)> {
    let mut counted: IndexMap<u32, u32> = IndexMap::new();
    for number in numbers {
        *counted.entry(number).or_default() += 1;
    }
    counted.into_iter().collect()
}

#[cfg(test)]
mod tests;
