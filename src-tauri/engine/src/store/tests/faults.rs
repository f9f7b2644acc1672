//! Files that cannot be used, and disks that are full: a clear error, and nothing is lost or changed.

use std::process::Command;
use std::time::Duration;

use assent_core::ids::SessionId;

use super::*;
use crate::store::{Sessions as _, StoreError};

fn open_error(home: &Home) -> StoreError {
    match Store::open_patiently(home, Arc::new(FakeClock::at(1)), Duration::from_millis(50)) {
        Ok(_) => panic!("the store was opened"),
        Err(error) => error,
    }
}

/// A folder whose database holds a session with a thousand messages.
fn filled() -> Folder {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    append(&store, events((0..1000).map(|at| draft(place("c"), at, message(&"word ".repeat(20)))).collect())).unwrap();
    drop(store);
    folder
}

#[test]
fn a_file_that_is_no_database_is_left_as_it_is() {
    let folder = Folder::new();
    let bytes = b"not a database, but something a person may want back".repeat(100);
    std::fs::write(folder.home.database(), &bytes).unwrap();
    let error = open_error(&folder.home);
    assert!(matches!(&error, StoreError::Damaged { path, .. } if path.ends_with("assent.db")), "{error}");
    assert_eq!(std::fs::read(folder.home.database()).unwrap(), bytes);
}

#[test]
fn a_database_of_another_program_is_left_as_it_is() {
    let folder = Folder::new();
    rusqlite::Connection::open(folder.home.database()).unwrap().execute_batch("CREATE TABLE mine (x)").unwrap();
    let bytes = std::fs::read(folder.home.database()).unwrap();
    assert!(matches!(open_error(&folder.home), StoreError::Damaged { .. }));
    assert_eq!(std::fs::read(folder.home.database()).unwrap(), bytes);
}

#[test]
fn a_file_that_was_cut_off_is_told_and_left_as_it_is() {
    let folder = filled();
    let path = folder.home.database();
    let whole = std::fs::read(&path).unwrap();
    let half = &whole[..whole.len() / 2 / 4096 * 4096];
    std::fs::write(&path, half).unwrap();
    let told = match Store::open(&folder.home, Arc::new(FakeClock::at(1))) {
        Ok(store) => store.session_events(&SessionId::from("c"), 0).map(|events| events.len()).unwrap_err(),
        Err(error) => error,
    };
    assert!(matches!(told, StoreError::Damaged { .. }), "{told}");
    assert_eq!(std::fs::read(&path).unwrap(), half);
}

#[test]
fn a_file_of_a_newer_version_is_left_as_it_is() {
    let folder = filled();
    let newer = rusqlite::Connection::open(folder.home.database()).unwrap();
    newer.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(newer);
    let bytes = std::fs::read(folder.home.database()).unwrap();
    let error = open_error(&folder.home);
    assert!(matches!(error, StoreError::Newer { found: 99, known: 4, .. }), "{error}");
    assert_eq!(std::fs::read(folder.home.database()).unwrap(), bytes);
}

#[test]
fn a_file_that_another_program_holds_is_told_after_a_while() {
    let folder = filled();
    let other = rusqlite::Connection::open(folder.home.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let store = Store::open_patiently(&folder.home, Arc::new(FakeClock::at(1)), Duration::from_millis(50)).unwrap();
    assert_eq!(store.session("c").unwrap().title, "Chat");
    let say = || events(vec![draft(place("c"), 2, message("hello"))]);
    assert_eq!(append(&store, say()), Err(JournalError::Locked));
    other.execute_batch("ROLLBACK").unwrap();
    // Once an event is missing, none comes after it.
    assert!(matches!(append(&store, say()), Err(JournalError::Closed(_))));
    drop(store);
    let store = folder.open();
    append(&store, say()).unwrap();
    assert_eq!(store.session_events(&SessionId::from("c"), 0).unwrap().len(), 1002);

    drop(store);
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    assert!(matches!(open_error(&folder.home), StoreError::Locked { .. }));
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let folder = Folder::new();
    std::fs::create_dir(folder.home.database()).unwrap();
    let error = open_error(&folder.home);
    assert!(matches!(&error, StoreError::Folder { path, .. } if path.ends_with("assent.db")), "{error}");
}

#[test]
fn queued_events_that_could_not_be_written_make_the_next_append_fail() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    store.write(|writer| writer.leave_room(1)).unwrap();
    let big = || events(vec![draft(place("c"), 2, message(&"x".repeat(100_000)))]);
    block_on(store.append(big(), Durability::Queued)).unwrap();
    store.write(|_| Ok(())).unwrap();
    assert_eq!(append(&store, events(Vec::new())), Err(JournalError::Full));
    assert!(matches!(append(&store, events(Vec::new())), Err(JournalError::Closed(_))));
}

/// Writes until the disk is full, makes room, and looks for everything that was acknowledged.
fn fill(home: &Home, make_room: impl FnOnce()) {
    let store = open(home);
    let text = "Much is written here. ".repeat(500);
    let mut there = 0;
    let error = loop {
        match append(&store, events(vec![draft(place("c"), 2, message(&text)), draft(place("c"), 3, message("end"))])) {
            Ok(()) => there += 2,
            Err(error) => break error,
        }
    };
    assert_eq!(error, JournalError::Full);
    assert!(matches!(append(&store, Batch::default()), Err(JournalError::Closed(_))));
    drop(store);
    make_room();
    let store = open(home);
    let events = store.session_events(&SessionId::from("c"), 0).unwrap();
    assert_eq!(events.len(), 1 + there);
    assert_eq!(events[there].kind, message("end"));
    one(&store, place("c"), 4, message("there is room again"));
}

/// The part of the next test that runs on a file system of its own.
#[test]
#[ignore = "started by another test"]
fn on_a_small_file_system() {
    let Some(folder) = std::env::var_os("ASSENT_TEST_FULL") else { return };
    let ballast = std::path::Path::new(&folder).join("ballast");
    std::fs::write(&ballast, vec![1; 1 << 20]).unwrap();
    let home = Home::at(std::path::Path::new(&folder).join("home")).unwrap();
    one(&open(&home), place("c"), 1, created("Chat"));
    fill(&home, || std::fs::remove_file(&ballast).unwrap());
    std::fs::write(std::path::Path::new(&folder).join("passed"), "").unwrap();
    println!("@passed");
}

#[test]
fn a_full_disk_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        r#"mount -t tmpfs -o size=4m tmpfs "$ASSENT_TEST_FULL" && exec "$0" --exact --ignored --nocapture "$1""#;
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .arg("store::tests::faults::on_a_small_file_system")
        .env("ASSENT_TEST_FULL", folder.path())
        .output();
    match output {
        Ok(output) if String::from_utf8_lossy(&output.stdout).contains("running 1 test") => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            assert!(String::from_utf8_lossy(&output.stdout).contains("@passed"));
        }
        // Where no file system can be mounted, the file's own limit stands in for the disk's.
        _ => {
            let folder = Folder::new();
            let store = folder.open();
            one(&store, place("c"), 1, created("Chat"));
            store.write(|writer| writer.leave_room(100)).unwrap();
            let big = || events(vec![draft(place("c"), 2, message(&"x".repeat(20_000)))]);
            let mut there = 1;
            while append(&store, big()).is_ok() {
                there += 1;
            }
            drop(store);
            assert_eq!(folder.open().session_events(&SessionId::from("c"), 0).unwrap().len(), there);
        }
    }
}
