//! A person in front of a real terminal: a status line that comes and goes, questions at once, an editor.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::process::Stdio;

use crate::desk::{ASSENT, Desk};
use crate::replies::{MESSAGE, count_and_write, counting};

/// What the program writes to a terminal of its own while these lines are typed.
fn typed(desk: &Desk, arguments: &str, lines: &str) -> String {
    let command = format!("stty cols 100 -echo; {ASSENT} {arguments}");
    let mut child = desk
        .command("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .env("TERM", "xterm")
        .env("EDITOR", "sed -i s/notes/files/")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", desk.ran(ended).shown());
    String::from_utf8(ended.stdout).unwrap()
}

/// What is to be seen in the end: an erased line is not.
fn seen(written: &str) -> String {
    let line = |line: &str| line.rsplit("\r\u{1b}[2K").next().unwrap_or_default().to_owned();
    written.split("\r\n").map(line).collect::<Vec<_>>().join("\n")
}

fn desk() -> Desk {
    Desk::with([count_and_write()].into_iter().chain(counting()))
}

#[test]
fn a_status_line_says_what_is_going_on_and_is_gone_in_the_end() {
    let piped = desk().run(&["ask", "--approve", "never-ask", MESSAGE]).ends(0);
    assert!(!piped.raw.contains("planning…") && piped.err.is_empty(), "{}", piped.shown());
    let desk = desk();
    let written = typed(&desk, &format!("ask --color never --approve never-ask '{MESSAGE}'"), "");
    for status in ["planning…", "step 1 of 2: grep", "step 2 of 2: create_file"] {
        assert!(written.contains(status), "{status} is missing: {written:?}");
    }
    assert_eq!(desk.names.replace(&seen(&written)), piped.out);
}

#[test]
fn a_plan_is_edited_and_approved_where_it_is_shown() {
    let desk = desk();
    let written = typed(&desk, &format!("ask --color never '{MESSAGE}'"), "e\na go on\n");
    let seen = desk.names.replace(&seen(&written));
    assert!(seen.contains("Find the lines that contain \"berlin\" in all files"), "{seen}");
    assert!(seen.ends_with("\nThe numbers are in counts.md.\n\n"), "{seen}");
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt 2\n"));
    let approved = desk.events().into_iter().find(|event| event["kind"] == "plan_approved").unwrap();
    assert_eq!((&approved["plan"]["version"], &approved["note"]), (&2.into(), &"go on".into()));
}

#[test]
fn a_plan_that_is_left_for_later_waits() {
    let desk = desk();
    let command = format!("ask --color never '{MESSAGE}'; test $? = 2");
    let written = typed(&desk, &command, "l\n");
    assert!(seen(&written).contains("waits for your word: assent plan approve "), "{written:?}");
    assert_eq!(desk.file("counts.md"), None);
}
