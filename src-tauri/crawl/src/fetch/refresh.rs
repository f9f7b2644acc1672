//! Pages that send on at once by `<meta http-equiv=refresh>`, as servers do that answer with nothing but files.

use url::Url;

use super::wire::Answer;
use crate::address::{join, key};
use crate::charset::decode;
use crate::html::{Dom, attribute};
use crate::links::base_of;

/// Bytes of a page in which it says that it sends on.
const HEAD: usize = 64 << 10;
/// A page that is shown for longer is there to be read.
const MOST_SECONDS: f64 = 1.0;

/// Where a page sends whoever reads it, at once; `None` where it does not, or only to itself.
pub(super) fn target(at: &Url, answer: &Answer) -> Option<Url> {
    let kind = answer.content_type.to_lowercase();
    if !(200..300).contains(&answer.status) || !(kind.is_empty() || kind.contains("html")) {
        return None;
    }
    let head = answer.bytes.get(..HEAD).unwrap_or(&answer.bytes);
    let text = decode(head, Some(&answer.content_type)).text;
    // Few pages have it, and to read one takes its time.
    if !text.to_ascii_lowercase().contains("refresh") {
        return None;
    }
    let dom = Dom::parse(&text);
    let is_refresh = |meta: &crate::html::Node<'_>| {
        attribute(meta, "http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("refresh"))
    };
    let meta = dom.each("meta[http-equiv][content]").into_iter().find(is_refresh)?;
    let next = join(&base_of(&dom, at), address_in(&attribute(&meta, "content")?)?)?;
    (key(&next) != key(at)).then_some(next)
}

/// The address in `0; url=/en/`, in the forms that browsers understand (HTML, 4.2.5.3); `None` where it is to be looked at
/// later, or not elsewhere.
fn address_in(content: &str) -> Option<&str> {
    let content = content.trim();
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    let (seconds, rest) = content.split_at(content.find(|letter| !is_number(letter)).unwrap_or(content.len()));
    if seconds.parse::<f64>().ok()? > MOST_SECONDS {
        return None;
    }
    let rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || matches!(letter, ';' | ','));
    let is_named = rest.get(..3).is_some_and(|name| name.eq_ignore_ascii_case("url"));
    let value = rest.get(3..).filter(|_| is_named).and_then(|after| after.trim_start().strip_prefix('='));
    let value = value.unwrap_or(rest).trim();
    let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.split(quote).next());
    Some(quoted.unwrap_or(value)).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::address_in;

    #[test]
    fn the_address_is_read_as_browsers_read_it() {
        for (content, address) in [
            ("0; url=/en/", Some("/en/")),
            ("0;URL='/en/'", Some("/en/")),
            ("1, Url = \"/a b\" x", Some("/a b")),
            ("0.5; /en/", Some("/en/")),
            ("0 urls.html", Some("urls.html")),
            ("5; url=/en/", None),
            ("0", None),
            ("0; url=", None),
            ("; url=/en/", None),
            ("soon; url=/en/", None),
            ("", None),
        ] {
            assert_eq!(address_in(content), address, "{content:?}");
        }
    }
}
