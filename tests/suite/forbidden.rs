//! A message that forbids every change holds whatever a model makes of it.

use assent_core::plan::{NewStep, Plan, PlanEdit};
use assent_core::run::{Answer, EventKind, Reach, RequestKind};
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const MESSAGE: &str = "How many lines mention Berlin? Don't create or change anything.";

fn desk() -> Desk {
    Desk::with(&[("a.txt", "Berlin\nin berlin\n"), ("b.txt", "Hamburg\n")])
}

fn count() -> Value {
    json!({"tool": "grep", "do": "Find the lines that contain \"berlin\" in all notes", "expect": "counts"})
}

fn count_and_write() -> Value {
    let write = json!({"tool": "create_file", "do": "Write counts.md with the numbers", "expect": "counts.md"});
    json!({"title": "Count", "steps": [count(), write]})
}

fn plan(desk: &Desk, session: &assent_core::ids::SessionId) -> Plan {
    desk.engine.plans().list(Some(session)).unwrap().remove(0)
}

#[tokio::test]
async fn a_plan_that_writes_is_planned_anew_with_the_reason() {
    let desk = desk();
    desk.plans(&count_and_write());
    desk.plans(&json!({"title": "Count", "steps": [count()]}));
    desk.calls("grep", json!({"pattern": "berlin"}));
    desk.says("Two lines in a.txt.");
    let session = desk.session().await;
    let end = desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    let again = format!("{:?}", desk.model.requests()[1].messages);
    assert!(again.contains("nothing may be changed, and create_file changes something"), "{again}");
    assert!(plan(&desk, &session).read_only, "the limit is recorded on the plan");
    assert_eq!(desk.file("counts.md"), None);
}

#[tokio::test]
async fn a_planner_that_insists_gets_no_plan_that_could_run() {
    let desk = desk();
    desk.plans(&count_and_write());
    desk.plans(&count_and_write());
    let session = desk.session().await;
    let end = desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Failed { session: session.clone() });
    let why = desk.events(&session).into_iter().find_map(|event| match event.kind {
        EventKind::TurnEnded { error, .. } => error,
        _ => None,
    });
    assert!(why.is_some_and(|why| why.contains("nothing may be changed")));
    assert_eq!(desk.file("counts.md"), None);
}

#[tokio::test]
async fn a_step_that_looks_for_its_tool_does_not_find_one_that_writes() {
    let desk = desk();
    desk.plans(&json!({"title": "Count", "steps": [{"tool": "find", "do": "Count the lines", "expect": "a number"}]}));
    desk.calls("create_file", json!({"path": "counts.md", "content": "2\n"}));
    desk.calls("grep", json!({"pattern": "berlin"}));
    desk.says("Two lines.");
    let session = desk.session().await;
    desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk).await;
    assert_eq!(desk.file("counts.md"), None);
    let events = desk.events(&session);
    assert!(events.iter().any(|event| matches!(event.kind, EventKind::CallRefused { .. })));
    let begun = events.iter().filter(|event| matches!(event.kind, EventKind::CallStarted { .. })).count();
    assert_eq!(begun, 1, "only what looks was begun");
}

#[tokio::test]
async fn a_command_waits_for_the_persons_word_and_runs_with_it() {
    let desk = desk();
    desk.plans(&json!({"title": "Count", "steps": [{"tool": "bash", "do": "Count the lines", "expect": "a number"}]}));
    desk.calls("bash", json!({"command": "grep -ci berlin a.txt"}));
    desk.says("Two lines.");
    let session = desk.session().await;
    let end = desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let request = desk.engine.requests().open().unwrap().remove(0).request;
    assert_eq!(request.kind, RequestKind::Permit);
    assert!(request.reason.unwrap().starts_with("You said that nothing may be changed"));
    assert_eq!(request.reaches, [], "what is allowed here is allowed once");
    let answer = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
    let end = desk.engine.turns().answer(&request.id, answer, &CancellationToken::new()).await.unwrap();
    assert!(!matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
}

#[tokio::test]
async fn an_edit_lifts_the_limit_and_nothing_less_does() {
    let desk = desk();
    desk.plans(&json!({"title": "Count", "steps": [count()]}));
    let session = desk.session().await;
    desk.send(&session, MESSAGE, ApprovalPolicy::AlwaysAsk).await;
    let before = plan(&desk, &session);
    let required_tools = vec!["create_file".to_owned()];
    let write = NewStep { description: "Write counts.md".to_owned(), required_tools, ..NewStep::default() };
    let edits = [PlanEdit::AddStep { step: write }];
    let refused = desk.engine.plans().edit(&before, &edits).await.unwrap_err().to_string();
    assert!(refused.contains("nothing may be changed"), "{refused}");
    let lifted = desk.engine.plans().edit(&Plan { read_only: false, ..before }, &edits).await.unwrap();
    let lifted = desk.engine.plans().get(lifted.id.as_str(), Some(lifted.version)).unwrap();
    assert_eq!((lifted.read_only, lifted.version, lifted.steps.len()), (false, 2, 2));
}
