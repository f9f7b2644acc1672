use std::sync::Arc;

use serde_json::json;

use crate::tool::core::{CreateFile, EditFile, Read, UndoEdit};
use crate::tool::testing::{Bench, MemoryHistory};
use crate::tool::{Outcome, Tool, ToolStop};

#[tokio::test]
async fn create_file_makes_folders_overwrites_and_says_what_it_wrote() {
    let bench = Bench::new();
    let tool = CreateFile::default();
    let output = bench.output(&tool, json!({"path": "a/b/notes.md", "content": "größe"})).await;
    let expected = json!({
        "success": true,
        "path": "a/b/notes.md",
        "absolute_path": bench.path("a/b/notes.md").display().to_string(),
        "bytes_written": 7,
        "size": 7,
    });
    assert_eq!(output, expected);
    assert_eq!(tool.present(&output), "Wrote a/b/notes.md (7 bytes).");
    bench.output(&tool, json!({"path": "a/b/notes.md", "content": ""})).await;
    assert_eq!(bench.text("a/b/notes.md"), "");
}

#[tokio::test]
async fn create_file_refuses_what_is_not_a_file_inside() {
    let bench = Bench::with(&[("folder/x", "")]);
    let tool = CreateFile::default();
    let refusal = bench.refusal(&tool, json!({"path": "../x", "content": ""})).await;
    assert!(refusal.contains("outside workspace"), "{refusal}");
    assert!(bench.refusal(&tool, json!({"path": "", "content": ""})).await.contains("empty"));
    assert!(bench.refusal(&tool, json!({"path": "folder", "content": ""})).await.contains("is a folder"));
    let arguments = json!({"path": "new/x", "content": "", "create_dirs": false});
    assert!(bench.refusal(&tool, arguments).await.contains("does not exist"));
}

#[tokio::test]
async fn edit_file_replaces_one_place_and_shows_both_contents() {
    let bench = Bench::with(&[("a.txt", "one two three")]);
    let tool = EditFile::default();
    let output = bench.output(&tool, json!({"path": "a.txt", "old_string": "two", "new_string": "2"})).await;
    let expected = json!({
        "success": true,
        "path": "a.txt",
        "absolute_path": bench.path("a.txt").display().to_string(),
        "mode": "edit",
        "matches_found": 1,
        "matches_replaced": 1,
        "old_content": "one two three",
        "new_content": "one 2 three",
    });
    assert_eq!(output, expected);
    assert_eq!(tool.present(&output), "Edited a.txt: 1 of 1 places replaced. It is now:\none 2 three");
    assert_eq!(bench.text("a.txt"), "one 2 three");
}

#[tokio::test]
async fn edit_file_says_how_to_do_better_and_changes_nothing() {
    let before = format!("fn main() {{\n    run();\n    run();\n}}\n{}", "// filler\n".repeat(200));
    let bench = Bench::with(&[("main.rs", &before), ("short.txt", "one\n"), ("port.toml", "[server]\nport = 8080\n")]);
    std::fs::write(bench.path("latin1.txt"), b"gr\xfc\xdfe").unwrap();
    let tool = EditFile::default();
    for (arguments, part) in [
        (json!({"path": "main.rs", "old_string": "run();", "new_string": "x"}), "2 times"),
        (json!({"path": "main.rs", "old_string": "fn main () {", "new_string": "x"}), "nearest line is 1: fn main() {"),
        (json!({"path": "main.rs", "old_string": "  fn main() {  ", "new_string": "x"}), "only its spaces differ"),
        (json!({"path": "main.rs", "old_string": "zzz", "new_string": "x"}), "not found"),
        (
            json!({"path": "short.txt", "old_string": "two", "new_string": "x"}),
            "not found in the file. The file is:\none\n",
        ),
        (
            json!({"path": "port.toml", "old_string": "port 8080", "new_string": "x"}),
            "not found in the file; the nearest line is 2: port = 8080. The file is:\n[server]\nport = 8080\n",
        ),
        (json!({"path": "main.rs", "old_string": "run();", "new_string": "run();"}), "nothing would change"),
        (json!({"path": "main.rs", "old_string": "run();"}), "give old_string and new_string"),
        (
            json!({"path": "main.rs", "old_string": "run();", "new_string": "x", "edits": [{"old_string": "main", "new_string": "y"}]}),
            "not both",
        ),
        (
            json!({"path": "missing.rs", "old_string": "a", "new_string": "b"}),
            "workspace. Files here: latin1.txt, main.rs, port.toml, short.txt",
        ),
        (json!({"path": "latin1.txt", "old_string": "a", "new_string": "b"}), "not UTF-8"),
        (
            json!({"path": "main.rs", "edits": [{"old_string": "main", "new_string": "x"}, {"old_string": "zz", "new_string": "y"}]}),
            "edit 2: old string not found",
        ),
        (json!({"path": "main.rs", "edits": [{"old_string": "", "new_string": "x"}]}), "edit 1: old_string is empty"),
    ] {
        let refusal = bench.refusal(&tool, arguments.clone()).await;
        assert!(refusal.contains(part), "{arguments}: {refusal}");
    }
    assert_eq!(bench.text("main.rs"), before);
}

