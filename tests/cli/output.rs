//! What is printed: long texts whole, and what happens where nobody takes it.

use std::fs::OpenOptions;

use serde_json::json;

use crate::desk::{ASSENT, Desk};
use crate::replies::{MESSAGE, count_and_write, counting, plans};

#[test]
fn a_long_answer_is_told_whole_wherever_it_is_told() {
    let long = (1..=400).map(|line| format!("line {line} of the answer")).collect::<Vec<_>>().join("\n");
    let desk = Desk::with([plans(&json!({"title": "Long", "answer": long}))]);
    assert!(desk.run(&["ask", "tell me much"]).ends(0).out.contains(&long));
    let session = desk.run(&["sessions", "--json"]).ends(0).values()[0]["id"].as_str().unwrap().to_owned();
    let show = |more: &[&str]| desk.run(&[&["sessions", "show", &session][..], more].concat()).ends(0);
    assert!(show(&[]).out.contains(&long));
    let answer =
        |values: &[serde_json::Value]| values.iter().find(|event| event["kind"] == "answered").cloned().unwrap();
    assert_eq!(answer(&show(&["--json"]).values())["text"]["inline"], long);
    let text = |more: &[&str]| show(more).values().into_iter().find(|event| event["kind"] == "model_replied").unwrap();
    assert!(text(&["--json"])["text"]["preview"].is_string());
    assert!(text(&["--json", "--whole"])["text"]["inline"].as_str().unwrap().contains("line 400 of"));
    desk.run(&["sessions", "show", &session, "--whole"]).ends(64);
}

#[test]
fn a_call_of_ones_own_gives_the_whole_of_what_it_read() {
    let desk = Desk::new();
    let long: String = (1..=200).map(|line| format!("row {line}\n")).collect();
    desk.write("long.txt", &long);
    let read = desk.run(&["tools", "call", "read", r#"{"path": "long.txt"}"#]).ends(0);
    assert!(read.out.contains("row 1\n") && read.out.contains("row 200"), "{}", read.out);
}

#[test]
fn work_goes_on_when_its_reader_goes_away() {
    let desk = Desk::with([count_and_write()].into_iter().chain(counting()));
    let mut child = desk.command(ASSENT).args(["ask", "--approve", "never-ask", MESSAGE]).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(desk.running(None, child).end().code, Some(0));
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt 2\n"));
    let listed =
        desk.command("bash").args(["-c", "set -o pipefail; \"$0\" tools list | true", ASSENT]).output().unwrap();
    assert_eq!(desk.ran(listed).shown(), "exit 0\n");
}

#[test]
fn output_that_cannot_be_written_is_told_and_is_a_failure() {
    let desk = Desk::with([count_and_write()].into_iter().chain(counting()));
    let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
    let asked = desk.command(ASSENT).args(["ask", "--approve", "never-ask", MESSAGE]).stdout(full()).output().unwrap();
    let asked = desk.ran(asked);
    assert_eq!((asked.code, asked.err.contains("the output cannot be written")), (Some(1), true), "{}", asked.err);
    assert!(desk.file("counts.md").is_some(), "the work itself is done");
    let exported = desk.command(ASSENT).args(["plan", "export", &desk.plan()]).stdout(full()).output().unwrap();
    assert_eq!(desk.ran(exported).code, Some(1));
}
