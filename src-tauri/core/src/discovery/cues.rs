//! What the values in a request say about the parameters of the tool that is meant: who writes a date wants a tool
//! that takes one, whatever the date is.

/// Words that stand for a kind of value, and how parameters for it are called.
const WORDS: &[(&[&str], &[&str])] = &[
    (
        &[
            "january",
            "february",
            "march",
            "april",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
            "today",
            "tomorrow",
            "yesterday",
            "tonight",
            "weekend",
        ],
        &["date"],
    ),
    (&["dollar", "dollars", "euro", "euros", "usd", "eur", "gbp", "pounds"], &["amount", "currency", "price"]),
    (&["celsius", "fahrenheit"], &["temperature", "unit"]),
    (&["am", "pm", "noon", "midnight"], &["time"]),
];

/// Endings of file names.
const ENDINGS: &[&str] = &[
    "csv", "doc", "docx", "gif", "html", "jpg", "js", "json", "log", "md", "mp3", "mp4", "pdf", "png", "py", "rs",
    "sql", "svg", "toml", "ts", "txt", "xls", "xlsx", "xml", "yaml", "yml", "zip",
];

/// Words after which a capital letter begins the name of a place more often than not.
const BEFORE_PLACES: &[&str] = &["in", "near", "to", "from", "at", "around", "of", "for"];

/// The names of parameters that a request has values for, each once, in a fixed order.
pub(super) fn cues(text: &str) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    let mut before = "";
    for word in text.split_whitespace() {
        of_word(word, before, &mut found);
        before = word;
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// How many numbers a request states.
pub(super) fn numbers(text: &str) -> usize {
    let starts = |(at, byte): (usize, &u8)| {
        let before = at.checked_sub(1).and_then(|before| text.as_bytes().get(before));
        byte.is_ascii_digit() && !before.is_some_and(|before| before.is_ascii_alphanumeric() || b"._".contains(before))
    };
    text.bytes().collect::<Vec<u8>>().iter().enumerate().filter(|at| starts(*at)).count()
}

fn of_word(word: &str, before: &str, found: &mut Vec<&'static str>) {
    let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
    let lower = bare.to_lowercase();
    for (words, names) in WORDS {
        if words.contains(&lower.as_str()) {
            found.extend(*names);
        }
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = bare.split(['-', '/', '.']).collect();
    if parts.len() == 3 && parts.iter().all(|part| digits(part)) {
        found.push("date");
    }
    let clock = lower.trim_end_matches("am").trim_end_matches("pm");
    if bare.split(':').take(2).filter(|part| digits(part)).count() == 2 || (clock != lower && digits(clock)) {
        found.push("time");
    }
    let first = word.trim_start_matches(['(', '"', '\'']);
    if first.starts_with(['$', '€', '£', '¥']) && first.chars().nth(1).is_some_and(char::is_numeric) {
        found.extend(["amount", "price"]);
    }
    if word.contains('%') && bare.starts_with(|letter: char| letter.is_ascii_digit()) {
        found.extend(["rate", "percentage"]);
    }
    let url = lower.starts_with("http://") || lower.starts_with("https://") || lower.starts_with("www.");
    if url {
        found.push("url");
    }
    if word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')) {
        found.push("email");
    }
    let ending = bare
        .rsplit_once('.')
        .is_some_and(|(name, ending)| !name.is_empty() && ENDINGS.contains(&ending.to_lowercase().as_str()));
    if !url
        && (ending || first.starts_with("~/") || first.starts_with("./") || (first.starts_with('/') && first.len() > 2))
    {
        found.extend(["file", "path"]);
    }
    let place = BEFORE_PLACES.contains(&before.to_lowercase().as_str());
    if place && first.starts_with(char::is_uppercase) && bare.chars().count() > 1 {
        found.extend(["city", "location"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_give_away_what_takes_them() {
        let of = |text: &str| cues(text).join(" ");
        assert_eq!(of("the weather in Oslo on Friday"), "city date location");
        assert_eq!(of("from 2024-05-01, at 10:30 or 5pm"), "date time");
        assert_eq!(of("send $20 to bob@example.com"), "amount email price");
        assert_eq!(of("get https://example.com/a.png"), "url");
        assert_eq!(of("open (notes.txt) and ~/todo"), "file path");
        assert_eq!(of("at 3.5% a year"), "percentage rate");
        assert_eq!(of("nothing of the kind: . / % @ $ -- ::"), "");
    }

    #[test]
    fn numbers_are_counted_and_parts_of_names_are_not() {
        assert_eq!(numbers("add 17 and -2.5 in file2 of v1.2"), 2);
        assert_eq!(numbers("keine"), 0);
    }
}
