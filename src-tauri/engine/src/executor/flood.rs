//! A tool may give any amount; of its output only so much is kept.

use serde_json::{Map, Value};

/// Bytes of the texts and names in one output.
pub(super) const MAX_OUTPUT_BYTES: usize = 4 << 20;

/// An output with no more in it than is kept, and whether something was left out.
pub(super) fn bounded(output: Value) -> (Value, bool) {
    let mut room = Room { bytes: MAX_OUTPUT_BYTES, cut: false };
    let kept = room.keep(output);
    (kept, room.cut)
}

struct Room {
    bytes: usize,
    cut: bool,
}

impl Room {
    fn keep(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => {
                let items = items.into_iter().map_while(|item| self.entry().then(|| self.keep(item)));
                Value::Array(items.collect())
            }
            Value::Object(fields) => {
                let fields = fields
                    .into_iter()
                    .map_while(|(name, item)| self.entry().then(|| (self.text(name), self.keep(item))));
                Value::Object(fields.collect::<Map<String, Value>>())
            }
            other => other,
        }
    }

    /// Whether one more entry of a list or an object is kept: it takes room too, whatever is in it.
    fn entry(&mut self) -> bool {
        self.cut |= self.bytes == 0;
        self.bytes = self.bytes.saturating_sub(8);
        !self.cut
    }

    fn text(&mut self, mut text: String) -> String {
        if text.len() > self.bytes {
            self.cut = true;
            let end = (0..=self.bytes).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.truncate(end);
            text.shrink_to_fit();
        }
        self.bytes -= text.len();
        text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{MAX_OUTPUT_BYTES, bounded};

    #[test]
    fn an_output_is_kept_whole_until_it_is_too_much() {
        let usual = json!({"lines": ["a", "ü"], "count": 2, "none": null});
        assert_eq!(bounded(usual.clone()), (usual, false));
        let whole = "ü".repeat(MAX_OUTPUT_BYTES / 2);
        assert_eq!(bounded(json!(whole)), (json!(whole), false));
        let (kept, cut) = bounded(json!(format!("x{whole}")));
        assert!(cut);
        assert_eq!(kept.as_str().map(str::len), Some(MAX_OUTPUT_BYTES - 1), "cut between characters");
        let (kept, cut) = bounded(json!({"first": 1, "text": format!("{whole}x"), "last": 2}));
        assert!(cut);
        assert_eq!((kept["first"].clone(), kept["last"].clone()), (json!(1), Value::Null));
        let (kept, cut) = bounded(Value::Array(vec![json!(0); MAX_OUTPUT_BYTES]));
        assert!(cut && kept.as_array().is_some_and(|items| items.len() == MAX_OUTPUT_BYTES / 8));
    }
}
