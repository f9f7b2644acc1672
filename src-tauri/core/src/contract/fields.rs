//! A schema as people read it: its fields one below the other, each with what it takes and what it is for.
//!
//! What is read may be anybody's. Whatever it holds, the list ends: references that come round again are told and not
//! followed, none leaves the document, and texts and lists are cut.

use std::borrow::Cow;
use std::collections::HashSet;

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use super::parts::{parts, referred};

/// Fields of one list, and levels of fields inside one another.
const MOST_FIELDS: usize = 400;
const MOST_DEPTH: usize = 8;
/// References and alternatives that are looked through on the way to one field's own keywords.
const MOST_HOPS: usize = 16;
/// Schemas that are looked at for one list.
const MOST_LOOKS: usize = 20_000;
/// Characters of a description, and of a value.
const MOST_TEXT: usize = 1_000;
const MOST_VALUE: usize = 300;
/// Values of an enumeration, and alternatives, that are named.
const MOST_NAMED: usize = 12;
/// Keywords of a schema without a type that is about objects or lists.
const OF_OBJECTS: [&str; 4] = ["properties", "patternProperties", "additionalProperties", "required"];
const OF_LISTS: [&str; 2] = ["items", "prefixItems"];

/// What stands in the place of a name for a value that is no object.
const WHOLE: &str = "(the value)";

/// A schema as a list of fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
pub struct Fields {
    /// The fields, each right behind the one that it stands in.
    pub fields: Vec<Field>,
    /// Whether there is more than is listed.
    pub cut: bool,
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
pub struct Field {
    /// Its name; `*` stands for any other, `/x/` for those that fit a pattern, `(the value)` for what is no object.
    pub name: String,
    /// In how many fields it stands.
    pub depth: usize,
    /// What it takes, in words: `text`, `list of objects`, `one of "a", "b"`.
    pub takes: String,
    /// Whether an object is not whole without it.
    pub required: bool,
    /// What counts where it is not given, as JSON.
    pub default: Option<String>,
    /// A value that it may have, as JSON.
    pub example: Option<String>,
    /// What it is for.
    pub description: String,
}

/// The fields of what a schema describes.
pub fn fields_of(schema: &Value) -> Fields {
    let mut walk = Walk { whole: schema, looks: 0, list: Fields::default(), above: Vec::new(), in_ways: 0 };
    // What is an object is told by its fields.
    let takes = walk.takes(&[schema], 0);
    let is_told = ["object", "any value"].contains(&takes.as_str());
    if !is_told {
        let whole = walk.field(WHOLE, &[schema], 0, true);
        walk.list.fields.push(whole);
    }
    walk.below(&[schema], usize::from(!is_told));
    walk.list
}

struct Walk<'a> {
    whole: &'a Value,
    looks: usize,
    list: Fields,
    /// Schemas whose fields are being listed, by where they are.
    above: Vec<*const Value>,
    /// Of how many alternatives, inside one another, the fields are being listed.
    in_ways: usize,
}

impl<'a> Walk<'a> {
    /// Whether one more schema may be looked at.
    fn may_look(&mut self) -> bool {
        self.looks += 1;
        self.list.cut |= self.looks > MOST_LOOKS;
        self.looks <= MOST_LOOKS
    }

