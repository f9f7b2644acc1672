//! What a small model is held to and helped with, through the engine's door with real tools.

use assent_core::run::{EventKind, StepStatus};
use assent_engine::model::{Message, Request, ToolChoice};
use assent_engine::turn::ApprovalPolicy;
use assent_tests::desk::Desk;
use serde_json::{Value, json};

fn shell_step(task: &str, expect: &str) -> Value {
    json!({"title": "One step", "steps": [{"tool": "bash", "do": task, "expect": expect}]})
}

/// What a request says after its rules, and how many calls it shows.
fn said(request: &Request) -> (String, usize) {
    let (mut texts, mut calls) = (Vec::new(), 0);
    for message in &request.messages[1..] {
        match message {
            Message::System { text } | Message::User { text } | Message::Tool { text, .. } => texts.push(text.as_str()),
            Message::Assistant { calls: made, .. } => calls += made.len(),
        }
    }
    (texts.join("\n"), calls)
}

fn step_requests(desk: &Desk) -> Vec<Request> {
    desk.model.requests().split_off(1)
}

#[tokio::test]
async fn a_command_with_a_bad_exit_code_has_failed_and_is_not_shown_again_when_it_comes_again() {
    let desk = Desk::with(&[("users.json", r#"{"users": [{"name": "Ada"}]}"#)]);
    desk.plans(&shell_step("List the names of users.json", "names"));
    let wrong = json!({"command": "cat users.json > /dev/null; echo wrong >&2; exit 3"});
    desk.calls("bash", wrong.clone());
    desk.calls("bash", wrong);
    desk.calls("bash", json!({"command": "echo Ada"}));
    desk.says("Ada.");
    let session = desk.session().await;
    desk.send(&session, "Which names are in users.json?", ApprovalPolicy::NeverAsk).await;
    assert_eq!(desk.answers(&session), ["Ada."]);

    let requests = step_requests(&desk);
    let (told, calls) = said(&requests[1]);
    let shape = r#"users.json: 1 lines, holds: {"users": list of 1 like {"name": "Ada"}}"#;
    let beside_the_error = told.rsplit("exit code 3").next().unwrap();
    assert!(beside_the_error.contains(shape) && beside_the_error.contains("The call failed."), "{told}");
    assert_eq!((calls, requests[1].temperature), (1, 0.0));
    let (told, calls) = said(&requests[2]);
    assert!(told.contains("An earlier try failed: ") && told.contains("Write it in another way."), "{told}");
    assert_eq!((calls, requests[2].temperature), (0, 0.7));
}

#[tokio::test]
async fn a_task_for_a_script_is_held_to_a_script() {
    let desk = Desk::with(&[("a.csv", "n\n1\n2\n")]);
    desk.plans(&shell_step("With a Python script, add up the numbers of a.csv", "the sum"));
    desk.calls("bash", json!({"command": "python3 - <<'ASSENT_EOF'\nprint(1 + 2)\nASSENT_EOF"}));
    desk.says("The sum is 3.");
    let session = desk.session().await;
    desk.send(&session, "What is the sum of the numbers in a.csv?", ApprovalPolicy::NeverAsk).await;
    assert_eq!(desk.answers(&session), ["The sum is 3."]);
    let choices: Vec<ToolChoice> = step_requests(&desk).into_iter().map(|request| request.choice).collect();
    assert_eq!(choices, [ToolChoice::Script("bash".to_owned()), ToolChoice::Auto]);
}

#[tokio::test]
async fn a_file_that_a_step_is_expected_to_leave_behind_is_asked_for_once() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    desk.plans(&shell_step("Count the lines of a.txt and write lines.txt", "lines.txt with the number"));
    desk.calls("bash", json!({"command": "wc -l < a.txt"}));
    desk.says("I have written lines.txt.");
    desk.calls("bash", json!({"command": "wc -l < a.txt > lines.txt"}));
    desk.says("It is written.");
    let session = desk.session().await;
    desk.send(&session, "Count the lines of a.txt into lines.txt", ApprovalPolicy::NeverAsk).await;
    assert_eq!(desk.file("lines.txt").as_deref(), Some("1\n"));
    let requests = step_requests(&desk);
    assert!(said(&requests[2]).0.contains("the step is not done: lines.txt is not there, or empty"));
    assert_eq!(requests[2].choice, ToolChoice::Required);
}

#[tokio::test]
async fn a_step_that_leaves_its_file_out_in_spite_of_that_ends_with_a_warning() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    desk.plans(&shell_step("Count the lines of a.txt and write lines.txt", "lines.txt with the number"));
    desk.calls("bash", json!({"command": "wc -l < a.txt"}));
    desk.says("I have written lines.txt.");
    desk.calls("bash", json!({"command": "touch lines.txt"}));
    desk.says("Now it is there.");
    let session = desk.session().await;
    desk.send(&session, "Count the lines of a.txt into lines.txt", ApprovalPolicy::NeverAsk).await;
    let events = desk.events(&session);
    let ended = events.iter().find_map(|event| match &event.kind {
        EventKind::StepEnded { status, reason, .. } => Some((*status, reason.clone())),
        _ => None,
    });
    let warning = "not as expected: lines.txt is not there, or empty".to_owned();
    assert_eq!(ended, Some((StepStatus::Completed, Some(warning.clone()))));
    assert!(events.iter().any(|event| matches!(&event.kind, EventKind::Warned { message } if *message == warning)));
}
