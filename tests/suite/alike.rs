//! Tools are also found by meaning, where the file of an encoder is there; without one, with one that is broken, and until
//! it is loaded, they are found as before. The encoder here knows nothing, but texts of the same word pieces are the same
//! to it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::discovery::{Filter, Found, Query, Reason, Standing};
use assent_engine::discovery::{Directory, Meaning};
use assent_tests::small_encoder::{Small, WIDTH, WORDS};
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
    assert!(
        find(&directory, REQUEST).by_meaning && !find(&directory, "the of and").by_meaning,
        "and each search says so"
    );
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
    settle(&directory);
    for text in [REQUEST, "send a mail", "weather", ""] {
        assert_eq!(find(&directory, text), find(&plain, text), "{text}");
        assert!(!find(&directory, text).by_meaning);
    }
    let problem = directory.meaning().unwrap().problem();
    assert!(problem.is_some_and(|problem| problem.contains("assent model pull meaning")));
    assert_eq!(asked.load(Ordering::SeqCst), 1, "a file that is not there is not looked for in every search");
    assert!(!folder.path().join("tools.vectors").exists());
}

#[test]
fn no_search_waits_for_a_file_that_is_slow_to_come_or_for_vectors() {
    let (folder, file) = folder();
    let directory = Directory::of(&tools());
    let (release, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let slow = move || {
        held.lock().unwrap().recv().unwrap();
        Ok((file.clone(), "small".to_owned()))
    };
    directory.compared_by(Meaning::new(slow, folder.path().join("tools.vectors")));
    let plain = Directory::of(&tools());
    for text in [REQUEST, "send a mail"] {
        assert_eq!(find(&directory, text), find(&plain, text), "{text}");
    }
    let meaning = directory.meaning().unwrap();
    assert!(!meaning.ready_within(Duration::ZERO));
    assert_eq!(meaning.problem().unwrap(), "its file is being loaded");
    release.send(()).unwrap();
    settle(&directory);
    assert!(first(&directory, REQUEST).is_some_and(|(name, _)| name == "mail"));
}

/// Tools compared by an encoder that takes its time with each, once all of them have their vectors.
fn slow() -> (TempDir, Directory) {
    let (folder, file) = folder();
    std::fs::write(&file, Small::of(24).bytes(&WORDS)).unwrap();
    let directory = directory(folder.path(), &file);
    settle(&directory);
    (folder, directory)
}

const MANY: usize = 5_000;

fn many() -> Vec<ToolSpec> {
    (0..MANY).map(|at| tool(&format!("new{at}"), "send a mail and get the weather in paris")).collect()
}

#[test]
fn a_tool_without_a_vector_is_not_put_behind_those_that_have_one() {
    let (_folder, directory) = slow();
    // So many that not all of them have vectors when the next line is reached.
    directory.connect("many", &many());
    assert_eq!(first(&directory, REQUEST), None);
    let problem = directory.meaning().unwrap().problem().unwrap();
    assert!(problem.contains("tools have yet to be read"), "{problem}");
    directory.disconnect("many");
    settle(&directory);
    assert!(first(&directory, REQUEST).is_some());
}

#[test]
fn work_for_tools_ends_with_who_wanted_it() {
    let (folder, directory) = slow();
    directory.connect("many", &many());
    drop(directory);
    assert!(records(folder.path()).len() < MANY, "not all of them were read");
}

#[test]
fn hostile_tools_are_compared_like_others() {
    let (folder, file) = folder();
    let directory = directory(folder.path(), &file);
    let hostile = [
        tool("\u{202e}evil\0", &"\u{301}".repeat(100_000)),
        tool("", ""),
        tool("long", &"x".repeat(100_000)),
        tool("[SEP]", "[CLS][PAD]\u{feff}\n\r\t"),
    ];
    directory.connect("hostile", &hostile);
    settle(&directory);
    assert_eq!(directory.meaning().unwrap().problem(), None);
    for text in [REQUEST, "\0", &"[SEP]".repeat(10_000), &"ก็".repeat(10_000)] {
        find(&directory, text);
    }
    assert!(first(&directory, REQUEST).is_some_and(|(_, value)| value > 0.999));
    assert_eq!(directory.meaning().unwrap().problem(), None);
}

#[test]
fn where_the_work_breaks_off_nobody_waits_for_it() {
    let (folder, _) = folder();
    let directory = Directory::of(&tools());
    directory.compared_by(Meaning::new(|| panic!("on purpose"), folder.path().join("tools.vectors")));
    settle(&directory);
    assert_eq!(directory.meaning().unwrap().problem().unwrap(), "it broke off");
    assert_eq!(find(&directory, "send a mail"), find(&Directory::of(&tools()), "send a mail"));
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
        for text in ["send a mail", REQUEST] {
            assert_eq!(find(&directory, text), find(&plain, text));
        }
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

/// The records of the file in which vectors are kept, once nobody writes to it any more.
fn records(folder: &Path) -> Vec<Vec<u8>> {
    let path = folder.join("tools.vectors");
    // Who writes it anew holds the new file, too: the second time it is that one which is waited for.
    for _ in 0..2 {
        std::fs::File::open(&path).unwrap().lock().unwrap();
    }
    let bytes = std::fs::read(path).unwrap();
    assert_eq!((bytes.len() - HEAD) % RECORD, 0);
    bytes[HEAD..].chunks(RECORD).map(<[u8]>::to_vec).collect()
}

const HEAD: usize = 64;
const RECORD: usize = 16 + WIDTH;

#[test]
fn vectors_are_kept_and_a_file_of_them_that_is_damaged_is_made_anew() {
    let (folder, file) = folder();
    let kept = folder.path().join("tools.vectors");
    let again = || {
        let directory = directory(folder.path(), &file);
        settle(&directory);
        assert!(first(&directory, REQUEST).is_some_and(|(name, value)| name == "mail" && value > 0.999));
        drop(directory);
        let mut records = records(folder.path());
        records.sort();
        records
    };
    let once = again();
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&kept.metadata().unwrap().permissions()) & 0o777, 0o600);
    let whole = std::fs::read(&kept).unwrap();
    assert!(once.len() >= 3, "one of each tool");
    assert_eq!(again(), once, "nothing is worked out twice");
    let other = [&b"assent vectors 0"[..], &[7; 500]].concat();
    let wide = [&b"assent vectors 2 99999999999999999999 small"[..], &[b' '; 500]].concat();
    for damaged in [&whole[..whole.len() - 5], &other, &wide, b"", &whole[..HEAD], &whole[..3]] {
        std::fs::write(&kept, damaged).unwrap();
        assert_eq!(again(), once);
    }
    let far = [&whole[..], &[1; RECORD].repeat(20_000)].concat();
    std::fs::write(&kept, far).unwrap();
    assert_eq!(again(), once, "what grew too long keeps what is there");
}

