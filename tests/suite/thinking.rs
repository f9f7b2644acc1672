//! Steps that think: judged by what they say, and free to look something up.

use assent_core::plan::import;
use assent_core::run::{CallState, Decider, Purpose, StepStatus, ValidationStatus};
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{Finish, ModelProfile, PlannerProfile, Reply, ToolCall};
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn desk(planner: PlannerProfile) -> Desk {
    let profile =
        ModelProfile { id: "scripted/test".to_owned(), context_tokens: 8192, planner, parallel: 4, local: false };
    Desk::on(ScriptedModel::new(profile), &[("note.txt", "three oaks\n")])
}

// covers: T42 T44 T49 T50 T62 T66 T68 T73
#[tokio::test]
async fn a_step_that_thinks_may_look_something_up_and_changes_nothing() {
    for planner in [PlannerProfile::Full, PlannerProfile::Compact] {
        looks_something_up(planner).await;
    }
}

async fn looks_something_up(planner: PlannerProfile) {
    let desk = desk(planner);
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
    match planner {
        PlannerProfile::Full => {
            assert!(
                offered.contains(&"read") && offered.contains(&"grep") && !offered.contains(&"bash"),
                "{offered:?}"
            );
        }
        PlannerProfile::Compact => assert!(offered.is_empty(), "a small model is not led into temptation: {offered:?}"),
    }
}

// covers: T10 T23 T24 T56
#[tokio::test]
async fn what_a_step_was_to_do_thought_called_and_gave_is_kept_under_its_published_names() {
    let desk = desk(PlannerProfile::Full);
    let session = desk.session().await;
    let document = json!({"format": "assent.plan/1", "userMessage": "Read note.txt and compare.",
        "defaults": {"toolValidationMode": "strict"}, "todoList": [
            {"id": "a", "description": "Read note.txt", "stepType": "tool", "requiredTools": ["read"],
             "expectedOutcome": "its text", "toolValidationMode": "strict"},
            {"id": "b", "description": "Compare", "dependencies": ["a"]}]});
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
    let calls = vec![ToolCall { id: "one".into(), name: "read".into(), arguments: json!({"path": "note.txt"}) }];
    let thoughts = "The note has to be read.".to_owned();
    let reply = Reply { thoughts: thoughts.clone(), calls, finish: Finish::Calls, ..Reply::default() };
    desk.model.push(Purpose::Step, Scripted::reply(reply));
    desk.says("It says three oaks.");
    desk.says("They agree.");
    desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();

    let steps = serde_json::to_value(&desk.engine.plans().get(plan.id.as_str(), None).unwrap().steps).unwrap();
    assert_eq!((&steps[0]["id"], &steps[0]["description"]), (&json!("a"), &json!("Read note.txt")));
    assert_eq!((&steps[0]["stepType"], &steps[0]["requiredTools"]), (&json!("tool"), &json!(["read"])));
    let mode = (&steps[0]["expectedOutcome"], &steps[0]["toolValidationMode"]);
    assert_eq!(mode, (&json!("its text"), &json!("strict")));
    assert_eq!((&steps[1]["id"], &steps[1]["dependencies"]), (&json!("b"), &json!(["a"])));

    let events: Vec<Value> =
        desk.events(&session).into_iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    let of_step = |kind: &str| {
        let found = events.iter().find(|event| event["step"] == "a" && event["kind"] == kind);
        found.unwrap_or_else(|| panic!("{kind} in {events:#?}"))
    };
    let replied = of_step("model_replied");
    assert_eq!(replied["thoughts"]["inline"], json!(thoughts));
    assert_eq!(replied["calls"][0]["tool"], "read");
    assert_eq!(replied["calls"][0]["arguments"]["inline"], json!({"path": "note.txt"}));
    let ended = of_step("call_ended");
    assert_eq!((&ended["status"], &ended["satisfied"]), (&json!("success"), &json!(true)));
    assert!(ended["output"].to_string().contains("three oaks"), "{ended}");
    let over = of_step("step_ended");
    assert_eq!((&over["status"], &over["validation"]), (&json!("completed"), &json!("passed")));
    assert!(over["result"].to_string().contains("three oaks"), "{over}");
    let words = [ValidationStatus::Passed, ValidationStatus::Failed, ValidationStatus::Skipped];
    assert_eq!(serde_json::to_value(words).unwrap(), json!(["passed", "failed", "skipped"]));
}
