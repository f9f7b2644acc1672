//! What only a person can settle: asked, listed, answered once, carried on.

use assent_tests::sse::Answer;
use expect_test::expect;
use serde_json::{Value, json};

use crate::desk::{Desk, all};
use crate::replies::{calls, plans, says};

fn which_city() -> Vec<Answer> {
    vec![
        plans(&json!({"title": "Ask", "steps": [
            {"tool": "ask_user", "do": "Ask which city is meant", "expect": "a city"},
            {"tool": "grep", "do": "Find the lines with that city", "expect": "counts"},
        ]})),
        calls(
            "ask_user",
            &json!({"question": "Which city?", "options": ["Berlin", "Hamburg"], "reason": "Two are there."}),
        ),
        says("Berlin it is."),
        calls("grep", &json!({"pattern": "Berlin"})),
        says("There are 2."),
    ]
}

fn confirm(arguments: Value) -> Vec<Answer> {
    vec![
        plans(&json!({"title": "Overwrite", "steps": [
            {"tool": "displayConfirmation", "do": "Ask before b.txt is overwritten", "expect": "a yes"},
            {"tool": "create_file", "do": "Write new.txt", "expect": "new.txt"},
        ]})),
        calls("displayConfirmation", &arguments),
        says("You said yes."),
        calls("create_file", &json!({"path": "new.txt", "content": "new\n"})),
        says("It is written."),
    ]
}

