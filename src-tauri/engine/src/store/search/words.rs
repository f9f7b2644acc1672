//! Words of texts and of queries, found by one rule, so that what was indexed is what is asked for.
//!
//! Words are runs of letters and digits, in lower case and without the diacritics of Latin letters; each character of
//! a script that is written without spaces is a word. The index splits at ASCII spaces alone, so that no text can
//! ever be taken for the syntax of a query.

use std::ops::Range;

/// A longer word is indexed by its beginning.
const LONGEST: usize = 40;

/// The words of a text, with where they stand.
pub(super) fn words(text: &str) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        while rest.next_if(|(_, symbol)| !symbol.is_alphanumeric()).is_some() {}
        let (start, first) = rest.next()?;
        let mut word = String::new();
        let mut end = start + first.len_utf8();
        push_folded(&mut word, first);
        if !stands_alone(first) {
            while let Some((at, symbol)) =
                rest.next_if(|(_, symbol)| symbol.is_alphanumeric() && !stands_alone(*symbol))
            {
                end = at + symbol.len_utf8();
                if word.len() < LONGEST {
                    push_folded(&mut word, symbol);
                }
            }
        }
        Some((start..end, word))
    })
}

/// Whether a character's script is written without spaces.
fn stands_alone(symbol: char) -> bool {
    matches!(symbol, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Latin letters with diacritics in lower case, each group under the letter they are found by.
const FOLDED: [(&str, &str); 16] = [
    ("a", "àáâãäåāăą"),
    ("c", "çćĉċč"),
    ("d", "ďđ"),
    ("e", "èéêëēĕėęě"),
    ("g", "ĝğġģ"),
    ("i", "ìíîïĩīĭįı"),
    ("l", "ĺļľŀł"),
    ("n", "ñńņň"),
    ("o", "òóôõöøōŏő"),
    ("r", "ŕŗř"),
    ("s", "śŝşšș"),
    ("t", "ţťŧț"),
    ("u", "ùúûüũūŭůűų"),
    ("y", "ýÿŷ"),
    ("z", "źżž"),
    ("ss", "ß"),
];

fn push_folded(word: &mut String, symbol: char) {
    if symbol.is_ascii() {
        word.push(symbol.to_ascii_lowercase());
        return;
    }
    for lower in symbol.to_lowercase().filter(|lower| lower.is_alphanumeric()) {
        match FOLDED.iter().find(|(_, letters)| letters.contains(lower)) {
            Some((plain, _)) => word.push_str(plain),
            None => word.push(lower),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_letters_and_digits_folded() {
        let found = |text| words(text).map(|(_, word)| word).collect::<Vec<_>>();
        assert_eq!(found("Über read_file('a.MD') — naïve"), ["uber", "read", "file", "a", "md", "naive"]);
        assert_eq!(found("日本 go"), ["日", "本", "go"]);
        assert_eq!(found("\" * - NEAR("), ["near"]);
        assert_eq!(found(""), Vec::<String>::new());
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "— Größe: 3";
        let found: Vec<&str> = words(text).map(|(place, _)| &text[place]).collect();
        assert_eq!(found, ["Größe", "3"]);
    }
}
