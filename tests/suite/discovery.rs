//! Tools in a budget: with hundreds of tools connected, a model is shown a handful, looks for others, and may call what
//! it had explained.

use std::path::Path;
use std::sync::Arc;

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::ids::SessionId;
use assent_core::run::{Answer, CallState, CallStatus, Content, Event, EventKind, Purpose, Reach, RunStatus};
use assent_engine::Engine;
use assent_engine::clock::{Clock as _, SystemClock};
use assent_engine::engine::{RuntimeConfig, choose_budget};
use assent_engine::live::Unwatched;
use assent_engine::memory::Recall;
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{Message as Said, ModelProfile, PlannerProfile, Request};
use assent_engine::store::{Home, MemoryFilter, Store};
use assent_engine::tool::{CallContext, Catalogue, Effects, Outcome, Tool, ToolStop, core_tools, human_tools};
use assent_engine::turn::{ApprovalPolicy, Message, TurnEnd};
use assent_tests::desk::{Only, engine_as};
use assent_tests::wire::Wire;
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A tool of a server that says what it was called with.
struct Connected(ToolSpec);

#[async_trait]
impl Tool for Connected {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(self.0.risk)
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        Ok(Outcome::Success(json!(format!("created {}", arguments["title"].as_str().unwrap_or_default()))))
    }
}

