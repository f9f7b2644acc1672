//! Calls held against what their step names: right work is never refused, however a step speaks of it, and a wrong call
//! is not mended by one that proves nothing.

use assent_core::plan::import;
use assent_core::run::{Answer, CallState, Decider, Reach, RequestKind, RunState, StepStatus};
use assent_engine::tool::sandbox;
use assent_tests::desk::Desk;
use assent_tests::needs::{has_no_walls, missing};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A step: what it says, the tools that it must call, its calls.
struct Task {
    says: &'static str,
    required: &'static [&'static str],
    calls: Vec<(&'static str, Value)>,
}

fn task(says: &'static str, required: &'static [&'static str], calls: Vec<(&'static str, Value)>) -> Task {
    Task { says, required, calls }
}

/// One step that makes its one call.
fn one(says: &'static str, required: &'static [&'static str], call: (&'static str, Value)) -> Vec<Task> {
    vec![task(says, required, vec![call])]
}

fn bash(command: &str) -> (&'static str, Value) {
    ("bash", json!({"command": command}))
}

fn read(path: &str) -> (&'static str, Value) {
    ("read", json!({"path": path}))
}

fn edit(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    ("edit_file", json!({"path": path, "old_string": old, "new_string": new}))
}

fn create(path: &str) -> (&'static str, Value) {
    ("create_file", json!({"path": path, "content": "new\n"}))
}

const FILES: [(&str, &str); 9] = [
    ("a.csv", "north,3\nsouth,4\n"),
    ("settings.py", "HOST = 'localhost'\n"),
    ("app.py", "print('ready')\n"),
    ("run.sh", "main --fast\n"),
    ("main.py", "import sys\n"),
    ("letter.txt", "When do you come?\n"),
    ("a-old.txt", "draft\n"),
    ("liste.txt", "eins.md\n"),
    ("eins.md", "Eins.\n"),
];

/// How the steps of a plan end whose model makes these calls and then says that it is done, and says so again when it is
/// told otherwise. What asks for a permission gets it.
async fn run(message: &str, tasks: &[Task], files: &[(&str, &str)]) -> RunState {
    let desk = Desk::with(&[&FILES, files].concat());
    let session = desk.session().await;
    let steps = tasks.iter().enumerate().map(|(at, task)| {
        let on = if at == 0 { Vec::new() } else { vec![format!("s{at}")] };
        json!({"id": format!("s{}", at + 1), "description": task.says, "stepType": "tool", "requiredTools": task.required,
            "dependencies": on, "executor": {"kind": "self", "id": ""}})
    });
    let document = json!({
        "format": "assent.plan/1", "id": format!("p-{}", session.as_str()), "version": 1, "sessionId": session.as_str(),
        "title": "Work", "userMessage": message, "defaults": {"toolValidationMode": "strict"},
        "steps": steps.collect::<Vec<_>>(),
    });
    for task in tasks {
        for (tool, arguments) in &task.calls {
            desk.calls(tool, arguments.clone());
        }
        desk.says("It is done.");
    }
    for _ in 0..3 {
        desk.says("It is done, I say.");
    }
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
    let never = CancellationToken::new();
    desk.engine.turns().approve(&plan, Decider::User, None, &never).await.unwrap();
    let asked =
        || desk.engine.requests().open().unwrap().into_iter().find(|row| row.request.kind == RequestKind::Permit);
    while let Some(row) = asked() {
        let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
        desk.engine.turns().answer(&row.request.id, yes, &never).await.unwrap();
    }
    let run = desk.engine.runs().list(&session).unwrap().remove(0);
    desk.engine.runs().get(&run.id).unwrap().state
}

/// What was told of each call that did not count.
fn missed(state: &RunState) -> Vec<String> {
    let ledger = state.ledger().iter();
    ledger.filter_map(|entry| entry.missed()).map(str::to_owned).collect()
}

