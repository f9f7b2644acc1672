//! The files of the repository, as git would see them.

use std::fs;
use std::path::{Path, PathBuf};

/// A text file of the repository.
pub struct File {
    /// Relative to the top of the repository, with `/` between its parts.
    pub path: String,
    /// The whole text.
    pub text: String,
}

impl File {
    /// Whether the file ships: neither a test nor what only tests use.
    pub fn is_production(&self) -> bool {
        let test_folder = self.path.split('/').any(|part| part == "tests");
        !test_folder && !self.path.ends_with("/tests.rs") && !self.path.contains(".test.")
    }
}

/// The top of the repository.
pub fn root() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.parent().map_or_else(|| crate_folder.to_owned(), Path::to_owned)
}

/// Every text file below `folder` that git does not ignore and whose name ends in one of `endings` (all, when empty).
pub fn files(folder: &str, endings: &[&str]) -> Vec<File> {
    let top = root();
    let mut found: Vec<File> = ignore::WalkBuilder::new(top.join(folder))
        .hidden(false)
        .require_git(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter(|entry| endings.is_empty() || endings.iter().any(|end| entry.path().to_string_lossy().ends_with(end)))
        .filter_map(|entry| {
            let text = fs::read_to_string(entry.path()).ok()?;
            let path = entry.path().strip_prefix(&top).ok()?.to_string_lossy().replace('\\', "/");
            Some(File { path, text })
        })
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Like [`files`], for what ships, and never empty: a check of nothing would prove nothing.
pub fn production(folder: &str, endings: &[&str]) -> Vec<File> {
    let found: Vec<File> = files(folder, endings).into_iter().filter(File::is_production).collect();
    assert!(!found.is_empty(), "no file to check in {folder}");
    found
}

#[test]
fn tests_are_told_from_what_ships() {
    let ships = |path: &str| File { path: path.into(), text: String::new() }.is_production();
    assert_eq!(
        [
            "src-tauri/core/src/plan/mod.rs",
            "ui/src/main.ts",
            "src-tauri/core/src/plan/tests.rs",
            "src-tauri/core/src/plan/tests/parse.rs",
            "tests/suite/main.rs",
            "ui/src/a.test.ts",
        ]
        .map(ships),
        [true, true, false, false, false, false]
    );
}