#[test]
fn two_that_share_a_folder_find_alike_and_one_of_them_writes() {
    let (folder, file) = folder();
    let one = directory(folder.path(), &file);
    settle(&one);
    let other = directory(folder.path(), &file);
    other.connect("post", [&tool("cafe", "read the file in a cafe")]);
    settle(&other);
    assert_eq!(find(&one, REQUEST).tools[0].score, find(&other, REQUEST).tools[0].score);
    drop(other);
    one.connect("post", [&tool("rain", "get the weather")]);
    settle(&one);
    drop(one);
    assert_eq!(records(folder.path()).len(), Directory::of(&tools()).specs().count() + 1);
}

#[test]
fn of_tools_that_were_removed_no_vector_is_kept() {
    let (folder, file) = folder();
    let open = || {
        let directory = directory(folder.path(), &file);
        directory.connect("post", [&tool("post", "send mail to paris"), &tool("cafe", "get a cafe")]);
        directory
    };
    // While the encoder is loaded, and before it is.
    let without = Directory::of(&tools()).specs().count();
    for loaded in [true, false] {
        let directory = open();
        settle(&directory);
        let directory = if loaded {
            directory
        } else {
            drop(directory);
            assert_eq!(records(folder.path()).len(), without + 2);
            open()
        };
        directory.disconnect("post");
        directory.forget_gone();
        drop(directory);
        assert_eq!(records(folder.path()).len(), without, "{loaded}");
    }
}
