//! Routes with specialists side by side: they stay side by side when they are brought to leaves, no leaf stands twice in a
//! group, and what a route is told to become beforehand is what a run makes of it.

use assent_core::plan::{Route, route_to_steps};
use assent_core::run::{EventKind, Purpose, RunStatus, StepStatus};
use assent_engine::heap::Delegation;
use assent_engine::model::scripted::Scripted;
use assent_engine::model::{ModelError, PlannerProfile};
use assent_engine::turn::TurnEnd;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::studio::{Studios, handed_over, said};

/// The steps of a route, as they stand in a plan that was made of one.
fn steps(route: &Value) -> Value {
    let route: Route = serde_json::from_value(route.clone()).unwrap();
    json!(route_to_steps(&route, "The task", ""))
}

/// Who was chosen at each call, in order.
fn chosen(studio: &Studios, choices: &[&str]) {
    for one in choices {
        studio.says(Purpose::Choose, &json!({"specialist": one}).to_string());
    }
}

/// What the steps of a run came to: the leaf of each that was done, in groups by what they waited for.
fn done(studio: &Studios, route: &Value) -> Value {
    let expanded = studio.expanded();
    let events = studio.events();
    let carried: Vec<String> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::StepEnded { carried_from: Some(_), .. } => Some(event.place.step.as_ref()?.to_string()),
            _ => None,
        })
        .collect();
    let steps: Vec<Value> = serde_json::from_value(steps(route)).unwrap();
    let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
    for step in steps {
        let id = step["id"].as_str().unwrap();
        if carried.iter().any(|one| one == id) {
            continue;
        }
        let leaf = expanded.iter().find(|(step, _)| step == id).map(|(_, one)| json!(one.leaf));
        let leaf = leaf.unwrap_or_else(|| step["executor"]["id"].clone());
        match groups.iter_mut().find(|(after, _)| *after == step["dependencies"]) {
            Some((_, leaves)) => leaves.push(leaf),
            None => groups.push((step["dependencies"].clone(), vec![leaf])),
        }
    }
    let groups = groups.into_iter().map(|(_, leaves)| match leaves.as_slice() {
        [one] => one.clone(),
        several => json!({"parallel": several}),
    });
    json!(groups.collect::<Vec<_>>())
}

// covers: H54 H58 H63 H64 P12 P18
#[tokio::test]
async fn a_run_makes_of_a_route_what_it_was_told_to_become() {
    for (route, choices, becomes) in [
        (json!(["general", "agent"]), &[][..], json!(["general", "agent"])),
        (
            json!([{"parallel": ["agent", "workflow"]}, "general"]),
            &["workflow_runs"],
            json!([{"parallel": ["agent", "workflow_runs"]}, "general"]),
        ),
        (
            json!(["general", {"parallel": ["office", "agent", "general"]}, {"parallel": ["workflow", "improvement"]}]),
            &["workflow", "workflow__part2", "workflow_runs"],
            json!(["general", {"parallel": ["workflow__part2", "agent", "general"]}, {"parallel": ["workflow_runs", "improvement"]}]),
        ),
        // Both come to the same leaf, by a choice or by name: it does the task once.
        (
            json!([{"parallel": ["office", "workflow", "agent"]}, "general"]),
            &["workflow", "workflow_runs", "workflow_runs"],
            json!([{"parallel": ["workflow_runs", "agent"]}, "general"]),
        ),
        (
            json!([{"parallel": ["workflow", "workflow_runs"]}, "workflow"]),
            &["workflow_runs", "workflow_runs"],
            json!(["workflow_runs", "workflow_runs"]),
        ),
    ] {
        let studio = Studios::new().await;
        chosen(&studio, choices);
        let told: Route = serde_json::from_value(route.clone()).unwrap();
        let told = studio.engine.heap().expand(&told, "The task", &CancellationToken::new()).await;
        assert_eq!((json!(told.route), told.faults.len()), (becomes.clone(), 0), "{route}");

        let studio = Studios::new().await;
        chosen(&studio, choices);
        for _ in 0..20 {
            studio.says(Purpose::Step, "My part is done.");
        }
        studio.says(Purpose::Synthesis, "All is done.");
        let end = studio.carry_out(steps(&route), json!({})).await;
        assert!(matches!(end, TurnEnd::Answered { .. }), "{route}: {end:?}");
        assert_eq!(done(&studio, &route), becomes, "{route}");
        assert_eq!(studio.of(Purpose::Choose).len(), choices.len(), "{route}");
        let leaves = becomes.to_string().matches("\"").count() / 2 - becomes.to_string().matches("parallel").count();
        let begun = studio.events().iter().filter(|event| matches!(event.kind, EventKind::StepStarted { .. })).count();
        assert_eq!(begun, leaves, "{route}: each leaf of the route works once");
    }
}

