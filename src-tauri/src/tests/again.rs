//! A plan that is carried out again from a step on.

use assent_core::run::Purpose;
use assent_engine::model::scripted::Scripted;
use serde_json::json;

use super::page::Page;

#[test]
fn a_plan_is_carried_out_again_from_a_step_and_takes_over_what_was_done_before_it() {
    let page = Page::open();
    page.works();
    let (_, mut told, plan) = page.planned("never-ask");
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

    assert_eq!(page.fails("plan_run", json!({"plan": plan, "from": "s9"})), "plan_state");
}

#[test]
fn one_step_is_planned_again_with_a_comment_and_what_cannot_be_is_told() {
    let page = Page::open();
    let (_, mut told, plan) = page.planned("always-ask");
    told.rest();

    let mut told = page.listen();
    let steps = json!({"title": "Table", "steps": [
        {"tool": "create_file", "do": "Write counts.csv with a row for each file", "expect": "counts.csv"},
    ]});
    page.model.push(Purpose::Plan, Scripted::text(steps.to_string()));
    page.gives("plan_rework", json!({"plan": plan, "step": "s2", "comment": "As CSV"}));
    assert_eq!(page.gives("plan_comments", json!({"id": plan["id"]}))[0]["text"], "As CSV");
    let next = told.event("plan_proposed")["plan"].clone();
    told.rest();
    assert_eq!((&next["id"], &next["version"]), (&plan["id"], &json!(2)));
    let view = page.gives("plan_get", json!({"id": plan["id"]}));
    assert_eq!(view["plan"]["steps"][1]["description"], "Write counts.csv with a row for each file");

    assert_eq!(page.fails("plan_rework", json!({"plan": next, "step": "s9", "comment": "x"})), "plan_state");
    assert_eq!(page.fails("plan_rework", json!({"plan": next, "step": "s2", "comment": " "})), "empty_message");
    let mut told = page.listen();
    page.model.push(Purpose::Plan, Scripted::text(json!({"answer": "It is fine as it is."}).to_string()));
    page.gives("plan_rework", json!({"plan": next, "step": "s2", "comment": "Otherwise"}));
    let trouble = told.until(|signal| signal["type"] == "trouble");
    assert!(trouble.to_string().contains("the step was not planned anew: It is fine as it is."), "{trouble}");
    assert_eq!(page.gives("plan_get", json!({"id": plan["id"]}))["plan"]["version"], 2);
}
