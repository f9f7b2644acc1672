//! What a schema is made of where it says what one value is: itself, what it refers to by place, and all of its `allOf`.
//!
//! Whatever a schema holds, this ends: each part is looked at once, and there are only so many.

use serde_json::Value;

/// Parts of one [`Resolved`].
const MOST_PARTS: usize = 64;

/// What schemas say together of one value: whoever looks for a keyword in a property alone misses what it refers to.
#[derive(Debug, Clone)]
pub struct Resolved<'s> {
    /// The schemas with what they refer to and their `allOf`, each once, none without its whole before it.
    pub parts: Vec<&'s Value>,
    /// Whether that is all of them: a reference may lead elsewhere, and there may be too many.
    pub is_whole: bool,
}

impl<'s> Resolved<'s> {
    /// What schemas of a document say of one value.
    pub fn of(document: &'s Value, schemas: &[&'s Value]) -> Self {
        let parts = parts(document, schemas, MOST_PARTS);
        let leads_away = |part: &&&Value| {
            let refers = part.get("$ref").is_some() && referred(document, part).is_none();
            refers || part.get("$dynamicRef").is_some() || part.get("$recursiveRef").is_some()
        };
        let is_whole = parts.len() < MOST_PARTS && !parts.iter().any(|part| leads_away(&part));
        Self { parts, is_whole }
    }

    /// The same with more schemas, each part still once.
    #[must_use]
    pub fn and(&self, more: &Self) -> Self {
        let is_new = |part: &&&'s Value| !self.parts.iter().any(|known| std::ptr::eq(*known, **part));
        let parts = self.parts.iter().chain(more.parts.iter().filter(is_new)).copied().collect();
        Self { parts, is_whole: self.is_whole && more.is_whole }
    }

    /// A keyword as it is said first.
    pub fn first(&self, key: &str) -> Option<&'s Value> {
        self.all(key).next()
    }

    /// A keyword as each part says it that has it.
    pub fn all<'r>(&'r self, key: &'r str) -> impl Iterator<Item = &'s Value> + 'r {
        self.parts.iter().filter_map(move |part| part.get(key))
    }

    /// The types that a value may have; `None` where any is right.
    pub fn kinds(&self) -> Option<Vec<&'s str>> {
        let mut kinds: Option<Vec<&str>> = None;
        for said in self.all("type") {
            let said: Vec<&str> = match said {
                Value::String(one) => vec![one],
                Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
                _ => continue,
            };
            kinds = Some(kinds.map_or_else(|| said.clone(), |kinds| common(&kinds, &said)));
        }
        kinds
    }
}

/// The types that two lists have in common, where a whole number is a number.
fn common<'s>(one: &[&'s str], other: &[&'s str]) -> Vec<&'s str> {
    let is_whole = |kind: &&&str| **kind == "integer" && (one.contains(&"number") || other.contains(&"number"));
    let both = one.iter().filter(|kind| other.contains(kind) || is_whole(kind));
    let only = other.iter().filter(|kind| !one.contains(kind) && is_whole(kind));
    both.chain(only).copied().collect()
}

/// What schemas of one value are made of, each part once and none without its whole before it; at most so many.
pub(super) fn parts<'s>(whole: &'s Value, schemas: &[&'s Value], most: usize) -> Vec<&'s Value> {
    let mut parts: Vec<&Value> = Vec::new();
    let mut open: Vec<&Value> = schemas.iter().rev().copied().collect();
    while let Some(one) = open.pop() {
        if parts.len() >= most {
            break;
        }
        if parts.iter().any(|other| std::ptr::eq(*other, one)) {
            continue;
        }
        parts.push(one);
        open.extend(referred(whole, one));
        let all = one.get("allOf").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        open.extend(all.iter().take(most).rev());
    }
    parts
}

/// What a schema refers to by a place in its own document.
pub(super) fn referred<'s>(whole: &'s Value, schema: &Value) -> Option<&'s Value> {
    let to = schema.get("$ref").and_then(Value::as_str)?;
    whole.pointer(&decoded(to.strip_prefix('#')?))
}

/// A pointer as it was before it stood in an address.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, after @ ..] = rest {
        let two = after.get(..2).filter(|two| *first == b'%' && two.iter().all(u8::is_ascii_hexdigit));
        let byte = two.and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
