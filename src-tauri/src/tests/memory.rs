//! What is remembered of a person's work: listed, and forgotten.

use serde_json::{Value, json};

use super::page::{MESSAGE, Page};

fn remembered(page: &Page) -> Vec<Value> {
    page.gives("memory_list", json!({"limit": 10})).as_array().unwrap().clone()
}

#[test]
fn what_worked_is_listed_with_the_words_that_it_was_for_and_is_forgotten_one_by_one_and_as_a_whole() {
    let page = Page::open();
    assert_eq!(remembered(&page), [json!(null); 0]);
    let session = page.session();
    let mut told = page.listen();
    page.plans();
    page.works();
    page.gives("message_send", json!({"session": session, "text": MESSAGE, "policy": "never-ask"}));
    told.event("run_ended");

    let rows = remembered(&page);
    let tools: Vec<&Value> = rows.iter().map(|row| &row["about"]).collect();
    assert_eq!(tools, [&json!("create_file"), &json!("grep")], "the newest first");
    assert!(rows.iter().all(|row| row["words"] != "" && row["times"] == 1 && row["at"].as_i64() > Some(0)), "{rows:?}");
    assert_eq!(page.gives("memory_list", json!({"limit": 1})), json!([rows[0]]));

    assert_eq!(page.gives("memory_forget", json!({"ids": [rows[0]["id"]]})), 1);
    assert_eq!(remembered(&page), rows[1..]);
    page.gives("memory_forget", json!({"ids": null}));
    assert_eq!(remembered(&page), [json!(null); 0]);
    let page = page.reopened();
    assert_eq!(remembered(&page), [json!(null); 0], "nor is it there after a restart");
}
