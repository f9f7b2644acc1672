//! A request in parts: what it asks for, one thing after the other.

use std::collections::HashMap;

use super::cues::{cues, numbers};
use super::words::{Vocabulary, clipped, cut};

/// Words of a request that count.
const MOST_WORDS: usize = 400;
/// Parts of a request; what follows belongs to the last one.
const MOST_PARTS: usize = 8;

/// Words that begin something else to be done.
const CONNECTORS: &[&str] =
    &["then", "also", "finally", "next", "additionally", "furthermore", "lastly", "afterwards", "secondly", "thirdly"];

/// Words that begin something else to be done when they follow an "and".
const AFTER_AND: &[&str] = &[
    "add",
    "also",
    "analyze",
    "book",
    "buy",
    "calculate",
    "can",
    "check",
    "compare",
    "compute",
    "convert",
    "could",
    "create",
    "delete",
    "determine",
    "download",
    "fetch",
    "find",
    "generate",
    "get",
    "give",
    "how",
    "i",
    "list",
    "make",
    "move",
    "open",
    "please",
    "provide",
    "put",
    "read",
    "record",
    "remove",
    "rename",
    "retrieve",
    "run",
    "save",
    "search",
    "send",
    "set",
    "show",
    "store",
    "tell",
    "translate",
    "update",
    "upload",
    "what",
    "write",
];

/// A request, ready to be compared with documents.
#[derive(Debug, Default)]
pub(super) struct Request {
    /// Its stems, each once, in order, with the parts in which they occur as bits.
    pub stems: Vec<(String, u32)>,
    /// How many parts have a stem.
    pub parts: usize,
    /// Pairs of neighbouring stems, as places in `stems`, ascending, each once.
    pub pairs: Vec<(usize, usize)>,
    /// Names of parameters that it has values for.
    pub cues: Vec<&'static str>,
    /// Numbers that it states.
    pub numbers: usize,
}

impl Request {
    /// Cuts a request into parts and stems.
    pub(super) fn of(text: &str, vocabulary: &Vocabulary) -> Self {
        let text = clipped(text);
        let mut request = Self { cues: cues(text), numbers: numbers(text), ..Self::default() };
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut left = MOST_WORDS;
        for part in parts(text) {
            let bit = 1_u32 << request.parts.min(MOST_PARTS - 1);
            let mut before = None;
            let mut says = false;
            cut(part, |word| {
                let Some(stem) = (left > 0).then(|| vocabulary.stem(word)).flatten() else { return };
                left -= 1;
                says = true;
                let next = request.stems.len();
                let place = *places.entry(stem.clone()).or_insert(next);
                if place == next {
                    request.stems.push((stem, 0));
                }
                request.stems[place].1 |= bit;
                request.pairs.extend(before.map(|before| (before, place)));
                before = Some(place);
            });
            request.parts += usize::from(says);
        }
        request.parts = request.parts.min(MOST_PARTS);
        request.pairs.sort_unstable();
        request.pairs.dedup();
        request
    }
}

/// Cuts a request at the ends of sentences and lines, and at words that begin something else to be done.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut begin = 0;
    let mut words = text.split_inclusive(char::is_whitespace).peekable();
    let mut at = 0;
    while let Some(word) = words.next() {
        let bare = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
        let this = bare(word);
        let another = CONNECTORS.contains(&this.as_str())
            || (this == "and" && words.peek().is_some_and(|next| AFTER_AND.contains(&bare(next).as_str())));
        if another && at > begin {
            parts.push(&text[begin..at]);
            begin = at;
        }
        at += word.len();
        let ends = word.trim_end().ends_with(['.', '!', '?', ';', '。', '！', '？']) || word.ends_with('\n');
        if ends {
            parts.push(&text[begin..at]);
            begin = at;
        }
    }
    parts.push(&text[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_cut_where_something_else_begins() {
        let text = "Get the weather in Oslo and send it to Ann. Then write 2.5 to a.txt; also stop";
        assert_eq!(
            parts(text),
            ["Get the weather in Oslo ", "and send it to Ann. ", "Then write 2.5 to a.txt; ", "also stop"]
        );
        assert_eq!(parts("bread and butter"), ["bread and butter"]);
        assert_eq!(parts(""), [""]);
        assert_eq!(parts("then"), ["then"]);
    }

    #[test]
    fn a_stem_counts_once_and_knows_its_parts() {
        let request = Request::of("Find flights. Then find hotels. And the of.", &Vocabulary::default());
        assert_eq!(request.stems, [("find".into(), 0b11), ("flight".into(), 0b1), ("hotel".into(), 0b10)]);
        assert_eq!((request.parts, request.pairs), (2, vec![(0, 1), (0, 2)]));
    }

    #[test]
    fn endless_requests_are_bounded() {
        let long = "a1 b2. ".repeat(100_000);
        let request = Request::of(&long, &Vocabulary::default());
        assert!(request.parts <= MOST_PARTS && request.stems.len() <= MOST_WORDS);
    }
}
