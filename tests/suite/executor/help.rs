//! A run that asks for help: what is under way ends, nothing begins, and the reply lets the same run go on.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use assent_core::run::{Answer, CallState, EventKind, RequestKind, RunStatus, StepStatus};
use serde_json::json;

use super::support::{Rig, TestModel, call, text, tool};

const HELP: &str = "std-request-user-help";

fn reply(text: &str) -> Answer {
    Answer::Value { value: json!(text) }
}

#[tokio::test]
async fn help_pauses_the_whole_run_through_a_restart_and_the_reply_lets_the_same_run_go_on() {
    // covers: H25
    let steps = json!([
        tool("s1", "keep on", &["append"], &[]),
        tool("s2", "ask", &[HELP], &[]),
        tool("s3", "append log", &["append"], &["s2"]),
        tool("s4", "look later", &["look"], &["s1"]),
    ]);
    let rig = Rig::with_plan(json!({
        "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": "chat", "userMessage": "Do it.",
        "limits": {"stepIterations": 200, "branchCalls": 1000}, "steps": steps
    }))
    .await;
    // The first step is at work whenever help is asked for, however the two come to stand beside each other.
    let helped = Arc::new(AtomicBool::new(false));
    let (count, seen) = (AtomicUsize::new(0), helped.clone());
    let model = TestModel::new(move |_, task, replies| match (task, replies) {
        ("keep on", _) if !seen.load(SeqCst) => call(&[("append", &count.fetch_add(1, SeqCst).to_string())]),
        ("ask", 0) => call(&[(HELP, "Which?")]),
        ("append log", 0) => call(&[("append", "log")]),
        ("look later", 0) => call(&[("look", "later")]),
        _ => text("done"),
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!((outcome.status, outcome.requests[0].kind), (RunStatus::WaitingForUser, RequestKind::Help));
    let before = rig.events(&outcome.run);
    let asked = before.iter().position(|event| matches!(event.kind, EventKind::RequestOpened { .. })).unwrap();
    let begins = |kind: &EventKind| matches!(kind, EventKind::StepStarted { .. } | EventKind::CallStarted { .. });
    assert!(!before[asked..].iter().any(|event| begins(&event.kind)), "nothing begins after the question");
    let statuses =
        |rig: &Rig| -> Vec<StepStatus> { rig.state(&outcome.run).steps().iter().map(|step| step.status).collect() };
    use StepStatus::{Completed, InProgress, Pending, Waiting};
    assert_eq!(statuses(&rig), [InProgress, Waiting, Pending, Pending], "what was begun stays begun");
    let open = |entry: &&assent_core::run::LedgerEntry| matches!(entry.state, CallState::Open);
    assert_eq!(rig.state(&outcome.run).ledger().iter().filter(open).count(), 0, "what was under way has ended");

    let executor = rig.executor(&model);
    executor.recover().await.unwrap();
    assert_eq!(rig.events(&outcome.run), before, "a restart begins nothing either");
    helped.store(true, SeqCst);
    executor.answer(&outcome.requests[0].id, reply("the blue one"), None).await.unwrap();
    let after = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!((after.status, after.run), (RunStatus::Completed, outcome.run.clone()));
    assert_eq!(statuses(&rig), [Completed; 4]);
    let made = rig.traces.all();
    for once in ["append log", "look later", "std-request-user-help Which?"] {
        assert_eq!(made.iter().filter(|line| *line == once).count(), 1, "{made:?}");
    }
}

#[tokio::test]
async fn a_declined_request_ends_its_step_with_the_reason_and_the_run_goes_on_without_it() {
    let rig = Rig::new(json!([
        tool("s1", "std-request-user-help Which?", &[HELP], &[]),
        tool("s2", "append log", &["append"], &["s1"]),
        tool("s3", "look elsewhere", &["look"], &[]),
    ]))
    .await;
    let executor = rig.executor(&TestModel::obedient());
    let outcome = rig.run(&executor).await;
    let no = Answer::Reject { reason: Some("nobody knows".to_owned()) };
    executor.answer(&outcome.requests[0].id, no, None).await.unwrap();
    let after = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!((after.status, after.run), (RunStatus::CompletedWithWarnings, outcome.run.clone()));
    let state = rig.state(&outcome.run);
    use StepStatus::{Cancelled, Completed, Skipped};
    assert_eq!([0, 1, 2].map(|at| state.step(at).status), [Cancelled, Skipped, Completed]);
    assert_eq!(state.step(0).reason.as_deref(), Some("refused by a person: nobody knows"));
}

#[tokio::test]
async fn a_paused_run_can_be_stopped() {
    let rig = Rig::new(json!([tool("s1", "std-request-user-help Which?", &[HELP], &[])])).await;
    let executor = rig.executor(&TestModel::obedient());
    let outcome = rig.run(&executor).await;
    executor.cancel(&outcome.run).await.unwrap();
    let state = rig.state(&outcome.run);
    assert_eq!((state.status(), state.is_paused()), (RunStatus::Cancelled, false));
}
