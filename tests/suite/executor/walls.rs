//! The walls around a tool: it gets a time and a thread of its own, and whatever it does with them, the run goes on.

use std::time::{Duration, Instant};

use assent_core::run::{
    Answer, CallState, CallStatus, Reach, RequestKind, RequestStatus, RunState, RunStatus, StepStatus,
};
use assent_engine::executor::{AGAIN, DONE, SKIP};
use serde_json::{Value, json};

use super::support::{Rig, TestModel, call, text, think, tool};

/// A rig whose plan gives every call one second.
async fn hasty(steps: Value) -> Rig {
    Rig::with_plan(json!({
        "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": "chat", "title": "test",
        "userMessage": "Do it with report 17.", "refinedTask": "Do it.", "intent": "a test", "route": [],
        "defaults": {"toolValidationMode": "strict"}, "limits": {"callSeconds": 3}, "steps": steps
    }))
    .await
}

const STOPPED: &str = "was stopped after 3 s, the longest that this plan gives a call";

#[tokio::test]
async fn a_call_that_only_looks_and_never_ends_is_an_error_after_its_time_and_the_step_goes_on() {
    for hanging in ["stare", "stick"] {
        let rig = hasty(json!([tool("s1", "look around", &["look"], &[])])).await;
        let model = TestModel::new(move |_, _, replies| match replies {
            0 => call(&[(hanging, "x")]),
            1 => call(&[("look", "y")]),
            _ => text("seen"),
        });
        let outcome = rig.run(&rig.executor(&model)).await;
        assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some("seen")), "{hanging}");
        let state = rig.state(&outcome.run);
        let CallState::Ended(end) = &state.ledger()[0].state else { panic!("{hanging} has no end") };
        assert_eq!((end.status, end.satisfied), (CallStatus::Error, false));
        assert_eq!(end.error, Some(format!("{hanging} {STOPPED}")));
        assert_eq!(rig.limits_reached(&outcome.run), [("callSeconds".to_owned(), 3)]);
        let told = format!("{:?}", model.requests.lock().unwrap()[1].messages);
        assert!(told.contains(STOPPED), "the model is told: {told}");
    }
}

#[tokio::test]
async fn what_became_of_a_call_with_effects_that_never_ends_is_asked_and_not_tried_again() {
    for (word, status, made) in [(DONE, StepStatus::Completed, 1), (SKIP, StepStatus::Skipped, 1)] {
        let rig = hasty(json!([tool("s1", "deaf x", &["deaf"], &[])])).await;
        let executor = rig.executor(&TestModel::obedient());
        let outcome = rig.run(&executor).await;
        assert_eq!(outcome.status, RunStatus::Suspended);
        let [request] = &outcome.requests[..] else { panic!("{:?}", outcome.requests) };
        assert_eq!(request.kind, RequestKind::UnknownOutcome);
        assert_eq!(request.prompt, format!("deaf {STOPPED}. Did it do its work?"));
        assert_eq!(rig.limits_reached(&outcome.run), [("callSeconds".to_owned(), 3)]);
        // A fresh process finds the question, and does not make the call again by itself.
        let executor = rig.executor(&TestModel::obedient());
        assert_eq!(executor.carry_on(&outcome.run, None).await.unwrap().status, RunStatus::Suspended);
        executor.answer(&request.id, Answer::Value { value: json!(word) }, None).await.unwrap();
        executor.carry_on(&outcome.run, None).await.unwrap();
        assert_eq!((rig.state(&outcome.run).step(0).status, rig.traces.all().len()), (status, made), "{word}");
    }
}

#[tokio::test]
async fn a_call_made_again_on_a_persons_word_has_the_same_time() {
    let rig = hasty(json!([tool("s1", "hang x", &["hang"], &[])])).await;
    let executor = rig.executor(&TestModel::obedient());
    let outcome = rig.run(&executor).await;
    let again = Answer::Value { value: json!(AGAIN) };
    executor.answer(&outcome.requests[0].id, again, None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!((outcome.status, rig.traces.all().len()), (RunStatus::Suspended, 2));
    assert_eq!(rig.limits_reached(&outcome.run).len(), 2);
}

/// Carries the rig's run on until all this was begun, and has a person stop it, which is to take less than a second.
async fn stopped_after(rig: &Rig, begun: &[&str]) -> RunState {
    let executor = rig.executor(&TestModel::obedient());
    let run = rig.start(&executor).await.unwrap();
    let person = async {
        while !begun.iter().all(|one| rig.traces.all().iter().any(|trace| trace == one)) {
            tokio::task::yield_now().await;
        }
        let asked = Instant::now();
        executor.cancel(&run).await.unwrap();
        asked.elapsed()
    };
    let (outcome, took) = tokio::join!(executor.carry_on(&run, None), person);
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert_eq!(outcome.unwrap().status, RunStatus::Cancelled);
    rig.state(&run)
}

#[tokio::test]
async fn a_tool_that_blocks_its_thread_keeps_the_other_steps_not_waiting_and_is_stopped_within_a_second() {
    let rig = Rig::new(json!([
        tool("s1", "stick fast", &["stick"], &[]),
        tool("s2", "look here", &["look"], &[]),
        tool("s3", "append there", &["append"], &["s2"]),
    ]))
    .await;
    let state = stopped_after(&rig, &["append there"]).await;
    assert_eq!(state.step(1).status, StepStatus::Completed);
    let CallState::Ended(end) = &state.ledger()[0].state else { panic!("the call has no end") };
    assert_eq!(end.status, CallStatus::Error);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_were_to_be_brief_and_hang_keep_the_other_steps_not_waiting_and_are_stopped_within_a_second() {
    // On a thread of the runtime, as whatever else it carries.
    tokio::spawn(jam()).await.unwrap();
}

async fn jam() {
    let rig = Rig::new(json!([
        tool("s1", "jam fast", &["jam"], &[]),
        tool("s2", "jam too", &["jam"], &[]),
        tool("s3", "look here", &["look"], &[]),
        tool("s4", "append there", &["append"], &["s3"]),
    ]))
    .await;
    let state = stopped_after(&rig, &["jam fast", "jam too", "append there"]).await;
    assert_eq!(state.step(2).status, StepStatus::Completed);
}

#[tokio::test]
async fn a_person_has_all_the_time_in_the_world() {
    let rig = hasty(json!([
        tool("s1", "displayConfirmation this", &["displayConfirmation"], &[]),
        tool("s2", "stare x, look y", &["look"], &[]),
        think("s3", "sum up", &["s1"]),
    ]))
    .await;
    let executor = rig.executor(&TestModel::obedient());
    let outcome = rig.run(&executor).await;
    assert_eq!((outcome.status, outcome.requests[0].kind), (RunStatus::Suspended, RequestKind::Confirm));
    assert_eq!(
        rig.limits_reached(&outcome.run),
        [("callSeconds".to_owned(), 3)],
        "only what hangs has reached a limit"
    );
    rig.clock.advance(30 * 24 * 3_600_000);
    let open = rig.state(&outcome.run).requests()[0].status;
    assert_eq!(open, RequestStatus::Open);
    let approve = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
    executor.answer(&outcome.requests[0].id, approve, None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
}