#[tokio::test]
async fn right_work_is_not_refused_for_the_words_of_its_step() {
    if let Err(reason) = sandbox::available() {
        return missing(reason);
    }
    let cases: Vec<(&str, Vec<Task>)> = vec![
        (
            "Write the numbers of a.csv to out.md.",
            vec![
                task("Extract the numbers of a.csv so that they can be put into out.md", &["bash"], vec![bash(CUT)]),
                task("Append them to out.md", &["bash"], vec![bash("cut -d, -f2 a.csv >> out.md")]),
            ],
        ),
        (
            "Write the numbers of a.csv to out.md.",
            vec![
                task("Extract the numbers of a.csv, to write them to out.md", &["bash"], vec![bash(CUT)]),
                task("Write out.md with the numbers", &["create_file"], vec![create("out.md")]),
            ],
        ),
        (
            "Change the host in settings.py to api.example.com.",
            one(
                "Change the host to api.example.com",
                &["edit_file"],
                edit("settings.py", "localhost", "api.example.com"),
            ),
        ),
        (
            "Change all print calls in app.py to logging.info.",
            one("Change every print call to logging.info", &["edit_file"], edit("app.py", "print(", "logging.info(")),
        ),
        (
            "Answer letter.txt in reply.txt.",
            vec![task("Write a reply to letter.txt", &["create_file"], vec![create("reply.txt")])],
        ),
        (
            "In all files called *-old.txt, put final for draft.",
            one("Edit *-old.txt: draft becomes final", &["bash"], bash("ls | grep old | xargs sed -i s/draft/final/")),
        ),
        (
            "Copy a.csv into 'new data.csv' with make.sh.",
            one("Write the rows to 'new data.csv'", &["bash"], bash("sh make.sh")),
        ),
        (
            "What is passed to main.py?",
            one("Print the arguments that are passed to main.py", &["bash"], bash("grep -n main run.sh")),
        ),
        (
            "Lies die Dateien, die in liste.txt stehen.",
            one("Lies die Dateien, die in liste.txt stehen", &["read"], read("eins.md")),
        ),
        (
            "Rename every IMG_NUMBER_PLACE.txt to PLACE_NUMBER.txt.",
            one("Rename every IMG_NUMBER_PLACE.txt to PLACE_NUMBER.txt", &["bash"], bash("sh rename.sh")),
        ),
        ("Write the total to out.md.", one("Write the total to out.md", &["bash"], bash("echo 7 > out.md"))),
        ("Write the total to docs/out.md.", one("Write the total to docs/out.md", &["bash"], bash("sh deep.sh"))),
    ];
    let scripts = [
        ("make.sh", "cat a.csv > 'new data.csv'\n"),
        ("deep.sh", "mkdir -p docs; echo 7 > docs/out.md\n"),
        ("rename.sh", "mv IMG_1_Rome.txt Rome_1.txt\n"),
        ("IMG_1_Rome.txt", "Rome\n"),
    ];
    for (message, tasks) in cases {
        let state = run(message, &tasks, &scripts).await;
        let ends: Vec<StepStatus> = state.steps().iter().map(|step| step.status).collect();
        let first = tasks[0].says;
        assert_eq!((missed(&state), ends), (Vec::new(), vec![StepStatus::Completed; tasks.len()]), "{first}");
        let made = |entry: &CallState| matches!(entry, CallState::Ended(end) if end.satisfied);
        assert!(state.ledger().iter().all(|entry| made(&entry.state)), "{first}: {:?}", state.ledger());
    }
}

const CUT: &str = "cut -d, -f2 a.csv";

#[tokio::test]
async fn a_script_that_is_written_first_counts_once_it_has_written_what_its_step_names() {
    if let Err(reason) = sandbox::available() {
        return missing(reason);
    }
    let script = ("create_file", json!({"path": "make.sh", "content": "cut -d, -f2 a.csv > out.md\n"}));
    for (command, ends) in [("sh make.sh", StepStatus::Completed), ("true", StepStatus::Failed)] {
        let calls = vec![script.clone(), bash(command)];
        let tasks = [task("Write the numbers of a.csv to out.md with a script", &["create_file", "bash"], calls)];
        let state = run("Write the numbers of a.csv to out.md with make.sh.", &tasks, &[]).await;
        assert_eq!(state.step(0).status, ends, "{command}: {:?}", state.step(0).reason);
        assert_eq!(missed(&state)[0], "out.md", "{command}");
    }
}