pub(super) fn connected(name: &str, description: &str, risk: Risk) -> Arc<dyn Tool> {
    Arc::new(Connected(ToolSpec::new(
        name,
        description,
        json!({"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}),
        Source::Mcp,
        risk,
    )))
}

/// A tracker that makes tickets, and so many tools that have nothing to do with it.
pub(super) fn many(others: usize) -> Vec<Arc<dyn Tool>> {
    of_sources(others, 1)
}

/// The same, the others from so many sources.
pub(super) fn of_sources(others: usize, sources: usize) -> Vec<Arc<dyn Tool>> {
    let ticket = connected("mcp.tracker.create_ticket", "Create a ticket in the tracker.", Risk::Read);
    let source = |number: usize| if sources == 1 { String::new() } else { (number % sources).to_string() };
    let others = (0..others).map(|number| {
        connected(
            &format!("mcp.noise{}.tool{number}", source(number)),
            &format!("Turns the knob number {number} of the machine."),
            Risk::Read,
        )
    });
    std::iter::once(ticket).chain(others).collect()
}

pub(super) struct World {
    pub(super) engine: Engine,
    pub(super) model: Arc<ScriptedModel>,
}

pub(super) const WORKSPACE: &str = "workspace";

impl World {
    fn open(folder: &Path, planner: PlannerProfile, tools: Vec<Arc<dyn Tool>>) -> Self {
        Self::configured(folder, planner, tools, RuntimeConfig::default())
    }

    fn configured(folder: &Path, planner: PlannerProfile, tools: Vec<Arc<dyn Tool>>, config: RuntimeConfig) -> Self {
        Self::with(folder, planner, tools, config, |model| model)
    }

    pub(super) fn with(
        folder: &Path,
        planner: PlannerProfile,
        tools: Vec<Arc<dyn Tool>>,
        config: RuntimeConfig,
        made: impl FnOnce(ScriptedModel) -> ScriptedModel,
    ) -> Self {
        std::fs::create_dir_all(folder.join(WORKSPACE)).unwrap();
        std::fs::write(folder.join(WORKSPACE).join("a.txt"), "Berlin\n").unwrap();
        let home = Home::at(folder.join("home")).unwrap();
        let store = Store::open(&home, Arc::new(SystemClock)).unwrap();
        let id = "scripted/test".to_owned();
        let local = planner == PlannerProfile::Compact;
        let profile = ModelProfile { id, context_tokens: 8192, planner, parallel: 4, local };
        let model = Arc::new(made(ScriptedModel::new(profile)));
        let models = Arc::new(Only(Wire::of_this_program().lead_to(model.clone())));
        let engine = engine_as(store, &home, models, tools, Arc::new(Unwatched), config);
        Self { engine, model }
    }

    pub(super) fn plans(&self, plan: &Value) {
        self.model.push(Purpose::Plan, Scripted::text(plan.to_string()));
    }

    pub(super) fn calls(&self, tool: &str, arguments: Value) {
        self.model.push(Purpose::Step, Scripted::call(tool, arguments));
    }

    pub(super) fn says(&self, text: &str) {
        self.model.push(Purpose::Step, Scripted::text(text));
    }

    pub(super) async fn send(&self, folder: &Path, text: &str) -> (SessionId, TurnEnd) {
        let session = self.engine.sessions().create(&folder.join(WORKSPACE)).await.unwrap();
        let message = Message {
            session: session.clone(),
            text: text.to_owned(),
            policy: Some(ApprovalPolicy::NeverAsk),
            answers: None,
        };
        let end = self.engine.turns().send(message, &CancellationToken::new()).await.unwrap();
        (session, end)
    }

    /// The requests of steps.
    pub(super) fn asked(&self) -> Vec<Request> {
        self.model.requests().into_iter().filter(|request| request.purpose == Purpose::Step).collect()
    }
}

pub(super) fn names(request: &Request) -> Vec<&str> {
    request.tools.iter().map(|tool| tool.name.as_str()).collect()
}

pub(super) fn system(request: &Request) -> &str {
    match &request.messages[0] {
        Said::System { text } => text,
        other => panic!("{other:?}"),
    }
}

/// What the single agent is shown at first.
pub(super) const FIRST: [&str; 9] =
    ["bash", "edit_file", "create_file", "undo_edit", "glob", "grep", "finder", "tool_search", "tool_explain"];

pub(super) const TICKET: &str = "mcp.tracker.create_ticket";

/// One or two steps without required tools, so that the single agent finds out what it needs.
pub(super) fn open_steps(steps: usize) -> Value {
    let steps = (1..=steps).map(|number| {
        json!({"id": format!("step_{number}"), "description": format!("File ticket {number}"), "stepType": "tool",
            "expectedOutcome": "A ticket is there"})
    });
    json!({"title": "Tickets", "refinedTask": "File tickets.", "todoList": steps.collect::<Vec<_>>()})
}

pub(super) const MESSAGE: &str = "File tickets about the broken door in the tracker.";

// covers: L1 L4 L5 L6 L8 L9 L10 L11 L21 L24 L25 L30 L34 L36 L45 L46 L47 L61
#[tokio::test]
async fn what_is_searched_and_explained_is_called_in_the_same_run_and_no_request_has_more() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::open(folder.path(), PlannerProfile::Full, many(300));
    world.plans(&open_steps(2));
    world.calls("tool_search", json!({"query": "create a ticket in the tracker", "max_results": 2}));
    world.calls("tool_explain", json!({"tool_id": TICKET}));
    world.calls(TICKET, json!({"title": "broken door"}));
    world.says("Filed.");
    world.calls(TICKET, json!({"title": "broken door again"}));
    world.says("Filed again.");
    let (session, end) = world.send(folder.path(), MESSAGE).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });

    let asked = world.asked();
    let wide = [&FIRST[..], &[TICKET]].concat();
    let shown: Vec<Vec<&str>> = asked.iter().map(names).collect();
    assert_eq!(shown, [FIRST.to_vec(), FIRST.to_vec(), wide.clone(), wide.clone(), wide.clone(), wide]);
    for request in &asked {
        for tool in names(request) {
            assert!(system(request).contains(&format!("- {tool}: ")), "{tool} in {}", system(request));
        }
        assert!(!system(request).contains("noise"), "{}", system(request));
    }
    let found = asked[1].messages.iter().find_map(|message| match message {
        Said::Tool { text, .. } => serde_json::from_str::<Value>(text).ok(),
        _ => None,
    });
    let found = found.unwrap();
    assert_eq!(found["results"][0]["name"], TICKET);
    assert_eq!((&found["results"][0]["callable"], &found["results"][0]["risk"]), (&json!(false), &json!("read")));
    assert_eq!(found["results"][0]["owner"], "tracker", "who has it in the heap");

    let events = world.engine.sessions().events(&session, 0).unwrap();
    let started = events.iter().filter_map(|event| match &event.kind {
        EventKind::CallStarted { call, tool, .. } if tool.starts_with("tool_") => Some(call.clone()),
        _ => None,
    });
    let started: Vec<_> = started.collect();
    let ended = events.iter().filter_map(|event| match &event.kind {
        EventKind::CallEnded { call, status, .. } if started.contains(call) => Some((call.clone(), *status)),
        _ => None,
    });
    let expected: Vec<_> = started.iter().map(|call| (call.clone(), CallStatus::Success)).collect();
    assert_eq!(ended.collect::<Vec<_>>(), expected);
    assert_eq!(started.len(), 2);
    // Each begins before it ends, and says how long it took.
    let run = world.engine.runs().list(&session).unwrap().remove(0);
    let place = |wanted: &dyn Fn(&EventKind) -> bool| events.iter().position(|event| wanted(&event.kind)).unwrap();
    for of in &started {
        let begins = place(&|kind| matches!(kind, EventKind::CallStarted { call, .. } if call == of));
        let ends = place(&|kind| {
            matches!(kind, EventKind::CallEnded { call, duration_ms, .. }
                if call == of && i64::try_from(*duration_ms).unwrap() <= SystemClock.now() - run.created_at)
        });
        assert!(begins < ends, "{of}");
    }
    // Each request can be made again from what was recorded.
    let replies =
        events.iter().filter(|event| matches!(&event.kind, EventKind::ModelReplied { purpose: Purpose::Step, .. }));
    for (reply, request) in replies.zip(&asked) {
        assert_eq!(&world.engine.runs().sent(&session, reply.seq).unwrap().request, request);
    }
}

