//! A search for tools asks the memory: what past runs teach counts in it, a memory that cannot be asked is told and fails
//! nothing, and tools about tools are none of the bus.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::discovery::{Filter, Query};
use assent_core::ids::SessionId;
use assent_core::run::{CallStatus, EventKind, Purpose};
use assent_engine::Engine;
use assent_engine::clock::{Clock, SystemClock};
use assent_engine::discovery::Lack;
use assent_engine::engine::Parts;
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{ModelProfile, PlannerProfile};
use assent_engine::store::{
    Forget, Home, ListFilter, Memories, MemoryDraft, MemoryFilter, MemoryRow, Store, StoreError,
};
use assent_engine::tool::{CallContext, Effects, Outcome, Tool, ToolStop};
use assent_engine::turn::{ApprovalPolicy, Message};
use assent_tests::desk::{Desk, Only, engine_of};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn large() -> ModelProfile {
    let id = "scripted/test".to_owned();
    ModelProfile { id, context_tokens: 8192, planner: PlannerProfile::Full, parallel: 1, local: false }
}

/// A step for which the plan names no tool.
fn open_step() -> Value {
    json!({"title": "Look", "refinedTask": "Look.", "todoList": [
        {"id": "step_1", "description": "Find out", "stepType": "tool", "expectedOutcome": "what there is"}]})
}

/// What the calls of a tool gave in a session, oldest first.
fn gave(engine: &Engine, session: &SessionId, tool: &str) -> Vec<(CallStatus, u64, Value)> {
    let events = engine.sessions().events(session, 0).unwrap();
    let of_tool: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::CallStarted { call, tool: name, .. } if name == tool => Some(call.clone()),
            _ => None,
        })
        .collect();
    let ended = events.iter().filter_map(|event| match &event.kind {
        EventKind::CallEnded { call, status, duration_ms, output, .. } if of_tool.contains(call) => {
            Some((*status, *duration_ms, engine.content(output).unwrap()))
        }
        _ => None,
    });
    ended.collect()
}

/// No word of it stands in the description of any tool.
const WISH: &str = "zählwerk ablesen";

/// A turn in which the model looks for a tool for the wish, and then says that there is nothing.
async fn looked(desk: &Desk) -> Value {
    desk.plans(&open_step());
    desk.calls("tool_search", json!({"query": WISH}));
    desk.says("There is nothing.");
    desk.says("There is nothing.");
    let session = desk.session().await;
    desk.send(&session, "Look for it.", ApprovalPolicy::NeverAsk).await;
    gave(&desk.engine, &session, "tool_search").remove(0).2
}

// covers: L31 L32
#[tokio::test]
async fn what_worked_for_the_same_words_is_what_a_model_finds_by_them_later_and_after_a_restart() {
    let desk = Desk::on(ScriptedModel::new(large()), &[("a.txt", "Berlin\n")]);
    let before = looked(&desk).await;
    assert_eq!((&before["results"], &before["items_found"]), (&json!([]), &json!(0)));
    desk.plans(&open_step());
    desk.calls("grep", json!({"pattern": "Berlin"}));
    desk.says("It is in a.txt.");
    let session = desk.session().await;
    desk.send(&session, WISH, ApprovalPolicy::NeverAsk).await;
    desk.settle();

    let names = |found: &Value| -> Vec<String> {
        let rows = found["results"].as_array().unwrap();
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    let found = looked(&desk).await;
    assert_eq!((names(&found), &found["items_found"]), (vec!["grep".to_owned()], &json!(1)));
    assert_eq!((&found["results"][0]["callable"], found.get("degraded")), (&json!(true), None));
    let again = desk.reopened();
    assert_eq!(names(&looked(&again).await), ["grep"]);
    again.engine.memory().forget(&Forget::Context("tool:grep:usage".to_owned())).unwrap();
    assert_eq!(names(&looked(&again).await), Vec::<String>::new(), "what is forgotten teaches nothing");
}

/// What is told of a plan whose tools were found without it.
const UNTAUGHT: &str = "found without what past runs teach";

/// How a memory is broken.
#[derive(Clone, Copy)]
enum Broken {
    Fails,
    Hangs,
}

/// A store that can be broken, and mended again.
struct Moody {
    store: Arc<dyn Memories>,
    is_broken: AtomicBool,
    /// How often it was asked for something.
    asked: AtomicUsize,
    /// Where it hangs while it is broken: until the other side is dropped.
    hangs: Option<Mutex<Receiver<()>>>,
}

impl Moody {
    fn of(store: Arc<dyn Memories>, how: Broken) -> (Arc<Self>, SyncSender<()>) {
        let (release, held) = sync_channel(0);
        let hangs = matches!(how, Broken::Hangs).then(|| Mutex::new(held));
        (Arc::new(Self { store, is_broken: AtomicBool::new(true), asked: AtomicUsize::new(0), hangs }), release)
    }

    fn able(&self) -> Result<&dyn Memories, StoreError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if !self.is_broken.load(Ordering::SeqCst) {
            return Ok(self.store.as_ref());
        }
        if let Some(held) = &self.hangs {
            let _ = held.lock().unwrap_or_else(PoisonError::into_inner).recv();
        }
        Err(StoreError::Other("it is broken".to_owned()))
    }
}

