//! What counts as an address.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

static IRI: LazyLock<Option<Validator>> =
    LazyLock::new(|| jsonschema::options().should_validate_formats(true).build(&json!({"format": "iri"})).ok());

/// Whether a text is an address as people copy it and browsers take it: one of RFC 3986, with letters of any alphabet, and
/// behind the host also with the signs that the standard has escaped (`?list[]=1`, `a|b`, `100%`).
pub(super) fn is_address(text: &str) -> bool {
    let Some(iri) = &*IRI else { return false };
    let host = text.find("://").map_or(0, |at| at + 3);
    let path = text[host..].find(['/', '?', '#']).map_or(text.len(), |at| host + at);
    let mut escaped = text[..path].to_owned();
    for (at, letter) in text[path..].char_indices() {
        match letter {
            '[' | ']' | '|' | '^' | '{' | '}' | '`' | '\\' => escaped.push_str("%5B"),
            '%' if !is_escape(&text.as_bytes()[path + at..]) => escaped.push_str("%25"),
            _ => escaped.push(letter),
        }
    }
    iri.is_valid(&Value::String(escaped))
}

fn is_escape(text: &[u8]) -> bool {
    matches!(text, [b'%', one, other, ..] if one.is_ascii_hexdigit() && other.is_ascii_hexdigit())
}
