//! A specialist without tools hands its step on while it runs.

use assent_core::heap::Settled;
use assent_core::run::{Answer, CallState, EventKind, Purpose, RequestKind, StepStatus, Usage};
use assent_engine::heap::Delegation;
use assent_engine::model::Reply;
use assent_engine::model::scripted::Scripted;
use assent_engine::turn::TurnEnd;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::studio::{Studios, decision, handed_over, said, step};

// covers: H52 H67 H68 H69 H70 H71 H77
#[tokio::test]
async fn a_specialist_without_tools_hands_its_step_on_while_it_runs() {
    let studio = Studios::new().await;
    Delegation::Runtime.choose(studio.engine.settings()).unwrap();
    studio.says(Purpose::Choose, r#"{"summary":"Look first, then run.","delegateHeap":["improvement","workflow"]}"#);
    studio.calls("list_findings", json!({}));
    studio.says(Purpose::Step, "There is one finding.");
    studio.says(Purpose::Choose, r#"{"summary":"Runs.","delegateHeap":["workflow_runs"]}"#);
    studio.calls("execute_workflow", json!({}));
    studio.says(Purpose::Step, "It has run.");
    studio.says(Purpose::Step, "All is said.");
    let steps = json!([
        handed_over("s1", "office", &[]),
        {"id": "s2", "description": "Sum up", "stepType": "reasoning", "dependencies": ["s1"]}
    ]);
    let end = studio.carry_out(steps, json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(studio.called(), ["list_findings", "execute_workflow"]);

    // One round for each specialist without tools, with no tool in it.
    let rounds = studio.of(Purpose::Choose);
    assert_eq!(rounds.len(), 2);
    assert!(rounds.iter().all(|request| request.tools.is_empty()));
    assert!(said(&rounds[0]).contains("- workflow: Does all about workflow."), "{}", said(&rounds[0]));
    for round in &rounds {
        // Once: what the part above was told stands in the step already.
        assert_eq!(said(round).matches("Plan for whoever does it: Politely.").count(), 1, "{}", said(round));
    }
    assert!(studio.expanded().is_empty(), "nothing is expanded beforehand");
    let completed = |ids: &[&str]| ids.iter().map(|id| ((*id).to_owned(), StepStatus::Completed)).collect::<Vec<_>>();
    assert_eq!(studio.ended(), completed(&["s1/1", "s1/2/1", "s1/2", "s1", "s2"]));
    let parts: Vec<(String, String)> = studio
        .events()
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::StepDelegated { summary, steps, .. } => Some((
                summary,
                steps.iter().map(|step| format!("{}={}", step.id, step.executor.id)).collect::<Vec<_>>().join(" "),
            )),
            _ => None,
        })
        .collect();
    let told = |summary: &str, steps: &str| (summary.to_owned(), steps.to_owned());
    assert_eq!(
        parts,
        [told("Look first, then run.", "s1/1=improvement s1/2=workflow"), told("Runs.", "s1/2/1=workflow_runs")]
    );

    // A part is told what the plan says to the specialist that was named, and what the part before it gave.
    let requests = studio.of(Purpose::Step);
    assert!(requests.iter().all(|request| request.tools.len() <= 10));
    let running = said(&requests[2]);
    assert!(running.contains("Plan for you:\nPolitely.") && running.contains("There is one finding."), "{running}");
    let summing_up = said(&requests[4]);
    assert!(summing_up.contains("There is one finding.\n\nIt has run."), "{summing_up}");
    for event in studio.events().iter().filter(|event| matches!(event.kind, EventKind::ModelReplied { .. })) {
        studio.engine.runs().sent(&studio.session, event.seq).unwrap();
    }
}

#[tokio::test]
async fn a_part_of_a_step_is_told_the_note_with_which_the_plan_was_approved() {
    let studio = Studios::new().await;
    Delegation::Runtime.choose(studio.engine.settings()).unwrap();
    studio.says(Purpose::Choose, r#"{"summary":"Runs.","delegateHeap":["workflow_runs"]}"#);
    studio.calls("execute_workflow", json!({}));
    studio.says(Purpose::Step, "It has run.");
    let steps = json!([handed_over("s1", "workflow", &[])]);
    let end = studio.carry_out_noted(steps, json!({}), Some("Only the weekly one.")).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let requests = studio.of(Purpose::Step);
    assert_eq!(requests.len(), 2);
    assert!(requests.iter().all(|request| said(request).contains("- Only the weekly one.")), "{}", said(&requests[0]));
}

#[tokio::test]
async fn a_part_that_waits_for_a_person_holds_its_whole_step_and_goes_on_after_a_restart() {
    let mut studio = Studios::new().await;
    Delegation::Runtime.choose(studio.engine.settings()).unwrap();
    studio.says(Purpose::Choose, r#"{"summary":"Runs.","delegateHeap":["workflow_runs"]}"#);
    studio.calls("ask_user", json!({"question": "Which run?"}));
    let end = studio.carry_out(json!([step("s1", "workflow", &["ask_user"], &[])]), json!({})).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    studio.reopen();
    let open = studio.engine.requests().open().unwrap();
    let path: Vec<String> = open[0].request.path.iter().map(ToString::to_string).collect();
    assert_eq!(path, ["s1", "s1/1"]);
    assert_eq!(open[0].request.asked_by, "workflow_runs");
    studio.says(Purpose::Step, "It is run 7.");
    let answer = Answer::Value { value: json!("run 7") };
    let end = studio.engine.turns().answer(&open[0].request.id, answer, &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(studio.ended(), [("s1/1".to_owned(), StepStatus::Completed), ("s1".to_owned(), StepStatus::Completed)]);
    let run = studio.engine.runs().list(&studio.session).unwrap().remove(0);
    let state = studio.engine.runs().get(&run.id).unwrap().state;
    assert!(state.ledger().iter().all(|entry| matches!(entry.state, CallState::Ended(_))));
}

// covers: T46 T52 T53
#[tokio::test]
async fn what_nobody_who_was_named_can_call_is_handed_on_too_and_its_part_is_held_to_it() {
    let studio = Studios::new().await;
    Delegation::Runtime.choose(studio.engine.settings()).unwrap();
    // Both tools are required, and no one leaf has both.
    studio.says(Purpose::Choose, r#"{"summary":"","delegateHeap":["improvement"]}"#);
    studio.calls("list_findings", json!({}));
    studio.says(Purpose::Step, "All is done, also the run.");
    studio.says(Purpose::Step, "The run is fine.");
    studio.calls("get_run", json!({}));
    studio.says(Purpose::Step, "The run is fine, as it says.");
    let end = studio.carry_out(json!([step("s1", "office", &["list_findings", "get_run"], &[])]), json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let completed = ["s1/1", "s1/2", "s1"].map(|id| (id.to_owned(), StepStatus::Completed));
    assert_eq!(studio.ended(), completed);
    assert_eq!(studio.called(), ["list_findings", "get_run"]);
    let enforced: Vec<Vec<String>> = studio
        .events()
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::Enforced { missing, .. } => Some(missing),
            _ => None,
        })
        .collect();
    assert_eq!(enforced, [["get_run"]], "only what is missing, of whoever has it");
    let warned = studio.events().into_iter().find_map(|event| match event.kind {
        EventKind::Warned { message } => Some(message),
        _ => None,
    });
    let added = "delegateHeap: \"workflow\" does a part too: get_run is required, and nobody who was named has it";
    assert_eq!(warned.as_deref(), Some(added));
}

#[tokio::test]
async fn a_part_that_never_makes_its_required_call_fails_the_step_that_required_it() {
    let studio = Studios::new().await;
    Delegation::Runtime.choose(studio.engine.settings()).unwrap();
    studio.says(Purpose::Choose, r#"{"summary":"","delegateHeap":["improvement"]}"#);
    studio.calls("list_findings", json!({}));
    studio.says(Purpose::Step, "There is one.");
    for _ in 0..3 {
        studio.says(Purpose::Step, "The run is fine.");
    }
    let end = studio.carry_out(json!([step("s1", "office", &["list_findings", "get_run"], &[])]), json!({})).await;
    assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
    let ended = [("s1/1", StepStatus::Completed), ("s1/2", StepStatus::Failed), ("s1", StepStatus::Failed)];
    assert_eq!(studio.ended(), ended.map(|(id, status)| (id.to_owned(), status)));
    let why = studio.events().into_iter().rev().find_map(|event| match event.kind {
        EventKind::StepEnded { reason, .. } => reason,
        _ => None,
    });
    assert_eq!(why.as_deref(), Some("part s1/2: Step s1/2 did not invoke required tools: get_run"));
}

#[tokio::test]
async fn what_delegating_takes_counts_for_the_whole_branch_and_a_person_decides_where_it_is_used_up() {
    let studio = Studios::new().await;
    Delegation::Runtime.choose(studio.engine.settings()).unwrap();
    // The first round takes all that there is.
    let round = Reply {
        text: r#"{"summary":"","delegateHeap":["workflow"]}"#.to_owned(),
        usage: Usage { input: 1_500, cached: 0, output: 10 },
        ..Reply::default()
    };
    studio.model.push(Purpose::Choose, Scripted::reply(round));
    let end = studio.carry_out(json!([handed_over("s1", "office", &[])]), json!({"branchTokens": 1000})).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let open = studio.engine.requests().open().unwrap();
    assert_eq!((open.len(), open[0].request.kind), (1, RequestKind::Cap));
    let path: Vec<String> = open[0].request.path.iter().map(ToString::to_string).collect();
    assert_eq!(path, ["s1", "s1/1"]);
    assert_eq!(studio.of(Purpose::Choose).len(), 1, "the second specialist is not asked");
}

#[tokio::test]
async fn delegation_ends_at_its_depth_and_whatever_is_answered() {
    let studio = Studios::new().await;
    Delegation::Runtime.choose(studio.engine.settings()).unwrap();
    // What is no delegation goes to the first below, which may not hand on any further.
    studio.says(Purpose::Choose, "I do not know");
    studio.says(Purpose::Step, "done");
    let end = studio.carry_out(json!([handed_over("s1", "office", &[])]), json!({"depth": 1})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let (step, found) = studio.expanded().remove(0);
    let path = vec![decision("workflow", "workflow_runs", Settled::DepthLimit)];
    assert_eq!((step.as_str(), found.path, found.calls), ("s1/1", path, 0));
    let told: Vec<String> = studio
        .events()
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::LimitReached { limit, value } => Some(format!("{limit} {value}")),
            EventKind::Warned { message } => Some(message),
            _ => None,
        })
        .collect();
    assert_eq!(told, ["s1 was handed on to \"workflow\", the first below it: none was named", "depth 1"]);
    assert_eq!(studio.of(Purpose::Choose).len(), 1);
}

#[tokio::test]
async fn a_run_delegates_so_many_steps_and_then_brings_the_others_to_a_leaf() {
    let studio = Studios::new().await;
    Delegation::Runtime.choose(studio.engine.settings()).unwrap();
    // Each step hands on to both parts of `workflow`: 29 of them are 58 steps, and seven more, as many as a specialist
    // may have below it, would be beyond 64.
    let count = 32;
    for _ in 0..count {
        studio.says(Purpose::Choose, r#"{"summary":"","delegateHeap":["workflow_runs","workflow__part2"]}"#);
    }
    for _ in 0..(3 * count) {
        studio.says(Purpose::Step, "done");
    }
    studio.says(Purpose::Synthesis, "All is done.");
    let steps: Vec<_> = (0..count)
        .map(|at| {
            let after = if at == 0 { Vec::new() } else { vec![format!("s{}", at - 1)] };
            let after: Vec<&str> = after.iter().map(String::as_str).collect();
            handed_over(&format!("s{at}"), "workflow", &after)
        })
        .collect();
    let end = studio.carry_out(json!(steps), json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let events = studio.events();
    let delegated: Vec<usize> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::StepDelegated { steps, .. } => Some(steps.len()),
            _ => None,
        })
        .collect();
    assert_eq!(delegated, [2; 29]);
    let reached: Vec<(String, u32)> = events
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::LimitReached { limit, value } => Some((limit, value)),
            _ => None,
        })
        .collect();
    assert_eq!(reached, vec![("delegations".to_owned(), 64); 3]);
    let brought: Vec<String> = studio.expanded().into_iter().map(|(step, _)| step).collect();
    assert_eq!(brought, ["s29", "s30", "s31"]);
}

#[tokio::test]
async fn what_a_part_reports_without_a_call_behind_it_marks_the_step_above_it_too() {
    let studio = Studios::new().await;
    Delegation::Runtime.choose(studio.engine.settings()).unwrap();
    studio.says(Purpose::Choose, r#"{"summary":"Look.","delegateHeap":["improvement"]}"#);
    studio.calls("list_findings", json!({}));
    studio.says(Purpose::Step, "I have saved the findings to out.md.");
    let end = studio.carry_out(json!([handed_over("s1", "office", &[])]), json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let mark = "it says \"I have saved the findings to out.md\", and no call stands behind that";
    let reasons = studio.events().into_iter().filter_map(|event| match event.kind {
        EventKind::StepEnded { reason, .. } => Some((event.place.step?.to_string(), reason?)),
        _ => None,
    });
    let expected = [("s1/1", mark.to_owned()), ("s1", format!("part s1/1: {mark}"))];
    assert_eq!(reasons.collect::<Vec<_>>(), expected.map(|(step, reason)| (step.to_owned(), reason)));
}
