//! Looking for tools came on top of what there was, and everything there is is checked and played.

use std::collections::BTreeSet;

use crate::assert_none;
use crate::tree::{self, File};

/// What a crate's first file gives away beside its modules.
fn exports(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("pub use ")).map(|line| line.trim_end_matches(';')).collect()
}

/// Types by which a call could fail.
fn error_types(file: &File) -> Option<String> {
    let own = |line: &&str| {
        let declared = line.trim_start().trim_start_matches("pub ").trim_start_matches("(crate) ");
        let name = declared.strip_prefix("enum ").or_else(|| declared.strip_prefix("struct "));
        name.is_some_and(|name| {
            name.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or("").ends_with("Error")
        })
    };
    let found = file.text.lines().find(own)?;
    Some(format!("{}: an error type of its own: {}", file.path, found.trim()))
}

// covers: L57
#[test]
fn looking_for_tools_and_memory_have_no_error_type_and_the_engine_one_door() {
    let bad = File { path: "a.rs".into(), text: "    pub enum SearchError {\n".into() };
    assert!(error_types(&bad).is_some());
    assert_eq!(exports("pub mod a;\npub use a::{B, C};\n"), ["a::{B, C}"]);

    let folders = ["src-tauri/engine/src/discovery", "src-tauri/engine/src/memory", "src-tauri/core/src/discovery"];
    let mut files: Vec<File> = folders.iter().flat_map(|folder| tree::production(folder, &[".rs"])).collect();
    files.extend(tree::production("src-tauri/engine/src/tool", &["/meta.rs"]));
    assert!(files.len() > 10, "{} files", files.len());
    assert_none(&files.iter().filter_map(error_types).collect::<Vec<_>>());
    let door = tree::files("src-tauri/engine/src", &["src/lib.rs"]).remove(0).text;
    assert_eq!(exports(&door), ["engine::Engine"]);
}

/// The commands of a script, without what is said and asked around them.
fn commands(script: &str) -> BTreeSet<&str> {
    script.lines().map(str::trim).filter(|line| line.starts_with("cargo ") || line.starts_with("npm ")).collect()
}

// covers: L58
#[test]
fn types_lints_and_tests_of_every_package_are_what_check_and_test_run() {
    let script = |name: &str| tree::files("scripts", &[name]).remove(0).text;
    let (check, test) = (script("check"), script("test"));
    for text in [&check, &test] {
        assert!(text.contains("\nset -euo pipefail\n"), "what fails ends it");
    }
    // Clippy checks the types of everything on the way, tests and examples included.
    for wanted in ["cargo fmt --all --check", "cargo clippy --workspace --all-targets --quiet -- -D warnings"] {
        assert!(commands(&check).contains(wanted), "{wanted}");
    }
    let alone = "cargo test --workspace --lib --bins --tests --no-fail-fast -- --test-threads=1";
    for wanted in ["cargo nextest run --workspace --no-fail-fast", alone, "cargo test --workspace --doc --quiet"] {
        assert!(commands(&test).contains(wanted), "{wanted}");
    }
    let manifest = tree::files(".", &["Cargo.toml"]);
    let without = |file: &&File| file.text.contains("[package]") && !file.text.contains("[lints");
    let without: Vec<String> = manifest.iter().filter(without).map(|file| format!("{}: no lints", file.path)).collect();
    assert_none(&without);
}

/// Files of a folder of tests that nobody names, so that they are never played.
fn unplayed(files: &[File]) -> Vec<String> {
    let named = |stem: &str| {
        let lines = [format!("mod {stem};"), format!("\"{stem}.rs\""), format!("\"{stem}/mod.rs\"")];
        files.iter().any(|file| {
            file.text
                .lines()
                .any(|line| lines.iter().any(|wanted| line.trim().trim_start_matches("pub ").contains(wanted)))
        })
    };
    // Those that are programs of their own.
    let roots = ["main", "native", "protocol", "worker"];
    let stem = |file: &File| {
        let path = file.path.trim_end_matches("/mod.rs").trim_end_matches(".rs");
        path.rsplit('/').next().unwrap_or_default().to_owned()
    };
    files
        .iter()
        .filter(|file| !roots.contains(&stem(file).as_str()) && !named(&stem(file)))
        .map(|file| file.path.clone())
        .collect()
}

// covers: L60
#[test]
fn every_scenario_from_before_and_after_is_played() {
    let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
    assert_eq!(unplayed(&[file("s/main.rs", "mod a;"), file("s/a.rs", ""), file("s/b/mod.rs", "")]), ["s/b/mod.rs"]);

    let suites = ["tests/suite", "tests/cli", "tests/recovery", "tests/tidy"];
    for suite in suites {
        let files = tree::files(suite, &[".rs"]);
        assert!(!files.is_empty());
        assert_none(&unplayed(&files));
    }
    // What is left out of a run is a part of another test, or takes minutes.
    let reasons = ["started by", "minute", "a measurement"];
    let left_out = |file: &File| {
        let ignored = file.text.lines().map(str::trim).filter(|line| line.starts_with("#[ignore"));
        let unreasoned = ignored.filter(|line| !reasons.iter().any(|reason| line.contains(reason)));
        unreasoned.map(|line| format!("{}: {line}", file.path)).collect::<Vec<_>>()
    };
    let all = tree::files("src-tauri", &[".rs"]).into_iter().chain(tree::files("tests", &[".rs"]));
    assert_none(&all.flat_map(|file| left_out(&file)).collect::<Vec<_>>());
}
