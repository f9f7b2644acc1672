//! Files that cannot be used, and disks that are full: a clear error, and nothing is lost or changed.

use std::process::Command;
use std::time::Duration;

use assent_core::ids::SessionId;

use super::*;
use crate::store::{Changes as _, ListFilter, Sessions as _, Settings as _, StoreError};

fn open_error(home: &Home) -> StoreError {
    match Store::open_patiently(home, Arc::new(FakeClock::at(1)), Duration::from_millis(50)) {
        Ok(_) => panic!("the store was opened"),
        Err(error) => error,
    }
}

fn shown(home: &Home) -> String {
    home.database().display().to_string()
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
fn a_file_that_was_emptied_is_no_first_start() {
    let folder = filled();
    let log = folder.home.root().join("assent.db-wal");
    std::fs::write(folder.home.database(), "").unwrap();
    std::fs::write(&log, "what was written last").unwrap();
    let error = open_error(&folder.home);
    assert!(matches!(&error, StoreError::Damaged { reason, .. } if reason.contains("empty")), "{error}");
    assert_eq!(std::fs::read(folder.home.database()).unwrap(), b"");
    assert_eq!(std::fs::read(log).unwrap(), b"what was written last");
}

#[test]
fn a_first_start_that_died_while_it_made_the_file_is_begun_anew() {
    let folder = Folder::new();
    for left in ["assent.db.new", "assent.db.new-journal", "assent.db.new-wal", "assent.db.new-shm"] {
        std::fs::write(folder.home.root().join(left), "half of something").unwrap();
    }
    one(&folder.open(), place("c"), 1, created("Chat"));
    let mut there: Vec<_> =
        std::fs::read_dir(folder.home.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    there.sort();
    assert_eq!(there, ["assent.db", "locks"]);
}

#[test]
fn a_log_whose_file_was_moved_away_is_kept_and_not_read_into_the_new_one() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    let (path, log) = (folder.home.database(), folder.home.root().join("assent.db-wal"));
    let (file, written) = (std::fs::read(&path).unwrap(), std::fs::read(&log).unwrap());
    drop(store);
    // As a process leaves it that was killed.
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&log, &written).unwrap();
    let store = folder.open();
    assert_eq!(store.sessions(&ListFilter::default()).unwrap().len(), 0);
    drop(store);
    let left = folder.home.root().join("assent.db-wal.left");
    assert_eq!(std::fs::read(&left).unwrap(), written);
    // Both put back.
    std::fs::write(&path, &file).unwrap();
    std::fs::rename(&left, &log).unwrap();
    assert_eq!(folder.open().session("c").unwrap().title, "Chat");
}

#[test]
fn several_that_start_first_at_once_find_one_file() {
    let folder = Folder::new();
    let start = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (folder, start) = (&folder, &start);
            scope.spawn(move || {
                start.wait();
                one(&folder.open(), place(&format!("c{number}")), 1, created("Chat"));
            });
        }
    });
    assert_eq!(folder.open().sessions(&ListFilter::default()).unwrap().len(), 8);
}

#[test]
fn a_file_of_a_newer_version_is_left_as_it_is() {
    let folder = filled();
    let newer = rusqlite::Connection::open(folder.home.database()).unwrap();
    newer.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(newer);
    let bytes = std::fs::read(folder.home.database()).unwrap();
    let error = open_error(&folder.home);
    assert!(matches!(error, StoreError::Newer { found: 99, known: 14, .. }), "{error}");
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
    assert_eq!(store.set_setting("theme", Some(&json!("dark"))), Err(StoreError::Locked { path: shown(&folder.home) }));
    other.execute_batch("ROLLBACK").unwrap();
    append(&store, say()).unwrap();
    store.set_setting("theme", Some(&json!("dark"))).unwrap();
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

/// A text of so many bytes, said in a line.
fn said_in(line: &Line, bytes: usize) -> Batch {
    Batch { line: line.clone(), ..events(vec![draft(place("c"), 2, message(&"x".repeat(bytes)))]) }
}

#[test]
fn what_relies_on_lost_events_is_refused_and_everything_else_is_written() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    store.write(|writer| writer.leave_room(1)).unwrap();
    let (line, other) = (Line::default(), Line::default());
    block_on(store.append(said_in(&line, 100_000), Durability::Queued)).unwrap();
    // There would be room for this one; but what it relies on is not there.
    assert_eq!(append(&store, said_in(&line, 10)), Err(JournalError::Full));
    assert_eq!(append(&store, said_in(&line, 10)), Err(JournalError::Full));
    append(&store, said_in(&other, 10)).unwrap();
    store.write(|writer| writer.leave_room(1000)).unwrap();
    assert_eq!(append(&store, said_in(&line, 10)), Err(JournalError::Full), "a line never goes on after a hole");
    append(&store, said_in(&Line::default(), 100_000)).unwrap();
    let sizes: Vec<usize> = sizes_of(&store);
    assert_eq!(sizes, [10, 100_000]);
    drop(store);
    assert_eq!(sizes_of(&folder.open()), sizes);
}

