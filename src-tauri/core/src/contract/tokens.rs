//! How many tokens a text is, where no tokenizer can be asked.

/// An estimate that errs high: a token for every three bytes of letters and spaces, and for every character of
/// anything else (digits, punctuation, other scripts), which is about what the vocabularies of today cost at worst.
pub fn estimate_tokens(text: &str) -> u32 {
    let (mut plain, mut other) = (0_usize, 0_usize);
    for character in text.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | ' ' => plain += 1,
            _ => other += 1,
        }
    }
    u32::try_from(plain.div_ceil(3) + other).unwrap_or(u32::MAX)
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
}
