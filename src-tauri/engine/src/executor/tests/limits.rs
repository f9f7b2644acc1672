//! Where repetition ends, where a person stops it, and how many steps go at once.

use std::time::{Duration, Instant};

use assent_core::run::{Answer, CallState, Reach, RequestKind, RequestStatus, RunStatus, StepStatus};
use serde_json::json;

use super::support::{Rig, TestModel, call, text, think, tool};
use crate::model::{Message, ToolChoice};

#[tokio::test]
async fn the_same_call_is_pointed_out_then_refused_then_put_before_a_person() {
    let rig = Rig::new(json!([tool("s1", "round and round", &["append"], &[])])).await;
    let model = TestModel::new(|_, _, replies| if replies < 4 { call(&[("look", "x")]) } else { text("enough") });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!((outcome.status, outcome.requests[0].kind), (RunStatus::Suspended, RequestKind::Cap));
    assert_eq!(rig.traces.all(), ["look x", "look x"]);
    let told: Vec<String> = model.requests.lock().unwrap()[3]
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect();
    assert!(!told[0].contains("same result") && told[1].contains("this same result"), "{told:?}");
    assert!(told[2].contains("was called 2 times"), "{told:?}");
    assert!(matches!(rig.state(&outcome.run).ledger()[2].state, CallState::Refused(_)));
    let stop = Answer::Reject { reason: None };
    executor.answer(&outcome.requests[0].id, stop, None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::Failed);
}

#[tokio::test]
async fn the_last_reply_names_the_missing_tool_and_then_a_person_may_say_go_on() {
    let rig = Rig::new(json!([tool("s1", "wander", &["append"], &[])])).await;
    let model = TestModel::new(|_, _, replies| match replies {
        6 => call(&[("append", "at last")]),
        7 => text("there"),
        other => call(&[("look", &other.to_string())]),
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!(outcome.requests[0].kind, RequestKind::Cap);
    let choices: Vec<ToolChoice> =
        model.requests.lock().unwrap().iter().map(|request| request.choice.clone()).collect();
    let required = ToolChoice::Required;
    let named = ToolChoice::Named("append".to_owned());
    assert_eq!(choices, [required.clone(), required.clone(), required.clone(), required, named]);
    executor
        .answer(&outcome.requests[0].id, Answer::Approve { arguments: None, note: None, reach: Reach::Once }, None)
        .await
        .unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some("there")));
}

#[tokio::test]
async fn stopping_ends_everything_within_a_second_and_leaves_a_definite_state() {
    let rig = Rig::new(json!([
        tool("s1", "hang x", &["hang"], &[]),
        tool("s2", "ask_user what", &["ask_user"], &[]),
        think("s3", "later", &["s1"]),
    ]))
    .await;
    let model = TestModel::obedient();
    let executor = rig.executor(&model);
    let run = rig.start(&executor).await.unwrap();
    let person = async {
        while rig.traces.all().len() < 2 {
            tokio::task::yield_now().await;
        }
        let begun = Instant::now();
        executor.cancel(&run).await.unwrap();
        begun.elapsed()
    };
    let (outcome, took) = tokio::join!(executor.carry_on(&run, None), person);
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert_eq!(outcome.unwrap().status, RunStatus::Cancelled);
    let state = rig.state(&run);
    assert!(state.steps().iter().all(|step| step.status == StepStatus::Cancelled));
    assert!(state.requests().iter().all(|request| request.status == RequestStatus::Cancelled));
    assert!(matches!(state.ledger()[0].state, CallState::Ended(_)));
    assert!(executor.recover().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_step_is_done_again_with_what_was_skipped_after_it() {
    let rig = Rig::new(json!([tool("s1", "do", &["look"], &[]), think("s2", "report", &["s1"])])).await;
    let stubborn = TestModel::new(|_, _, _| text("no"));
    let outcome = rig.run(&rig.executor(&stubborn)).await;
    assert_eq!(outcome.status, RunStatus::Failed);
    let model = TestModel::new(|_, task, replies| match (task, replies) {
        ("do", 0) => call(&[("look", "x")]),
        _ => text("fine"),
    });
    let executor = rig.executor(&model);
    executor.retry(&outcome.run, &"s1".into()).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    let attempts: Vec<u32> = rig.state(&outcome.run).steps().iter().map(|step| step.attempt).collect();
    assert_eq!(attempts, [2, 1]);
}