impl Memories for Moody {
    fn remember(&self, drafts: Vec<MemoryDraft>) -> Result<(), StoreError> {
        self.able()?.remember(drafts)
    }
    fn memories(&self, filter: &MemoryFilter) -> Result<Vec<MemoryRow>, StoreError> {
        self.able()?.memories(filter)
    }
    fn slots(&self, slot: &str) -> Result<BTreeMap<String, String>, StoreError> {
        self.able()?.slots(slot)
    }
    fn revision(&self) -> Result<u64, StoreError> {
        self.able()?.revision()
    }
    fn forget(&self, what: &Forget) -> Result<usize, StoreError> {
        self.able()?.forget(what)
    }
}

/// An engine on a folder of its own, changed before it is opened.
struct World {
    engine: Engine,
    model: Arc<ScriptedModel>,
    folder: tempfile::TempDir,
}

impl World {
    fn new(change: impl FnOnce(Parts) -> Parts) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("workspace")).unwrap();
        std::fs::write(folder.path().join("workspace/a.txt"), "Berlin\n").unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        let store = Store::open(&home, Arc::new(SystemClock)).unwrap();
        let model = Arc::new(ScriptedModel::new(large()));
        let engine = engine_of(store, &home, Arc::new(Only(model.clone())), change);
        Self { engine, model, folder }
    }

    /// A turn of one step with these replies.
    async fn turn(&self, replies: impl IntoIterator<Item = Scripted>) -> SessionId {
        self.model.push(Purpose::Plan, Scripted::text(open_step().to_string()));
        for reply in replies {
            self.model.push(Purpose::Step, reply);
        }
        let session = self.engine.sessions().create(&self.folder.path().join("workspace")).await.unwrap();
        let message = Message {
            session: session.clone(),
            text: "Look for it.".to_owned(),
            policy: Some(ApprovalPolicy::NeverAsk),
            answers: None,
        };
        self.engine.turns().send(message, &CancellationToken::new()).await.unwrap();
        session
    }

    /// What was warned of in all sessions.
    fn warnings(&self) -> Vec<String> {
        let sessions = self.engine.sessions().list(&ListFilter::default()).unwrap();
        let events = sessions.iter().flat_map(|row| self.engine.sessions().events(&row.id, 0).unwrap());
        let told = events.filter_map(|event| match event.kind {
            EventKind::Warned { message } => Some(message),
            _ => None,
        });
        told.collect()
    }

    async fn searched(&self, query: &str) -> Value {
        let search = Scripted::call("tool_search", json!({"query": query, "max_results": 1}));
        let over = || Scripted::text("There is nothing.");
        let session = self.turn([search, over(), over()]).await;
        let (status, _, output) = gave(&self.engine, &session, "tool_search").remove(0);
        assert_eq!(status, CallStatus::Success);
        output
    }
}

