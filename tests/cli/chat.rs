//! `assent chat` line by line from a pipe.

use expect_test::expect;
use serde_json::json;

use crate::desk::Desk;
use crate::replies::{MESSAGE, calls, count_and_write, counting, plans, says};

fn answer(text: &str) -> assent_tests::sse::Answer {
    plans(&json!({"title": "A", "answer": text}))
}

#[test]
fn a_message_is_answered_and_the_end_of_the_input_is_the_end() {
    let desk = Desk::with([answer("Hello! What shall I do?")]);
    expect![[r#"
        exit 0
        --- out
        Assent  /workspace · desk/test · /help

        Hello! What shall I do?

          /plan             the latest plan of this session
          /approve [note]   approve the plan, or the action, that waits
          /reject [reason]  reject it
          /answer TEXT      answer what is asked: a number chooses an option
          /requests         everything that waits for you
          /resume           carry on what was interrupted
          /new              begin a new session
          /sessions         the latest sessions
          /model            the model in use
          /quit             leave (also Ctrl-D)
          Ctrl-C stops what is running; everything else you type is a message.
        desk/test
        ID1  just now                 Hello
        --- err
        there is no /frobnicate; /help lists what there is
    "#]]
    .assert_eq(&desk.run_with(&["chat"], "Hello\n\n/help\n/frobnicate\n/model\n/sessions\n").shown());
}

#[test]
fn a_line_that_is_no_text_is_told_and_those_after_it_are_taken() {
    let desk = Desk::with([answer("Hello! What shall I do?")]);
    let said = desk.run_with(&["chat"], b"/model\n\xff\xfe nonsense\nHello\n").ends(0);
    assert!(said.out.contains("desk/test") && said.out.contains("Hello! What shall I do?"), "{}", said.out);
    assert_eq!(said.err, "✗ a line is no UTF-8 text: it was not taken\n");
}

#[test]
fn a_plan_is_shown_and_approved_in_the_chat() {
    let desk = Desk::with([count_and_write()].into_iter().chain(counting()));
    let lines = format!("/approve\n{MESSAGE}\n/plan\n/approve go on\n/approve\n/quit\nnever said\n");
    expect![[r#"
        exit 0
        --- out
        Assent  /workspace · desk/test · /help
        Count Berlin ID1 v1  proposed

          1  s1   grep         Find the lines that contain "berlin" in all notes → counts
          2  s2   create_file  Write counts.md with the numbers → counts.md
                               after s1

          may read this folder   write counts.md   run commands: no   network: no
        Count Berlin ID1 v1  proposed

          1  s1   grep         Find the lines that contain "berlin" in all notes → counts
          2  s2   create_file  Write counts.md with the numbers → counts.md
                               after s1

          may read this folder   write counts.md   run commands: no   network: no
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

        --- err
        nothing waits for you in this session; /requests lists what waits in others
        waits for your word: /approve or /reject
        nothing waits for you in this session; /requests lists what waits in others
    "#]]
    .assert_eq(&desk.run_with(&["chat"], &lines).shown());
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt 2\n"));
    let approved = desk.events().into_iter().find(|event| event["kind"] == "plan_approved").unwrap();
    assert_eq!((&approved["by"], &approved["note"]), (&json!("user"), &json!("go on")));
}

#[test]
fn a_plan_is_rejected_in_the_chat() {
    let desk = Desk::with([count_and_write()]);
    let ran = desk.run_with(&["chat"], format!("{MESSAGE}\n/reject too many steps\n/approve\n")).ends(0);
    assert!(ran.out.ends_with("  rejected: too many steps\n"), "{}", ran.shown());
    assert!(ran.err.contains("nothing waits for you in this session"), "{}", ran.shown());
}

#[test]
fn questions_and_confirmations_are_answered_in_the_chat() {
    let desk = Desk::with([
        plans(&json!({"title": "Ask", "steps": [
            {"tool": "ask_user", "do": "Ask which city is meant", "expect": "a city"},
            {"tool": "displayConfirmation", "do": "Ask before city.txt is written", "expect": "a yes"},
            {"tool": "create_file", "do": "Write city.txt", "expect": "city.txt"},
        ]})),
        calls("ask_user", &json!({"question": "Which city?", "options": ["Berlin", "Hamburg"]})),
        says("Hamburg it is."),
        calls("displayConfirmation", &json!({"action": "Write city.txt"})),
        says("You said yes."),
        calls("create_file", &json!({"path": "city.txt", "content": "Hamburg\n"})),
        says("It is written."),
    ]);
    let lines = "Write the city to city.txt\n2\n/requests\n/approve fine\n";
    expect![[r#"
        exit 0
        --- out
        Assent  /workspace · desk/test · /help
        Ask ID1 v1  proposed

          1  s1   ask_user             Ask which city is meant → a city
          2  s2   displayConfirmation  Ask before city.txt is written → a yes
                                       after s1
          3  s3   create_file          Write city.txt → city.txt
                                       after s2

          may read nothing   write city.txt   run commands: no   network: no
          approved by your policy
        ● s1
            ask_user {"question":"Which city?","options":["Berlin","Hamburg"]}
        ? Question self s1
          Which city?
          1  Berlin
          2  Hamburg
            ✓ Hamburg
        ✓ s1 completed
        ● s2
            displayConfirmation {"action":"Write city.txt"}
        ? Please confirm self s2
          Please confirm: Write city.txt
          displayConfirmation
            {
              "action": "Write city.txt"
            }
        ID2  session ID3
        ? Please confirm self s2
          Please confirm: Write city.txt
          displayConfirmation
            {
              "action": "Write city.txt"
            }
          assent answer ID2 --approve   (or --reject)
            ✓ approved: fine
        ✓ s2 completed
        ● s3
            create_file {"path":"city.txt","content":"Hamburg\n"}
            ✓ 0 ms
        ✓ s3 completed

        It is written.

        --- err
        waits for your answer: type it
        waits for your answer: /approve or /reject
    "#]]
    .assert_eq(&desk.run_with(&["chat", "--approve", "never-ask"], lines).shown());
    assert_eq!(desk.file("city.txt").as_deref(), Some("Hamburg\n"));
}

#[test]
fn a_chat_goes_on_in_a_session_and_carries_on_what_was_interrupted() {
    let (desk, _) = Desk::planned(counting().into_iter().chain([answer("You are welcome.")]));
    let session = desk.run(&["sessions", "--json"]).ends(0).values()[0]["id"].as_str().unwrap().to_owned();
    let ran = desk.run_with(&["chat", "--session", &session], "/approve\nThanks\n").ends(0);
    assert!(ran.out.ends_with("\nYou are welcome.\n\n"), "{}", ran.shown());
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt 2\n"));
}

#[test]
fn a_new_session_leaves_the_one_that_the_chat_began_in() {
    let desk = Desk::with([answer("Hello."), answer("Once more.")]);
    desk.run(&["ask", "Hello"]).ends(0);
    let session = desk.run(&["sessions", "--json"]).ends(0).values()[0]["id"].as_str().unwrap().to_owned();
    desk.run_with(&["chat", "--session", &session], "/new\nSomething else\n").ends(0);
    let sessions = desk.run(&["sessions"]).ends(0).out;
    assert!(sessions.contains("Hello") && sessions.contains("Something else"), "{sessions}");
    let kept = desk.run(&["sessions", "show", &session]).ends(0).out;
    assert!(!kept.contains("Something else"), "{kept}");
}

#[test]
fn approving_means_the_plan_that_waits_while_a_question_is_open() {
    let desk = Desk::with([
        plans(
            &json!({"title": "Ask", "steps": [{"tool": "ask_user", "do": "Ask which city is meant", "expect": "a city"}]}),
        ),
        calls("ask_user", &json!({"question": "Which city?"})),
        plans(&json!({"message": "change"})),
        plans(
            &json!({"title": "Down", "steps": [{"tool": "create_file", "do": "Write city.txt", "expect": "city.txt"}]}),
        ),
        calls("create_file", &json!({"path": "city.txt", "content": "Berlin\n"})),
        says("It is written."),
    ]);
    let lines = "Which city is it?\n/approve\nNever mind, write it down\n/approve\n";
    let ran = desk.run_with(&["chat"], lines).ends(0);
    assert!(ran.err.contains("what waits is no yes or no: type it"), "{}", ran.shown());
    assert!(ran.out.ends_with("\nIt is written.\n\n"), "{}", ran.shown());
    let answers: Vec<_> = desk.events().into_iter().filter(|event| event["kind"] == "request_answered").collect();
    assert!(answers.is_empty(), "{answers:?}");
    assert_eq!(desk.run(&["requests"]).ends(0).out, "");
}

#[test]
fn a_message_that_goes_wrong_does_not_end_the_chat() {
    let desk = Desk::with([assent_tests::sse::Answer::status(400, "no"), answer("Now it works.")]);
    let ran = desk.run_with(&["chat"], "Hello\nHello\n").ends(0);
    assert!(ran.err.contains("✗ ") && ran.out.ends_with("\nNow it works.\n\n"), "{}", ran.shown());
}

#[test]
fn with_json_a_chat_prints_events_alone() {
    let desk = Desk::with([answer("Hello.")]);
    let kinds = desk.run_with(&["chat", "--json"], "Hello\n").ends(0).kinds();
    assert_eq!(kinds, ["message_received", "session_renamed", "model_replied", "answered", "turn_ended"]);
}