// covers: H23 H24
#[test]
fn a_question_waits_and_its_option_is_the_answer_with_which_the_run_goes_on() {
    let desk = Desk::with(which_city());
    let asked = desk.run(&["ask", "--approve", "never-ask", "Count the lines about the city"]);
    let listed = desk.run(&["requests"]);
    let request = desk.requests().remove(0);
    expect![[r#"
        exit 2
        --- out
        Ask ID1 v1  proposed

          1  s1   ask_user  Ask which city is meant → a city
          2  s2   grep      Find the lines with that city → counts
                            after s1

          may read this folder   write nothing   run commands: no   network: no
          approved by your policy
        ● s1
            ask_user {"question":"Which city?","options":["Berlin","Hamburg"],"reason":"Two are there."}
        ? Question self s1
          Which city?
          Two are there.
          1  Berlin
          2  Hamburg
        --- err
        waits for your answer: assent answer ID2 --option 1   (or 2)

        exit 0
        --- out
        ID2  session ID3
        ? Question self s1
          Which city?
          Two are there.
          1  Berlin
          2  Hamburg
          assent answer ID2 --option 1   (or 2)

        exit 0
        --- out
        ID3  just now    1 question   Count the lines about the city

        exit 0
        --- err
        nothing was interrupted
        1 waiting for your answer: assent requests

        exit 1
        --- err
        assent: there are 2 options, and "3" is none of them: 1 Berlin, 2 Hamburg

        exit 0
        --- out
            ✓ Berlin
        ✓ s1 completed
        ● s2
            grep {"pattern":"Berlin"}
            ✓ 0 ms
        ✓ s2 completed

        There are 2.


        exit 1
        --- err
        assent: request ID2 is already answered

        exit 0
        --- err
        nothing was interrupted

        exit 0
        --- err
        nothing waits for you
    "#]]
    .assert_eq(&all([
        asked,
        listed,
        desk.run(&["sessions"]),
        desk.run(&["resume"]),
        desk.run(&["answer", &request, "--option", "3"]),
        desk.run(&["answer", &request, "--option", "1"]),
        desk.run(&["answer", &request, "--text", "Hamburg"]),
        desk.run(&["resume"]),
        desk.run(&["requests"]),
    ]));
    let said = desk.events().into_iter().filter(|event| event["kind"] == "message_received");
    let unknown = desk.run(&["resume", "nope"]).ends(1);
    assert!(unknown.err.contains("no run that begins with \"nope\" can be carried on"), "{}", unknown.err);
    let said: Vec<Value> = said.map(|event| event["text"].clone()).collect();
    assert_eq!(said, ["Count the lines about the city", "Berlin"], "the refused answer is no message");
}

#[test]
fn an_answer_that_was_only_written_down_is_carried_on_later() {
    let desk = Desk::with(which_city());
    desk.run(&["ask", "--approve", "never-ask", "Count the lines about the city"]).ends(2);
    let request = desk.requests().remove(0);
    expect![[r#"
        exit 0
        --- err
        written down; assent resume carries the run on

        exit 1
        --- err
        assent: request ID2 is already answered

        exit 0
        --- out
            ✓ the one in a.txt
        ✓ s1 completed
        ● s2
            grep {"pattern":"Berlin"}
            ✓ 0 ms
        ✓ s2 completed

        There are 2.

    "#]]
    .assert_eq(&all([
        desk.run(&["answer", &request, "--text", "the one in a.txt", "--record-only"]),
        desk.run(&["answer", &request, "--text", "another", "--record-only"]),
        desk.run(&["resume"]),
    ]));
    let recorded = Desk::with(which_city());
    recorded.run(&["ask", "--approve", "never-ask", "Count the lines about the city"]).ends(2);
    let request = recorded.requests().remove(0);
    let written = recorded.run(&["--json", "answer", &request, "--option", "2", "--record-only"]).ends(0);
    assert_eq!(written.kinds(), ["message_received", "request_answered"]);
}

#[test]
fn a_confirmation_is_given() {
    let desk = Desk::with(confirm(json!({"action": "Overwrite b.txt", "details": "1 line is lost"})));
    let asked = desk.run(&["ask", "--approve", "never-ask", "Overwrite b.txt"]);
    let request = desk.requests().remove(0);
    expect![[r#"
        exit 2
        --- out
        Overwrite ID1 v1  proposed

          1  s1   displayConfirmation  Ask before b.txt is overwritten → a yes
          2  s2   create_file          Write new.txt → new.txt
                                       after s1

          may read nothing   write b.txt, new.txt   run commands: no   network: no
          approved by your policy
        ● s1
            displayConfirmation {"action":"Overwrite b.txt","details":"1 line is lost"}
        ? Please confirm self s1
          Please confirm: Overwrite b.txt
          1 line is lost
          displayConfirmation
            {
              "action": "Overwrite b.txt",
              "details": "1 line is lost"
            }
        --- err
        waits for your answer: assent answer ID2 --approve   (or --reject)

        exit 1
        --- err
        assent: the answer has to be approve or reject

        exit 0
        --- out
            ✓ approved
        ✓ s1 completed
        ● s2
            create_file {"path":"new.txt","content":"new\n"}
            ✓ 0 ms
        ✓ s2 completed

        It is written.


        exit 1
        --- err
        assent: request ID2 is already answered
    "#]]
    .assert_eq(&all([
        asked,
        desk.run(&["answer", &request, "--text", "perhaps"]),
        desk.run(&["answer", &request, "--approve"]),
        desk.run(&["answer", &request, "--reject"]),
    ]));
    assert_eq!(desk.file("new.txt").as_deref(), Some("new\n"));
}

#[test]
fn a_confirmation_is_refused_and_nothing_after_it_has_effects() {
    let desk = Desk::with(confirm(json!({"action": "Overwrite b.txt"})));
    desk.run(&["ask", "--approve", "never-ask", "Overwrite b.txt"]).ends(2);
    let request = desk.requests().remove(0);
    let refused = desk.run(&["answer", &request, "--reject", "--reason", "I still need it"]);
    expect![[r#"
        exit 0
        --- out
        – s1 cancelled: refused by a person: I still need it
        – s2 skipped: step s1 was cancelled
    "#]]
    .assert_eq(&refused.shown());
    assert_eq!((desk.file("new.txt"), desk.file("b.txt").as_deref()), (None, Some("Hamburg\n")));
}

/// A file that the plan does not name is written only with permission.
fn elsewhere() -> Vec<Answer> {
    vec![
        plans(
            &json!({"title": "Note", "steps": [{"tool": "create_file", "do": "Write notes.md", "expect": "notes.md"}]}),
        ),
        calls("create_file", &json!({"path": "other.md", "content": "x\n"})),
        says("It is written."),
    ]
}

#[test]
fn a_call_that_the_plan_does_not_cover_asks_and_runs_once_with_the_arguments_that_were_allowed() {
    let desk = Desk::with(elsewhere());
    let asked = desk.run(&["ask", "--approve", "never-ask", "Write notes.md"]);
    let request = desk.requests().remove(0);
    expect![[r#"
        exit 2
        --- out
        Note ID1 v1  proposed

          1  s1   create_file  Write notes.md → notes.md

          may read nothing   write notes.md   run commands: no   network: no
          approved by your policy
        ● s1
            create_file {"path":"other.md","content":"x\n"}
        ? May this run? self s1
          Allow create_file in step s1?
          The approved plan does not let this step write other.md.
          create_file
            {
              "path": "other.md",
              "content": "x\n",
              "create_dirs": true
            }
          makes other.md   seen b7c339a5d399
          + x
        --- err
        waits for your answer: assent answer ID2 --approve --seen b7c339a5d399   (--for run: in this whole run; or --reject)

        exit 1
        --- err
        assent: the changed arguments do not fit: 'content' is a required property (Please provide all required fields: content)

        exit 1
        --- err
        assent: the changed arguments do not fit: path outside workspace: ../out.md. Use a path relative to the workspace, such as notes.md

        exit 0
        --- out
            ✓ 0 ms
        ✓ s1 completed

        It is written.

    "#]].assert_eq(&all([
        asked,
        desk.run(&["answer", &request, "--arguments", r#"{"path": 7}"#]),
        desk.run(&["answer", &request, "--arguments", r#"{"path": "../out.md", "content": "y\n"}"#]),
        desk.run(&["answer", &request, "--arguments", r#"{"path": "notes.md", "content": "y\n"}"#]),
    ]));
    assert_eq!((desk.file("other.md"), desk.file("notes.md").as_deref()), (None, Some("y\n")));
    assert_eq!(desk.begun(), ["create_file"]);
}

#[test]
fn what_nobody_has_asked_or_what_waits_no_longer_cannot_be_answered() {
    let mut answers = elsewhere();
    answers.insert(2, calls("create_file", &json!({"path": "notes.md", "content": "x\n"})));
    let desk = Desk::with(answers);
    desk.run(&["ask", "--approve", "never-ask", "Write notes.md"]).ends(2);
    let request = desk.requests().remove(0);
    let plan = desk.plan();
    desk.run(&["plan", "edit", &plan, "--describe", "s1", "Write notes.md anew"]).ends(0);
    desk.run(&["plan", "approve", &plan]).ends(0);
    assert_eq!(desk.file("notes.md").as_deref(), Some("x\n"));
    let before = desk.events().len();
    expect![[r#"
        exit 1
        --- err
        assent: request ID2 is already cancelled

        exit 1
        --- err
        assent: request ID2 is already cancelled

        exit 1
        --- err
        assent: request ID2 is already cancelled

        exit 1
        --- err
        assent: there is no request nope; see: assent requests
    "#]]
    .assert_eq(&all([
        desk.run(&["answer", &request, "--approve"]),
        desk.run(&["answer", &request, "--reject"]),
        desk.run(&["answer", &request, "--approve", "--record-only"]),
        desk.run(&["answer", "nope", "--approve"]),
    ]));
    assert_eq!((desk.events().len(), desk.file("other.md")), (before, None), "nothing is written");
}

#[test]
fn a_call_that_is_not_allowed_is_not_made() {
    let desk = Desk::with(elsewhere());
    desk.run(&["ask", "--approve", "never-ask", "Write notes.md"]).ends(2);
    let request = desk.requests().remove(0);
    expect![[r#"
        exit 0
        --- out
        – s1 cancelled: refused by a person: not there
    "#]]
    .assert_eq(&desk.run(&["answer", &request, "--reject", "--reason", "not there"]).shown());
    assert_eq!((desk.file("other.md"), desk.begun()), (None, Vec::new()));
}

#[test]
fn two_requests_of_one_moment_are_told_apart_by_what_is_shown_of_their_ids() {
    let desk = Desk::with([
        plans(
            &json!({"title": "Notes", "steps": [{"tool": "create_file", "do": "Write notes.md", "expect": "notes.md"}]}),
        ),
        crate::replies::all_calls(&[
            ("create_file", json!({"path": "one.md", "content": "1"})),
            ("create_file", json!({"path": "two.md", "content": "2"})),
        ]),
        says("Both are written."),
    ]);
    desk.run(&["ask", "--approve", "never-ask", "Write notes.md"]).ends(2);
    let shown: Vec<String> = desk.requests().iter().map(|id| id[..12].to_owned()).collect();
    assert_eq!(shown.len(), 2);
    desk.run(&["answer", &shown[0], "--approve"]).ends(2);
    desk.run(&["answer", &shown[1], "--approve"]).ends(0);
    assert_eq!((desk.file("one.md").as_deref(), desk.file("two.md").as_deref()), (Some("1"), Some("2")));
}
