//! What requests tell of tools stays in the budget, by the tokenizer of the model that is asked.

use std::collections::BTreeSet;

use assent_core::contract::{Risk, estimate_tokens};
use assent_core::ids::SessionId;
use assent_core::plan::import;
use assent_core::run::{Answer, Decider, EventKind, Purpose, Reach};
use assent_engine::engine::RuntimeConfig;
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{Message as Said, ModelProfile, PlannerProfile, Request};
use assent_engine::turn::TurnEnd;
use assent_tests::told::planned_with;
use assent_tests::wire::Wire;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::discovery::{
    FIRST, MESSAGE, TICKET, WORKSPACE, World, connected, many, names, of_sources, open_steps, system, warnings,
};

/// Tokenizers that have little to do with the estimate.
fn thrice(text: &str) -> u32 {
    estimate_tokens(text) * 3
}

fn a_third(text: &str) -> u32 {
    estimate_tokens(text).div_ceil(3)
}

/// The line of a tool in the rules of a request.
fn line<'a>(request: &'a Request, name: &str) -> &'a str {
    let is_its = |line: &&str| {
        line.strip_prefix("- ")
            .is_some_and(|line| line.starts_with(&format!("{name} ")) || line.starts_with(&format!("{name}: ")))
    };
    system(request).lines().find(is_its).unwrap_or_else(|| panic!("{name} in {}", system(request)))
}

/// Tokens of all that a request tells of its tools.
fn told(request: &Request, count: fn(&str) -> u32, is_defined: bool) -> u32 {
    let of = |spec: &assent_core::contract::ToolSpec| {
        let definition = if is_defined { spec.definition() } else { String::new() };
        count(&format!("{definition}\n{}", line(request, &spec.name)))
    };
    request.tools.iter().map(of).sum()
}

/// Steps of every kind of scope.
fn steps_of_all_scopes() -> Value {
    let specialist = json!({"kind": "specialist", "id": "workspace"});
    json!([
        {"id": "alone", "description": "Find out", "stepType": "tool"},
        {"id": "thinks", "description": "Compare", "stepType": "reasoning"},
        {"id": "handed", "description": "Look", "stepType": "tool", "executor": specialist},
        {"id": "must", "description": "Search", "stepType": "tool", "requiredTools": ["grep"], "executor": specialist},
    ])
}

async fn carried_out(world: &World, folder: &std::path::Path, steps: &Value, budget: u32) -> SessionId {
    let session = world.engine.sessions().create(&folder.join(WORKSPACE)).await.unwrap();
    let document = json!({"format": "assent.plan/1", "title": "All", "userMessage": "Look around.",
        "limits": {"toolTokenBudget": budget, "maxParallelSteps": 1}, "steps": steps});
    let plan = world.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
    world.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
    session
}

// covers: L18
#[tokio::test]
async fn no_request_of_any_scope_exceeds_the_budget_by_the_models_own_count() {
    for planner in [PlannerProfile::Full, PlannerProfile::Compact] {
        for budget in [900, 2600, 3800] {
            let folder = tempfile::tempdir().unwrap();
            let config = RuntimeConfig::default();
            let world = World::with(folder.path(), planner, Vec::new(), config, |model| model.counting(thrice));
            for _ in 0..20 {
                world.says("That is all there is.");
            }
            let session = carried_out(&world, folder.path(), &steps_of_all_scopes(), budget).await;
            let asked = world.asked();
            assert!(asked.len() >= 4, "{planner:?}: {} requests", asked.len());
            let is_defined = planner == PlannerProfile::Full;
            for request in &asked {
                let tokens = told(request, thrice, is_defined);
                assert!(tokens <= budget, "{planner:?}: {tokens} of {budget} for {:?}", names(request));
            }
            if planner == PlannerProfile::Full {
                let events = world.engine.sessions().events(&session, 0).unwrap();
                let shown: BTreeSet<&str> = names(&asked[0]).into_iter().collect();
                let gone: Vec<&str> = FIRST.into_iter().filter(|name| !shown.contains(name)).collect();
                assert!(!gone.is_empty());
                for name in gone {
                    let named = format!("{name} (no tokens left in the budget)");
                    assert!(warnings(&events)[0].contains(&named), "{named} in {:?}", warnings(&events));
                }
            }
        }
    }
}

