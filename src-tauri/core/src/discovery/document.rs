//! What is known of a tool before it is indexed: its texts by field, bounded.

use serde_json::Value;

use super::words::{MOST_TEXT, clipped};
use crate::contract::ToolSpec;

/// Objects inside parameters are looked into this deep; a schema may contain itself.
const DEPTH: usize = 4;
/// Parameters that are looked at, inner ones included.
const MOST_PARAMETERS: usize = 300;

/// Something that can be found, as untrusted as its source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Unique in the index.
    pub id: String,
    /// A name or title. May be empty, and need not be unique.
    pub name: String,
    /// What it says of itself.
    pub description: String,
    /// The names of its parameters.
    pub parameters: String,
    /// What is said of its parameters.
    pub notes: String,
    /// The values that its parameters may have.
    pub values: String,
    /// How many parameters it cannot do without.
    pub required: usize,
    /// How many of those are numbers.
    pub required_numbers: usize,
}

impl Document {
    /// A tool. Its id is its name.
    pub fn of_tool(spec: &ToolSpec) -> Self {
        let mut document = Self {
            id: spec.name.clone(),
            name: spec.name.clone(),
            description: clipped(&spec.description).to_owned(),
            ..Self::default()
        };
        let mut left = MOST_PARAMETERS;
        document.describe(&spec.parameters, DEPTH, &mut left);
        let properties = spec.parameters.get("properties");
        for name in spec.parameters.get("required").and_then(Value::as_array).into_iter().flatten() {
            let kind = name.as_str().and_then(|name| properties?.get(name)?.get("type")?.as_str());
            document.required += 1;
            document.required_numbers += usize::from(matches!(kind, Some("integer" | "number" | "float")));
        }
        document
    }

    fn describe(&mut self, schema: &Value, depth: usize, left: &mut usize) {
        if depth == 0 {
            return;
        }
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if *left == 0 {
                return;
            }
            *left -= 1;
            join(&mut self.parameters, name);
            if let Some(text) = property.get("description").and_then(Value::as_str) {
                join(&mut self.notes, text);
            }
            for value in property.get("enum").and_then(Value::as_array).into_iter().flatten().take(MOST_PARAMETERS) {
                join(&mut self.values, value.as_str().unwrap_or_default());
            }
            self.describe(property, depth - 1, left);
        }
        if let Some(items) = schema.get("items") {
            for value in items.get("enum").and_then(Value::as_array).into_iter().flatten().take(MOST_PARAMETERS) {
                join(&mut self.values, value.as_str().unwrap_or_default());
            }
            self.describe(items, depth - 1, left);
        }
    }

    /// The texts by field, the most telling first.
    pub(super) fn fields(&self) -> [&str; 5] {
        [&self.name, &self.description, &self.parameters, &self.notes, &self.values].map(|text| clipped(text))
    }
}

fn join(text: &mut String, more: &str) {
    if text.len() < MOST_TEXT {
        text.push(' ');
        text.push_str(clipped(more));
    }
}
