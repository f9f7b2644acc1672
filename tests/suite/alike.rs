//! Tools are also found by meaning, where the file of an encoder is there; without one, and with one that is broken, they
//! are found as before. The encoder here knows nothing, but texts of the same word pieces are the same to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::discovery::{Filter, Found, Query, Reason, Standing};
use assent_engine::discovery::{Directory, Meaning};
use assent_tests::small_encoder::{Small, WORDS};
use serde_json::json;
use tempfile::TempDir;

/// Longer than any of this takes.
const LONG: Duration = Duration::from_secs(60);

/// The same word pieces as those of `mail. send`, and no word of any tool.
const REQUEST: &str = "máil. sénd";

fn tool(name: &str, description: &str) -> ToolSpec {
    let parameters = json!({"type": "object", "properties": {}});
    ToolSpec::new(name.to_owned(), description.to_owned(), parameters, Source::Core, Risk::Read)
}

fn tools() -> [ToolSpec; 3] {
    [tool("mail", "send"), tool("weather", "get the weather in paris"), tool("file", "reading a file")]
}

/// A folder with the encoder's file.
fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("encoder.bin");
    std::fs::write(&file, Small::whole().bytes(&WORDS)).unwrap();
    (folder, file)
}

fn directory(folder: &Path, file: &Path) -> Directory {
    let directory = Directory::of(&tools());
    let file = file.to_owned();
    directory.compared_by(Meaning::new(move || Ok((file.clone(), "small".to_owned())), folder.join("tools.vectors")));
    directory
}

fn find(directory: &Directory, text: &str) -> Found {
    directory.find(&Query { text, limit: 10, filter: &Filter::default() }, |_| Standing::default())
}

/// How alike a tool and the request are, as the first of what is found says.
fn first(directory: &Directory, text: &str) -> Option<(String, f32)> {
    let found = find(directory, text).tools.into_iter().next()?;
    let (_, value, _) = found.reasons.iter().find(|(reason, ..)| *reason == Reason::Meaning)?;
    Some((found.name, value))
}

fn settle(directory: &Directory) {
    assert!(directory.meaning().unwrap().settle_within(LONG), "all tools have their vectors");
}

#[test]
fn a_tool_that_says_the_same_in_other_words_is_found() {
    let (folder, file) = folder();
    let directory = directory(folder.path(), &file);
    settle(&directory);
    let (name, value) = first(&directory, REQUEST).unwrap();
    assert!(name == "mail" && value > 0.999, "{name} {value}");
    assert_eq!(directory.meaning().unwrap().problem(), None);
    for nothing in ["", "the of and", " \0 "] {
        assert!(find(&directory, nothing).tools.is_empty(), "{nothing:?}");
    }
}

#[test]
fn without_the_file_tools_are_found_by_words_and_it_is_said_why() {
    let plain = Directory::of(&tools());
    let (folder, _) = folder();
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let directory = Directory::of(&tools());
    let missing = move || {
        counted.fetch_add(1, Ordering::SeqCst);
        Err("its file is not there; `assent model pull meaning` fetches it".to_owned())
    };
    directory.compared_by(Meaning::new(missing, folder.path().join("tools.vectors")));
    assert_eq!(asked.load(Ordering::SeqCst), 0, "nothing is looked for before somebody searches");
    for text in [REQUEST, "send a mail", "weather", ""] {
        assert_eq!(find(&directory, text), find(&plain, text), "{text}");
    }
    let problem = directory.meaning().unwrap().problem();
    assert!(problem.is_some_and(|problem| problem.contains("assent model pull meaning")));
    assert_eq!(asked.load(Ordering::SeqCst), 1, "a file that is not there is not looked for in every search");
    assert!(!folder.path().join("tools.vectors").exists());
}

#[test]
fn a_broken_file_is_said_and_tools_are_found_by_words() {
    let (folder, file) = folder();
    let whole = std::fs::read(&file).unwrap();
    let plain = Directory::of(&tools());
    for broken in [&whole[..whole.len() / 2], b"", b"PK\x03\x04 and more than eight bytes"] {
        std::fs::write(&file, broken).unwrap();
        let directory = directory(folder.path(), &file);
        settle(&directory);
        assert_eq!(find(&directory, "send a mail"), find(&plain, "send a mail"));
        let problem = directory.meaning().unwrap().problem().unwrap();
        assert!(problem.contains("cannot be used"), "{problem}");
    }
}

#[test]
fn a_tool_that_goes_or_changes_is_no_more_found_by_what_it_said() {
    let (folder, file) = folder();
    let directory = Directory::of([]);
    directory
        .compared_by(Meaning::new(move || Ok((file.clone(), "small".to_owned())), folder.path().join("tools.vectors")));
    let likeness = |name: &str| {
        settle(&directory);
        let found = find(&directory, REQUEST).tools.into_iter().find(|tool| tool.name == name)?;
        found.reasons.iter().find(|(reason, ..)| *reason == Reason::Meaning).map(|(_, value, _)| value)
    };
    directory.connect("post", [&tool("mail", "send")]);
    assert!(likeness("mail").is_some_and(|value| value > 0.999));
    directory.connect("post", [&tool("mail", "the weather in paris, get a cafe")]);
    assert!(likeness("mail").is_none_or(|value| value < 0.99));
    directory.connect("post", [&tool("mail", "send")]);
    assert!(likeness("mail").is_some_and(|value| value > 0.999));
    directory.disconnect("post");
    assert_eq!(likeness("mail"), None);
}

#[test]
fn vectors_are_kept_and_a_file_of_them_that_is_damaged_is_made_anew() {
    let (folder, file) = folder();
    let kept = folder.path().join("tools.vectors");
    let again = || {
        // Who wrote before has let go of the file when its thread is done.
        let directory = directory(folder.path(), &file);
        settle(&directory);
        assert!(first(&directory, REQUEST).is_some_and(|(name, value)| name == "mail" && value > 0.999));
    };
    again();
    let once = std::fs::read(&kept).unwrap();
    let record = 16 + 32;
    assert_eq!((once.len() - 64) % record, 0);
    assert!((once.len() - 64) / record >= 3, "one of each tool");
    again();
    let other = [&b"assent vectors 0"[..], &[7; 500]].concat();
    for damaged in [&once[..once.len() - 5], &other, b"", &once[..64]] {
        std::fs::write(&kept, damaged).unwrap();
        again();
    }
}