/// A tool whose description alone is more than the estimate leaves room for.
fn long_tool() -> std::sync::Arc<dyn assent_engine::tool::Tool> {
    connected(TICKET, &format!("Create a ticket. {}", "It has a title and a text. ".repeat(200)), Risk::Read)
}

#[tokio::test]
async fn a_tool_that_only_the_estimate_leaves_out_is_shown_where_the_model_counts_fewer_tokens() {
    for counts in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let config = RuntimeConfig::default();
        let made = |model: assent_engine::model::scripted::ScriptedModel| {
            if counts { model.counting(a_third) } else { model }
        };
        let world = World::with(folder.path(), PlannerProfile::Full, vec![long_tool()], config, made);
        world.plans(&open_steps(1));
        world.calls("tool_explain", json!({"tool_id": TICKET}));
        world.calls(TICKET, json!({"title": "broken door"}));
        world.says("Filed.");
        world.model.push(Purpose::Step, Scripted::text("Filed."));
        let (session, _) = world.send(folder.path(), MESSAGE).await;
        let asked = world.asked();
        assert_eq!(names(&asked[1]).contains(&TICKET), counts, "{:?}", names(&asked[1]));
        // What was counted is recorded with the request.
        let events = world.engine.sessions().events(&session, 0).unwrap();
        let mut replies =
            events.iter().filter(|event| matches!(&event.kind, EventKind::ModelReplied { purpose: Purpose::Step, .. }));
        let sent = world.engine.runs().sent(&session, replies.nth(1).unwrap().seq).unwrap();
        let counter = if counts { a_third } else { estimate_tokens };
        let expected = asked[1].tools.iter().map(|spec| (spec.name.clone(), counter(&spec.told())));
        assert_eq!(sent.told, expected.collect::<Vec<_>>());
        assert!(sent.told.iter().map(|(_, tokens)| tokens).sum::<u32>() <= sent.budget && sent.budget == 3800);
    }
}

// covers: L18
#[tokio::test]
async fn another_model_that_goes_on_with_a_step_is_shown_tools_as_it_counts_them() {
    let folder = tempfile::tempdir().unwrap();
    let open = |made: fn(ScriptedModel) -> ScriptedModel| {
        World::with(folder.path(), PlannerProfile::Full, Vec::new(), RuntimeConfig::default(), made)
    };
    let before = open(|model| model.counting(a_third));
    before.calls("displayConfirmation", json!({"action": "send", "details": "a ticket"}));
    let steps = json!([{"id": "handed", "description": "Look", "stepType": "tool",
        "executor": {"kind": "specialist", "id": "workspace"}}]);
    let session = carried_out(&before, folder.path(), &steps, 3800).await;
    let first = before.asked().remove(0);
    let all: Vec<&str> = names(&first);
    assert!(all.contains(&"displayConfirmation") && all.contains(&"bash"), "{all:?}");
    drop(before);

    let after = open(|_| {
        let (id, planner) = ("scripted/other".to_owned(), PlannerProfile::Full);
        ScriptedModel::new(ModelProfile { id, context_tokens: 8192, planner, parallel: 1, local: false })
            .counting(thrice)
    });
    after.says("Sent.");
    let asked = after.engine.requests().open().unwrap();
    let answer = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
    after.engine.turns().answer(&asked[0].request.id, answer, &CancellationToken::new()).await.unwrap();
    let asked = after.asked().remove(0);
    let tokens = told(&asked, thrice, true);
    assert!(tokens <= 3800 && asked.tools.len() < all.len(), "{tokens} for {:?}", names(&asked));
    let events = after.engine.sessions().events(&session, 0).unwrap();
    let gone = all.into_iter().find(|name| !names(&asked).contains(name)).unwrap();
    let named = format!("{gone} (no tokens left in the budget)");
    assert!(warnings(&events).iter().any(|told| told.contains(&named)), "{named} in {:?}", warnings(&events));
    let last = events.iter().rfind(|event| matches!(&event.kind, EventKind::ModelReplied { .. })).unwrap();
    assert_eq!(after.engine.runs().sent(&session, last.seq).unwrap().request, asked, "it can be made again");
}

