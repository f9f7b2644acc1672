//! Several processes on one data folder, and processes that are killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use assent_core::ids::SessionId;
use assent_core::run::RequestKind;

use super::*;
use crate::store::{Changes as _, Requests as _, RunLocks, Runs as _, Sessions as _};

/// Another process that does one of the things of [`child`].
struct Other {
    process: Child,
    said: std::io::Lines<BufReader<ChildStdout>>,
}

impl Other {
    fn start(role: &str, home: &Home) -> Self {
        Self::started_by(&mut Command::new(std::env::current_exe().unwrap()), role, home)
    }

    /// One that lives on when a file may not grow.
    fn ignoring_limits(role: &str, home: &Home) -> Self {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(std::env::current_exe().unwrap());
        Self::started_by(&mut shell, role, home)
    }

    fn started_by(command: &mut Command, role: &str, home: &Home) -> Self {
        let mut process = command
            .args(["--exact", "--ignored", "--nocapture", "store::tests::processes::child"])
            .env("ASSENT_TEST_ROLE", role)
            .env("ASSENT_TEST_HOME", home.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, said }
    }

    /// What it says next, of what begins with `@`.
    fn hear(&mut self) -> Option<String> {
        let said = self.said.by_ref().map_while(Result::ok);
        said.filter_map(|line| line.find('@').map(|at| line[at + 1..].to_owned())).next()
    }

    fn end(&mut self) {
        assert!(self.process.wait().unwrap().success());
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn say(text: &str) {
    println!("@{text}");
    std::io::stdout().flush().unwrap();
}

#[test]
#[ignore = "started by other tests as a process of its own"]
fn child() {
    let Ok(role) = std::env::var("ASSENT_TEST_ROLE") else { return };
    let home = Home::at(std::env::var_os("ASSENT_TEST_HOME").unwrap()).unwrap();
    let (role, detail) = role.split_once(' ').unwrap_or((&role, ""));
    match role {
        "write" => {
            let store = open(&home);
            for number in 0.. {
                one(&store, place("c"), 2, message(&format!("{detail}{number}")));
                say(&number.to_string());
            }
        }
        "write-some" => {
            let store = open(&home);
            (0..200).for_each(|number| one(&store, place("c"), 2, message(&format!("{detail}{number}"))));
        }
        "answer" => {
            let batch = events(vec![draft(in_run("c", "r", Some(0)), 30, said("q1", detail))]);
            let answered = append(&open(&home), batch);
            say(if answered.is_ok() { "taken" } else { "refused" });
            if let Err(error) = answered {
                assert!(matches!(error, JournalError::Conflict(_)), "{error}");
            }
        }
        "lock" => {
            let guard = RunLocks::new(&home).try_lock(&RunId::from("r")).unwrap();
            say(if guard.is_some() { "held" } else { "not held" });
            std::io::stdin().read_line(&mut String::new()).unwrap();
        }
        "outgrow" => outgrow(&home),
        "delete" => open(&home).delete_session(&SessionId::from("c")).unwrap(),
        other => panic!("no role {other}"),
    }
}

/// Writes until a file may not grow any more, which the database tells as a broken disk; then goes on.
fn outgrow(home: &Home) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let before = getrlimit(Resource::Fsize);
    let store = open(home);
    one(&store, place("c"), 2, message("before"));
    let log = std::fs::metadata(home.root().join("assent.db-wal")).unwrap().len();
    setrlimit(Resource::Fsize, Rlimit { current: Some(log + 8192), ..before }).unwrap();
    let big = || events(vec![draft(place("c"), 2, message(&"x".repeat(100_000)))]);
    for _ in 0..2 {
        let refused = append(&store, big());
        assert!(matches!(refused, Err(JournalError::Other(_))), "{refused:?}");
    }
    setrlimit(Resource::Fsize, before).unwrap();
    append(&store, big()).unwrap();
    one(&store, place("c"), 3, message("after"));
    say("written");
}

#[test]
fn a_disk_that_broke_for_a_while_is_written_again_by_the_same_process() {
    let folder = Folder::new();
    one(&folder.open(), place("c"), 1, created("Chat"));
    let mut other = Other::ignoring_limits("outgrow", &folder.home);
    assert_eq!(other.hear().as_deref(), Some("written"));
    other.end();
    let events = folder.open().session_events(&SessionId::from("c"), 1).unwrap();
    assert_eq!(events.len(), 3);
    assert_eq!((&events[0].kind, &events[2].kind), (&message("before"), &message("after")));
}

#[test]
fn everything_acknowledged_survives_a_kill() {
    let folder = Folder::new();
    one(&folder.open(), place("c"), 1, created("Chat"));
    let mut other = Other::start("write ", &folder.home);
    let mut acknowledged: Vec<String> = (0..300).map(|_| other.hear().unwrap()).collect();
    other.process.kill().unwrap();
    while let Some(more) = other.hear() {
        acknowledged.push(more);
    }
    let store = folder.open();
    let there: Vec<_> = store.session_events(&SessionId::from("c"), 1).unwrap();
    let texts: Vec<_> = there.iter().map(|event| event.kind.clone()).collect();
    assert!(texts.len() >= acknowledged.len());
    assert_eq!(texts, (0..texts.len()).map(|number| message(&number.to_string())).collect::<Vec<_>>());
    one(&store, place("c"), 3, message("it goes on"));
}

#[test]
fn processes_write_side_by_side_without_losing_or_mixing_up_anything() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    let mut others: Vec<Other> =
        ["a", "b", "d"].iter().map(|name| Other::start(&format!("write-some {name}"), &folder.home)).collect();
    (0..200).for_each(|number| one(&store, place("c"), 2, message(&format!("e{number}"))));
    others.iter_mut().for_each(Other::end);
    let there = store.session_events(&SessionId::from("c"), 1).unwrap();
    for name in ["a", "b", "d", "e"] {
        let of_one: Vec<_> = there
            .iter()
            .filter(|event| matches!(&event.kind, EventKind::MessageReceived { text, .. } if text.starts_with(name)))
            .map(|event| event.kind.clone())
            .collect();
        assert_eq!(of_one, (0..200).map(|number| message(&format!("{name}{number}"))).collect::<Vec<_>>());
    }
    assert_eq!(there.len(), 800);
    assert_eq!(there.iter().map(|event| event.seq).collect::<Vec<_>>(), (2..802).collect::<Vec<_>>());
}

