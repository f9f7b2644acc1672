//! Models that say that a step is done when it is not: every way of lying, over both protocols of tool calls, for every
//! kind of tool. None of them completes a strict step; the same step done honestly completes.

use std::sync::Arc;

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::plan::import;
use assent_core::run::{Answer, Decider, Reach, RequestKind, RequestState, StepStatus};
use assent_engine::Engine;
use assent_engine::clock::SystemClock;
use assent_engine::live::Unwatched;
use assent_engine::model::Dialect;
use assent_engine::store::{Home, RequestRow, Store};
use assent_engine::tool::sandbox;
use assent_engine::tool::{CallContext, Effects, Outcome, Tool, ToolStop};
use assent_tests::desk::{Desk, Only, engine_with};
use assent_tests::model::openai;
use assent_tests::needs::missing;
use assent_tests::replies::{all_calls, says};
use assent_tests::sse::{self, FakeServer, Received};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// What a model says when it is through, whatever it has done.
const CLAIM: &str = "Done. Everything that the step asks for has been carried out, and it worked.";

/// How a model behaves in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    /// Makes the right call, then says so.
    Honest,
    SaysDone,
    CallsNothing,
    CallsAnotherTool,
    CallsAnUnknownTool,
    /// They break the tool's schema.
    WrongArguments,
    InventedArguments,
    /// They fit, are allowed and work, and are of something else that the message speaks of.
    TheWrongThing,
    /// They fit, and are of something that nobody spoke of.
    NothingNamed,
    /// The same beside a look at what is there, in one reply.
    TheWrongThingAfterALook,
    FailedAsSuccess,
    HalfOfTheTools,
}

const WAYS: [Way; 12] = [
    Way::Honest,
    Way::SaysDone,
    Way::CallsNothing,
    Way::CallsAnotherTool,
    Way::CallsAnUnknownTool,
    Way::WrongArguments,
    Way::InventedArguments,
    Way::TheWrongThing,
    Way::NothingNamed,
    Way::TheWrongThingAfterALook,
    Way::FailedAsSuccess,
    Way::HalfOfTheTools,
];

/// A kind of tool, by one of it.
struct Kind {
    name: &'static str,
    tool: &'static str,
    /// What the step says.
    task: &'static str,
    /// Required beside it where half of the tools are called.
    second: &'static str,
    right: Value,
    wrong: Value,
    /// They fit the schema, and their values occur nowhere.
    invented: Value,
    /// They do the same as the right ones, to something else.
    of_another: Value,
    of_none: Value,
    /// They fit, and the tool cannot do it.
    failing: Value,
}

/// Arguments about a file.
fn path(path: &str) -> Value {
    json!({"path": path})
}

fn edit(path: &str) -> Value {
    json!({"path": path, "old_string": "first", "new_string": "second"})
}

fn write(path: &str) -> Value {
    json!({"path": path, "content": "hello\n"})
}

fn pattern(pattern: &str) -> Value {
    json!({"pattern": pattern})
}

fn command(command: &str) -> Value {
    json!({"command": command})
}

fn to(to: &str) -> Value {
    json!({"to": to})
}

fn action(action: &str) -> Value {
    json!({"action": action})
}

fn kinds() -> [Kind; 8] {
    [
        Kind {
            name: "read",
            tool: "read",
            task: "Read note.txt",
            second: "grep",
            right: path("note.txt"),
            wrong: json!({"path": 7}),
            invented: path("reports/2031/invented.txt"),
            of_another: path("other.txt"),
            of_none: path("more.txt"),
            failing: path("missing.txt"),
        },
        Kind {
            name: "search",
            tool: "grep",
            task: "Find the lines that say 'hello'",
            second: "read",
            right: pattern("hello"),
            wrong: json!({"text": "hello"}),
            invented: json!({"pattern": "hello", "path": "reports/2031"}),
            of_another: json!({"pattern": "numbers", "path": "note.txt"}),
            of_none: pattern("zebra"),
            failing: json!({"pattern": "hello", "path": "missing.txt"}),
        },
        Kind {
            name: "edit",
            tool: "edit_file",
            task: "Edit out.txt",
            second: "create_file",
            right: edit("out.txt"),
            wrong: json!({"path": "out.txt", "old": "first"}),
            invented: edit("reports/2031/invented.txt"),
            of_another: edit("other.txt"),
            of_none: edit("more.txt"),
            failing: edit("missing.txt"),
        },
        Kind {
            name: "write",
            tool: "create_file",
            task: "Write hello to out.txt",
            second: "edit_file",
            right: write("out.txt"),
            wrong: json!({"path": "out.txt", "text": "hello\n"}),
            invented: write("../elsewhere/invented.txt"),
            of_another: write("other.txt"),
            of_none: write("more.txt"),
            failing: write("note.txt/out.txt"),
        },
        Kind {
            name: "execute",
            tool: "bash",
            task: "Count the lines of note.txt",
            second: "grep",
            right: command("cat note.txt"),
            wrong: json!({"script": "cat note.txt"}),
            invented: command("cat reports/2031/invented.txt"),
            of_another: command("wc -l other.txt"),
            of_none: command("echo done"),
            failing: command("cat note.txt; exit 3"),
        },
        Kind {
            name: "network",
            tool: "post",
            task: "Post the numbers to https://drop.example/in",
            second: "read",
            right: to("https://drop.example/in"),
            wrong: json!({"address": "https://drop.example/in"}),
            invented: to("https://invented.example/in"),
            of_another: to("https://other.example/in"),
            // It talks to nobody.
            of_none: to("more.txt"),
            failing: to("https://drop.example/broken"),
        },
        Kind {
            name: "destructive",
            tool: "purge",
            task: "Purge note.txt",
            second: "read",
            right: to("note.txt"),
            wrong: json!({"file": "note.txt"}),
            invented: to("reports/2031/invented.txt"),
            of_another: to("other.txt"),
            of_none: to("more.txt"),
            failing: to("missing.txt"),
        },
        Kind {
            name: "human",
            tool: "displayConfirmation",
            task: "Ask whether note.txt may be deleted",
            second: "read",
            right: action("delete note.txt"),
            wrong: json!({"question": "Shall I?"}),
            invented: json!({"action": "delete note.txt", "approved": true}),
            of_another: action("delete other.txt"),
            of_none: action("go on"),
            failing: action("  "),
        },
    ]
}

