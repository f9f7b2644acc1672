//! Small texts and readings of texts that several parts of the executor share.

use assent_core::contract::Fault;
use assent_core::run::StepStatus;
use serde_json::{Value, json};

/// The tool that asks a question in a chat.
pub(super) const ASK_USER: &str = "ask_user";

/// What stands for the result of a call that was asked for and never made.
pub(super) const NOT_MADE: &str = "not called";

/// A step's status in a word that a model understands.
pub(super) fn status(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Pending => "pending",
        StepStatus::InProgress => "in progress",
        StepStatus::Waiting => "waiting",
        StepStatus::Completed => "completed",
        StepStatus::Failed => "failed",
        StepStatus::Skipped => "skipped",
        StepStatus::Cancelled => "cancelled",
    }
}

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
    let edge = |character: char| !character.is_alphanumeric() && !matches!(character, '/' | '_' | '~');
    let is_value = |word: &str| {
        word.contains('/') || word.contains('_') || word.contains('.') || word.chars().any(|each| each.is_ascii_digit())
    };
    message.split_whitespace().map(|word| word.trim_matches(edge)).any(|word| is_value(word) && !shown.contains(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{loses_values, signature};

    #[test]
    fn a_signature_names_the_parameters_and_marks_those_that_may_be_left_out() {
        let parameters = json!({"properties": {"path": {}, "limit": {}}, "required": ["path"]});
        assert_eq!(signature(&parameters), r#"{"path","limit"?}"#);
        assert_eq!(signature(&json!({})), "{}");
    }

    #[test]
    fn a_message_loses_values_only_where_a_url_path_or_id_is_missing() {
        assert!(loses_values("Fetch https://a.example/x?id=7, please.", "Fetch the page"));
        assert!(!loses_values("Fetch https://a.example/x?id=7, please.", "go to https://a.example/x?id=7"));
        assert!(!loses_values("Say hello!", "greet"));
    }
}
