//! Specialists on the command line: who there is, who does a task, and packs of a person's own.

use expect_test::expect;
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::replies::{calls, says};

fn pack(desk: &Desk) {
    let one = |id: &str, tools: Value| json!({"id": id, "description": format!("Does all about {id}."), "toolNames": tools, "topLevel": true});
    let mut office = one("office", json!([]));
    office["children"] = json!(["reader", "writer"]);
    let specialists = [one("reader", json!(["read", "grep"])), one("writer", json!(["create_file", "gone"])), office];
    let folder = desk.home().join("packs/mine");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("specialists.json"), json!({"specialists": specialists}).to_string()).unwrap();
}

#[test]
fn who_there_is_is_shown_as_a_tree_with_what_is_wrong() {
    let desk = Desk::new();
    pack(&desk);
    expect![[r#"
        exit 0
        --- out
        general  Talks with the user: answers, summarises, compares, words texts, and asks or has confirmed…
            ask_user, displayConfirmation
        workspace  Works on the files of the workspace: finds, reads, writes and changes them, and runs com…
            grep, finder, glob, read, bash, create_file, edit_file, undo_edit
        office [mine]  Does all about office.
          reader [mine]  Does all about reader.
              read, grep
          writer [mine]  Does all about writer.
              create_file, gone
        planner  Turns a message into a plan; it changes nothing and runs in no plan.
            emit_plan
        --- err
        at most 8 tools a specialist beside those that ask, 8 on top, 7 below one, 10 to choose from, 5 levels
        note: specialists.writer.toolNames: there is no tool "gone" (The list of tools names those that there are.)
    "#]]
    .assert_eq(&desk.run(&["heap", "show"]).shown());
    let shown = desk.run(&["heap", "show", "--json"]).ends(0).values();
    assert_eq!(shown[0]["topLevelIds"], json!(["general", "workspace", "office"]));
    assert_eq!(shown[0]["overlayIds"], json!(["reader", "writer", "office"]));
    assert_eq!(shown[0]["from"]["writer"], "mine");
    let caps = json!({"tools": 8, "topLevel": 8, "children": 7, "options": 10, "depth": 5});
    assert_eq!(shown[0]["caps"], caps);

    std::fs::write(desk.home().join("packs/mine/specialists.json"), "{").unwrap();
    let broken = desk.run(&["heap", "show"]).ends(0);
    assert!(broken.err.contains("packs.mine.specialists.json: its specialists were left out"), "{}", broken.err);
}

#[test]
fn what_an_agent_has_of_its_own_is_shown_and_a_model_that_nobody_offers_is_told() {
    let desk = Desk::new();
    let folder = desk.home().join("packs/reader");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |more: &str| {
        let text = format!("description = \"Reads.\"\ntools = [\"read\"]\n{more}");
        std::fs::write(folder.join("agent.toml"), text).unwrap();
        desk.run(&["heap", "show"]).ends(0)
    };
    let limits = "[limits]\nstep_iterations = 12\nbranch_tokens = 50000\ncall_seconds = 30\n";
    let shown = write(&format!("model = \"step\"\n{limits}"));
    let told =
        "reader [reader]: asks the model step, at most 12 replies, at most 50000 tokens, calls of at most 30 s\n";
    assert!(shown.out.contains(told), "{}", shown.out);
    assert!(!shown.err.contains("agent.toml"), "{}", shown.err);
    let shown = &desk.run(&["heap", "show", "--json"]).ends(0).values()[0];
    let limits = json!({"step_iterations": 12, "branch_tokens": 50_000, "call_seconds": 30});
    assert_eq!((&shown["agents"][0]["model"], &shown["agents"][0]["limits"]), (&json!("step"), &limits));
    let unknown = write("model = \"nobody/gone\"\n");
    let told = "packs.reader.agent.toml.model: the agent \"reader\" cannot run";
    // Said on several lines where the terminal is narrow.
    assert!(unknown.err.split_whitespace().collect::<Vec<_>>().join(" ").contains(told), "{}", unknown.err);
    assert!(!write("").out.contains("[reader]: "));
}

#[test]
fn who_does_a_task_is_chosen_level_by_level() {
    let mut desk = Desk::with([says(r#"{"specialist":"office"}"#), says(r#"{"specialist":"writer"}"#)]);
    pack(&desk);
    let found = desk.run(&["heap", "search", "write", "a", "letter", "--json"]).ends(0).values();
    assert_eq!(found, [json!({"path": ["office", "writer"], "calls": 2})]);
    desk.serve([says("nobody")]);
    let nobody = desk.run(&["heap", "search", "--from", "office", "write"]);
    assert_eq!(nobody.ends(1).out, "\n");
    desk.serve([says(r#"{"specialist":"reader"}"#)]);
    let expanded = desk.run(&["heap", "expand", "general", "office", "toString", "--for", "read it"]);
    assert!(expanded.out.contains("general › general") && expanded.out.contains("office › reader"), "{}", expanded.out);
    assert!(expanded.out.contains("reader: chosen by the model · 1 model call\n"), "{}", expanded.out);
    assert!(expanded.ends(1).err.contains("\"toString\" is no specialist that can run"));
}

#[test]
fn a_route_of_leaves_needs_no_model() {
    let desk = Desk::new();
    pack(&desk);
    let expanded = desk.run(&["heap", "expand", "general", "--for", "read it"]);
    assert!(expanded.ends(0).out.contains("general › general"), "a leaf costs no call");
}

#[test]
fn when_a_specialist_delegates_is_a_choice_that_stays() {
    let desk = Desk::new();
    let said = |arguments: &[&str]| desk.run(&[&["heap", "delegation"][..], arguments].concat()).ends(0).out;
    assert!(said(&[]).starts_with("expand: "));
    assert!(said(&["runtime"]).starts_with("runtime: "));
    assert!(said(&[]).starts_with("runtime: "));
    assert_eq!(said(&["expand", "--json"]), "{\"delegation\":\"expand\"}\n");
    desk.run(&["heap", "delegation", "sometimes"]).ends(64);
}

#[test]
fn the_studio_is_open_as_long_as_a_person_wants_it() {
    let desk = Desk::new();
    let said = |arguments: &[&str]| desk.run(&[&["heap", "studio"][..], arguments].concat()).ends(0).out;
    assert_eq!(said(&["--json"]), "{\"open\":false}\n");
    assert_eq!(said(&["open"]), "open: agents can be made in chats\n");
    let shown = || desk.run(&["heap", "show"]).ends(0).out;
    assert!(shown().contains("create_agent") && shown().contains("propose_change"), "{}", shown());
    assert_eq!(said(&["--json"]), "{\"open\":true}\n", "also in the next process");
    assert_eq!(said(&["closed"]), "closed: no agents are made in chats\n");
    assert!(!shown().contains("create_agent"), "{}", shown());
    desk.run(&["heap", "studio", "ajar"]).ends(64);
}

#[test]
fn who_is_at_work_in_a_run_that_is_not_over_is_shown_with_the_step() {
    let desk = Desk::with([calls("ask_user", &json!({"question": "Which city?"})), says("It is Berlin.")]);
    let steps = json!([{"id": "s1", "description": "Ask for the city", "stepType": "tool", "requiredTools": ["ask_user"],
        "executor": {"kind": "specialist", "id": "general"}}]);
    let plan = json!({"format": "assent.plan/1", "title": "Ask", "userMessage": "Which?", "steps": steps});
    desk.write("plan.json", &plan.to_string());
    desk.run(&["plan", "import", "plan.json"]).ends(0);
    assert!(!desk.run(&["heap", "show"]).ends(0).out.contains("at work"));
    desk.run(&["plan", "approve", &desk.plan()]).ends(2);
    let shown = desk.run(&["heap", "show"]).ends(0).out;
    assert!(shown.contains("general is at work: step s1 of run "), "{shown}");
    let value = &desk.run(&["heap", "show", "--json"]).ends(0).values()[0];
    assert_eq!(value["atWork"]["general"][0]["step"], "s1", "{value}");
    // A run that cannot be read leaves the others as they are, and is named.
    let database = rusqlite::Connection::open(desk.home().join("assent.db")).unwrap();
    let change = |body: &str| database.execute(&format!("UPDATE plan_version SET document = {body}"), []).unwrap();
    assert!(change("'x' || document") > 0);
    let broken = desk.run(&["heap", "show"]).ends(0);
    assert!(broken.out.contains("general") && !broken.out.contains("at work"), "{}", broken.shown());
    assert!(broken.err.contains("cannot be read, and who is at work in it is not shown: "), "{}", broken.err);
    assert_eq!(desk.run(&["heap", "show", "--json"]).ends(0).values()[0]["atWork"], json!({}));
    assert!(change("substr(document, 2)") > 0);
    let request = desk.requests().remove(0);
    desk.run(&["answer", &request, "--text", "Berlin"]).ends(0);
    assert!(!desk.run(&["heap", "show"]).ends(0).out.contains("at work"), "the run is over");
}

#[test]
fn who_is_at_work_on_a_part_that_was_handed_on_is_shown_too() {
    let desk = Desk::with([
        says(r#"{"summary":"Reads.","delegateHeap":["reader"]}"#),
        calls("ask_user", &json!({"question": "Which file?"})),
    ]);
    pack(&desk);
    desk.run(&["heap", "delegation", "runtime"]).ends(0);
    let steps = json!([{"id": "s1", "description": "Ask for the file", "stepType": "tool", "requiredTools": ["ask_user"],
        "executor": {"kind": "specialist", "id": "office"}}]);
    let plan = json!({"format": "assent.plan/1", "title": "Ask", "userMessage": "Which?", "steps": steps});
    desk.write("plan.json", &plan.to_string());
    desk.run(&["plan", "import", "plan.json"]).ends(0);
    desk.run(&["plan", "approve", &desk.plan()]).ends(2);
    let value = &desk.run(&["heap", "show", "--json"]).ends(0).values()[0];
    let steps = |id: &str| value["atWork"][id][0]["step"].clone();
    assert_eq!((steps("office"), steps("reader")), (json!("s1"), json!("s1/1")), "{}", value["atWork"]);
}
