//! What a workspace holds, in one line a file: what a small model needs to name files and columns and not invent them.
//!
//! Reads file names, line counts, the first lines of tables and of one text of each kind in a folder, the shape of JSON and the tables of SQLite databases; follows no link and
//! leaves out hidden and ignored files, and files that are named as keys and passwords are. What stands in a file is
//! data: it is cut short and holds no control character; a model that runs elsewhere is told names and shapes alone.

mod change;
mod json;
mod sqlite;
mod table;

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use crate::tool::permission::is_secret;

pub use change::text_for_change;

/// How much of what stands in files is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Shapes, and a first row or value of each: for models on this machine.
    Values,
    /// Names of files, columns and fields, and how many there are: for models elsewhere.
    Shapes,
}

impl Detail {
    /// What a model may be told, by whether it runs on this machine.
    pub fn of(local: bool) -> Self {
        if local { Self::Values } else { Self::Shapes }
    }
}

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
/// Texts of which the beginning is told, and characters of it: enough to see how its lines are made.
const BEGINNINGS: usize = 8;
const BEGINNING: usize = 160;

/// The files below a folder without the hidden folders in it, sorted by path. A folder that cannot be read is empty.
pub fn workspace_overview(root: &Path, hidden: &[PathBuf], detail: Detail) -> Vec<String> {
    let mut lines = Vec::new();
    if root.join(".git").exists() {
        lines.push("(this folder is a git repository)".to_owned());
    }
    let mut more = 0;
    // Files of one ending in one folder are mostly alike: the first stands for all.
    let mut begun: HashSet<(Option<PathBuf>, Option<OsString>)> = HashSet::new();
    for (at, entry) in files(root, hidden).take(COUNTED).enumerate() {
        if at < LISTED {
            let name = entry.path().strip_prefix(root).unwrap_or(entry.path());
            let kind = (name.parent().map(Path::to_path_buf), name.extension().map(OsStr::to_os_string));
            let is_first = detail == Detail::Values && begun.len() < BEGINNINGS && !begun.contains(&kind);
            let (described, tells_beginning) = described(entry.path(), detail, is_first);
            if tells_beginning {
                begun.insert(kind);
            }
            lines.push(clean(&format!("{}{described}", name.to_string_lossy()), WHOLE));
        } else {
            more += 1;
        }
    }
    if more > 0 {
        lines.push(format!("and {more} more files"));
    }
    lines
}

/// The paths of the files below a folder, from it and with `/`, sorted: what a person may name. Of many the first 5,000.
/// A folder that cannot be read is empty.
pub fn workspace_files(root: &Path) -> Vec<String> {
    let below = files(root, &[]).filter_map(|entry| entry.path().strip_prefix(root).ok().map(Path::to_path_buf));
    let shown = below.map(|path| path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/"));
    shown.take(COUNTED).collect()
}

/// The files below a folder without the hidden folders in it, which are given by their real paths; sorted by path.
fn files(root: &Path, hidden: &[PathBuf]) -> impl Iterator<Item = DirEntry> {
    let hidden = hidden.to_vec();
    let base = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let top = root.to_path_buf();
    let seen = move |path: &Path| {
        let inside = path.strip_prefix(&top).unwrap_or(path);
        !is_secret(&inside.to_string_lossy()) && !hidden.iter().any(|folder| base.join(inside).starts_with(folder))
    };
    let walk = WalkBuilder::new(root)
        .max_depth(Some(DEPTH))
        .follow_links(false)
        .parents(false)
        .git_global(false)
        .sort_by_file_path(Ord::cmp)
        .filter_entry(move |entry| seen(entry.path()))
        .build();
    walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
}

/// What is said behind a file's name, and whether that tells how a plain text begins; nothing for a file that is no text.
fn described(path: &Path, detail: Detail, with_beginning: bool) -> (String, bool) {
    let mut bytes = Vec::new();
    let Ok(file) = File::open(path) else { return (String::new(), false) };
    if file.take(READ).read_to_end(&mut bytes).is_err() {
        return (String::new(), false);
    }
    if let Some(tables) = sqlite::tables(&bytes) {
        let tables = if tables.is_empty() { String::new() } else { format!(", {}", tables.join("; ")) };
        return (format!(": SQLite{tables}"), false);
    }
    let whole = (bytes.len() as u64) < READ;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // The last character may be cut in two.
        Err(error) if !whole && error.valid_up_to() + 4 > bytes.len() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return (String::new(), false),
    };
    let count = text.lines().count();
    let size = if whole { format!(": {count} lines") } else { format!(": more than {count} lines") };
    if let Some(inside) = inside(path, text, detail) {
        return (format!("{size}, {inside}"), false);
    }
    match beginning(text).filter(|_| with_beginning) {
        Some(beginning) => (format!("{size}, begins: {beginning}"), true),
        None => (size, false),
    }
}

/// The first lines of a text, `↵` between them; nothing for an empty one.
fn beginning(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let told: String = lines.collect::<Vec<_>>().join(" ↵ ").chars().take(BEGINNING).collect();
    (!told.is_empty()).then_some(told)
}

/// What a data file holds: its names of columns or fields, and where values are told a row.
fn inside(path: &Path, text: &str, detail: Detail) -> Option<String> {
    let kind = path.extension()?.to_str()?.to_ascii_lowercase();
    let holds = |shape: String| format!("holds: {}", clean(&shape, JSON_SHAPE));
    match (kind.as_str(), detail) {
        ("json", detail) => match json::shape(text, detail) {
            Some(shape) => Some(holds(shape)),
            None if detail == Detail::Shapes => None,
            None => {
                Some(format!("begins: {}", clean(&text.chars().take(4 * JSON_SHAPE).collect::<String>(), JSON_SHAPE)))
            }
        },
        ("csv" | "tsv" | "jsonl", Detail::Values) => {
            let mut lines = text.lines().map(|line| clean(line, FIRST_LINE)).filter(|line| !line.is_empty());
            let first = lines.next()?;
            let row = lines.next().map(|row| format!("; next line: {row}"));
            Some(format!("first line: {first}{}", row.unwrap_or_default()))
        }
        ("csv" | "tsv", Detail::Shapes) => table::shape(text, if kind == "tsv" { '\t' } else { ',' }),
        ("jsonl", Detail::Shapes) => json::shape(text.lines().find(|line| !line.trim().is_empty())?, detail)
            .map(|shape| holds(format!("lines like {shape}"))),
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
