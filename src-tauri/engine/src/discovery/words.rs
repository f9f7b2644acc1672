//! From a text to the stems that are compared.

use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

/// Words that say nothing about what is wanted.
const STOP: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "could", "do", "does", "for", "from", "have", "how", "i",
    "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "please", "should", "so", "that", "the",
    "their", "them", "then", "there", "these", "this", "to", "was", "we", "what", "when", "which", "will", "with",
    "would", "you", "your",
];

/// Longer words are no words.
const LONGEST: usize = 64;

/// Cuts a text into lower-case words: at everything that is neither letter nor digit, and inside identifiers at a
/// change of case (`readFile`, `HTTPServer`). `each` gets one word at a time.
pub(super) fn cut(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut letters = text.chars().peekable();
    let mut before = None;
    while let Some(letter) = letters.next() {
        let starts = letter.is_uppercase()
            && match (before, letters.peek()) {
                (Some(last), next) => {
                    let last: char = last;
                    last.is_lowercase() || (last.is_uppercase() && next.is_some_and(|next| next.is_lowercase()))
                }
                (None, _) => false,
            };
        if starts || !letter.is_alphanumeric() {
            give(&mut word, &mut each);
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before = letter.is_alphanumeric().then_some(letter);
    }
    give(&mut word, &mut each);
}

fn give(word: &mut String, each: &mut impl FnMut(&str)) {
    if !word.is_empty() && word.len() <= LONGEST {
        each(word);
    }
    word.clear();
}

/// Numbers for stems; a word is stemmed once.
pub(super) struct Vocabulary {
    stemmer: Stemmer,
    /// The stem's number by word; `None` for a stop word.
    words: HashMap<String, Option<u32>>,
    stems: HashMap<String, u32>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        let words = STOP.iter().map(|word| ((*word).to_owned(), None)).collect();
        Self { stemmer: Stemmer::create(Algorithm::English), words, stems: HashMap::new() }
    }
}

impl Vocabulary {
    /// How many stems have a number.
    pub(super) fn len(&self) -> usize {
        self.stems.len()
    }

    /// The number of a word's stem, a new one where it has none; nothing for a stop word.
    pub(super) fn learn(&mut self, word: &str) -> Option<u32> {
        if let Some(known) = self.words.get(word) {
            return *known;
        }
        let next = u32::try_from(self.stems.len()).unwrap_or(u32::MAX);
        let stem = self.stemmer.stem(word).into_owned();
        let number = *self.stems.entry(stem).or_insert(next);
        self.words.insert(word.to_owned(), Some(number));
        Some(number)
    }

    /// The number of a word's stem, if any document has it.
    pub(super) fn find(&self, word: &str) -> Option<u32> {
        match self.words.get(word) {
            Some(known) => *known,
            None => self.stems.get(self.stemmer.stem(word).as_ref()).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        cut(text, |word| out.push(word.to_owned()));
        out
    }

    #[test]
    fn names_are_cut_at_case_underscore_and_dot() {
        assert_eq!(words("mcp.github.create_pull-request"), ["mcp", "github", "create", "pull", "request"]);
        assert_eq!(words("getHTTPServerStatus2"), ["get", "http", "server", "status2"]);
        assert_eq!(words("Finde Straße, ÉcoleÉlève! 日本"), ["finde", "straße", "école", "élève", "日本"]);
        assert_eq!(words(&"x".repeat(1000)), Vec::<String>::new());
    }

    #[test]
    fn forms_of_a_word_share_a_number_and_stop_words_have_none() {
        let mut vocabulary = Vocabulary::default();
        let number = vocabulary.learn("searching");
        assert!(number.is_some());
        assert_eq!((vocabulary.find("searched"), vocabulary.learn("search"), vocabulary.len()), (number, number, 1));
        assert_eq!((vocabulary.find("the"), vocabulary.learn("the"), vocabulary.find("unheard")), (None, None, None));
    }
}
