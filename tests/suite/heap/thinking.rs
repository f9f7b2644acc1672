//! A specialist whose step is to think, and who turns out to need something.

use assent_core::run::{CallState, Purpose, StepStatus, ValidationStatus};
use assent_engine::turn::TurnEnd;
use serde_json::json;

use super::studio::{Studios, said};

// covers: T42
#[tokio::test]
async fn a_specialist_who_thinks_may_look_with_the_tools_that_are_its_own_wherever_they_come_from() {
    let mut pack = super::studio::pack();
    let own = json!(["list_findings", "get_run", "create_file", "ask_user", "read"]);
    pack["specialists"]
        .as_array_mut()
        .unwrap()
        .push(json!({"id": "judge", "description": "Judges.", "toolNames": own, "topLevel": true}));
    let studio = Studios::with(assent_engine::model::PlannerProfile::Full, &pack).await;
    studio.calls("list_findings", json!({}));
    studio.says(Purpose::Step, "One finding is what matters.");
    let step = json!({"id": "s1", "description": "Judge what was found", "stepType": "reasoning", "dependencies": [],
        "executor": {"kind": "specialist", "id": "judge"}});
    let end = studio.carry_out(json!([step]), json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let requests = studio.of(Purpose::Step);
    let offered: Vec<&str> = requests[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(offered, ["read", "get_run", "list_findings"], "what looks, and neither what writes nor a person");
    assert!(said(&requests[1]).contains("list_findings did"), "{}", said(&requests[1]));
    let run = studio.engine.runs().list(&studio.session).unwrap().remove(0);
    let state = studio.engine.runs().get(&run.id).unwrap().state;
    let step = state.step(0);
    assert_eq!((step.status, step.validation), (StepStatus::Completed, Some(ValidationStatus::Skipped)));
    assert!(matches!(&state.ledger()[0].state, CallState::Ended(end) if end.satisfied));
}
