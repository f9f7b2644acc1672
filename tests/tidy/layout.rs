//! How long files are, and how they begin.

use crate::assert_none;
use crate::tree::{self, File};

/// A production file stays under this many lines.
const LINES: usize = 400;
/// ARCHITECTURE.md may have this many.
const ARCHITECTURE_LINES: usize = 200;

fn too_long(file: &File, limit: usize) -> Option<String> {
    let lines = file.text.lines().count();
    (lines >= limit).then(|| format!("{}: {lines} lines, the limit is {limit}", file.path))
}

fn without_docs(file: &File) -> Option<String> {
    let first = file.text.lines().find(|line| !line.trim().is_empty() && !line.starts_with("#!["));
    (!first.is_some_and(|line| line.starts_with("//! "))).then(|| format!("{}: starts without module docs", file.path))
}

#[test]
fn production_files_stay_short() {
    let mut files = tree::production("src-tauri", &[".rs"]);
    files.extend(
        tree::production("ui/src", &[".ts", ".svelte", ".css"])
            .into_iter()
            .filter(|file| !file.path.contains("/bindings/")),
    );
    files.extend(tree::production("scripts", &[]));
    assert_none(&files.iter().filter_map(|file| too_long(file, LINES)).collect::<Vec<_>>());
}

#[test]
fn modules_say_what_they_are() {
    let files = tree::production("src-tauri", &[".rs"]);
    assert_none(&files.iter().filter_map(without_docs).collect::<Vec<_>>());
}

#[test]
fn the_architecture_fits_a_few_screens() {
    let files = tree::files("ARCHITECTURE.md", &[]);
    assert_eq!(files.len(), 1, "ARCHITECTURE.md is there");
    assert_none(&files.iter().filter_map(|file| too_long(file, ARCHITECTURE_LINES + 1)).collect::<Vec<_>>());
}

#[test]
fn bad_samples_are_found() {
    let file = |text: &str| File { path: "a.rs".into(), text: text.into() };
    assert_eq!(too_long(&file(&"x\n".repeat(399)), LINES), None);
    assert_eq!(too_long(&file(&"x\n".repeat(400)), LINES), Some("a.rs: 400 lines, the limit is 400".into()));
    assert_eq!(without_docs(&file("#![cfg(unix)]\n\n//! Says it.\n")), None);
    assert_eq!(without_docs(&file("use x;\n//! Late.\n")), Some("a.rs: starts without module docs".into()));
    assert_eq!(without_docs(&file("")), Some("a.rs: starts without module docs".into()));
}