/// A tool of a kind that none of the shipped ones is.
struct Deed(ToolSpec);

fn deeds() -> Vec<Arc<dyn Tool>> {
    let deed = |name: &str, risk: Risk| -> Arc<dyn Tool> {
        Arc::new(Deed(ToolSpec::new(
            name,
            format!("Does {name}."),
            json!({"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"],
                "additionalProperties": false}),
            Source::Core,
            risk,
        )))
    };
    vec![deed("post", Risk::Network), deed("purge", Risk::Destructive)]
}

#[async_trait]
impl Tool for Deed {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, arguments: &Value) -> Effects {
        let to = arguments["to"].as_str().unwrap_or_default();
        let host = to.strip_prefix("https://").and_then(|rest| rest.split('/').next());
        let writes = if host.is_none() { vec![to.to_owned()] } else { Vec::new() };
        Effects { writes, hosts: host.map(str::to_owned).into_iter().collect(), ..Effects::none(self.0.risk) }
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        let to = arguments["to"].as_str().unwrap_or_default();
        if to.ends_with("/broken") || to.starts_with("missing") {
            let message = format!("nothing was done with {to}: it is not there");
            return Ok(Outcome::Error { message, output: json!({"ok": true}) });
        }
        Ok(Outcome::Success(json!({"ok": true})))
    }
}

/// The calls of a reply; none where the model only talks.
fn calls(way: Way, kind: &Kind) -> Vec<(&'static str, Value)> {
    let look = || ("glob", pattern("*.txt"));
    match way {
        Way::SaysDone | Way::CallsNothing => Vec::new(),
        Way::Honest | Way::HalfOfTheTools => vec![(kind.tool, kind.right.clone())],
        Way::CallsAnotherTool => vec![look()],
        Way::CallsAnUnknownTool => vec![("do_everything", kind.right.clone())],
        Way::WrongArguments => vec![(kind.tool, kind.wrong.clone())],
        Way::InventedArguments => vec![(kind.tool, kind.invented.clone())],
        Way::TheWrongThing => vec![(kind.tool, kind.of_another.clone())],
        Way::NothingNamed => vec![(kind.tool, kind.of_none.clone())],
        Way::TheWrongThingAfterALook => vec![look(), (kind.tool, kind.of_another.clone())],
        Way::FailedAsSuccess => vec![(kind.tool, kind.failing.clone())],
    }
}

/// The name of a case, as the step's description has it.
fn case(way: Way, kind: &Kind) -> String {
    format!("[{} {way:?}]", kind.name)
}

/// What the model answers: by turns its call and its claim, for as long as it is asked.
fn reply(native: bool, request: &Received) -> sse::Answer {
    let body = &request.body;
    let text = body["messages"].to_string();
    let kinds = kinds();
    let mut all = WAYS.iter().flat_map(|way| kinds.iter().map(move |kind| (*way, kind)));
    let (way, kind) = all.find(|(way, kind)| text.contains(&case(*way, kind))).expect("a known case");
    let replies = body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "assistant").count();
    let claim = if way == Way::CallsNothing { "" } else { CLAIM };
    let calls = calls(way, kind);
    let talks = calls.is_empty() || !replies.is_multiple_of(2);
    match (native, talks) {
        (true, true) => says(claim),
        (true, false) => all_calls(&calls),
        (false, true) => says(&json!({"content": claim}).to_string()),
        (false, false) => {
            let calls = calls.iter().map(|(tool, arguments)| json!({"toolName": tool, "arguments": arguments}));
            says(&json!({"toolCalls": calls.collect::<Vec<_>>()}).to_string())
        }
    }
}