#[tokio::test]
async fn what_was_found_but_not_explained_is_refused_and_looking_is_not_doing() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::open(folder.path(), PlannerProfile::Full, many(3));
    world.plans(&open_steps(1));
    world.calls("tool_search", json!({"query": "create a ticket"}));
    world.calls(TICKET, json!({"title": "broken door"}));
    world.calls("tool_explain", json!({"tool_id": "mcp.tracker.close_ticket"}));
    world.says("There is no such tool.");
    world.says("It cannot be done.");
    let (session, _) = world.send(folder.path(), MESSAGE).await;
    let run = world.engine.runs().list(&session).unwrap().remove(0);
    assert_eq!(run.status, RunStatus::Failed, "a step that only looked has done nothing");
    let state = world.engine.runs().get(&run.id).unwrap().state;
    let CallState::Refused(fault) = &state.ledger()[1].state else { panic!("{:?}", state.ledger()[1]) };
    assert!(fault.message.contains(TICKET), "{fault}");
    let CallState::Ended(end) = &state.ledger()[2].state else { panic!("{:?}", state.ledger()[2]) };
    let output = json!({"error": "Tool 'mcp.tracker.close_ticket' not found"});
    assert_eq!(end.output, Content::inline(output));
    assert!(world.asked().iter().all(|request| !names(request).contains(&TICKET)));
}

#[tokio::test]
async fn what_was_discovered_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let tools = || {
        let send = connected("mcp.tracker.send_ticket", "Send a ticket to somebody.", Risk::Network);
        [many(3), vec![send]].concat()
    };
    let before = World::open(folder.path(), PlannerProfile::Full, tools());
    before.plans(&open_steps(1));
    before.calls("tool_explain", json!({"tool_id": TICKET}));
    before.calls("tool_explain", json!({"tool_id": "mcp.tracker.send_ticket"}));
    before.calls("mcp.tracker.send_ticket", json!({"title": "broken door"}));
    let (_, end) = before.send(folder.path(), MESSAGE).await;
    assert!(
        matches!(end, TurnEnd::Waiting { .. }),
        "{end:?}: what was only discovered asks before it talks to anybody"
    );
    drop(before);

    let after = World::open(folder.path(), PlannerProfile::Full, tools());
    after.says("Sent.");
    let open = after.engine.requests().open().unwrap();
    let answer = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
    after.engine.turns().answer(&open[0].request.id, answer, &CancellationToken::new()).await.unwrap();
    let asked = after.asked();
    assert_eq!(names(&asked[0]), [&FIRST[..], &[TICKET, "mcp.tracker.send_ticket"]].concat());
    assert_eq!(asked.len(), 1);
}

