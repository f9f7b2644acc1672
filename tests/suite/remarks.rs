//! What a person says of a plan, with its approval or beside its steps, is told to every model that works on it.

use assent_core::ids::{SessionId, StepId};
use assent_core::plan::PlanRef;
use assent_core::run::{Decider, EventKind, Purpose};
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{Message, ModelProfile, PlannerProfile, Request};
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use serde_json::json;
use tokio_util::sync::CancellationToken;

const MESSAGE: &str = "How many lines mention Berlin? Write the numbers to counts.md.";
const NOTE: &str = "Please count Berlin in capitals too.";
const WHOLE: &str = "All of it for the year 2025.";
const ON_S2: &str = "Write it as a table with a head.";

fn desk(planner: PlannerProfile) -> Desk {
    let id = "scripted/test".to_owned();
    let profile = ModelProfile { id, context_tokens: 8_192, planner, parallel: 1, local: false };
    Desk::on(ScriptedModel::new(profile), &[("a.txt", "Berlin\nin berlin\n")])
}

/// A plan that waits, with a comment on all of it and one on its second step.
async fn waiting(desk: &Desk) -> (SessionId, PlanRef) {
    desk.plans(&json!({"title": "Count", "steps": [
        {"tool": "grep", "do": "Find the lines that contain \"berlin\"", "expect": "counts"},
        {"tool": "create_file", "do": "Write counts.md with the numbers", "expect": "counts.md"},
    ]}));
    let session = desk.session().await;
    let end = desk.send(&session, MESSAGE, ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    let document = desk.engine.plans().get(plan.id.as_str(), None).unwrap();
    desk.engine.plans().comment(&document, None, WHOLE).await.unwrap();
    desk.engine.plans().comment(&document, Some(StepId::from("s2")), ON_S2).await.unwrap();
    (session, plan)
}

fn work(desk: &Desk) {
    desk.calls("grep", json!({"pattern": "berlin"}));
    desk.says("two");
    desk.calls("create_file", json!({"path": "counts.md", "content": "a.txt 2\n"}));
    desk.says("The numbers are in counts.md.");
}

async fn approve(desk: &Desk, plan: &PlanRef, note: Option<&str>) {
    let note = note.map(str::to_owned);
    let end = desk.engine.turns().approve(plan, Decider::User, note, &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
}

fn asked(desk: &Desk, purpose: Purpose) -> Vec<Request> {
    desk.model.requests().into_iter().filter(|request| request.purpose == purpose).collect()
}

/// Everything that a request says to the model beside its rules.
fn told(request: &Request) -> String {
    let texts = request.messages.iter().filter_map(|message| match message {
        Message::User { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn rules(request: &Request) -> &str {
    match &request.messages[0] {
        Message::System { text } => text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_step_is_told_the_note_of_the_approval_and_only_its_own_comments() {
    for planner in [PlannerProfile::Full, PlannerProfile::Compact] {
        let desk = desk(planner);
        let (session, plan) = waiting(&desk).await;
        work(&desk);
        desk.model.push(Purpose::Synthesis, Scripted::text("Two lines."));
        approve(&desk, &plan, Some(NOTE)).await;

        let steps = asked(&desk, Purpose::Step);
        let texts: Vec<String> = steps.iter().map(told).collect();
        assert_eq!(texts.len(), 4);
        for text in &texts {
            assert!(text.contains("What the user said of this plan; follow it:"), "{text}");
            assert!(text.contains(NOTE) && text.contains(WHOLE), "{planner:?}: {text}");
        }
        let with: Vec<bool> = texts.iter().map(|text| text.contains(&format!("On step s2: {ON_S2}"))).collect();
        assert_eq!(with, [false, false, true, true], "{planner:?}");
        // The rules are the same for all steps of a kind, so that their prefix stays cached.
        assert!(steps.iter().all(|request| !rules(request).contains(NOTE) && !rules(request).contains(ON_S2)));

        // Whoever looks at a request sees what was sent, also of a run whose plan was commented on since.
        let document = desk.engine.plans().get(plan.id.as_str(), None).unwrap();
        desk.engine.plans().comment(&document, None, "Said too late.").await.unwrap();
        let replies = desk.events(&session).into_iter().filter(|event| {
            matches!(event.kind, EventKind::ModelReplied { purpose: Purpose::Step | Purpose::Synthesis, .. })
        });
        let mut sent = desk.model.requests().into_iter().filter(|request| request.purpose != Purpose::Plan);
        for reply in replies {
            assert_eq!(desk.engine.runs().sent(&session, reply.seq).unwrap().request, sent.next().unwrap());
        }
    }
}

#[tokio::test]
async fn whoever_writes_the_answer_is_told_what_was_said() {
    let desk = desk(PlannerProfile::Full);
    let (_, plan) = waiting(&desk).await;
    work(&desk);
    desk.model.push(Purpose::Synthesis, Scripted::text("Two lines."));
    approve(&desk, &plan, Some(NOTE)).await;
    let synthesis = asked(&desk, Purpose::Synthesis);
    assert_eq!(synthesis.len(), 1);
    let text = told(&synthesis[0]);
    assert!(text.contains(NOTE) && text.contains(WHOLE), "{text}");
}

#[tokio::test]
async fn whoever_writes_the_answer_is_told_what_was_said_of_every_step() {
    let desk = desk(PlannerProfile::Full);
    let (session, plan) = waiting(&desk).await;
    let document = desk.engine.plans().get(plan.id.as_str(), None).unwrap();
    let on_s1 = "Berliner counts as well.";
    desk.engine.plans().comment(&document, Some(StepId::from("s1")), on_s1).await.unwrap();
    work(&desk);
    desk.model.push(Purpose::Synthesis, Scripted::text("Two lines."));
    approve(&desk, &plan, Some(NOTE)).await;
    let answer = asked(&desk, Purpose::Synthesis).remove(0);
    let text = told(&answer);
    for said in [NOTE, WHOLE, &format!("On step s1: {on_s1}"), &format!("On step s2: {ON_S2}")] {
        assert_eq!(text.matches(said).count(), 1, "{said}: {text}");
    }
    assert!(!told(&asked(&desk, Purpose::Step)[2]).contains(on_s1), "a step is told what is its own");
    let events = desk.events(&session);
    let is_answer = |kind: &EventKind| matches!(kind, EventKind::ModelReplied { purpose: Purpose::Synthesis, .. });
    let reply = events.iter().find(|event| is_answer(&event.kind)).unwrap();
    assert_eq!(desk.engine.runs().sent(&session, reply.seq).unwrap().request, answer);
}

#[tokio::test]
async fn a_step_that_is_planned_anew_knows_what_was_said_before() {
    let desk = desk(PlannerProfile::Full);
    let (_, plan) = waiting(&desk).await;
    desk.plans(&json!({"title": "Table", "steps": [{"tool": "grep", "do": "Count all lines", "expect": "counts"}]}));
    let step = StepId::from("s1");
    desk.engine.turns().rework(&plan, &step, "With every spelling", &CancellationToken::new()).await.unwrap();
    let text = told(&asked(&desk, Purpose::Plan)[1]);
    for said in [WHOLE, &format!("On step s2: {ON_S2}"), "With every spelling"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert_eq!(text.matches("With every spelling").count(), 1, "{text}");
}

#[tokio::test]
async fn a_plan_that_goes_on_from_one_knows_what_was_said_of_that() {
    for planner in [PlannerProfile::Full, PlannerProfile::Compact] {
        let desk = desk(planner);
        let (session, plan) = waiting(&desk).await;
        work(&desk);
        desk.model.push(Purpose::Synthesis, Scripted::text("Two lines."));
        approve(&desk, &plan, Some(NOTE)).await;
        desk.model.push(Purpose::Relation, Scripted::text(json!({"message": "earlier"}).to_string()));
        desk.plans(&json!({"title": "Also sorted", "steps": [
            {"tool": "create_file", "do": "Write sorted.md: the numbers, highest first", "expect": "sorted.md"},
        ]}));
        desk.send(&session, "Now also write them sorted to sorted.md", ApprovalPolicy::AlwaysAsk).await;
        let text = told(&asked(&desk, Purpose::Plan)[1]);
        for said in [NOTE, WHOLE, &format!("On step s2: {ON_S2}")] {
            assert!(text.contains(said), "{planner:?}: {said}: {text}");
        }
    }
}

#[tokio::test]
async fn a_plan_that_is_made_again_knows_what_was_said_of_the_one_that_it_replaces() {
    let desk = desk(PlannerProfile::Full);
    let (_, plan) = waiting(&desk).await;
    desk.plans(&json!({"title": "Count", "steps": [{"tool": "grep", "do": "Count all lines", "expect": "counts"}]}));
    let cancel = CancellationToken::new();
    desk.engine.turns().again(&plan, Some("In one step.".to_owned()), &cancel).await.unwrap();
    let text = told(&asked(&desk, Purpose::Plan)[1]);
    for said in [WHOLE, &format!("On step s2: {ON_S2}"), "In one step."] {
        assert!(text.contains(said), "{said}: {text}");
    }
}
