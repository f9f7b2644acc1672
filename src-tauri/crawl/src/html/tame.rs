//! Makes of what a server sent a text of tags that a parser reads in bounded time and memory.
//!
//! The parser that comes after it follows the HTML standard, whose rules take quadratic time and memory on some texts:
//! elements inside one another without end, formatting that is never closed and is opened anew in every paragraph, tags
//! with a hundred thousand attributes. All `<` of the result that begin a tag were let through here, one by one; nothing
//! is hidden in comments, scripts, styles or drawings, which are left out or have no `<` any more. What goes beyond a bound
//! is left out as a tag, and its text stays.

use super::MOST_TAGS;

/// Elements inside one another; browsers draw the line at 512.
const MOST_DEPTH: usize = 200;
/// Formatting that is open at once.
const MOST_FORMATTING: usize = 8;
/// Attributes of one tag.
const MOST_ATTRIBUTES: usize = 100;
/// Bytes of one tag.
const MOST_TAG: usize = 16 << 10;
/// Bytes of a script's data that is kept.
const MOST_SCRIPT: usize = 256 << 10;

/// Elements without content.
const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
/// Elements that the next of their kind ends, or the end of what they stand in: they never lie in one another.
const IMPLIED: [&str; 20] = [
    "html", "head", "body", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "caption", "colgroup",
    "option", "optgroup", "rt", "rp", "a",
];
/// Elements that are opened anew wherever they were not closed.
const FORMATTING: [&str; 12] = ["b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u"];
/// Tags that mean something to the parser and nothing here.
const LEFT_OUT: [&str; 6] = ["plaintext", "frameset", "frame", "nobr", "marquee", "isindex"];

/// A tag as it stands in a text.
struct Tag<'a> {
    name: String,
    is_end: bool,
    /// The whole of it, `<` and `>` included.
    text: &'a str,
    fits: bool,
}

/// The tags of a text, found in time that grows with the text and no faster.
///
/// That nothing ends a tag is seen only at the end of the text. What reads on from a byte in a state in which that byte was
/// read before comes to the same end, so it is not read again; behind a tag that was found nothing has been read.
struct Tags<'a> {
    text: &'a str,
    /// In which states each byte was read, a bit for each.
    read: Vec<u8>,
}

/// Where in a tag a byte stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Name = 1,
    Attributes = 2,
    /// Behind an `=`.
    Value = 4,
    Double = 8,
    Single = 16,
    /// `</ >` and the like are comments to a parser.
    Comment = 32,
}

/// What is open where the text is read.
#[derive(Default)]
struct Open {
    elements: Vec<String>,
    formatting: Vec<String>,
    tags: usize,
}

/// A text, tamed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tamed {
    pub(super) text: String,
    /// Whether anything was left out because there was too much of it, or because it means nothing here.
    pub(super) was_cut: bool,
    /// Whether there were more tags than are read: then what comes after them was left out.
    pub(super) has_more_tags: bool,
}

/// Tames a text.
pub(super) fn tame(text: &str) -> Tamed {
    let mut out = String::with_capacity(text.len());
    let (mut open, mut rest, mut was_cut) = (Open::default(), text, false);
    // Whether there is more than space in what is written, as far as that was looked at.
    let (mut tags, mut has_begun, mut looked_at) = (Tags::of(text), false, 0);
    while let Some(place) = rest.find('<') {
        let (before, at) = rest.split_at(place);
        out.push_str(before);
        has_begun |= out.get(looked_at..).is_some_and(|written| !written.trim().is_empty());
        looked_at = out.len();
        rest = if let Some(comment) = at.strip_prefix("<!--") {
            comment.find("-->").and_then(|end| comment.get(end + 3..)).unwrap_or_default()
        } else if at.starts_with("<!") || at.starts_with("<?") {
            let declaration = at.find('>').and_then(|end| at.get(end + 1..)).unwrap_or_default();
            if at.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype")) && !has_begun {
                out.push_str("<!DOCTYPE html>");
            }
            declaration
        } else if let Some(tag) = tags.tag(at) {
            if open.tags == MOST_TAGS {
                return Tamed { text: out, was_cut: true, has_more_tags: true };
            }
            let after = at.get(tag.text.len()..).unwrap_or_default();
            let (after, left_out) = take(&tag, after, &mut open, &mut out);
            was_cut |= left_out;
            after
        } else {
            out.push_str("&lt;");
            at.get(1..).unwrap_or_default()
        };
    }
    out.push_str(rest);
    Tamed { text: out, was_cut, has_more_tags: false }
}

