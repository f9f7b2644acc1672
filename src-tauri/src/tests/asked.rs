//! What a person sees and begins before they answer: what a call would change, and an answer that is not sent yet.

use assent_core::run::Purpose;
use assent_engine::model::scripted::Scripted;
use serde_json::{Value, json};

use super::page::Page;

/// A permission that is asked for: to write a file that the approved plan does not name.
fn asks_to_write(page: &Page, path: &str, content: &str) -> Value {
    let session = page.session();
    let mut told = page.listen();
    let plan = json!({"title": "Greet", "steps": [{"tool": "create_file", "do": "Write a.md", "expect": "a file"}]});
    page.model.push(Purpose::Plan, Scripted::text(plan.to_string()));
    page.model.push(Purpose::Step, Scripted::call("create_file", json!({"path": path, "content": content})));
    page.gives("message_send", json!({"session": session, "text": "Write a.md", "policy": "never-ask"}));
    let asked = told.event("request_opened")["request"]["id"].clone();
    told.rest();
    asked
}

fn look(page: &Page, asked: &Value, arguments: Value) -> Value {
    page.gives("request_change", json!({"id": asked, "arguments": arguments}))
}

#[test]
fn a_call_that_asks_shows_what_it_would_change_and_changes_nothing() {
    let page = Page::open();
    let asked = asks_to_write(&page, "a.txt", "Berlin\nin Hamburg\n");
    let seen = |arguments: Value| look(&page, &asked, arguments)["change"].clone();
    let line = |fate: &str, number: u32, text: &str| json!({"fate": fate, "number": number, "text": text, "cut": false, "openEnd": false});
    let block = [line("same", 1, "Berlin"), line("removed", 2, "in berlin"), line("added", 2, "in Hamburg")];
    let lines = json!({"added": 1, "removed": 1, "blocks": [block], "leftOut": 0});
    assert_eq!(seen(Value::Null), json!({"type": "changed", "path": "a.txt", "lines": lines}));

    let other = |path: &str| seen(json!({"path": path, "content": "x"}));
    assert_eq!(other("b.md"), json!({"type": "new", "path": "b.md"}));
    for outside in ["../home/assent.db", "/etc/passwd"] {
        assert_eq!(other(outside), json!({"type": "unshown", "why": "outside"}), "{outside}");
    }
    assert_eq!(seen(json!({"path": 5})), json!({"type": "unshown", "why": "unfit"}));
    std::fs::write(page.workspace.join("picture"), [0xff, 0x00]).unwrap();
    assert_eq!(other("picture"), json!({"type": "unshown", "why": "binary"}));
    assert_eq!(page.fails("request_change", json!({"id": "nobody"})), "not_found");
    assert_eq!(std::fs::read_to_string(page.workspace.join("a.txt")).unwrap(), "Berlin\nin berlin\n");
}

#[test]
fn an_approval_of_a_change_counts_only_for_the_file_that_was_seen() {
    let page = Page::open();
    let asked = asks_to_write(&page, "a.txt", "Berlin\nin Hamburg\n");
    let file = page.workspace.join("a.txt");
    let approve = |seen: &Value, arguments: Value| {
        let answer = match arguments {
            Value::Null => json!({"type": "approve"}),
            changed => json!({"type": "approve", "arguments": changed}),
        };
        json!({"id": asked, "answer": answer, "seen": seen})
    };
    let first = look(&page, &asked, Value::Null)["seen"].clone();
    assert_eq!(look(&page, &asked, Value::Null)["seen"], first, "nothing has happened");
    std::fs::write(&file, "Berlin\nin Munich\n").unwrap();
    assert_eq!(page.fails("request_answer", approve(&first, Value::Null)), "file_changed");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(page.fails("request_answer", approve(&first, Value::Null)), "file_changed");
    assert_eq!(page.gives("request_get", json!({"id": asked}))["status"], "open");
    assert!(!file.exists(), "nothing was done");
    let now = look(&page, &asked, Value::Null)["seen"].clone();
    let other = json!({"path": "b.md", "content": "x"});
    assert_eq!(page.fails("request_answer", approve(&now, other)), "file_changed", "it was seen for another call");
    let mut told = page.listen();
    page.gives("request_answer", approve(&now, Value::Null));
    told.event("call_ended");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "Berlin\nin Hamburg\n");
}

#[test]
fn an_answer_that_is_not_sent_yet_is_there_whole_after_a_restart_and_gone_once_it_is_sent() {
    let page = Page::open();
    let asked = asks_to_write(&page, "b.md", "Hello\n");
    let begun =
        json!({"text": "only this", "chosen": ["a"], "reach": "run", "fields": {"path": "c.md", "content": ""}});
    page.gives("request_keep_draft", json!({"id": asked, "draft": begun}));
    let page = page.reopened();
    assert_eq!(page.gives("request_open", json!({}))[0]["draft"], begun);
    page.gives("request_keep_draft", json!({"id": asked, "draft": {}}));
    assert_eq!(page.gives("request_get", json!({"id": asked}))["draft"], Value::Null);
    page.gives("request_keep_draft", json!({"id": asked, "draft": begun}));
    page.gives("request_answer", json!({"id": asked, "answer": {"type": "reject"}}));
    assert_eq!(page.gives("request_get", json!({"id": asked}))["draft"], Value::Null);
}
