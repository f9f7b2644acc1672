//! What the crates may depend on: the core stays pure, the engine and the command line know no window.

use std::process::Command;

use crate::assert_none;
use crate::scan::paths;
use crate::tree;

/// Parts of the standard library that reach outside the program.
const IMPURE: [&str; 8] = ["fs", "net", "process", "env", "thread", "os", "SystemTime", "Instant"];

/// Crates whose presence means an async runtime, or IO, in the core.
const RUNTIMES: [&str; 6] = ["tokio", "async-std", "smol", "mio", "reqwest", "rusqlite"];

const WINDOWS: [&str; 6] = ["tauri", "tauri-runtime", "wry", "tao", "webkit2gtk", "gtk"];

fn impure_paths(text: &str) -> Vec<String> {
    paths(text, &["std", "tokio"])
        .into_iter()
        .filter(|path| {
            path.first().is_some_and(|root| root == "tokio") || path.iter().any(|part| IMPURE.contains(&part.as_str()))
        })
        .map(|path| path.join("::"))
        .collect()
}

/// Those of `forbidden` that stand in the lines of `cargo tree --prefix none`.
fn named(tree: &str, forbidden: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| forbidden.contains(name))
        .map(str::to_owned)
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Everything that `package` is built with on any platform, a line each.
fn dependency_tree(package: &str) -> String {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--locked", "--offline", "--edges", "normal,build", "--prefix", "none", "--package", package])
        .current_dir(tree::root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn check_without(package: &str, forbidden: &[&str]) {
    let tree = dependency_tree(package);
    assert!(tree.starts_with(package), "not the tree of {package}:\n{tree}");
    let complaints: Vec<String> =
        named(&tree, forbidden).into_iter().map(|name| format!("{package} depends on {name}")).collect();
    assert_none(&complaints);
}

#[test]
fn the_core_reaches_outside_nowhere() {
    let complaints: Vec<String> = tree::production("src-tauri/core/src", &[".rs"])
        .iter()
        .flat_map(|file| impure_paths(&file.text).into_iter().map(|path| format!("{}: {path}", file.path)))
        .collect();
    assert_none(&complaints);
}

#[test]
fn the_core_depends_on_no_runtime() {
    check_without("assent-core", &[&RUNTIMES[..], &WINDOWS].concat());
}

#[test]
fn the_engine_knows_no_window() {
    check_without("assent-engine", &WINDOWS);
}

#[test]
fn the_command_line_knows_no_window() {
    check_without("assent-cli", &WINDOWS);
}

#[test]
fn impure_samples_are_found() {
    assert_eq!(
        impure_paths(
            "use std::{collections::HashMap, fs, time::{Duration, Instant}}; fn f() { std::env::var(\"X\"); tokio::spawn(g()) }"
        ),
        ["std::fs", "std::time::Instant", "std::env::var", "tokio::spawn"]
    );
}

#[test]
fn forbidden_crates_are_found_by_whole_name() {
    assert_eq!(
        named("assent-core v0.1.0 (x)\ntokio v1.4.0\ntokio-util v0.7.0\ntokio v1.4.0 (*)\n", &RUNTIMES),
        ["tokio"]
    );
}
