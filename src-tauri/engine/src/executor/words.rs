//! Small texts and readings of texts that several parts of the executor share.

use std::collections::HashSet;

use assent_core::contract::{Fault, Field, RESERVED, Source, ToolSpec, fields_of};
use serde_json::{Value, json};

use crate::prompt::TakenValue;
use crate::tool::present::one_line;

/// Values of an agent of which a small model is told, and characters about each.
const MOST_VALUES: usize = 12;
const MOST_ABOUT: usize = 160;

/// What stands for the result of a call that was asked for and never made.
pub(super) const NOT_MADE: &str = "not called";

/// A value as text: a string as it is, anything else as JSON, nothing as nothing.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Whether a text says nothing: small models copy the dots of an example.
pub(super) fn is_filler(text: &str) -> bool {
    !text.chars().any(char::is_alphanumeric)
}

/// Whether an expectation is about what is not there any more.
pub(super) fn speaks_of_absence(expected: &str) -> bool {
    const WORDS: [&str; 12] = [
        "no", "not", "without", "gone", "removed", "deleted", "renamed", "moved", "empty", "left", "cleaned", "undone",
    ];
    expected.split(|each: char| !each.is_alphanumeric()).any(|word| WORDS.contains(&word.to_lowercase().as_str()))
}

/// Whether a task is a Python script that is yet to be written: it speaks of Python and names no file of it.
pub(super) fn asks_for_script(task: &str) -> bool {
    let task = task.to_lowercase();
    task.contains("python") && !task.contains(".py")
}

/// What the user is told of a step that was done and left nothing to show.
pub(super) fn done(task: &str) -> String {
    format!("Done: {task}")
}

/// The parameters of a tool in a few words: `{"path","limit"?}`.
pub(super) fn signature(parameters: &Value) -> String {
    let required: Vec<&str> =
        parameters.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let names = parameters.get("properties").and_then(Value::as_object);
    let parts: Vec<String> = names
        .into_iter()
        .flat_map(|properties| properties.keys())
        .map(|name| if required.contains(&name.as_str()) { format!("\"{name}\"") } else { format!("\"{name}\"?") })
        .collect();
    format!("{{{}}}", parts.join(","))
}

/// What the values of an agent take and are for. A small model is not shown the schemas of its tools; those of an agent are
/// nobody's but its pack's, so that no example of a prompt tells what they are.
pub(super) fn taken(tool: &ToolSpec) -> Vec<TakenValue> {
    if tool.source != Source::Agent {
        return Vec::new();
    }
    let fields = fields_of(&tool.parameters).fields.into_iter();
    let own = fields.filter(|field| field.depth == 0 && !RESERVED.contains(&field.name.as_str()));
    let line = |text: &str| one_line(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let value = |field: Field| TakenValue {
        name: line(&field.name),
        takes: line(&field.takes),
        about: line(&field.description).chars().take(MOST_ABOUT).collect(),
    };
    own.take(MOST_VALUES).map(value).collect()
}

/// Why a call was refused, as the model reads it.
pub(super) fn refusal(fault: &Fault) -> String {
    let mut told = json!({"error": fault.message, "stage": fault.stage});
    let mut add = |name: &str, value: Value| {
        told[name] = value;
    };
    if !fault.path.is_empty() {
        add("path", json!(fault.place()));
    }
    if !fault.missing.is_empty() {
        add("missing", json!(fault.missing));
        add("provided", json!(fault.provided));
    }
    if !fault.required.is_empty() {
        add("allowed", json!(fault.required));
    }
    if !fault.hint.is_empty() {
        add("hint", json!(fault.hint));
    }
    told.to_string()
}

/// Whether a URL, path or id of a message is missing from what is shown in its place.
pub(super) fn loses_values(message: &str, shown: &str) -> bool {
    values(message).any(|value| !shown.contains(value))
}

/// Whether what was found has names or numbers, and what is said of it none of them.
pub(super) fn holds_nothing_of(said: &str, found: &str) -> bool {
    let said: HashSet<&str> = values(said).collect();
    let mut found = values(found).peekable();
    found.peek().is_some() && !found.any(|value| said.contains(value))
}

/// The words of a text that look like a URL, a path, an id or a number.
fn values(text: &str) -> impl Iterator<Item = &str> {
    let edge = |character: char| !character.is_alphanumeric() && !matches!(character, '/' | '_' | '~');
    let is_value = |word: &&str| {
        word.contains('/') || word.contains('_') || word.contains('.') || word.chars().any(|each| each.is_ascii_digit())
    };
    text.split_whitespace().map(move |word| word.trim_matches(edge)).filter(is_value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use assent_core::contract::{Risk, Source, ToolSpec, agent_parameters};

    use super::{TakenValue, asks_for_script, holds_nothing_of, loses_values, signature, speaks_of_absence, taken};

    #[test]
    fn an_expectation_of_absence_is_told_from_one_of_a_file() {
        assert!(speaks_of_absence("debug.log is gone") && speaks_of_absence("No .bak file is left"));
        assert!(!speaks_of_absence("notes.md with one line for every file"));
    }

    #[test]
    fn a_script_is_asked_for_where_python_is_named_and_no_file_of_it() {
        assert!(asks_for_script("With a Python script, add up the amounts"));
        assert!(!asks_for_script("Run python3 primes.py and keep its output"));
        assert!(!asks_for_script("Count the lines with sort and uniq"));
    }

    #[test]
    fn of_an_agent_a_small_model_is_told_what_each_value_takes_and_of_another_tool_no_more_than_before() {
        let contract = json!({"properties": {
            "day": {"enum": ["monday", "sunday"], "description": "Day of\nthe week."},
            "people": {"type": "integer", "minimum": 1},
        }, "required": ["day"]});
        let tool = |source| ToolSpec::new("run_x", "Books.\n", agent_parameters(Some(&contract)), source, Risk::Read);
        let value = |name: &str, takes: &str, about: &str| TakenValue {
            name: name.to_owned(),
            takes: takes.to_owned(),
            about: about.to_owned(),
        };
        let told = [
            value("day", "one of \"monday\", \"sunday\"", "Day of the week."),
            value("people", "whole number, from 1", ""),
        ];
        assert_eq!(taken(&tool(Source::Agent)), told);
        assert_eq!(taken(&tool(Source::Mcp)), []);
    }

    #[test]
    fn a_signature_names_the_parameters_and_marks_those_that_may_be_left_out() {
        let parameters = json!({"properties": {"path": {}, "limit": {}}, "required": ["path"]});
        assert_eq!(signature(&parameters), r#"{"path","limit"?}"#);
        assert_eq!(signature(&json!({})), "{}");
    }

    #[test]
    fn words_that_point_elsewhere_hold_nothing_of_what_was_found() {
        let found = "\"oak\" is in 2 of 3 files: a.txt (1 line), b.txt (4 lines).";
        assert!(holds_nothing_of("The files with 'oak' are listed above.", found));
        assert!(!holds_nothing_of("It is in a.txt and one more.", found));
        assert!(!holds_nothing_of("There are 2.", found));
        assert!(!holds_nothing_of("Nothing was found.", "no output"));
    }

    #[test]
    fn a_message_loses_values_only_where_a_url_path_or_id_is_missing() {
        assert!(loses_values("Fetch https://a.example/x?id=7, please.", "Fetch the page"));
        assert!(!loses_values("Fetch https://a.example/x?id=7, please.", "go to https://a.example/x?id=7"));
        assert!(!loses_values("Say hello!", "greet"));
    }
}