// covers: L18
#[tokio::test]
async fn signs_that_no_vocabulary_has_do_not_slip_through_the_estimate() {
    let folder = tempfile::tempdir().unwrap();
    let signs = connected(TICKET, &"\u{13000}".repeat(400), Risk::Read);
    let world = World::with(folder.path(), PlannerProfile::Full, vec![signs], RuntimeConfig::default(), |model| model);
    world.plans(&open_steps(1));
    world.calls("tool_explain", json!({"tool_id": TICKET}));
    world.says("It cannot be filed.");
    world.says("It cannot be filed.");
    let (session, _) = world.send(folder.path(), MESSAGE).await;
    assert!(!names(&world.asked()[1]).contains(&TICKET), "1,600 bytes may be as many tokens");
    let events = world.engine.sessions().events(&session, 0).unwrap();
    let told = format!("Tools that the model is not shown: {TICKET} (no tokens left in the budget)");
    assert_eq!(warnings(&events), [told]);
}

/// A plan that may change nothing, or that may, with one step of the single agent's.
async fn looked(world: &World, folder: &std::path::Path, read_only: bool, budget: u32) -> SessionId {
    let session = world.engine.sessions().create(&folder.join(WORKSPACE)).await.unwrap();
    let document = json!({"format": "assent.plan/1", "title": "Look", "userMessage": "Look around.",
        "readOnly": read_only, "limits": {"toolTokenBudget": budget},
        "steps": [{"id": "alone", "description": "Find out", "stepType": "tool"}]});
    let plan = world.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
    world.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
    session
}

#[tokio::test]
async fn what_a_plan_that_only_looks_may_not_call_takes_no_room_in_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let config = RuntimeConfig::default();
    let world = World::with(folder.path(), PlannerProfile::Full, Vec::new(), config, |model| model);
    for _ in 0..4 {
        world.says("That is all there is.");
    }
    let budget = 1500;
    let session = looked(&world, folder.path(), true, budget).await;
    let asked = world.asked();
    let shown = names(&asked[0]);
    assert!(!shown.contains(&"edit_file") && shown.contains(&"glob") && shown.contains(&"grep"), "{shown:?}");
    let left = budget - told(&asked[0], estimate_tokens, true);
    let events = world.engine.sessions().events(&session, 0).unwrap();
    for spec in world.engine.tools().list() {
        if warnings(&events).iter().any(|told| told.contains(&format!("{} (no tokens left", spec.name))) {
            assert!(estimate_tokens(&spec.told()) > left, "{} would have fitted into {left}", spec.name);
            assert!(!spec.risk.writes(), "{} is not left out for want of tokens", spec.name);
        }
    }
}

#[tokio::test]
async fn required_tools_that_do_not_fit_when_their_step_begins_are_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let config = RuntimeConfig::default();
    // By the estimate, which the plan is checked by, both fit.
    let world = World::with(folder.path(), PlannerProfile::Full, Vec::new(), config, |model| model.counting(thrice));
    for _ in 0..6 {
        world.says("It cannot be done.");
    }
    let steps = json!([{"id": "both", "description": "Look", "stepType": "tool", "requiredTools": ["grep", "glob"]}]);
    let session = carried_out(&world, folder.path(), &steps, 1000).await;
    assert_eq!(names(&world.asked()[0]), Vec::<&str>::new());
    let events = world.engine.sessions().events(&session, 0).unwrap();
    let why = "(no tokens left in the budget)";
    assert_eq!(warnings(&events)[0], format!("Tools that the model is not shown: grep {why}, glob {why}"));
}

