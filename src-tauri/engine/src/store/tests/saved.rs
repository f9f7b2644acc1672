//! Plans that a person keeps: one for each name, whatever becomes of the session that they come from.

use assent_core::ids::SavedPlanId;
use serde_json::json;

use super::*;
use crate::store::{SavedDraft, SavedPlanRow, SavedPlans as _, Sessions as _, StoreError};

fn kept(id: &str, name: &str, tags: &[&str]) -> SavedDraft {
    let mut document = plan("c", "p", 1, 2);
    document.steps[0].description = format!("Step of {name}");
    let row = SavedPlanRow {
        id: SavedPlanId::from(id),
        name: name.to_owned(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        title: "Title".to_owned(),
        message: format!("Message of {name}"),
        outline: vec![format!("Step of {name}")],
        steps: 2,
        saved_at: 7,
        used_at: None,
        uses: 0,
    };
    SavedDraft { row, plan: document, replaces: false }
}

#[test]
fn a_plan_is_kept_found_by_name_or_id_and_read_as_it_was_written() {
    let folder = Folder::new();
    let store = folder.open();
    let draft = kept("aa11", "Größe Weekly", &["a", "b,\"c\""]);
    assert_eq!(store.keep_plan(draft.clone()).unwrap(), Some(SavedPlanId::from("aa11")));
    for name in ["Größe Weekly", "GRÖSSE WEEKLY", "größe weekly", "aa11", "aa"] {
        let found = store.saved_plan(name);
        // The capital of ß is two letters, and another name.
        if name == "GRÖSSE WEEKLY" {
            assert!(matches!(found, Err(StoreError::NotFound { kind: "saved plan", .. })), "{found:?}");
        } else {
            assert_eq!(found.unwrap(), (draft.row.clone(), draft.plan.clone()), "{name}");
        }
    }
    drop(store);
    assert_eq!(folder.open().saved_plans().unwrap(), [draft.row]);
}

#[test]
fn of_two_that_are_called_the_same_the_later_one_is_refused_or_takes_the_place_of_the_first() {
    let folder = Folder::new();
    let store = folder.open();
    store.keep_plan(kept("a", "Weekly", &["one"])).unwrap();
    store.note_use(&SavedPlanId::from("a"), 9).unwrap();
    assert_eq!(store.keep_plan(kept("b", "WEEKLY", &["two"])).unwrap(), None);
    assert_eq!(store.saved_plan("weekly").unwrap().0.tags, ["one"]);

    let replaced = SavedDraft { replaces: true, ..kept("b", "WEEKLY", &["two"]) };
    assert_eq!(store.keep_plan(replaced.clone()).unwrap(), Some(SavedPlanId::from("a")), "it stays the one it was");
    let (row, document) = store.saved_plan("weekly").unwrap();
    assert_eq!((row.name.as_str(), row.uses, row.used_at), ("WEEKLY", 1, Some(9)));
    assert_eq!((row.tags, document), (vec!["two".to_owned()], replaced.plan));
    assert_eq!(store.saved_plans().unwrap().len(), 1);
}

#[test]
fn names_and_tags_change_and_what_is_gone_is_told() {
    let folder = Folder::new();
    let store = folder.open();
    store.keep_plan(kept("a", "One", &[])).unwrap();
    store.keep_plan(kept("b", "Two", &[])).unwrap();
    let (a, gone) = (SavedPlanId::from("a"), SavedPlanId::from("zz"));
    assert!(!store.rename_saved(&a, "two").unwrap());
    assert!(store.rename_saved(&a, "ONE").unwrap(), "its own name in other letters is free");
    store.tag_saved(&a, &["x".to_owned()]).unwrap();
    assert_eq!(store.saved_plan("one").unwrap().0.tags, ["x"]);
    assert!(matches!(store.rename_saved(&gone, "Three"), Err(StoreError::NotFound { .. })));
    assert!(matches!(store.tag_saved(&gone, &[]), Err(StoreError::NotFound { .. })));
    assert!(!store.remove_saved(&gone).unwrap());
    // What was used last comes first.
    store.note_use(&a, 100).unwrap();
    let names: Vec<String> = store.saved_plans().unwrap().into_iter().map(|row| row.name).collect();
    assert_eq!(names, ["ONE", "Two"]);
}

#[test]
fn a_saved_plan_outlives_its_session_and_nothing_of_a_removed_one_stays_in_the_file() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    store.keep_plan(kept("a", "zqxjkvanished", &["zqxjkvanished"])).unwrap();
    store.delete_session(&SessionId::from("c")).unwrap();
    assert_eq!(store.saved_plan("zqxjkvanished").unwrap().1.steps.len(), 2);

    assert!(store.remove_saved(&SavedPlanId::from("a")).unwrap());
    assert_eq!(store.saved_plans().unwrap(), []);
    drop(store);
    let bytes = std::fs::read(folder.home.database()).unwrap();
    let word = b"zqxjkvanished";
    assert!(!bytes.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word)));
}

#[test]
fn many_saved_plans_are_listed_without_their_documents() {
    let folder = Folder::new();
    let store = folder.open();
    for number in 0..300 {
        let mut draft = kept(&format!("id{number}"), &format!("Plan {number}"), &["t"]);
        draft.plan.extracted_context.insert("long".to_owned(), json!("x".repeat(10_000)));
        store.keep_plan(draft).unwrap();
    }
    let rows = store.saved_plans().unwrap();
    assert_eq!(rows.len(), 300);
    assert_eq!(rows[0].name, "Plan 299", "of those saved at one time the last comes first");
    // The beginning of several ids names none.
    assert!(matches!(store.saved_plan("id2"), Ok((row, _)) if row.name == "Plan 2"));
    assert!(matches!(store.saved_plan("id"), Err(StoreError::Ambiguous { .. })));
}
