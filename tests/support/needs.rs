//! What tests need of a machine. Where something is missing, a test says so and ends; where nothing may be left out
//! (`ASSENT_TEST_STRICT=1`, as `make test` sets it), it fails instead.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::Command;

use assent_engine::tool::sandbox;

/// Set where commands cannot be shut in.
const NO_WALLS: &str = "ASSENT_TEST_HAS_NO_WALLS";

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

/// Runs a test once more where no program is found that shuts commands in; `true` there, where it is to go on.
///
/// # Panics
/// It fails there; or as [`missing`].
pub fn has_no_walls(module: &str, test: &str) -> bool {
    if std::env::var_os(NO_WALLS).is_some() {
        assert!(sandbox::available().is_err(), "there are walls");
        return true;
    }
    if let Err(reason) = sandbox::available() {
        missing(reason);
        return false;
    }
    let name = module.split_once("::").map_or_else(|| test.to_owned(), |(_, module)| format!("{module}::{test}"));
    let mut again = Command::new("bwrap");
    again.args(["--dev-bind", "/", "/", "--die-with-parent"]);
    for place in ["/usr/bin/bwrap", "/usr/local/bin/bwrap"].iter().filter(|place| Path::new(place).exists()) {
        again.args(["--ro-bind", "/dev/null", place]);
    }
    let program = std::env::current_exe().expect("a test knows its program");
    again.arg(program).args(["--exact", &name, "--nocapture"]).env(NO_WALLS, "1");
    let output = again.output().expect("walls were there");
    let (told, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && told.contains("1 passed"), "{name} without walls:\n{told}\n{complained}");
    false
}