#[tokio::test]
async fn a_call_that_missed_is_not_mended_by_one_that_proves_nothing() {
    if let Err(reason) = sandbox::available() {
        return missing(reason);
    }
    let glob = || ("glob", json!({"pattern": "*.txt"}));
    let cases: Vec<(&str, Task)> = vec![
        // A look beside the wrong look.
        ("Read letter.txt.", task("Read letter.txt", &["read"], vec![glob(), read("eins.md")])),
        (
            "Find 'come' in the files.",
            task(
                "Find the lines that say 'come'",
                &["grep"],
                vec![read("eins.md"), ("grep", json!({"pattern": "zebra"}))],
            ),
        ),
        // A command that may have been for anything beside the wrong change.
        (
            "Write the total to total.md and look at eins.md.",
            task(
                "Write the total to total.md if it is missing",
                &["create_file", "bash"],
                vec![create("eins.md"), bash("python3 -c pass")],
            ),
        ),
        // The right change is no proof of the look that was to come before it.
        (
            "Read letter.txt and write out.md.",
            task("Read letter.txt and write out.md", &["read", "create_file"], vec![read("eins.md"), create("out.md")]),
        ),
        // A part of a name is another name.
        ("Read letter.txt, not r.txt.", task("Read letter.txt", &["read"], vec![read("r.txt")])),
        (
            "Write the total to report.md and t.md.",
            task("Write the total to report.md", &["create_file"], vec![create("t.md")]),
        ),
        ("Count the lines of letter.txt.", task("Count the lines of r.txt", &["bash"], vec![bash("wc -l letter.txt")])),
        // A word of the step is no file of it.
        ("Write hello to out.md.", task("Write hello to out.md", &["bash"], vec![bash("echo hi > hello")])),
    ];
    for (message, task) in cases {
        let tasks = [task];
        let state = run(message, &tasks, &[("r.txt", "Four.\n")]).await;
        let (status, reason) = (state.step(0).status, state.step(0).reason.clone().unwrap_or_default());
        assert_eq!(status, StepStatus::Failed, "{message}: {:?}", state.ledger());
        assert!(reason.contains("no call of it had to do with"), "{message}: {reason}");
    }
}

/// How the steps of a plan end, and why.
fn ends(state: &RunState) -> Vec<(StepStatus, String)> {
    (0..state.steps().len())
        .map(|at| (state.step(at).status, state.step(at).reason.clone().unwrap_or_default()))
        .collect()
}

#[tokio::test]
async fn half_of_what_a_step_names_is_no_step() {
    if let Err(reason) = sandbox::available() {
        return missing(reason);
    }
    let both = "Write the totals to north.md and south.md.";
    let half = [
        task("Write the totals to north.md and south.md", &["create_file"], vec![create("north.md")]),
        task("Create north.md, south.md", &["create_file"], vec![create("north.md")]),
        task("Write the north to north.md and the south to south.md", &["bash"], vec![bash("echo 3 > north.md")]),
        task("Write north.md and the file `south.md`", &[], vec![create("north.md")]),
    ];
    for half in half {
        let says = half.says;
        let state = run(both, &[half], &[]).await;
        let (status, reason) = &ends(&state)[0];
        assert_eq!(*status, StepStatus::Failed, "{says}: {:?}", state.ledger());
        assert_eq!(reason, "Step s1 has not written what it names: south.md is not there", "{says}");
    }
    // Told once, it can still be mended.
    let desk_says = |calls| [task("Write the totals to north.md and south.md", &["create_file"], calls)];
    let state = run(both, &desk_says(vec![create("north.md"), create("south.md")]), &[]).await;
    assert_eq!(ends(&state), [(StepStatus::Completed, String::new())]);
    // What is there and was left as it was may need no change: the person is told, the step is not refused.
    let edits = [task("Edit main.py and app.py", &["edit_file"], vec![edit("main.py", "import sys", "import os")])];
    let (status, reason) = ends(&run("Edit main.py and app.py.", &edits, &[]).await).remove(0);
    assert_eq!((status, &*reason), (StepStatus::Completed, "not as expected: app.py was not changed"));
}

