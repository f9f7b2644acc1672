//! A text in the person's own editor.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyhow::{Context, bail};
use tempfile::NamedTempFile;

use crate::interrupt;

/// A text that a person works on, in a file that is gone with it unless it is kept.
pub struct Draft(NamedTempFile);

impl Draft {
    /// A file with the text; the suffix tells editors what kind of text it is.
    pub fn new(text: &str, suffix: &str) -> anyhow::Result<Self> {
        let mut file = tempfile::Builder::new().prefix("assent-").suffix(suffix).tempfile()?;
        file.write_all(text.as_bytes())?;
        file.flush()?;
        Ok(Self(file))
    }

    /// Opens it in `$VISUAL`, `$EDITOR` or `vi`, and returns what it is when the editor is closed.
    pub fn open(&self) -> anyhow::Result<String> {
        let editor = ["VISUAL", "EDITOR"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
            .unwrap_or_else(|| "vi".to_owned());
        let terminal = interrupt::handed_over();
        let status = started(&editor, self.0.path())
            .with_context(|| format!("the editor {editor:?} did not start: set EDITOR to another one"))?;
        drop(terminal);
        if !status.success() {
            bail!("the editor {editor:?} ended with {status}: set EDITOR to another one, or close it without an error");
        }
        std::fs::read_to_string(self.0.path()).context("the edited text could not be read")
    }

    /// Whether the file still holds just this text.
    pub fn is(&self, text: &str) -> bool {
        std::fs::read(self.0.path()).is_ok_and(|now| now == text.as_bytes())
    }

    /// Leaves the file where it is, for the person to find.
    pub fn keep(self) -> anyhow::Result<PathBuf> {
        Ok(self.0.keep()?.1)
    }
}

/// The shell takes the name apart, as git has it done: editors have arguments, and paths have blanks.
#[cfg(unix)]
fn started(editor: &str, file: &Path) -> std::io::Result<ExitStatus> {
    let line = format!("{editor} \"$@\"");
    Command::new("sh").args([OsStr::new("-c"), OsStr::new(&line), OsStr::new(editor), file.as_os_str()]).status()
}

#[cfg(not(unix))]
fn started(editor: &str, file: &Path) -> std::io::Result<ExitStatus> {
    let mut words = editor.split_whitespace().map(OsStr::new);
    Command::new(words.next().unwrap_or_default()).args(words).arg(file).status()
}
