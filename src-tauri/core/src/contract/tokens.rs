//! How many tokens a text is, where no tokenizer can be asked.

/// An estimate that errs high: a token for every three letters and spaces, for every digit, sign and letter with an
/// accent, two for what Chinese, Japanese and Korean are written in, and for all that vocabularies rarely have, emoji and
/// the scripts of few, as many as it has bytes, beyond which no tokenizer of today goes.
pub fn estimate_tokens(text: &str) -> u32 {
    let (mut plain, mut other) = (0_usize, 0_usize);
    for character in text.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | ' ' => plain += 1,
            _ => other += at_worst(character),
        }
    }
    u32::try_from(plain.div_ceil(3) + other).unwrap_or(u32::MAX)
}

fn at_worst(character: char) -> usize {
    match character {
        // ASCII, and the letters of Latin, Greek, Cyrillic, Hebrew and Arabic, which all vocabularies have.
        '\0'..='\u{24F}' | '\u{370}'..='\u{52F}' | '\u{5D0}'..='\u{5EA}' | '\u{620}'..='\u{64A}' => 1,
        // The signs of prose: dashes, quotation marks, dots.
        '\u{2010}'..='\u{2026}' => 1,
        '\u{3000}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' => 2,
        rare => rare.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn the_estimate_is_never_low_for_prose_code_and_other_scripts() {
        // The second figure is what the starter model's tokenizer counts.
        let known = [
            ("", 0),
            ("Count the lines that mention patents in every licence text.", 12),
            ("fn main() { println!(\"{}\", 1234567); }", 19),
            ("許諾を数える", 6),
        ];
        for (text, tokens) in known {
            assert!(estimate_tokens(text) >= tokens, "{text}");
            assert!(estimate_tokens(text) <= tokens * 2 + 4, "{text}");
        }
    }

    #[test]
    fn what_vocabularies_do_not_have_is_as_many_tokens_as_bytes() {
        for rare in ["𓀀𓀁𓀂", "👩‍🚀🫠🧑🏽‍🔬", "ߊߋߌ", "ꓐꓑꓒ", "ሀሁሂ", "\u{E000}\u{F8FF}"]
        {
            assert_eq!(estimate_tokens(rare) as usize, rare.len(), "{rare}");
        }
    }
}
