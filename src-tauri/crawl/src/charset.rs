//! From bytes to text, whatever is said about them.

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, WINDOWS_1252};

/// Bytes in which a page may say how it is written.
const HEAD: usize = 1_024;

/// A text, and how it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text; what could not be read in it is U+FFFD.
    pub text: String,
    /// The name of the encoding.
    pub encoding: &'static str,
    /// What was said about it and is not so.
    pub lie: Option<String>,
}

/// Reads bytes: a byte order mark counts most, then what the server says, then what the page says, then what the bytes
/// look like. What is said but cannot be is passed over; text that is valid UTF-8 beyond ASCII is UTF-8.
pub fn decode(bytes: &[u8], content_type: Option<&str>) -> Decoded {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        let (text, encoding, _) = encoding.decode(bytes);
        return Decoded { text: text.into_owned(), encoding: encoding.name(), lie: None };
    }
    let said: Vec<(&str, String)> = [("the server", content_type.and_then(charset_of)), ("the page", in_head(bytes))]
        .into_iter()
        .filter_map(|(who, label)| Some((who, label?)))
        .collect();
    let looks_like_utf8 = !bytes.is_ascii() && is_utf8(bytes);
    let named = said.iter().filter_map(|(_, label)| Encoding::for_label(label.as_bytes()));
    let named: Vec<&'static Encoding> = named.collect();
    // A page cannot say in ASCII that it is written in an encoding that ASCII is no part of.
    let candidates = named.iter().copied().filter(|encoding| encoding.is_ascii_compatible() || !has_no_zero(bytes));
    let chosen = match looks_like_utf8 {
        true => UTF_8,
        false if named.contains(&ISO_2022_JP) && switches(bytes) => ISO_2022_JP,
        false => candidates
            .chain([UTF_8])
            .find(|encoding| encoding.decode_without_bom_handling_and_without_replacement(trimmed(bytes)).is_some())
            .unwrap_or_else(|| named.iter().copied().find(|named| *named != UTF_8).unwrap_or(WINDOWS_1252)),
    };
    let (text, _) = chosen.decode_without_bom_handling(bytes);
    let lie = said.iter().find(|(_, label)| {
        let meant = Encoding::for_label(label.as_bytes());
        meant.is_none_or(|meant| meant != chosen && !bytes.is_ascii())
    });
    let lie = lie.map(|(who, label)| format!("{who} says {label}, it is {}", chosen.name()));
    Decoded { text: text.into_owned(), encoding: chosen.name(), lie }
}

/// Whether bytes are UTF-8, but for a character that was cut at the end.
fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Whether bytes, all of them ASCII, switch to the characters of JIS and back by escapes, as ISO-2022-JP does.
fn switches(bytes: &[u8]) -> bool {
    bytes.is_ascii() && bytes.windows(2).any(|pair| matches!(pair, b"\x1b$" | b"\x1b("))
}

/// Without a character of UTF-8 that was cut at the end.
fn trimmed(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.get(..error.valid_up_to()).unwrap_or(bytes),
        _ => bytes,
    }
}

fn has_no_zero(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    !head.contains(&0)
}

/// The `charset` of a content type.
fn charset_of(content_type: &str) -> Option<String> {
    let lower = content_type.to_ascii_lowercase();
    let (_, after) = lower.split_once("charset")?;
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    let end = value.find(['"', '\'', ';', ' ', '>', '/', '\t', '\n']).unwrap_or(value.len());
    let label = value.get(..end)?.trim();
    (!label.is_empty() && label.len() <= 40).then(|| label.to_owned())
}

