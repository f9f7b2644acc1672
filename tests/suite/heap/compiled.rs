//! A schema is compiled when it is read: that of an agent with its pack, that of a tool when it is taken in. No call, no reply
//! and no message compiles one again.

use assent_core::contract::compilations;
use assent_core::run::CallStatus;
use assent_engine::turn::TurnEnd;
use assent_tests::desk::Desk;
use serde_json::json;

use super::agents::{GOOD, PLANNER, SITE, carry_out, collected, desk_of, look, planning, results};

#[tokio::test]
async fn calls_of_agents_and_what_they_give_are_checked_with_what_was_compiled_when_the_pack_was_read() {
    let (desk, session) = desk_of("local/small", &[]).await;
    let whole = json!({"task": "Generate plan", "target_url": SITE, "collected_information": collected()});
    // The first time the file format of plans is compiled as well, and what a model is to write of the contract.
    for most in [2, 0, 0] {
        let before = compilations();
        // Turned away, then called; what it gives is no object, and then one in the shape of its contract.
        desk.calls(PLANNER, json!({"task": "Generate plan"}));
        desk.calls(PLANNER, whole.clone());
        desk.says("The plan is written.");
        desk.says(GOOD);
        desk.says("It is written.");
        let end = carry_out(&desk, &session, planning(), json!({})).await;
        assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
        // As before every message.
        look(&desk);
        assert!(compilations() - before <= most, "{} schemas", compilations() - before);
    }
    let ended: Vec<CallStatus> = results(&desk, &session).into_iter().map(|(status, ..)| status).collect();
    assert_eq!(ended, [CallStatus::Error, CallStatus::Success].repeat(3));
    // A file that was changed is read again.
    let contract = desk.home.join("packs/crawl/contracts/plan_generator_agent/input.schema.json");
    let text = std::fs::read_to_string(&contract).unwrap();
    std::fs::write(&contract, text.replace("Generate Crawl Plan", "Another plan")).unwrap();
    let before = compilations();
    look(&desk);
    assert!(compilations() > before);
}

#[tokio::test]
async fn what_a_small_model_has_to_give_of_a_tool_is_compiled_with_the_tool() {
    let desk = Desk::with(&[("server.toml", "port = 80\n")]);
    let session = desk.session().await;
    let plan = json!([{"id": "s1", "description": "In server.toml, change the port", "stepType": "tool",
        "requiredTools": ["edit_file"], "executor": {"kind": "self"}}]);
    for (most, old, new) in [(1, "80", "81"), (0, "81", "82"), (0, "82", "83")] {
        let before = compilations();
        desk.calls("edit_file", json!({"path": "server.toml", "new_string": format!("port = {new}")}));
        let edit = json!({"path": "server.toml", "old_string": format!("port = {old}"), "new_string": format!("port = {new}")});
        desk.calls("edit_file", edit);
        desk.says("It is changed.");
        carry_out(&desk, &session, plan.clone(), json!({})).await;
        assert_eq!(desk.file("server.toml"), Some(format!("port = {new}\n")));
        assert!(compilations() - before <= most, "{} schemas", compilations() - before);
    }
}
