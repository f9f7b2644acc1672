//! What a window shows of plans, runs and what was sent, through the engine's door.

use assent_core::ids::RunId;
use assent_core::plan::{NewStep, Plan, PlanEdit, PlanRef};
use assent_core::run::{CallState, Content, EventKind, Purpose, RunStatus, StepStatus};
use assent_engine::executor::NotRebuilt;
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use serde_json::json;

fn desk() -> Desk {
    Desk::with(&[("a.txt", "Berlin\nin berlin\n"), ("b.txt", "Hamburg\n")])
}

async fn proposed(desk: &Desk) -> PlanRef {
    desk.plans(&json!({"title": "Count", "steps": [
        {"tool": "grep", "do": "Find the lines that contain \"berlin\" in all notes", "expect": "counts"},
        {"tool": "create_file", "do": "Write counts.md with the numbers", "expect": "counts.md"},
    ]}));
    let session = desk.session().await;
    match desk.send(&session, "Count the lines with Berlin into counts.md", ApprovalPolicy::AlwaysAsk).await {
        TurnEnd::AwaitingApproval { plan, .. } => plan,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_document_is_checked_and_changed_without_being_saved() {
    let desk = desk();
    let reference = proposed(&desk).await;
    let plans = desk.engine.plans();
    let plan = plans.get(reference.id.as_str(), None).unwrap();
    let check = plans.check(plan.clone());
    assert_eq!((check.reference, check.found.faults, check.found.model_calls), (reference.clone(), vec![], 5));
    let writes: Vec<bool> = check.found.step_effects.iter().map(|effects| !effects.writes.is_empty()).collect();
    assert_eq!((writes, check.found.effects.any()), (vec![false, true], true));

    let step = NewStep { description: "Praise".into(), dependencies: vec!["s2".into()], ..NewStep::default() };
    let draft = plans.applied(plan.clone(), vec![PlanEdit::AddStep { step }]).unwrap();
    let refused = plans.applied(draft.clone(), vec![PlanEdit::MoveStep { step: "s3".into(), to: 0 }]);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "s3 needs s2, which would come after it; remove that dependency first"
    );
    assert_eq!(plans.check(draft.clone()).found.model_calls, 5, "a last step that writes is the answer");
    // All at once, against the version that it was made of.
    let add = PlanEdit::AddStep { step: NewStep { description: "Praise".into(), ..NewStep::default() } };
    let edited = plans.edited(plan.clone(), vec![add.clone()], 1).unwrap();
    assert_eq!(edited.plan, plans.applied(plan.clone(), vec![add]).unwrap());
    assert_eq!(edited.found, plans.check(edited.plan.clone()).found);
    assert_eq!(edited.diff, plans.diff(&plan, &plans.check(edited.plan).plan));
    assert_eq!(edited.diff.added.len(), 1);
    assert!(plans.edited(plan.clone(), Vec::new(), 9).is_err(), "there is no such version");
    assert_eq!(plans.get(reference.id.as_str(), None).unwrap().version, 1);

    plans.keep_draft(&plan.id, Some(draft.clone())).unwrap();
    assert_eq!(desk.reopened().engine.plans().draft(&plan.id).unwrap().map(|kept| kept.plan), Some(draft.clone()));
    plans.keep_draft(&plan.id, None).unwrap();
    assert_eq!(plans.draft(&plan.id).unwrap(), None);

    let mut broken = draft;
    broken.steps[0].required_tools = vec!["grepp".into()];
    let faults = plans.check(broken).found.faults;
    assert_eq!((faults.len(), faults[0].place().as_str()), (1, "steps[0].requiredTools[0]"));
}

#[tokio::test]
async fn a_step_that_is_added_never_has_the_id_of_one_that_is_gone() {
    let desk = desk();
    let reference = proposed(&desk).await;
    let plans = desk.engine.plans();
    let first = plans.get(reference.id.as_str(), None).unwrap();
    let step = || NewStep { description: "Send it".into(), ..NewStep::default() };
    let (gone, added) = (PlanEdit::RemoveStep { step: "s2".into() }, PlanEdit::AddStep { step: step() });
    // What a person has said of s2 stands with the version before, and is said of that step alone.
    let at_once = plans.applied(first.clone(), vec![gone.clone(), added.clone()]).unwrap();
    let second = plans.edit(&first, &[gone]).await.unwrap();
    let second = plans.get(second.id.as_str(), Some(second.version)).unwrap();
    let later = plans.applied(second, vec![added, PlanEdit::InsertAfter { after: "s1".into(), step: step() }]).unwrap();
    let ids = |plan: &Plan| plan.steps.iter().map(|step| step.id.to_string()).collect::<Vec<_>>();
    assert_eq!(
        (ids(&at_once), ids(&later)),
        (vec!["s1".into(), "s3".into()], vec!["s1".into(), "s4".into(), "s3".into()])
    );
}

#[tokio::test]
async fn a_run_is_shown_as_its_events_say_with_what_was_sent() {
    let desk = desk();
    let reference = proposed(&desk).await;
    desk.calls("grep", json!({"pattern": "berlin"}));
    desk.says("two files searched");
    desk.calls("create_file", json!({"path": "counts.md", "content": "x".repeat(2000)}));
    desk.says("Done.");
    let cancel = tokio_util::sync::CancellationToken::new();
    let by = assent_core::run::Decider::User;
    desk.engine.turns().approve(&reference, by, None, &cancel).await.unwrap();

    let session = desk.engine.plans().get(reference.id.as_str(), None).unwrap().session_id;
    let rows = desk.engine.runs().list(&session).unwrap();
    let run: RunId = rows[0].id.clone();
    let carried = desk.engine.runs().get(&run).unwrap();
    assert_eq!((carried.row, carried.state.status()), (rows[0].clone(), RunStatus::Completed));
    let steps: Vec<StepStatus> = carried.state.steps().iter().map(|step| step.status).collect();
    assert_eq!(steps, [StepStatus::Completed, StepStatus::Completed]);
    let written = &carried.state.ledger()[1];
    assert!(matches!(&written.state, CallState::Ended(end) if end.satisfied), "{written:?}");
    let Content::Blob { blob, .. } = &written.arguments else { panic!("{written:?}") };
    let whole = json!({"path": "counts.md", "content": "x".repeat(2000)});
    assert_eq!(desk.engine.content(&written.arguments).unwrap(), whole);
    assert_eq!(desk.engine.blob(blob).unwrap(), whole);

    let replies = desk.events(&session).into_iter().filter_map(|event| match event.kind {
        EventKind::ModelReplied { purpose, .. } => Some((event.seq, purpose)),
        _ => None,
    });
    let asked = desk.model.requests();
    let replies: Vec<(u64, Purpose)> = replies.collect();
    assert_eq!(replies.len(), asked.len());
    for ((seq, purpose), request) in replies.iter().zip(&asked) {
        let sent = desk.engine.runs().sent(&session, *seq).unwrap().request;
        assert_eq!((&sent, sent.purpose), (request, *purpose));
    }
    let first = desk.events(&session)[0].seq;
    assert_eq!(desk.engine.runs().sent(&session, first), Err(NotRebuilt::NoReply(first)));
}

#[tokio::test]
async fn the_folders_of_sessions_are_listed_once_the_last_used_first() {
    let desk = desk();
    let other = desk.workspace.join("deep");
    std::fs::create_dir(&other).unwrap();
    let (sessions, one) = (desk.engine.sessions(), desk.workspace.clone());
    for folder in [&one, &other, &one] {
        sessions.create(folder).await.unwrap();
    }
    assert_eq!(sessions.workspaces(10).unwrap(), [one.clone(), other]);
    assert_eq!(sessions.workspaces(1).unwrap(), [one]);
}
