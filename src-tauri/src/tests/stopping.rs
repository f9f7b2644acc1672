//! Stopping what goes on: all of it, or what is planned.

use assent_core::run::Purpose;
use assent_engine::model::scripted::{Gate, Scripted};
use serde_json::json;

use super::page::{MESSAGE, Page};

#[test]
fn work_can_be_stopped_and_a_session_that_works_is_stopped_before_it_is_deleted() {
    let page = Page::open();
    let session = page.session();
    let mut told = page.listen();
    for ends in ["message_stop", "session_delete"] {
        let gate = Gate::default();
        page.model.push(Purpose::Plan, Scripted::text("{}").behind(&gate));
        page.gives("message_send", json!({"session": session, "text": MESSAGE}));
        assert_eq!(page.gives("message_active", json!({})), json!([session]));
        let named = if ends == "message_stop" { "session" } else { "id" };
        page.gives(ends, json!({named: session}));
        assert_eq!(page.gives("message_active", json!({})), json!([]));
    }
    told.until(|signal| signal["type"] == "session_deleted");
    told.until(|signal| signal["event"]["kind"] == "turn_ended" && signal["event"]["status"] == "cancelled");
    assert_eq!(page.fails("session_get", json!({"id": session})), "not_found");
}

#[test]
fn stopping_a_session_leaves_the_work_of_another_one_alone() {
    let page = Page::open();
    let mut told = page.listen();
    let (first, second) = (page.session(), page.session());
    let gates = [Gate::default(), Gate::default()];
    for (session, gate) in [&first, &second].into_iter().zip(&gates) {
        page.model.push(Purpose::Plan, Scripted::text(r#"{"answer": "Done."}"#).behind(gate));
        page.gives("message_send", json!({"session": session, "text": MESSAGE}));
        tauri::async_runtime::block_on(gate.reached());
    }
    page.gives("message_stop", json!({"session": first}));
    assert_eq!(page.gives("message_active", json!({})), json!([second]));
    gates[1].open();
    told.until(|signal| signal["event"]["kind"] == "answered" && signal["event"]["session"] == second);
    told.until(|signal| signal["event"]["status"] == "cancelled" && signal["event"]["session"] == first);
}

#[test]
fn planning_is_stopped_by_itself_and_the_run_beside_it_goes_on_to_its_end() {
    let page = Page::open();
    let (session, mut told, plan) = page.planned("always-ask");
    let stop = json!({"session": session});
    assert_eq!(page.gives("message_stop_planning", stop.clone()), false, "a plan that waits is not being planned");
    let [step, next] = [Gate::default(), Gate::default()];
    page.model.push(Purpose::Step, Scripted::call("grep", json!({"pattern": "berlin"})).behind(&step));
    page.model.push(Purpose::Step, Scripted::text("one file searched"));
    page.model.push(Purpose::Step, Scripted::call("create_file", json!({"path": "counts.md", "content": "2\n"})));
    page.model.push(Purpose::Step, Scripted::text("Two lines."));
    page.model.push(Purpose::Plan, Scripted::text("{}").behind(&next));
    page.gives("plan_approve", json!({"plan": plan}));
    tauri::async_runtime::block_on(step.reached());
    page.gives("message_send", json!({"session": session, "text": "And Hamburg?"}));
    tauri::async_runtime::block_on(next.reached());

    assert_eq!(page.gives("message_stop_planning", stop.clone()), true);
    let stopped = told.event("turn_ended");
    assert_eq!((&stopped["status"], &stopped["error"]), (&json!("cancelled"), &json!(null)));
    let events = page.gives("session_events", json!({"id": session, "after": 0}));
    let message = events.as_array().unwrap().iter().rfind(|event| event["kind"] == "message_received").unwrap();
    assert_eq!((&message["text"], &message["turn"]), (&json!("And Hamburg?"), &stopped["turn"]), "the message is kept");
    assert_eq!(page.gives("message_stop_planning", stop), false, "the run is not stopped by it");
    step.open();
    told.event("answered");
    told.rest();
    assert!(page.workspace.join("counts.md").exists());
}
