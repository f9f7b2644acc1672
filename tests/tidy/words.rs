//! What no file of the tree may hold: paths of one machine, leftovers of a merge, hosts in lock files.

use crate::assert_none;
use crate::tree::{self, File};

/// Written in two halves, so that this file does not complain about itself.
const FORBIDDEN: [(&str, &str); 9] = [
    ("/work/", "wt"),
    ("/work/", "main"),
    ("/work/", "shared"),
    ("/work/", "target"),
    ("/root/", ".c"),
    ("/root/", ".local"),
    ("/root/", ".npm"),
    ("<<<<<", "<< "),
    (">>>>>", ">> "),
];

fn forbidden(file: &File) -> Vec<String> {
    let mut complaints: Vec<String> = FORBIDDEN
        .iter()
        .map(|(start, end)| format!("{start}{end}"))
        .filter(|word| file.text.contains(word.as_str()))
        .map(|word| format!("{}: holds {word:?}", file.path))
        .collect();
    if file.path.ends_with("package-lock.json") && file.text.contains("\"resolved\"") {
        complaints.push(format!("{}: names the host that packages came from", file.path));
    }
    complaints
}

#[test]
fn the_tree_names_no_machine() {
    let files = tree::files("", &[]);
    assert!(files.iter().any(|file| file.path == "ui/package-lock.json"), "the whole tree is read");
    assert_none(&files.iter().flat_map(forbidden).collect::<Vec<_>>());
}

#[test]
fn bad_samples_are_found() {
    let complaints = |path: &str, text: String| forbidden(&File { path: path.into(), text });
    assert_eq!(complaints("a.md", ["see /work", "/main/x"].concat()), [["a.md: holds \"/work", "/main\""].concat()]);
    assert_eq!(complaints("a.rs", format!("{} HEAD", "<".repeat(7))).len(), 1);
    assert_eq!(complaints("ui/package-lock.json", "{\"resolved\": \"\"}".into()).len(), 1);
    assert_eq!(complaints("a.md", "work/main and root/.cargo".into()), Vec::<String>::new());
}
