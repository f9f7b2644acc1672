//! A process that dies before any of its writes: what was committed goes on, and no effect happens twice by itself.

use assent_core::run::{Answer, CallState, Reach, RequestKind, RunStatus, StepStatus};
use assent_engine::executor::{AGAIN, DONE, SKIP};
use serde_json::json;

use super::support::{Rig, TestModel, call, text, think, tool};

fn steps() -> serde_json::Value {
    json!([
        tool("s1", "look first", &["look"], &[]),
        tool("s2", "append one, append two", &["append"], &["s1"]),
        tool("s3", "displayConfirmation sure", &["displayConfirmation"], &["s2"]),
        tool("s4", "append three", &["append"], &["s3"]),
        think("s5", "sum up", &["s4"]),
    ])
}

/// Settles whatever is open as a person would who looks at what the tools did, and goes on to the end.
async fn settle(rig: &Rig, model: &std::sync::Arc<TestModel>) -> (RunStatus, usize) {
    let mut unknown = 0;
    for _ in 0..20 {
        let executor = rig.executor(model);
        let recovered = executor.recover().await.unwrap();
        let Some((run, outcome)) = recovered.into_iter().next() else {
            break;
        };
        let outcome = outcome.unwrap();
        for request in &outcome.requests {
            let done = || {
                let text = request.arguments.as_ref().unwrap()["text"].as_str().unwrap().to_owned();
                rig.traces.all().contains(&format!("append {text}"))
            };
            let answer = match request.kind {
                RequestKind::UnknownOutcome => {
                    unknown += 1;
                    Answer::Value { value: json!(if done() { DONE } else { AGAIN }) }
                }
                _ => Answer::Approve { arguments: None, note: None, reach: Reach::Once },
            };
            executor.answer(&request.id, answer, None).await.unwrap();
        }
        if outcome.status.is_final() {
            return (rig.state(&run).status(), unknown);
        }
    }
    let row = assent_engine::store::Runs::runs_of(rig.store.as_ref(), &"chat".into()).unwrap();
    (row[0].status, unknown)
}

#[tokio::test]
async fn wherever_the_process_dies_every_effect_happens_once_or_a_person_is_asked() {
    let model = TestModel::obedient();
    let (mut died, mut asked) = (0, 0);
    for batches in 1..60 {
        let rig = Rig::new(steps()).await;
        let executor = rig.mortal(&model, batches);
        let Ok(run) = rig.start(&executor).await else { continue };
        let first = executor.carry_on(&run, None).await;
        died += usize::from(first.is_err());
        drop(executor);
        let (status, unknown) = settle(&rig, &model).await;
        assert!(unknown <= 1);
        asked += unknown;
        assert_eq!(status, RunStatus::Completed, "after {batches} batches");
        let traces = rig.traces.all();
        let effects: Vec<&String> = traces.iter().filter(|line| line.starts_with("append")).collect();
        assert_eq!(effects, ["append one", "append two", "append three"], "after {batches} batches");
        let state = rig.state(&run);
        assert!(state.steps().iter().all(|step| step.status == StepStatus::Completed && step.attempt == 1));
        if first.is_ok_and(|outcome| outcome.status == RunStatus::Suspended) && died > 8 {
            break;
        }
    }
    assert!(died > 8 && asked >= 2, "the process died {died} times, a person was asked {asked} times");
}

#[tokio::test]
async fn what_a_person_says_was_done_is_not_made_again_by_a_model_that_repeats_it() {
    let rig = Rig::new(json!([tool("s1", "twice", &["append"], &[])])).await;
    let model = TestModel::new(|_, _, replies| if replies < 2 { call(&[("append", "x")]) } else { text("ok") });
    let executor = rig.mortal(&model, 5);
    let run = rig.start(&executor).await.unwrap();
    assert!(executor.carry_on(&run, None).await.is_err());
    let executor = rig.executor(&model);
    let outcome = executor.carry_on(&run, None).await.unwrap();
    executor.answer(&outcome.requests[0].id, Answer::Value { value: json!(DONE) }, None).await.unwrap();
    let outcome = executor.carry_on(&run, None).await.unwrap();
    assert_eq!((outcome.status, rig.traces.all()), (RunStatus::Completed, vec!["append x".to_owned()]));
    let state = rig.state(&run);
    let by: Vec<_> =
        state.ledger().iter().map(|entry| matches!(&entry.state, CallState::Ended(end) if end.by.is_some())).collect();
    assert_eq!(by, [true, true], "both have the person's word as their result");
}