/// What a page says of itself, in `<meta charset>`, `<meta http-equiv content>` or an XML declaration.
fn in_head(bytes: &[u8]) -> Option<String> {
    let head: String = bytes.iter().take(HEAD).map(|byte| char::from(*byte).to_ascii_lowercase()).collect();
    let declared = head.split("<meta").skip(1).find_map(|meta| charset_of(meta.split('>').next()?));
    declared.or_else(|| {
        let declaration = head.trim_start().strip_prefix("<?xml")?.split('>').next()?;
        let (_, after) = declaration.split_once("encoding")?;
        after.split(['"', '\'']).nth(1).map(|label| label.trim().to_owned()).filter(|label| !label.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], content_type: Option<&str>) -> (String, &'static str, Option<String>) {
        let Decoded { text, encoding, lie } = decode(bytes, content_type);
        (text, encoding, lie)
    }

    #[test]
    fn what_is_said_is_believed_where_it_can_be() {
        let latin = b"<p>caf\xe9</p>";
        let utf8 = "<p>café</p>".as_bytes();
        let text = "<p>café</p>".to_owned();
        assert_eq!(read(utf8, Some("text/html; charset=utf-8")), (text.clone(), "UTF-8", None));
        assert_eq!(read(latin, Some("text/html; charset=ISO-8859-1")), (text.clone(), "windows-1252", None));
        assert_eq!(read(latin, None), (text.clone(), "windows-1252", None));
        let meta = b"<meta charset='windows-1251'><p>\xcf\xf0\xe8</p>";
        assert_eq!(read(meta, None).0, "<meta charset='windows-1251'><p>При</p>");
        let old = b"<meta http-equiv=Content-Type content=\"text/html; charset=shift_jis\"><p>\x82\xa0</p>";
        assert_eq!((read(old, None).1, read(old, None).0.contains("あ")), ("Shift_JIS", true));
        assert_eq!(read(b"<?xml version='1.0' encoding='koi8-r'?><p>\xc1</p>", None).1, "KOI8-R");
        assert_eq!(read(b"\xef\xbb\xbfcaf\xc3\xa9", Some("text/html; charset=latin1")).0, "café");
        assert_eq!(read(b"\xff\xfea\0b\0", None).0, "ab");
    }

    #[test]
    fn japanese_that_is_written_in_ascii_is_read_also_where_it_was_cut() {
        let bytes = b"<meta charset=iso-2022-jp><p>\x1b$B$3$s$K$A$O\x1b(B</p>";
        assert_eq!(read(bytes, None), ("<meta charset=iso-2022-jp><p>こんにちは</p>".to_owned(), "ISO-2022-JP", None));
        let cut = &bytes[..bytes.len() - 8];
        assert!(read(cut, Some("text/html; charset=ISO-2022-JP")).0.contains("こんにち"));
        // Without an escape it is what all read alike.
        assert_eq!(read(b"<p>plain</p>", Some("text/html; charset=iso-2022-jp")).1, "UTF-8");
        assert_eq!(read(b"<p>\x1b$B$3</p>", None).1, "UTF-8", "nobody says so");
    }

    #[test]
    fn lies_are_seen_and_told() {
        let utf8 = "<meta charset=utf-8><p>café</p>".as_bytes();
        let (text, encoding, lie) = read(utf8, Some("text/html; charset=iso-8859-1"));
        assert!(text.contains("café"));
        assert_eq!((encoding, lie.as_deref()), ("UTF-8", Some("the server says iso-8859-1, it is UTF-8")));
        let (text, encoding, lie) = read(b"<p>caf\xe9</p>", Some("text/html; charset=utf-8"));
        assert_eq!((text.as_str(), encoding), ("<p>café</p>", "windows-1252"));
        assert_eq!(lie.as_deref(), Some("the server says utf-8, it is windows-1252"));
        let (text, _, lie) = read(b"<p>plain</p>", Some("text/html; charset=utf-16"));
        assert_eq!((text.as_str(), lie), ("<p>plain</p>", None));
        let (_, _, lie) = read("<p>ü</p>".as_bytes(), Some("text/html; charset=klingon"));
        assert_eq!(lie.as_deref(), Some("the server says klingon, it is UTF-8"));
    }

    #[test]
    fn a_character_that_was_cut_is_no_reason_to_read_all_otherwise() {
        let bytes = "<p>größe ü".as_bytes();
        let cut = &bytes[..bytes.len() - 1];
        assert_eq!(read(cut, None).1, "UTF-8");
        assert!(read(cut, Some("text/html; charset=utf-8")).0.starts_with("<p>größe "));
    }

    proptest::proptest! {
        #[test]
        fn whatever_bytes_there_are_there_is_a_text(bytes: Vec<u8>, said: Option<String>) {
            drop(decode(&bytes, said.as_deref()));
        }
    }
}