    /// Schemas of one value with those that they refer to or are made of, themselves first.
    fn parts(&mut self, schemas: &[&'a Value]) -> Vec<&'a Value> {
        if !self.may_look() {
            return Vec::new();
        }
        let parts = parts(self.whole, schemas, MOST_HOPS);
        self.looks += parts.len().saturating_sub(1);
        parts
    }

    /// Lists the fields of an object, or of the objects in a list.
    fn below(&mut self, schemas: &[&'a Value], depth: usize) {
        // The objects of a list, and the alternatives to a value, have their fields told in its place.
        let own = self.parts(schemas);
        let inner: Vec<(usize, &Value)> = own.iter().flat_map(|part| inside(part)).take(MOST_HOPS).collect();
        let own_required = required_of(&own);
        let mut objects = vec![(0, own, own_required.clone())];
        for (ways, one) in inner {
            let parts = self.parts(&[one]);
            let mut required = required_of(&parts);
            // An alternative is the same object, and one in a list is another.
            required.extend(own_required.iter().filter(|_| ways > 0));
            objects.push((ways, parts, required));
        }
        let begun = self.above.len();
        for (ways, mut parts, required) in objects {
            parts.retain(|part| !self.above[..begun].iter().any(|above| std::ptr::eq(*above, *part)));
            self.above.extend(parts.iter().map(|part| std::ptr::from_ref(*part)));
            self.in_ways += ways;
            self.properties(&parts, &required, depth);
            self.in_ways -= ways;
        }
        self.above.truncate(begun);
    }

    /// The fields of an object, each once, whichever of its parts say something of it.
    fn properties(&mut self, parts: &[&'a Value], required: &HashSet<&str>, depth: usize) {
        let mut named: IndexMap<Cow<'_, str>, Vec<&Value>> = IndexMap::new();
        for part in parts {
            let all = |key: &str| part.get(key).and_then(Value::as_object).into_iter().flatten();
            let properties = all("properties").map(|(name, property)| (Cow::from(name), property));
            let patterns = all("patternProperties").map(|(name, property)| (Cow::from(format!("/{name}/")), property));
            let others = part.get("additionalProperties").filter(|others| others.is_object());
            for (name, property) in properties.chain(patterns).chain(others.map(|others| (Cow::from("*"), others))) {
                named.entry(name).or_default().push(property);
            }
        }
        for (name, schemas) in named {
            if self.list.fields.len() >= MOST_FIELDS || depth >= MOST_DEPTH || !self.may_look() {
                self.list.cut = true;
                return;
            }
            let field = self.field(&name, &schemas, depth, required.contains(&*name));
            self.list.fields.push(field);
            self.below(&schemas, depth + 1);
        }
    }

    fn field(&mut self, name: &str, schemas: &[&'a Value], depth: usize, required: bool) -> Field {
        let parts = self.parts(schemas);
        let first = |key: &str| parts.iter().find_map(|part| part.get(key));
        let list = first("examples").and_then(Value::as_array).and_then(|all| all.first());
        let description = first("description").and_then(Value::as_str).unwrap_or_default();
        // Which of several alternatives is meant nobody knows: their defaults do not count.
        let default = first("default").filter(|_| self.in_ways == 0).map(shown);
        let example = list.or_else(|| first("example")).map(shown);
        let description = cut(description.trim(), MOST_TEXT);
        let mut takes = self.takes(schemas, 0);
        if self.comes_round(schemas) {
            takes.push_str(", of the same fields again");
        }
        Field { name: cut(name, MOST_VALUE), depth, takes, required, default, example, description }
    }

    /// Whether the fields of a value are being listed already.
    fn comes_round(&mut self, schemas: &[&'a Value]) -> bool {
        let mut parts = self.parts(schemas);
        let inner: Vec<(usize, &Value)> = parts.iter().flat_map(|part| inside(part)).take(MOST_HOPS).collect();
        inner.into_iter().for_each(|(_, one)| parts.extend(self.parts(&[one])));
        parts
            .iter()
            .any(|part| part.get("properties").is_some() && self.above.iter().any(|up| std::ptr::eq(*up, *part)))
    }

    /// What a value has to be, in words.
    fn takes(&mut self, schemas: &[&'a Value], hops: usize) -> String {
        if hops > 4 {
            return "a value".to_owned();
        }
        let parts = self.parts(schemas);
        let first = |key: &str| parts.iter().find_map(|part| part.get(key));
        let is_away = |schema: &&&Value| referred(self.whole, schema).is_none();
        let away = schemas.iter().filter(is_away).find_map(|schema| schema.get("$ref").and_then(Value::as_str));
        if let Some(to) = away {
            return format!("what stands at {}, which is not in this document", cut(to, MOST_VALUE));
        }
        if let Some(only) = first("const") {
            return format!("always {}", shown(only));
        }
        if let Some(options) = first("enum").and_then(Value::as_array) {
            return format!("one of {}", listed(options.iter().map(shown), options.len(), ", "));
        }
        let bounds = bounds(&parts);
        let words = match first("type") {
            Some(Value::String(one)) if one == "array" => self.list(&parts, hops),
            Some(Value::String(one)) => word(one).to_owned(),
            Some(Value::Array(several)) => {
                listed(several.iter().filter_map(Value::as_str).map(|one| word(one).to_owned()), several.len(), " or ")
            }
            _ => match ["anyOf", "oneOf"].into_iter().find_map(first).and_then(Value::as_array) {
                Some(ways) => {
                    let words: Vec<String> =
                        ways.iter().take(MOST_NAMED).map(|way| self.takes(&[way], hops + 1)).collect();
                    listed(words.into_iter(), ways.len(), " or ")
                }
                None if OF_OBJECTS.into_iter().any(|key| first(key).is_some()) => "object".to_owned(),
                None if OF_LISTS.into_iter().any(|key| first(key).is_some()) => self.list(&parts, hops),
                None => "any value".to_owned(),
            },
        };
        if bounds.is_empty() { words } else { format!("{words}, {bounds}") }
    }

    /// What the items of a list have to be, in words.
    fn list(&mut self, parts: &[&'a Value], hops: usize) -> String {
        let first = |key: &str| parts.iter().find_map(|part| part.get(key));
        let row = first("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let begins: Vec<String> = row.iter().take(MOST_NAMED).map(|one| self.takes(&[one], hops + 1)).collect();
        let items = first("items");
        let others = items.filter(|items| !items.is_boolean()).map(|items| plural(&self.takes(&[items], hops + 1)));
        let ends = if items == Some(&Value::Bool(false)) { ", and nothing else" } else { "" };
        match (begins.is_empty(), others) {
            (true, None) => "list".to_owned(),
            (true, Some(others)) => format!("list of {others}"),
            (false, None) => format!("list of {}{ends}", row_of(begins, row.len())),
            (false, Some(others)) => format!("list of {}, then {others}", row_of(begins, row.len())),
        }
    }
}

/// The fields without which an object is not whole, whichever of its parts says so.
fn required_of<'v>(parts: &[&'v Value]) -> HashSet<&'v str> {
    let names = parts.iter().filter_map(|part| part.get("required").and_then(Value::as_array)).flatten();
    names.filter_map(Value::as_str).collect()
}

/// The schemas of what a value holds or may be, and of how many alternatives each is one. What a condition adds is one.
fn inside(schema: &Value) -> impl Iterator<Item = (usize, &Value)> {
    let all = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
    let ways = ["anyOf", "oneOf"].into_iter().flat_map(all);
    let ways = ways.chain(["then", "else"].into_iter().filter_map(|key| schema.get(key)));
    all("prefixItems").chain(schema.get("items")).map(|items| (0, items)).chain(ways.map(|way| (1, way)))
}

/// What stands in a row, in words.
fn row_of(words: Vec<String>, all: usize) -> String {
    let more = all.saturating_sub(words.len());
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", words.join(", then "))
}

/// What is asked of a value beside its type.
fn bounds(parts: &[&Value]) -> String {
    const SAID: [(&str, &str); 9] = [
        ("minItems", "at least"),
        ("maxItems", "at most"),
        ("minLength", "characters from"),
        ("maxLength", "characters to"),
        ("minimum", "from"),
        ("maximum", "to"),
        ("multipleOf", "in steps of"),
        ("format", "format"),
        ("pattern", "pattern"),
    ];
    let said = SAID.iter().filter_map(|(key, words)| {
        let value = parts.iter().find_map(|part| part.get(*key))?;
        let value = value.as_str().map_or_else(|| shown(value), |text| cut(text, MOST_VALUE));
        Some(format!("{words} {value}"))
    });
    said.collect::<Vec<_>>().join(", ")
}

fn word(kind: &str) -> &str {
    match kind {
        "string" => "text",
        "integer" => "whole number",
        "boolean" => "true or false",
        "array" => "list",
        "null" => "nothing",
        "number" | "object" => kind,
        _ => "any value",
    }
}

fn plural(words: &str) -> String {
    match words {
        "text" => "texts".to_owned(),
        "object" | "number" | "whole number" | "list" => format!("{words}s"),
        other => other.to_owned(),
    }
}

/// Some of several, with how many there are beside them.
fn listed(words: impl Iterator<Item = String>, all: usize, between: &str) -> String {
    let mut words: Vec<String> = words.take(MOST_NAMED).collect();
    words.dedup();
    let more = all.saturating_sub(MOST_NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", words.join(between))
}

fn shown(value: &Value) -> String {
    cut(&value.to_string(), MOST_VALUE)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
