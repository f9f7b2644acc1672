//! What is remembered of calls: those that worked, with the words of the message, until the session is deleted; and what
//! it teaches.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use assent_core::discovery::{Filter, Query};
use assent_core::run::{CallStatus, EventKind, Purpose};
use assent_engine::clock::SystemClock;
use assent_engine::memory::Recall;
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{ModelProfile, PlannerProfile};
use assent_engine::store::{
    Forget, Home, Memories, MemoryDraft, MemoryFilter, MemoryKind, MemoryRow, MemorySource, Store, StoreError,
};
use assent_engine::turn::{ApprovalPolicy, Message, TurnEnd};
use assent_tests::desk::{Desk, Only, engine_remembering};
use serde_json::json;
use tokio_util::sync::CancellationToken;

fn usages(desk: &Desk) -> Vec<MemoryRow> {
    let types = [("action".to_owned(), vec!["tool".to_owned()])].into();
    desk.engine.memory().list(&MemoryFilter { types, limit: 100, ..MemoryFilter::default() }).unwrap()
}

async fn count(desk: &Desk, message: &str) -> assent_core::ids::SessionId {
    desk.plans(&json!({"title": "Count", "steps": [
        {"tool": "bash", "do": "Count the lines about berlin", "expect": "counts"},
    ]}));
    desk.calls("bash", json!({"command": "exit 3"}));
    desk.calls("bash", json!({"command": "grep -c Berlin a.txt"}));
    desk.says("One.");
    let session = desk.session().await;
    desk.send(&session, message, ApprovalPolicy::NeverAsk).await;
    session
}

// covers: L12 L49 L50 L51
#[tokio::test]
async fn a_call_that_worked_is_remembered_once_and_goes_with_its_session() {
    let desk = Desk::with(&[("a.txt", "Berlin\n")]);
    let session = count(&desk, "How many lines mention Berlin?").await;
    let rows = usages(&desk);
    assert_eq!(rows.len(), 1, "the command that failed teaches nothing: {rows:?}");
    assert_eq!((rows[0].context.as_str(), rows[0].session.as_ref()), ("tool:bash:usage", Some(&session)));
    let data = &rows[0].payload["data"];
    assert_eq!((&data["tool"], &data["success"]), (&json!("bash"), &json!(true)));
    assert_eq!(data["intent"], "How many lines mention Berlin?");
    assert_eq!(rows[0].times, 1);
    let tools = desk.engine.memory().recall(&Recall::about("").limit(100).of("fact", "tool")).await;
    assert_eq!(tools.items_found, desk.engine.tools().list().len() + 2, "every tool, and the two about tools");

    desk.engine.sessions().delete(&session).await.unwrap();
    assert_eq!(usages(&desk), []);
}

// covers: L50
#[tokio::test]
async fn a_call_that_ends_in_an_error_is_not_remembered() {
    let desk = Desk::with(&[("a.txt", "Berlin\n")]);
    desk.plans(&json!({"title": "Look", "steps": [{"tool": "grep", "do": "Find Berlin", "expect": "its lines"}]}));
    desk.calls("grep", json!({"pattern": "(", "regex": true}));
    desk.calls("grep", json!({"pattern": "Berlin"}));
    desk.says("It is in a.txt.");
    let session = desk.session().await;
    desk.send(&session, "Which lines mention Berlin?", ApprovalPolicy::NeverAsk).await;
    let ended: Vec<CallStatus> = desk
        .events(&session)
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::CallEnded { status, .. } => Some(status),
            _ => None,
        })
        .collect();
    assert_eq!(ended, [CallStatus::Error, CallStatus::Success]);
    let rows = usages(&desk);
    assert_eq!((rows.len(), rows[0].times), (1, 1), "the call that worked: {rows:?}");
}

/// Something that no tool's text says anything of.
const WISH: &str = "zählwerk ablesen";

/// The tools that are found for it.
fn found(desk: &Desk) -> Vec<String> {
    let query = Query { text: WISH, limit: 3, filter: &Filter::default() };
    desk.engine.tools().find(&query).tools.into_iter().map(|tool| tool.name).collect()
}