/// Takes in a tag, with what belongs to it as text; the rest, and whether the tag was left out.
fn take<'a>(tag: &Tag<'_>, after: &'a str, open: &mut Open, out: &mut String) -> (&'a str, bool) {
    open.tags += 1;
    let name = tag.name.as_str();
    if !tag.is_end && matches!(name, "script" | "style" | "textarea" | "title" | "noscript" | "svg" | "math" | "xmp") {
        return (take_text(tag, after, out), false);
    }
    let is_admitted = tag.fits && !LEFT_OUT.contains(&name) && open.admits(tag);
    if is_admitted {
        out.push_str(tag.text);
    }
    (after, !is_admitted && !tag.is_end)
}

/// Takes in an element whose content is text, up to its end.
fn take_text<'a>(tag: &Tag<'_>, after: &'a str, out: &mut String) -> &'a str {
    let name = tag.name.as_str();
    let (content, rest) = until_end(after, name);
    let opening = if tag.fits { tag.text } else { "" };
    match name {
        "script" if tag.fits => {
            let content = content.get(..MOST_SCRIPT.min(content.len())).unwrap_or_default();
            // In JSON the two are the same; in other scripts nobody runs what was changed.
            out.push_str(opening);
            out.push_str(&content.replace('<', "\\u003c"));
            out.push_str("</script>");
        }
        "title" | "textarea" | "noscript" => {
            out.push_str(&format!("<{name}>{}</{name}>", without_tags(content)));
        }
        "xmp" => out.push_str(&content.replace('<', "&lt;")),
        // Styles and drawings say nothing about what a page is about.
        _ => {}
    }
    rest
}

/// The text up to the end tag of a name, and what comes after that tag.
fn until_end<'a>(text: &'a str, name: &str) -> (&'a str, &'a str) {
    let mut from = 0;
    while let Some(place) = text.get(from..).and_then(|rest| rest.find("</")).map(|place| from + place) {
        let after = text.get(place + 2..).unwrap_or_default();
        let is_end = after.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && after.as_bytes().get(name.len()).is_none_or(|byte| b" \t\n\r/>".contains(byte));
        if is_end {
            let rest = after.find('>').and_then(|end| after.get(end + 1..)).unwrap_or_default();
            return (text.get(..place).unwrap_or_default(), rest);
        }
        from = place + 2;
    }
    (text, "")
}

/// A text whose tags are left out.
fn without_tags(text: &str) -> String {
    let mut out = String::new();
    let (mut rest, mut tags) = (text, Tags::of(text));
    while let Some(place) = rest.find('<') {
        out.push_str(rest.get(..place).unwrap_or_default());
        out.push(' ');
        let at = rest.get(place..).unwrap_or_default();
        rest = match tags.tag(at) {
            Some(tag) => at.get(tag.text.len()..).unwrap_or_default(),
            None => at.get(1..).unwrap_or_default(),
        };
    }
    out.push_str(rest);
    out
}

impl<'a> Tags<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, read: vec![0; text.len()] }
    }

    /// The tag that a rest of the text begins with.
    fn tag(&mut self, at: &'a str) -> Option<Tag<'a>> {
        let bytes = at.as_bytes();
        let is_end = bytes.get(1) == Some(&b'/');
        let start = if is_end { 2 } else { 1 };
        let mut within = match bytes.get(start)? {
            byte if byte.is_ascii_alphabetic() => Within::Name,
            _ if is_end => Within::Comment,
            _ => return None,
        };
        let read = self.read.get_mut(self.text.len() - at.len()..)?;
        let (mut name_end, mut attributes, mut was_space) = (start, 0_usize, false);
        for (offset, (byte, read)) in bytes.iter().zip(read).enumerate().skip(start) {
            if *read & within as u8 != 0 {
                return None;
            }
            *read |= within as u8;
            if within == Within::Name && b" \t\n\r\x0c/>".contains(byte) {
                (within, name_end) = (Within::Attributes, offset);
            }
            match (within, byte) {
                (Within::Double, b'"') | (Within::Single, b'\'') => {
                    (within, was_space) = (Within::Attributes, true);
                    attributes += 1;
                }
                (Within::Double | Within::Single | Within::Name, _) => {}
                (Within::Comment, b'>') => {
                    return Some(Tag { name: String::new(), is_end, text: at.get(..=offset)?, fits: false });
                }
                (Within::Comment, _) => {}
                (Within::Value, b'"') => within = Within::Double,
                (Within::Value, b'\'') => within = Within::Single,
                (_, b'>') => {
                    let name = at.get(start..name_end)?.to_ascii_lowercase();
                    let fits = offset < MOST_TAG && attributes <= MOST_ATTRIBUTES && name.len() <= 40;
                    return Some(Tag { name, is_end, text: at.get(..=offset)?, fits });
                }
                (_, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'/') => {
                    attributes += usize::from(!was_space);
                    was_space = true;
                }
                (_, byte) => {
                    within = if *byte == b'=' { Within::Value } else { Within::Attributes };
                    was_space = false;
                }
            }
        }
        None
    }
}

