//! What is remembered of a person's work: listed, and forgotten.

use serde_json::{Value, json};

use super::page::{MESSAGE, Page};

fn remembered(page: &Page) -> Vec<Value> {
    recalled(page, json!({"limit": 10}))["rows"].as_array().unwrap().clone()
}

fn recalled(page: &Page, asked: Value) -> Value {
    page.gives("memory_recall", json!({"asked": asked}))
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
    assert_eq!(recalled(&page, json!({"limit": 1}))["rows"], json!([rows[0]]));
    let of = |key: &str| rows.iter().map(|row| row[key].clone()).collect::<Vec<_>>();
    assert_eq!((of("kind"), of("source")), (vec![json!("action"); 2], vec![json!("executor"); 2]));
    assert_eq!(of("session"), vec![session.clone(); 2]);
    assert_eq!(rows[1]["links"], json!([{"relation": "related_to", "context": "tool:grep"}]));
    let grep = recalled(&page, json!({"words": "which one used grep", "limit": 10}));
    assert_eq!(
        (&grep["rows"][0]["about"], &grep["degraded"], &grep["nothing"]),
        (&json!("grep"), &json!(false), &json!(null))
    );
    let none = recalled(&page, json!({"words": "zeppelin", "limit": 10}));
    assert_eq!((&none["rows"], &none["nothing"]), (&json!([]), &json!("None of 2 memories says anything like that.")));
    let facts = recalled(&page, json!({"words": "find lines in files", "kinds": ["fact"], "limit": 3}));
    assert!(
        facts["rows"].as_array().unwrap().iter().any(|row| row["about"] == "grep" && row["words"] != ""),
        "{facts}"
    );
    assert_eq!(recalled(&page, json!({"kinds": ["decision", "feedback"], "limit": 3}))["rows"], json!([]));

    assert_eq!(page.gives("memory_forget", json!({"ids": [rows[0]["id"]]})), 1);
    assert_eq!(remembered(&page), rows[1..]);
    page.gives("memory_forget", json!({"ids": null}));
    assert_eq!(remembered(&page), [json!(null); 0]);
    let page = page.reopened();
    assert_eq!(remembered(&page), [json!(null); 0], "nor is it there after a restart");
}
