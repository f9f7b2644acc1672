//! Saved plans on the command line: kept, found, changed, used, adapted, and offered where a message resembles an old one.

use expect_test::expect;
use serde_json::{Value, json};

use crate::desk::{Desk, all};
use crate::replies::{counting, plans};

/// A message that resembles the usual one.
pub const PARIS: &str = "How many lines mention Paris? Write the numbers to paris.md.";

/// A desk with a plan in its library.
pub fn kept() -> Desk {
    let (desk, plan) = Desk::planned([]);
    desk.run(&["library", "save", &plan, "--name", "Lines", "--tag", "#Notes,b"]).ends(0);
    desk
}

#[test]
fn a_plan_is_kept_found_changed_and_removed_and_outlives_its_chat() {
    let (desk, plan) = Desk::planned([]);
    expect![[r#"
        exit 0
        --- err
        there are no saved plans here: assent library save ID keeps one

        exit 0
        --- out
        saved as Count Berlin  #b  #notes

        exit 1
        --- err
        assent: there is already a saved plan "COUNT berlin": use another name, or have it replaced

        exit 0
        --- out
        saved as COUNT berlin  #notes

        exit 1
        --- err
        assent: "a\u{202e}b" is no name of a saved plan: it has a sign that cannot be seen; use one line of at most 80 characters that can be seen

        exit 1
        --- err
        assent: "\u{200b}" is no tag: it has a sign that cannot be seen; a plan has at most 20 tags of at most 40 characters that can be seen, without commas

        exit 64
        --- err
        error: the following required arguments were not provided:
          <ID>

        Usage: assent library save <ID>

        For more information, try '--help'.

        exit 0
        --- out
        COUNT berlin  #notes  2 steps  just now

        exit 0
        --- out
        COUNT berlin  #notes  2 steps  just now

        exit 0
        --- err
        no saved plan has all of these words

        exit 0
        --- out
        Lines per city  #notes

        exit 0
        --- out
        Lines per city  #a  #b  #work

        exit 0
        --- out
        Count Berlin ID3 v1  saved

          1  s1   grep         Find the lines that contain "berlin" in all notes → counts
          2  s2   create_file  Write counts.md with the numbers → counts.md
                               after s1

          may read this folder   write counts.md   run commands: no   network: no
          saved as Lines per city   tags: a, b, work   used: never
          for: How many lines mention Berlin? Write the numbers to counts.md.
          another message may have others for: counts.md

        exit 1
        --- err
        assent: there is no saved plan nowhere; see: assent library list

        exit 0
        --- out
         60 %  Lines per city  #a  #b  #work

        exit 0
        --- err
        this resembles no saved plan
    "#]].assert_eq(&all([
        desk.run(&["library", "list"]),
        desk.run(&["library", "save", &plan, "--tag", "#Notes,b", "--tag", "notes"]),
        desk.run(&["library", "save", &plan, "--name", "COUNT berlin"]),
        desk.run(&["library", "save", &plan, "--name", "COUNT berlin", "--tag", "notes", "--replace"]),
        desk.run(&["library", "save", &plan, "--name", "a\u{202e}b"]),
        desk.run(&["library", "save", &plan, "--name", "x", "--tag", "\u{200b}"]),
        desk.run(&["library", "save"]),
        desk.run(&["library", "list", "--tag", "NOTES"]),
        desk.run(&["library", "search", "lines", "NUMBERS"]),
        desk.run(&["library", "search", "moon"]),
        desk.run(&["library", "rename", "count berlin", "Lines per city"]),
        desk.run(&["library", "tag", "Lines per city", "work,a", "b"]),
        desk.run(&["library", "show", "lines per city"]),
        desk.run(&["library", "show", "nowhere"]),
        desk.run(&["library", "suggest", PARIS]),
        desk.run(&["library", "suggest", "Tell me a joke"]),
    ]));
    let session = desk.run(&["sessions", "--json"]).ends(0).values()[0]["id"].as_str().unwrap().to_owned();
    desk.run(&["sessions", "delete", &session, "--yes"]).ends(0);
    let row = desk.run(&["library", "list", "--json"]).ends(0).values().remove(0);
    assert_eq!(
        (&row["name"], &row["tags"], &row["steps"]),
        (&json!("Lines per city"), &json!(["a", "b", "work"]), &json!(2))
    );
    expect![[r#"
        exit 1
        --- out
        Remove the saved plan Lines per city? [y/N] --- err
        assent: to remove it without being asked, say --yes

        exit 0
        --- out
        removed Lines per city

        exit 1
        --- err
        assent: there is no saved plan lines per city; see: assent library list
    "#]]
    .assert_eq(&all([
        desk.run(&["library", "remove", "lines per city"]),
        desk.run(&["library", "remove", "lines per city", "--yes"]),
        desk.run(&["library", "remove", "lines per city", "--yes"]),
    ]));
}

#[test]
fn a_saved_plan_is_used_and_adapted_and_waits_for_a_word() {
    let mut desk = kept();
    let asked = desk.asked().len();
    expect![[r#"
        exit 1
        --- err
        assent: there is no saved plan nowhere; see: assent library list

        exit 2
        --- out
        Count Berlin ID3 v1  proposed

          1  s1   grep         Find the lines that contain "berlin" in all notes → counts
          2  s2   create_file  Write counts.md with the numbers → counts.md
                               after s1

          may read this folder   write counts.md   run commands: no   network: no
        --- err
        waits for your word: assent plan approve ID3   (or edit, reject)

        exit 2
        --- out
        ! the saved plan with other values: counts.md → paris.md, Berlin → Paris
        Count Paris ID4 v1  proposed

          1  s1   grep         Find the lines that contain "paris" in all notes → counts
          2  s2   create_file  Write paris.md with the numbers → paris.md
                               after s1

          may read this folder   write paris.md   run commands: no   network: no
        --- err
        waits for your word: assent plan approve ID4   (or edit, reject)

        exit 64
        --- err
        error: the following required arguments were not provided:
          --plan-from <NAME>

        Usage: assent ask --plan-from <NAME> --adapt <MESSAGE>

        For more information, try '--help'.

        exit 1
        --- err
        assent: there is no saved plan gone; see: assent library list
    "#]]
    .assert_eq(&all([
        desk.run(&["library", "use", "nowhere"]),
        desk.run(&["library", "use", "lines"]),
        desk.run(&["ask", "--plan-from", "lines", "--adapt", PARIS]),
        desk.run(&["ask", "--adapt", PARIS]),
        desk.run(&["ask", "--plan-from", "gone", PARIS]),
    ]));
    assert_eq!(desk.asked().len(), asked, "no model was asked for any of it");
    assert_eq!(desk.file("counts.md"), None, "nothing runs before it is approved");
    desk.serve(counting());
    desk.run(&["library", "use", "Lines", "--approve", "never-ask"]).ends(0);
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt 2\n"));
    let row = desk.run(&["library", "list", "--json"]).ends(0).values().remove(0);
    assert_eq!(row["uses"], 3);
}

#[test]
fn a_message_to_a_session_is_told_of_the_plan_that_it_resembles_too() {
    let mut desk = kept();
    let answer = || plans(&json!({"title": "A", "answer": "Two."}));
    desk.serve([answer(), answer(), answer()]);
    desk.run(&["ask", "Tell me a joke"]).ends(0);
    let session = desk.run(&["sessions", "--json"]).ends(0).values()[0]["id"].as_str().unwrap().to_owned();
    let told = desk.run(&["ask", "--session", &session, PARIS]).ends(0);
    assert!(told.err.contains("this resembles the saved plan \"Lines\": assent ask --plan-from Lines"), "{}", told.err);
    let other = desk.run(&["ask", "--session", &session, "Another joke"]).ends(0);
    assert!(!other.err.contains("resembles"), "{}", other.err);
}

#[test]
fn a_message_that_resembles_an_old_one_is_told_of_its_plan_and_planned_all_the_same() {
    let mut desk = kept();
    let answer = || plans(&json!({"title": "A", "answer": "Two."}));
    desk.serve([answer(), answer(), answer()]);
    expect![[r#"
        exit 0
        --- out

        Two.

        --- err
        this resembles the saved plan "Lines": assent ask --plan-from Lines --adapt uses it with the values of the message

        exit 0
        --- out

        Two.


        exit 0
        --- out
        Assent  /workspace · desk/test · /help
        last: Tell me a joke (ID3)

        Two.

        --- err
        this resembles the saved plan "Lines": assent ask --plan-from Lines --adapt uses it with the values of the message
    "#]].assert_eq(&all([
        desk.run(&["ask", PARIS]),
        desk.run(&["ask", "Tell me a joke"]),
        desk.run_with(&["chat"], format!("{PARIS}\n")),
    ]));
}

#[test]
fn a_saved_plan_goes_to_a_file_and_comes_from_one_and_a_broken_one_is_not_kept() {
    let desk = kept();
    let file = desk.workspace().join("lines.json").display().to_string();
    desk.run(&["library", "export", "lines", "--to", &file]).ends(0);
    let document: Value = serde_json::from_str(&desk.file("lines.json").unwrap()).unwrap();
    assert_eq!((&document["format"], &document["sessionId"]), (&json!("assent.plan/1"), &json!("")));
    desk.run(&["library", "save", "--file", &file, "--name", "Copy"]).ends(0);
    let whole = desk.run(&["library", "show", "copy", "--json"]).ends(0).values().remove(0);
    let (kept, written) = (&whole["plan"]["steps"][0], &document["steps"][0]);
    assert_eq!((&kept["description"], &kept["requiredTools"]), (&written["description"], &written["requiredTools"]));
    assert_eq!(kept["grants"]["tools"], json!([]), "a file grants nothing");

    desk.write(
        "bad.json",
        r#"{"format": "assent.plan/1", "title": "x", "steps": [{"id": "s1", "description": 7}], "evil": 1}"#,
    );
    let bad = desk.workspace().join("bad.json").display().to_string();
    let refused = desk.run(&["library", "save", "--file", &bad]).ends(1);
    assert!(refused.err.contains("nothing was saved") && refused.err.contains("evil"), "{}", refused.err);
    assert_eq!(desk.run(&["library", "list", "--json"]).ends(0).values().len(), 2);
    let markdown = desk.run(&["library", "export", "copy", "--format", "markdown"]).ends(0);
    assert!(markdown.out.starts_with("# Count Berlin"), "{}", markdown.out);
}
