//! What was allowed for longer than one call: listed, and taken back.

use assent_core::run::Purpose;
use assent_engine::model::scripted::Scripted;
use serde_json::json;

use super::page::Page;

#[test]
fn what_was_allowed_in_a_folder_is_listed_after_a_restart_and_asks_again_once_it_is_taken_back() {
    let page = Page::open();
    let session = page.session();
    let mut told = page.listen();
    assert_eq!(page.gives("request_allowed", json!({})), json!([]));
    let plan = json!({"title": "Greet", "steps": [{"tool": "create_file", "do": "Write a.md", "expect": "a file"}]});
    page.model.push(Purpose::Plan, Scripted::text(plan.to_string()));
    page.model.push(Purpose::Step, Scripted::call("create_file", json!({"path": "b.md", "content": "Hello\n"})));
    page.model.push(Purpose::Step, Scripted::text("It is written."));
    page.gives("message_send", json!({"session": session, "text": "Write a.md", "policy": "never-ask"}));
    let asked = told.event("request_opened")["request"]["id"].clone();
    told.rest();
    let answer = json!({"type": "approve", "reach": "workspace"});
    page.gives("request_answer", json!({"id": asked, "answer": answer}));
    told.event("answered");

    let page = page.reopened();
    let allowed = page.gives("request_allowed", json!({}));
    let row = &allowed[0];
    assert_eq!((&row["id"], &row["tool"], &row["reach"]), (&asked, &json!("create_file"), &json!("workspace")));
    assert_eq!((&row["workspace"], row["at"].as_i64() > Some(0)), (&json!(page.workspace), true));
    assert_eq!(page.gives("request_revoke", json!({"id": asked}))["id"], asked);
    assert_eq!(page.gives("request_allowed", json!({})), json!([]));
    assert_eq!(page.fails("request_revoke", json!({"id": asked})), "not_found");
}
