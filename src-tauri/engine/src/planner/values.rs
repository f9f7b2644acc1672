//! Concrete values of a message that code finds more surely than a small model: URLs, file names, ids, quoted words.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

/// Values of one kind, and addresses.
const MOST: usize = 20;
const MOST_ADDRESSES: usize = 200;

pub(super) type Pattern = LazyLock<Option<Regex>>;

static FILE: Pattern =
    LazyLock::new(|| Regex::new(r"(?:^|[^\w/.@])([\w-][\w/-]*(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{1,7})\b").ok());
/// A sign of scripts without spaces ends an address that it stands behind without a sign of the address between, and so do
/// their commas and brackets; an apostrophe within a word is part of it.
pub(super) static URL: Pattern = LazyLock::new(|| {
    Regex::new(
        r#"(?i)(https?://(?:[/=&#_.-][\x{3040}-\x{30ff}\x{3400}-\x{9fff}\x{ac00}-\x{d7ff}]+|[^\s<>"'`\\\x{2e80}-\x{9fff}\x{ac00}-\x{d7ff}\x{f900}-\x{faff}\x{ff00}-\x{ffef}]|'\w)+)"#,
    )
    .ok()
});
pub(super) static ID: Pattern =
    LazyLock::new(|| Regex::new(r"\b([A-Z][A-Z0-9]*-\d+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\b").ok());
static NUMBER: Pattern = LazyLock::new(|| Regex::new(r"\b\d[\d.:-]+\d\b").ok());
pub(super) static QUOTED: Pattern = LazyLock::new(|| Regex::new(r#"["“`]([^"“”`\n]{1,80})["”`]"#).ok());

fn found(pattern: &Pattern, text: &str) -> Vec<String> {
    first(MOST, pattern, text)
}

fn first(most: usize, pattern: &Pattern, text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for captures in pattern.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        if let Some(value) = captures.get(1)
            && all.len() < most
            && !all.iter().any(|seen| seen == value.as_str())
        {
            all.push(value.as_str().to_owned());
        }
    }
    all
}

/// The addresses in a text, letter for letter.
fn addresses(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let found = URL.iter().flat_map(|url| url.captures_iter(text)).filter_map(|captures| captures.get(1));
    for found in found {
        let address = address(&text[..found.start()], found.as_str());
        if !address.ends_with("://") && all.len() < MOST_ADDRESSES && !all.iter().any(|seen| seen == address) {
            all.push(address.to_owned());
        }
    }
    all
}

/// An address as it stands in a sentence behind `before`, without what ends the sentence around it or closes what was
/// opened before it. A mark of emphasis at its end is its own where none stands before it.
pub(super) fn address<'t>(before: &str, found: &'t str) -> &'t str {
    let mut address = found;
    while let Some(last) = address.chars().next_back() {
        let opened = |open: char| address.matches(open).count() >= address.matches(last).count();
        let is_part = match last {
            ')' => opened('('),
            ']' => opened('['),
            '}' => opened('{'),
            '*' | '_' => !emphasises(before, last),
            other => !".,;:!?".contains(other),
        };
        if is_part {
            break;
        }
        address = &address[..address.len() - last.len_utf8()];
    }
    address
}

/// Whether emphasis by such a mark is open at the end of a text: it began in this line, before a word and behind none, and
/// has not ended. What stands in an address begins none, and neither does a mark before an item of a list.
fn emphasises(before: &str, mark: char) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let mut open = false;
    let mut sign = ' ';
    let mut rest = line.char_indices().peekable();
    while let Some((at, one)) = rest.next() {
        if one == mark {
            while rest.next_if(|(_, next)| *next == mark).is_some() {}
            let is_in_address = line[..at].rsplit(char::is_whitespace).next().is_some_and(|word| word.contains("://"));
            let (is_behind, is_before) =
                (sign.is_whitespace(), rest.peek().is_some_and(|(_, next)| next.is_whitespace()));
            let is_inside = sign.is_alphanumeric() && rest.peek().is_some_and(|(_, next)| next.is_alphanumeric());
            match (is_in_address || is_inside, open) {
                (true, _) => {}
                (false, false) => open = !is_before && (is_behind || !sign.is_alphanumeric()),
                (false, true) => open = is_behind,
            }
        }
        sign = one;
    }
    open
}

