//! What the page asks by name is what the shell answers to.

use std::collections::BTreeSet;
use std::path::Path;

fn source(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The commands in the handler list.
fn handled() -> BTreeSet<String> {
    let text = source("src-tauri/src/lib.rs");
    let (_, list) = text.split_once("generate_handler![").unwrap();
    let (list, _) = list.split_once("])").unwrap();
    list.split(',')
        .filter_map(|path| path.trim().rsplit("::").next())
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The commands that the page invokes.
fn invoked() -> BTreeSet<String> {
    let text = source("ui/src/backend/tauri.ts");
    let quoted = text.split("call('").chain(text.split("invoke('")).skip(1);
    let names = quoted.filter_map(|rest| rest.split_once('\'')).map(|(name, _)| name.to_owned());
    names.filter(|name| name.chars().all(|sign| sign.is_ascii_lowercase() || sign == '_')).collect()
}

/// The functions that are marked as commands.
fn marked() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src-tauri/src/commands");
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for after in text.split("#[tauri::command]\npub async fn ").skip(1) {
            names.insert(after.split(['(', '<']).next().unwrap().to_owned());
        }
    }
    names
}

#[test]
fn the_page_asks_for_what_there_is_and_for_all_of_it() {
    let handled = handled();
    assert!(handled.len() > 60 && handled.contains("plan_approve"), "{handled:?}");
    assert_eq!(invoked(), handled, "left: ui/src/backend/tauri.ts, right: src-tauri/src/lib.rs");
    assert_eq!(marked(), handled, "left: src-tauri/src/commands, right: src-tauri/src/lib.rs");
}
