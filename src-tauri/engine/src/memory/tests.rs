use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use assent_core::contract::Risk;

use super::*;
use crate::clock::FakeClock;
use crate::store::{Home, Store};

fn tool(name: &str, description: &str) -> ToolSpec {
    ToolSpec::new(
        name,
        description,
        json!({"type": "object", "properties": {"path": {"type": "string"}}}),
        Source::Core,
        Risk::Read,
    )
}

fn usage(tool: &str) -> ToolUsage {
    ToolUsage::new(tool, "", 3, &SessionId::from("none"))
}

fn memory(store: Arc<dyn Memories>) -> Memory {
    Memory::new(store, Arc::new(FakeClock::default()))
}

fn facts() -> MemoryFilter {
    let types = [("fact".to_owned(), vec!["tool".to_owned()])].into();
    MemoryFilter { types, limit: 100, ..MemoryFilter::default() }
}

// covers: L3 L53 L55
#[tokio::test]
async fn tools_are_remembered_once_however_often_the_program_starts_and_anew_when_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path()).unwrap();
    let store = Arc::new(Store::open(&home, Arc::new(FakeClock::default())).unwrap());
    let tools = [tool("grep", "Finds lines."), tool("read", "Reads a file.")];
    for _ in 0..2 {
        let memory = memory(store.clone());
        memory.register(&tools);
        memory.settle();
    }
    let rows = store.memories(&facts()).unwrap();
    let contexts: Vec<&str> = rows.iter().map(|row| row.context.as_str()).collect();
    assert_eq!(contexts, ["tool:read", "tool:grep"]);
    assert_eq!((rows[1].kind, rows[1].source), (MemoryKind::Fact, MemorySource::System));
    assert_eq!(rows[1].links, [(Relation::RelatedTo, "tools".to_owned())]);
    let data = json!({"tool": "grep", "description": "Finds lines.", "parameters": tools[0].parameters,
        "source_type": "toolbus", "tags": ["core"]});
    assert_eq!(rows[1].payload, json!({"kind": "tool_schema", "data": data}));

    let memory = memory(store.clone());
    memory.store_tool_schema(&tool("grep", "Finds lines in all files."));
    memory.settle();
    let rows = store.memories(&facts()).unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows.iter().filter(|row| row.payload["data"]["description"] == "Finds lines in all files.").count(), 1);

    // The filter of the seeds, as JSON.
    let filter = json!({"query": "lines of files", "limit": 1, "context_types": {"fact": ["tool"]}});
    let found = memory.recall(&serde_json::from_value(filter).unwrap()).await;
    assert_eq!((found.items_found, found.degraded), (1, false));
    assert_eq!(found.memories[0]["context"], "tool:grep");
    let none = memory.recall(&Recall::about("lines").of("decision", "tool")).await;
    assert_eq!((none.items_found, none.nothing.as_deref()), (0, Some("Nothing of that kind is remembered.")));
}

// covers: L23
#[test]
fn the_contexts_of_a_session_stand_in_a_fixed_order() {
    let session = SessionId::from("s9");
    let ids = build_context_ids("abc", &session);
    assert_eq!(ids, ["project:abc", "decisions", "errors", "user_intent", "tools", "session:s9"]);
    assert_eq!(Recall::about("x").within("abc", &session).context_ids, ids);
}

#[test]
fn kinds_contexts_and_links_are_kept_filtered_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path()).unwrap();
    let store = Arc::new(Store::open(&home, Arc::new(FakeClock::default())).unwrap());
    let memory = memory(store.clone());
    let draft = |context: &str, kind, text: &str, links| MemoryDraft {
        context: context.to_owned(),
        kind,
        source: MemorySource::User,
        slot: None,
        times: 1,
        session: None,
        at: 5,
        payload: json!(text),
        links,
    };
    let link = vec![(Relation::Contradicts, "errors".to_owned()), (Relation::Extends, "decisions".to_owned())];
    memory.remember(draft("decisions", MemoryKind::Decision, "Tabs, not spaces", Vec::new()));
    memory.remember(draft("decisions", MemoryKind::Feedback, "Spaces after all", link.clone()));
    memory.remember(draft("tool:grep:usage", MemoryKind::Observation, "It failed", Vec::new()));
    memory.settle();
    let texts = |filter: &MemoryFilter| -> Vec<String> {
        let rows = memory.list(filter).unwrap();
        rows.iter().map(|row| row.payload.as_str().unwrap().to_owned()).collect()
    };
    let filter = MemoryFilter { limit: 10, ..MemoryFilter::default() };
    assert_eq!(texts(&filter), ["It failed", "Spaces after all", "Tabs, not spaces"]);
    assert_eq!(texts(&MemoryFilter { limit: 1, ..filter.clone() }), ["It failed"]);
    let contexts = vec!["decisions".to_owned()];
    assert_eq!(texts(&MemoryFilter { contexts: contexts.clone(), ..filter.clone() }).len(), 2);
    let of = |kind: &str, names: &[&str]| MemoryFilter {
        types: [(kind.to_owned(), names.iter().map(|name| (*name).to_owned()).collect())].into(),
        ..filter.clone()
    };
    assert_eq!(texts(&of("observation", &["tool"])), ["It failed"]);
    assert_eq!(texts(&of("feedback", &[])), ["Spaces after all"]);
    assert_eq!(texts(&of("feedback", &["tool", "'; DROP TABLE memory; --"])), Vec::<String>::new());
    assert_eq!(memory.list(&of("feedback", &[])).unwrap()[0].links, link);

    assert_eq!(memory.forget(&Forget::Context("tool:grep".to_owned())).unwrap(), 1);
    assert_eq!(memory.forget(&Forget::These(vec![1, 1, 77])).unwrap(), 1);
    assert_eq!(texts(&filter), ["Spaces after all"]);
    assert_eq!(memory.forget(&Forget::All).unwrap(), 1);
    assert_eq!(texts(&filter), Vec::<String>::new());
}

