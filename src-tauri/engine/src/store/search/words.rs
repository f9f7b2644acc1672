//! Words of texts and of queries, found by one rule, so that what was indexed is what is asked for.
//!
//! Words are runs of letters and digits, in lower case and without the diacritics of Latin letters, whether a letter is one
//! character with them or several; each character of a script that is written without spaces is a word. The index splits at
//! ASCII spaces alone, so that no text can ever be taken for the syntax of a query.

use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_normalizer::properties::CanonicalCompositionBorrowed;

/// A longer word is indexed by its beginning.
const LONGEST: usize = 40;

/// The words of a text, with where they stand.
pub(super) fn words(text: &str) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        while rest.next_if(|(_, symbol)| !symbol.is_alphanumeric()).is_some() {}
        let (start, first) = rest.next()?;
        let mut word = String::new();
        let (mut end, letter) = composed(&mut rest, start, first);
        push_folded(&mut word, letter);
        if !stands_alone(first) {
            while let Some((at, symbol)) =
                rest.next_if(|(_, symbol)| symbol.is_alphanumeric() && !stands_alone(*symbol))
            {
                let letter;
                (end, letter) = composed(&mut rest, at, symbol);
                if word.len() < LONGEST {
                    push_folded(&mut word, letter);
                }
            }
        }
        Some((start..end, word))
    })
}

/// A letter with the marks that follow it, as names of files on a Mac have them: one character, and where it ends.
fn composed(rest: &mut Peekable<CharIndices<'_>>, at: usize, letter: char) -> (usize, char) {
    let (mut end, mut last, mut whole) = (at + letter.len_utf8(), letter, String::new());
    while let Some((at, next)) =
        rest.next_if(|(_, next)| !next.is_ascii() && (is_mark(*next) || COMPOSITION.compose(last, *next).is_some()))
    {
        if whole.is_empty() {
            whole.push(letter);
        }
        whole.push(next);
        last = COMPOSITION.compose(last, next).unwrap_or(last);
        end = at + next.len_utf8();
    }
    // Marks may come in any order.
    (end, if whole.is_empty() { letter } else { NFC.normalize(&whole).chars().next().unwrap_or(letter) })
}

const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfc();
const COMPOSITION: CanonicalCompositionBorrowed<'static> = CanonicalCompositionBorrowed::new();

/// Accents, and the marks of Japanese syllables, as characters of their own.
const fn is_mark(symbol: char) -> bool {
    matches!(symbol, '\u{0300}'..='\u{036f}' | '\u{3099}' | '\u{309a}')
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
        assert_eq!(found("re\u{301}sume\u{301} x\u{302}y"), ["resume", "xy"]);
        assert_eq!(found("\u{438}\u{306} か\u{3099}き"), ["й", "が", "き"], "as they are written in one character");
        assert_eq!(found("\u{1112}\u{1161}\u{11ab}"), ["한"]);
        assert_eq!(
            found("Vi\u{ea}\u{323}t Vie\u{323}\u{302}t Vi\u{1ec7}t"),
            ["vi\u{1ec7}t"; 3],
            "in whatever order the marks come"
        );
        assert_eq!(found("\u{301} a"), ["a"]);
        assert_eq!(found(""), Vec::<String>::new());
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "— Größe: 3";
        let found: Vec<&str> = words(text).map(|(place, _)| &text[place]).collect();
        assert_eq!(found, ["Größe", "3"]);
        let text = "Gro\u{308}ße: 3";
        let found: Vec<&str> = words(text).map(|(place, _)| &text[place]).collect();
        assert_eq!(found, ["Gro\u{308}ße", "3"]);
    }
}