// covers: L33
#[tokio::test]
async fn a_search_with_a_memory_that_is_down_or_hangs_goes_by_the_tools_texts_says_so_and_learns_when_it_can() {
    for how in [Broken::Fails, Broken::Hangs] {
        let mut moody = None;
        let world = World::new(|parts| {
            let (memories, release) = Moody::of(parts.store.clone(), how);
            moody = Some((memories.clone(), release));
            Parts { memories, ..parts }
        });
        let (memories, release) = moody.unwrap();
        let found = world.searched("find lines in files").await;
        assert_eq!((&found["results"][0]["name"], &found["degraded"]), (&json!("grep"), &json!(true)), "{found}");
        let none = world.searched(WISH).await;
        let expected = json!({"results": [], "items_found": 0, "degraded": true, "by_meaning": false});
        let told = none["reason"].as_str().map(str::to_owned);
        assert!(told.is_some_and(|told| told.starts_with("None of ")), "{none}");
        let Value::Object(mut none) = none else { panic!() };
        none.remove("reason");
        assert_eq!(Value::Object(none), expected);
        assert!(world.warnings().iter().any(|told| told.contains(UNTAUGHT)), "the planner's search says so too");
        let query = Query { text: "find lines in files", limit: 1, filter: &Filter::default() };
        assert_eq!(world.engine.tools().find(&query).tools[0].name, "grep");
        assert_eq!(world.engine.tools().lacks(), [Lack::Past], "and a person's");

        memories.is_broken.store(false, Ordering::SeqCst);
        drop(release);
        // What hung has ended with an error by the time that somebody has waited for it.
        world.engine.memory().list(&MemoryFilter { limit: 1, ..MemoryFilter::default() }).unwrap();
        let mended = async {
            while world.searched("find lines in files").await.get("degraded").is_some() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), mended).await.expect("it can be asked again");
        assert_eq!(world.engine.tools().lacks(), []);
        let before = world.warnings().len();
        world.searched("find lines in files").await;
        assert_eq!(world.warnings().len(), before, "nothing is missing any more");
    }
}

/// So many calls in one step.
const CALLS: usize = 24;

// covers: L52
#[tokio::test]
async fn with_a_memory_that_fails_or_hangs_no_call_fails_and_none_takes_longer() {
    for how in [Broken::Fails, Broken::Hangs] {
        let mut held = None;
        let world = World::new(|parts| {
            let (memories, release) = Moody::of(parts.store.clone(), how);
            held = Some(release);
            Parts { memories, ..parts }
        });
        let patterns: Vec<String> = (0..CALLS).map(|number| format!("Berlin|{number}")).collect();
        let calls = Scripted::calls(patterns.iter().map(|pattern| ("grep", json!({"pattern": pattern}))));
        let begun = Instant::now();
        let session = world.turn([calls, Scripted::text("It is in a.txt.")]).await;
        let taken = begun.elapsed();
        let ended = gave(&world.engine, &session, "grep");
        assert_eq!(ended.len(), CALLS);
        assert!(ended.iter().all(|(status, ..)| *status == CallStatus::Success), "{ended:?}");
        // A tenth of a second for each would be more than this.
        assert!(taken < Duration::from_millis(100) * u32::try_from(CALLS).unwrap(), "{taken:?}");
        drop(held);
    }
}

// covers: L54
#[test]
fn the_engine_is_open_before_a_memory_that_hangs_has_taken_anything() {
    let opened = || {
        let (mut begun, mut held) = (Instant::now(), None);
        let world = World::new(|parts| {
            let (memories, release) = Moody::of(parts.store.clone(), Broken::Hangs);
            held = Some((memories.clone(), release));
            begun = Instant::now();
            Parts { memories, ..parts }
        });
        let taken = begun.elapsed();
        let (memories, release) = held.unwrap();
        // It is asked all the same, behind the back of whoever opens.
        while memories.asked.load(Ordering::SeqCst) == 0 {
            assert!(begun.elapsed() < Duration::from_secs(20), "nothing is remembered");
            std::thread::yield_now();
        }
        drop(release);
        drop(world);
        taken
    };
    // The fastest: whoever waits for a memory waits each time, a busy machine does not make one.
    let taken = (0..3).map(|_| opened()).min().unwrap();
    assert!(taken < Duration::from_millis(400), "{taken:?}");
}

/// A clock that goes on with each look at it.
struct Ticking(AtomicI64);

impl Clock for Ticking {
    fn now(&self) -> i64 {
        self.0.fetch_add(7, Ordering::SeqCst)
    }
}

// covers: L34
#[tokio::test]
async fn a_search_says_how_long_it_took() {
    let world = World::new(|parts| Parts { clock: Arc::new(Ticking(AtomicI64::new(1_000_000))), ..parts });
    let search = Scripted::call("tool_search", json!({"query": "find lines in files"}));
    let over = || Scripted::text("There is nothing.");
    let session = world.turn([search, over(), over()]).await;
    let (status, duration_ms, _) = gave(&world.engine, &session, "tool_search").remove(0);
    let events = world.engine.sessions().events(&session, 0).unwrap();
    let at = |wanted: &dyn Fn(&EventKind) -> bool| events.iter().find(|event| wanted(&event.kind)).unwrap().at;
    let started = at(&|kind| matches!(kind, EventKind::CallStarted { .. }));
    let ended = at(&|kind| matches!(kind, EventKind::CallEnded { .. }));
    assert_eq!(status, CallStatus::Success);
    let duration = i64::try_from(duration_ms).unwrap();
    assert!(duration > 0 && duration <= ended - started, "{duration} of {}", ended - started);
}