#[tokio::test]
async fn who_is_the_same_as_another_beside_it_is_done_by_that_one_and_says_so() {
    let mut studio = Studios::new().await;
    chosen(&studio, &["workflow", "workflow_runs", "workflow_runs"]);
    studio.calls("execute_workflow", json!({}));
    studio.says(Purpose::Step, "It has run once.");
    studio.calls("ask_user", json!({"question": "Shall I tell more?"}));
    let route = json!([{"parallel": ["office", "workflow"]}, "general"]);
    let end = studio.carry_out(steps(&route), json!({"maxParallelSteps": 1})).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    assert_eq!(studio.called(), ["execute_workflow"], "nothing is made twice");
    let reasons: Vec<(String, StepStatus, Option<String>)> = studio
        .events()
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::StepEnded { status, reason, carried_from: Some(_), .. } => {
                Some((event.place.step?.to_string(), status, reason))
            }
            _ => None,
        })
        .collect();
    let why = "s1 is the same: \"workflow_runs\" does both";
    assert_eq!(reasons, [("s2".to_owned(), StepStatus::Completed, Some(why.to_owned()))]);
    let one = said(&studio.of(Purpose::Step)[0]);
    assert!(one.contains("Plan for you:\nPolitely.\nWeekly."), "it is told what was said to both: {one}");
    let last = said(studio.of(Purpose::Step).last().unwrap());
    assert!(last.contains("It has run once."), "who waits for both sees what was done: {last}");

    // What was sent can be had again, byte for byte, with what was said to the other.
    let events = studio.events();
    let replies =
        events.iter().filter(|event| matches!(event.kind, EventKind::ModelReplied { purpose: Purpose::Step, .. }));
    for (reply, request) in replies.zip(studio.of(Purpose::Step)) {
        assert_eq!(studio.engine.runs().sent(&studio.session, reply.seq).unwrap().request, request);
    }

    // Another process goes on with the same, and chooses nothing anew.
    studio.reopen();
    let open = studio.engine.requests().open().unwrap().remove(0);
    studio.says(Purpose::Step, "That is all.");
    studio.says(Purpose::Synthesis, "That is all.");
    let answer = assent_core::run::Answer::Value { value: json!("no") };
    let end = studio.engine.turns().answer(&open.request.id, answer, &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert!(studio.of(Purpose::Choose).is_empty());
    let run = studio.engine.runs().list(&studio.session).unwrap().remove(0);
    assert_eq!(run.status, RunStatus::CompletedWithWarnings, "a person is told");
}

#[tokio::test]
async fn who_is_the_same_as_another_that_fails_has_not_done_its_part() {
    let studio = Studios::new().await;
    chosen(&studio, &["workflow", "workflow_runs", "workflow_runs"]);
    let offline = ModelError::Offline { endpoint: "http://x".to_owned(), reason: "refused".to_owned() };
    studio.model.push(Purpose::Step, Scripted::failure(offline));
    let route = json!([{"parallel": ["office", "workflow"]}, "general"]);
    let end = studio.carry_out(steps(&route), json!({"maxParallelSteps": 8})).await;
    assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
    let mut ended = studio.ended();
    ended.sort_by(|(one, _), (other, _)| one.cmp(other));
    let (failed, skipped) = (StepStatus::Failed, StepStatus::Skipped);
    assert_eq!(ended, [("s1", failed), ("s2", skipped), ("s3", skipped)].map(|(step, how)| (step.to_owned(), how)));
    let reasons = studio.events().into_iter().filter_map(|event| match event.kind {
        EventKind::StepEnded { reason, .. } if event.place.step.as_ref().is_some_and(|step| step.as_str() == "s2") => {
            reason
        }
        _ => None,
    });
    assert_eq!(reasons.collect::<Vec<_>>(), ["s1 is the same: \"workflow_runs\" does both, and it is failed"]);
}

#[tokio::test]
async fn who_has_to_call_something_else_than_another_beside_it_works_for_itself() {
    let studio = Studios::new().await;
    chosen(&studio, &["workflow", "workflow_runs"]);
    studio.says(Purpose::Step, "My part is done.");
    studio.calls("execute_workflow", json!({}));
    studio.says(Purpose::Step, "It has run once.");
    studio.says(Purpose::Synthesis, "Both are done.");
    let mut own = steps(&json!([{"parallel": ["office", "workflow"]}]));
    own.as_array_mut().unwrap()[1]["requiredTools"] = json!(["execute_workflow"]);
    studio.carry_out(own, json!({"maxParallelSteps": 1})).await;
    assert_eq!(studio.called(), ["execute_workflow"]);
    let begun = studio.events().iter().filter(|event| matches!(event.kind, EventKind::StepStarted { .. })).count();
    assert_eq!(begun, 2);
}

