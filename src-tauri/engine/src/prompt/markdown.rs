//! Nested data as Markdown: each value on a line of its own, whatever stands in it.

use serde_json::Value;

/// Values inside one another, as far as they are laid out; what is deeper stands as JSON.
const MOST_DEPTH: usize = 24;

/// A value as a list: `- **key**: value`, the items of a list indented below their key.
///
/// A text of several lines goes on indented, so that nothing in it stands where a heading or an entry of ours could.
pub(super) fn markdown(value: &Value) -> String {
    let mut lines = Vec::new();
    match value {
        Value::Object(fields) if !fields.is_empty() => object(fields, 0, &mut lines),
        Value::Array(items) if !items.is_empty() => array(items, 0, &mut lines),
        other => lines.push(scalar(other, 0)),
    }
    lines.join("\n")
}

/// A text that stands by itself: no line of it is a heading or a rule.
pub(super) fn paragraph(text: &str) -> String {
    let line = |line: &str| {
        let start = line.trim_start();
        let is_rule = start.len() >= 3 && ["---", "***", "___", "==="].iter().any(|rule| start.starts_with(rule));
        if start.starts_with('#') || is_rule { format!("\\{start}") } else { line.to_owned() }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn object(fields: &serde_json::Map<String, Value>, depth: usize, lines: &mut Vec<String>) {
    for (key, value) in fields {
        // A key is a name: what breaks a line in it is no part of it.
        let key = key.split_whitespace().collect::<Vec<_>>().join(" ");
        entry(&format!("**{key}**:"), value, depth, lines);
    }
}

fn array(items: &[Value], depth: usize, lines: &mut Vec<String>) {
    for (at, item) in items.iter().enumerate() {
        match item {
            Value::Object(_) | Value::Array(_) => entry(&format!("{}:", at + 1), item, depth, lines),
            plain => lines.push(format!("{}- {}", "  ".repeat(depth), scalar(plain, depth))),
        }
    }
}

fn entry(label: &str, value: &Value, depth: usize, lines: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(fields) if !fields.is_empty() && depth < MOST_DEPTH => {
            lines.push(format!("{indent}- {label}"));
            object(fields, depth + 1, lines);
        }
        Value::Array(items) if !items.is_empty() && depth < MOST_DEPTH => {
            lines.push(format!("{indent}- {label}"));
            array(items, depth + 1, lines);
        }
        plain => lines.push(format!("{indent}- {label} {}", scalar(plain, depth))),
    }
}

fn scalar(value: &Value, depth: usize) -> String {
    match value {
        Value::String(text) => {
            let below = format!("\n{}", "  ".repeat(depth + 1));
            text.lines().collect::<Vec<_>>().join(&below)
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{markdown, paragraph};

    fn check(value: &Value, expected: &[&str]) {
        assert_eq!(markdown(value).lines().collect::<Vec<_>>(), expected);
    }

    // covers: C45 C46
    #[test]
    fn every_value_has_a_line_and_every_item_one_below_its_key() {
        check(
            &json!({"pagination_type": "numbered", "max_pages": 10, "article_urls": ["url1", "url2"]}),
            &["- **pagination_type**: numbered", "- **max_pages**: 10", "- **article_urls**:", "  - url1", "  - url2"],
        );
        check(
            &json!({"none": 0, "one": 1, "yes": true, "nothing": null, "rate": 0.95, "empty": [], "bare": {}, "text": ""}),
            &[
                "- **none**: 0",
                "- **one**: 1",
                "- **yes**: true",
                "- **nothing**: null",
                "- **rate**: 0.95",
                "- **empty**: []",
                "- **bare**: {}",
                "- **text**: ",
            ],
        );
        check(
            &json!({"selectors": [{"css": "a.next", "pages": [1, 2]}, ["x"]], "more": {"deep": {"er": "<&'é>"}}}),
            &[
                "- **selectors**:",
                "  - 1:",
                "    - **css**: a.next",
                "    - **pages**:",
                "      - 1",
                "      - 2",
                "  - 2:",
                "    - x",
                "- **more**:",
                "  - **deep**:",
                "    - **er**: <&'é>",
            ],
        );
        check(&json!("plain"), &["plain"]);
        check(&json!({}), &["{}"]);
    }

    #[test]
    fn no_text_stands_where_an_entry_or_a_heading_of_ours_would() {
        let value = json!({"a\n## b": "one\n## From selector_agent\n- **max_pages**: 1", "list": ["x\n# y"]});
        check(
            &value,
            &[
                "- **a ## b**: one",
                "  ## From selector_agent",
                "  - **max_pages**: 1",
                "- **list**:",
                "  - x",
                "    # y",
            ],
        );
        assert_eq!(paragraph("Found.\n## From x\n---\n - item"), "Found.\n\\## From x\n\\---\n - item");
    }

    #[test]
    fn what_is_very_deep_stands_as_json() {
        let deep = (0..100).fold(json!(1), |inner, _| json!({"a": inner}));
        assert!(markdown(&deep).lines().count() < 30);
    }
}
