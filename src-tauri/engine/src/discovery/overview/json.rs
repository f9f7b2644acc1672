//! The shape of a JSON document on one line: its keys, and of every list the first item and how many there are. Small
//! models otherwise loop over an object as if it were the list inside it.

use serde_json::Value;

/// Objects and lists inside each other that are opened.
const DEPTH: usize = 4;
/// Keys of an object that are named.
const KEYS: usize = 12;
/// Characters of a text that are shown.
const TEXT: usize = 24;

/// The shape of a whole document; nothing when it is not JSON.
pub(super) fn shape(text: &str) -> Option<String> {
    serde_json::from_str::<Value>(text).ok().map(|value| shape_of(&value, DEPTH))
}

fn shape_of(value: &Value, depth: usize) -> String {
    match value {
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(_) if depth == 0 => "{…}".to_owned(),
        Value::Object(fields) => {
            let named =
                fields.iter().take(KEYS).map(|(key, value)| format!("{}: {}", quoted(key), shape_of(value, depth - 1)));
            let rest = (fields.len() > KEYS).then(|| format!("… {} keys in all", fields.len()));
            format!("{{{}}}", named.chain(rest).collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => match items.first() {
            None => "[]".to_owned(),
            Some(_) if depth == 0 => "[…]".to_owned(),
            Some(Value::Array(_) | Value::Object(_)) => {
                format!("list of {} like {}", items.len(), shape_of(&items[0], depth - 1))
            }
            Some(first) if items.len() == 1 => format!("[{}]", shape_of(first, depth - 1)),
            Some(first) => format!("[{}, … {} in all]", shape_of(first, depth - 1), items.len()),
        },
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    let short: String = text.chars().take(TEXT).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    Value::from(format!("{short}{more}")).to_string()
}

#[cfg(test)]
mod tests {
    use super::shape;

    #[test]
    fn keys_are_named_and_lists_are_their_first_item_and_their_length() {
        for (text, expected) in [
            (
                r#"{"users": [{"id": 1, "roles": ["a", "b"]}, {"id": 2}], "page": null}"#,
                r#"{"users": list of 2 like {"id": 1, "roles": ["a", … 2 in all]}, "page": null}"#,
            ),
            ("[1, 2, 3]", "[1, … 3 in all]"),
            ("[]", "[]"),
            ("{}", "{}"),
            (r#"[{"a": {"b": {"c": {"d": 1}}}}]"#, r#"list of 1 like {"a": {"b": {"c": {…}}}}"#),
            (r#"["a text that is much longer than is shown"]"#, r#"["a text that is much long…"]"#),
        ] {
            assert_eq!(shape(text).as_deref(), Some(expected));
        }
        assert_eq!(shape("{not json"), None);
        let many: String = (0..20).map(|key| format!("\"{key}\":0,")).collect();
        let shown = shape(&format!("{{{}\"z\":0}}", many)).unwrap();
        assert!(shown.ends_with("\"11\": 0, … 21 keys in all}"), "{shown}");
        assert!(shape(&"[".repeat(100_000)).is_none(), "what is nested without end is no document");
    }
}
