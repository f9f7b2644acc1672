//! Workflows on the command line: a plan is saved, approved as it is run for the first time, and run again by its name.

use std::fs;

use assent_engine::model::scripted::Gate;
use assent_tests::sse::{Answer, Received};
use expect_test::expect;
use serde_json::{Value, json};

use crate::desk::{Desk, all};
use crate::replies::{calls, calls_behind, says};

fn file(desk: &Desk, tool: &str) -> String {
    let step = json!({"id": "s1", "description": "Write the note to note.txt", "stepType": "tool",
        "requiredTools": [tool], "expectedOutcome": "note.txt"});
    let plan = json!({"format": "assent.plan/1", "title": "Notes", "userMessage": "Write the note to note.txt",
        "defaults": {"toolValidationMode": "strict"}, "steps": [step]});
    desk.write("plan.json", &plan.to_string());
    desk.workspace().join("plan.json").display().to_string()
}

fn writes(text: &str) -> [Answer; 2] {
    [calls("create_file", &json!({"path": "note.txt", "content": text})), says("Written.")]
}

#[test]
fn a_plan_is_saved_as_a_workflow_and_runs_once_it_is_approved() {
    let mut desk = Desk::with(writes("one"));
    let plan = file(&desk, "create_file");
    expect![[r#"
        exit 0
        --- err
        there are no workflows yet: assent workflow create NAME --plan ID makes one

        exit 64
        --- err
        assent: name a plan with --plan, or a file with --file

        exit 0
        --- out
        Notes ID1 v1  proposed

          1  s1   create_file  Write the note to note.txt → note.txt

          may read nothing   write note.txt   run commands: no   network: no
        --- err
        saved; assent workflow run notes carries it out

        exit 1
        --- err
        assent: there is already a workflow "notes"; change it as its next version, or use another name

        exit 0
        --- out
        notes                    v1  never ran        Notes  not approved

        exit 2
        --- out
        Notes ID1 v1  proposed

          1  s1   create_file  Write the note to note.txt → note.txt

          may read nothing   write note.txt   run commands: no   network: no
        --- err
        waits for your word: assent plan approve ID1   (or edit, reject)
    "#]]
    .assert_eq(&all([
        desk.run(&["workflow", "list"]),
        desk.run(&["workflow", "create", "notes"]),
        desk.run(&["workflow", "create", "notes", "--file", &plan]),
        desk.run(&["workflow", "create", "notes", "--file", &plan]),
        desk.run(&["workflow", "list"]),
        desk.run(&["workflow", "run", "notes"]),
    ]));
    assert_eq!(desk.file("note.txt"), None, "nothing runs before it is approved");
    desk.run(&["workflow", "run", "notes", "--version", "1", "--approve"]).ends(0);
    assert_eq!(desk.file("note.txt").as_deref(), Some("one"));

    // From then on it runs by its name, each time from the beginning.
    desk.serve(writes("two"));
    std::fs::remove_file(desk.workspace().join("note.txt")).unwrap();
    desk.run(&["workflow", "run", "notes"]).ends(0);
    assert_eq!(desk.file("note.txt").as_deref(), Some("two"));
    let runs = desk.run(&["workflow", "runs", "notes", "--json"]).ends(0).values();
    let statuses: Vec<&Value> = runs.iter().map(|run| &run["status"]).collect();
    assert_eq!(statuses, [&json!("completed"), &json!("completed")]);

    let faulty = file(&desk, "send_pigeon");
    let refused = desk.run(&["workflow", "update", "notes", "--file", &faulty]).ends(1);
    assert!(refused.err.contains("send_pigeon"), "{}", refused.err);
    let shown = desk.run(&["workflow", "update", "notes"]).ends(0);
    assert!(shown.out.contains("v2  proposed"), "{}", shown.out);
    assert!(desk.run(&["workflow", "run", "notes", "--version", "9"]).ends(1).err.contains("has no version 9"));

    desk.run(&["workflow", "update", "notes", "--when", "every day at 8"]).ends(0);
    let listed = desk.run(&["workflow", "list"]).ends(0).out;
    assert!(listed.contains("v3") && listed.contains("to run: every day at 8"), "{listed}");
    assert_eq!(desk.run(&["workflow", "list", "--json"]).ends(0).values()[0]["when"], "every day at 8");
    desk.run(&["workflow", "delete", "notes"]).ends(1);
    assert_eq!(desk.run(&["workflow", "delete", "notes", "--yes"]).ends(0).out, "deleted notes\n");
    assert!(desk.run(&["workflow", "run", "notes"]).ends(1).err.contains("there is no workflow \"notes\""));
}

#[test]
fn a_run_that_waits_for_help_goes_on_in_another_process() {
    let mut desk = Desk::with([calls("std-request-user-help", &json!({"question": "Which week?"}))]);
    let asks = json!({"id": "s1", "description": "Ask for the week", "stepType": "tool",
        "requiredTools": ["std-request-user-help"]});
    let document =
        json!({"format": "assent.plan/1", "title": "Weekly", "userMessage": "Ask for the week", "steps": [asks]});
    desk.write("asking.json", &document.to_string());
    let plan = desk.workspace().join("asking.json").display().to_string();
    desk.run(&["workflow", "create", "weekly", "--file", &plan]).ends(0);
    let waiting = desk.run(&["workflow", "run", "weekly", "--version", "1", "--approve"]).ends(2);
    assert!(format!("{}{}", waiting.out, waiting.err).contains("assent answer"), "{}", waiting.err);
    assert!(desk.run(&["workflow", "run", "weekly"]).ends(1).err.contains("assent workflow stop weekly"));
    desk.serve([says("It is week 47.")]);
    desk.run(&["workflow", "respond", "weekly", "week 47"]).ends(0);
    let listed = desk.run(&["workflow", "list", "--json"]).ends(0).values();
    assert_eq!(listed[0]["lastRun"]["status"], "completed");
    assert_eq!(desk.run(&["workflow", "stop", "weekly"]).ends(0).out, "nothing of it was running\n");
}

fn offers(request: &Received, tool: &str) -> bool {
    request.body["tools"].as_array().is_some_and(|tools| tools.iter().any(|one| one["function"]["name"] == tool))
}

fn is_told_of_a_call(request: &Received) -> bool {
    request.body["messages"].as_array().is_some_and(|messages| messages.iter().any(|one| one["role"] == "tool"))
}

#[test]
fn a_run_that_takes_longer_than_the_call_that_began_it_does_not_end_with_the_program() {
    let mut desk = Desk::with(writes("one"));
    let notes = file(&desk, "create_file");
    desk.run(&["workflow", "create", "notes", "--file", &notes]).ends(0);
    desk.run(&["workflow", "run", "notes", "--version", "1", "--approve"]).ends(0);

    desk.run(&["heap", "studio", "open"]).ends(0);
    let step = json!({"id": "s1", "description": "Run the workflow notes", "stepType": "tool", "specialist": "workflow",
        "requiredTools": ["run_workflow"]});
    let plan = json!({"format": "assent.plan/1", "title": "Run it", "userMessage": "Run the workflow notes",
        "limits": {"callSeconds": 6}, "steps": [step]});
    desk.write("run.json", &plan.to_string());
    let plan = desk.workspace().join("run.json").display().to_string();
    let run = calls("run_workflow", &json!({"name": "notes"}));
    for stopped in [false, true] {
        let gate = Gate::default();
        // Which of the two runs asks first after the call has stopped waiting is nobody's to say.
        let written = calls_behind(&gate, "create_file", &json!({"path": "note.txt", "content": "two"}));
        let run = run.clone();
        desk.serve_by(move |request| match (offers(request, "run_workflow"), is_told_of_a_call(request)) {
            (true, false) => run.clone(),
            (true, true) => says("It goes on."),
            (false, false) => written.clone(),
            (false, true) => says("Written."),
        });
        fs::remove_file(desk.workspace().join("note.txt")).unwrap();
        let imported = desk.run(&["plan", "import", &plan, "--json"]).ends(0).values();
        let id = imported[0]["id"].as_str().unwrap().to_owned();
        desk.run(&["plan", "approve", &id, "--later"]).ends(0);
        let mut running = desk.start(&["plan", "run", &id]);
        desk.reached(&gate);
        assert_eq!(running.complaint(), "the run of a workflow goes on; Ctrl-C stops it\n");
        if stopped {
            running.interrupt()
        } else {
            gate.open()
        }
        running.end();
        let runs = desk.run(&["workflow", "runs", "notes", "--limit", "1", "--json"]).ends(0).values();
        assert_eq!(runs[0]["status"], if stopped { "cancelled" } else { "completed" }, "{runs:?}");
        assert_eq!(desk.file("note.txt").as_deref(), if stopped { None } else { Some("two") });
    }
}
