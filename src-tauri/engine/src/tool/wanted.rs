//! The type of an answer as a model asks for it, and what a person is then asked for.

use assent_core::run::{Choice, Input, InputKind};
use serde::Deserialize;
use serde_json::{Value, json};

/// More options than this are not offered.
const MOST_OPTIONS: usize = 10;

/// The type of an answer, as a model names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Wanted {
    Text,
    YesNo,
    Number,
    Choice,
    Choices,
    Date,
    File,
}

impl Wanted {
    /// The parameter that names it.
    pub(super) fn parameter() -> Value {
        let names = ["text", "yes_no", "number", "choice", "choices", "date", "file"];
        json!({"enum": names, "description": "what the answer is; text, or choice where there are options"})
    }
}

/// What a person is asked for.
///
/// # Errors
/// What the model has to give beside the type.
pub(super) fn input(wanted: Option<Wanted>, options: &[String]) -> Result<Input, &'static str> {
    let kind = match wanted {
        Some(Wanted::Choice | Wanted::Choices) if options.is_empty() => {
            return Err("there is nothing to choose from: give options");
        }
        Some(Wanted::Text) | None if options.is_empty() => InputKind::Text,
        Some(Wanted::Text | Wanted::Choice) | None => InputKind::Select,
        Some(Wanted::Choices) => InputKind::Multiselect,
        Some(Wanted::YesNo) => InputKind::Boolean,
        Some(Wanted::Number) => InputKind::Number,
        Some(Wanted::Date) => InputKind::Date,
        Some(Wanted::File) => InputKind::File,
    };
    let chooses = matches!(kind, InputKind::Select | InputKind::Multiselect);
    let options = options.iter().filter(|_| chooses);
    Ok(Input {
        kind,
        options: options.map(|label| Choice { label: label.clone(), consequence: None }).collect(),
        allow_edit: false,
        allow_text: matches!(kind, InputKind::Text | InputKind::Select),
    })
}

/// Options without repetitions and without what is empty.
pub(super) fn distinct(options: &[String]) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for option in options.iter().map(|option| option.trim()).filter(|option| !option.is_empty()) {
        if seen.len() < MOST_OPTIONS && !seen.iter().any(|one| one == option) {
            seen.push(option.to_owned());
        }
    }
    seen
}
