//! A run that asks for help: what is under way ends, nothing begins, and the reply lets the same run go on.

use assent_core::run::{Answer, EventKind, RequestKind, RunStatus, StepStatus};
use serde_json::json;

use super::support::{Rig, TestModel, tool};

const HELP: &str = "std-request-user-help";

fn reply(text: &str) -> Answer {
    Answer::Value { value: json!(text) }
}

#[tokio::test]
async fn help_pauses_the_whole_run_through_a_restart_and_the_reply_lets_the_same_run_go_on() {
    // covers: H25
    let rig = Rig::new(json!([
        // The call that is under way when help is asked for is waited for by its effect.
        tool("s1", "append a, append b", &["append"], &[]),
        tool("s2", "std-request-user-help Which?", &[HELP], &[]),
        tool("s3", "append log", &["append"], &["s2"]),
        tool("s4", "look later", &["look"], &["s1"]),
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
    assert_eq!(statuses(&rig), [InProgress, Waiting, Pending, Pending], "what was begun stays begun");
    assert_eq!(rig.traces.all(), ["std-request-user-help Which?", "append a"], "what was under way has ended");

    let executor = rig.executor(&model);
    executor.recover().await.unwrap();
    assert_eq!(rig.events(&outcome.run), before, "a restart begins nothing either");
    executor.answer(&outcome.requests[0].id, reply("the blue one"), None).await.unwrap();
    let after = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!((after.status, after.run), (RunStatus::Completed, outcome.run.clone()));
    assert_eq!(statuses(&rig), [Completed; 4]);
    let mut made = rig.traces.all();
    made.sort();
    assert_eq!(made, ["append a", "append b", "append log", "look later", "std-request-user-help Which?"]);
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
