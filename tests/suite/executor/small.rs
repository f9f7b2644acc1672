//! What a small model is shown: short results, and of what failed twice in the same way only the end of the error.

use assent_core::ids::RunId;
use assent_core::run::{EventKind, RunStatus};
use assent_engine::executor::Executor;
use assent_engine::model::{Message, PlannerProfile, Request};
use serde_json::json;

use super::support::{Rig, TestModel, call, text, think, tool};

/// The texts of a request without its rules, and the tools that it says were called.
fn shown(request: &Request) -> (Vec<String>, Vec<String>) {
    let (mut texts, mut called) = (Vec::new(), Vec::new());
    for message in &request.messages {
        match message {
            Message::System { .. } => {}
            Message::User { text } | Message::Tool { text, .. } => texts.push(text.clone()),
            Message::Assistant { calls, .. } => {
                called.extend(calls.iter().map(|call| format!("{} {}", call.name, call.arguments["text"])));
            }
        }
    }
    (texts, called)
}

/// Every request of a run is rebuilt from its record, in the order in which they were sent.
fn assert_rebuilt(rig: &Rig, executor: &Executor, run: &RunId, sent: &[Request]) {
    let replied = |kind: &EventKind| matches!(kind, EventKind::ModelReplied { .. });
    let replies = rig.events(run).into_iter().filter(|event| replied(&event.kind));
    let rebuilt: Vec<Request> =
        replies.map(|event| executor.request_of(rig.plan.plan(), run, event.seq).unwrap()).collect();
    assert_eq!(rebuilt, sent);
}

#[tokio::test]
async fn a_small_model_is_shown_short_results_and_asked_for_short_replies() {
    let rows: String = (0..600).map(|row| format!("row {row} of many\n")).collect();
    let first_result = |planner: PlannerProfile| {
        let rows = rows.clone();
        async move {
            let plan = json!([tool("s1", "gather", &["look"], &[]), think("s2", "compare", &["s1"])]);
            let rig = Rig::new(plan).await;
            let model = TestModel::script(planner, vec![call(&[("look", &rows)]), text("seen"), text("compared")]);
            let outcome = rig.run(&rig.executor(&model)).await;
            assert_eq!(outcome.status, RunStatus::Completed);
            let requests = model.requests.lock().unwrap().clone();
            let within = shown(&requests[1]).0.pop().unwrap();
            let after = shown(&requests[2]).0.pop().unwrap();
            (requests[1].max_tokens, within, after)
        }
    };
    let (tokens, within, after) = first_result(PlannerProfile::Compact).await;
    assert_eq!(tokens, 1500);
    let result = within.split("\n\n").next().unwrap();
    assert!((3900..=4000).contains(&result.chars().count()), "{}", result.chars().count());
    let (kept, note) = result.rsplit_once('\n').unwrap();
    assert!(kept.ends_with(" of many") && note.starts_with("[cut: "), "{note}");
    assert!(after.contains(kept) && !after.contains("row 599 of many"));

    let (tokens, within, after) = first_result(PlannerProfile::Full).await;
    assert_eq!(tokens, 2048);
    assert!(within.contains("row 599 of many") && after.contains("row 599 of many"));
}

#[tokio::test]
async fn what_fails_twice_in_the_same_way_leaves_only_the_end_of_its_error() {
    let rig = Rig::new(json!([tool("s1", "try", &["look"], &[])])).await;
    let long = format!("{}{}", "a".repeat(50), "b".repeat(290));
    let replies = vec![
        call(&[("fail", &long)]),
        call(&[("fail", "other")]),
        call(&[("fail", &long)]),
        call(&[("look", "x")]),
        text("found x"),
    ];
    let model = TestModel::script(PlannerProfile::Compact, replies);
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some("found x")));
    let sent = model.requests.lock().unwrap().clone();
    let long = json!(long).to_string();
    let called: Vec<Vec<String>> = sent.iter().map(|request| shown(request).1).collect();
    let (failed, other, look) = (format!("fail {long}"), "fail \"other\"".to_owned(), "look \"x\"".to_owned());
    let once = vec![failed.clone()];
    let both = vec![failed, other.clone()];
    assert_eq!(called, [vec![], once, both, vec![other.clone()], vec![other, look]]);

    let texts = shown(&sent[3]).0;
    assert_eq!(texts.len(), 2, "nobody speaks twice in a row");
    let error = texts[1].split("An earlier try failed: ").nth(1).unwrap();
    assert!(error.starts_with("bbb") && error.contains(": it did not work\nWrite it in another way."), "{error}");
    assert_eq!(error.lines().next().unwrap().chars().count(), 300);
    assert!(shown(&sent[4]).0[1].contains(error.trim()), "it stays where it was said");

    let drawn: Vec<(f32, Option<u64>)> = sent.iter().map(|request| (request.temperature, request.seed)).collect();
    let usual = (0.0, Some(1));
    assert_eq!(drawn, [usual, usual, usual, (0.7, Some(4)), usual]);
    assert_rebuilt(&rig, &executor, &outcome.run, &sent);
}

#[tokio::test]
async fn a_large_model_keeps_all_that_it_was_told() {
    let rig = Rig::new(json!([tool("s1", "try", &["look"], &[])])).await;
    let replies = vec![call(&[("fail", "x")]), call(&[("fail", "x")]), call(&[("look", "x")]), text("found x")];
    let model = TestModel::script(PlannerProfile::Full, replies);
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!(outcome.status, RunStatus::Completed);
    let sent = model.requests.lock().unwrap().clone();
    assert!(sent.windows(2).all(|pair| pair[1].messages.starts_with(&pair[0].messages)));
    assert!(sent.iter().all(|request| (request.temperature, request.seed) == (0.0, Some(1))));
    assert_rebuilt(&rig, &executor, &outcome.run, &sent);
}

#[tokio::test]
async fn a_small_model_is_told_all_tools_that_a_step_must_call_and_after_each_call_which_are_missing() {
    // covers: T35
    let rig = Rig::new(json!([tool("s1", "look x, append y", &["look", "append"], &[])])).await;
    let model = TestModel::obedient();
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!(outcome.status, RunStatus::Completed);
    let told: Vec<String> =
        model.requests.lock().unwrap().iter().map(|request| shown(request).0.pop().unwrap()).collect();
    assert!(told[0].contains("Call look, then append. Do not describe them"), "{told:?}");
    assert!(told[1].trim_end().ends_with("Go on: append has not yet been called with success."), "{told:?}");
    assert!(told[2].contains("Otherwise reply"), "{told:?}");
}
