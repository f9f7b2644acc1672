//! The migrations of the database: numbered without a hole, and each applies where the one before it ended.

use rusqlite::Connection;

use crate::assert_none;
use crate::tree::{self, File};

const FOLDER: &str = "src-tauri/engine/src/store/migrations";

/// The number that a migration's file name begins with.
fn number(path: &str) -> Option<usize> {
    let name = path.rsplit('/').next()?;
    name.split(['_', '-', '.']).next()?.parse().ok()
}

fn numbering_complaints(files: &[File]) -> Vec<String> {
    let misplaced = files.iter().zip(1_usize..).filter(|(file, place)| number(&file.path) != Some(*place));
    misplaced.map(|(file, place)| format!("{}: should be migration number {place}", file.path)).collect()
}

/// Applies `files` to an empty database, in their order.
fn applying_complaints(files: &[File]) -> Vec<String> {
    let database = Connection::open_in_memory().expect("a database in memory opens");
    for file in files {
        if let Err(problem) = database.execute_batch(&file.text) {
            return vec![format!("{}: {problem}", file.path)];
        }
    }
    let health: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("SQLite answers");
    if health == "ok" { Vec::new() } else { vec![format!("after all migrations: {health}")] }
}

#[test]
fn the_migrations_apply_in_order() {
    let files = tree::production(FOLDER, &[".sql"]);
    assert_none(&numbering_complaints(&files));
    assert_none(&applying_complaints(&files));
}

#[test]
fn bad_samples_are_found() {
    let file = |name: &str, text: &str| File { path: format!("{FOLDER}/{name}"), text: text.into() };
    let hole = [file("0001_first.sql", ""), file("0003_third.sql", "")];
    assert_eq!(numbering_complaints(&hole), [format!("{FOLDER}/0003_third.sql: should be migration number 2")]);
    assert_eq!(numbering_complaints(&[file("first.sql", "")]).len(), 1);
    let good = file("0001_a.sql", "CREATE TABLE a (x INTEGER);");
    assert_eq!(applying_complaints(std::slice::from_ref(&good)), Vec::<String>::new());
    let bad = file("0002_b.sql", "CREATE INDEX b ON missing (x);");
    assert_eq!(applying_complaints(&[good, bad]), [format!("{FOLDER}/0002_b.sql: no such table: main.missing")]);
}
