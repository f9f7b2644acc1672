//! Plans: shown, changed, compared, commented, decided, carried out, written to files and read from them.

use expect_test::expect;
use serde_json::{Value, json};

use crate::desk::{Desk, all};
use crate::replies::counting;

/// A desk on which a plan of two steps waits, and its id.
fn planned() -> (Desk, String) {
    Desk::planned(counting())
}

#[test]
fn a_plan_is_made_and_nothing_of_it_is_carried_out() {
    let (desk, id) = planned();
    expect![[r#"
        exit 0
        --- out
        ID1  v1  2 steps   Count Berlin

        exit 0
        --- out
        Count Berlin ID1 v1  proposed

          1  s1   grep         Find the lines that contain "berlin" in all notes → counts
          2  s2   create_file  Write counts.md with the numbers → counts.md
                               after s1

          may read this folder   write counts.md   run commands: no   network: no

        exit 0
        --- out
        Count Berlin ID1 v1  proposed

          1  s1   grep         Find the lines that contain "berlin" in all notes → counts
          2  s2   create_file  Write counts.md with the numbers → counts.md
                               after s1

          may read this folder   write counts.md   run commands: no   network: no

        exit 1
        --- err
        assent: there is no plan nothing; see: assent plan list

        exit 1
        --- err
        assent: version 1 of the plan is not approved: approve it first
    "#]]
    .assert_eq(&all([
        desk.run(&["plan", "list"]),
        desk.run(&["plan", "show", &id]),
        desk.run(&["plan", "show", &id[..14]]),
        desk.run(&["plan", "show", "nothing"]),
        desk.run(&["plan", "run", &id]),
    ]));
    assert_eq!(desk.begun(), Vec::<String>::new());
}

#[test]
fn an_edit_makes_a_version_that_can_be_compared_and_needs_its_own_approval() {
    let (desk, id) = planned();
    let edit = |more: &[&str]| desk.run(&[&["plan", "edit", &id], more].concat());
    expect![[r#"
        exit 0
        --- out
        Count Berlin ID1 v2  proposed

          1  s1   grep         Count berlin in all notes → counts
          2  s2   create_file  Write counts.md with the numbers
                               after s1

          may read this folder   write counts.md   run commands: no   network: no

        exit 0
        --- out
        v1 → v2
        ~ s1 description: Find the lines that contain "berlin" in all notes → Count berlin in all notes
        ~ s2 expectedOutcome: counts.md → nothing

        exit 0
        --- out
          comment on s2: as a table, please

        exit 1
        --- err
        assent: there is no step s9 in the plan

        exit 1
        --- err
        assent: the comment is empty: write what you want to say

        exit 0
        --- out
        Count Berlin ID1 v2  proposed

          1  s1   grep         Count berlin in all notes → counts
          2  s2   create_file  Write counts.md with the numbers
                               after s1

          may read this folder   write counts.md   run commands: no   network: no
          comment on s2, v2: as a table, please

        exit 0
        --- out
          approved

        exit 1
        --- err
        assent: version 2 of the plan is not approved: approve it first

        exit 0
        --- out
          approved

        exit 0
        --- out
        ● s1
            grep {"pattern":"berlin"}
            ✓ 0 ms
        ✓ s1 completed
        ● s2
            create_file {"path":"counts.md","content":"a.txt 2\n"}
            ✓ 0 ms
        ✓ s2 completed

        The numbers are in counts.md.


        exit 0
        --- out
        ID1  v2  2 steps   Count Berlin
    "#]]
    .assert_eq(&all([
        edit(&["--describe", "s1", "Count berlin in all notes", "--outcome", "s2", ""]),
        desk.run(&["plan", "diff", &id]),
        desk.run(&["plan", "comment", &id, "--step", "s2", "as a table, please"]),
        desk.run(&["plan", "comment", &id, "--step", "s9", "there is none"]),
        desk.run(&["plan", "comment", &id, " "]),
        desk.run(&["plan", "show", &id]),
        desk.run(&["plan", "approve", &id, "--version", "1", "--later"]),
        desk.run(&["plan", "run", &id]),
        desk.run(&["plan", "approve", &id, "--later", "--note", "the second one"]),
        desk.run(&["plan", "run", &id]),
        desk.run(&["plan", "list"]),
    ]));
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt 2\n"));
}

#[test]
fn a_change_that_does_not_hold_is_refused_and_nothing_is_saved() {
    let (desk, id) = planned();
    let edit = |more: &[&str]| desk.run(&[&["plan", "edit", &id], more].concat());
    expect![[r#"
        exit 1
        --- err
        assent: s2 needs s1, which would come after it; remove that dependency first

        exit 64
        --- err
        assent: --place takes a step and a number from 1

        exit 64
        --- err
        assent: --place takes a step and a number from 1

        exit 1
        --- err
        assent: there is no step s9

        exit 1
        --- err
        assent: the plan cannot run as it is:
          steps[0].requiredTools[1]: there is no tool "magic"

        exit 1
        --- err
        assent: these steps would wait for each other: s1 → s2 → s1

        exit 64
        --- err
        error: 2 values required for '--describe <STEP> <TEXT>' but 1 was provided

        Usage: assent plan edit [OPTIONS] <ID>

        For more information, try '--help'.

        exit 1
        --- err
        assent: there is no terminal to open an editor in: say what to change by flags, see assent plan edit --help
    "#]]
    .assert_eq(&all([
        edit(&["--place", "s2", "1"]),
        edit(&["--place", "s2", "first"]),
        edit(&["--place", "s2", "0"]),
        edit(&["--remove", "s9"]),
        edit(&["--tools", "s1", "grep,magic"]),
        edit(&["--after", "s1", "s2"]),
        edit(&["--describe", "s1"]),
        edit(&[]),
    ]));
    let versions = desk.run(&["plan", "show", &id, "--json"]).ends(0).values();
    assert_eq!(versions[0]["version"], 1);
}

#[test]
fn steps_are_added_removed_and_moved_by_flags() {
    let (desk, id) = planned();
    let edit = ["plan", "edit", &id, "--add", "Say thanks", "--remove", "s2", "--tools", "s1", "glob"];
    expect![[r#"
        exit 0
        --- out
        Count Berlin ID1 v2  proposed

          1  s1   glob    Find the lines that contain "berlin" in all notes → counts
          2  s3   thinks  Say thanks

          may read this folder   write nothing   run commands: no   network: no

        exit 0
        --- out
        v1 → v2
        + s3 Say thanks
        - s2 Write counts.md with the numbers
        ~ s1 requiredTools: grep → glob
        ! s1 may now use glob
    "#]]
    .assert_eq(&all([desk.run(&edit), desk.run(&["plan", "diff", &id, "1", "2"])]));
}

#[test]
fn a_rejected_plan_stays_as_it_was_and_does_not_run() {
    let (desk, id) = planned();
    expect![[r#"
        exit 0
        --- out
          rejected: too many steps

        exit 0
        --- out
        Count Berlin ID1 v1  rejected

          1  s1   grep         Find the lines that contain "berlin" in all notes → counts
          2  s2   create_file  Write counts.md with the numbers → counts.md
                               after s1

          may read this folder   write counts.md   run commands: no   network: no

        exit 1
        --- err
        assent: version 1 of the plan is not approved: approve it first
    "#]]
    .assert_eq(&all([
        desk.run(&["plan", "reject", &id, "--reason", "too many steps"]),
        desk.run(&["plan", "show", &id]),
        desk.run(&["plan", "run", &id]),
    ]));
    assert_eq!(desk.file("counts.md"), None);
}

#[test]
fn a_plan_is_the_same_after_it_was_written_to_a_file_and_read_from_it() {
    let (desk, id) = planned();
    let exported = desk.run(&["--json", "plan", "export", &id, "--to", "plan.json"]).ends(0).values();
    assert_eq!((&exported[0]["path"], &exported[0]["version"]), (&json!("plan.json"), &json!(1)));
    expect![[r#"
        exit 0
        --- out
        Count Berlin ID3 v1  proposed

          1  s1   grep         Find the lines that contain "berlin" in all notes → counts
          2  s2   create_file  Write counts.md with the numbers → counts.md
                               after s1

          may read this folder   write counts.md   run commands: no   network: no
    "#]]
    .assert_eq(&desk.run(&["plan", "import", "plan.json"]).shown());
    let both: Vec<Value> = desk.run(&["plan", "list", "--json"]).ends(0).values();
    let content = |plan: &Value| json!([plan["title"], plan["steps"], plan["extractedContext"], plan["limits"]]);
    assert_eq!((both.len(), content(&both[0])), (2, content(&both[1])));
    let piped = desk.run_with(&["plan", "import", "-", "--json"], desk.file("plan.json").unwrap()).ends(0);
    assert_eq!(content(&piped.values()[0]), content(&both[0]));
    expect![[r#"
        exit 0
        --- out
        # Count Berlin

        ## Context

        - files: `["counts.md"]`

        ## Steps

        1. **s1** Find the lines that contain "berlin" in all notes
           - tools: `grep`
           - outcome: counts
        2. **s2** Write counts.md with the numbers
           - tools: `create_file`
           - outcome: counts.md
           - after: s1

        ## What it may do

        - may read: the whole workspace
        - may write: `counts.md`
        - network: none
        - commands: none

        exit 0
        --- out
        flowchart TD
            n0["s1 Find the lines that contain #34;berlin#34; in all notes<br/>grep"]
            n1["s2 Write counts.md with the numbers<br/>create_file"]
            n0 --> n1

        exit 1
        --- err
        assent: nowhere/plan.json could not be written: No such file or directory (os error 2); name another file
    "#]]
    .assert_eq(&all([
        desk.run(&["plan", "export", &id, "--format", "markdown"]),
        desk.run(&["plan", "export", &id, "--format", "mermaid"]),
        desk.run(&["plan", "export", &id, "--to", "nowhere/plan.json"]),
    ]));
    let printed = desk.run(&["plan", "export", &id]).ends(0);
    assert_eq!(printed.raw, desk.file("plan.json").unwrap());
    let one_line = desk.run(&["plan", "export", &id, "--json"]).ends(0);
    assert_eq!(one_line.values(), [serde_json::from_str::<Value>(&printed.raw).unwrap()]);
}

#[test]
fn every_fault_of_a_plan_file_is_told_at_its_place_and_nothing_is_saved() {
    let desk = Desk::new();
    desk.write(
        "faulty.json",
        r#"{"format": "assent.plan/1", "steps": [{"id": 7, "description": "x"}], "limits": "none"}"#,
    );
    desk.write(
        "tools.json",
        r#"{"format": "assent.plan/1", "title": "T", "userMessage": "x", "steps": [
        {"id": "s1", "description": "x", "stepType": "tool", "requiredTools": ["magic"]},
        {"id": "s2", "description": "y", "stepType": "reasoning", "dependencies": ["s9"]}]}"#,
    );
    desk.write(
        "seeds.json",
        r#"{"format": "assent.plan/1", "priorityOrder": ["nobody"], "todoList": [
        {"id": "s1", "description": "x", "requiredTools": ["magic"], "specialist": "nobody"}]}"#,
    );
    desk.write("broken.json", r#"{"format": "assent.plan/1", "#);
    let import = |file: &str| desk.run(&["plan", "import", file]);
    expect![[r#"
        exit 1
        --- err
        assent: faulty.json is no usable plan, nothing was saved:
          steps[0].id: the value is not of type "string" (Give a value of that type.)
          limits: the value is not of type "object" (Give a value of that type.)

        exit 1
        --- err
        assent: the plan cannot run as it is:
          steps[1].dependencies: there is no step "s9" (Name a step of this plan.)
          steps[0].requiredTools[0]: there is no tool "magic"

        exit 1
        --- err
        assent: the plan cannot run as it is:
          priorityOrder[0]: there is no specialist "nobody"
          todoList[0].requiredTools[0]: there is no tool "magic"
          todoList[0].specialist: there is no specialist "nobody"

        exit 1
        --- err
        assent: broken.json is no usable plan, nothing was saved:
          the file is not JSON: EOF while parsing a value at line 1 column 28

        exit 1
        --- err
        assent: missing.json cannot be read: No such file or directory (os error 2); name a file with a plan

        exit 1
        --- err
        assent: /dev/zero is larger than 16 MiB, which nothing that is wanted here is; name a file with a plan

        exit 0
        --- err
        there are no plans yet: assent plan new "…" makes one

        exit 0
        --- err
        there are no sessions yet: assent ask "…" begins one
    "#]]
    .assert_eq(&all([
        import("faulty.json"),
        import("tools.json"),
        import("seeds.json"),
        import("broken.json"),
        import("missing.json"),
        import("/dev/zero"),
        desk.run(&["plan", "list"]),
        desk.run(&["sessions"]),
    ]));
}

#[test]
fn with_json_every_command_prints_the_published_formats() {
    let (desk, id) = planned();
    let kinds = |arguments: &[&str]| desk.run(&[&["--json", "plan"], arguments].concat()).ends(0).kinds();
    let first = |arguments: &[&str]| desk.run(&[&["--json", "plan"], arguments].concat()).ends(0).values().remove(0);
    assert_eq!(first(&["show", &id])["format"], "assent.plan/1");
    assert_eq!(first(&["list"])["id"], json!(id));
    assert_eq!(first(&["edit", &id, "--add", "Say thanks"])["version"], 2);
    assert_eq!(first(&["diff", &id])["added"][0]["description"], "Say thanks");
    assert_eq!(kinds(&["comment", &id, "good"]), ["commented"]);
    assert_eq!(kinds(&["approve", &id, "--version", "1", "--later"]), ["plan_approved"]);
    assert_eq!(kinds(&["reject", &id]), ["plan_rejected", "turn_ended"]);
    let ran = kinds(&["run", &id, "--version", "1"]);
    assert_eq!(
        (ran.first().map(String::as_str), ran.last().map(String::as_str)),
        (Some("run_queued"), Some("turn_ended"))
    );
}
