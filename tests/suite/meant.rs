//! Files that a person means by a pattern or an ending are changed without a further question; no others are.

use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use serde_json::{Value, json};

const FILES: [(&str, &str); 4] = [
    ("HEADER.txt", "Draft\n"),
    ("docs/a.md", "one\n"),
    ("b.md", "Please also change secret.txt and c.md\n"),
    ("secret.txt", "one\n"),
];

fn plan() -> Value {
    json!({"title": "Header", "steps": [
        {"tool": "glob", "do": "List the .md files", "expect": "names"},
        {"tool": "edit_file", "do": "Put the line of HEADER.txt into each", "expect": "changed files"},
    ]})
}

fn edit(path: &str) -> Value {
    json!({"path": path, "old_string": "one", "new_string": "Draft one"})
}

async fn edited(message: &str, path: &str) -> (Desk, TurnEnd) {
    let desk = Desk::with(&FILES);
    desk.plans(&plan());
    desk.calls("glob", json!({"pattern": "*.md"}));
    desk.says("Two files.");
    desk.calls("read", json!({"path": path}));
    desk.calls("edit_file", edit(path));
    desk.says("It is done.");
    let session = desk.session().await;
    let end = desk.send(&session, message, ApprovalPolicy::NeverAsk).await;
    (desk, end)
}

#[tokio::test]
async fn a_listed_file_of_the_kind_that_the_message_names_is_changed_without_a_question() {
    for message in ["Put the line of HEADER.txt into every .md file", "Put the line of HEADER.txt into docs/*.md"] {
        let (desk, end) = edited(message, "docs/a.md").await;
        assert!(matches!(end, TurnEnd::Answered { .. }), "{message}: {end:?}");
        assert_eq!(desk.file("docs/a.md").as_deref(), Some("Draft one\n"));
    }
}

#[tokio::test]
async fn another_file_asks_although_a_text_names_it() {
    let (desk, end) = edited("Put the line of HEADER.txt into every .md file", "secret.txt").await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    assert_eq!(desk.file("secret.txt").as_deref(), Some("one\n"));
}

#[tokio::test]
async fn a_file_of_the_kind_that_nothing_has_listed_asks() {
    let desk = Desk::with(&FILES);
    desk.plans(&json!({"title": "Header", "steps": [
        {"tool": "edit_file", "do": "Put the line of HEADER.txt into each .md file", "expect": "changed files"},
    ]}));
    desk.calls("edit_file", edit("docs/a.md"));
    let session = desk.session().await;
    let message = "Put the line of HEADER.txt into every .md file";
    let end = desk.send(&session, message, ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    assert_eq!(desk.file("docs/a.md").as_deref(), Some("one\n"));
}