#[tokio::test]
async fn edit_file_replaces_all_or_several_or_the_whole() {
    let bench = Bench::with(&[("a.txt", "x y x"), ("dos.txt", "one\r\ntwo\r\n")]);
    let tool = EditFile::default();
    let all = json!({"path": "a.txt", "old_string": "x", "new_string": "z", "replace_all": true});
    let output = bench.output(&tool, all).await;
    assert_eq!((&output["matches_found"], &output["matches_replaced"]), (&json!(2), &json!(2)));
    let edits = json!([{"old_string": "y", "new_string": "w"}, {"old_string": "z w", "new_string": "!"}]);
    let output = bench.output(&tool, json!({"path": "a.txt", "edits": edits})).await;
    assert_eq!(output["mode"], "multiedit");
    assert_eq!(output["edits_applied"], 2);
    assert_eq!((&output["total_matches_found"], &output["total_matches_replaced"]), (&json!(2), &json!(2)));
    assert_eq!(bench.text("a.txt"), "! z");
    let output = bench.output(&tool, json!({"path": "new/b.txt", "new_string": "whole"})).await;
    assert_eq!((&output["mode"], &output["bytes_written"]), (&json!("overwrite"), &json!(5)));
    assert_eq!(bench.text("new/b.txt"), "whole");
    bench.output(&tool, json!({"path": "dos.txt", "old_string": "one\ntwo", "new_string": "1\n2"})).await;
    assert_eq!(bench.text("dos.txt"), "1\r\n2\r\n");
}

#[tokio::test]
async fn undo_takes_back_edits_overwritings_and_creation_the_last_first() {
    let bench = Bench::with(&[("a.txt", "first")]);
    let (edit, create, undo) = (EditFile::default(), CreateFile::default(), UndoEdit::default());
    bench.output(&edit, json!({"path": "a.txt", "old_string": "first", "new_string": "second"})).await;
    bench.output(&create, json!({"path": "a.txt", "content": "third"})).await;
    bench.output(&create, json!({"path": "deep/new.txt", "content": "made"})).await;
    let output = bench.output(&undo, json!({"path": "a.txt"})).await;
    assert_eq!(output, json!({"success": true, "path": "a.txt", "message": "Reverted to previous content"}));
    assert_eq!(bench.text("a.txt"), "second");
    bench.output(&undo, json!({"path": "./a.txt"})).await;
    assert_eq!(bench.text("a.txt"), "first");
    assert!(bench.refusal(&undo, json!({"path": "a.txt"})).await.contains("nothing to undo"));
    bench.output(&undo, json!({"path": "deep/new.txt"})).await;
    assert!(!bench.path("deep/new.txt").exists());
    assert!(bench.refusal(&undo, json!({"path": "deep/new.txt"})).await.contains("does not exist"));
}

#[tokio::test]
async fn undo_takes_nothing_back_that_somebody_wrote_after_the_change() {
    let bench = Bench::with(&[("a.txt", "first")]);
    let (create, undo) = (CreateFile::default(), UndoEdit::default());
    for path in ["a.txt", "new.txt"] {
        bench.output(&create, json!({"path": path, "content": "second"})).await;
        std::fs::write(bench.path(path), "second and a person's own words").unwrap();
        let refusal = bench.refusal(&undo, json!({"path": path})).await;
        assert!(refusal.contains("has been changed since"), "{refusal}");
        assert_eq!(bench.text(path), "second and a person's own words");
        // Once it is as it was, it can be taken back.
        std::fs::write(bench.path(path), "second").unwrap();
        bench.output(&undo, json!({"path": path})).await;
    }
    assert_eq!(bench.text("a.txt"), "first");
    assert!(!bench.path("new.txt").exists());
}

#[tokio::test]
async fn undo_brings_back_a_file_that_was_removed_meanwhile() {
    let bench = Bench::with(&[("a.txt", "first")]);
    bench.output(&CreateFile::default(), json!({"path": "a.txt", "content": "second"})).await;
    std::fs::remove_file(bench.path("a.txt")).unwrap();
    bench.output(&UndoEdit::default(), json!({"path": "a.txt"})).await;
    assert_eq!(bench.text("a.txt"), "first");
}

#[tokio::test]
async fn nothing_is_changed_that_could_not_be_undone() {
    let mut bench = Bench::with(&[("a.txt", "first")]);
    bench.context.history = Arc::new(MemoryHistory { full: true, ..MemoryHistory::default() });
    let refusal = bench.refusal(&CreateFile::default(), json!({"path": "a.txt", "content": "second"})).await;
    assert!(refusal.contains("the disk is full"), "{refusal}");
    assert_eq!(bench.text("a.txt"), "first");
}

