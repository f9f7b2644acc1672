//! A plan that is carried out again from a step on.

use assent_core::run::Purpose;
use assent_engine::model::scripted::Scripted;
use serde_json::json;

use super::page::{MESSAGE, Page};

#[test]
fn a_plan_is_carried_out_again_from_a_step_and_takes_over_what_was_done_before_it() {
    let page = Page::open();
    let session = page.session();
    let mut told = page.listen();
    page.plans();
    page.works();
    page.gives("message_send", json!({"session": session, "text": MESSAGE, "policy": "never-ask"}));
    let plan = told.event("plan_proposed")["plan"].clone();
    let first = told.event("run_ended")["run"].clone();
    told.rest();

    let mut told = page.listen();
    page.model.push(Purpose::Step, Scripted::call("create_file", json!({"path": "counts.md", "content": "two\n"})));
    page.model.push(Purpose::Step, Scripted::text("Two lines, anew."));
    page.gives("plan_run", json!({"plan": plan, "from": "s2"}));
    let taken = told.until(|signal| !signal["event"]["carriedFrom"].is_null())["event"].clone();
    assert_eq!((&taken["step"], &taken["carriedFrom"]), (&json!("s1"), &first));
    assert_eq!(told.event("run_ended")["status"], "completed");
    assert_eq!(std::fs::read_to_string(page.workspace.join("counts.md")).unwrap(), "two\n");

    let mut told = page.listen();
    page.gives("plan_run", json!({"plan": plan, "from": "s9"}));
    let trouble = told.until(|signal| signal["type"] == "trouble");
    assert!(trouble.to_string().contains("there is no step s9 in the plan"), "{trouble}");
}