// covers: L18
#[tokio::test]
async fn the_planners_requests_stay_in_the_budget_and_what_they_leave_out_is_told() {
    for planner in [PlannerProfile::Full, PlannerProfile::Compact] {
        for (budget, some_are_gone) in [(100, true), (400, true), (3800, false)] {
            let folder = tempfile::tempdir().unwrap();
            let config = RuntimeConfig::default().with_tool_token_budget(budget);
            let world = World::with(folder.path(), planner, many(30), config, |model| model);
            world.plans(&json!({"title": "Hello", "answer": "Good day."}));
            let (session, _) = world.send(folder.path(), "Turn the knob of the machine and create a ticket").await;
            let request = world.model.requests().remove(0);
            assert_eq!(request.purpose, Purpose::Plan);
            let all: Vec<String> = world.engine.tools().list().iter().map(|spec| spec.name.clone()).collect();
            let listed = planned_with(&request, &all);
            let tokens: u32 = listed.iter().map(|(_, told)| estimate_tokens(told)).sum();
            assert!(!listed.is_empty() && tokens <= budget, "{planner:?}: {tokens} of {budget} for {listed:?}");
            let events = world.engine.sessions().events(&session, 0).unwrap();
            let told = warnings(&events);
            assert_eq!(!told.is_empty(), some_are_gone, "{told:?}");
            for name in ["grep", "finder", "glob", "read", "bash", "create_file", "edit_file", "undo_edit", TICKET] {
                let is_listed = listed.iter().any(|(listed, _)| *listed == name);
                let is_told = told.iter().any(|told| told.contains(&format!("{name} (no tokens left in the budget)")));
                assert!(is_listed != is_told, "{planner:?}, {budget}: {name} in {listed:?}, {told:?}");
            }
            let reached = EventKind::LimitReached { limit: "toolTokenBudget".to_owned(), value: budget };
            assert_eq!(events.iter().any(|event| event.kind == reached), some_are_gone);
            // What it took is recorded with the request, and how those that fit the message were looked for.
            let reply = events.iter().find(|event| matches!(&event.kind, EventKind::ModelReplied { .. })).unwrap();
            let sent = world.engine.runs().sent(&session, reply.seq).unwrap();
            assert_eq!(sent.request, request);
            let recorded: Vec<&String> = sent.told.iter().map(|(name, _)| name).collect();
            assert_eq!(recorded, listed.iter().map(|(name, _)| name).collect::<Vec<_>>());
            for ((name, counted), (_, told)) in sent.told.iter().zip(&listed) {
                assert!(*counted >= estimate_tokens(told), "{name}: {counted} for {told}");
            }
            assert!(sent.told.iter().map(|(_, counted)| counted).sum::<u32>() <= budget);
            assert_eq!((sent.budget, sent.by_meaning), (budget, Some(false)));
            assert_eq!(sent.left_out.is_empty(), !some_are_gone);
        }
    }
}

// covers: L18
#[tokio::test]
async fn the_planners_list_of_tools_is_counted_by_the_tokenizer_of_the_model_that_plans() {
    let budget = 400;
    let mut listed = Vec::new();
    for count in [thrice, estimate_tokens as fn(&str) -> u32, a_third] {
        let folder = tempfile::tempdir().unwrap();
        let config = RuntimeConfig::default().with_tool_token_budget(budget);
        let world = World::with(folder.path(), PlannerProfile::Full, many(30), config, |model| model.counting(count));
        world.plans(&json!({"title": "Hello", "answer": "Good day."}));
        world.send(folder.path(), "Turn the knob of the machine and create a ticket").await;
        let request = world.model.requests().remove(0);
        let all: Vec<String> = world.engine.tools().list().iter().map(|spec| spec.name.clone()).collect();
        let told = planned_with(&request, &all);
        let tokens: u32 = told.iter().map(|(_, told)| count(told)).sum();
        assert!(tokens <= budget, "{tokens} of {budget} for {told:?}");
        listed.push(told.len());
    }
    assert!(listed[0] < listed[1] && listed[1] < listed[2], "who counts fewer tokens is shown more tools: {listed:?}");
}

/// The list of tools in what a step is told of the studio.
fn studio_list(request: &Request) -> Option<String> {
    let text = system(request);
    let list = &text[text.find("Tools available (")?..];
    let mut lines = list.lines();
    let heading = lines.next().into_iter();
    Some(heading.chain(lines.take_while(|line| line.starts_with("- "))).map(|line| format!("{line}\n")).collect())
}