#[tokio::test]
async fn a_huge_file_is_not_edited_and_read_only_in_part() {
    let bench = Bench::new();
    std::fs::File::create(bench.path("huge")).unwrap().set_len(1 << 40).unwrap();
    let refusal = bench.refusal(&CreateFile::default(), json!({"path": "huge", "content": "x"})).await;
    assert!(refusal.contains("too large"), "{refusal}");
    let output = bench.output(&Read::default(), json!({"path": "huge", "max_bytes": 3})).await;
    let expected = json!({"type": "file", "path": "huge", "content": "\0\0\0", "truncated": true, "size_bytes": 1_u64 << 40, "next_offset": 3});
    assert_eq!(output, expected);
    let output = bench.output(&Read::default(), json!({"path": "huge", "offset": (1_u64 << 40) - 2})).await;
    assert_eq!((&output["content"], &output["truncated"]), (&json!("\0\0"), &json!(false)));
}

#[tokio::test]
async fn read_gives_text_cuts_between_characters_and_says_so() {
    let bench = Bench::with(&[("a.txt", "äöü"), ("empty", "")]);
    let tool = Read::default();
    let output = bench.output(&tool, json!({"path": "a.txt"})).await;
    let expected = json!({"type": "file", "path": "a.txt", "content": "äöü", "truncated": false, "size_bytes": 6});
    assert_eq!(output, expected);
    assert_eq!(tool.present(&output), "äöü");
    let output = bench.output(&tool, json!({"path": "a.txt", "max_bytes": 3})).await;
    assert_eq!((&output["content"], &output["truncated"]), (&json!("ä"), &json!(true)));
    assert_eq!(tool.present(&output), "ä\n[cut here: 6 bytes in all; read on with offset 2, or use grep or bash]");
    // In the middle of a character, or behind the end.
    for (offset, content) in [(2, "öü"), (3, "ü"), (6, ""), (99, "")] {
        let output = bench.output(&tool, json!({"path": "a.txt", "offset": offset})).await;
        assert_eq!((&output["content"], &output["truncated"]), (&json!(content), &json!(false)), "{offset}");
    }
    let output = bench.output(&tool, json!({"path": "empty"})).await;
    assert_eq!(tool.present(&output), "(empty file)");
}

#[tokio::test]
async fn read_lists_a_folder_sorted_with_kinds() {
    let bench = Bench::with(&[("b.txt", ""), ("a/x", ""), ("new\nline", "")]);
    std::os::unix::fs::symlink("b.txt", bench.path("link")).unwrap();
    let tool = Read::default();
    let output = bench.output(&tool, json!({"path": "."})).await;
    let entry = |name: &str, kind: &str| json!({"name": name, "type": kind});
    let entries =
        [entry("a", "directory"), entry("b.txt", "file"), entry("link", "symlink"), entry("new\nline", "file")];
    assert_eq!(output, json!({"type": "directory", "path": ".", "entries": entries, "truncated": false}));
    assert_eq!(tool.present(&output), "a/\nb.txt\nlink\nnew\\nline");
}

#[tokio::test]
async fn read_refuses_what_is_no_text_no_file_or_not_inside() {
    let bench = Bench::new();
    std::fs::write(bench.path("binary"), [0xff, 0xfe, 0x00]).unwrap();
    std::process::Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap();
    std::os::unix::fs::symlink("/etc/passwd", bench.path("passwd")).unwrap();
    let tool = Read::default();
    for (path, part) in [
        ("binary", "not UTF-8"),
        ("pipe", "not a regular file"),
        ("passwd", "outside workspace"),
        ("../work-too", "outside workspace"),
        ("/etc/passwd", "outside workspace"),
        ("/dev/zero", "outside workspace"),
        ("missing", "does not exist"),
    ] {
        let refusal = bench.refusal(&tool, json!({"path": path})).await;
        assert!(refusal.contains(part), "{path}: {refusal}");
    }
}

#[tokio::test]
async fn a_stopped_run_changes_nothing_and_a_missing_workspace_stops_it() {
    let bench = Bench::new();
    bench.context.cancel.cancel();
    let stopped = bench.call(&CreateFile::default(), json!({"path": "a", "content": ""})).await;
    assert_eq!(stopped, Err(ToolStop::Cancelled));
    assert!(!bench.path("a").exists());
    let bench = Bench::new();
    std::fs::remove_dir(&bench.context.workspace).unwrap();
    let stopped = bench.call(&Read::default(), json!({"path": "."})).await;
    assert!(matches!(stopped, Err(ToolStop::Workspace { .. })), "{stopped:?}");
}

#[tokio::test]
async fn arguments_of_another_shape_are_an_error_and_no_panic() {
    let bench = Bench::new();
    for tool in crate::tool::core_tools() {
        for arguments in [json!(null), json!({}), json!([1]), json!({"path": 3, "command": {}, "pattern": []})] {
            tool.effects(&arguments);
            let outcome = bench.call(tool.as_ref(), arguments).await;
            assert!(matches!(outcome, Ok(Outcome::Error { .. })), "{}: {outcome:?}", tool.spec().name);
        }
        tool.present(&json!(null));
    }
}
