//! The forms in which servers and programs like to repeat a secret.

use assent_core::order::{sort, sort_by_key};
use regex::bytes::{Regex, RegexBuilder};

/// A longer secret is looked for as it is and in base64 and hexadecimal, without escaped signs.
const ESCAPED_BYTES: usize = 512;
/// Signs of base64 that are enough to know a secret by.
const LEAST_SIGNS: usize = 7;
/// What the pattern of one secret may take.
const PATTERN_BYTES: usize = 64 << 20;

/// One form of a secret: sign after sign, each in one of several ways.
#[derive(Clone)]
pub(super) struct Form {
    signs: Vec<Vec<String>>,
    any_case: bool,
    pattern: Regex,
}

impl Form {
    /// All forms of a text: plain, in any case, escaped as in addresses, JSON and HTML, in base64 at any place of a longer
    /// text, and in hexadecimal.
    pub(super) fn all(text: &str) -> Vec<Self> {
        let mut exact = vec![text.to_owned()];
        exact.extend(hexadecimal(text));
        exact.extend(base64(text));
        sort(&mut exact);
        exact.dedup();
        let exact = exact.into_iter().filter_map(|form| Self::of(vec![vec![form]], false));
        let escaped = (text.len() <= ESCAPED_BYTES).then(|| Self::of(text.chars().map(ways).collect(), true));
        exact.chain(escaped.flatten()).collect()
    }

    fn of(signs: Vec<Vec<String>>, any_case: bool) -> Option<Self> {
        let each =
            |ways: &Vec<String>| format!("(?:{})", ways.iter().map(|way| written(way)).collect::<Vec<_>>().join("|"));
        let pattern: String = signs.iter().map(each).collect();
        let pattern = RegexBuilder::new(&pattern).case_insensitive(any_case).size_limit(PATTERN_BYTES).build().ok()?;
        Some(Self { signs, any_case, pattern })
    }

    /// Where it stands in a text.
    pub(super) fn found(&self, bytes: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.pattern.find_iter(bytes).map(|found| found.range())
    }

    /// Bytes of it where it is longest.
    pub(super) fn longest(&self) -> usize {
        self.signs.iter().map(|ways| ways.iter().map(String::len).max().unwrap_or(0)).sum()
    }

    /// Whether a text is its beginning and no more.
    pub(super) fn begins_with(&self, text: &[u8]) -> bool {
        let same =
            |one: &[u8], other: &[u8]| if self.any_case { one.eq_ignore_ascii_case(other) } else { one == other };
        let mut reached = vec![0];
        for ways in &self.signs {
            let mut next = Vec::new();
            for at in reached {
                let rest = &text[at..];
                for way in ways.iter().map(String::as_bytes) {
                    if rest.len() < way.len() && same(rest, &way[..rest.len()]) {
                        return true;
                    }
                    if rest.len() >= way.len() && same(&rest[..way.len()], way) {
                        next.push(at + way.len());
                    }
                }
            }
            next.sort_unstable();
            next.dedup();
            reached = next;
        }
        false
    }
}

/// A way as a pattern: numbers of signs may have zeros before them.
fn written(way: &str) -> String {
    for (begin, zeros) in [("&#x", "&#x0*"), ("&#", "&#0*")] {
        if let Some(rest) = way.strip_prefix(begin) {
            return format!("{zeros}{}", regex::escape(rest));
        }
    }
    regex::escape(way)
}

/// The ways in which a sign is written, the longest first, where one begins as another does.
fn ways(sign: char) -> Vec<String> {
    let mut bytes = [0; 4];
    let percent: String = sign.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")).collect();
    let mut units = [0; 2];
    let json: String = sign.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04X}")).collect();
    let number = u32::from(sign);
    let mut ways = vec![sign.to_string(), percent, json, format!("&#{number};"), format!("&#x{number:X};")];
    let known: &[&str] = match sign {
        ' ' => &["+"],
        '"' => &["\\\"", "&quot;"],
        '\\' => &["\\\\"],
        '/' => &["\\/"],
        '\'' => &["\\'", "&apos;", "'\\''"],
        '&' => &["&amp;"],
        '<' => &["&lt;"],
        '>' => &["&gt;"],
        '\n' => &["\r\n", "\\n", "\\r\\n", "%0D%0A"],
        '\t' => &["\\t"],
        _ => &[],
    };
    ways.extend(known.iter().map(|way| (*way).to_owned()));
    sort_by_key(&mut ways, |way| std::cmp::Reverse(way.len()));
    ways
}

fn hexadecimal(text: &str) -> [String; 2] {
    let lower: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    let upper = lower.to_uppercase();
    [lower, upper]
}

/// What of the secret's base64 is the same whatever stands before and behind it: one text for each of the three places at
/// which it may begin, in both alphabets.
fn base64(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(text.as_bytes());
        let (first, last) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
        for alphabet in [b"+/", b"-_"] {
            let signs = signs(&bytes, alphabet);
            let own = signs.get(first..last).unwrap_or_default();
            if own.len() >= LEAST_SIGNS {
                found.push(own.to_owned());
            }
        }
    }
    found
}

/// Base64 without padding, its last two signs as given.
fn signs(bytes: &[u8], last: &[u8; 2]) -> String {
    let sign = |value: u8| match value {
        0..=25 => char::from(b'A' + value),
        26..=51 => char::from(b'a' + value - 26),
        52..=61 => char::from(b'0' + value - 52),
        62 => char::from(last[0]),
        _ => char::from(last[1]),
    };
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 3);
    for chunk in bytes.chunks(3) {
        let all = chunk.iter().fold(0_u32, |all, byte| (all << 8) | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            let six = (all >> (18 - 6 * at)) & 0x3F;
            text.push(sign(u8::try_from(six).unwrap_or_default()));
        }
    }
    text
}
