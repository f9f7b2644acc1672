//! What is recorded of a request rebuilds it byte for byte.

use assent_core::run::{EventKind, Purpose, RunStatus};
use assent_engine::model::ModelError;
use serde_json::json;

use super::support::{Rig, TestModel, call, text, think, tool};

/// A long text that does not go round in circles: an endpoint's reply that does is stopped.
fn numbers(length: usize) -> String {
    (0..)
        .map(|number: u32| format!("{number} "))
        .scan(0, |sum, text| {
            *sum += text.len();
            (*sum <= length).then_some(text)
        })
        .collect()
}

#[tokio::test]
async fn every_request_of_a_run_is_rebuilt_from_its_record() {
    let long = numbers(5000);
    let rig = Rig::new(json!([
        tool("s1", "gather", &["look", "append"], &[]),
        think("s2", "compare", &["s1"]),
        tool("s3", "fail", &["look"], &[]),
        tool("s4", "again", &["look"], &["s3"]),
        tool("s5", "again", &["look"], &["s4"]),
    ]))
    .await;
    let wide = long.clone();
    let model = TestModel::new(move |_, task, replies| match (task, replies) {
        ("gather", 0) => call(&[("look", &wide), ("hidden", "y")]),
        ("gather", 1) => text("that is all"),
        ("gather", 2) => call(&[("append", "z")]),
        ("gather", _) => text(&wide),
        ("fail", 0) => call(&[("fail", "x")]),
        ("fail", 1) | ("again", 0) => call(&[("look", "x")]),
        _ => text("done"),
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some("the answer")));
    let mut sent = model.requests.lock().unwrap().clone();
    let replies = rig.events(&outcome.run).into_iter().filter_map(|event| match event.kind {
        EventKind::ModelReplied { purpose, recipe, .. } => Some((event.seq, purpose, recipe)),
        _ => None,
    });
    let mut named = Vec::new();
    for (seq, purpose, recipe) in replies {
        let recipe = recipe.map(|recipe| serde_json::to_value(recipe).unwrap()["inline"].clone()).unwrap_or_default();
        named.extend(recipe["base"].as_str().filter(|_| purpose == Purpose::Step).map(str::to_owned));
        let rebuilt = executor.request_of(rig.plan.plan(), &outcome.run, seq).unwrap();
        let at = sent.iter().position(|request| *request == rebuilt);
        assert!(at.is_some(), "event {seq} is rebuilt as something that was never sent: {rebuilt:#?}");
        sent.remove(at.unwrap());
        assert!(recipe.to_string().len() < 130);
    }
    assert!(named.windows(2).all(|two| two[0] != two[1]), "what is in force is not named again: {named:?}");
    assert_eq!(sent.len(), 0, "every request has its record");
}

#[tokio::test]
async fn a_request_that_was_made_shorter_is_rebuilt_too_and_what_comes_after_it_stays_short() {
    let rig = Rig::new(json!([tool("s1", "gather", &["look"], &[]), think("s2", "compare", &["s1"])])).await;
    let long = numbers(30_000);
    let too_long = || Err(ModelError::ContextTooLong { model: "test".into(), limit: 4096 });
    let wide = long.clone();
    let model = TestModel::counting(move |asked| match asked {
        0 => Ok(call(&[("look", &wide)])),
        1 => too_long(),
        2 => Ok(call(&[("look", &wide), ("look", "y")])),
        4 => too_long(),
        _ => Ok(text("done")),
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!(outcome.status, RunStatus::Completed);
    let sent = model.requests.lock().unwrap().clone();
    let length = |at: usize| format!("{:?}", sent[at].messages).len();
    assert!(length(2) < length(1) / 2 && length(3) < length(1), "{:?}", (length(1), length(2), length(3)));
    assert!(length(5) < length(4), "the next step had its own second try: {:?}", (length(4), length(5)));
    let events = rig.events(&outcome.run);
    let failed = events.iter().filter(|event| matches!(event.kind, EventKind::ModelFailed { retrying: true, .. }));
    assert_eq!(failed.count(), 2);
    let replies = events.iter().filter(|event| matches!(event.kind, EventKind::ModelReplied { .. }));
    let rebuilt: Vec<_> =
        replies.map(|event| executor.request_of(rig.plan.plan(), &outcome.run, event.seq).unwrap()).collect();
    assert_eq!(rebuilt, [0, 2, 3, 5].map(|at| sent[at].clone()));
}

#[tokio::test]
async fn a_request_that_is_too_long_even_when_shortened_fails_its_step() {
    let rig = Rig::new(json!([think("s1", "compare", &[])])).await;
    let model = TestModel::counting(|_| Err(ModelError::ContextTooLong { model: "test".into(), limit: 0 }));
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!(outcome.status, RunStatus::Failed);
    assert_eq!(model.requests.lock().unwrap().len(), 2);
    let reason = "the request is longer than test can take; start a new session or choose a larger model";
    assert_eq!(outcome.reasons, [("s1".into(), reason.to_owned())]);
}
