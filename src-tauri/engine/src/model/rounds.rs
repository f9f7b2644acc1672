//! Replies that go round in circles. Small models fall into saying one passage over and over until they are cut off;
//! seen early, that costs seconds and not minutes.

/// Bytes of a passage that is said over and over.
const LONGEST: usize = 200;
/// How often it has to stand at the end.
const TIMES: usize = 6;
/// Bytes that have to be nothing but repetition, however short the passage: rulers and empty cells are no circles.
const LEAST: usize = 480;

/// Whether a text ends with one passage again and again.
pub(crate) fn goes_round(text: &str) -> bool {
    let bytes = text.as_bytes();
    (1..=LONGEST).any(|period| {
        let tail = (period * TIMES).max(LEAST);
        let Some(start) = bytes.len().checked_sub(tail) else { return false };
        // From the end, where a text that does not repeat differs soonest.
        (start + period..bytes.len()).rev().all(|at| bytes[at] == bytes[at - period])
    })
}

#[cfg(test)]
mod tests {
    use super::goes_round;

    #[test]
    fn a_passage_over_and_over_is_seen_once_it_is_long_enough() {
        let passage = "name ASC, orders DESC, amount DESC, ";
        assert!(!goes_round(&format!("SELECT x ORDER BY {}", passage.repeat(13))));
        assert!(goes_round(&format!("SELECT x ORDER BY {}", passage.repeat(14))));
        let long = "ä line of a script that is written again, word for word, and then once more\n";
        assert!(goes_round(&long.repeat(7)));
        assert!(goes_round(&" ".repeat(480)));
    }

    #[test]
    fn tables_and_lists_are_no_circles() {
        let rows: String = (0..200).map(|row| format!("| file-{row}.txt | 0 |\n")).collect();
        assert!(!goes_round(&rows));
        assert!(!goes_round(&format!("{}\nend", "-".repeat(479))));
        assert!(!goes_round(""));
    }
}
