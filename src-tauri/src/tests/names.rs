//! What the page asks by name is what the shell answers to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn source(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The commands in the handler's list, each with the names of its arguments.
fn handled() -> BTreeMap<String, Vec<String>> {
    let text = source("src-tauri/src/lib.rs");
    let (_, list) = text.split_once("handler::commands![").unwrap();
    let (list, _) = list.split_once("])").unwrap();
    let entries = list.split_inclusive("),").filter_map(|entry| entry.trim().rsplit_once("::"));
    entries
        .map(|(_, call)| call.split_once('(').unwrap())
        .map(|(name, given)| (name.to_owned(), names(given)))
        .collect()
}

/// The names before the colons of a list of parameters, or all of a list without any.
fn names(parameters: &str) -> Vec<String> {
    let mut depth = 0;
    let parts_here = |sign: char| {
        depth += i32::from("<([".contains(sign)) - i32::from(">)]".contains(sign));
        sign == ',' && depth == 0
    };
    let each = parameters.trim_end_matches("),").split(parts_here);
    each.map(|one| one.split(':').next().unwrap().trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// The commands that the page invokes.
fn invoked() -> BTreeSet<String> {
    let text = source("ui/src/backend/tauri.ts") + &source("ui/src/backend/first.ts");
    let quoted = ["call('", "invoke('", "invoke<FirstView>('"].into_iter().flat_map(|asks| text.split(asks).skip(1));
    let names = quoted.filter_map(|rest| rest.split_once('\'')).map(|(name, _)| name.to_owned());
    names.filter(|name| name.chars().all(|sign| sign.is_ascii_lowercase() || sign == '_')).collect()
}

/// The public functions of the commands, each with the names of its parameters.
fn written() -> BTreeMap<String, Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src-tauri/src/commands");
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let waiting = text.split("\npub async fn ").skip(1);
        let asking = text
            .split("\npub fn ")
            .skip(1)
            .filter(|after| after.split_once(" -> ").is_some_and(|(_, gives)| gives.starts_with("Aside<")));
        for after in waiting.chain(asking) {
            let (head, _) = after.split_once(" -> ").unwrap();
            let (name, parameters) = head.split_once('(').unwrap();
            let name = name.split('<').next().unwrap();
            found.insert(name.to_owned(), names(parameters.strip_suffix(')').unwrap()));
        }
    }
    found
}

#[test]
fn the_page_asks_for_what_there_is_and_for_all_of_it() {
    let handled = handled();
    assert!(handled.len() > 60 && handled.contains_key("plan_approve"), "{handled:?}");
    let known: BTreeSet<String> = handled.keys().cloned().collect();
    assert_eq!(invoked(), known, "left: ui/src/backend/tauri.ts, right: src-tauri/src/lib.rs");
    // Arguments are found by these names.
    assert_eq!(written(), handled, "left: src-tauri/src/commands, right: src-tauri/src/lib.rs");
}

#[test]
fn the_page_and_the_shell_spell_an_argument_alike() {
    let several_words: Vec<_> = handled().into_values().flatten().filter(|name| name.contains('_')).collect();
    assert_eq!(several_words, Vec::<String>::new(), "one word is spelled alike in both languages");
}
