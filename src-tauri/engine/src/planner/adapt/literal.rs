//! The values that a text says literally, each with its place: addresses, paths, what stands in quotes, ids, numbers.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::planner::values::{ID, Pattern, QUOTED, URL, address};

/// Longer words are no path.
const LONGEST_PATH: usize = 300;
/// Endings of host names, which are no files.
const HOSTS: [&str; 12] = ["com", "org", "net", "io", "dev", "gov", "edu", "app", "ai", "eu", "de", "uk"];

static SINGLE: Pattern = LazyLock::new(|| Regex::new(r"(?:^|[\s(\[])'([^'\n]{1,80})'(?:$|[\s.,;:!?)\]])").ok());
static WORD: Pattern = LazyLock::new(|| Regex::new(r#"([^\s"'`“”‘’«»<>()\[\]{}|,;]+)"#).ok());
static NUMBER: Pattern = LazyLock::new(|| Regex::new(r"(\d(?:[\d.,:/-]*\d)?)").ok());

/// What kind of value something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ValueKind {
    /// An address or a host.
    Url,
    /// A file or a folder.
    Path,
    /// What stands in quotes.
    Quoted,
    /// An id, such as `AB-12`.
    Id,
    /// A number, a day, a time.
    Number,
    /// A word or two that name something.
    Word,
}

/// A value in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literal<'t> {
    pub(super) kind: ValueKind,
    pub(super) text: &'t str,
    /// Where its first letter stands.
    pub(super) at: usize,
}

/// The values of a text in their order; none lies in another.
pub(super) fn literals(text: &str) -> Vec<Literal<'_>> {
    let mut found = BTreeMap::new();
    for (at, url) in matches(&URL, text) {
        let url = address(&text[..at], url);
        if !url.ends_with("://") {
            add(&mut found, text, ValueKind::Url, at..at + url.len());
        }
    }
    for (at, quoted) in matches(&QUOTED, text).chain(matches(&SINGLE, text)) {
        let trimmed = quoted.trim();
        let from = at + (quoted.len() - quoted.trim_start().len());
        let kind = of_word(trimmed).unwrap_or(ValueKind::Quoted);
        if !trimmed.is_empty() {
            add(&mut found, text, kind, from..from + trimmed.len());
        }
    }
    for (at, word) in matches(&WORD, text) {
        let word = word.trim_end_matches(['.', ':', '!', '?', '*', '…']);
        if let Some(kind) = of_word(word) {
            add(&mut found, text, kind, at..at + word.len());
        }
    }
    for (at, id) in matches(&ID, text) {
        add(&mut found, text, ValueKind::Id, at..at + id.len());
    }
    for (at, number) in matches(&NUMBER, text) {
        if stands_alone(text, &(at..at + number.len())) {
            add(&mut found, text, ValueKind::Number, at..at + number.len());
        }
    }
    found.into_values().collect()
}

fn matches<'t>(pattern: &'static Pattern, text: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
    let all = pattern.iter().flat_map(move |pattern| pattern.captures_iter(text));
    all.filter_map(|captures| captures.get(1)).map(|found| (found.start(), found.as_str()))
}

/// Adds a value where none was found before.
fn add<'t>(found: &mut BTreeMap<usize, Literal<'t>>, text: &'t str, kind: ValueKind, place: Range<usize>) {
    let before = found.range(..place.end).next_back();
    if before.is_none_or(|(_, one)| one.at + one.text.len() <= place.start) {
        found.insert(place.start, Literal { kind, text: &text[place.clone()], at: place.start });
    }
}

/// Whether a word is a host or a path by its looks: an ending, or the beginning or more than one sign of a folder. "and/or"
/// and "1/2" are none.
fn of_word(word: &str) -> Option<ValueKind> {
    let is_text =
        word.chars().any(char::is_alphabetic) && !word.contains("://") && !word.contains([' ', '@', '*', '?']);
    if !is_text || word.len() > LONGEST_PATH {
        return None;
    }
    let name = word.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let ending = ending(name);
    let is_host = |ending: &str| !word.contains('/') && HOSTS.contains(&ending.to_lowercase().as_str());
    let begins = ["/", "./", "../", "~/"].iter().any(|mark| word.starts_with(mark));
    match ending {
        Some(ending) if is_host(ending) => Some(ValueKind::Url),
        Some(_) => Some(ValueKind::Path),
        None => (begins || (word.ends_with('/') && !word.starts_with('/')) || word.matches('/').count() > 1)
            .then_some(ValueKind::Path),
    }
}

/// The ending of a file's name; abbreviations such as "e.g" have none.
pub(super) fn ending(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once('.')?;
    let is_ending = ending.len() <= 8
        && ending.chars().all(|letter| letter.is_ascii_alphanumeric())
        && ending.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let is_abbreviation = ending.len() == 1 && stem.split('.').all(|part| part.chars().count() <= 1);
    let has_stem = stem.chars().any(char::is_alphanumeric) && !stem.ends_with('.');
    (is_ending && has_stem && !is_abbreviation).then_some(ending)
}

/// Signs that join what stands at both sides of them to one name.
const JOINTS: &str = "./-:@?#=&%~_\\";

/// Whether a stretch of a text is a word, a path or a number of its own, and not a part of a longer one.
pub(super) fn stands_alone(text: &str, place: &Range<usize>) -> bool {
    let mut before = text[..place.start].chars().rev();
    let mut after = text[place.end..].chars();
    let begins = match before.next() {
        None => true,
        // Before a sign that opens a sentence's part there is no name.
        Some(sign) if JOINTS.contains(sign) => sign == '=' || sign == ':' || !before.next().is_some_and(is_of_name),
        Some(letter) => !letter.is_alphanumeric(),
    };
    let ends = match after.next() {
        None => true,
        Some(sign) if JOINTS.contains(sign) => !after.next().is_some_and(is_of_name),
        Some(letter) => !letter.is_alphanumeric(),
    };
    begins && ends
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || JOINTS.contains(letter)
}

#[cfg(test)]
mod tests {
    use super::ValueKind::{Id, Number, Path, Quoted, Url};
    use super::{ValueKind, literals};

    fn of(text: &str) -> Vec<(ValueKind, &str)> {
        literals(text).into_iter().map(|one| (one.kind, one.text)).collect()
    }

    #[test]
    fn values_are_found_letter_for_letter_and_each_once() {
        assert_eq!(
            of(
                "Put \"open issues\" of (https://example.com/q?a=1&b=(2)). and AB-12 into `out/x.md`, the first 10 since 2026-09-30."
            ),
            [
                (Quoted, "open issues"),
                (Url, "https://example.com/q?a=1&b=(2)"),
                (Id, "AB-12"),
                (Path, "out/x.md"),
                (Number, "10"),
                (Number, "2026-09-30"),
            ]
        );
        assert_eq!(
            of("What is in /usr/share/doc, ~/notes/, src/a b.rs and 'my file.csv'? See example.org."),
            [
                (Path, "/usr/share/doc"),
                (Path, "~/notes/"),
                (Path, "b.rs"),
                (Quoted, "my file.csv"),
                (Url, "example.org"),
            ]
        );
    }

    #[test]
    fn what_only_looks_like_a_value_is_none() {
        for text in ["This and/or that, e.g. now... I don't, we can't.", "Version v2 of s1, 'til then", "", "https://"]
        {
            assert_eq!(of(text), [], "{text}");
        }
        assert_eq!(of("1/2 of it, 3.5 times, at 10:30"), [(Number, "1/2"), (Number, "3.5"), (Number, "10:30")]);
    }
}
