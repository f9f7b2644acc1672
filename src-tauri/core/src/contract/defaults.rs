//! The defaults of a schema, put where nothing was given.
//!
//! Only what is there is filled in, and what is filled in stays as the schema writes it: a schema that refers to itself
//! would otherwise never be through. Of two alternatives neither is known to be meant, so their defaults do not count.

use serde_json::{Map, Value};

use super::parts::parts;

/// Schemas that say what one value is, and those on the way to one field's default.
const MOST_PARTS: usize = 64;
const MOST_HOPS: usize = 16;
/// Bytes that are filled in.
const MOST_BYTES: usize = 1 << 20;

/// A value with the defaults of what is absent in its objects. An object that is not whole all the same is left as it is,
/// with all that is in it, so that a fault lists what was really given.
pub(super) fn filled(schema: &Value, value: Value) -> Value {
    Filling { whole: schema, bytes: MOST_BYTES }.value(&[schema], value)
}

struct Filling<'s> {
    whole: &'s Value,
    /// What is left of [`MOST_BYTES`].
    bytes: usize,
}

impl<'s> Filling<'s> {
    /// A value of which all these schemas say what it is.
    fn value(&mut self, schemas: &[&'s Value], value: Value) -> Value {
        if schemas.is_empty() {
            return value;
        }
        let parts = parts(self.whole, schemas, MOST_PARTS);
        match value {
            Value::Object(fields) => Value::Object(self.object(&parts, fields)),
            Value::Array(items) => {
                let of = |at: usize| -> Vec<&'s Value> { parts.iter().filter_map(|part| item(part, at)).collect() };
                Value::Array(items.into_iter().enumerate().map(|(at, one)| self.value(&of(at), one)).collect())
            }
            other => other,
        }
    }

    fn object(&mut self, parts: &[&'s Value], mut fields: Map<String, Value>) -> Map<String, Value> {
        let required = parts.iter().filter_map(|part| part.get("required")?.as_array()).flatten();
        let mut required = required.filter_map(Value::as_str);
        if required.any(|name| !fields.contains_key(name) && self.default_of(&named(parts, name)).is_none()) {
            return fields;
        }
        for (name, value) in &mut fields {
            *value = self.value(&field(parts, name), value.take());
        }
        let properties = parts.iter().filter_map(|part| part.get("properties")?.as_object());
        for name in properties.flat_map(Map::keys) {
            if fields.contains_key(name) {
                continue;
            }
            if let Some(default) = self.default_of(&named(parts, name)).and_then(|default| self.taken(default)) {
                fields.insert(name.clone(), default);
            }
        }
        fields
    }

    fn default_of(&self, schemas: &[&'s Value]) -> Option<&'s Value> {
        parts(self.whole, schemas, MOST_HOPS).into_iter().find_map(|part| part.get("default"))
    }

    fn taken(&mut self, default: &Value) -> Option<Value> {
        if self.bytes == 0 {
            return None;
        }
        let left = self.bytes.checked_sub(default.to_string().len());
        self.bytes = left.unwrap_or(0);
        left.map(|_| default.clone())
    }
}

/// What schemas of an object say of a field by its name.
fn named<'s>(parts: &[&'s Value], name: &str) -> Vec<&'s Value> {
    parts.iter().filter_map(|part| part.get("properties")?.get(name)).collect()
}

/// What they say of a field.
fn field<'s>(parts: &[&'s Value], name: &str) -> Vec<&'s Value> {
    let of =
        |part: &&'s Value| part.get("properties").and_then(|all| all.get(name)).or(part.get("additionalProperties"));
    parts.iter().filter_map(of).collect()
}

/// What a schema of a list says of an item.
fn item(schema: &Value, at: usize) -> Option<&Value> {
    schema.get("prefixItems").and_then(|row| row.get(at)).or_else(|| schema.get("items"))
}
