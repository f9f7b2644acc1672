//! An inverted index over the fields of tools that grows and shrinks one tool at a time.
//!
//! Source of the weights of words: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond"
//! (2009), BM25F with Lucene's idf. Fields are measured against fixed lengths and not against the average of what is
//! there, so that one tool more changes nothing but how rare its words are.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use super::document::Document;
use super::likeness::Likeness;
use super::rank::{Comparison, Reasons, rank};
use super::request::Request;
use super::words::{Vocabulary, clipped, cut};

/// How soon a repeated word adds nothing more.
const K1: f32 = 1.2;

/// How a field counts.
struct Field {
    /// What a word in it weighs. The values that a parameter may have say exactly what a tool can do; what is said of
    /// parameters is mostly about formats.
    weight: f32,
    /// How much a long field's words are discounted, from 0 to 1.
    slope: f32,
    /// Words of an ordinary tool in it.
    ordinary: f32,
    /// Words that count; what follows in an overlong one is left out.
    most: usize,
}

/// The fields in the order of [`Document::fields`]: name, description, parameters' names, notes, values.
const FIELDS: [Field; 5] = [
    Field { weight: 1.0, slope: 0.5, ordinary: 3.0, most: 40 },
    Field { weight: 1.0, slope: 0.75, ordinary: 10.0, most: 400 },
    Field { weight: 0.5, slope: 0.75, ordinary: 5.0, most: 200 },
    Field { weight: 0.3, slope: 0.75, ordinary: 25.0, most: 400 },
    Field { weight: 2.0, slope: 0.3, ordinary: 5.0, most: 300 },
];

/// What a word counts that only stands for a word of the request: half would let two guesses outweigh a word that is
/// really there.
const STANDS_FOR: f32 = 0.4;

/// Documents that are compared in detail: the best for a whole request, and for each of its parts. More change nothing
/// but the time.
const CANDIDATES: usize = 120;
const CANDIDATES_OF_A_PART: usize = 25;

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// How well it fits; comparable only within one search.
    pub score: f32,
    /// Whether the request names it exactly.
    pub exact: bool,
    /// What the score is made of.
    pub reasons: Reasons,
}

/// Documents by their words.
#[derive(Default)]
pub struct Index {
    vocabulary: Vocabulary,
    /// For each stem, the places of the documents that have it, ascending, with its weight there.
    postings: Vec<Vec<(u32, f32)>>,
    /// Documents by place; a freed place is used again.
    places: Vec<Option<Entry>>,
    free: Vec<u32>,
    by_id: HashMap<String, u32>,
    /// Ids by name, and by what stands behind the last dot of a name, in lower case.
    by_name: HashMap<String, BTreeSet<String>>,
    /// How rare each stem is, since the last change.
    rarity: OnceLock<Vec<f32>>,
}

/// A word of a request as the documents have it.
pub(super) struct Word {
    /// What stands for it, with what that counts: 1 for itself.
    pub counts: Vec<(u32, f32)>,
    /// The parts of the request in which it occurs, as bits.
    pub parts: u32,
}

/// A document as it is compared in detail.
pub(super) struct Entry {
    pub id: String,
    pub name: String,
    /// All its stems, ascending.
    stems: Vec<u32>,
    /// The stems of its name and of its description, in order.
    pub title: Vec<u32>,
    pub description: Vec<u32>,
    /// The stems of its parameters' names and notes, ascending.
    pub parameters: Vec<u32>,
    pub required: usize,
    pub required_numbers: usize,
}

impl Index {
    /// An index of some documents.
    pub fn of(documents: impl IntoIterator<Item = Document>) -> Self {
        let mut index = Self::default();
        for document in documents {
            index.add(&document);
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

    /// Adds a document, in place of one with the same id.
    pub fn add(&mut self, document: &Document) {
        self.remove(&document.id);
        self.rarity = OnceLock::new();
        let fields: Vec<Vec<u32>> =
            FIELDS.iter().zip(document.fields()).map(|(field, text)| self.learn(text, field.most)).collect();
        let weights = weights(&fields);
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            u32::try_from(self.places.len() - 1).unwrap_or(u32::MAX)
        });
        self.postings.resize_with(self.vocabulary.len(), Vec::new);
        for (stem, weight) in &weights {
            let list = &mut self.postings[*stem as usize];
            let at = list.partition_point(|(other, _)| *other < place);
            list.insert(at, (place, *weight));
        }
        for name in names(&document.name) {
            self.by_name.entry(name).or_default().insert(document.id.clone());
        }
        self.by_id.insert(document.id.clone(), place);
        let [title, description, names, notes, _] = fields.try_into().unwrap_or_default();
        let mut parameters = [names, notes].concat();
        parameters.sort_unstable();
        parameters.dedup();
        self.places[place as usize] = Some(Entry {
            id: document.id.clone(),
            name: document.name.clone(),
            stems: weights.into_iter().map(|(stem, _)| stem).collect(),
            title,
            description,
            parameters,
            required: document.required,
            required_numbers: document.required_numbers,
        });
    }

