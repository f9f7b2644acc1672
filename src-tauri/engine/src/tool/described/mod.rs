//! Tools that somebody else has written down as data: a folder of JSON files, each with one tool or a list of them.
//!
//! Nothing of it is trusted. Texts are cleaned and cut, a schema that leaves its document or is too large leaves its tool
//! out, and a tool's risk is never below what its template implies. A tool's name is the name of its source, a dot and
//! its own name, so that no source can take the place of another's tool, or of Assent's.

mod call;
mod headers;
mod read;
mod template;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use assent_core::contract::{Mode, Risk, Source, SuccessRule, ToolSpec};
use assent_core::ids::Digest;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::folders::answers;
pub use call::DescribedTool;
pub use headers::key_name;
use template::Template;

/// A folder of tool descriptions that a person has added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSource {
    /// Small letters, digits, `-` and `_`; what its tools' names begin with.
    pub name: String,
    /// Absolute.
    pub folder: PathBuf,
    /// The hosts that a person has given it a key for, small letters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
}

/// How a folder was: its files, each with its time and size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamp(Vec<(PathBuf, Option<SystemTime>, u64)>);

/// Why a source cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SourceError {
    /// The name would not do in the names of tools.
    #[error("{0:?} is no name for a source: use up to 32 small letters, digits, - and _, beginning with a letter")]
    Name(String),
    /// The folder cannot be read.
    #[error("the folder {path} cannot be read: {reason}")]
    Folder {
        /// The folder.
        path: String,
        /// What the system said.
        reason: String,
    },
}

/// A tool that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOutTool {
    /// The file that it stands in.
    pub file: String,
    /// Its name, as far as it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why.
    pub reason: String,
}

/// What a source has.
pub struct Described {
    /// The tools that can be used, by file and place in it.
    pub tools: Vec<DescribedTool>,
    /// The others.
    pub left_out: Vec<LeftOutTool>,
}

/// A description that was checked.
struct Checked {
    name: String,
    description: String,
    parameters: serde_json::Value,
    risk: Option<Risk>,
    template: Template,
    /// Of the template as it is written.
    digest: Digest,
}

impl ToolSource {
    /// A source of this name in this folder.
    ///
    /// # Errors
    /// The name will not do, or the folder is none.
    pub fn new(name: &str, folder: &Path) -> Result<Self, SourceError> {
        let begins = name.starts_with(|letter: char| letter.is_ascii_lowercase());
        let allowed = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_".contains(letter);
        if !begins || name.len() > 32 || !name.chars().all(allowed) || name == "mcp" {
            return Err(SourceError::Name(name.chars().take(40).collect()));
        }
        let found = answers(folder).and_then(|()| folder.canonicalize());
        let found = found.and_then(|found| std::fs::read_dir(&found).map(|_| found));
        let folder = found.map_err(|error| unreadable(folder.display(), &error))?;
        Ok(Self { name: name.to_owned(), folder, keys: Vec::new() })
    }

    /// Another one after a file of its folder has come, gone or changed.
    pub fn stamp(&self) -> Stamp {
        let seen = |file: PathBuf| {
            let found = std::fs::metadata(&file).ok();
            let (time, size) = found.map_or((None, 0), |found| (found.modified().ok(), found.len()));
            (file, time, size)
        };
        Stamp(read::files(&self.folder).map(|files| files.into_iter().map(seen).collect()).unwrap_or_default())
    }

    /// Its tools as the folder has them now, and those that were left out.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn read(&self) -> Result<Described, SourceError> {
        answers(&self.folder).map_err(|error| unreadable(self.folder.display(), &error))?;
        let (checked, left_out) = read::folder(&self.folder)?;
        let tools = checked.into_iter().map(|checked| {
            let Checked { name, description, parameters, risk, template, digest } = checked;
            let success = template.success();
            let spec = ToolSpec {
                name: format!("{}.{name}", self.name),
                description,
                parameters,
                source: Source::Catalogue,
                risk: risk.unwrap_or(Risk::Read).max(template.least_risk()),
                mode: Mode::Functional,
                success,
                template: Some(digest),
            };
            DescribedTool::new(spec, template)
        });
        Ok(Described { tools: tools.collect(), left_out })
    }
}

fn unreadable(path: impl std::fmt::Display, error: &std::io::Error) -> SourceError {
    SourceError::Folder { path: path.to_string(), reason: error.to_string() }
}

impl Template {
    /// What makes a call of it a success.
    fn success(&self) -> SuccessRule {
        match self {
            Self::Command(_) => SuccessRule::ExitZero,
            Self::Http(_) => SuccessRule::Status,
        }
    }
}

#[cfg(test)]
mod tests;
