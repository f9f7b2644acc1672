//! An inverted index that grows and shrinks one document at a time.
//!
//! Source of the ranking: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with
//! the idf and the term weight that Lucene uses (idf never negative, no factor k1 + 1).

use std::collections::HashMap;

use super::words::{Vocabulary, cut};

const K1: f32 = 1.2;
const B: f32 = 0.75;
/// Words of one document that count; what follows in an overlong description is left out.
const MOST_WORDS: usize = 2000;
/// Words of one query that count.
const MOST_QUERY_WORDS: usize = 200;

/// Something that can be found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Unique in the index.
    pub id: String,
    /// A name or title; words of it weigh like others, an exact match comes first. May be empty.
    pub name: String,
    /// Everything else it says.
    pub text: String,
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// How well it fits; comparable only within one search.
    pub score: f32,
    /// Whether the query names it exactly.
    pub exact: bool,
}

/// Documents by their words.
#[derive(Default)]
pub struct Index {
    vocabulary: Vocabulary,
    /// For each stem, the places of the documents that have it, ascending, with how often.
    postings: Vec<Vec<(u32, u32)>>,
    /// Documents by place; a freed place is used again.
    places: Vec<Option<Entry>>,
    free: Vec<u32>,
    by_id: HashMap<String, u32>,
    /// Ids by name in lower case, each list sorted.
    by_name: HashMap<String, Vec<String>>,
    /// Words of all documents together.
    length: u64,
}

struct Entry {
    document: Document,
    /// Its stems with how often, ascending.
    stems: Vec<(u32, u32)>,
    length: u32,
}

