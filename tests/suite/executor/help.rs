//! A run that asks for help: what is under way ends, nothing begins, and the reply lets the same run go on.

use assent_core::run::{Answer, EventKind, RequestKind, RunStatus, StepStatus};
use serde_json::json;

use super::support::{Rig, TestModel, call, text, tool};

const HELP: &str = "std-request-user-help";

fn reply(text: &str) -> Answer {
    Answer::Value { value: json!(text) }
}

#[tokio::test]
async fn help_pauses_the_whole_run_through_a_restart_and_the_reply_lets_the_same_run_go_on() {
    // covers: H25
    let rig = Rig::new(json!([
        tool("s1", "std-request-user-help Which?", &[HELP], &[]),
        tool("s2", "look a, look b", &["look"], &[]),
        tool("s3", "append log", &["append"], &["s1"]),
        tool("s4", "look later", &["look"], &["s2"]),
    ]))
    .await;
    let model = TestModel::obedient();
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!((outcome.status, outcome.requests[0].kind), (RunStatus::WaitingForUser, RequestKind::Help));
    let before = rig.events(&outcome.run);
    let asked = before.iter().position(|event| matches!(event.kind, EventKind::RequestOpened { .. })).unwrap();
    let begins = |kind: &EventKind| matches!(kind, EventKind::StepStarted { .. } | EventKind::CallStarted { .. });
    assert!(!before[asked..].iter().any(|event| begins(&event.kind)), "nothing begins after the question");
    let statuses =
        |rig: &Rig| -> Vec<StepStatus> { rig.state(&outcome.run).steps().iter().map(|step| step.status).collect() };
    use StepStatus::{Completed, InProgress, Pending, Waiting};
    assert_eq!(statuses(&rig), [Waiting, InProgress, Pending, Pending], "what was begun stays begun");

    let executor = rig.executor(&model);
    executor.recover().await.unwrap();
    assert_eq!(rig.events(&outcome.run), before, "a restart begins nothing either");
    executor.answer(&outcome.requests[0].id, reply("the blue one"), None).await.unwrap();
    let after = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!((after.status, after.run), (RunStatus::Completed, outcome.run.clone()));
    assert_eq!(statuses(&rig), [Completed; 4]);
    let mut made = rig.traces.all();
    made.sort();
    assert_eq!(made, ["append log", "look a", "look b", "look later", "std-request-user-help Which?"]);
}

#[tokio::test]
async fn a_call_under_way_ends_while_help_is_awaited_and_the_next_one_waits() {
    // The second step's call ends only when the question is there.
    let rig = Rig::new(json!([tool("s1", "look on", &["look"], &[]), tool("s2", "ask", &[HELP], &[]),])).await;
    let model = TestModel::new(|_, task, replies| match (task, replies) {
        ("ask", 0) => call(&[(HELP, "Which?")]),
        ("ask", _) => text("thanks"),
        // Three calls of one reply: those that have not begun when help is asked for wait.
        (_, 0) => call(&[("look", "1"), ("look", "2"), ("look", "3")]),
        _ => text("looked"),
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!(outcome.status, RunStatus::WaitingForUser);
    let looked = |rig: &Rig| rig.traces.all().iter().filter(|line| line.starts_with("look")).count();
    let early = looked(&rig);
    executor.answer(&outcome.requests[0].id, reply("that"), None).await.unwrap();
    let after = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!((after.status, looked(&rig)), (RunStatus::Completed, 3), "{early} before the question");
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