/// A request without the ids of calls, which are drawn.
fn without_ids(mut request: Request) -> Request {
    for message in &mut request.messages {
        match message {
            Said::Assistant { calls, .. } => calls.iter_mut().for_each(|call| call.id.clear()),
            Said::Tool { id, .. } => id.clear(),
            Said::System { .. } | Said::User { .. } => {}
        }
    }
    request
}

fn counting() -> Value {
    json!({"title": "Count", "steps": [
        {"tool": "grep", "do": "Find the lines that contain \"berlin\"", "expect": "counts"},
        {"tool": "create_file", "do": "Write counts.md with the numbers", "expect": "counts.md"},
    ]})
}

// covers: L7
#[tokio::test]
async fn with_nothing_connected_a_large_model_is_shown_the_core_tools_and_the_two_about_tools() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::open(folder.path(), PlannerProfile::Full, Vec::new());
    world.plans(&open_steps(1));
    world.calls("grep", json!({"pattern": "Berlin"}));
    world.says("It is in a.txt.");
    world.send(folder.path(), "Find Berlin.").await;
    assert_eq!(world.asked().iter().map(names).collect::<Vec<_>>(), [FIRST.to_vec(), FIRST.to_vec()]);
}

// covers: L7
#[tokio::test]
async fn a_small_model_with_a_planned_step_is_shown_the_same_whatever_is_connected() {
    let mut all = Vec::new();
    for tools in [Vec::new(), many(300)] {
        let folder = tempfile::tempdir().unwrap();
        let world = World::open(folder.path(), PlannerProfile::Compact, tools);
        world.plans(&counting());
        world.calls("grep", json!({"pattern": "Berlin"}));
        world.says("one");
        world.calls("create_file", json!({"path": "counts.md", "content": "a.txt 1\n"}));
        world.says("The numbers are in counts.md.");
        let (session, end) = world.send(folder.path(), "Count the lines about Berlin into counts.md").await;
        assert_eq!(end, TurnEnd::Answered { session });
        all.push(world.asked().into_iter().map(without_ids).collect::<Vec<_>>());
    }
    assert_eq!(all[0], all[1]);
    let shown: Vec<Vec<&str>> = all[0].iter().map(names).collect();
    assert_eq!(shown, [vec!["grep"], vec!["grep"], vec!["create_file"], vec!["create_file"]]);
}

#[tokio::test]
async fn a_small_model_looks_for_a_tool_where_the_plan_names_none_and_something_is_connected() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::open(folder.path(), PlannerProfile::Compact, many(300));
    world.plans(&json!({"title": "Ticket", "steps": [{"tool": "find", "do": "File a ticket", "expect": "a ticket"}]}));
    world.calls("tool_search", json!({"query": "create a ticket"}));
    world.calls("tool_explain", json!({"tool_id": TICKET}));
    world.calls(TICKET, json!({"title": "broken door"}));
    world.says("Filed.");
    let (session, end) = world.send(folder.path(), MESSAGE).await;
    assert_eq!(end, TurnEnd::Answered { session });
    let wide = [&FIRST[..], &[TICKET]].concat();
    let asked = world.asked();
    let shown: Vec<Vec<&str>> = asked.iter().map(names).collect();
    assert_eq!(shown, [FIRST.to_vec(), FIRST.to_vec(), wide.clone(), wide]);
}

/// Tokens of the tools of a request, by the tokenizer of the test's model.
fn tokens(request: &Request) -> usize {
    request.tools.iter().map(ToolSpec::estimated_tokens).sum()
}

pub(super) fn warnings(events: &[Event]) -> Vec<&str> {
    let told = events.iter().filter_map(|event| match &event.kind {
        EventKind::Warned { message } => Some(message.as_str()),
        _ => None,
    });
    told.collect()
}

