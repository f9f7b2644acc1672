use serde_json::{Value, json};

use super::*;
use crate::tool::Tool;
use crate::tool::core::{CreateFile, EditFile, Grep};
use crate::tool::testing::Bench;

fn seen(bench: &Bench, tool: &dyn Tool, arguments: Value) -> Result<Preview, NoPreview> {
    let workspace = Workspace::at(&bench.path(""), &[bench.path("hidden")]).unwrap();
    tool.preview(&arguments, &workspace)
}

/// The comparison of two texts, a line as `+2 text`.
fn compared(before: &str, after: &str) -> Vec<Vec<String>> {
    let preview = Preview { path: "a".into(), before: Some(before.to_owned()), after: after.to_owned() };
    let said = |line: &Line| {
        let sign = match line.fate {
            Fate::Same => ' ',
            Fate::Added => '+',
            Fate::Removed => '-',
        };
        let end = if line.open_end { "$" } else { "" };
        format!("{sign}{} {}{}{end}", line.number, line.text, if line.cut { "…" } else { "" })
    };
    let found = preview.compared().unwrap();
    let counted = |fate: Fate| found.blocks.iter().flatten().filter(|line| line.fate == fate).count();
    assert_eq!((found.added, found.removed), (counted(Fate::Added), counted(Fate::Removed)));
    found.blocks.iter().map(|block| block.iter().map(said).collect()).collect()
}

#[test]
fn an_edit_is_shown_as_it_would_be_made_and_nothing_is_written() {
    let bench = Bench::with(&[("a.txt", "one\r\ntwo\r\nthree\r\n"), ("b.txt", "x x")]);
    let edit = EditFile::default();
    let arguments = json!({"path": "./a.txt", "old_string": "one\ntwo", "new_string": "1\n2"});
    let expected = Preview {
        path: "a.txt".into(),
        before: Some("one\r\ntwo\r\nthree\r\n".into()),
        after: "1\r\n2\r\nthree\r\n".into(),
    };
    assert_eq!(seen(&bench, &edit, arguments), Ok(expected));
    let several = json!({"path": "a.txt", "edits": [
        {"old_string": "one", "new_string": "two"},
        {"old_string": "two", "new_string": "2", "replace_all": true},
    ]});
    assert_eq!(seen(&bench, &edit, several).unwrap().after, "2\r\n2\r\nthree\r\n");
    let whole = json!({"path": "b.txt", "new_string": "y"});
    let expected = Preview { path: "b.txt".into(), before: Some("x x".into()), after: "y".into() };
    assert_eq!(seen(&bench, &edit, whole), Ok(expected));
    assert_eq!((bench.text("a.txt").as_str(), bench.text("b.txt").as_str()), ("one\r\ntwo\r\nthree\r\n", "x x"));
}

#[test]
fn a_file_that_is_written_whole_is_shown_with_what_was_in_it_or_as_new() {
    let bench = Bench::with(&[("a.txt", "old\n")]);
    let create = CreateFile::default();
    let over = seen(&bench, &create, json!({"path": "a.txt", "content": "new\n"})).unwrap();
    assert_eq!((over.before.as_deref(), over.after.as_str()), (Some("old\n"), "new\n"));
    let made = seen(&bench, &create, json!({"path": "new/b.txt", "content": "new\n"})).unwrap();
    assert_eq!((made.path.as_str(), &made.before, made.compared()), ("new/b.txt", &None, None));
    assert!(!bench.path("new").exists());
}