#[test]
fn of_several_processes_one_answers_and_the_run_goes_on_where_it_waits() {
    let folder = Folder::new();
    let store = folder.open();
    started(&store, "c", "r", 2);
    one(&store, in_run("c", "r", Some(0)), 20, step_started(1));
    one(&store, in_run("c", "r", Some(0)), 21, asked("q1", RequestKind::Question));
    let mut heard = store.subscribe();
    let mut others: Vec<Other> =
        ["one", "two", "three"].iter().map(|text| Other::start(&format!("answer {text}"), &folder.home)).collect();
    let said: Vec<String> = others.iter_mut().map(|other| other.hear().unwrap()).collect();
    others.iter_mut().for_each(Other::end);
    assert_eq!(said.iter().filter(|said| *said == "taken").count(), 1, "{said:?}");

    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let told = runtime.block_on(async { tokio::time::timeout(Duration::from_secs(20), heard.recv()).await });
    let told = told.unwrap().unwrap();
    assert!(matches!(told.kind, EventKind::RequestAnswered { .. }), "{told:?}");
    assert!(store.request("q1").unwrap().answer.is_some());
    // The folded run in this process's memory takes the other's answer in before it goes on.
    one(&store, in_run("c", "r", Some(0)), 40, step_ended(StepStatus::Completed));
    append(&store, events(whole_step("c", "r", 1, 41))).unwrap();
    one(&store, in_run("c", "r", None), 42, run_ended(RunStatus::Completed));
    let run = store.run(&RunId::from("r")).unwrap();
    assert_eq!((run.status, run.completed), (RunStatus::Completed, 2));
    assert_eq!(store.session("c").unwrap().open_requests, 0);
}

#[test]
fn a_run_belongs_to_one_process_until_it_dies() {
    let folder = Folder::new();
    let locks = RunLocks::new(&folder.home);
    let mut other = Other::start("lock", &folder.home);
    assert_eq!(other.hear().unwrap(), "held");
    assert!(locks.try_lock(&RunId::from("r")).unwrap().is_none());
    other.process.kill().unwrap();
    other.process.wait().unwrap();
    assert!(locks.try_lock(&RunId::from("r")).unwrap().is_some());
}

#[test]
fn nothing_is_written_into_a_session_that_another_process_removed() {
    let folder = Folder::new();
    let store = folder.open();
    started(&store, "c", "r", 1);
    Other::start("delete", &folder.home).end();
    let late = append(&store, events(vec![draft(in_run("c", "r", Some(0)), 20, step_started(1))]));
    assert_eq!(late, Err(JournalError::Conflict("there is no session c".into())));
    one(&store, place("d"), 21, created("Another"));
}

/// How many locks this process has on a file, as the system counts them.
#[cfg(target_os = "linux")]
fn locks_on(file: &std::path::Path) -> usize {
    let number = std::os::unix::fs::MetadataExt::ino(&file.metadata().unwrap());
    let (own, file) = (std::process::id().to_string(), format!(":{number}"));
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    let words = locks.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.filter(|words| words.contains(&own.as_str()) && words.iter().any(|word| word.ends_with(&file))).count()
}

#[cfg(target_os = "linux")]
#[test]
fn who_opens_a_file_once_more_takes_no_locks_from_whoever_has_it_open() {
    let folder = Folder::new();
    let store = folder.open();
    let held = locks_on(&folder.home.database());
    assert!(held > 0);
    let other = folder.open();
    assert!(locks_on(&folder.home.database()) >= held);
    drop(other);
    assert!(locks_on(&folder.home.database()) > 0);
    drop(store);
    assert_eq!(locks_on(&folder.home.database()), 0);
}
