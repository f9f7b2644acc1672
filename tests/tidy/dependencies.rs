//! What the crates may depend on: the core stays pure, the engine and the command line know no window.

use std::process::Command;

use crate::assert_none;
use crate::scan::paths;
use crate::tree::{self, File};

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

/// What a manifest asks for: the keys of its dependency tables.
fn declared(manifest: &str) -> Vec<&str> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]") && !line.starts_with("[workspace");
        } else if let Some((key, _)) = line.split_once(['.', '=']).filter(|_| inside && !line.starts_with('#')) {
            found.push(key.trim());
        }
    }
    found
}

/// Those of a manifest's dependencies that no source names.
fn unused(manifest: &File, sources: &[File]) -> Vec<String> {
    let named = |package: &&str| {
        let name = package.replace('-', "_");
        sources.iter().any(|source| source.text.contains(&name))
    };
    let unused = declared(&manifest.text).into_iter().filter(|package| !named(package));
    unused.map(|package| format!("{}: nothing uses {package}", manifest.path)).collect()
}

#[test]
fn every_dependency_is_used() {
    let packages: [(&str, &[&str]); 6] = [
        ("Cargo.toml", &["src-tauri/src", "src-tauri/build.rs", "tests/e2e"]),
        ("src-tauri/core/Cargo.toml", &["src-tauri/core", "bench/retrieval.rs"]),
        ("src-tauri/meaning/Cargo.toml", &["src-tauri/meaning"]),
        ("src-tauri/engine/Cargo.toml", &["src-tauri/engine"]),
        ("src-tauri/cli/Cargo.toml", &["src-tauri/cli", "tests/cli"]),
        ("tests/Cargo.toml", &["tests"]),
    ];
    let complaints: Vec<String> = packages
        .iter()
        .flat_map(|(manifest, folders)| {
            let sources: Vec<File> = folders.iter().flat_map(|folder| tree::files(folder, &[".rs"])).collect();
            assert!(!sources.is_empty(), "no source of {manifest}");
            tree::files(manifest, &[]).iter().flat_map(|manifest| unused(manifest, &sources)).collect::<Vec<_>>()
        })
        .collect();
    assert_none(&complaints);
}

#[test]
fn unused_samples_are_found() {
    let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
    let manifest = file(
        "Cargo.toml",
        "[workspace.dependencies]\nother = \"1\"\n[features]\nx = []\n[dependencies]\n# serde = \"1\"\nserde-json.workspace = true\ntokio = { version = \"1\" }\n[lints]\ny = true\n",
    );
    assert_eq!(declared(&manifest.text), ["serde-json", "tokio"]);
    assert_eq!(unused(&manifest, &[file("a.rs", "use serde_json::Value;")]), ["Cargo.toml: nothing uses tokio"]);
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