#[tokio::test]
async fn what_another_engine_on_the_same_folder_learns_or_forgets_counts_in_the_next_search() {
    let desk = Desk::with(&[("a.txt", "Berlin\n")]);
    desk.settle();
    let other = desk.reopened();
    assert_eq!([found(&desk), found(&other)], [Vec::<String>::new(), Vec::new()]);
    let session = count(&other, WISH).await;
    other.settle();
    assert_eq!([found(&desk), found(&other)], [["bash"], ["bash"]]);
    assert_eq!(desk.engine.memory().forget(&Forget::Context("tool:bash:usage".to_owned())).unwrap(), 1);
    assert_eq!([found(&desk), found(&other)], [Vec::<String>::new(), Vec::new()]);
    // A session takes along what was done in it, whoever deletes it.
    let again = count(&desk, WISH).await;
    desk.settle();
    assert_eq!([found(&desk), found(&other)], [["bash"], ["bash"]]);
    other.engine.sessions().delete(&again).await.unwrap();
    other.engine.sessions().delete(&session).await.unwrap();
    assert_eq!([found(&desk), found(&other)], [Vec::<String>::new(), Vec::new()]);
}

#[tokio::test]
async fn what_was_done_in_a_session_that_is_deleted_before_it_is_written_teaches_nothing() {
    let desk = Desk::with(&[("a.txt", "Berlin\n")]);
    desk.settle();
    assert_eq!(found(&desk), Vec::<String>::new());
    let session = count(&desk, WISH).await;
    desk.engine.sessions().delete(&session).await.unwrap();
    assert_eq!(found(&desk), Vec::<String>::new());
    assert_eq!(usages(&desk), []);
    assert_eq!(found(&desk), Vec::<String>::new());
}

#[test]
fn of_a_source_that_was_removed_nothing_is_learned_from() {
    let desk = Desk::with(&[]);
    let folder = desk.home.with_file_name("acme");
    std::fs::create_dir(&folder).unwrap();
    let tool = json!([{"name": "greet", "description": "Greets.", "risk": "read", "command": ["printf", "hello"]}]);
    std::fs::write(folder.join("one.json"), tool.to_string()).unwrap();
    let store = Store::open(&Home::at(&desk.home).unwrap(), Arc::new(SystemClock)).unwrap();
    let data = json!({"kind": "tool_usage", "data": {"tool": "acme.greet", "intent": WISH, "success": true}});
    let used = MemoryDraft {
        context: "tool:acme.greet:usage".to_owned(),
        kind: MemoryKind::Action,
        source: MemorySource::Executor,
        slot: None,
        times: 1,
        session: None,
        at: 5,
        payload: data,
        links: Vec::new(),
    };
    desk.engine.tools().add_source("acme", &folder).unwrap();
    store.remember(vec![used]).unwrap();
    assert_eq!(found(&desk), ["acme.greet"]);
    desk.engine.tools().remove_source("acme").unwrap();
    desk.settle();
    // Another of that name is another.
    desk.engine.tools().add_source("acme", &folder).unwrap();
    assert_eq!(found(&desk), Vec::<String>::new());
}

#[tokio::test]
async fn past_runs_change_what_is_found_first_also_after_a_restart_until_they_are_forgotten() {
    let desk = Desk::with(&[("a.txt", "Berlin\n")]);
    desk.settle();
    assert_eq!(found(&desk), Vec::<String>::new());
    count(&desk, WISH).await;
    desk.settle();
    assert_eq!(found(&desk), ["bash"]);
    let before = usages(&desk);
    let again = desk.reopened();
    assert_eq!(found(&again), ["bash"]);
    assert_eq!(again.engine.memory().forget(&Forget::These(vec![before[0].id])).unwrap(), 1);
    assert_eq!(found(&again), Vec::<String>::new());
}

/// A store that hangs until it is let go.
struct Hanging(Mutex<Receiver<()>>);

impl Hanging {
    fn hang<T>(&self) -> Result<T, StoreError> {
        // Ends when the other side is dropped.
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).recv();
        Err(StoreError::Other("it hung".to_owned()))
    }
}

impl Memories for Hanging {
    fn remember(&self, _: Vec<MemoryDraft>) -> Result<(), StoreError> {
        self.hang()
    }
    fn memories(&self, _: &MemoryFilter) -> Result<Vec<MemoryRow>, StoreError> {
        self.hang()
    }
    fn slots(&self, _: &str) -> Result<BTreeMap<String, String>, StoreError> {
        self.hang()
    }
    fn revision(&self) -> Result<u64, StoreError> {
        self.hang()
    }
    fn forget(&self, _: &Forget) -> Result<usize, StoreError> {
        self.hang()
    }
}

