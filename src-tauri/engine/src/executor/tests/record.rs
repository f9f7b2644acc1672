//! What is recorded of a request rebuilds it byte for byte.

use assent_core::run::{EventKind, RunStatus};
use serde_json::json;

use super::support::{Rig, TestModel, call, text, think, tool};

#[tokio::test]
async fn every_request_of_a_run_is_rebuilt_from_its_record() {
    let long = "x".repeat(5000);
    let rig = Rig::new(json!([
        tool("s1", "gather", &["look", "append"], &[]),
        think("s2", "compare", &["s1"]),
        tool("s3", "fail", &["look"], &[]),
    ]))
    .await;
    let wide = long.clone();
    let model = TestModel::new(move |_, task, replies| match (task, replies) {
        ("gather", 0) => call(&[("look", &wide), ("hidden", "y")]),
        ("gather", 1) => text("that is all"),
        ("gather", 2) => call(&[("append", "z")]),
        ("gather", _) => text(&wide),
        ("fail", 0) => call(&[("fail", "x")]),
        ("fail", 1) => call(&[("look", "x")]),
        _ => text("done"),
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some("the answer")));
    let mut sent = model.requests.lock().unwrap().clone();
    let replies = rig.events(&outcome.run).into_iter().filter_map(|event| match event.kind {
        EventKind::ModelReplied { recipe, .. } => Some((event.seq, recipe.unwrap())),
        _ => None,
    });
    for (seq, recipe) in replies {
        let rebuilt = executor.request_of(rig.plan.plan(), &outcome.run, seq).unwrap();
        let at = sent.iter().position(|request| *request == rebuilt);
        assert!(at.is_some(), "event {seq} is rebuilt as something that was never sent: {rebuilt:#?}");
        sent.remove(at.unwrap());
        assert!(serde_json::to_string(&recipe).unwrap().len() < 130);
    }
    assert_eq!(sent.len(), 0, "every request has its record");
}
