//! The shape of a JSON document on one line: its keys, and of every list the first item and how many there are. Small
//! models otherwise loop over an object as if it were the list inside it.

use serde_json::Value;

use super::Detail;

/// Objects and lists inside each other that are opened.
const DEPTH: usize = 4;
/// Keys of an object that are named.
const KEYS: usize = 12;
/// Characters of a text that are shown.
const TEXT: usize = 24;

/// The shape of a whole document; nothing when it is not JSON.
pub(super) fn shape(text: &str, detail: Detail) -> Option<String> {
    serde_json::from_str::<Value>(text).ok().map(|value| shape_of(&value, DEPTH, detail))
}

fn shape_of(value: &Value, depth: usize, detail: Detail) -> String {
    match value {
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(_) if depth == 0 => "{…}".to_owned(),
        Value::Object(fields) if detail == Detail::Shapes && !fields.keys().all(|key| is_name(key)) => {
            let like = fields.values().next().map(|value| shape_of(value, depth - 1, detail)).unwrap_or_default();
            format!("{{{} keys with values like {like}}}", fields.len())
        }
        Value::Object(fields) => {
            let named = fields
                .iter()
                .take(KEYS)
                .map(|(key, value)| format!("{}: {}", quoted(key), shape_of(value, depth - 1, detail)));
            let rest = (fields.len() > KEYS).then(|| format!("… {} keys in all", fields.len()));
            format!("{{{}}}", named.chain(rest).collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => match items.first() {
            None => "[]".to_owned(),
            Some(_) if depth == 0 => "[…]".to_owned(),
            Some(Value::Array(_) | Value::Object(_)) => {
                format!("list of {} like {}", items.len(), shape_of(&items[0], depth - 1, detail))
            }
            Some(first) if items.len() == 1 => format!("[{}]", shape_of(first, depth - 1, detail)),
            Some(first) => format!("[{}, … {} in all]", shape_of(first, depth - 1, detail), items.len()),
        },
        scalar if detail == Detail::Shapes => kind_of(scalar).to_owned(),
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

fn kind_of(scalar: &Value) -> &'static str {
    match scalar {
        Value::String(_) => "text",
        Value::Number(_) => "number",
        Value::Bool(_) => "true or false",
        _ => "null",
    }
}

/// Whether a key is a field's name and no value that something is found by, such as an address or a number.
fn is_name(key: &str) -> bool {
    key.starts_with(|sign: char| sign.is_alphabetic() || sign == '_')
        && key.len() <= 40
        && key.chars().all(|sign| sign.is_alphanumeric() || " _-".contains(sign))
}

fn quoted(text: &str) -> String {
    let short: String = text.chars().take(TEXT).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    Value::from(format!("{short}{more}")).to_string()
}

#[cfg(test)]
mod tests {
    use super::{Detail, shape as shape_with};

    fn shape(text: &str) -> Option<String> {
        shape_with(text, Detail::Values)
    }

    #[test]
    fn without_values_only_names_kinds_and_numbers_are_left() {
        for (text, expected) in [
            (
                r#"{"users": [{"name": "Ada", "age": 36, "ok": true}], "page": null}"#,
                r#"{"users": list of 1 like {"name": text, "age": number, "ok": true or false}, "page": null}"#,
            ),
            (r#"{"ada@example.org": {"age": 36}}"#, r#"{1 keys with values like {"age": number}}"#),
            (r#"["Ada", "Grace"]"#, "[text, … 2 in all]"),
        ] {
            assert_eq!(shape_with(text, Detail::Shapes).as_deref(), Some(expected));
        }
    }

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