/// The files that a message names, in its order. Nothing inside an address is one.
pub(crate) fn named_files(message: &str) -> Vec<String> {
    if !message.contains('.') {
        return Vec::new();
    }
    let words: Vec<&str> = message.split(' ').filter(|word| !word.contains("://")).collect();
    found(&FILE, &words.join(" "))
}

/// Numbers and days that a text takes from the sample rows of the workspace's overview although no message says them: a
/// small planner writes "whose end is 2026-09-30" for "that end in 2026", because the first row says so. Names of files
/// are no samples.
pub(super) fn sampled<'t>(text: &'t str, said: &[&str], files: &[String]) -> Vec<&'t str> {
    let sampled = |value: &str| {
        files
            .iter()
            .filter_map(|line| line.split_once(": "))
            .any(|(path, told)| told.contains(value) && !path.contains(value))
    };
    let found = NUMBER.iter().flat_map(|number| number.find_iter(text)).map(|found| found.as_str());
    let mut found: Vec<&str> =
        found.filter(|value| sampled(value) && !said.iter().any(|text| text.contains(value))).collect();
    found.dedup();
    found
}

/// What a message holds, by kind; a kind without values is left out.
pub(super) fn of_message(message: &str) -> Map<String, Value> {
    let kinds = [
        ("urls", addresses(message)),
        ("files", named_files(message)),
        ("ids", found(&ID, message)),
        ("quoted", found(&QUOTED, message)),
    ];
    kinds
        .into_iter()
        .filter(|(_, values)| !values.is_empty())
        .map(|(kind, values)| (kind.to_owned(), json!(values)))
        .collect()
}

/// Adds the addresses and ids of a message that a planner has left out of what it took from it.
pub(super) fn complete(context: &mut Map<String, Value>, message: &str) {
    let mut told = String::new();
    texts(&mut told, context.values());
    let ids = |text: &str| found(&ID, text);
    for (kind, found) in [("urls", &addresses as &dyn Fn(&str) -> Vec<String>), ("ids", &ids)] {
        let known = found(&told);
        let left = found(message).into_iter().filter(|value| !known.contains(value)).map(Value::from);
        let left: Vec<Value> = left.collect();
        if left.is_empty() {
            continue;
        }
        match context.get_mut(kind) {
            Some(Value::Array(all)) => all.extend(left),
            Some(_) => drop(context.insert(format!("further_{kind}"), Value::Array(left))),
            None => drop(context.insert(kind.to_owned(), Value::Array(left))),
        }
    }
}

