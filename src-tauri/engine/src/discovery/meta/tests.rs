use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use assent_core::contract::{Risk, Source};

use super::*;
use crate::tool::testing::Bench;
use crate::tool::{Catalogue, core_tools, human_tools};

fn connected(name: &str, description: &str) -> ToolSpec {
    ToolSpec::new(
        name,
        description,
        json!({"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}),
        Source::Mcp,
        Risk::Network,
    )
}

fn directory() -> Arc<Directory> {
    let shipped: Vec<ToolSpec> = core_tools().iter().chain(&human_tools()).map(|tool| tool.spec().clone()).collect();
    let connected = [
        connected("mcp.github.create_pr", "Create a pull request on GitHub. For reviews see elsewhere."),
        connected("mcp.calendar.add_event", "Add an event to a calendar."),
    ];
    Arc::new(Directory::of(shipped.iter().chain(&connected)))
}

fn tool(name: &str, memory: Arc<dyn Recalls>) -> Arc<dyn Tool> {
    let tools = meta_tools(memory, directory());
    tools.into_iter().find(|tool| tool.spec().name == name).unwrap()
}

/// A memory that writes down what it is asked.
struct Memory {
    asked: Mutex<Vec<Recall>>,
    gives: Recalled,
}

#[async_trait]
impl Recalls for Memory {
    async fn recall(&self, recall: &Recall) -> Recalled {
        self.asked.lock().unwrap().push(recall.clone());
        self.gives.clone()
    }
}

struct Hanging;

#[async_trait]
impl Recalls for Hanging {
    async fn recall(&self, _recall: &Recall) -> Recalled {
        std::future::pending().await
    }
}

// covers: L31 L32
#[tokio::test]
async fn a_search_asks_the_memory_for_facts_about_tools_and_gives_what_it_found() {
    let rows = vec![json!({"name": "mcp.github.create_pr", "summary": "Create a pull request on GitHub."})];
    let memory = Arc::new(Memory { asked: Mutex::default(), gives: Recalled::of(rows) });
    let mut bench = Bench::new();
    let search = tool(TOOL_SEARCH, memory.clone());
    let arguments = json!({"query": "create a GitHub pull request", "max_results": 3});
    let found = bench.output(search.as_ref(), arguments.clone()).await;
    let row = |callable| json!({"name": "mcp.github.create_pr", "summary": "Create a pull request on GitHub.", "callable": callable});
    assert_eq!(found, json!({"results": [row(false)], "items_found": 1}));
    bench.context.callable = vec!["mcp.github.create_pr".to_owned()];
    assert_eq!(bench.output(search.as_ref(), arguments).await["results"], json!([row(true)]));
    let wanted = json!({
        "query": "create a GitHub pull request",
        "limit": 3,
        "context_ids": [],
        "context_types": {"fact": ["tool"]}
    });
    assert_eq!(json!(memory.asked.lock().unwrap()[0]), wanted);
    assert_eq!(serde_json::from_value::<Recall>(wanted).unwrap(), memory.asked.lock().unwrap()[0]);
}

#[tokio::test]
async fn whether_a_search_compared_by_meaning_is_recorded_and_no_model_is_told() {
    let recalled = |by_meaning| Recalled { by_meaning, ..Recalled::of(vec![json!({"name": "grep"})]) };
    for by_meaning in [Some(true), Some(false), None] {
        let memory = Arc::new(Memory { asked: Mutex::default(), gives: recalled(by_meaning) });
        let search = tool(TOOL_SEARCH, memory);
        let found = Bench::new().output(search.as_ref(), json!({"query": "lines"})).await;
        assert_eq!(found.get("by_meaning"), by_meaning.map(Value::Bool).as_ref());
        let told: Value = serde_json::from_str(&search.present(&found)).unwrap();
        assert_eq!(told, json!({"results": found["results"], "items_found": 1}));
    }
    let search = tool(TOOL_SEARCH, directory());
    let found = Bench::new().output(search.as_ref(), json!({"query": "a pull request"})).await;
    assert_eq!(found["by_meaning"], false, "without a file for it tools are found by words");
}

// covers: L33
#[tokio::test(start_paused = true)]
async fn a_memory_that_is_down_or_hangs_finds_nothing_and_fails_nothing() {
    let down = Memory { asked: Mutex::default(), gives: Recalled::degraded() };
    let memories: [Arc<dyn Recalls>; 2] = [Arc::new(down), Arc::new(Hanging)];
    for memory in memories {
        let found = Bench::new().output(tool(TOOL_SEARCH, memory).as_ref(), json!({"query": "a pull request"})).await;
        let reason = "The memory of tools cannot be asked now.";
        assert_eq!(found, json!({"results": [], "items_found": 0, "reason": reason, "degraded": true}));
    }
}

#[tokio::test]
async fn tools_are_found_by_what_is_to_be_done_also_the_meta_tools_and_read_and_nothing_found_says_why() {
    let bench = Bench::new();
    let search = tool(TOOL_SEARCH, directory());
    let first = async |query: &str| {
        let found = bench.output(search.as_ref(), json!({"query": query, "max_results": 1})).await;
        assert_eq!(found["items_found"], 1, "{query}");
        found["results"][0]["name"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(first("open a pull request").await, "mcp.github.create_pr");
    assert_eq!(first("search for available tools").await, TOOL_SEARCH);
    assert_eq!(first("full schema of a tool before calling it").await, TOOL_EXPLAIN);
    assert_eq!(first("read the text of a file").await, "read");
    assert_eq!(first("mcp.calendar.add_event").await, "mcp.calendar.add_event");
    let found = bench.output(search.as_ref(), json!({"query": "pull request"})).await;
    let row = &found["results"][0];
    assert_eq!(row["summary"], "Create a pull request on GitHub.");
    assert_eq!((&row["risk"], &row["source"], &row["server"]), (&json!("network"), &json!("mcp"), &json!("github")));
    for (query, reason) in [("", "Nothing was asked for"), ("quantum entanglement", "says anything like that")] {
        let found = bench.output(search.as_ref(), json!({"query": query})).await;
        assert_eq!((&found["results"], &found["items_found"]), (&json!([]), &json!(0)));
        assert!(found["reason"].as_str().unwrap().contains(reason), "{found}");
    }
}

// covers: L11 L37 L38 L39
#[tokio::test]
async fn explaining_gives_the_whole_schema_of_any_tool_and_says_when_there_is_none() {
    let bench = Bench::new();
    let explain = tool(TOOL_EXPLAIN, directory());
    for name in ["mcp.github.create_pr", "read", "grep", TOOL_SEARCH] {
        let told = bench.output(explain.as_ref(), json!({"tool_id": name})).await;
        let spec = directory().get(name).cloned().unwrap();
        let expected = json!({"tool_id": name, "description": spec.description, "parameters": spec.parameters});
        assert_eq!(told, expected);
    }
    for name in ["nothing", "", "toString", "Grep"] {
        let told = bench.output(explain.as_ref(), json!({"tool_id": name})).await;
        assert_eq!(told, json!({"error": format!("Tool '{name}' not found")}));
    }
}

/// A listed tool that counts how often it is called.
struct Counting(ToolSpec, Arc<AtomicUsize>);

#[async_trait]
impl Tool for Counting {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }
    fn effects(&self, _: &Value) -> Effects {
        Effects::none(self.0.risk)
    }
    async fn call(&self, _: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        self.1.fetch_add(1, Ordering::SeqCst);
        Ok(Outcome::Success(Value::Null))
    }
}

// covers: L26 L27 L28
#[tokio::test]
async fn meta_tools_stand_before_the_catalogue_and_nobody_can_take_their_place() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counting = |name: &str| Arc::new(Counting(connected(name, "Counts."), calls.clone()));
    let mut catalogue = Catalogue::default();
    catalogue.add(counting("count")).unwrap();
    let refused = catalogue.add(counting(TOOL_SEARCH)).unwrap_err();
    assert_eq!(refused.to_string(), "there is already a tool named tool_search");
    for tool in meta_tools(directory(), directory()) {
        catalogue.add_meta(tool).unwrap();
    }
    let listed: Vec<&str> = catalogue.specs().map(|spec| spec.name.as_str()).collect();
    assert_eq!(listed, ["count"]);
    let bench = Bench::new();
    bench.output(catalogue.get(TOOL_SEARCH).unwrap().as_ref(), json!({"query": "count"})).await;
    bench.output(catalogue.get(TOOL_EXPLAIN).unwrap().as_ref(), json!({"tool_id": "count"})).await;
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    bench.output(catalogue.get("count").unwrap().as_ref(), json!({})).await;
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}
