//! What a session is called that nobody has named.

use assent_core::run::EventKind;

use crate::store::SessionRow;

/// Characters of a session's name.
const TITLE: usize = 60;

/// Names a session that has no name after the first thing in it: what the person wrote, or the plan that was brought.
pub fn named_after(session: &SessionRow, text: &str) -> Option<EventKind> {
    let title = title_after(text);
    (session.title.is_empty() && !title.is_empty()).then_some(EventKind::SessionRenamed { title })
}

/// What a session is called after a text: its first words.
pub fn title_after(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= TITLE {
        return line;
    }
    let cut: String = line.chars().take(TITLE).collect();
    let whole_words = cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words);
    format!("{whole_words}…")
}

#[cfg(test)]
mod tests {
    use super::title_after as title;

    #[test]
    fn a_session_is_named_after_the_first_words_of_its_first_message() {
        assert_eq!(title(" Count\nthe lines "), "Count the lines");
        let long = "word ".repeat(30);
        assert_eq!(title(&long), format!("{}…", "word ".repeat(12).trim_end()));
    }
}
