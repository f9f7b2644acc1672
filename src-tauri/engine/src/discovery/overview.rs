//! What a workspace holds, in one line a file: what a small model needs to name files and columns and not invent them.
//!
//! Reads file names, line counts, the first lines of tables, the shape of JSON and the tables of SQLite databases; follows no link and
//! leaves out hidden and ignored files. What stands in a file is data: it is cut short and holds no control character.

mod json;
mod sqlite;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use ignore::WalkBuilder;

/// Files that are listed; of further ones only the number is said.
const LISTED: usize = 40;
/// Counting goes no further.
const COUNTED: usize = 5_000;
/// Folders inside folders.
const DEPTH: usize = 8;
/// Bytes of a file that are read.
const READ: u64 = 1 << 20;
/// Characters of a first line, of the shape of a JSON file, and of a whole line of the overview.
const FIRST_LINE: usize = 100;
const JSON_SHAPE: usize = 240;
const WHOLE: usize = 400;

/// The files below a folder, sorted by path. A folder that cannot be read is empty.
pub fn workspace_overview(root: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    if root.join(".git").exists() {
        lines.push("(this folder is a git repository)".to_owned());
    }
    let walk = WalkBuilder::new(root)
        .max_depth(Some(DEPTH))
        .follow_links(false)
        .parents(false)
        .git_global(false)
        .sort_by_file_path(Ord::cmp)
        .build();
    let files = walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut more = 0;
    for (at, entry) in files.take(COUNTED).enumerate() {
        if at < LISTED {
            let name = entry.path().strip_prefix(root).unwrap_or(entry.path());
            let line = format!("{}{}", name.to_string_lossy(), described(entry.path()));
            lines.push(clean(&line, WHOLE));
        } else {
            more += 1;
        }
    }
    if more > 0 {
        lines.push(format!("and {more} more files"));
    }
    lines
}

/// What is said behind a file's name; nothing for a file that is no text.
fn described(path: &Path) -> String {
    let mut bytes = Vec::new();
    let Ok(file) = File::open(path) else { return String::new() };
    if file.take(READ).read_to_end(&mut bytes).is_err() {
        return String::new();
    }
    if let Some(tables) = sqlite::tables(&bytes) {
        return if tables.is_empty() { ": SQLite".to_owned() } else { format!(": SQLite, {}", tables.join("; ")) };
    }
    let whole = (bytes.len() as u64) < READ;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // The last character may be cut in two.
        Err(error) if !whole && error.valid_up_to() + 4 > bytes.len() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return String::new(),
    };
    let count = text.lines().count();
    let size = if whole { format!(": {count} lines") } else { format!(": more than {count} lines") };
    match inside(path, text) {
        Some(inside) => format!("{size}, {inside}"),
        None => size,
    }
}

/// What a data file holds: its names of columns or fields, and a row.
fn inside(path: &Path, text: &str) -> Option<String> {
    let kind = path.extension()?.to_str()?.to_ascii_lowercase();
    match kind.as_str() {
        "json" => match json::shape(text) {
            Some(shape) => Some(format!("holds: {}", clean(&shape, JSON_SHAPE))),
            None => {
                Some(format!("begins: {}", clean(&text.chars().take(4 * JSON_SHAPE).collect::<String>(), JSON_SHAPE)))
            }
        },
        "csv" | "tsv" | "jsonl" => {
            let mut lines = text.lines().map(|line| clean(line, FIRST_LINE)).filter(|line| !line.is_empty());
            let first = lines.next()?;
            let row = lines.next().map(|row| format!("; next line: {row}"));
            Some(format!("first line: {first}{}", row.unwrap_or_default()))
        }
        _ => None,
    }
}

/// The text in one line, without control characters, at most so many characters.
fn clean(text: &str, limit: usize) -> String {
    let spaced: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(limit).collect()
}

#[cfg(test)]
mod tests;
