//! What a call that waits would do is shown, and a yes counts for what was shown.

use std::process::Stdio;

use assent_tests::sse::Answer;
use expect_test::expect;
use serde_json::json;

use crate::desk::{ASSENT, Desk, all};
use crate::replies::{calls, plans, says};

/// A change of a file that the plan does not name.
fn edits() -> Vec<Answer> {
    vec![
        plans(&json!({"title": "Note", "steps": [{"tool": "edit_file", "do": "Change b.txt", "expect": "b.txt"}]})),
        calls("edit_file", &json!({"path": "a.txt", "old_string": "in berlin", "new_string": "in Hamburg"})),
        says("It is changed."),
    ]
}

/// What is named by `--seen` in what a command has shown.
fn seen(shown: &str) -> String {
    shown.split("--seen ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a digest").to_owned()
}

#[test]
fn a_change_is_shown_below_its_card_and_allowed_for_the_file_that_was_shown() {
    let desk = Desk::with(edits());
    desk.run(&["ask", "--approve", "never-ask", "Change b.txt"]).ends(2);
    let request = desk.requests().remove(0);
    let listed = desk.run(&["requests"]);
    let digest = seen(&listed.raw);
    let as_value = desk.run(&["requests", "--json"]).values().remove(0)["seen"].as_str().unwrap().to_owned();
    assert!(as_value.starts_with(&digest) && as_value.len() == 64, "{as_value}");
    desk.write("a.txt", "Munich\nin berlin\n");
    let changed = desk.run(&["answer", &request, "--approve", "--seen", &digest]);
    let recorded = desk.run(&["answer", &request, "--approve", "--seen", &digest, "--record-only"]);
    let few = desk.run(&["answer", &request, "--approve", "--seen", &digest[..4]]);
    desk.write("a.txt", "Berlin\nin berlin\n");
    expect![[r#"
        exit 0
        --- out
        ID2  session ID4
        ? May this run? self s1
          Allow edit_file in step s1?
          Neither you nor the plan said this, it comes from a result of an earlier step: a.txt
          edit_file
            {
              "path": "a.txt",
              "old_string": "in berlin",
              "new_string": "in Hamburg",
              "replace_all": false
            }
          changes a.txt  +1 −1   seen 0f88e82326f6
            Berlin
          - in berlin
          + in Hamburg
          assent answer ID2 --approve --seen 0f88e82326f6   (or --reject)

        exit 1
        --- err
        assent: the file was changed after you looked: nothing was approved, look again at what would be done

        exit 1
        --- err
        assent: the file was changed after you looked: nothing was approved, look again at what would be done

        exit 64
        --- err
        assent: --seen names too little: give what assent requests shows, "0f88" is shorter

        exit 64
        --- err
        error: the argument '--reject' cannot be used with '--seen <DIGEST>'

        Usage: assent answer <--option <N>|--text <T>|--approve|--reject|--credential <NAME>|--arguments <JSON>> <ID>

        For more information, try '--help'.

        exit 0
        --- out
            ✓ 0 ms
        ✓ s1 completed

        It is changed.

    "#]]
    .assert_eq(&all([
        listed,
        changed,
        recorded,
        few,
        desk.run(&["answer", &request, "--reject", "--seen", &digest]),
        desk.run(&["answer", &request, "--approve", "--seen", &digest]),
    ]));
    assert_eq!(desk.file("a.txt").as_deref(), Some("Berlin\nin Hamburg\n"));
}

#[test]
fn a_command_is_shown_as_it_runs_and_a_new_file_with_its_lines() {
    let script = "rm -rf \"build\"\necho done";
    let desk = Desk::with([
        plans(&json!({"title": "Clean", "steps": [{"tool": "bash", "do": "Clean up", "expect": "nothing"}]})),
        calls("bash", &json!({"command": script})),
        says("It is done."),
    ]);
    let asked = desk.run(&["ask", "--approve", "never-ask", "Clean up"]).ends(2);
    assert!(asked.out.contains("\n  $ rm -rf \"build\"\n  > echo done\n"), "{}", asked.shown());
    assert!(!asked.err.contains("--seen"), "{}", asked.shown());

    let desk = Desk::with([
        plans(
            &json!({"title": "Note", "steps": [{"tool": "create_file", "do": "Write notes.md", "expect": "a file"}]}),
        ),
        calls("create_file", &json!({"path": "other.md", "content": "x\n"})),
        says("It is written."),
    ]);
    let asked = desk.run(&["ask", "--approve", "never-ask", "Write notes.md"]).ends(2);
    assert!(asked.out.contains("\n  makes other.md   seen "), "{}", asked.shown());
    assert!(asked.out.contains("\n  + x\n"), "{}", asked.shown());
    desk.write("other.md", "somebody else's\n");
    let request = desk.requests().remove(0);
    let refused = desk.run(&["answer", &request, "--approve", "--seen", &seen(&asked.err)]).ends(1);
    assert!(refused.err.contains("the file was changed after you looked"), "{}", refused.shown());
    assert_eq!(desk.file("other.md").as_deref(), Some("somebody else's\n"));
}

#[test]
fn a_yes_in_the_chat_counts_for_the_file_that_its_card_has_shown() {
    let desk = Desk::with(edits());
    let mut chat = desk.command(ASSENT).args(["chat", "--approve", "never-ask"]).stdin(Stdio::piped()).spawn().unwrap();
    let typing = chat.stdin.take();
    let mut chat = desk.running(typing, chat);
    chat.say("Change b.txt\n");
    chat.until_line("? May this run?");
    chat.until_line("  changes a.txt");
    // The card stands there, and the file becomes another before the answer.
    desk.write("a.txt", "Munich\nin berlin\n");
    chat.say("/approve\n");
    chat.until_line("  changes a.txt");
    assert_eq!(desk.file("a.txt").as_deref(), Some("Munich\nin berlin\n"), "nothing was done");
    chat.say("/approve\n/quit\n");
    let ended = chat.end();
    assert!(ended.err.contains("the file was changed after you looked"), "{}", ended.shown());
    assert_eq!(desk.file("a.txt").as_deref(), Some("Munich\nin Hamburg\n"));
}