/// The files of a case. What the model should change is not there where it changes something else, so that nobody can
/// take it for changed.
fn lay_out(workspace: &std::path::Path, way: Way, kind: &Kind) {
    for (name, text) in [("note.txt", "hello\n"), ("other.txt", "first\n"), ("more.txt", "first\n")] {
        std::fs::write(workspace.join(name), text).unwrap();
    }
    let _ = std::fs::remove_file(workspace.join("out.txt"));
    let misses = matches!(way, Way::TheWrongThing | Way::NothingNamed | Way::TheWrongThingAfterALook);
    if kind.name == "edit" && !misses {
        std::fs::write(workspace.join("out.txt"), "first\n").unwrap();
    }
}

/// Runs one case as far as it goes and says how its step ended.
async fn ends(engine: &Engine, workspace: &std::path::Path, way: Way, kind: &Kind) -> StepStatus {
    let session = engine.sessions().create(workspace).await.unwrap();
    let required = if way == Way::HalfOfTheTools { vec![kind.tool, kind.second] } else { vec![kind.tool] };
    let document = json!({
        "format": "assent.plan/1", "id": format!("p-{}", session.as_str()), "version": 1,
        "sessionId": session.as_str(), "title": "A case",
        "userMessage": "Work on note.txt, other.txt, missing.txt and out.txt, with the numbers that say hello, \
            https://drop.example/in, https://other.example/in and https://drop.example/broken.",
        "defaults": {"toolValidationMode": "strict"},
        "steps": [{"id": "s1", "description": format!("{} {}", kind.task, case(way, kind)), "stepType": "tool",
            "requiredTools": required, "dependencies": [], "executor": {"kind": "self", "id": ""}}],
    });
    let plan = import(&document.to_string()).unwrap();
    let plan = engine.plans().import(plan, &session).await.unwrap();
    let never = CancellationToken::new();
    engine.turns().approve(&plan, Decider::User, None, &never).await.unwrap();
    let yes = || Answer::Approve { arguments: None, note: None, reach: Reach::Once };
    // Decisions and permissions are given for what the step is about.
    let meant = |arguments: Option<&Value>| arguments.is_some_and(|said| [&kind.right, &kind.failing].contains(&said));
    let given = |row: &RequestRow| {
        matches!(row.request.kind, RequestKind::Confirm | RequestKind::Permit) && meant(row.request.arguments.as_ref())
    };
    let first = || engine.requests().open().unwrap().into_iter().find(|row| row.session == session);
    while let Some(row) = first().filter(given) {
        engine.turns().answer(&row.request.id, yes(), &never).await.unwrap();
    }
    let run = engine.runs().list(&session).unwrap().remove(0);
    let state = engine.runs().get(&run.id).unwrap().state;
    let satisfied: Vec<&str> = state.satisfied(0).collect();
    let proven = required.iter().all(|tool| satisfied.contains(tool));
    if way == Way::InventedArguments && ["read", "network"].contains(&kind.name) {
        assert!(state.ledger().iter().all(|entry| entry.begun.is_none()), "{}: {:?}", kind.name, state.ledger());
        let allows = |request: &RequestState| request.request.kind != RequestKind::Cap;
        assert!(!state.requests().iter().any(allows), "{}: nobody is asked to allow what was made up", kind.name);
    }
    let status = state.step(0).status;
    assert_eq!(status == StepStatus::Completed, proven, "{way:?}, {}: {satisfied:?}", kind.name);
    status
}

// covers: T3 T4 T5 T9 T14 T18 T46 T54 T61 T63 T64
#[tokio::test]
async fn no_way_of_lying_completes_a_strict_step_over_either_protocol_with_any_kind_of_tool() {
    let mut completed = Vec::new();
    let mut cases = 0;
    for (native, dialect) in [(true, Dialect::COMPATIBLE), (false, Dialect::PLAIN)] {
        let server = FakeServer::answering(move |_, request| Some(reply(native, request))).await;
        let (model, _) = openai(&server.address, dialect);
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("workspace");
        std::fs::create_dir(&workspace).unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        let store = Store::open(&home, Arc::new(SystemClock)).unwrap();
        let engine = engine_with(store, &home, Arc::new(Only(Arc::new(model))), deeds(), Arc::new(Unwatched));
        for way in WAYS {
            for kind in &kinds() {
                lay_out(&workspace, way, kind);
                let status = ends(&engine, &workspace, way, kind).await;
                cases += 1;
                if status == StepStatus::Completed {
                    completed.push((native, way, kind.name));
                }
                let definite = matches!(status, StepStatus::Completed | StepStatus::Failed | StepStatus::Waiting);
                assert!(definite, "{way:?}, {}: {status:?}", kind.name);
            }
        }
        let asked_natively = server.received().iter().any(|request| request.body.get("tools").is_some());
        assert_eq!(asked_natively, native, "the protocol is the one that is tested");
    }
    let honest: Vec<_> =
        [true, false].into_iter().flat_map(|native| kinds().map(|kind| (native, Way::Honest, kind.name))).collect();
    assert_eq!((cases, completed), (192, honest));
}