fn sizes_of(store: &Store) -> Vec<usize> {
    let events = store.session_events(&SessionId::from("c"), 1).unwrap();
    let texts = events.into_iter().filter_map(|event| match event.kind {
        EventKind::MessageReceived { text, .. } => Some(text.len()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn of_what_is_written_together_only_what_finds_no_room_is_lost() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    store.write(|writer| writer.leave_room(3)).unwrap();
    // They wait together behind something that takes its time.
    let (go_on, wait) = std::sync::mpsc::channel::<()>();
    let busy = std::thread::spawn({
        let store = Arc::clone(&store);
        move || store.write(move |_| Ok(wait.recv().is_ok()))
    });
    let line = Line::default();
    let together = [
        store.append(said_in(&Line::default(), 10), Durability::Committed),
        store.append(said_in(&line, 100_000), Durability::Committed),
        store.append(said_in(&line, 11), Durability::Synced),
        store.append(said_in(&Line::default(), 12), Durability::Synced),
    ];
    go_on.send(()).unwrap();
    busy.join().unwrap().unwrap();
    let told = together.map(block_on);
    assert_eq!(told, [Ok(()), Err(JournalError::Full), Err(JournalError::Full), Ok(())]);
    assert_eq!(sizes_of(&store), [10, 12]);
}

#[test]
fn a_conflict_that_nobody_waited_for_ends_its_line_and_one_that_was_waited_for_does_not() {
    let folder = Folder::new();
    let store = folder.open();
    started(&store, "c", "r", 1);
    let wrong = |line: &Line| Batch {
        line: line.clone(),
        ..events(vec![draft(in_run("c", "r", Some(0)), 20, call_ended("nowhere", Content::inline("x")))])
    };
    let line = Line::default();
    assert!(matches!(append(&store, wrong(&line)), Err(JournalError::Conflict(_))));
    append(&store, said_in(&line, 10)).unwrap();
    block_on(store.append(wrong(&line), Durability::Queued)).unwrap();
    assert!(matches!(append(&store, said_in(&line, 11)), Err(JournalError::Conflict(_))));
    assert_eq!(sizes_of(&store), [10]);
}

#[test]
fn a_file_that_is_found_to_be_damaged_is_not_written_any_more() {
    let folder = filled();
    let store = folder.open();
    let path = folder.home.database();
    let mut bytes = std::fs::read(&path).unwrap();
    // Everything but the first page, which says what the file is.
    bytes[4096..].fill(0x5a);
    std::fs::write(&path, &bytes).unwrap();
    for text in ["one", "two"] {
        let told = append(&store, events(vec![draft(place("c"), 2, message(text))]));
        assert!(matches!(told, Err(JournalError::Damaged(_))), "{told:?}");
    }
    let told = store.set_setting("theme", None);
    assert!(matches!(told, Err(StoreError::Write(JournalError::Damaged(_)))), "{told:?}");
    drop(store);
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "it is left as it is");
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
    assert_eq!(append(&store, events(vec![draft(place("c"), 2, message(&text))])), Err(JournalError::Full));
    make_room();
    one(&store, place("c"), 4, message("there is room again"));
    let told = |store: &Store| {
        let events = store.session_events(&SessionId::from("c"), 0).unwrap();
        assert_eq!(events.len(), 2 + there);
        assert_eq!((&events[there].kind, &events[there + 1].kind), (&message("end"), &message("there is room again")));
    };
    told(&store);
    drop(store);
    told(&open(home));
}

/// Opens a file where there is no room for anything, and has it written once there is.
fn open_without_room(home: &Home, make_room: impl FnOnce()) {
    let store = open(home);
    let before = store.session_events(&SessionId::from("c"), 0).unwrap().len();
    let mut heard = store.subscribe();
    let say = || events(vec![draft(place("c"), 5, message("at last"))]);
    assert_eq!(append(&store, say()), Err(JournalError::Full));
    assert_eq!(store.session_events(&SessionId::from("c"), 0).unwrap().len(), before, "it can be read all the same");
    make_room();
    append(&store, say()).unwrap();
    assert_eq!(store.session_events(&SessionId::from("c"), 0).unwrap().len(), before + 1);
    assert_eq!(heard.blocking_recv().unwrap().kind, message("at last"));
}

/// The part of the next test that runs on a file system of its own.
#[test]
#[ignore = "started by another test"]
fn on_a_small_file_system() {
    let Some(folder) = std::env::var_os("ASSENT_TEST_MOUNT") else { return };
    let ballast = std::path::Path::new(&folder).join("ballast");
    std::fs::write(&ballast, vec![1; 8 << 20]).unwrap();
    let home = Home::at(std::path::Path::new(&folder).join("home")).unwrap();
    one(&open(&home), place("c"), 1, created("Chat"));
    fill(&home, || std::fs::remove_file(&ballast).unwrap());
    // The rest of the room, to the last byte.
    let mut rest = std::fs::File::create(&ballast).unwrap();
    while std::io::Write::write(&mut rest, &[1; 4096]).is_ok_and(|written| written > 0) {}
    drop(rest);
    open_without_room(&home, || std::fs::remove_file(&ballast).unwrap());
    println!("@passed");
}

/// Runs a test of this file on a file system of its own, mounted where `ASSENT_TEST_MOUNT` says; whether there can be
/// one.
fn on_a_file_system_of_its_own(test: &str, folder: &std::path::Path) -> bool {
    let script = r#"mount -t tmpfs -o size=16m tmpfs "$ASSENT_TEST_MOUNT" &&
        exec "$0" --exact --ignored --nocapture "$1""#;
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .arg(format!("store::tests::faults::{test}"))
        .env("ASSENT_TEST_MOUNT", folder)
        .output();
    let Some(output) = output.ok().filter(|output| String::from_utf8_lossy(&output.stdout).contains("running 1 test"))
    else {
        return false;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("@passed"), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

#[test]
fn a_full_disk_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    if on_a_file_system_of_its_own("on_a_small_file_system", folder.path()) {
        return;
    }
    missing("no file system can be mounted; the file's own limit stands in for the disk's");
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

/// Says what a test does without; where nothing may be left out, it fails.
fn missing(why: &str) {
    let strict = std::env::var_os("ASSENT_TEST_STRICT").is_some_and(|strict| strict == "1");
    assert!(!strict, "{why}");
    eprintln!("SKIPPED in part, because {why}");
}

fn mount(arguments: &[&str], place: &std::path::Path) {
    assert!(Command::new("mount").args(arguments).arg(place).status().unwrap().success());
}

/// The part of the next test that runs on a file system of its own.
#[test]
#[ignore = "started by another test"]
fn on_a_file_system_that_may_only_be_read() {
    let Some(folder) = std::env::var_os("ASSENT_TEST_MOUNT") else { return };
    let folder = std::path::Path::new(&folder);
    let home = Home::at(folder.join("home")).unwrap();
    one(&open(&home), place("c"), 1, created("Chat"));
    let bytes = std::fs::read(home.database()).unwrap();
    let refused = || {
        let error = open_error(&home);
        assert!(matches!(&error, StoreError::Folder { path, .. } if path.ends_with("assent.db")), "{error}");
        assert!(error.to_string().contains("may only be read"), "{error}");
        assert_eq!(std::fs::read(home.database()).unwrap(), bytes);
    };
    // The file alone, then everything around it too.
    let file = home.database();
    mount(&["--bind", file.to_str().unwrap()], &file);
    mount(&["-o", "remount,bind,ro"], &file);
    refused();
    assert!(Command::new("umount").arg(&file).status().unwrap().success());
    mount(&["-o", "remount,ro"], folder);
    refused();
    mount(&["-o", "remount,rw"], folder);
    let store = open(&home);
    one(&store, place("c"), 2, message("it may be written again"));
    assert_eq!(store.session_events(&SessionId::from("c"), 0).unwrap().len(), 2);
    println!("@passed");
}

#[test]
fn a_database_that_may_only_be_read_is_told_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    if on_a_file_system_of_its_own("on_a_file_system_that_may_only_be_read", folder.path()) {
        return;
    }
    missing("no file system can be mounted; the rights of the file stand in for its own");
    let folder = filled();
    let bytes = std::fs::read(folder.home.database()).unwrap();
    let mut rights = std::fs::metadata(folder.home.database()).unwrap().permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(folder.home.database(), rights).unwrap();
    if std::fs::OpenOptions::new().write(true).open(folder.home.database()).is_ok() {
        eprintln!("SKIPPED, because the administrator may write everything and no file system can be mounted");
        return;
    }
    assert!(open_error(&folder.home).to_string().contains("may only be read"));
    assert_eq!(std::fs::read(folder.home.database()).unwrap(), bytes);
}
