//! Folders of tool descriptions while the engine is open: what comes, changes and goes there counts from the next message
//! on, without a restart.

use std::path::{Path, PathBuf};

use assent_core::discovery::{Filter, Query};
use assent_core::ids::SessionId;
use assent_core::plan::import;
use assent_core::run::{Answer, CallStatus, Decider, EventKind, Purpose};
use assent_engine::engine::{add_tool_source, remove_tool_source};
use assent_engine::model::scripted::Scripted;
use assent_engine::store::MemoryFilter;
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A tool that says a word.
fn says(name: &str, description: &str, word: &str) -> Value {
    json!({"name": name, "description": description, "risk": "read", "command": ["printf", word]})
}

fn write(folder: &Path, file: &str, tools: &[Value]) {
    std::fs::write(folder.join(file), json!(tools).to_string()).unwrap();
}

/// A desk with a source of one tool.
fn desk() -> (Desk, PathBuf) {
    let desk = Desk::with(&[]);
    let folder = desk.home.with_file_name("acme");
    std::fs::create_dir(&folder).unwrap();
    write(&folder, "one.json", &[says("greet", "Greets a colleague.", "hello")]);
    desk.engine.tools().add_source("acme", &folder).unwrap();
    (desk, folder)
}

fn names(desk: &Desk) -> Vec<String> {
    let sources = desk.engine.tools().sources().unwrap();
    sources.into_iter().flat_map(|source| source.tools).collect()
}

/// A message whose plan has one step with this tool; how its calls came out.
async fn done_with(desk: &Desk, session: &SessionId, tool: &str) -> (TurnEnd, Vec<CallStatus>) {
    let before = desk.events(session).len();
    desk.plans(&json!({"title": "Say it", "steps": [{"tool": tool, "do": "Say the word", "expect": "a word"}]}));
    desk.calls(tool, json!({}));
    desk.says("It was said.");
    let end = desk.send(session, "Say the word.", ApprovalPolicy::NeverAsk).await;
    let ended = desk.events(session).into_iter().skip(before).filter_map(|event| match event.kind {
        EventKind::CallEnded { status, .. } => Some(status),
        _ => None,
    });
    (end, ended.collect())
}

#[tokio::test]
async fn a_file_that_comes_into_a_folder_counts_from_the_next_message_on() {
    let (desk, folder) = desk();
    let session = desk.session().await;
    write(&folder, "two.json", &[says("farewell", "Takes leave of a colleague.", "bye")]);
    // Nobody has listed the tools since.
    let (end, ended) = done_with(&desk, &session, "acme.farewell").await;
    assert_eq!((end, ended), (TurnEnd::Answered { session: session.clone() }, vec![CallStatus::Success]));
    assert_eq!(names(&desk), ["acme.greet", "acme.farewell"]);
    let contexts = vec!["tool:acme.farewell".to_owned()];
    let facts = desk.engine.memory().list(&MemoryFilter { contexts, limit: 5, ..MemoryFilter::default() }).unwrap();
    assert!(!facts.is_empty(), "it is remembered like every tool");
}

#[test]
fn what_changes_or_goes_is_as_the_folder_says_when_it_is_listed() {
    let (desk, folder) = desk();
    let told = |name: &str| desk.engine.tools().get(name).map(|spec| spec.description.clone());
    assert_eq!(told("acme.greet").as_deref(), Some("Greets a colleague."));
    write(&folder, "one.json", &[says("greet", "Greets somebody warmly.", "hello"), says("bow", "Bows.", "bow")]);
    assert_eq!(names(&desk), ["acme.greet", "acme.bow"]);
    assert_eq!(told("acme.greet").as_deref(), Some("Greets somebody warmly."));
    let query = Query { text: "greets somebody warmly", limit: 5, filter: &Filter::default() };
    let found = desk.engine.tools().find(&query);
    let of_source: Vec<&str> =
        found.tools.iter().map(|tool| tool.name.as_str()).filter(|name| *name == "acme.greet").collect();
    assert_eq!(of_source.len(), 1, "once, however often it was read");

    write(&folder, "one.json", &[says("bow", "Bows.", "bow")]);
    assert_eq!((names(&desk), told("acme.greet")), (vec!["acme.bow".to_owned()], None));
    std::fs::write(folder.join("one.json"), "no JSON").unwrap();
    let sources = desk.engine.tools().sources().unwrap();
    assert_eq!((sources[0].tools.len(), sources[0].left_out.len()), (0, 1));

    write(&folder, "one.json", &[says("bow", "Bows.", "bow")]);
    assert_eq!(names(&desk), ["acme.bow"]);
    std::fs::remove_dir_all(&folder).unwrap();
    let sources = desk.engine.tools().sources().unwrap();
    assert!(sources[0].tools.is_empty() && sources[0].problem.is_some(), "{:?}", sources[0]);
    assert_eq!(told("acme.bow"), None);
}

#[tokio::test]
async fn sources_that_another_program_adds_or_removes_come_and_go() {
    let (desk, folder) = desk();
    let session = desk.session().await;
    let other = desk.reopened();
    remove_tool_source(other.engine.settings(), "acme").unwrap();
    add_tool_source(other.engine.settings(), "office", &folder).unwrap();
    let (end, ended) = done_with(&desk, &session, "office.greet").await;
    assert_eq!((end, ended), (TurnEnd::Answered { session: session.clone() }, vec![CallStatus::Success]));
    assert_eq!(
        (names(&desk), desk.engine.tools().get("acme.greet").is_none()),
        (vec!["office.greet".to_owned()], true)
    );
}

#[tokio::test]
async fn a_tool_that_came_to_do_something_else_is_not_what_was_approved() {
    let (desk, folder) = desk();
    let session = desk.session().await;
    desk.plans(&json!({"title": "Greet", "steps": [{"tool": "acme.greet", "do": "Greet", "expect": "a word"}]}));
    let end = desk.send(&session, "Greet.", ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    write(&folder, "one.json", &[says("greet", "Greets a colleague.", "something else")]);
    assert_eq!(names(&desk), ["acme.greet"]);
    let approved = desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await;
    assert!(approved.is_err(), "{approved:?}");
    let events = desk.events(&session);
    assert!(!events.iter().any(|event| matches!(event.kind, EventKind::CallStarted { .. })), "nothing was called");
}

#[tokio::test]
async fn a_tool_that_came_to_do_something_else_while_its_step_waits_is_not_called() {
    let (desk, folder) = desk();
    let session = desk.session().await;
    let step = json!({"id": "s1", "description": "Ask whether it is time, then greet", "stepType": "tool",
        "requiredTools": ["ask_user", "acme.greet"]});
    let document = json!({"format": "assent.plan/1", "title": "Greet", "userMessage": "Greet.", "steps": [step]});
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
    let calls = [("ask_user", json!({"question": "Now?"})), ("acme.greet", json!({}))];
    desk.model.push(Purpose::Step, Scripted::calls(calls));
    desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
    let request = desk.engine.requests().open().unwrap().remove(0).request;
    write(&folder, "one.json", &[says("greet", "Greets a colleague.", "something else")]);
    assert_eq!(names(&desk), ["acme.greet"]);
    desk.says("It cannot be done.");
    desk.says("It cannot be done.");
    desk.says("It cannot be done.");
    let answer = Answer::Value { value: json!("Now") };
    desk.engine.turns().answer(&request.id, answer, &CancellationToken::new()).await.unwrap();
    let events = format!("{:?}", desk.events(&session));
    assert!(events.contains("what acme.greet does was changed") && !events.contains("something else"), "{events}");
}
