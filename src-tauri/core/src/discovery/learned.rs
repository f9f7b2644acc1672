//! What past runs teach: which tool was the right one for what was asked for.

use std::collections::{BTreeMap, HashMap};

use super::words::stems;

/// Intents that are remembered; the one that was taught the longest ago is forgotten first.
const MOST_INTENTS: usize = 2_000;
/// Stems of an intent that count.
const MOST_STEMS: usize = 60;
/// Two requests that share less than this are not alike.
const LEAST_LIKENESS: f32 = 0.5;

/// Intents with the tools that succeeded, as the engine stored them.
#[derive(Debug, Clone, Default)]
pub struct Learned {
    intents: BTreeMap<u64, Intent>,
    by_stems: HashMap<Vec<String>, u64>,
    /// The intents that have a stem.
    postings: HashMap<String, Vec<u64>>,
    next: u64,
}

#[derive(Debug, Clone)]
struct Intent {
    /// Ascending, each once.
    stems: Vec<String>,
    /// Successful calls by tool.
    tools: BTreeMap<String, u32>,
    /// When it was taught last: higher is later.
    taught: u64,
}

impl Learned {
    /// Takes note of so many successful calls of a tool for an intent. An intent without a word teaches nothing.
    pub fn teach(&mut self, intent: &str, tool: &str, times: u32) {
        let mut said = stems(intent, MOST_STEMS);
        said.sort_unstable();
        said.dedup();
        if said.is_empty() || times == 0 {
            return;
        }
        let key = match self.by_stems.get(&said) {
            Some(key) => *key,
            None => self.remember(said),
        };
        let now = self.tick();
        if let Some(intent) = self.intents.get_mut(&key) {
            intent.taught = now;
            let count = intent.tools.entry(tool.to_owned()).or_default();
            *count = count.saturating_add(times);
        }
    }

    /// Forgets everything about a tool.
    pub fn forget(&mut self, tool: &str) {
        for intent in self.intents.values_mut() {
            intent.tools.remove(tool);
        }
    }

    /// How near past requests were for which a tool was the right one, by tool: from above 0 for half the same words
    /// to 1 for the same words, and less where other tools were right as often.
    pub fn nearness(&self, request: &str) -> HashMap<String, f32> {
        let mut said = stems(request, MOST_STEMS);
        said.sort_unstable();
        said.dedup();
        let mut shared: BTreeMap<u64, usize> = BTreeMap::new();
        for key in said.iter().filter_map(|stem| self.postings.get(stem)).flatten() {
            *shared.entry(*key).or_default() += 1;
        }
        let mut nearness: HashMap<String, f32> = HashMap::new();
        for (key, shared) in shared {
            let Some(intent) = self.intents.get(&key) else { continue };
            let union = said.len() + intent.stems.len() - shared;
            let likeness = shared as f32 / union.max(1) as f32;
            let calls = intent.tools.values().fold(0_u32, |sum, count| sum.saturating_add(*count));
            for (tool, count) in intent.tools.iter().filter(|_| likeness >= LEAST_LIKENESS) {
                let value = likeness * *count as f32 / calls.max(1) as f32;
                let near = nearness.entry(tool.clone()).or_default();
                *near = near.max(value);
            }
        }
        nearness
    }

    fn remember(&mut self, stems: Vec<String>) -> u64 {
        if self.intents.len() >= MOST_INTENTS {
            self.forget_oldest();
        }
        let key = self.tick();
        for stem in &stems {
            self.postings.entry(stem.clone()).or_default().push(key);
        }
        self.by_stems.insert(stems.clone(), key);
        self.intents.insert(key, Intent { stems, tools: BTreeMap::new(), taught: key });
        key
    }

    /// The next number: what has a lower one was before it.
    fn tick(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn forget_oldest(&mut self) {
        let oldest = self.intents.iter().min_by_key(|(_, intent)| intent.taught).map(|(key, _)| *key);
        let Some((key, intent)) = oldest.and_then(|key| self.intents.remove_entry(&key)) else { return };
        self.by_stems.remove(&intent.stems);
        for stem in &intent.stems {
            if let Some(keys) = self.postings.get_mut(stem) {
                keys.retain(|other| *other != key);
                if keys.is_empty() {
                    self.postings.remove(stem);
                }
            }
        }
    }
}
