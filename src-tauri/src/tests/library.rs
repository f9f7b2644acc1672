//! Saved plans by way of the page: kept, listed, renamed, offered, used and adapted.

use serde_json::{Value, json};

use super::page::{MESSAGE, Page};

#[test]
fn a_plan_is_kept_found_for_a_message_and_proposed_again() {
    let page = Page::open();
    let (session, mut told, plan) = page.planned("always-ask");
    let save = |name: &str, replaces: bool| json!({"plan": plan["id"], "version": 1, "how": {"name": name, "tags": ["#Notes"], "replaces": replaces}});
    let row = page.gives("library_save", save("Berlin", false));
    assert_eq!((&row["name"], &row["tags"], &row["message"]), (&json!("Berlin"), &json!(["notes"]), &json!(MESSAGE)));
    assert_eq!(page.fails("library_save", save("BERLIN", false)), "name_taken");
    assert_eq!(page.gives("library_save", save("BERLIN", true))["id"], row["id"]);
    let id = &row["id"];
    assert_eq!(page.fails("library_rename", json!({"id": id, "name": " "})), "invalid");
    assert_eq!(page.gives("library_rename", json!({"id": id, "name": "Lines"}))["name"], "Lines");
    assert_eq!(page.gives("library_tag", json!({"id": id, "tags": ["b", "A"]}))["tags"], json!(["a", "b"]));
    assert_eq!(page.gives("library_list", json!({}))[0]["name"], "Lines");
    let offered = page.gives("library_suggest", json!({"message": MESSAGE}));
    assert_eq!((&offered[0]["saved"]["id"], offered.as_array().map(Vec::len)), (id, Some(1)));
    assert_eq!(page.gives("library_suggest", json!({"message": "Hello there"})), json!([]));

    page.gives("session_delete", json!({"id": session}));
    let whole = page.gives("library_get", json!({"id": id}));
    assert!(whole["plan"]["steps"].as_array().is_some_and(|steps| !steps.is_empty()), "it stays without its chat");
    assert!(whole["values"].is_array());
    let text = page.gives("library_export", json!({"id": id, "format": "json"}));
    assert_eq!(serde_json::from_str::<Value>(text.as_str().unwrap()).unwrap()["format"], "assent.plan/1");

    let other = page.session();
    page.gives("library_use", json!({"session": other, "id": id}));
    let is_proposed =
        |signal: &Value| signal["event"]["kind"] == "plan_proposed" && signal["event"]["session"] == other;
    let again = told.until(is_proposed)["event"].clone();
    assert_eq!(again["plan"]["version"], 1);
    let adapted = "How many lines mention Paris? Write the numbers to paris.md.";
    page.gives("library_adapt", json!({"session": other, "id": id, "message": adapted}));
    let proposed =
        told.until(|signal| is_proposed(signal) && signal["event"]["plan"] != again["plan"])["event"].clone();
    let view = page.gives("plan_get", json!({"id": proposed["plan"]["id"], "version": 1}));
    assert_eq!(view["plan"]["userMessage"], adapted);
    assert!(view["plan"].to_string().contains("paris.md"), "{view}");
    page.gives("library_remove", json!({"id": id}));
    assert_eq!(page.fails("library_get", json!({"id": id})), "not_found");
}
