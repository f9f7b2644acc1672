//! A run in a session of a workflow asks for help through its own channel, and a chat does not have it.

use std::sync::Arc;

use assent_core::ids::SessionId;
use assent_core::plan::Plan;
use assent_core::run::{Answer, Batch, Draft, Durability, EventKind, Journal as _, Place, RequestKind, SessionKind};
use assent_engine::clock::SystemClock;
use assent_engine::store::{Home, Store};
use assent_engine::turn::TurnEnd;
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const HELP: &str = "std-request-user-help";

fn document(id: &str, asks: &str) -> Plan {
    let step = |id: &str, words: &str, tool: &str, after: Value| json!({"id": id, "description": words, "stepType": "tool", "requiredTools": [tool], "dependencies": after});
    serde_json::from_value(json!({
        "format": "assent.plan/1", "id": id, "version": 1, "sessionId": "elsewhere", "title": "Weekly report",
        "userMessage": "Ask for the week and write it to week.txt",
        "steps": [
            step("s1", "Ask for the week", asks, json!([])),
            step("s2", "Write the week to week.txt", "create_file", json!(["s1"])),
        ]
    }))
    .unwrap()
}

/// A session as whoever runs workflows would begin it.
async fn workflow_session(desk: &Desk) -> SessionId {
    let store = Store::open(&Home::at(&desk.home).unwrap(), Arc::new(SystemClock)).unwrap();
    let session = SessionId::new("weekly");
    let kind = EventKind::SessionCreated {
        title: "Weekly report".to_owned(),
        session_kind: SessionKind::Workflow,
        workspace: Some(desk.workspace.display().to_string()),
    };
    let place = Place { session: session.clone(), turn: None, run: None, step: None };
    let events = vec![Draft { place, at: 1, kind }];
    store.append(Batch { events, ..Batch::default() }, Durability::Committed).await.unwrap();
    session
}

#[tokio::test]
async fn a_workflow_run_waits_for_help_in_the_same_inbox_and_goes_on_with_the_reply() {
    // covers: H25 H26 H27
    let desk = Desk::with(&[]);
    let session = workflow_session(&desk).await;
    let plan = desk.engine.plans().import(document("weekly", HELP), &session).await.unwrap();
    let stop = CancellationToken::new();
    desk.engine.turns().approve_for_later(&plan, assent_core::run::Decider::User, None).await.unwrap();
    desk.calls(HELP, json!({"question": "Which week?"}));
    let end = desk.engine.turns().run(&plan, &stop).await.unwrap();
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let inbox = desk.engine.requests().open().unwrap();
    assert_eq!((inbox.len(), inbox[0].request.kind), (1, RequestKind::Help));
    assert_eq!(inbox[0].request.prompt, "Which week?");

    let shown = &desk.model.requests()[0];
    let names: Vec<&str> = shown.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(names.contains(&HELP) && !names.contains(&"ask_user"), "{names:?}");
    assert!(format!("{:?}", shown.messages[0]).contains("This is a run of a workflow"));

    desk.says("It is week 47.");
    desk.calls("create_file", json!({"path": "week.txt", "content": "week 47"}));
    desk.says("Written.");
    let answer = Answer::Value { value: json!("week 47") };
    let end = desk.engine.turns().answer(&inbox[0].request.id, answer, &stop).await.unwrap();
    assert!(!matches!(end, TurnEnd::Waiting { .. } | TurnEnd::Failed { .. }), "{end:?}");
    assert_eq!(desk.file("week.txt").as_deref(), Some("week 47"));
}

#[tokio::test]
async fn neither_channel_stands_for_the_other() {
    // covers: H22 H26
    let desk = Desk::with(&[]);
    let workflow = workflow_session(&desk).await;
    let refused = desk.engine.plans().import(document("one", "ask_user"), &workflow).await.unwrap_err().to_string();
    assert!(refused.contains("ask_user"), "{refused}");
    let chat = desk.session().await;
    let refused = desk.engine.plans().import(document("two", HELP), &chat).await.unwrap_err().to_string();
    assert!(refused.contains(HELP), "{refused}");
    assert!(desk.engine.plans().list(Some(&chat)).unwrap().is_empty());

    // Called all the same, it is refused by name and never made.
    desk.plans(&json!({"title": "Look", "steps": [{"tool": "glob", "do": "List all files", "expect": "names"}]}));
    desk.calls(HELP, json!({"question": "May I?"}));
    desk.calls("glob", json!({"pattern": "*"}));
    desk.says("None.");
    desk.send(&chat, "Which files are here?", assent_engine::turn::ApprovalPolicy::NeverAsk).await;
    let shown = &desk.model.requests()[1];
    assert!(shown.tools.iter().all(|tool| tool.name != HELP), "a chat does not list it");
    let events = desk.events(&chat);
    let refusal = events.iter().find_map(|event| match &event.kind {
        EventKind::CallRefused { fault, .. } => Some(fault.to_string()),
        _ => None,
    });
    assert!(refusal.is_some_and(|fault| fault.contains(HELP)));
    assert!(desk.engine.requests().open().unwrap().is_empty());
}
