//! What saved plans may be called. Names and tags are texts of a person, or of a file that somebody else wrote: what cannot
//! be seen in them is refused.

use assent_core::order::sort;

use super::LibraryError;

/// Characters of a name.
pub(super) const NAME_CHARS: usize = 80;
/// Characters of a tag.
pub(super) const TAG_CHARS: usize = 40;
/// Tags of a plan.
pub(super) const MOST_TAGS: usize = 20;

/// A name as it is kept: one line, single blanks.
pub(super) fn name(text: &str) -> Result<String, LibraryError> {
    let name = one_line(text);
    let refused = |why| LibraryError::Name { shown: shown(text), why };
    match fault(&name, NAME_CHARS) {
        Some(why) => Err(refused(why)),
        None => Ok(name),
    }
}

/// The nearest name to a text that nobody has written as one, such as a plan's title.
pub(super) fn name_of(text: &str) -> Option<String> {
    let seen: String = text.chars().filter(|letter| letter.is_whitespace() || can_be_seen(*letter)).collect();
    let line = one_line(&seen);
    let name: String = line.chars().take(NAME_CHARS).collect();
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Tags as they are kept: in small letters, each once, in the order of the alphabet. A `#` before one is how some write it.
pub(super) fn tags(texts: &[String]) -> Result<Vec<String>, LibraryError> {
    let mut tags = Vec::new();
    for text in texts {
        let tag = one_line(text).trim_start_matches('#').trim().to_lowercase();
        if tag.is_empty() && text.trim().is_empty() {
            continue;
        }
        let comma = tag.contains(',').then_some("it has a comma");
        if let Some(why) = comma.or_else(|| fault(&tag, TAG_CHARS)) {
            return Err(LibraryError::Tag { shown: shown(text), why });
        }
        tags.push(tag);
    }
    sort(&mut tags);
    tags.dedup();
    match tags.get(MOST_TAGS) {
        Some(tag) => Err(LibraryError::Tag { shown: shown(tag), why: "there are too many" }),
        None => Ok(tags),
    }
}

fn fault(text: &str, most: usize) -> Option<&'static str> {
    if text.is_empty() {
        Some("it is empty")
    } else if text.chars().count() > most {
        Some("it is too long")
    } else if !text.chars().all(can_be_seen) {
        Some("it has a sign that cannot be seen")
    } else {
        None
    }
}

/// Whether a sign shows, and turns nothing around that stands beside it.
fn can_be_seen(letter: char) -> bool {
    let hidden = matches!(
        letter,
        '\u{ad}'
            | '\u{61c}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e0fff}'
    );
    !letter.is_control() && !hidden
}

fn one_line(text: &str) -> String {
    text.split([' ', '\t', '\n', '\r', '\u{a0}']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// As much of a text as a message needs.
fn shown(text: &str) -> String {
    text.chars().take(NAME_CHARS + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn a_name_is_one_line_that_can_be_seen() {
        assert_eq!(name("  Weekly\n report ").unwrap(), "Weekly report");
        assert_eq!(name("Straße 北京 🎉 v2/β").unwrap(), "Straße 北京 🎉 v2/β");
        for (bad, why) in [
            (" \n", "it is empty"),
            ("a\u{202e}b", "it has a sign that cannot be seen"),
            ("a\u{7}b", "it has a sign that cannot be seen"),
            (&"x".repeat(81), "it is too long"),
        ] {
            let error = name(bad).unwrap_err().to_string();
            assert!(error.contains(why) && error.len() < 400, "{error}");
        }
        assert_eq!(name_of(&format!("\u{202e}Count \u{0} {}", "x".repeat(100))).unwrap().chars().count(), 80);
        assert_eq!(name_of("\u{200b}\n"), None);
    }

    #[test]
    fn tags_are_kept_in_one_form_and_each_once() {
        let odd = texts(&["#Tax ", "tax", "", "  ", "Größe 2", "c++", "a/b", "🎉"]);
        assert_eq!(tags(&odd).unwrap(), ["a/b", "c++", "größe 2", "tax", "🎉"]);
        for bad in ["a,b", "#", "a\u{200b}", &"x".repeat(41)] {
            assert!(tags(&texts(&[bad])).is_err(), "{bad}");
        }
        let many: Vec<String> = (0..21).map(|number| format!("t{number}")).collect();
        assert!(tags(&many).unwrap_err().to_string().contains("too many"));
        assert_eq!(tags(&many[..20]).unwrap().len(), 20);
    }
}
