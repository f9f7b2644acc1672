//! Ctrl-C: what is being done stops, and how it stands is definite.

use std::process::Stdio;

use assent_engine::model::scripted::Gate;
use expect_test::expect;
use serde_json::json;

use crate::desk::{ASSENT, Desk, all};
use crate::pipe::{Pipe, STAYS};
use crate::replies::{MESSAGE, calls, count_and_write, plans, says, says_behind};

#[test]
fn planning_is_stopped() {
    let gate = Gate::default();
    let desk = Desk::with([says_behind(&gate, "never")]);
    let asked = desk.start(&["ask", MESSAGE]);
    desk.reached(&gate);
    asked.interrupt();
    expect![[r#"
        exit 1

        exit 0
        --- out
        ID1  just now                 How many lines mention Berlin? Write the numbers to…

        exit 0
        --- err
        nothing was interrupted
    "#]]
    .assert_eq(&all([asked.end(), desk.run(&["sessions"]), desk.run(&["resume"])]));
    let events = desk.events();
    let last = events.last().unwrap();
    assert_eq!((&last["kind"], &last["status"]), (&json!("turn_ended"), &json!("cancelled")));
}

#[test]
fn a_step_is_stopped_and_what_was_completed_before_it_stays() {
    let gate = Gate::default();
    let desk = Desk::with([
        count_and_write(),
        calls("grep", &json!({"pattern": "berlin"})),
        says("two files searched"),
        says_behind(&gate, "never"),
    ]);
    let asked = desk.start(&["ask", "--approve", "never-ask", MESSAGE]);
    desk.reached(&gate);
    asked.interrupt();
    expect![[r#"
        exit 1
        --- out
        Count Berlin ID1 v1  proposed

          1  s1   grep         Find the lines that contain "berlin" in all notes → counts
          2  s2   create_file  Write counts.md with the numbers → counts.md
                               after s1

          may read this folder   write counts.md   run commands: no   network: no
          approved by your policy
        ● s1
            grep {"pattern":"berlin"}
            ✓ 0 ms
        ✓ s1 completed
        ● s2
        – s2 cancelled: the run was stopped

        exit 0
        --- out
        ID2  just now    stopped      How many lines mention Berlin? Write the numbers to…

        exit 0
        --- err
        nothing was interrupted
    "#]]
    .assert_eq(&all([asked.end(), desk.run(&["sessions"]), desk.run(&["resume"])]));
    assert_eq!(desk.file("counts.md"), None);
}

#[test]
fn a_command_is_ended_with_everything_that_it_started() {
    let desk = Desk::with([
        plans(&json!({"title": "Run it", "steps": [{"tool": "bash", "do": "Run the script", "expect": "it has run"}]})),
        calls("bash", &json!({"command": STAYS})),
        says("It has run."),
    ]);
    let pipe = Pipe::new(&desk);
    let asked = desk.start(&["ask", "--approve", "never-ask", "Run the script"]);
    pipe.runs();
    asked.interrupt();
    pipe.is_gone();
    expect![[r#"
        exit 1
        --- out
        Run it ID1 v1  proposed

          1  s1   bash  Run the script → it has run

          may read this folder   write this folder   run commands: in the sandbox   network: no
          approved by your policy
        ● s1
            bash {"command":"if [ -e ran.txt ]; then echo again >> ran.txt; else echo once > ran.txt; exec…
            ✗ stopped by a person while it ran; it may have done a part
        – s1 cancelled: the run was stopped

        exit 0
        --- err
        nothing was interrupted

        exit 0
        --- err
        nothing waits for you
    "#]]
    .assert_eq(&all([asked.end(), desk.run(&["resume"]), desk.run(&["requests"])]));
    let ended: Vec<_> = desk.events().into_iter().filter(|event| event["kind"] == "call_ended").collect();
    assert_eq!(ended.len(), 1, "the call has an end");
}

#[test]
fn where_nothing_is_done_the_program_ends() {
    let desk = Desk::new();
    let mut child = desk.command(ASSENT).arg("chat").stdin(Stdio::piped()).spawn().unwrap();
    let mut chat = desk.running(child.stdin.take(), child);
    // When this is answered, nothing is done any more.
    chat.say("/frobnicate\n");
    assert_eq!(chat.complaint(), "there is no /frobnicate; /help lists what there is\n");
    chat.interrupt();
    assert_eq!(chat.end().code, Some(130));
}
