//! The one form in which something that does not hold is reported, to a model, a person or a log.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::line::is_unseen;

/// Faults that are told beside the first.
const MOST_TOLD: usize = 10;

/// Where in the fixed order of validation a fault was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Reading a model's text as a plan or as tool calls.
    Parse,
    /// The specialists a plan names.
    Route,
    /// A plan document as a whole: ids, dependencies, limits.
    Plan,
    /// What goes into an agent.
    InputContract,
    /// Whether a tool may be called in this step at all.
    Scope,
    /// A tool's arguments against its parameters.
    ToolArguments,
    /// Whether values in arguments occur in anything the step has seen.
    Grounding,
    /// Whether a person has allowed the call.
    Permission,
    /// Whether the same call keeps giving the same.
    Repetition,
    /// The calls a step must make.
    RequiredTools,
    /// What comes out of an agent or a step.
    OutputContract,
}

/// One part of the place of a value inside a JSON document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum PathPart {
    /// An index into an array.
    Index(usize),
    /// A key of an object.
    Key(String),
}

impl From<&str> for PathPart {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for PathPart {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// Something that does not hold, with what is needed to mend it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct Fault {
    /// Which check failed.
    pub stage: Stage,
    /// What is wrong, in one sentence. Never quotes a value that may be secret.
    pub message: String,
    /// Where in the checked document; empty for the whole.
    #[serde(default)]
    pub path: Vec<PathPart>,
    /// Names that had to be there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
    pub required: Vec<String>,
    /// Those of `required` that are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
    pub missing: Vec<String>,
    /// Names that were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
    pub provided: Vec<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "bindings", ts(as = "Option<_>"))]
    pub hint: String,
    /// Which attempt this was, from 1; absent where nothing is retried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// How many attempts are left; absent where nothing is retried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries_remaining: Option<u32>,
}

impl Fault {
    /// A fault of the whole document with only a message.
    pub fn new(stage: Stage, message: impl Into<String>) -> Self {
        Self {
            stage,
            message: message.into(),
            path: Vec::new(),
            required: Vec::new(),
            missing: Vec::new(),
            provided: Vec::new(),
            hint: String::new(),
            attempt: None,
            retries_remaining: None,
        }
    }

    /// Several faults as one that says everything, but for a flood of them, so that all can be mended at once.
    pub fn joined(faults: Vec<Self>) -> Option<Self> {
        let mut faults = faults.into_iter();
        let mut first = faults.next()?;
        for other in faults.by_ref().take(MOST_TOLD) {
            first.message = format!("{}; {other}", first.message);
            first.missing.extend(other.missing);
        }
        let more = faults.count();
        if more > 0 {
            first.message = format!("{}; and {more} more", first.message);
        }
        Some(first)
    }

    /// The same fault at a place.
    #[must_use]
    pub fn at<P: Into<PathPart>>(mut self, path: impl IntoIterator<Item = P>) -> Self {
        self.path = path.into_iter().map(Into::into).collect();
        self
    }

    /// The same fault with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The place as text, `steps[2].dependencies`, or an empty text for the whole document. What is not seen of a key is
    /// written out, so that a key makes no second line and no other fault.
    pub fn place(&self) -> String {
        let mut text = String::new();
        for part in &self.path {
            match part {
                PathPart::Index(index) => text.push_str(&format!("[{index}]")),
                PathPart::Key(key) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    for letter in key.chars() {
                        if is_unseen(letter) { text.extend(letter.escape_default()) } else { text.push(letter) }
                    }
                }
            }
        }
        text
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place();
        if !place.is_empty() {
            write!(formatter, "{place}: ")?;
        }
        formatter.write_str(&self.message)?;
        if !self.hint.is_empty() {
            write!(formatter, " ({})", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}

/// Faults below each other, each at its place.
pub fn listed(faults: &[Fault]) -> String {
    faults.iter().map(|fault| format!("  {fault}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Fault, PathPart, Stage};

    #[test]
    fn a_key_makes_no_second_line_and_turns_nothing_around() {
        let path = [PathPart::from("a\nok: all is well\u{1b}[2K"), 2.into(), "é \u{202e}x".into()];
        let fault = Fault::new(Stage::InputContract, "is no number").at(path);
        assert_eq!(fault.to_string(), "a\\nok: all is well\\u{1b}[2K[2].é \\u{202e}x: is no number");
    }
}
