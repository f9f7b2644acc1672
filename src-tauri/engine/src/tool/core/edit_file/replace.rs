//! Replacing a text in a text, with errors that say how to do better.

use serde::Deserialize;
use thiserror::Error;

use crate::tool::preview::NoPreview;

/// A file of at most so many bytes is shown whole to who looked for what is not in it.
const SHORT: usize = 1500;

/// One replacement.
#[derive(Debug, Deserialize)]
pub(super) struct Replacement {
    pub old_string: String,
    pub new_string: String,
    #[serde(default)]
    pub replace_all: bool,
}

/// A text with a replacement made.
pub(super) struct Done {
    pub text: String,
    pub found: usize,
    pub replaced: usize,
}

/// Why nothing was replaced.
#[derive(Debug, Error)]
pub(super) enum EditError {
    #[error("old_string is empty: give the text to replace")]
    Empty,
    #[error("old_string and new_string are the same: nothing would change")]
    NoChange,
    #[error("old string not found in the file{near}")]
    NotFound { near: String },
    #[error("old_string is in the file {found} times: make it longer until it is there once, or set replace_all")]
    Several { found: usize },
    #[error("edit {number}: {error}; no edit was made")]
    Numbered { number: usize, error: Box<EditError> },
}

impl From<EditError> for NoPreview {
    fn from(error: EditError) -> Self {
        match error {
            EditError::NotFound { .. } => Self::NotThere,
            EditError::Several { found } => Self::Ambiguous(found),
            EditError::Numbered { error, .. } => Self::from(*error),
            EditError::Empty | EditError::NoChange => Self::Unfit(error.to_string()),
        }
    }
}

impl Replacement {
    /// Makes the replacement in a text. Where the file's lines end in CR LF, line breaks of the arguments mean that.
    pub(super) fn apply(&self, text: &str) -> Result<Done, EditError> {
        if self.old_string.is_empty() {
            return Err(EditError::Empty);
        }
        if self.old_string == self.new_string {
            return Err(EditError::NoChange);
        }
        if let Some(done) = replace(text, &self.old_string, &self.new_string, self.replace_all)? {
            return Ok(done);
        }
        if text.contains("\r\n") && !self.old_string.contains('\r') {
            let crlf = |part: &str| part.replace('\n', "\r\n");
            let done = replace(text, &crlf(&self.old_string), &crlf(&self.new_string), self.replace_all)?;
            if let Some(done) = done {
                return Ok(done);
            }
        }
        Err(EditError::NotFound { near: nearest(text, &self.old_string) })
    }
}

fn replace(text: &str, old: &str, new: &str, all: bool) -> Result<Option<Done>, EditError> {
    match text.matches(old).count() {
        0 => Ok(None),
        found if found > 1 && !all => Err(EditError::Several { found }),
        found => Ok(Some(Done { text: text.replace(old, new), found, replaced: found })),
    }
}

/// The line that is most like the first line that was looked for, and a short text whole.
fn nearest(text: &str, old: &str) -> String {
    let hint = nearest_line(text, old);
    match text.len() <= SHORT {
        true => format!("{hint}. The file is:\n{text}"),
        false if hint.is_empty() => "; read the file first".to_owned(),
        false => hint,
    }
}

fn nearest_line(text: &str, old: &str) -> String {
    let wanted = old.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    // Beyond this a comparison with every line costs more than its hint is worth.
    if wanted.is_empty() || wanted.len() > 200 || text.len() > 1_000_000 {
        return String::new();
    }
    let same = text.lines().position(|line| line.trim() == wanted);
    if let Some(at) = same {
        let differs = if old.trim().contains('\n') { "the lines after it differ" } else { "only its spaces differ" };
        return format!("; line {} begins the same, but {differs}", at + 1);
    }
    let likeness = |line: &str| similar::TextDiff::from_chars(line.trim(), wanted).ratio();
    let lines = text.lines().enumerate().filter(|(_, line)| line.len() <= 200).take(1000);
    let best = lines.map(|(at, line)| (at, line, likeness(line))).max_by(|one, other| one.2.total_cmp(&other.2));
    match best {
        Some((at, line, likeness)) if likeness > 0.6 => format!("; the nearest line is {}: {}", at + 1, line.trim()),
        _ => String::new(),
    }
}