/// How a strict step ends whose model makes these calls, whatever it is told, and says each time that it is done.
async fn claimed(says: &str, required: &[&str], calls: &[(&str, Value)]) -> StepStatus {
    let files = [("note.txt", "hello\n"), ("other.txt", "first\n")];
    let desk = Desk::with(&files);
    let session = desk.session().await;
    let document = json!({
        "format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(), "title": "A case",
        "userMessage": format!("{says}. There are note.txt, other.txt, more.txt, make.py, draft.txt and out.txt."),
        "defaults": {"toolValidationMode": "strict"},
        "steps": [{"id": "s1", "description": says, "stepType": "tool", "requiredTools": required,
            "dependencies": [], "executor": {"kind": "self", "id": ""}}],
    });
    for _ in 0..4 {
        for (tool, arguments) in calls {
            desk.calls(tool, arguments.clone());
        }
        desk.says(CLAIM);
    }
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
    let never = CancellationToken::new();
    desk.engine.turns().approve(&plan, Decider::User, None, &never).await.unwrap();
    let run = desk.engine.runs().list(&session).unwrap().remove(0);
    desk.engine.runs().get(&run.id).unwrap().state.step(0).status
}

// covers: T54 T63
#[tokio::test]
async fn a_command_that_does_nothing_completes_no_step_that_needs_one() {
    if let Err(reason) = sandbox::available() {
        return missing(reason);
    }
    let bash = |line: &str| ("bash", command(line));
    for line in ["echo ok", "true", ":", "printf 'all tests passed -> ok\\n'", "cd . && echo 'done?'", "date"] {
        let ended = claimed("Run the tests", &["bash"], &[bash(line)]).await;
        assert_ne!(ended, StepStatus::Completed, "{line}");
    }
    let counts = "Count the lines of note.txt and write them to out.txt";
    let guess = || ("create_file", json!({"path": "out.txt", "content": "7\n"}));
    assert_ne!(claimed(counts, &["bash", "create_file"], &[guess(), bash("true")]).await, StepStatus::Completed);
    assert_ne!(claimed("Lass die Tests laufen", &["bash"], &[bash("echo ok")]).await, StepStatus::Completed);
    for (says, line) in [
        ("Print hello", "echo hello"),
        ("Show the date", "date"),
        ("Gib 'hallo' aus", "echo hallo"),
        ("Write hello to out.txt", "echo hello > out.txt"),
        ("Run the tests", "test -s note.txt && echo ok"),
        (counts, "wc -l note.txt > out.txt"),
    ] {
        assert_eq!(claimed(says, &["bash"], &[bash(line)]).await, StepStatus::Completed, "{says}: {line}");
    }
}

// covers: T54 T63
#[tokio::test]
async fn a_file_that_a_step_does_not_name_is_not_the_one_that_it_names_in_any_language() {
    let makes = |path: &str, content: &str| ("create_file", json!({"path": path, "content": content}));
    for says in
        ["Schreibe hallo in out.txt", "Écris salut dans out.txt", "Escribe hola en out.txt", "Jot hello in out.txt"]
    {
        for path in ["other.txt", "more.txt"] {
            let ended = claimed(says, &["create_file"], &[makes(path, "hallo\n")]).await;
            assert_ne!(ended, StepStatus::Completed, "{says}: {path}");
        }
        let ended = claimed(says, &["create_file"], &[makes("out.txt", "hallo\n")]).await;
        assert_eq!(ended, StepStatus::Completed, "{says}");
    }
    // What is there may be what it is made of, and a script may write it.
    for (says, path, content) in [
        ("Fasse note.txt in einer neuen Datei zusammen", "more.txt", "hallo\n"),
        ("Schreibe ein Skript für out.txt", "make.py", "open('out.txt', 'w')\n"),
        ("Schreibe ein Skript, das out.txt erzeugt", "make.py", "print('hallo')\n"),
        ("Draft the letter that goes into out.txt later", "draft.txt", "hello\n"),
    ] {
        let ended = claimed(says, &["create_file"], &[makes(path, content)]).await;
        assert_eq!(ended, StepStatus::Completed, "{says}");
    }
}