// covers: L18
#[tokio::test]
async fn the_studios_list_of_tools_takes_no_more_than_the_steps_own_leave_of_the_budget() {
    let makes = json!([{"id": "makes", "description": "Look which agents there are", "stepType": "tool",
        "requiredTools": ["list_agents"], "executor": {"kind": "specialist", "id": "agent"}}]);
    for planner in [PlannerProfile::Full, PlannerProfile::Compact] {
        for count in [thrice, estimate_tokens as fn(&str) -> u32] {
            let mut named = Vec::new();
            for budget in [600, 1200, 2600, 6000] {
                let folder = tempfile::tempdir().unwrap();
                let config = RuntimeConfig::default();
                let world = World::with(folder.path(), planner, many(300), config, |model| model.counting(count));
                world.engine.studio().open().unwrap();
                world.calls("list_agents", json!({}));
                world.says("There are none.");
                world.says("There are none.");
                let session = carried_out(&world, folder.path(), &makes, budget).await;
                let asked = world.asked();
                let list = studio_list(&asked[0]).unwrap_or_default();
                let own = told(&asked[0], count, planner == PlannerProfile::Full);
                assert!(own + count(&list) <= budget, "{planner:?}: {own} and {} of {budget}: {list}", count(&list));
                assert_eq!(list.is_empty(), !system(&asked[0]).contains("Tools available"));
                if !list.is_empty() {
                    let all = world.engine.tools().list().len();
                    assert!(list.starts_with(&format!("Tools available ({all}):\n")), "{list}");
                    let names = list.lines().skip(1).filter(|line| !line.ends_with(" more")).count();
                    let others = list.lines().filter_map(|line| {
                        let (_, count) = line.strip_suffix(" more")?.rsplit_once(": ")?;
                        count.parse::<usize>().ok()
                    });
                    assert_eq!(names + others.sum::<usize>(), all, "what is not named is counted: {list}");
                    named.push(names);
                }
                // What it took is recorded with the request.
                let events = world.engine.sessions().events(&session, 0).unwrap();
                let reply = events
                    .iter()
                    .find(|event| matches!(&event.kind, EventKind::ModelReplied { purpose: Purpose::Step, .. }));
                let sent = world.engine.runs().sent(&session, reply.unwrap().seq).unwrap();
                assert_eq!(sent.studio_tokens, count(&list));
                assert_eq!(sent.request, asked[0]);
            }
            // In between, more room may go to further tools of the step's own. What a small model is told at most may
            // fit already into the least.
            let is_all = planner == PlannerProfile::Compact && named.last() == named.first();
            assert!(named.last() > named.first() || is_all, "{planner:?}: {named:?}");
        }
    }
}

/// Bytes of all that a request carries: what is said, and the tools.
fn size(request: &Request) -> usize {
    let said = request.messages.iter().map(|message| match message {
        Said::System { text } | Said::User { text } | Said::Tool { text, .. } => text.len(),
        Said::Assistant { text, calls } => text.len() + json!(calls).to_string().len(),
    });
    said.sum::<usize>() + request.tools.iter().map(|spec| spec.definition().len()).sum::<usize>()
}

// covers: H43 H72 L5
#[tokio::test]
async fn the_largest_request_of_a_turn_grows_by_less_than_a_tenth_from_fifty_tools_to_ten_thousand() {
    // What a request carries is the same whichever way it goes, and ten thousand tools take their time.
    if Wire::of_this_program() != Wire::Direct {
        return;
    }
    for planner in [PlannerProfile::Full, PlannerProfile::Compact] {
        let mut largest = Vec::new();
        for (connected, sources) in [(50, 1), (10_000, 1), (10_000, 500)] {
            let folder = tempfile::tempdir().unwrap();
            let config = RuntimeConfig::default();
            let world = World::with(folder.path(), planner, of_sources(connected, sources), config, |model| model);
            let full = open_steps(1);
            let compact =
                json!({"title": "Tickets", "steps": [{"tool": "find", "do": "File a ticket", "expect": "a ticket"}]});
            world.plans(if planner == PlannerProfile::Full { &full } else { &compact });
            world.calls("tool_search", json!({"query": "turn the knob of the machine and create a ticket"}));
            world.calls("tool_explain", json!({"tool_id": TICKET}));
            world.calls(TICKET, json!({"title": "broken door"}));
            world.says("Filed.");
            let message = "Turn the knob of the machine and create a ticket";
            let (_, end) = world.send(folder.path(), message).await;
            assert!(matches!(end, TurnEnd::Answered { .. }), "{planner:?}, {connected}: {end:?}");
            let requests = world.model.requests();
            assert_eq!(requests.len(), 5, "a plan, a search, an explanation, a call, and an answer");
            assert!(requests.iter().all(|request| request.tools.len() <= 10), "{planner:?}, {connected}");
            largest.push(requests.iter().map(size).max().unwrap());
        }
        let [few, many, scattered] = largest[..] else { panic!("{largest:?}") };
        assert!(many * 10 <= few * 11, "{planner:?}: {many} bytes with 10,000 tools, {few} with 50");
        assert!(scattered * 10 <= few * 11, "{planner:?}: {scattered} bytes with 500 sources, {few} with 2");
    }
}