impl Index {
    /// An index of some documents.
    pub fn of(documents: impl IntoIterator<Item = Document>) -> Self {
        let mut index = Self::default();
        for document in documents {
            index.add(document);
        }
        index
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// The document with this id.
    pub fn get(&self, id: &str) -> Option<&Document> {
        let place = *self.by_id.get(id)?;
        self.places.get(place as usize)?.as_ref().map(|entry| &entry.document)
    }

    /// Adds a document, in place of one with the same id.
    pub fn add(&mut self, document: Document) {
        self.remove(&document.id);
        let mut numbers = Vec::new();
        let vocabulary = &mut self.vocabulary;
        for text in [&document.name, &document.text] {
            cut(text, |word| {
                if numbers.len() < MOST_WORDS {
                    numbers.extend(vocabulary.learn(word));
                }
            });
        }
        let length = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        let stems = counted(numbers);
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            u32::try_from(self.places.len() - 1).unwrap_or(u32::MAX)
        });
        self.postings.resize_with(self.vocabulary.len(), Vec::new);
        for (stem, count) in &stems {
            let list = &mut self.postings[*stem as usize];
            let at = list.partition_point(|(other, _)| *other < place);
            list.insert(at, (place, *count));
        }
        let named = self.by_name.entry(document.name.to_lowercase()).or_default();
        let at = named.partition_point(|other| *other < document.id);
        named.insert(at, document.id.clone());
        self.by_id.insert(document.id.clone(), place);
        self.length += u64::from(length);
        self.places[place as usize] = Some(Entry { document, stems, length });
    }

    /// Removes a document; whether it was there.
    pub fn remove(&mut self, id: &str) -> bool {
        let Some(place) = self.by_id.remove(id) else {
            return false;
        };
        let Some(entry) = self.places[place as usize].take() else {
            return false;
        };
        for (stem, _) in &entry.stems {
            let list = &mut self.postings[*stem as usize];
            if let Ok(at) = list.binary_search_by_key(&place, |(other, _)| *other) {
                list.remove(at);
            }
        }
        let name = entry.document.name.to_lowercase();
        if let Some(named) = self.by_name.get_mut(&name) {
            named.retain(|other| other != id);
            if named.is_empty() {
                self.by_name.remove(&name);
            }
        }
        self.length -= u64::from(entry.length);
        self.free.push(place);
        true
    }

    /// The best documents for a query, the best first: those that it names exactly, then by rank; equal ones in the
    /// order of their ids. Nothing that shares no word with the query.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.search_where(query, limit, |_| true)
    }

    /// The same among the documents that are wanted.
    pub fn search_where(&self, query: &str, limit: usize, wanted: impl Fn(&str) -> bool) -> Vec<Hit> {
        let exact = self.named_in(query);
        let scores = self.scores(query);
        let mut ranked: Vec<(bool, f32, &str)> = Vec::new();
        for (place, score) in scores.iter().enumerate().filter(|(_, score)| **score > 0.0) {
            if let Some(entry) = &self.places[place] {
                ranked.push((false, *score, &entry.document.id));
            }
        }
        for id in exact.iter().rev() {
            match ranked.iter_mut().find(|(_, _, other)| other == id) {
                Some(found) => found.0 = true,
                None => ranked.push((true, 0.0, id)),
            }
        }
        ranked.retain(|(_, _, id)| wanted(id));
        let order = |one: &(bool, f32, &str), other: &(bool, f32, &str)| {
            other.0.cmp(&one.0).then_with(|| other.1.total_cmp(&one.1)).then_with(|| one.2.cmp(other.2))
        };
        if limit < ranked.len() && limit > 0 {
            ranked.select_nth_unstable_by(limit - 1, order);
        }
        ranked.truncate(limit);
        ranked.sort_unstable_by(order);
        ranked.into_iter().map(|(exact, score, id)| Hit { id: id.to_owned(), score, exact }).collect()
    }

    /// The ids that a query names: the whole query is a name, or one of its words is an identifier and a name.
    fn named_in(&self, query: &str) -> Vec<&str> {
        let mut names = vec![query.trim()];
        names.extend(query.split_whitespace().map(bare).filter(|word| is_identifier(word)));
        let mut found: Vec<&str> = Vec::new();
        for name in names {
            for id in self.by_name.get(&name.to_lowercase()).into_iter().flatten() {
                if !name.is_empty() && !found.contains(&id.as_str()) {
                    found.push(id);
                }
            }
        }
        found
    }

    /// The score of every place.
    fn scores(&self, query: &str) -> Vec<f32> {
        let mut numbers = Vec::new();
        let mut left = MOST_QUERY_WORDS;
        cut(query, |word| {
            if left > 0 {
                left -= 1;
                numbers.extend(self.vocabulary.find(word));
            }
        });
        let mut scores = vec![0.0_f32; self.places.len()];
        let documents = self.by_id.len() as f32;
        let average = (self.length as f32 / documents.max(1.0)).max(1.0);
        for (stem, times) in in_query_order(numbers) {
            let list = &self.postings[stem as usize];
            let having = list.len() as f32;
            let idf = (1.0 + (documents - having + 0.5) / (having + 0.5)).ln() * times as f32;
            for (place, count) in list {
                let length = self.places[*place as usize].as_ref().map_or(0, |entry| entry.length) as f32;
                let count = *count as f32;
                scores[*place as usize] += idf * count / (count + K1 * (1.0 - B + B * length / average));
            }
        }
        scores
    }
}

/// Numbers with how often each occurs, ascending.
fn counted(mut numbers: Vec<u32>) -> Vec<(u32, u32)> {
    numbers.sort_unstable();
    let mut counted: Vec<(u32, u32)> = Vec::with_capacity(numbers.len());
    for number in numbers {
        match counted.last_mut() {
            Some((last, times)) if *last == number => *times += 1,
            _ => counted.push((number, 1)),
        }
    }
    counted
}

/// Numbers with how often each occurs, in the order of the query: sums must not depend on how stems are numbered.
fn in_query_order(numbers: Vec<u32>) -> Vec<(u32, u32)> {
    let mut counted: Vec<(u32, u32)> = Vec::with_capacity(numbers.len());
    for number in numbers {
        match counted.iter_mut().find(|(other, _)| *other == number) {
            Some((_, times)) => *times += 1,
            None => counted.push((number, 1)),
        }
    }
    counted
}

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

/// Whether a word is written as code is: `read` is not, `read_file`, `readFile` and `mcp.read` are.
fn is_identifier(word: &str) -> bool {
    let inner =
        |letter: char| matches!(letter, '_' | '.' | '-' | '/') || letter.is_ascii_digit() || letter.is_uppercase();
    word.chars().skip(1).any(inner)
}

#[cfg(test)]
mod tests;