/// What explains two tools, one of them enormous, and calls the other.
fn explains_both(world: &World) {
    world.plans(&open_steps(1));
    world.calls("tool_explain", json!({"tool_id": "mcp.tracker.everything"}));
    world.calls("tool_explain", json!({"tool_id": TICKET}));
    world.calls(TICKET, json!({"title": "broken door"}));
    world.says("Filed.");
}

// covers: L18 L24 L25
#[tokio::test]
async fn no_request_exceeds_the_budget_and_what_was_left_out_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let everything = connected("mcp.tracker.everything", &"Does everything. ".repeat(4000), Risk::Read);
    let world = World::open(folder.path(), PlannerProfile::Full, [many(3), vec![everything]].concat());
    explains_both(&world);
    let (session, end) = world.send(folder.path(), MESSAGE).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    let asked = world.asked();
    assert!(asked.iter().all(|request| tokens(request) <= 3800), "{:?}", asked.iter().map(tokens).collect::<Vec<_>>());
    // What was explained was more than a request has room for: it can be read on.
    let mut wide = [&FIRST[..], &[TICKET]].concat();
    wide.insert(7, "read");
    assert_eq!(names(asked.last().unwrap()), wide);
    let events = world.engine.sessions().events(&session, 0).unwrap();
    let told = "Tools that the model is not shown: mcp.tracker.everything (no tokens left in the budget)";
    assert_eq!(warnings(&events), [told, told], "with each request that first leaves it out");
    let reached = EventKind::LimitReached { limit: "toolTokenBudget".to_owned(), value: 3800 };
    assert_eq!(events.iter().filter(|event| event.kind == reached).count(), 2);
}

#[tokio::test]
async fn a_smaller_budget_takes_core_tools_last_and_comes_from_the_start_or_the_settings() {
    for chosen in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let config = RuntimeConfig::default();
        let config = if chosen { config } else { config.with_tool_token_budget(900) };
        let world = World::configured(folder.path(), PlannerProfile::Full, many(3), config);
        if chosen {
            assert!(choose_budget(world.engine.settings(), Some(900)).unwrap());
            assert!(!choose_budget(world.engine.settings(), Some(5)).unwrap());
        }
        assert_eq!(world.engine.tool_budget().unwrap(), 900);
        explains_both(&world);
        let (session, _) = world.send(folder.path(), MESSAGE).await;
        let asked = world.asked();
        assert!(asked.iter().all(|request| tokens(request) <= 900));
        assert!(asked.iter().all(|request| names(request).contains(&"bash")));
        let events = world.engine.sessions().events(&session, 0).unwrap();
        let left_out = ["create_file", "undo_edit", "glob", "grep", "finder", "tool_search", "tool_explain"]
            .map(|name| format!("{name} (no tokens left in the budget)"));
        let told = format!("Tools that the model is not shown: {}", left_out.join(", "));
        assert_eq!(warnings(&events)[0], told);
        assert_eq!(world.engine.plans().list(Some(&session)).unwrap()[0].limits.tool_token_budget, 900);
    }
}

#[tokio::test]
async fn required_tools_beyond_the_budget_are_a_fault_of_the_plan_and_never_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let config = RuntimeConfig::default().with_tool_token_budget(100);
    let world = World::configured(folder.path(), PlannerProfile::Full, Vec::new(), config);
    let plan = json!({"title": "Edit", "refinedTask": "Edit.", "todoList": [
        {"id": "step_1", "description": "Edit a.txt", "stepType": "tool", "requiredTools": ["edit_file", "bash"]}]});
    world.plans(&plan);
    world.plans(&plan);
    world.model.push(Purpose::Step, Scripted::text("no"));
    let (session, _) = world.send(folder.path(), "Edit a.txt").await;
    let events = world.engine.sessions().events(&session, 0).unwrap();
    let faults = events.iter().find_map(|event| match &event.kind {
        EventKind::PlanProposed { faults, .. } => Some(format!("{faults:?}")),
        _ => None,
    });
    assert!(faults.as_ref().is_some_and(|faults| faults.contains("the budget is 100")), "{faults:?}");
}

