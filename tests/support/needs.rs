//! What tests need of a machine. Where something is missing, a test says so and ends; where nothing may be left out
//! (`ASSENT_TEST_STRICT=1`, as `make test` sets it), it fails instead.

use std::fmt::Display;
use std::path::PathBuf;

/// Says that a test cannot run here, and why.
///
/// # Panics
/// Where nothing may be left out.
pub fn missing(why: impl Display) {
    let line = format!("SKIPPED, because {why}; `scripts/setup test` sets this up");
    assert!(std::env::var_os("ASSENT_TEST_STRICT").is_none_or(|strict| strict != "1"), "{line}");
    eprintln!("{line}");
}

/// Whether these programs are on the path; says which is not.
///
/// # Panics
/// As [`missing`].
pub fn has_programs(names: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let lacks = names.iter().find(|name| !folders.iter().any(|folder| folder.join(name).is_file()));
    if let Some(name) = lacks {
        missing(format!("the program {name} is not installed"));
    }
    lacks.is_none()
}
