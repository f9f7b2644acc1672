//! From texts to stems, and which stems stand for each other.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

/// English words that say nothing about which tool is wanted: articles, pronouns, polite phrases.
static STOP: LazyLock<HashSet<&'static str>> = LazyLock::new(|| include_str!("stop.txt").split_whitespace().collect());

/// Stems that stand for each other in requests and names of tools, by stem.
static SYNONYMS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut synonyms: HashMap<String, Vec<String>> = HashMap::new();
    for group in include_str!("synonyms.txt").lines() {
        let stems: Vec<String> = group.split_whitespace().map(|word| stemmer.stem(word).into_owned()).collect();
        for stem in &stems {
            let others = stems.iter().filter(|other| *other != stem).cloned();
            synonyms.entry(stem.clone()).or_default().extend(others);
        }
    }
    synonyms
});

/// Bytes of a text that are looked at; the rest of an overlong one is left out.
pub(super) const MOST_TEXT: usize = 16_000;

/// A longer run of letters is no word.
const LONGEST: usize = 64;

/// The beginning of a text, whole characters, at most [`MOST_TEXT`] bytes.
pub(super) fn clipped(text: &str) -> &str {
    let mut end = text.len().min(MOST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Cuts a text into lower-case words: at everything that is neither letter nor digit, between letters and digits, and
/// inside identifiers at a change of case (`readFile`, `HTTPServer`). Scripts that are written without spaces are cut
/// at every sign. `each` gets one word at a time.
pub(super) fn cut(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut letters = text.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(letter) = letters.next() {
        let starts = before.is_some_and(|last| {
            let humps = letter.is_uppercase()
                && (last.is_lowercase()
                    || (last.is_uppercase() && letters.peek().is_some_and(|next| next.is_lowercase())));
            humps || last.is_numeric() != letter.is_numeric() || unspaced(last) || unspaced(letter)
        });
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

/// Whether two letters beside each other stand in one word, as far as their scripts tell: a value may be followed by a word
/// of a script without spaces, or by a Korean ending (`7を`, `東京都`, `id=7을`).
pub fn joins(one: char, other: char) -> bool {
    let is_free = |letter| {
        unspaced(letter)
            || matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{ac00}'..='\u{d7af}')
    };
    one.is_alphanumeric() && other.is_alphanumeric() && !is_free(one) && !is_free(other)
}

/// Whether words are written in this script without spaces between them: Chinese and Japanese.
fn unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The stem of a lower-case word; nothing for a stop word.
pub(super) fn stem(stemmer: &Stemmer, word: &str) -> Option<String> {
    (!STOP.contains(word)).then(|| stemmer.stem(word).into_owned())
}

/// The stems of a text in order, stop words left out, at most so many.
pub fn stems(text: &str, most: usize) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut found = Vec::new();
    cut(clipped(text), |word| {
        if found.len() < most {
            found.extend(stem(&stemmer, word));
        }
    });
    found
}

/// Whether a lower-case word says nothing about what is wanted: an article, a pronoun, a polite phrase.
pub fn is_stop_word(word: &str) -> bool {
    STOP.contains(word)
}

/// Whether one stem stands for another in requests, as that of "locate" does for that of "find".
pub fn stands_for(stem: &str, other: &str) -> bool {
    SYNONYMS.get(stem).is_some_and(|others| others.iter().any(|one| one == other))
}

/// Numbers for the stems of tools; a word is stemmed once.
pub(super) struct Vocabulary {
    stemmer: Stemmer,
    /// The stem's number by word; `None` for a stop word.
    words: HashMap<String, Option<u32>>,
    /// Ordered, so that stems which begin alike stand together.
    stems: BTreeMap<String, u32>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), words: HashMap::new(), stems: BTreeMap::new() }
    }
}

/// Shorter beginnings are shared by words that have nothing to do with each other.
const SHORTEST_BEGINNING: usize = 5;

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
        let number = stem(&self.stemmer, word).map(|stem| *self.stems.entry(stem).or_insert(next));
        self.words.insert(word.to_owned(), number);
        number
    }

    /// The number of a stem, if any tool has it.
    pub(super) fn number(&self, stem: &str) -> Option<u32> {
        self.stems.get(stem).copied()
    }

    /// The stem of a word; nothing for a stop word.
    pub(super) fn stem(&self, word: &str) -> Option<String> {
        stem(&self.stemmer, word)
    }

    /// The numbers of stems that stand for this one.
    pub(super) fn synonyms(&self, stem: &str) -> impl Iterator<Item = u32> {
        SYNONYMS.get(stem).into_iter().flatten().filter_map(|other| self.number(other))
    }

    /// The numbers of other stems that begin as this one does, for all but the last quarter of the longer one: what
    /// the stemmer leaves apart (`multipli` and `multipl`, `recip` and `recipe`), and slips of the pen at the end.
    pub(super) fn relatives(&self, stem: &str) -> impl Iterator<Item = u32> {
        let length = stem.chars().count();
        let least = move |other: usize| (3 * length.max(other)).div_ceil(4).max(SHORTEST_BEGINNING);
        let beginning: String = stem.chars().take(least(length)).collect();
        let long_enough = length >= SHORTEST_BEGINNING;
        let alike = self.stems.range(beginning.clone()..).take_while(move |(other, _)| other.starts_with(&beginning));
        let related = move |other: &str| {
            let shared = stem.chars().zip(other.chars()).take_while(|(one, another)| one == another).count();
            other != stem && shared >= least(other.chars().count())
        };
        alike.filter(move |(other, _)| long_enough && related(other)).map(|(_, number)| *number)
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
    fn names_are_cut_at_case_underscore_dot_and_digits() {
        assert_eq!(words("mcp.github.create_pull-request"), ["mcp", "github", "create", "pull", "request"]);
        assert_eq!(words("getHTTPServerStatus2"), ["get", "http", "server", "status", "2"]);
        assert_eq!(words("Finde Straße, ÉcoleÉlève!"), ["finde", "straße", "école", "élève"]);
        assert_eq!(words("天気予報API"), ["天", "気", "予", "報", "api"]);
        assert_eq!(words(&"x".repeat(1000)), Vec::<String>::new());
    }

    #[test]
    fn forms_of_a_word_share_a_number_and_stop_words_have_none() {
        let mut vocabulary = Vocabulary::default();
        let number = vocabulary.learn("searching");
        assert!(number.is_some());
        assert_eq!((vocabulary.learn("searched"), vocabulary.learn("search"), vocabulary.len()), (number, number, 1));
        assert_eq!((vocabulary.learn("the"), vocabulary.number("unheard")), (None, None));
        assert_eq!(vocabulary.synonyms("find").collect::<Vec<_>>(), vec![0], "search stands for find");
    }

    #[test]
    fn relatives_begin_alike() {
        let mut vocabulary = Vocabulary::default();
        for word in ["multiplication", "multitude", "recipe", "record", "cat", "category"] {
            vocabulary.learn(word);
        }
        let related = |word: &str| vocabulary.relatives(&vocabulary.stem(word).unwrap()).collect::<Vec<_>>();
        assert_eq!(related("multiply"), [0]);
        assert_eq!(related("cats"), Vec::<u32>::new());
        assert_eq!(related(""), Vec::<u32>::new());
    }
}
