//! Steps that think: judged by what they say, and free to look something up.

use assent_core::plan::import;
use assent_core::run::{CallState, Decider, Purpose, StepStatus, ValidationStatus};
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{ModelProfile, PlannerProfile};
use assent_tests::desk::Desk;
use serde_json::json;
use tokio_util::sync::CancellationToken;

fn desk(planner: PlannerProfile) -> Desk {
    let profile =
        ModelProfile { id: "scripted/test".to_owned(), context_tokens: 8192, planner, parallel: 4, local: false };
    Desk::on(ScriptedModel::new(profile), &[("note.txt", "three oaks\n")])
}

// covers: T42 T44 T49 T50 T62 T66 T68 T73
#[tokio::test]
async fn a_step_that_thinks_may_look_something_up_and_changes_nothing() {
    let desk = desk(PlannerProfile::Full);
    let session = desk.session().await;
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": "Compare", "userMessage": "Compare note.txt with what I said.",
        "defaults": {"toolValidationMode": "strict"},
        "steps": [{"id": "s1", "description": "Search for what note.txt says and compare", "stepType": "reasoning"}]});
    let plan = import(&document.to_string()).unwrap();
    let plan = desk.engine.plans().import(plan, &session).await.unwrap();
    desk.model.push(
        Purpose::Step,
        Scripted::calls([
            ("read", json!({"path": "note.txt"})),
            ("create_file", json!({"path": "out.txt", "content": "x"})),
        ]),
    );
    desk.says("There are three oaks.");
    desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
    let run = desk.engine.runs().list(&session).unwrap().remove(0);
    let state = desk.engine.runs().get(&run.id).unwrap().state;
    let step = state.step(0);
    assert_eq!((step.status, step.validation), (StepStatus::Completed, Some(ValidationStatus::Skipped)));
    assert!(matches!(&state.ledger()[0].state, CallState::Ended(end) if end.satisfied), "it was looked up");
    assert!(matches!(&state.ledger()[1].state, CallState::Refused(_)), "nothing is written by a thought");
    assert_eq!(desk.file("out.txt"), None);
    assert_eq!(desk.answers(&session), ["There are three oaks."]);
    let requests = desk.model.requests();
    let offered: Vec<&str> = requests[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(offered.contains(&"read") && offered.contains(&"grep") && !offered.contains(&"bash"), "{offered:?}");
}
