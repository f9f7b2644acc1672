//! Which part of a conversation the planner is shown.

/// Cut back to this many messages …
const KEPT: usize = 4;
/// … whenever there would be this many.
const FULL: usize = 10;
/// A longer message is shown by its beginning and its end.
const LONGEST: usize = 2_000;

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Who.
    pub by: Speaker,
    /// What.
    pub text: String,
}

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The person.
    User,
    /// The assistant.
    Assistant,
}

impl Speaker {
    /// As it is written before a message.
    fn name(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Assistant => "Assistant",
        }
    }
}

/// What a model is shown of a conversation: who said what, of the last four to nine messages, each cut at 2,000 bytes.
pub fn recent(all: &[Said]) -> Vec<(&'static str, String)> {
    let said = shown(all).iter().filter(|one| !one.text.trim().is_empty());
    said.map(|one| (one.by.name(), shortened(&one.text, LONGEST))).collect()
}

/// The shown part of the whole conversation: it grows by appending, so that the prompt's beginning stays the same and
/// cached, and is cut back to the last four messages whenever it would hold ten.
fn shown(all: &[Said]) -> &[Said] {
    let count = if all.len() < FULL { all.len() } else { KEPT + (all.len() - FULL) % (FULL - KEPT) };
    &all[all.len() - count..]
}

/// A message as it is shown: the same cut every time, so that the prefix stays the same.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    let text = text.trim();
    if text.len() <= longest {
        return text.to_owned();
    }
    let head = floor(text, longest / 2);
    let tail = floor(text, text.len() - longest / 2);
    format!("{} … {}", &text[..head], &text[tail..])
}

/// The nearest place at or below `at` where a character begins.
pub(super) fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(count: usize) -> Vec<Said> {
        let by = |at| if at % 2 == 0 { Speaker::User } else { Speaker::Assistant };
        (0..count).map(|at| Said { by: by(at), text: format!("message {at}") }).collect()
    }

    // covers: H34
    #[test]
    fn of_ten_messages_the_last_four_are_shown() {
        let all = talk(10);
        assert_eq!(shown(&all), &all[6..]);
    }

    #[test]
    fn the_section_only_grows_until_it_is_cut_back() {
        let all = talk(40);
        let mut cuts = 0;
        for count in 1..=all.len() {
            let (before, now) = (shown(&all[..count - 1]), shown(&all[..count]));
            assert!(now.len() < FULL && now.last() == all[..count].last());
            if now.starts_with(before) {
                assert_eq!(now.len(), before.len() + 1);
            } else {
                assert_eq!((before.len(), now.len()), (FULL - 1, KEPT));
                cuts += 1;
            }
        }
        assert_eq!(cuts, 6);
    }

    #[test]
    fn a_long_message_is_shown_by_its_ends() {
        let text = format!("{}{}", "ä".repeat(5_000), "https://example.com/end");
        let cut = shortened(&text, LONGEST);
        assert!(cut.len() <= LONGEST + 8 && cut.starts_with("ää") && cut.ends_with("https://example.com/end"));
        assert_eq!(shortened(" short ", LONGEST), "short");
    }
}