#[tokio::test]
async fn half_of_what_a_step_names_is_no_step_either_where_its_replies_are_used_up() {
    let mut calls = vec![create("north.md")];
    calls.extend(["a.csv", "app.py", "run.sh", "main.py", "letter.txt", "a-old.txt", "liste.txt"].map(read));
    let tasks = [task("Write the totals to north.md and south.md", &["create_file"], calls)];
    let state = run("Write the totals to north.md and south.md.", &tasks, &[]).await;
    assert_eq!(state.step(0).status, StepStatus::Waiting, "{:?}", ends(&state));
    let open: Vec<_> =
        state.open_requests().map(|request| (request.request.kind, request.request.reason.clone())).collect();
    let [(RequestKind::Cap, Some(reason))] = open.as_slice() else { panic!("{open:?}") };
    assert!(reason.contains("has not written what it names: south.md is not there"), "{reason}");
}

#[tokio::test]
async fn a_large_file_that_was_changed_below_its_beginning_says_something_else() {
    let lines: String = (0..400).map(|line| format!("line number {line} of the file\n")).collect();
    let change = |to: &str, from: &str| edit("large.txt", from, to);
    let calls = vec![
        read("large.txt"),
        change("line 300 changed", "line number 300"),
        read("large.txt"),
        change("line 300 changed again", "line 300 changed"),
        read("large.txt"),
    ];
    let tasks = [task("Edit large.txt and read it", &["edit_file"], calls)];
    let state = run("Edit large.txt and read it.", &tasks, &[("large.txt", &lines)]).await;
    let is_ended = |entry: &assent_core::run::LedgerEntry| matches!(entry.state, CallState::Ended(_));
    assert!(state.ledger().len() == 5 && state.ledger().iter().all(is_ended), "{:?}", state.ledger());
}

#[tokio::test]
async fn right_work_is_whole_however_a_step_names_its_files() {
    if let Err(reason) = sandbox::available() {
        return missing(reason);
    }
    let cases: Vec<(&str, Vec<Task>)> = vec![
        // Elsewhere than the step says, but by its name.
        ("Write north.md into out.", one("Write north.md to the folder out", &["create_file"], create("out/north.md"))),
        // A later step makes the other one.
        (
            "Write north.md and south.md.",
            vec![
                task("Write north.md and prepare south.md", &["create_file"], vec![create("north.md")]),
                task("Write south.md", &["create_file"], vec![create("south.md")]),
            ],
        ),
        // The name is the planner's own.
        ("Write the north.", one("Write north.md and notes.md", &["create_file"], create("north.md"))),
        // One or the other, and only where something holds.
        ("Write north.md or south.md.", one("Write north.md or south.md", &["create_file"], create("north.md"))),
        (
            "Write north.md, errors.md too.",
            one("Write north.md and, if there are errors, errors.md", &["create_file"], create("north.md")),
        ),
        // Gone is what they are to be.
        ("Delete a-old.txt and eins.md.", one("Delete a-old.txt and eins.md", &["bash"], bash("rm a-old.txt eins.md"))),
        // By a pattern, so that no name stands in the call.
        (
            "Write north.md and south.md.",
            one("Write north.md and south.md", &["bash"], bash("for n in north south; do echo 1 > $n.md; done")),
        ),
    ];
    for (message, tasks) in cases {
        let says = tasks[0].says;
        let state = run(message, &tasks, &[]).await;
        for (status, reason) in ends(&state) {
            assert_eq!((status, &*reason), (StepStatus::Completed, ""), "{says}: {:?}", state.ledger());
        }
    }
}

/// That an earlier step has written the file which a later one names too proves nothing of the later one.
#[tokio::test]
async fn what_an_earlier_step_has_done_to_a_file_is_no_proof_of_a_later_one() {
    if let Err(reason) = sandbox::available() {
        return missing(reason);
    }
    let message = "Write the table of a.csv to out.md, then add the total to out.md. Look at app.py too.";
    let first = || task("Write the table of a.csv to out.md", &["create_file"], vec![create("out.md")]);
    let second = |call| task("Append the total to out.md", &["edit_file"], vec![call]);
    let wrong = run(message, &[first(), second(edit("app.py", "ready", "7"))], &[]).await;
    let (status, reason) = ends(&wrong).remove(1);
    assert_eq!(status, StepStatus::Failed, "{:?}", wrong.ledger());
    assert_eq!(reason, "Step s2 has called edit_file, and no call of it had to do with out.md");
    let right = run(message, &[first(), second(edit("out.md", "new", "7"))], &[]).await;
    assert_eq!(ends(&right)[1], (StepStatus::Completed, String::new()));
    // Where no earlier step was there for it, what it has done beyond its task is done.
    let early = task("Add up a.csv", &["create_file"], vec![create("out.md")]);
    let look = task("Write the total to out.md", &["bash"], vec![bash("cat out.md")]);
    let state = run(message, &[early, look], &[]).await;
    assert_eq!(ends(&state)[1], (StepStatus::Completed, String::new()), "{:?}", state.ledger());
}