/// A store that takes nothing: it fails at once, or hangs until it is let go.
struct Broken {
    hangs: Option<Mutex<Receiver<()>>>,
}

impl Broken {
    fn hanging() -> (Arc<Self>, SyncSender<()>) {
        let (release, held) = sync_channel(0);
        (Arc::new(Self { hangs: Some(Mutex::new(held)) }), release)
    }

    fn break_down<T>(&self) -> Result<T, StoreError> {
        if let Some(held) = &self.hangs {
            // Ends when the other side is dropped.
            let _ = held.lock().unwrap_or_else(PoisonError::into_inner).recv();
        }
        Err(StoreError::Other("it is broken".to_owned()))
    }
}

impl Memories for Broken {
    fn remember(&self, _drafts: Vec<MemoryDraft>) -> Result<(), StoreError> {
        self.break_down()
    }
    fn memories(&self, _filter: &MemoryFilter) -> Result<Vec<MemoryRow>, StoreError> {
        self.break_down()
    }
    fn slots(&self, _slot: &str) -> Result<BTreeMap<String, String>, StoreError> {
        self.break_down()
    }
    fn revision(&self) -> Result<u64, StoreError> {
        self.break_down()
    }
    fn forget(&self, _what: &Forget) -> Result<usize, StoreError> {
        self.break_down()
    }
}

// covers: L52 L54 L59
#[test]
fn a_store_that_hangs_holds_nobody_up_and_what_it_has_no_room_for_is_lost() {
    let (store, release) = Broken::hanging();
    let memory = memory(store);
    let tools: Vec<ToolSpec> = (0..1000).map(|number| tool(&format!("t{number}"), "Does something.")).collect();
    let begun = Instant::now();
    memory.register(&tools);
    for _ in 0..5000 {
        memory.store_tool_usage(usage("grep"));
    }
    // Far below the time that a single write of a store that hangs would take, which is for ever.
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    drop(release);
}

// covers: L33 L52
#[tokio::test]
async fn a_store_that_fails_fails_nobody() {
    let memory = memory(Arc::new(Broken { hangs: None }));
    memory.register(&[tool("grep", "Finds lines.")]);
    memory.store_tool_usage(usage("grep"));
    memory.settle();
    let found = memory.recall(&Recall::about("lines").of("fact", "tool")).await;
    assert_eq!(found, Recalled::degraded());
    assert!(memory.lessons().is_err());
}

/// Patience with what hangs: far more than it takes, far less than for ever.
const SOON: Duration = Duration::from_secs(10);

// covers: L33
#[tokio::test]
async fn a_store_that_hangs_makes_a_recall_degraded_and_no_longer() {
    let (store, release) = Broken::hanging();
    let memory = memory(store);
    let begun = Instant::now();
    assert_eq!(memory.recall(&Recall::about("lines").of("fact", "tool")).await, Recalled::degraded());
    memory.settle_within(Duration::from_millis(50));
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    drop(release);
}

#[tokio::test]
async fn a_recall_that_did_not_look_at_everything_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path()).unwrap();
    let store = Arc::new(Store::open(&home, Arc::new(FakeClock::default())).unwrap());
    let memory = memory(store);
    let tools: Vec<ToolSpec> = (0..2001).map(|number| tool(&format!("t{number}"), "Does something.")).collect();
    memory.register([&tool("xylophone", "Plays the xylophone.")]);
    memory.settle();
    let wanted = Recall::about("xylophone").of("fact", "tool");
    let few = memory.recall(&wanted).await;
    assert_eq!((few.items_found, few.degraded, few.cut), (1, false, None));
    memory.register(&tools);
    memory.settle();
    let many = memory.recall(&wanted).await;
    assert_eq!((many.items_found, many.degraded, many.cut), (0, false, Some(2000)), "{many:?}");
    assert_eq!(many.nothing.as_deref(), Some("None of the newest 2000 memories says anything like that."));
    let hits = memory.recall(&Recall::about("t1999").of("fact", "tool")).await;
    assert_eq!((hits.memories[0]["context"].as_str(), hits.degraded), (Some("tool:t1999"), false), "{hits:?}");
    assert_eq!((hits.cut, hits.nothing), (Some(2000), None));
}