impl Open {
    /// Whether a tag is let through; what it opens or ends is kept in mind.
    fn admits(&mut self, tag: &Tag<'_>) -> bool {
        let name = tag.name.as_str();
        if VOID.contains(&name) || IMPLIED.contains(&name) {
            return true;
        }
        let list = if FORMATTING.contains(&name) { &mut self.formatting } else { &mut self.elements };
        if tag.is_end {
            let place = list.iter().rposition(|open| open == name);
            match place {
                Some(place) if FORMATTING.contains(&name) => drop(list.remove(place)),
                Some(place) => list.truncate(place),
                None => return false,
            }
            return true;
        }
        let most = if FORMATTING.contains(&name) { MOST_FORMATTING } else { MOST_DEPTH };
        let has_room = list.len() < most;
        if has_room {
            list.push(name.to_owned());
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tamed(text: &str) -> String {
        tame(text).text
    }

    #[test]
    fn an_ordinary_page_stays_as_it_is() {
        let page = "<!DOCTYPE html><html lang=en><head><title>A &amp; b</title><meta charset=utf-8></head><body>\
                    <ul><li><a href=\"/x?a=1&b=2\" class='c d'>One</a><li><b>Two</b></ul><img src=x alt='a > b'></body></html>";
        let whole = Tamed { text: page.to_owned(), was_cut: false, has_more_tags: false };
        assert_eq!(tame(page), whole);
    }

    #[test]
    fn nothing_is_hidden_from_the_bounds() {
        assert_eq!(tamed("a<!-- <b> -->c<!---->d<!-- <i>"), "acd");
        assert_eq!(tamed("<style><b></style>x<STYLE >p{}</style\n>y"), "xy");
        assert_eq!(
            tamed("<script>if (a<b) '</scripts>'</script>z"),
            "<script>if (a\\u003cb) '\\u003c/scripts>'</script>z"
        );
        assert_eq!(tamed("<title>a<b>c</title>"), "<title>a c</title>");
        assert_eq!(tamed("<svg><path d=1/><title>x</title></svg>y"), "y");
        assert_eq!(tamed("1 < 2 <3 <"), "1 &lt; 2 &lt;3 &lt;");
        assert_eq!(tamed("<b"), "&lt;b");
        assert_eq!(tamed("<a <b c='d><i>x</i>"), "&lt;a &lt;b c='d><i>x</i>");
        assert_eq!(tamed("<p><a b=\"<i>x</i>\" c='>y"), "<p>&lt;a b=\"<i>x</i>\" c='>y");
        assert_eq!(tamed(" <!doctype html> <!DOCTYPE x>y"), " <!DOCTYPE html> y");
        assert_eq!(tamed("<![CDATA[x]]>y<?php z ?>w</ x>v"), "ywv");
    }

    #[test]
    fn what_goes_beyond_a_bound_is_left_out_and_its_text_stays() {
        let deep = tame(&format!("{}x{}", "<div>".repeat(5_000), "</div>".repeat(5_000)));
        let count = |tag: &str| deep.text.matches(tag).count();
        assert_eq!((count("<div>"), count("</div>"), deep.was_cut, deep.has_more_tags), (200, 200, true, false));
        let bold: String = (0..1_000).map(|n| format!("<p><b id={n}>x")).collect();
        let bold = tamed(&bold);
        assert_eq!((bold.matches("<b ").count(), bold.matches("<p>").count()), (8, 1_000));
        let attributes: String = (0..1_000).map(|n| format!(" a{n}")).collect();
        assert_eq!(tamed(&format!("<a{attributes}>x</a>")), "x</a>");
        let quoted: String = (0..1_000).map(|n| format!("a{n}=\"\"")).collect();
        assert_eq!(tamed(&format!("<a {quoted}>x</a>")), "x</a>");
        let many = tame(&"<a>".repeat(MOST_TAGS + 10));
        assert_eq!((many.text.len(), many.was_cut, many.has_more_tags), (3 * MOST_TAGS, true, true));
        assert!(!tame(&"<a>".repeat(MOST_TAGS)).has_more_tags);
    }

    proptest::proptest! {
        #[test]
        fn whatever_there_is_it_is_tamed(text in "[<>/!a-c \"'=-]{0,200}") {
            drop(tame(&text));
        }
    }
}
