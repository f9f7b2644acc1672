//! What a schema is made of where it says what one value is: itself, what it refers to by place, and all of its `allOf`.
//!
//! Whatever a schema holds, this ends: each part is looked at once, and there are only so many.

use serde_json::Value;

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