/// What is remembered, without numbers and times.
fn remembered(world: &World) -> Vec<(String, Value)> {
    let rows = world.engine.memory().list(&MemoryFilter { limit: 1000, ..MemoryFilter::default() }).unwrap();
    rows.into_iter().map(|row| (row.context, row.payload)).collect()
}

// covers: L2
#[tokio::test]
async fn to_look_for_tools_changes_neither_the_bus_nor_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::open(folder.path(), PlannerProfile::Full, many(300));
    // The bus has what it had without the tools about tools, in the same order, each the same.
    let mut bus = Catalogue::default();
    bus.add_all(core_tools()).unwrap();
    bus.add_all(human_tools()).unwrap();
    bus.add_all(many(300)).unwrap();
    assert_eq!(world.engine.tools().list(), bus.specs().collect::<Vec<_>>());
    for spec in bus.specs() {
        assert_eq!(world.engine.tools().get(&spec.name), Some(spec));
    }
    // The memory gives and keeps the same, however much is looked for and explained.
    let (facts, door) = (remembered(&world), Recall::about("broken door"));
    let recalled = world.engine.memory().recall(&door).await;
    world.plans(&open_steps(1));
    world.calls("tool_search", json!({"query": "create a ticket in the tracker"}));
    world.calls("tool_explain", json!({"tool_id": TICKET}));
    world.calls("grep", json!({"pattern": "Berlin"}));
    world.says("Nothing filed.");
    world.send(folder.path(), MESSAGE).await;
    let used: Vec<(String, Value)> = remembered(&world).into_iter().filter(|row| !facts.contains(row)).collect();
    let of_tools: Vec<&str> = used.iter().map(|(context, _)| context.as_str()).collect();
    assert_eq!(of_tools, ["tool:grep:usage"], "only the call of the bus is remembered: {used:?}");
    let later = world.engine.memory().recall(&door).await;
    assert!(recalled.memories.iter().all(|memory| later.memories.contains(memory)), "{later:?}");
}

// covers: L56
#[tokio::test]
async fn the_five_parts_that_have_to_do_with_it_work_together_in_one_turn() {
    let folder = tempfile::tempdir().unwrap();
    let config = RuntimeConfig::default().with_tool_token_budget(3700);
    let world = World::configured(folder.path(), PlannerProfile::Full, many(50), config);
    world.plans(&open_steps(1));
    world.calls("tool_search", json!({"query": "create a ticket in the tracker"}));
    world.calls("tool_explain", json!({"tool_id": TICKET}));
    world.calls(TICKET, json!({"title": "broken door"}));
    world.says("Filed.");
    let (session, end) = world.send(folder.path(), MESSAGE).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    // The configuration: its budget holds for each request.
    let asked = world.asked();
    assert!(asked.iter().all(|request| tokens(request) <= 3700));
    // The context: the active tools, and not all.
    assert!(names(&asked[0]).starts_with(&["bash"]) && !names(&asked[0]).contains(&TICKET));
    // The runtime: after results as before them, with what was explained.
    assert!(names(asked.last().unwrap()).contains(&TICKET) && names(&asked[1]).contains(&"tool_search"));
    // The handler of calls: tools about tools are none of the bus, and give their results.
    assert!(world.engine.tools().list().iter().all(|spec| !spec.name.starts_with("tool_")));
    let events = world.engine.sessions().events(&session, 0).unwrap();
    let worked = events.iter().filter(|event| {
        matches!(&event.kind, EventKind::CallEnded { status: CallStatus::Success, satisfied: true, .. })
    });
    assert_eq!(worked.count(), 3);
    // The memory: what each tool takes, and what was used.
    let contexts: Vec<String> = remembered(&world).into_iter().map(|(context, _)| context).collect();
    for context in ["tool:grep".to_owned(), format!("tool:{TICKET}"), format!("tool:{TICKET}:usage")] {
        assert!(contexts.contains(&context), "{context} in {contexts:?}");
    }
}