// covers: H64
#[tokio::test]
async fn who_fails_beside_another_takes_nobody_down_but_those_who_wait_for_it() {
    let studio = Studios::new().await;
    let offline = ModelError::Offline { endpoint: "http://x".to_owned(), reason: "refused".to_owned() };
    studio.model.push(Purpose::Step, Scripted::failure(offline));
    studio.calls("list_findings", json!({}));
    studio.says(Purpose::Step, "There is one finding.");
    studio.says(Purpose::Synthesis, "The findings are there, the agents are not.");
    let route = json!([{"parallel": ["agent", "improvement"]}, "general"]);
    let end = studio.carry_out(steps(&route), json!({"maxParallelSteps": 1})).await;
    assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
    let (failed, completed, skipped) = (StepStatus::Failed, StepStatus::Completed, StepStatus::Skipped);
    let mut ended = studio.ended();
    ended.sort_by(|(one, _), (other, _)| one.cmp(other));
    let expected = [("s1", failed), ("s2", completed), ("s3", skipped)];
    assert_eq!(ended, expected.map(|(step, status)| (step.to_owned(), status)));
    let told = said(&studio.of(Purpose::Step)[1]);
    assert!(!told.contains("Step s1") && told.contains("Previous Steps Results:\nNone"), "beside, not after: {told}");
}

// covers: H64 H69 H77
#[tokio::test]
async fn who_is_named_side_by_side_while_it_runs_works_side_by_side() {
    let studio = Studios::new().await;
    Delegation::Runtime.choose(studio.engine.settings()).unwrap();
    studio.says(Purpose::Choose, r#"{"summary":"Both.","delegateHeap":[{"parallel":["improvement","workflow"]}]}"#);
    studio.calls("list_findings", json!({}));
    studio.says(Purpose::Step, "There is one finding.");
    studio.says(
        Purpose::Choose,
        r#"{"summary":"Look, then both.","delegateHeap":["workflow_runs",{"parallel":["workflow_runs","workflow__part2"]}]}"#,
    );
    for tool in ["list_runs", "get_run", "list_workflows"] {
        studio.calls(tool, json!({}));
        studio.says(Purpose::Step, "My part is done.");
    }
    studio.says(Purpose::Synthesis, "All is done.");
    let end = studio.carry_out(json!([handed_over("s1", "office", &[])]), json!({"maxParallelSteps": 1})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let delegated = studio.events().into_iter().filter_map(|event| match event.kind {
        EventKind::StepDelegated { steps, .. } => Some(steps),
        _ => None,
    });
    let parts: Vec<String> = delegated
        .flatten()
        .map(|step| {
            let after: Vec<&str> = step.dependencies.iter().map(|id| id.as_str()).collect();
            format!("{} {} [{}]", step.id, step.executor.id, after.join(" "))
        })
        .collect();
    let expected = [
        "s1/1 improvement []",
        "s1/2 workflow []",
        "s1/2/1 workflow_runs []",
        "s1/2/2 workflow_runs [s1/2/1]",
        "s1/2/3 workflow__part2 [s1/2/1]",
    ];
    assert_eq!(parts, expected);
    assert_eq!(studio.called(), ["list_findings", "list_runs", "get_run", "list_workflows"]);
}

// covers: P12
#[tokio::test]
async fn two_that_could_make_the_same_thing_work_one_after_the_other_also_where_a_step_is_handed_to_both() {
    let one = |id: &str, tools: &[&str]| json!({"id": id, "description": format!("Does {id}."), "toolNames": tools});
    let office =
        json!({"id": "office", "description": "All.", "topLevel": true, "children": ["writer", "maker", "reader"]});
    let specialists = [
        one("writer", &["create_file"]),
        one("maker", &["list_agents", "create_file"]),
        one("reader", &["list_agents"]),
        office,
    ];
    let studio = Studios::with(PlannerProfile::Full, &json!({"specialists": specialists})).await;
    Delegation::Runtime.choose(studio.engine.settings()).unwrap();
    studio.says(Purpose::Choose, r#"{"summary":"All.","delegateHeap":[{"parallel":["writer","maker","reader"]}]}"#);
    // How the parts end is another matter: nobody answers for them here.
    studio.carry_out(json!([handed_over("s1", "office", &[])]), json!({"maxParallelSteps": 3})).await;
    let events = studio.events();
    let delegated = events.iter().find_map(|event| match &event.kind {
        EventKind::StepDelegated { steps, .. } => Some(steps),
        _ => None,
    });
    let parts: Vec<(&str, usize)> =
        delegated.unwrap().iter().map(|step| (step.executor.id.as_str(), step.dependencies.len())).collect();
    assert_eq!(parts, [("writer", 0), ("reader", 0), ("maker", 2)]);
    let is_told = |event: &assent_core::run::Event| matches!(&event.kind, EventKind::Warned { message } if message.contains("could make the same thing twice"));
    assert!(events.iter().any(is_told), "{events:?}");
}
