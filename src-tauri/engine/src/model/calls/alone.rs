//! A text that is nothing but calls, without any mark: `read(path="a.txt")`, or a tool's name and its arguments below it.
//! With a word beside them they are a text that tells how something is called.

use serde_json::Value;

use super::json::{Outcome, Room, document};
use super::python::{self, is_of_name};
use super::{RawCall, Tools};

/// The calls that a whole text is.
pub(super) fn calls(text: &str, tools: &Tools, room: &mut Room) -> Option<Vec<RawCall>> {
    let mut rest = unquoted(text.trim());
    let mut calls = Vec::new();
    while !rest.is_empty() {
        let end = rest.find(|character| !is_of_name(character))?;
        let (name, behind) = rest.split_at(end);
        tools.spec(name)?;
        if behind.starts_with('(') {
            let Outcome::Whole(found, used) = python::calls(rest, true) else { return None };
            found.iter().try_for_each(|call| tools.spec(&call.name).map(drop))?;
            calls.extend(found);
            rest = &rest[used..];
        } else {
            let Outcome::Whole(arguments @ Value::Object(_), used) = document(behind.trim_start(), room) else {
                return None;
            };
            calls.push(RawCall { id: None, name: name.to_owned(), arguments });
            rest = &behind.trim_start()[used..];
        }
        rest = python::between(rest);
    }
    (!calls.is_empty()).then_some(calls)
}

/// A text without the code block, or the backticks, that it stands in.
fn unquoted(text: &str) -> &str {
    let fenced = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    if let Some((language, inside)) = fenced.and_then(|inside| inside.split_once('\n')) {
        let is_language = language.chars().all(char::is_alphanumeric);
        return if is_language { inside.trim() } else { text };
    }
    let quoted = text.strip_prefix('`').and_then(|text| text.strip_suffix('`'));
    quoted.filter(|inside| !inside.contains('`')).map_or(text, str::trim)
}
