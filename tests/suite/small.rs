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
    desk.calls("bash", json!({"command": "grep -o Ada users.json"}));
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

#[tokio::test]
async fn whoever_changes_a_place_in_a_file_is_shown_the_file_and_has_to_say_which_place() {
    let text = "[server]\nport = 80\n";
    let desk = Desk::with(&[("server.toml", text), ("id_rsa.txt", "KEY\n")]);
    let step = json!({"tool": "edit_file", "do": "In server.toml, change the port to 8080", "expect": "server.toml"});
    desk.plans(&json!({"title": "Port", "steps": [step]}));
    desk.calls("edit_file", json!({"path": "server.toml", "new_string": "port = 8080"}));
    desk.calls("edit_file", json!({"path": "server.toml", "old_string": "", "new_string": "port = 8080"}));
    desk.calls("edit_file", json!({"path": "server.toml", "old_string": "port = 80", "new_string": "port = 8080"}));
    desk.says("The port is 8080.");
    let session = desk.session().await;
    desk.send(&session, "Change the port in server.toml to 8080", ApprovalPolicy::NeverAsk).await;
    assert_eq!(desk.file("server.toml").as_deref(), Some("[server]\nport = 8080\n"), "nothing else was changed");
    let requests = step_requests(&desk);
    let (told, _) = said(&requests[0]);
    assert!(told.contains("server.toml is now:\n[server]\nport = 80\n"), "{told}");
    let edit = requests[0].tools.iter().find(|tool| tool.name == "edit_file").unwrap();
    assert_eq!(edit.parameters["required"], json!(["path", "old_string", "new_string"]));
    for (at, what) in [(1, "old_string"), (2, "old_string")] {
        assert!(said(&requests[at]).0.contains(what), "{}", said(&requests[at]).0);
    }
    let refused = |kind: &EventKind| matches!(kind, EventKind::CallRefused { .. });
    assert_eq!(desk.events(&session).iter().filter(|event| refused(&event.kind)).count(), 2);
}

#[tokio::test]
async fn a_report_of_one_file_is_not_proven_by_the_writing_of_another() {
    let said = [
        ("I have saved the line to out.txt.", false),
        ("out.txt has been created with 1 line.", false),
        ("I have saved the line to the file.", false),
        ("I have saved the line from a.txt in notes/out.txt.", false),
        ("I have deleted a.txt and saved the table to report.md.", true),
        ("report.md has been created with 1 line.", true),
    ];
    for (says, marked) in said {
        let desk = Desk::with(&[("a.txt", "one\n")]);
        let step = json!({"tool": "create_file", "do": "Write the line of a.txt to out.txt", "expect": "out.txt"});
        desk.plans(&json!({"title": "One step", "steps": [step]}));
        desk.calls("create_file", json!({"path": "out.txt", "content": "one\n"}));
        for _ in 0..3 {
            desk.says(says);
        }
        let session = desk.session().await;
        desk.send(&session, "Copy the line of a.txt to out.txt", ApprovalPolicy::NeverAsk).await;
        let is_mark = |kind: &EventKind| match kind {
            EventKind::StepEnded { reason: Some(reason), .. } => reason.contains("no call stands behind that"),
            _ => false,
        };
        assert_eq!(desk.events(&session).iter().any(|event| is_mark(&event.kind)), marked, "{says}");
    }
}
