//! A text of somebody else's as a line: what is not seen, or turns around what stands beside it, is no part of it.

/// A text in one line without what is not seen, at most so many characters.
pub fn one_line(text: &str, most: usize) -> String {
    // Far more than is kept need not be looked at.
    let looked_at = most.saturating_mul(4);
    let mut line = String::new();
    for word in text.chars().take(looked_at).collect::<String>().split(between_words).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if line.chars().count() > most || text.chars().nth(looked_at).is_some() {
        line = line.chars().take(most.saturating_sub(1)).collect();
        line.push('…');
    }
    line
}

/// Whether a letter stands between the words of a line.
pub(crate) fn between_words(letter: char) -> bool {
    letter.is_whitespace() || is_unseen(letter)
}

/// Control characters, and those that are not seen or that turn text around; in a row, some of them spell what no person
/// reads and a model does.
pub fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{fff9}'..='\u{fffb}')
        || matches!(letter, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
        || matches!(letter, '\u{e0000}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_line_has_only_what_is_seen_and_says_where_it_was_cut() {
        assert_eq!(one_line(" Greets\u{1b}[31m\n\u{202e}all\u{2066}.\u{200b} ", 80), "Greets [31m all .");
        assert_eq!(one_line("Straße 北京 v2/β", 80), "Straße 北京 v2/β");
        assert_eq!(one_line("\u{e0041}\u{e0155}\u{61c}\u{feff}", 80), "");
        assert_eq!(one_line("ääää", 3), "ää…");
        assert_eq!(one_line(&"\u{202e}x\n".repeat(30_000), 5), "x x …");
    }
}