#[tokio::test]
async fn without_walls_a_yes_to_a_command_is_no_yes_to_its_being_the_wrong_one() {
    if !has_no_walls(module_path!(), "without_walls_a_yes_to_a_command_is_no_yes_to_its_being_the_wrong_one") {
        return;
    }
    for (command, ends) in [
        ("wc -l letter.txt", StepStatus::Completed),
        ("python3 -c 'print(1)'", StepStatus::Completed),
        ("wc -l app.py", StepStatus::Failed),
        ("echo done", StepStatus::Failed),
    ] {
        let state =
            run("Count letter.txt, not app.py.", &one("Count the lines of letter.txt", &["bash"], bash(command)), &[])
                .await;
        assert_eq!(state.step(0).status, ends, "{command}: {:?}", state.step(0).reason);
    }
    for (command, ends) in [
        ("echo 7 > out.md", StepStatus::Completed),
        ("echo 7 > app.py", StepStatus::Failed),
        ("python3 -c pass", StepStatus::Failed),
    ] {
        let state =
            run("Write the total to out.md.", &one("Write the total to out.md", &["bash"], bash(command)), &[]).await;
        assert_eq!(state.step(0).status, ends, "{command}: {:?}", state.step(0).reason);
    }
}

/// A step that waits for a person, while one beside it writes the file that both name.
#[tokio::test]
async fn what_a_step_beside_it_has_written_is_no_proof_of_a_step() {
    let message = "Write the table of a.csv to out.md. Delete a-old.txt. Look at notes.md too.";
    for (wrong, expected) in [(true, StepStatus::Failed), (false, StepStatus::Completed)] {
        let desk = Desk::with(&FILES);
        let session = desk.session().await;
        let step = |id: &str, says: &str, required: &[&str]| {
            json!({"id": id, "description": says, "stepType": "tool", "requiredTools": required, "dependencies": [],
                "executor": {"kind": "self", "id": ""}})
        };
        let document = json!({
            "format": "assent.plan/1", "id": format!("p-{}", session.as_str()), "version": 1,
            "sessionId": session.as_str(), "title": "Work", "userMessage": message,
            "defaults": {"toolValidationMode": "strict"}, "limits": {"maxParallelSteps": 1},
            "steps": [
                step("s1", "Write the table of a.csv to out.md", &["bash", "create_file"]),
                step("s2", "Write the head of out.md", &["create_file"]),
            ],
        });
        desk.calls("bash", json!({"command": "rm a-old.txt"}));
        desk.calls("create_file", json!({"path": "out.md", "content": "head\n"}));
        desk.says("It is done.");
        let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
        let never = CancellationToken::new();
        desk.engine.turns().approve(&plan, Decider::User, None, &never).await.unwrap();
        let row = desk.engine.requests().open().unwrap().remove(0);
        assert_eq!((row.request.path[0].as_str(), desk.file("out.md").as_deref()), ("s1", Some("head\n")));
        let path = if wrong { "notes.md" } else { "out.md" };
        desk.calls("create_file", json!({"path": path, "content": "new\n"}));
        for _ in 0..4 {
            desk.says("It is done.");
        }
        let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
        desk.engine.turns().answer(&row.request.id, yes, &never).await.unwrap();
        let run = desk.engine.runs().list(&session).unwrap().remove(0);
        let state = desk.engine.runs().get(&run.id).unwrap().state;
        assert_eq!(state.step(0).status, expected, "{:?}", state.ledger());
    }
}