#[test]
fn what_cannot_be_compared_says_why() {
    let long = "x\n".repeat(600_000);
    let files = [("a.txt", "x x"), ("long.txt", long.as_str()), ("hidden/key", "secret"), ("folder/b.txt", "")];
    let bench = Bench::with(&files);
    std::fs::write(bench.path("binary"), [0xff, 0xfe, 0x00]).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", bench.path("link")).unwrap();
    let (create, edit) = (CreateFile::default(), EditFile::default());
    let whole = |path: &str| seen(&bench, &create, json!({"path": path, "content": "x"})).unwrap_err();
    let part = |path: &str, old: &str| {
        seen(&bench, &edit, json!({"path": path, "old_string": old, "new_string": "y"})).unwrap_err()
    };
    for outside in ["../a.txt", "/etc/passwd", "hidden/key", "folder/../../a.txt"] {
        let expected = PlaceError::Outside { path: outside.into() };
        assert_eq!((whole(outside), part(outside, "x")), (expected.clone().into(), expected.into()), "{outside}");
    }
    #[cfg(unix)]
    assert_eq!(whole("link"), PlaceError::Outside { path: "link".into() }.into());
    assert_eq!(part("none.txt", "x"), PlaceError::NotFound { path: "none.txt".into() }.into());
    assert_eq!(whole("folder"), PlaceError::IsFolder { path: "folder".into() }.into());
    assert_eq!(whole("binary"), PlaceError::NotText { path: "binary".into() }.into());
    assert!(matches!(whole("long.txt"), NoPreview::Place(PlaceError::TooLarge { bytes: 1_200_000, .. })));
    let grown = seen(&bench, &create, json!({"path": "a.txt", "content": long})).unwrap_err();
    assert!(matches!(grown, NoPreview::Place(PlaceError::TooLarge { .. })), "{grown}");
    assert_eq!((part("a.txt", "z"), part("a.txt", "x")), (NoPreview::NotThere, NoPreview::Ambiguous(2)));
    let nonsense = seen(&bench, &edit, json!({"path": "a.txt"})).unwrap_err();
    assert_eq!(nonsense, NoPreview::Unfit("give old_string and new_string, or edits".into()));
    let reading = seen(&bench, &Grep::default(), json!({"pattern": "x"})).unwrap_err();
    assert_eq!(reading, NoPreview::Nothing);
}

#[test]
fn lines_that_change_are_shown_with_three_around_them_and_the_rest_is_not() {
    let text = |changed: &[usize]| -> String {
        (1..=40).map(|at| if changed.contains(&at) { format!("new {at}\n") } else { format!("line {at}\n") }).collect()
    };
    let blocks = compared(&text(&[]), &text(&[1, 30]));
    assert_eq!(blocks[0], ["-1 line 1", "+1 new 1", " 2 line 2", " 3 line 3", " 4 line 4"]);
    let around: Vec<&str> = blocks[1].iter().map(String::as_str).collect();
    let expected = [
        " 27 line 27",
        " 28 line 28",
        " 29 line 29",
        "-30 line 30",
        "+30 new 30",
        " 31 line 31",
        " 32 line 32",
        " 33 line 33",
    ];
    assert_eq!(around, expected);
    assert_eq!(compared("same\n", "same\n"), Vec::<Vec<String>>::new());
}

#[test]
fn a_line_feed_at_the_end_and_a_carriage_return_are_differences() {
    assert_eq!(compared("a\nb", "a\nb\n"), [[" 1 a", "-2 b$", "+2 b"]]);
    assert_eq!(compared("a\n", "a\r\n"), [["-1 a", "+1 a\r"]]);
    assert_eq!(compared("", "a\n"), [["+1 a"]]);
    assert_eq!(compared("a\n", ""), [["-1 a"]]);
}

#[test]
fn long_lines_and_many_of_them_are_cut_and_counted() {
    let blocks = compared("short\n", &format!("{}\n", "ä".repeat(401)));
    assert_eq!(blocks[0][1], format!("+1 {}…", "ä".repeat(400)));
    let many = |word: &str| (0..3000).map(|at| format!("{word} {at}\n")).collect::<String>();
    let preview = Preview { path: "a".into(), before: Some(many("old")), after: many("new") };
    let found = preview.compared().unwrap();
    assert_eq!((found.added, found.removed, found.left_out), (3000, 3000, 4000));
    assert_eq!(found.blocks.iter().map(Vec::len).sum::<usize>(), MOST_LINES);
}
