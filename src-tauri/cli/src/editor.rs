//! A text in the person's own editor.

use std::io::Write;
use std::process::Command;

use anyhow::{Context, bail};

/// Opens a text in `$VISUAL`, `$EDITOR` or `vi` and returns what it is when the editor is closed.
pub fn edit(text: &str, suffix: &str) -> anyhow::Result<String> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
        .unwrap_or_else(|| "vi".to_owned());
    let mut file = tempfile::Builder::new().prefix("assent-").suffix(suffix).tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    let mut words = editor.split_whitespace();
    let program = words.next().context("EDITOR is empty: set it to the name of an editor")?;
    let status = Command::new(program)
        .args(words)
        .arg(file.path())
        .status()
        .with_context(|| format!("the editor {program:?} did not start: set EDITOR to another one"))?;
    if !status.success() {
        bail!("the editor ended with {status}: nothing was changed");
    }
    std::fs::read_to_string(file.path()).context("the edited text could not be read: nothing was changed")
}