    /// Removes a document; whether it was there.
    pub fn remove(&mut self, id: &str) -> bool {
        let Some(place) = self.by_id.remove(id) else { return false };
        let Some(entry) = self.places.get_mut(place as usize).and_then(Option::take) else { return false };
        self.rarity = OnceLock::new();
        for stem in &entry.stems {
            let list = &mut self.postings[*stem as usize];
            if let Ok(at) = list.binary_search_by_key(&place, |(other, _)| *other) {
                list.remove(at);
            }
        }
        for name in names(&entry.name) {
            if let Some(ids) = self.by_name.get_mut(&name) {
                ids.remove(id);
                if ids.is_empty() {
                    self.by_name.remove(&name);
                }
            }
        }
        self.free.push(place);
        true
    }

    /// The best documents for a request, the best first: those that it names exactly, then by rank; equal ones in the
    /// order of their ids. Nothing that has nothing to do with the request.
    pub fn search(&self, request: &str, limit: usize) -> Vec<Hit> {
        self.search_where(request, limit, None, &HashMap::new(), &Likeness::default())
    }

    /// The same among the documents whose id is wanted. `taught` says by id how near past requests were for which the
    /// document was the right one, from 0 to 1; `alike`, how alike it is in meaning.
    pub fn search_where(
        &self,
        text: &str,
        limit: usize,
        wanted: Option<&dyn Fn(&str) -> bool>,
        taught: &HashMap<String, f32>,
        alike: &Likeness,
    ) -> Vec<Hit> {
        let request = Request::of(text, &self.vocabulary);
        let words = self.words_of(&request);
        let scores = self.weigh(&words, request.parts);
        let exact = self.named_in(text);
        let wants = |place: u32| wanted.is_none_or(|wanted| self.entry(place).is_some_and(|entry| wanted(&entry.id)));
        let mut candidates = Vec::new();
        for (at, scores) in scores.iter().enumerate() {
            let most = if at == 0 { CANDIDATES } else { CANDIDATES_OF_A_PART };
            candidates.extend(self.best(scores, most, wants));
        }
        candidates.extend(self.near(alike, wants));
        let named = taught.keys().chain(exact.iter().copied()).filter_map(|id| self.by_id.get(id));
        candidates.extend(named.filter(|place| wants(**place)));
        candidates.sort_unstable();
        candidates.dedup();
        let comparison = Comparison::of(&request, &words, scores, self);
        let mut hits: Vec<Hit> = candidates
            .into_iter()
            .filter_map(|place| Some((place, self.entry(place)?)))
            .map(|(place, entry)| {
                let taught = taught.get(&entry.id).copied().unwrap_or(0.0);
                let reasons = comparison.with(place, entry, taught, alike.of_id(&entry.id));
                Hit { id: entry.id.clone(), score: rank(&reasons), exact: exact.contains(&&entry.id), reasons }
            })
            .collect();
        hits.sort_unstable_by(|one, other| {
            let order = other.exact.cmp(&one.exact).then_with(|| other.score.total_cmp(&one.score));
            order.then_with(|| one.id.cmp(&other.id))
        });
        hits.truncate(limit);
        hits
    }

    /// How rare each stem is: 0 where every document has it.
    pub(super) fn rarity(&self) -> &[f32] {
        self.rarity.get_or_init(|| {
            let documents = self.by_id.len() as f32;
            let rarity = |list: &Vec<(u32, f32)>| {
                let having = list.len() as f32;
                (1.0 + (documents - having + 0.5) / (having + 0.5)).ln()
            };
            self.postings.iter().map(rarity).collect()
        })
    }

    fn words_of(&self, request: &Request) -> Vec<Word> {
        request.stems.iter().map(|(stem, parts)| Word { counts: self.stand_ins(stem), parts: *parts }).collect()
    }

    /// What stands for a stem of a request among the words of the documents, with what it counts.
    fn stand_ins(&self, stem: &str) -> Vec<(u32, f32)> {
        let rarity = self.rarity();
        let own = self.vocabulary.number(stem).filter(|number| !self.postings[*number as usize].is_empty());
        let mut found: Vec<(u32, f32)> = own.map(|number| (number, 1.0)).into_iter().collect();
        let others = self.vocabulary.synonyms(stem).chain(self.vocabulary.relatives(stem));
        for other in others.filter(|other| Some(*other) != own) {
            // A common word must not count as a rare one because a rare word stands for it.
            let share = |own: u32| (rarity[own as usize] / rarity[other as usize].max(f32::EPSILON)).min(1.0);
            found.push((other, STANDS_FOR * own.map_or(1.0, share)));
        }
        found
    }