/// Every text in some values, apart from each other.
fn texts<'v>(told: &mut String, values: impl Iterator<Item = &'v Value>) {
    for value in values {
        match value {
            Value::String(text) => {
                told.push_str(text);
                told.push('\n');
            }
            Value::Array(items) => texts(told, items.iter()),
            Value::Object(fields) => texts(told, fields.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_files_are_seen() {
        for (message, files) in [
            ("Write it to patents.md.", vec!["patents.md"]),
            ("what is in src/main.rs, and \"my-data.csv\"?", vec!["src/main.rs", "my-data.csv"]),
            ("a.tar.gz a.tar.gz b.json", vec!["a.tar.gz", "b.json"]),
            ("Hello! What is 3.5 times 2, e.g. now, v1.2 and so on... Well", vec![]),
            ("See https://example.com/a.html and me@example.com", vec![]),
        ] {
            assert_eq!(named_files(message), files, "{message}");
        }
    }

    #[test]
    fn an_address_ends_where_its_script_does_and_keeps_what_is_its_own() {
        for (message, expected) in [
            ("https://example.com/q?id=7を毎朝確認して", vec!["https://example.com/q?id=7"]),
            (
                "（https://example.com/a、https://example.com/b）を見て",
                vec!["https://example.com/a", "https://example.com/b"],
            ),
            ("https://example.com/x을 매일", vec!["https://example.com/x"]),
            ("https://ja.wikipedia.org/wiki/東京 を読む", vec!["https://ja.wikipedia.org/wiki/東京"]),
            ("https://de.example/Käse und Brot", vec!["https://de.example/Käse"]),
            (
                "https://en.example/Murphy's_law, 'https://a.test/x'",
                vec!["https://en.example/Murphy's_law", "https://a.test/x"],
            ),
            ("**https://a.test/x** and _https://a.test/y_", vec!["https://a.test/x", "https://a.test/y"]),
            ("Https://a.test/Z", vec!["Https://a.test/Z"]),
        ] {
            assert_eq!(addresses(message), expected, "{message}");
        }
        let many: String = (0..30).map(|at| format!("https://a.test/{at} ")).collect();
        assert_eq!(addresses(&many).len(), 30);
    }

    #[test]
    fn what_only_a_sample_row_says_is_told_from_what_a_person_says() {
        let files = [
            "jobs.csv: 120 lines, first line: job,end; next line: print,2026-09-30".to_owned(),
            "bills/2024-05.txt: 9 lines, begins: Bill 2031".to_owned(),
        ];
        let plan = "take the rows of jobs.csv whose end is 2026-09-30 and bill 2031, also 2024-05, the first 500";
        assert_eq!(sampled(plan, &["Which jobs end in 2026?"], &files), ["2026-09-30", "2031"]);
        assert_eq!(sampled(plan, &["Which jobs end on 2026-09-30?", "bill 2031"], &files), Vec::<&str>::new());
        assert_eq!(sampled(plan, &[], &[]), Vec::<&str>::new());
    }

    #[test]
    fn the_values_of_a_message_are_taken_letter_for_letter() {
        let message =
            "Put \"open issues\" of https://example.com/q?a=1&b=(2). and AB-12 into `todo` list out/x.md (see AB-12)";
        assert_eq!(
            Value::Object(of_message(message)),
            json!({"urls": ["https://example.com/q?a=1&b=(2)"], "files": ["out/x.md"], "ids": ["AB-12"], "quoted": ["open issues", "todo"]})
        );
        for (message, url) in [
            ("Read **https://a.test/x_y**.", "https://a.test/x_y"),
            ("_See https://a.test/x_, please", "https://a.test/x"),
            ("Read https://a.test/wiki/C_", "https://a.test/wiki/C_"),
            ("my_file of https://a.test/find?q=*", "https://a.test/find?q=*"),
            ("* Fetch https://a.test/list?f=*", "https://a.test/list?f=*"),
            ("Use `__init__.py` and _that_ of https://a.test/C_", "https://a.test/C_"),
            ("- **Read https://a.test/x** first", "https://a.test/x"),
            ("(_https://a.test/x_)", "https://a.test/x"),
        ] {
            assert_eq!(of_message(message)["urls"], json!([url]), "{message}");
        }
        let two = "Compare https://a.test/find?q=* with https://b.test/find?q=*";
        assert_eq!(of_message(two)["urls"], json!(["https://a.test/find?q=*", "https://b.test/find?q=*"]));
        assert_eq!(of_message("Hello there"), Map::new());
    }

    // covers: P25
    #[test]
    fn addresses_and_ids_that_a_planner_left_out_are_added_and_nothing_twice() {
        let message = "Compare (https://a.test/x), https://b.test/y?q=1. and AB-12 with AB-1! See https://a.test/x.";
        for (taken, whole) in [
            (json!({}), json!({"urls": ["https://a.test/x", "https://b.test/y?q=1"], "ids": ["AB-12", "AB-1"]})),
            (
                json!({"site": "https://a.test/x", "ids": ["AB-12"]}),
                json!({"site": "https://a.test/x", "ids": ["AB-12", "AB-1"], "urls": ["https://b.test/y?q=1"]}),
            ),
            (
                json!({"urls": {"first": "https://a.test/x", "second": ["https://b.test/y?q=1"]}, "ids": "AB-1"}),
                json!({"urls": {"first": "https://a.test/x", "second": ["https://b.test/y?q=1"]}, "ids": "AB-1", "further_ids": ["AB-12"]}),
            ),
        ] {
            let Value::Object(mut context) = taken else { panic!() };
            complete(&mut context, message);
            assert_eq!(Value::Object(context), whole);
        }
        let mut context = Map::new();
        complete(&mut context, "Count the lines of a.txt");
        assert!(context.is_empty());
    }
}
