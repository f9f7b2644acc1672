//! One step of a plan is planned anew on a comment, and everything else of it stays.

use assent_core::ids::StepId;
use assent_core::run::{Decider, EventKind, Purpose};
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use serde_json::json;
use tokio_util::sync::CancellationToken;

async fn planned(desk: &Desk) -> assent_core::plan::PlanRef {
    desk.plans(&json!({"title": "Count", "steps": [
        {"tool": "grep", "do": "Find the lines with \"berlin\" in all notes", "expect": "lines"},
        {"tool": "create_file", "do": "Write counts.md with the numbers", "expect": "counts.md"},
        {"tool": "none", "do": "Say how many there are", "expect": "a number"},
    ]}));
    let session = desk.session().await;
    let message = "How many lines mention Berlin? Write the numbers to counts.md.";
    let end = desk.send(&session, message, ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    plan
}

#[tokio::test]
async fn a_step_is_planned_anew_with_a_comment_and_the_others_stay() {
    let desk = Desk::with(&[("a.txt", "berlin\n")]);
    let plan = planned(&desk).await;
    desk.plans(&json!({"title": "Table", "extractedContext": {"form": "CSV"}, "steps": [
        {"tool": "bash", "do": "With a Python script, count the lines of each file", "expect": "counts"},
        {"tool": "create_file", "do": "Write counts.csv with a row for each file", "expect": "counts.csv"},
    ]}));
    let cancel = CancellationToken::new();
    let next = desk.engine.turns().rework(&plan, &StepId::from("s2"), "As CSV, a row a file", &cancel).await.unwrap();
    assert_eq!((next.id.clone(), next.version), (plan.id.clone(), 2));

    let (old, new) = (
        desk.engine.plans().get(plan.id.as_str(), Some(1)).unwrap(),
        desk.engine.plans().get(plan.id.as_str(), Some(2)).unwrap(),
    );
    let shown: Vec<(&str, &str, Vec<&str>)> = new
        .steps
        .iter()
        .map(|step| {
            let after = step.dependencies.iter().map(StepId::as_str).collect();
            (step.id.as_str(), step.description.as_str(), after)
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("s1", "Find the lines with \"berlin\" in all notes", vec![]),
            ("s4", "With a Python script, count the lines of each file", vec!["s1"]),
            ("s2", "Write counts.csv with a row for each file", vec!["s4"]),
            ("s3", "Say how many there are", vec!["s2"]),
        ]
    );
    assert_eq!((new.supersedes, &new.user_message, &new.title), (Some(1), &old.user_message, &old.title));
    assert_eq!((&new.steps[0], &new.steps[3]), (&old.steps[0], &old.steps[2]));
    assert_eq!((old.extracted_context.get("form"), &new.extracted_context["form"]), (None, &json!("CSV")));

    // One call, which is told the message, the plan, the step and what was said of it.
    let asked: Vec<_> = desk.model.requests().into_iter().filter(|request| request.purpose == Purpose::Plan).collect();
    assert_eq!(asked.len(), 2);
    let told = format!("{:?}", asked[1].messages);
    for needed in
        ["How many lines mention Berlin?", "s3. Say how many there are", "Step s2 of this plan", "As CSV, a row a file"]
    {
        assert!(told.contains(needed), "{needed}: {told}");
    }
    let comments = desk.engine.plans().comments(&plan.id).unwrap();
    assert_eq!(comments[0].text, "As CSV, a row a file");

    // It needs an approval of its own, and is then carried out.
    assert!(desk.engine.turns().run(&next, &cancel).await.is_err());
    desk.calls("grep", json!({"pattern": "berlin"}));
    desk.says("One line.");
    desk.calls("bash", json!({"command": "wc -l a.txt"}));
    desk.says("One.");
    desk.calls("create_file", json!({"path": "counts.csv", "content": "a.txt,1\n"}));
    desk.says("Written.");
    desk.says("There is one.");
    let end = desk.engine.turns().approve(&next, Decider::User, None, &cancel).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(desk.file("counts.csv").as_deref(), Some("a.txt,1\n"));
}

#[tokio::test]
async fn what_is_put_right_in_a_step_that_is_planned_anew_is_said() {
    let desk = Desk::with(&[("a.txt", "berlin\n")]);
    let plan = planned(&desk).await;
    desk.plans(&json!({"title": "Send", "steps": [{"tool": "mail_it", "do": "Send the numbers", "expect": "sent"}]}));
    let cancel = CancellationToken::new();
    let next = desk.engine.turns().rework(&plan, &StepId::from("s2"), "Send them", &cancel).await.unwrap();
    let session = desk.engine.plans().get(next.id.as_str(), None).unwrap().session_id;
    let warned = desk.events(&session).into_iter().filter_map(|event| match event.kind {
        EventKind::Warned { message } => Some(message),
        _ => None,
    });
    let warned: Vec<String> = warned.collect();
    assert!(warned.iter().any(|message| message.contains("there is no tool \"mail_it\"")), "{warned:?}");
}

#[tokio::test]
async fn where_the_planner_gives_no_step_the_plan_stays_and_what_it_said_is_kept() {
    let desk = Desk::with(&[("a.txt", "berlin\n")]);
    let plan = planned(&desk).await;
    let cancel = CancellationToken::new();
    let rework = async |step: &str, comment: &str| {
        let step = StepId::from(step);
        desk.engine.turns().rework(&plan, &step, comment, &cancel).await.unwrap_err().to_string()
    };
    assert_eq!(rework("s9", "x").await, "there is no step s9 in the plan");
    assert!(rework("s1", "  ").await.contains("empty"));
    for _ in 0..2 {
        desk.plans(&json!({"title": "x", "steps": []}));
    }
    let error = rework("s1", "Otherwise").await;
    assert!(error.starts_with("the step was not planned anew: "), "{error}");
    assert_eq!(desk.engine.plans().history(&plan.id).unwrap().len(), 1);
    let session = desk.engine.plans().get(plan.id.as_str(), None).unwrap().session_id;
    let replies =
        desk.events(&session).into_iter().filter(|event| matches!(event.kind, EventKind::ModelReplied { .. }));
    assert_eq!(replies.count(), 3, "the plan, and both tries");
}