/// A tool of the bus that counts its calls.
struct Counting(ToolSpec, Arc<AtomicUsize>);

#[async_trait]
impl Tool for Counting {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }
    fn effects(&self, _: &Value) -> Effects {
        Effects::none(self.0.risk)
    }
    async fn call(&self, arguments: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        self.1.fetch_add(1, Ordering::SeqCst);
        Ok(Outcome::Success(arguments))
    }
}

fn counting(name: &str, calls: &Arc<AtomicUsize>) -> Arc<dyn Tool> {
    let parameters = json!({"type": "object", "properties": {"title": {"type": "string"}}});
    let spec = ToolSpec::new(name, "Counts the tickets of the tracker.", parameters, Source::Mcp, Risk::Read);
    Arc::new(Counting(spec, calls.clone()))
}

// covers: L26 L27 L28
#[tokio::test]
async fn in_a_run_a_search_and_an_explanation_call_nothing_of_the_bus_and_any_other_name_does_with_its_arguments() {
    let calls = Arc::<AtomicUsize>::default();
    let world = World::new(|mut parts| {
        parts.tools.add(counting("mcp.tracker.count", &calls)).unwrap();
        // The bus takes no tool of their names: whoever asks for them gets them.
        for name in ["tool_search", "tool_explain"] {
            assert!(parts.tools.add(counting(name, &calls)).is_err());
        }
        parts
    });
    let looks = [
        Scripted::call("tool_search", json!({"query": "count tickets"})),
        Scripted::call("tool_explain", json!({"tool_id": "mcp.tracker.count"})),
    ];
    let over = || Scripted::text("There is nothing.");
    let session = world.turn(looks.into_iter().chain([over(), over()])).await;
    assert_eq!(gave(&world.engine, &session, "tool_search")[0].2["results"][0]["name"], "mcp.tracker.count");
    assert_eq!(gave(&world.engine, &session, "tool_explain")[0].2["tool_id"], "mcp.tracker.count");
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    assert!(world.engine.tools().list().iter().all(|spec| !spec.name.starts_with("tool_")));

    let does = [
        Scripted::call("tool_explain", json!({"tool_id": "mcp.tracker.count"})),
        Scripted::call("mcp.tracker.count", json!({"title": "door"})),
        Scripted::text("One."),
    ];
    let session = world.turn(does).await;
    let (status, _, output) = gave(&world.engine, &session, "mcp.tracker.count").remove(0);
    assert_eq!((status, output), (CallStatus::Success, json!({"title": "door"})));
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

// covers: L53 L55
#[tokio::test]
async fn every_tool_of_the_bus_is_remembered_when_the_engine_opens_once_however_often_it_does() {
    let desk = Desk::on(ScriptedModel::new(large()), &[]);
    for _ in 0..2 {
        let again = desk.reopened();
        let types = [("fact".to_owned(), vec!["tool".to_owned()])].into();
        let rows = again.engine.memory().list(&MemoryFilter { types, limit: 100, ..MemoryFilter::default() }).unwrap();
        let known: BTreeMap<String, Value> =
            rows.iter().map(|row| (row.context.clone(), row.payload.clone())).collect();
        let bus = again.engine.tools().list();
        assert_eq!((known.len(), rows.len()), (bus.len() + 2, bus.len() + 2), "and the two about tools");
        for spec in bus {
            let data = json!({"tool": spec.name, "description": spec.description, "parameters": spec.parameters,
                "source_type": "toolbus", "tags": ["core"]});
            assert_eq!(known[&format!("tool:{}", spec.name)], json!({"kind": "tool_schema", "data": data}));
        }
        let found = looked_for(&again, "find lines in files").await;
        let names: Vec<&Value> = found["results"].as_array().unwrap().iter().map(|row| &row["name"]).collect();
        assert_eq!(names.iter().filter(|name| **name == "grep").count(), 1, "{names:?}");
    }
}

async fn looked_for(desk: &Desk, query: &str) -> Value {
    desk.plans(&open_step());
    desk.calls("tool_search", json!({"query": query, "max_results": 50}));
    desk.says("There is nothing.");
    desk.says("There is nothing.");
    let session = desk.session().await;
    desk.send(&session, "Look for it.", ApprovalPolicy::NeverAsk).await;
    gave(&desk.engine, &session, "tool_search").remove(0).2
}