#[tokio::test]
async fn what_tools_take_is_recalled_only_where_a_kind_or_a_context_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path()).unwrap();
    let store = Arc::new(Store::open(&home, Arc::new(FakeClock::default())).unwrap());
    let memory = memory(store);
    let note = MemoryDraft {
        context: "decisions".to_owned(),
        kind: MemoryKind::Decision,
        source: MemorySource::User,
        slot: None,
        times: 1,
        session: None,
        at: 5,
        payload: json!("Lines end with a line feed."),
        links: Vec::new(),
    };
    memory.remember(note);
    memory.register(&[tool("grep", "Finds lines.")]);
    memory.settle();
    let of_tool = Recall { context_ids: vec!["tool:grep".to_owned()], ..Recall::about("lines") };
    for (recall, found) in [
        (Recall::about("lines"), vec!["decisions"]),
        (Recall::about(""), vec!["decisions"]),
        (Recall::about("lines").of("fact", "tool"), vec!["tool:grep"]),
        (of_tool, vec!["tool:grep"]),
    ] {
        let recalled = memory.recall(&recall).await;
        let contexts: Vec<_> = recalled.memories.iter().map(|row| row["context"].as_str().unwrap()).collect();
        assert_eq!(contexts, found, "{recall:?}");
    }
}

#[test]
fn a_tool_that_is_no_longer_there_is_forgotten_in_the_order_in_which_it_went() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path()).unwrap();
    let store = Arc::new(Store::open(&home, Arc::new(FakeClock::default())).unwrap());
    let memory = memory(store.clone());
    let tools = [tool("acme.greet", "Greets."), tool("grep", "Finds lines.")];
    let contexts = || store.memories(&facts()).unwrap().into_iter().map(|row| row.context).collect::<Vec<_>>();
    memory.register(&tools);
    memory.settle();
    memory.unregister("acme");
    memory.settle();
    assert_eq!(contexts(), ["tool:grep"]);
    // All of it at once, as when a source is added anew before anything was written.
    memory.register(&tools[..1]);
    memory.unregister("acme");
    memory.register(&tools[..1]);
    memory.settle();
    assert_eq!(contexts(), ["tool:acme.greet", "tool:grep"]);
}

/// A store that works again once it is let go.
struct Held {
    store: Arc<dyn Memories>,
    gate: Mutex<Receiver<()>>,
}

impl Held {
    fn wait(&self) -> &dyn Memories {
        // Ends when the other side is dropped.
        let _ = self.gate.lock().unwrap_or_else(PoisonError::into_inner).recv();
        self.store.as_ref()
    }
}

impl Memories for Held {
    fn remember(&self, drafts: Vec<MemoryDraft>) -> Result<(), StoreError> {
        self.wait().remember(drafts)
    }
    fn memories(&self, filter: &MemoryFilter) -> Result<Vec<MemoryRow>, StoreError> {
        self.wait().memories(filter)
    }
    fn slots(&self, slot: &str) -> Result<BTreeMap<String, String>, StoreError> {
        self.wait().slots(slot)
    }
    fn revision(&self) -> Result<u64, StoreError> {
        self.wait().revision()
    }
    fn forget(&self, what: &Forget) -> Result<usize, StoreError> {
        self.wait().forget(what)
    }
}

#[test]
fn however_much_waits_to_be_written_what_is_to_be_forgotten_of_a_source_is_forgotten_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path()).unwrap();
    let store: Arc<dyn Memories> = Arc::new(Store::open(&home, Arc::new(FakeClock::default())).unwrap());
    let used = |context: &str| MemoryDraft {
        context: context.to_owned(),
        kind: MemoryKind::Action,
        source: MemorySource::Executor,
        slot: None,
        times: 1,
        session: None,
        at: 5,
        payload: json!({"kind": "tool_usage"}),
        links: Vec::new(),
    };
    // Of a tool whose description is gone already the calls go as well.
    let contexts = ["tool:a_c.greet", "tool:a_c.gone:usage", "tool:abc.greet:usage", "tool:a_c:usage", "decisions"];
    store.remember(contexts.map(used).into()).unwrap();
    let (release, held) = sync_channel(0);
    let memory = memory(Arc::new(Held { store: store.clone(), gate: Mutex::new(held) }));
    // The thread hangs with what it took of these; the others are more than the queue has room for.
    for _ in 0..10_000 {
        memory.store_tool_usage(usage("grep"));
    }
    memory.unregister("a_c");
    drop(release);
    memory.settle();
    let rows = store.memories(&MemoryFilter { limit: 10, ..MemoryFilter::default() }).unwrap();
    let left: Vec<&str> = rows.iter().map(|row| row.context.as_str()).collect();
    assert_eq!(left, ["decisions", "tool:a_c:usage", "tool:abc.greet:usage"]);
}
