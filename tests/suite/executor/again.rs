//! A step that is done again, and what it finds: what a person has left out, and what builds on it and is under way.

use assent_core::run::{
    Answer, CallState, EventKind, KEEP_GOING, Reach, RequestKind, RequestStatus, RunStatus, StepStatus,
};
use assent_engine::executor::{RunOutcome, SKIP};
use assent_engine::store::Changes as _;
use serde_json::json;

use super::support::{Rig, TestModel, call, text, think, tool};

fn approve() -> Answer {
    Answer::Approve { arguments: None, note: None, reach: Reach::Once }
}

fn value(text: &str) -> Answer {
    Answer::Value { value: json!(text) }
}

fn statuses(rig: &Rig, outcome: &RunOutcome) -> Vec<StepStatus> {
    rig.state(&outcome.run).steps().iter().map(|step| step.status).collect()
}

#[tokio::test]
async fn what_a_person_has_left_out_is_not_made_because_the_step_before_it_is_done_again() {
    // covers: T65
    use StepStatus::{Completed, Skipped};
    let rig = Rig::new(json!([tool("s1", "look x", &["look"], &[]), tool("s2", "snap y", &["snap"], &["s1"])])).await;
    let executor = rig.executor(&TestModel::obedient());
    let outcome = rig.run(&executor).await;
    assert_eq!(outcome.requests[0].kind, RequestKind::UnknownOutcome);
    executor.answer(&outcome.requests[0].id, value(SKIP), None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(statuses(&rig, &outcome), [Completed, Skipped]);
    executor.retry(&outcome.run, &"s1".into()).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(
        (outcome.status, statuses(&rig, &outcome)),
        (RunStatus::CompletedWithWarnings, vec![Completed, Skipped])
    );
    assert_eq!(rig.traces.all(), ["look x", "snap y", "look x"]);
    // A word about the step itself is one.
    executor.retry(&outcome.run, &"s2".into()).await.unwrap();
    executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(rig.traces.all().len(), 4);
}

#[tokio::test]
async fn a_call_is_made_once_more_only_after_what_an_earlier_step_asks_again() {
    // covers: T15
    use StepStatus::{Cancelled, Completed};
    for (answer, made, then) in [
        (approve(), 2, [Completed, StepStatus::Waiting]),
        (Answer::Reject { reason: Some("not now".into()) }, 1, [Cancelled, Cancelled]),
    ] {
        let confirms = tool("s1", "displayConfirmation sure", &["displayConfirmation"], &[]);
        let rig = Rig::new(json!([confirms, tool("s2", "snap y", &["snap"], &[])])).await;
        let executor = rig.executor(&TestModel::obedient());
        let outcome = rig.run(&executor).await;
        executor.answer(&outcome.requests[0].id, approve(), None).await.unwrap();
        let broken = executor.carry_on(&outcome.run, None).await.unwrap();
        assert_eq!(broken.requests[0].kind, RequestKind::UnknownOutcome);
        executor.retry(&outcome.run, &"s1".into()).await.unwrap();
        executor.carry_on(&outcome.run, None).await.unwrap();
        executor.answer(&broken.requests[0].id, value("run again"), None).await.unwrap();
        let asked = executor.carry_on(&outcome.run, None).await.unwrap();
        let snaps = || rig.traces.all().iter().filter(|line| *line == "snap y").count();
        assert_eq!((snaps(), asked.requests.len(), asked.requests[0].kind), (1, 1, RequestKind::Confirm));
        executor.answer(&asked.requests[0].id, answer, None).await.unwrap();
        let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
        assert_eq!((snaps(), statuses(&rig, &outcome)), (made, then.to_vec()));
    }
}

#[tokio::test]
async fn what_waits_and_builds_on_a_step_that_is_done_again_is_taken_back_and_asks_with_the_new_result() {
    // covers: T12
    use StepStatus::{Completed, Pending};
    let rig = Rig::new(json!([
        tool("s1", "poll x", &["poll"], &[]),
        tool("s2", "post it", &["post"], &["s1"]),
        think("s3", "report", &["s2"]),
    ]))
    .await;
    let model = TestModel::new(|request, task, replies| match (task, replies) {
        ("poll x", 0) => call(&[("poll", "x")]),
        // It posts what it was given.
        ("post it", 0) => {
            let told = format!("{:?}", request.messages);
            call(&[("post", if told.contains("look 2") { "second" } else { "first" })])
        }
        _ => text("done"),
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    executor.answer(&outcome.requests[0].id, approve(), None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    let first = outcome.requests[0].clone();
    assert_eq!((first.kind, first.arguments.clone()), (RequestKind::Permit, Some(json!({"text": "first"}))));

    executor.retry(&outcome.run, &"s1".into()).await.unwrap();
    assert_eq!(statuses(&rig, &outcome), [Pending; 3]);
    let late = executor.answer(&first.id, approve(), None).await.unwrap_err();
    assert_eq!(late.to_string(), format!("request {} is already cancelled", first.id));
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    executor.answer(&outcome.requests[0].id, approve(), None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(outcome.requests[0].arguments, Some(json!({"text": "second"})));
    executor.answer(&outcome.requests[0].id, approve(), None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!((outcome.status, statuses(&rig, &outcome)), (RunStatus::Completed, vec![Completed; 3]));
    assert_eq!(rig.traces.all(), ["poll x", "poll x", "post second"]);
    let state = rig.state(&outcome.run);
    let settled = state.requests().iter().map(|request| request.status).collect::<Vec<_>>();
    use RequestStatus::{Answered, Cancelled};
    assert_eq!(settled, [Answered, Cancelled, Answered, Answered]);
}

#[tokio::test]
async fn what_is_taken_back_leaves_no_call_without_an_end() {
    let rig = Rig::new(json!([
        tool("s1", "look x", &["look"], &[]),
        tool("s2", "stare y", &["stare"], &["s1"]),
        tool("s3", "ask_user Which?", &["ask_user"], &["s1"]),
    ]))
    .await;
    let executor = rig.executor(&TestModel::obedient());
    let run = rig.start(&executor).await.unwrap();
    let mut changes = rig.store.subscribe();
    let (mut begun, mut asked) = (false, false);
    let both = async {
        while !(begun && asked) {
            let event = changes.recv().await.unwrap();
            begun |= matches!(&event.kind, EventKind::CallStarted { tool, .. } if tool == "stare");
            asked |= matches!(event.kind, EventKind::RequestOpened { .. });
        }
    };
    // The process is gone while one step calls and another waits.
    tokio::select! {
        ended = executor.carry_on(&run, None) => panic!("{ended:?}"),
        () = both => {}
    }
    let opened = |rig: &Rig| rig.state(&run).ledger().iter().filter(|entry| entry.state == CallState::Open).count();
    assert_eq!(opened(&rig), 1);
    rig.executor(&TestModel::obedient()).retry(&run, &"s1".into()).await.unwrap();
    let state = rig.state(&run);
    assert_eq!((opened(&rig), state.open_requests().count(), state.count(StepStatus::Pending)), (0, 0, 3));
}

#[tokio::test]
async fn a_step_is_not_done_again_while_what_builds_on_it_has_begun_an_effect() {
    let rig = Rig::new(json!([
        tool("s1", "look x", &["look"], &[]),
        tool("s2", "append y, ask_user Which?", &["append", "ask_user"], &["s1"]),
    ]))
    .await;
    let executor = rig.executor(&TestModel::obedient());
    let outcome = rig.run(&executor).await;
    assert_eq!(outcome.status, RunStatus::WaitingForInput);
    let before = rig.events(&outcome.run).len();
    let refused = executor.retry(&outcome.run, &"s1".into()).await.unwrap_err().to_string();
    let why = "step s2 builds on step s1 and has begun something that has effects: let it end first, or stop the run";
    assert_eq!((refused.as_str(), rig.events(&outcome.run).len()), (why, before));
    executor.answer(&outcome.requests[0].id, value("this"), None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    executor.retry(&outcome.run, &"s1".into()).await.unwrap();
    assert!(rig.state(&outcome.run).step(1).stale);
}

#[tokio::test]
async fn a_word_to_go_on_at_one_limit_raises_no_other() {
    let rig = Rig::with_plan(json!({
        "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": "chat", "title": "test",
        "userMessage": "Do it with report 17.", "refinedTask": "Do it.", "intent": "a test",
        "limits": {"branchCalls": 4, "stepIterations": 20}, "route": [],
        "steps": [tool("s1", "round and round", &["append"], &[])]
    }))
    .await;
    let model = TestModel::new(|_, _, replies| match replies {
        0..4 => call(&[("look", "x")]),
        4..8 => call(&[("look", &format!("y{replies}"))]),
        8 => call(&[("append", "z")]),
        _ => text("enough"),
    });
    let executor = rig.executor(&model);
    let mut outcome = rig.run(&executor).await;
    let mut reasons = Vec::new();
    while outcome.status == RunStatus::Suspended {
        reasons.push(outcome.requests[0].reason.clone().unwrap());
        executor.answer(&outcome.requests[0].id, value(KEEP_GOING), None).await.unwrap();
        outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    }
    assert_eq!(outcome.status, RunStatus::Completed);
    let [round, calls] = &reasons[..] else { panic!("{reasons:?}") };
    assert!(round.contains("same result") && calls.contains("made 4 tool calls"), "{reasons:?}");
}