    /// The number of a stem.
    pub(super) fn number(&self, stem: &str) -> Option<u32> {
        self.vocabulary.number(stem)
    }

    fn entry(&self, place: u32) -> Option<&Entry> {
        self.places.get(place as usize).and_then(Option::as_ref)
    }

    fn learn(&mut self, text: &str, most: usize) -> Vec<u32> {
        let mut numbers = Vec::new();
        let vocabulary = &mut self.vocabulary;
        cut(text, |word| {
            if numbers.len() < most {
                numbers.extend(vocabulary.learn(word));
            }
        });
        numbers
    }

    /// The score of every place for the whole request and, if there are several, for each part. Each stem counts once for
    /// a document, by the best of what stands for it: a request says "information" in every sentence.
    fn weigh(&self, words: &[Word], parts: usize) -> Vec<Vec<f32>> {
        let rarity = self.rarity();
        let several = if parts > 1 { parts } else { 0 };
        let mut scores = vec![vec![0.0_f32; self.places.len()]; 1 + several];
        let mut best = vec![0.0_f32; self.places.len()];
        let mut touched: Vec<u32> = Vec::new();
        for word in words {
            for (number, counts) in &word.counts {
                let factor = counts * rarity[*number as usize];
                for (place, weight) in &self.postings[*number as usize] {
                    let here = &mut best[*place as usize];
                    if *here == 0.0 {
                        touched.push(*place);
                    }
                    *here = here.max(factor * weight);
                }
            }
            for place in touched.drain(..) {
                let value = std::mem::take(&mut best[place as usize]);
                for (at, scores) in scores.iter_mut().enumerate() {
                    if at == 0 || word.parts & (1 << (at - 1)) != 0 {
                        scores[place as usize] += value;
                    }
                }
            }
        }
        scores
    }

    /// The wanted places that are the most alike in meaning.
    fn near(&self, alike: &Likeness, wants: impl Fn(u32) -> bool) -> Vec<u32> {
        let near = alike.near().filter_map(|(id, value)| Some((value, *self.by_id.get(id)?)));
        self.first(near.filter(|(_, place)| wants(*place)).collect(), CANDIDATES)
    }

    /// The wanted places with the best scores, none without a score.
    fn best(&self, scores: &[f32], most: usize, wants: impl Fn(u32) -> bool) -> Vec<u32> {
        let scored = (0_u32..).zip(scores).filter(|(place, score)| **score > 0.0 && wants(*place));
        self.first(scored.map(|(place, score)| (*score, place)).collect(), most)
    }

    /// The places with the highest values, in no order.
    fn first(&self, mut found: Vec<(f32, u32)>, most: usize) -> Vec<u32> {
        if most < found.len() {
            // Which of equal ones are in must not hang on their places, which are a matter of what came first.
            let id = |place: u32| self.entry(place).map(|entry| &entry.id);
            found.select_nth_unstable_by(most, |one, other| {
                other.0.total_cmp(&one.0).then_with(|| id(one.1).cmp(&id(other.1)))
            });
            found.truncate(most);
        }
        found.into_iter().map(|(_, place)| place).collect()
    }

    /// The ids that a request names: the whole of it is a name, or one of its words is an identifier and a name.
    fn named_in(&self, request: &str) -> Vec<&String> {
        let request = clipped(request);
        let words = request.split_whitespace().map(bare).filter(|word| is_identifier(word));
        let names = std::iter::once(request.trim()).chain(words).filter(|name| !name.is_empty());
        names.filter_map(|name| self.by_name.get(&name.to_lowercase())).flatten().collect()
    }
}

/// The stems of a document with their weights, ascending.
fn weights(fields: &[Vec<u32>]) -> Vec<(u32, f32)> {
    let mut all: Vec<(u32, f32)> = Vec::new();
    for (field, stems) in FIELDS.iter().zip(fields) {
        let one = field.weight / (1.0 - field.slope + field.slope * stems.len() as f32 / field.ordinary);
        all.extend(stems.iter().map(|stem| (*stem, one)));
    }
    all.sort_by_key(|(stem, _)| *stem);
    let mut summed: Vec<(u32, f32)> = Vec::with_capacity(all.len());
    for (stem, weight) in all {
        match summed.last_mut() {
            Some((last, sum)) if *last == stem => *sum += weight,
            _ => summed.push((stem, weight)),
        }
    }
    summed.into_iter().map(|(stem, weight)| (stem, weight / (weight + K1))).collect()
}

/// How a document may be named: by its whole name, and without what stands before the last dot, such as a server.
fn names(name: &str) -> BTreeSet<String> {
    let last = name.rsplit('.').next().unwrap_or_default();
    [name, last].into_iter().filter(|name| !name.is_empty()).map(str::to_lowercase).collect()
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
