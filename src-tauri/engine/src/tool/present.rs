//! What a model reads of a result: short, on lines, and cut where a line ends.

/// A name or a line as one line: what would break it is written as an escape.
pub fn one_line(text: &str) -> String {
    if !text.chars().any(char::is_control) {
        return text.to_owned();
    }
    text.chars()
        .flat_map(|each| if each.is_control() && each != '\t' { each.escape_default().collect() } else { vec![each] })
        .collect()
}

/// A text of at most `most` characters: whole lines from the beginning, and a last line that says how much is missing.
/// A text that fits stays as it is.
pub fn cut(text: &str, most: usize) -> String {
    let Some((fits, _)) = text.char_indices().nth(most) else {
        return text.to_owned();
    };
    let total = text.chars().count();
    let note = |kept: usize| format!("[cut: {} more characters]", total - kept);
    // The note's own length is taken off first; its number can only get shorter.
    let room = most.saturating_sub(note(0).chars().count() + 1);
    let Some((end, _)) = text[..fits].char_indices().nth(room) else {
        return text[..fits].to_owned();
    };
    if room == 0 {
        return text[..fits].to_owned();
    }
    let end = text[..end].rfind('\n').filter(|at| *at > end / 2).unwrap_or(end);
    let kept = &text[..end];
    format!("{kept}\n{}", note(kept.chars().count()))
}

/// The middle of a long line around some place, at most `most` characters, with `…` where it was cut.
pub fn window(line: &str, around: usize, most: usize) -> (String, usize) {
    let total = line.chars().count();
    if total <= most {
        return (line.to_owned(), 0);
    }
    let start = around.saturating_sub(most / 2).min(total - most);
    let mut text: String = line.chars().skip(start).take(most).collect();
    if start > 0 {
        text.insert(0, '…');
    }
    if start + most < total {
        text.push('…');
    }
    // How far the text moved to the left, so that a place in the line is one in the window.
    (text, start.saturating_sub(usize::from(start > 0)))
}

#[cfg(test)]
mod tests {
    use super::{cut, one_line, window};

    #[test]
    fn a_cut_text_ends_with_a_whole_line_says_what_is_missing_and_fits() {
        let text: String = (0..100).map(|number| format!("line {number}\n")).collect();
        let short = cut(&text, 200);
        assert!(short.chars().count() <= 200, "{}", short.chars().count());
        let (kept, note) = short.rsplit_once('\n').unwrap();
        assert!(text.starts_with(kept) && text[kept.len()..].starts_with('\n'));
        let left = text.chars().count() - kept.chars().count();
        assert_eq!(note, format!("[cut: {left} more characters]"));
    }

    #[test]
    fn a_text_that_fits_is_not_touched_and_one_without_lines_is_cut_between_characters() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut(&"ä".repeat(500), 100).chars().count(), 100);
        assert_eq!(cut(&"ä".repeat(500), 7), "ä".repeat(7));
    }

    #[test]
    fn a_name_with_a_line_break_stays_one_line() {
        assert_eq!(one_line("a\nb\u{1b}c\td"), "a\\nb\\u{1b}c\td");
    }

    #[test]
    fn a_window_holds_its_place() {
        let line = format!("{}X{}", "a".repeat(500), "b".repeat(500));
        let (text, moved) = window(&line, 500, 100);
        assert_eq!(text.chars().nth(500 - moved), Some('X'));
        assert_eq!(text.chars().count(), 102);
    }
}
