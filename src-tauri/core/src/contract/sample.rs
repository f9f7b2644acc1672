//! A value as a schema describes it: for people who read a contract, and for templates that are tried before they are used.
//!
//! The schema may be anybody's. Whatever it holds, the value is made soon and is of a bounded size.

use serde_json::{Map, Value, json};

use super::parts::parts;

/// Schemas that are looked at for one value, and bytes of what is taken out of them.
const MOST_LOOKS: usize = 20_000;
const MOST_BYTES: usize = 1 << 20;
/// Fields of one object, and levels of objects inside one another.
const MOST_FIELDS: usize = 400;
const MOST_DEPTH: usize = 8;
/// References and alternatives that are looked through on the way to one value's own keywords.
const MOST_HOPS: usize = 16;

/// A value of the shape that a schema describes: its own examples where it has some, else one of each field.
pub fn sample_of(schema: &Value) -> Value {
    Sampler { whole: schema, looks: MOST_LOOKS, bytes: MOST_BYTES }.sample(schema, 0)
}

struct Sampler<'a> {
    whole: &'a Value,
    /// What is left of [`MOST_LOOKS`] and [`MOST_BYTES`].
    looks: usize,
    bytes: usize,
}

impl<'a> Sampler<'a> {
    fn sample(&mut self, schema: &'a Value, depth: usize) -> Value {
        if depth > MOST_DEPTH || self.looks == 0 || self.bytes == 0 {
            return Value::Null;
        }
        let parts = parts(self.whole, &[schema], MOST_HOPS);
        self.looks = self.looks.saturating_sub(1 + parts.len());
        let first = |key: &str| parts.iter().find_map(|part| part.get(key));
        let list = |key: &str| first(key).and_then(Value::as_array).and_then(|all| all.first());
        if let Some(own) = list("examples").or_else(|| first("example")).or_else(|| first("default")) {
            return self.taken(own);
        }
        if let Some(own) = first("const").or_else(|| list("enum")) {
            return self.taken(own);
        }
        if let Some(way) = list("anyOf").or_else(|| list("oneOf")) {
            return self.sample(way, depth + 1);
        }
        let mut fields = Map::new();
        for part in &parts {
            for (name, property) in part.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if fields.len() >= MOST_FIELDS || self.looks == 0 || self.bytes == 0 {
                    break;
                }
                self.bytes = self.bytes.saturating_sub(name.len());
                let value = self.sample(property, depth + 1);
                fields.insert(name.clone(), value);
            }
        }
        match first("type").and_then(Value::as_str) {
            _ if !fields.is_empty() => Value::Object(fields),
            Some("array") => match first("items") {
                Some(items) => json!([self.sample(items, depth + 1)]),
                None => json!([]),
            },
            Some("object") => json!({}),
            Some("integer" | "number") => first("minimum").cloned().unwrap_or_else(|| json!(1)),
            Some("boolean") => json!(true),
            _ => json!("text"),
        }
    }

    /// A value that stands in the schema; nothing once too much was taken.
    fn taken(&mut self, own: &Value) -> Value {
        let left = self.bytes.checked_sub(own.to_string().len());
        self.bytes = left.unwrap_or(0);
        left.map_or(Value::Null, |_| own.clone())
    }
}