// covers: L33 L52 L54
#[tokio::test]
async fn with_a_memory_that_hangs_everything_still_works_and_nothing_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("workspace")).unwrap();
    std::fs::write(folder.path().join("workspace/a.txt"), "Berlin\n").unwrap();
    let home = Home::at(folder.path().join("home")).unwrap();
    let store = Store::open(&home, Arc::new(SystemClock)).unwrap();
    let profile = ModelProfile {
        id: "scripted/test".to_owned(),
        context_tokens: 8192,
        planner: PlannerProfile::Full,
        parallel: 1,
        local: false,
    };
    let model = Arc::new(ScriptedModel::new(profile));
    let plan = json!({"title": "Count", "refinedTask": "Count.", "todoList": [
        {"id": "step_1", "description": "Count", "stepType": "tool", "expectedOutcome": "a count"}]});
    model.push(Purpose::Plan, Scripted::text(plan.to_string()));
    model.push(Purpose::Step, Scripted::call("tool_search", json!({"query": "find lines in files"})));
    model.push(Purpose::Step, Scripted::call("grep", json!({"pattern": "Berlin"})));
    model.push(Purpose::Step, Scripted::text("One."));

    let begun = Instant::now();
    let (release, held) = sync_channel(0);
    let hanging = Arc::new(Hanging(Mutex::new(held)));
    let engine = engine_remembering(store, &home, Arc::new(Only(model)), hanging);
    assert!(begun.elapsed() < SOON, "opening: {:?}", begun.elapsed());

    let session = engine.sessions().create(&folder.path().join("workspace")).await.unwrap();
    let text = "Count the lines about Berlin".to_owned();
    let message = Message { session: session.clone(), text, policy: Some(ApprovalPolicy::NeverAsk), answers: None };
    let begun = Instant::now();
    let end = engine.turns().send(message, &CancellationToken::new()).await.unwrap();
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    assert!(begun.elapsed() < SOON, "the turn: {:?}", begun.elapsed());
    let events = engine.sessions().events(&session, 0).unwrap();
    let first = events.iter().find_map(|event| match &event.kind {
        EventKind::CallEnded { output, .. } => engine.content(output).ok(),
        _ => None,
    });
    assert_eq!(first.unwrap()["results"][0]["name"], "grep", "tools are found without what past calls teach");

    let begun = Instant::now();
    let query = Query { text: "find lines in files", limit: 1, filter: &Filter::default() };
    assert_eq!(engine.tools().find(&query).tools[0].name, "grep");
    assert!(engine.memory().recall(&Recall::about("lines")).await.degraded);
    assert!(begun.elapsed() < SOON, "a person's searches: {:?}", begun.elapsed());
    drop(release);
}

/// Far more than it takes, far less than for ever.
const SOON: Duration = Duration::from_secs(10);

#[test]
fn of_a_source_that_was_removed_nothing_is_remembered() {
    let desk = Desk::with(&[]);
    let folder = desk.home.with_file_name("acme");
    std::fs::create_dir(&folder).unwrap();
    let tool = json!([{"name": "greet", "description": "Greets.", "risk": "read", "command": ["printf", "hello"]}]);
    std::fs::write(folder.join("one.json"), tool.to_string()).unwrap();
    desk.engine.tools().add_source("acme", &folder).unwrap();
    let facts = |desk: &Desk| {
        let contexts = vec!["tool:acme.greet".to_owned()];
        desk.engine.memory().list(&MemoryFilter { contexts, limit: 5, ..MemoryFilter::default() }).unwrap().len()
    };
    assert_eq!(facts(&desk), 1);
    // A folder that is gone for a while is no reason to forget.
    let aside = folder.with_file_name("aside");
    std::fs::rename(&folder, &aside).unwrap();
    desk.engine.tools().sources().unwrap();
    assert_eq!(facts(&desk), 1);
    std::fs::rename(&aside, &folder).unwrap();
    desk.engine.tools().sources().unwrap();
    desk.engine.tools().remove_source("acme").unwrap();
    assert_eq!(facts(&desk), 0);
}
