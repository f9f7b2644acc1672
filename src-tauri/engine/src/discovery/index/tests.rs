use super::*;

const TEXTS: [&str; 5] = [
    "read_file Reads the contents of one file.",
    "createFile Writes a new file with the given contents.",
    "git.log Shows the commits of a repository, newest first.",
    "send_mail Sends a message to a recipient.",
    "grep Searches files for lines that match a pattern.",
];

const NONE: [usize; 0] = [];

fn of(texts: &[&str]) -> Index {
    let mut index = Index::default();
    for text in texts {
        index.add(text);
    }
    index
}

fn places(index: &Index, query: &str, limit: usize) -> Vec<usize> {
    index.search(query, limit, |_| true).iter().map(|hit| hit.place).collect()
}

#[test]
fn what_shares_rare_words_comes_first_and_what_shares_none_not_at_all() {
    let index = of(&TEXTS);
    assert_eq!(places(&index, "show me the newest commit", 5), [2]);
    assert_eq!(places(&index, "search the files for a matching line", 2)[0], 4);
    for nothing in ["quantum entanglement", "the of and", ""] {
        assert_eq!(places(&index, nothing, 5), NONE, "{nothing}");
    }
    assert_eq!(places(&index, "file", 0), NONE);
    assert_eq!(places(&Index::default(), "file", 5), NONE);
}

#[test]
fn equal_texts_stand_in_their_order() {
    assert_eq!(places(&of(&["the same words"; 3]), "same words", 2), [0, 1]);
}

#[test]
fn a_filter_is_applied_before_the_limit() {
    let found = of(&TEXTS).search("file contents", 1, |place| place != 0);
    assert_eq!(found.iter().map(|hit| hit.place).collect::<Vec<_>>(), [1]);
}

#[test]
fn hostile_texts_are_bounded() {
    let mut index = of(&TEXTS);
    index.add(&"spam ".repeat(100_000));
    index.add("\u{202e}\0\u{7} \u{0}\u{feff}");
    assert_eq!(index.lengths.len(), 7);
    assert!(index.lengths.iter().sum::<usize>() < 2100);
    assert_eq!(places(&index, "spam", 1), [5]);
}