#[tokio::test]
async fn an_unknown_outcome_may_be_skipped() {
    let rig = Rig::new(json!([tool("s1", "append x", &["append"], &[]), think("s2", "report", &["s1"])])).await;
    let model = TestModel::obedient();
    // Queued, then begun and replied and started in one: the start is the second that was waited for.
    let executor = rig.mortal(&model, 5);
    let run = rig.start(&executor).await.unwrap();
    assert!(executor.carry_on(&run, None).await.is_err());
    let executor = rig.executor(&model);
    let outcome = executor.carry_on(&run, None).await.unwrap();
    assert_eq!(outcome.requests[0].kind, RequestKind::UnknownOutcome);
    let nonsense = executor.answer(&outcome.requests[0].id, Answer::Value { value: json!("perhaps") }, None).await;
    assert_eq!(nonsense.unwrap_err().to_string(), "the answer has to be one of: done, run again, skip");
    executor.answer(&outcome.requests[0].id, Answer::Value { value: json!(SKIP) }, None).await.unwrap();
    let outcome = executor.carry_on(&run, None).await.unwrap();
    assert_eq!((outcome.status, rig.traces.all().len()), (RunStatus::CompletedWithWarnings, 1));
}

#[tokio::test]
async fn what_cannot_be_called_back_is_made_again_when_a_person_says_so() {
    let model = TestModel::obedient();
    let mut again = 0;
    for batches in 1..8 {
        let rig = Rig::new(json!([tool("s1", "launch x", &["launch"], &[])])).await;
        let outcome = rig.run(&rig.executor(&model)).await;
        let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
        rig.executor(&model).answer(&outcome.requests[0].id, yes, None).await.unwrap();
        if rig.mortal(&model, batches).carry_on(&outcome.run, None).await.is_ok() {
            break;
        }
        let before = rig.traces.all().len();
        let executor = rig.executor(&model);
        let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
        let Some(request) = outcome.requests.first() else { continue };
        assert_eq!(request.kind, RequestKind::UnknownOutcome);
        assert_eq!(request.consequence.as_deref(), Some("\"x\" cannot be called back"));
        executor.answer(&request.id, Answer::Value { value: json!(AGAIN) }, None).await.unwrap();
        let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
        assert_eq!((outcome.status, rig.traces.all().len()), (RunStatus::Completed, before + 1));
        again += 1;
    }
    assert!(again > 0, "no process died in the middle of the call");
}

#[tokio::test]
async fn what_was_made_once_more_on_a_persons_word_is_not_asked_about_when_it_is_called_again() {
    // covers: T65
    let model = TestModel::obedient();
    let mut again = 0;
    for batches in 1..8 {
        let rig = Rig::new(json!([tool("s1", "post x, post x", &["post"], &[])])).await;
        let outcome = rig.run(&rig.executor(&model)).await;
        let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
        rig.executor(&model).answer(&outcome.requests[0].id, yes, None).await.unwrap();
        if rig.mortal(&model, batches).carry_on(&outcome.run, None).await.is_ok() {
            break;
        }
        let executor = rig.executor(&model);
        let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
        let Some(request) = outcome.requests.first().filter(|one| one.kind == RequestKind::UnknownOutcome) else {
            continue;
        };
        executor.answer(&request.id, Answer::Value { value: json!(AGAIN) }, None).await.unwrap();
        let before = rig.traces.all().len();
        let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
        assert_eq!((outcome.status, outcome.requests), (RunStatus::Completed, Vec::new()));
        assert_eq!(rig.traces.all().len(), before + 1, "once more, and no further");
        again += 1;
    }
    assert!(again > 0, "no process died in the middle of the call");
}
