//! From a text to the numbers of its word pieces.
//!
//! Source: "BERT" (Devlin et al. 2018), the uncased model's basic and WordPiece tokenization: lower case, without
//! accents, cut at spaces and punctuation, each word from the left into the longest pieces that are known.

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

use crate::{Unusable, damaged};

/// A longer word is unknown as a whole.
const LONGEST_WORD: usize = 100;
/// Characters of a text that are looked at for each piece that is wanted.
const CHARACTERS_OF_A_PIECE: usize = 20;

/// Word pieces by their text.
pub(crate) struct Pieces {
    text: String,
    /// Where each piece stands in the text, by its number.
    spans: Vec<(u32, u32)>,
    /// The numbers of the pieces in the order of their texts.
    sorted: Vec<u16>,
    /// Bytes of the longest piece: longer parts of a word need not be looked up.
    longest: usize,
    unknown: u16,
    start: u16,
    end: u16,
}

impl Pieces {
    /// Pieces from a list, one a line.
    pub fn of(text: String) -> Result<Self, Unusable> {
        let mut spans = Vec::new();
        let mut at = 0;
        for line in text.split_terminator('\n') {
            // A list of four million bytes has no place that does not fit.
            spans.push((at as u32, (at + line.len()) as u32));
            at += line.len() + 1;
        }
        let count = u16::try_from(spans.len()).map_err(|_| damaged("it has too many word pieces"))?;
        let piece = |number: u16| {
            let (begin, end) = spans[number as usize];
            &text[begin as usize..end as usize]
        };
        let mut sorted: Vec<u16> = (0..count).collect();
        sorted.sort_by(|one, other| piece(*one).cmp(piece(*other)));
        let longest = spans.iter().map(|(begin, end)| (end - begin) as usize).max().unwrap_or(0);
        let mut pieces = Self { text, spans, sorted, longest, unknown: 0, start: 0, end: 0 };
        let special = |name: &str| pieces.find(name).ok_or_else(|| damaged(format!("its word pieces lack {name}")));
        let [unknown, start, end] = [special("[UNK]")?, special("[CLS]")?, special("[SEP]")?];
        (pieces.unknown, pieces.start, pieces.end) = (unknown, start, end);
        Ok(pieces)
    }

    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// The pieces of a text, at most `most` with the marks of its start and end, which are always there.
    pub fn of_text(&self, text: &str, most: usize) -> Vec<u16> {
        let inner = most.saturating_sub(2);
        let mut numbers = vec![self.start];
        let mut word = String::new();
        let categories = CodePointMapData::<GeneralCategory>::new();
        let category = |letter: char| categories.get(letter);
        let clipped =
            text.chars().take(inner * CHARACTERS_OF_A_PIECE).filter(|letter| is_text(*letter, category(*letter)));
        for letter in DecomposingNormalizerBorrowed::new_nfd().normalize_iter(clipped) {
            if numbers.len() > inner {
                break;
            }
            if category(letter) == GeneralCategory::NonspacingMark {
                continue;
            }
            let alone = is_ideograph(letter)
                || letter.is_ascii_punctuation()
                || GeneralCategoryGroup::Punctuation.contains(category(letter));
            if alone || letter.is_whitespace() {
                self.cut(&std::mem::take(&mut word), &mut numbers);
            }
            if alone {
                self.cut(letter.encode_utf8(&mut [0; 4]), &mut numbers);
            } else if !letter.is_whitespace() {
                word.extend(letter.to_lowercase());
            }
        }
        self.cut(&word, &mut numbers);
        numbers.truncate(inner + 1);
        numbers.push(self.end);
        numbers
    }

    /// Adds the pieces of a word.
    fn cut(&self, word: &str, numbers: &mut Vec<u16>) {
        let before = numbers.len();
        if word.chars().count() > LONGEST_WORD {
            numbers.push(self.unknown);
            return;
        }
        let ends: Vec<usize> = word.char_indices().map(|(from, letter)| from + letter.len_utf8()).collect();
        let mut at = 0;
        while at < word.len() {
            let far = ends.partition_point(|end| *end <= at + self.longest);
            let found = ends[..far].iter().rev().take_while(|end| **end > at).find_map(|end| {
                let part = &word[at..*end];
                let number = if at == 0 { self.find(part) } else { self.find(&format!("##{part}")) };
                Some((*end, number?))
            });
            let Some((end, number)) = found else {
                // One part that is unknown makes the word unknown.
                numbers.truncate(before);
                numbers.push(self.unknown);
                return;
            };
            numbers.push(number);
            at = end;
        }
    }

    fn find(&self, piece: &str) -> Option<u16> {
        let at = self.sorted.binary_search_by(|number| self.piece(*number).cmp(piece)).ok()?;
        Some(self.sorted[at])
    }

    fn piece(&self, number: u16) -> &str {
        let (begin, end) = self.spans[number as usize];
        &self.text[begin as usize..end as usize]
    }
}

/// Whether a character counts: control and format characters do not, white space does.
fn is_text(letter: char, category: GeneralCategory) -> bool {
    let says_nothing = matches!(
        category,
        GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse | GeneralCategory::Surrogate
    );
    matches!(letter, '\t' | '\n' | '\r') || !says_nothing && letter != '\u{fffd}'
}

/// Chinese characters, each a word of its own.
fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2b73f}' | '\u{2b740}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}'
        | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}
