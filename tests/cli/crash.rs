//! The process is killed in the middle, and what is done when it is carried on.

use assent_engine::model::scripted::Gate;
use assent_engine::store::{ListFilter, Plans as _, Requests as _, Sessions as _};
use assent_tests::sse::{Answer, Received};
use expect_test::expect;
use serde_json::{Value, json};

use crate::desk::{Desk, all};
use crate::pipe::{Pipe, STAYS};
use crate::replies::{MESSAGE, calls, count_and_write, counting, plans, says, says_behind};

#[test]
fn killed_while_the_planner_answers_the_message_is_planned_again() {
    let gate = Gate::default();
    let desk = Desk::with([says_behind(&gate, "never"), count_and_write()].into_iter().chain(counting()));
    let asked = desk.start(&["ask", MESSAGE]);
    desk.reached(&gate);
    let killed = asked.kill();
    expect![[r#"
        exit signal

        exit 0
        --- out
        ID1  just now                 How many lines mention Berlin? Write the numbers to…

        exit 2
        --- out
        Count Berlin ID2 v1  proposed

          1  s1   grep         Find the lines that contain "berlin" in all notes → counts
          2  s2   create_file  Write counts.md with the numbers → counts.md
                               after s1

          may read this folder   write counts.md   run commands: no   network: no
        --- err
        waits for your word: assent plan approve ID2   (or edit, reject)

        exit 0
        --- err
        nothing was interrupted

        exit 0
        --- out
          approved
        ● s1
            grep {"pattern":"berlin"}
            ✓ 0 ms
        ✓ s1 completed
        ● s2
            create_file {"path":"counts.md","content":"a.txt 2\n"}
            ✓ 0 ms
        ✓ s2 completed

        The numbers are in counts.md.

    "#]]
    .assert_eq(&all([
        killed,
        desk.run(&["sessions"]),
        desk.run(&["resume"]),
        desk.run(&["resume"]),
        desk.run(&["plan", "approve", &desk.plan()]),
    ]));
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt 2\n"));
}

/// One that cannot be taken up again ends, and everything else goes on.
#[test]
fn what_was_interrupted_in_a_folder_that_is_gone_keeps_nothing_else_from_going_on() {
    let gate = Gate::default();
    let other = Gate::default();
    let desk = Desk::with([
        says_behind(&gate, "never"),
        says_behind(&other, "never"),
        plans(&json!({"title": "A", "answer": "Here."})),
    ]);
    let gone = desk.user().join("gone");
    std::fs::create_dir_all(&gone).unwrap();
    let asked = desk.start(&["ask", "--workspace", gone.to_str().unwrap(), "What is in it?"]);
    desk.reached(&gate);
    asked.kill();
    let asked = desk.start(&["ask", "What is here?"]);
    desk.reached(&other);
    asked.kill();
    std::fs::remove_dir(&gone).unwrap();
    let resumed = desk.run(&["resume"]).ends(1);
    assert!(resumed.out.contains("Here."), "{}", resumed.shown());
    assert!(
        resumed.err.contains("gone cannot be used") && resumed.err.contains("put the folder back"),
        "{}",
        resumed.shown()
    );
    desk.run(&["resume"]).ends(0);
}

#[test]
fn killed_right_after_a_tool_ended_nothing_is_done_twice() {
    let gate = Gate::default();
    let desk = Desk::with([
        plans(&json!({"title": "Two", "steps": [
            {"tool": "create_file", "do": "Write one.txt", "expect": "one.txt"},
            {"tool": "create_file", "do": "Write two.txt", "expect": "two.txt"},
        ]})),
        calls("create_file", &json!({"path": "one.txt", "content": "1"})),
        says_behind(&gate, "never"),
        says("one.txt is written."),
        calls("create_file", &json!({"path": "two.txt", "content": "2"})),
        says("Both are written."),
    ]);
    let asked = desk.start(&["ask", "--approve", "never-ask", "Write one.txt and two.txt"]);
    desk.reached(&gate);
    let meanwhile = desk.run(&["sessions"]).ends(0);
    assert!(meanwhile.out.contains("under way") && meanwhile.err.is_empty(), "{}", meanwhile.shown());
    asked.kill();
    expect![[r#"
        exit 0
        --- out
        ID1  just now    interrupted  Write one.txt and two.txt
        --- err
        ID1 was interrupted: assent resume ID3 goes on

        exit 0
        --- out
        ✓ s1 completed
        ● s2
            create_file {"path":"two.txt","content":"2"}
            ✓ 0 ms
        ✓ s2 completed

        Both are written.


        exit 0
        --- out
        ID1  just now                 Write one.txt and two.txt
    "#]]
    .assert_eq(&all([desk.run(&["sessions"]), desk.run(&["resume"]), desk.run(&["sessions"])]));
    assert_eq!(desk.begun(), ["create_file", "create_file"]);
    assert_eq!((desk.file("one.txt").as_deref(), desk.file("two.txt").as_deref()), (Some("1"), Some("2")));
}

/// A plan whose first step is a command that does not end, killed while it runs.
fn killed_in_a_command() -> Desk {
    let desk = Desk::with([
        plans(&json!({"title": "Run it", "steps": [
            {"tool": "bash", "do": "Run the script", "expect": "it has run"},
            {"tool": "create_file", "do": "Write report.md", "expect": "report.md"},
        ]})),
        calls("bash", &json!({"command": STAYS})),
        says("It has run."),
        calls("create_file", &json!({"path": "report.md", "content": "ran\n"})),
        says("report.md is written."),
    ]);
    let pipe = Pipe::new(&desk);
    let asked = desk.start(&["ask", "--approve", "never-ask", "Run the script and write report.md"]);
    pipe.runs();
    asked.kill();
    pipe.is_gone();
    desk
}

/// The same, carried on: a person is asked what became of the command.
fn asked_what_became_of_a_command() -> (Desk, String) {
    let desk = killed_in_a_command();
    desk.run(&["resume"]).ends(2);
    let request = desk.requests().remove(0);
    (desk, request)
}

#[test]
fn killed_while_a_command_runs_a_person_is_asked_what_became_of_it() {
    let desk = killed_in_a_command();
    expect![[r#"
        exit 0
        --- out
        ID2  just now    interrupted  Run the script and write report.md
        --- err
        ID2 was interrupted: assent resume ID3 goes on

        exit 0
        --- err
        nothing waits for you

        exit 2
        --- out
        ? Did this happen? self s1
          bash was under way when Assent ended. Did it do its work?
          It is not made again without your word, because it may already have had its effect.
          bash
            {
              "command": "if [ -e ran.txt ]; then echo again >> ran.txt; else echo once > ran.txt; exec 3> pipe; echo here >&3; sleep 600; fi"
            }
          $ if [ -e ran.txt ]; then echo again >> ran.txt; else echo once > ran.txt; exec 3> pipe; echo here >&3; sleep 600; fi
          1  done: The step goes on as if the call had succeeded.
          2  run again: The call is made once more with the same arguments.
          3  skip: The step is left out, and the steps that build on it too.
        --- err
        waits for your answer: assent answer ID4 --option 1   (or 2, 3)

        exit 0
        --- err
        nothing was interrupted
        1 waiting for your answer: assent requests

        exit 0
        --- out
        ID4  session ID2
        ? Did this happen? self s1
          bash was under way when Assent ended. Did it do its work?
          It is not made again without your word, because it may already have had its effect.
          bash
            {
              "command": "if [ -e ran.txt ]; then echo again >> ran.txt; else echo once > ran.txt; exec 3> pipe; echo here >&3; sleep 600; fi"
            }
          $ if [ -e ran.txt ]; then echo again >> ran.txt; else echo once > ran.txt; exec 3> pipe; echo here >&3; sleep 600; fi
          1  done: The step goes on as if the call had succeeded.
          2  run again: The call is made once more with the same arguments.
          3  skip: The step is left out, and the steps that build on it too.
          assent answer ID4 --option 1   (or 2, 3)
    "#]].assert_eq(&all([
        desk.run(&["sessions"]),
        desk.run(&["requests"]),
        desk.run(&["resume"]),
        desk.run(&["resume"]),
        desk.run(&["requests"]),
    ]));
    assert_eq!((desk.begun(), desk.file("ran.txt").as_deref()), (vec!["bash".to_owned()], Some("once\n")));
}

#[test]
fn a_command_of_unknown_outcome_counts_as_done_when_a_person_says_so() {
    let (desk, request) = asked_what_became_of_a_command();
    expect![[r#"
        exit 1
        --- err
        assent: the answer has to be one of: done, run again, skip

        exit 0
        --- out
            ✓ A person says that this was done.
        ✓ s1 completed
        ● s2
            create_file {"path":"report.md","content":"ran\n"}
            ✓ 0 ms
        ✓ s2 completed

        report.md is written.

    "#]]
    .assert_eq(&all([desk.run(&["answer", &request, "--approve"]), desk.run(&["answer", &request, "--option", "1"])]));
    assert_eq!((desk.file("ran.txt").as_deref(), desk.file("report.md").as_deref()), (Some("once\n"), Some("ran\n")));
    assert_eq!(desk.begun(), ["bash", "create_file"]);
}

#[test]
fn a_command_of_unknown_outcome_is_run_again_on_a_persons_word() {
    let (desk, request) = asked_what_became_of_a_command();
    expect![[r#"
        exit 0
        --- out
            ✓ 0 ms
        ✓ s1 completed
        ● s2
            create_file {"path":"report.md","content":"ran\n"}
            ✓ 0 ms
        ✓ s2 completed

        report.md is written.

    "#]]
    .assert_eq(&desk.run(&["answer", &request, "--option", "2"]).shown());
    assert_eq!(
        (desk.file("ran.txt").as_deref(), desk.file("report.md").as_deref()),
        (Some("once\nagain\n"), Some("ran\n"))
    );
    assert_eq!(desk.begun(), ["bash", "bash", "create_file"]);
}

#[test]
fn a_command_of_unknown_outcome_is_left_out_with_what_builds_on_it() {
    let (desk, request) = asked_what_became_of_a_command();
    expect![[r#"
        exit 0
        --- out
        – s1 skipped: left out by a person, its outcome being unknown
        – s2 skipped: step s1 was skipped
    "#]]
    .assert_eq(&desk.run(&["answer", &request, "--option", "3"]).shown());
    assert_eq!((desk.file("ran.txt").as_deref(), desk.file("report.md")), (Some("once\n"), None));
}

#[test]
fn a_run_that_another_process_carries_on_is_left_to_it() {
    let gate = Gate::default();
    let desk = Desk::with([
        plans(&json!({"title": "One", "steps": [{"tool": "create_file", "do": "Write one.txt", "expect": "one.txt"}]})),
        calls("create_file", &json!({"path": "one.txt", "content": "1"})),
        says_behind(&gate, "one.txt is written."),
    ]);
    let asked = desk.start(&["ask", "--approve", "never-ask", "Write one.txt"]);
    desk.reached(&gate);
    let other = desk.run(&["resume"]);
    gate.open();
    assert_eq!(asked.end().ends(0).out.lines().last(), Some(""));
    expect![[r#"
        exit 0
        --- err
        another window or command carries run ID1 on
    "#]]
    .assert_eq(&other.shown());
    assert_eq!(desk.begun(), ["create_file"]);
}

#[test]
fn of_two_answers_at_the_same_moment_one_is_taken() {
    let desk = Desk::with([
        plans(&json!({"title": "Ask", "steps": [
            {"tool": "ask_user", "do": "Ask for the name", "expect": "a name"},
            {"tool": "create_file", "do": "Write name.txt", "expect": "name.txt"},
        ]})),
        calls("ask_user", &json!({"question": "Which name?"})),
        says("Thank you."),
        calls("create_file", &json!({"path": "name.txt", "content": "x"})),
        says("Written."),
    ]);
    desk.run(&["ask", "--approve", "never-ask", "Write my name to name.txt"]).ends(2);
    let request = desk.requests().remove(0);
    let both = ["Ada", "Bob"].map(|name| desk.start(&["answer", &request, "--text", name]));
    let mut codes = both.map(|one| one.end().code);
    codes.sort();
    assert_eq!(codes, [Some(0), Some(1)]);
    assert_eq!(desk.begun(), ["ask_user", "create_file"]);
    let said = desk.events().into_iter().filter(|event| event["kind"] == "message_received").count();
    assert_eq!(said, 2, "the message and one answer");
}

/// A model that does its work whenever it is asked: writes the two files of the plan, each in its step.
fn worker(request: &Received) -> Answer {
    let body = &request.body;
    let messages = body["messages"].as_array().unwrap();
    if body.get("response_format").is_some() {
        return plans(&json!({"title": "Two", "steps": [
            {"tool": "create_file", "do": "Write one.txt", "expect": "one.txt"},
            {"tool": "create_file", "do": "Write two.txt", "expect": "two.txt"},
        ]}));
    }
    if messages.last().is_some_and(|last| last["role"] == "tool") {
        return says("It is written.");
    }
    let second = messages.iter().any(|message| message.to_string().contains("Your step now: Write two.txt"));
    let path = if second { "two.txt" } else { "one.txt" };
    calls("create_file", &json!({"path": path, "content": path}))
}

fn count(events: &[Value], kind: &str) -> usize {
    events.iter().filter(|event| event["kind"] == kind).count()
}

#[test]
fn killed_after_any_event_everything_is_done_in_the_end_and_no_step_twice() {
    let ask = ["ask", "--json", "--approve", "never-ask", "Write one.txt and two.txt"];
    let mut first = Desk::new();
    first.serve_by(worker);
    let whole = first.twin().run(&ask).ends(0).kinds().len();
    assert!(whole > 20, "{whole} events");
    for events in 1..whole {
        let desk = first.twin();
        let mut asked = desk.start(&ask);
        asked.lines(events);
        asked.kill();
        carry_on(&desk);
        let done = history(&desk);
        assert_eq!(desk.file("one.txt").as_deref(), Some("one.txt"), "killed after {events} events: {done:#?}");
        assert_eq!(desk.file("two.txt").as_deref(), Some("two.txt"), "killed after {events} events");
        let completed = done.iter().filter(|event| event["kind"] == "step_ended" && event["status"] == "completed");
        assert_eq!(completed.count(), 2, "killed after {events} events");
        for (kind, number) in [("message_received", 1), ("plan_proposed", 1), ("run_queued", 1), ("run_ended", 1)] {
            assert_eq!(count(&done, kind), number, "{kind}, killed after {events} events");
        }
        assert_eq!(count(&done, "answered"), 1, "killed after {events} events: {done:#?}");
    }
}

/// The events of the only session.
fn history(desk: &Desk) -> Vec<Value> {
    let store = desk.store();
    let session = store.sessions(&ListFilter::default()).unwrap().remove(0);
    let events = store.session_events(&session.id, 0).unwrap();
    events.iter().map(|event| serde_json::to_value(event).unwrap()).collect()
}

/// What a person does who finds an interrupted turn.
fn carry_on(desk: &Desk) {
    desk.run(&["resume"]);
    let plan = || desk.store().plans(None).unwrap().remove(0).id.to_string();
    let done = history(desk);
    if count(&done, "plan_approved") == 0 {
        desk.run(&["plan", "approve", &plan()]).ends(0);
    } else if count(&done, "run_queued") == 0 {
        desk.run(&["plan", "run", &plan()]).ends(0);
    }
    let open = desk.store().open_requests().unwrap();
    for row in open {
        desk.run(&["answer", row.request.id.as_str(), "--option", "2"]);
    }
}
