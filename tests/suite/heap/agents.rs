//! Agents of packs, called by steps and by each other: what does not fit a contract never begins, is told so that the
//! caller mends it, and what comes out is held to its contract as well.

use std::path::Path;

use assent_core::ids::SessionId;
use assent_core::plan::import;
use assent_core::run::{Answer, CallStatus, Decider, EventKind, Purpose, Reach, RequestKind, RunStatus, StepStatus};
use assent_engine::model::scripted::ScriptedModel;
use assent_engine::model::{Message as Said, ModelProfile, OutputFormat, PlannerProfile, Request};
use assent_engine::turn::TurnEnd;
use assent_tests::desk::Desk;
use assent_tests::wire::Wire;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::studio::{names, said, step};

pub(super) const PLANNER: &str = "run_plan_generator_agent";
pub(super) const SITE: &str = "https://example.com";

/// The one that plans crawls, as it only speaks: what it calls is tried in `crawl.rs`.
const SPEAKS: &str = r#"description = "Writes the crawl plan of a web site."
tools = []
prompt = "agents/plan_generator.md"
user_prompt = "agents/plan_generator_user.md.j2"
user_prompt_needs = ["collected_information"]
input = "contracts/plan_generator_agent/input.schema.json"
output = "contracts/plan_generator_agent/output.schema.json"
"#;

/// A desk with the one that plans crawls and these files in the folder of packs.
async fn desk(files: &[(&str, &str)]) -> (Desk, SessionId) {
    desk_of("scripted/test", files).await
}

pub(super) async fn desk_of(model: &str, files: &[(&str, &str)]) -> (Desk, SessionId) {
    desk_with(model, PlannerProfile::Full, files).await
}

async fn desk_with(model: &str, planner: PlannerProfile, files: &[(&str, &str)]) -> (Desk, SessionId) {
    let profile = ModelProfile { id: model.to_owned(), context_tokens: 32_768, planner, parallel: 4, local: false };
    let desk = Desk::on(ScriptedModel::new(profile), &[("notes.md", "one")]);
    let packs = desk.home.join("packs");
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src-tauri/packs/crawl");
    for folder in ["agents", "contracts/plan_generator_agent"] {
        copy(&shipped.join(folder), &packs.join("crawl").join(folder));
    }
    for (name, text) in [("crawl/agents/plan_generator_agent.toml", SPEAKS)].iter().chain(files) {
        let file = packs.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    look(&desk);
    let session = desk.session().await;
    (desk, session)
}

/// Has the agents of packs at hand, as every message does.
pub(super) fn look(desk: &Desk) {
    desk.engine.tools().sources().unwrap();
    let faults = desk.engine.heap().show().faults;
    assert!(faults.is_empty(), "{faults:?}");
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        // Of the others none: tests make their own.
        if path.extension().is_none_or(|ending| ending != "toml") {
            std::fs::copy(path, to.join(name)).unwrap();
        }
    }
}

pub(super) async fn carry_out(desk: &Desk, session: &SessionId, steps: Value, limits: Value) -> TurnEnd {
    carry_out_noted(desk, session, (steps, limits), None).await
}

/// The same, approved with a note.
async fn carry_out_noted(
    desk: &Desk,
    session: &SessionId,
    (steps, limits): (Value, Value),
    note: Option<String>,
) -> TurnEnd {
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": "A plan", "userMessage": format!("Plan a crawl of {SITE}."), "limits": limits,
        "defaults": {"toolValidationMode": "strict"}, "steps": steps});
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), session).await.unwrap();
    desk.engine.turns().approve(&plan, Decider::User, note, &CancellationToken::new()).await.unwrap()
}

pub(super) fn requests(desk: &Desk) -> Vec<Request> {
    desk.model.requests().into_iter().filter(|request| request.purpose == Purpose::Step).collect()
}

fn user(request: &Request) -> &str {
    match &request.messages[1] {
        Said::User { text } => text,
        other => panic!("{other:?}"),
    }
}

/// The same step with another agent to call.
fn naming(tool: &str) -> Value {
    let mut steps = planning();
    steps[0]["requiredTools"] = json!([tool]);
    steps
}

/// Steps as they ended, in order.
fn ended(desk: &Desk, session: &SessionId) -> Vec<(String, StepStatus, Option<String>)> {
    let events = desk.events(session).into_iter();
    let ended = events.filter_map(|event| match event.kind {
        EventKind::StepEnded { status, reason, .. } => Some((event.place.step?.to_string(), status, reason)),
        _ => None,
    });
    ended.collect()
}

fn statuses(desk: &Desk, session: &SessionId) -> Vec<(String, StepStatus)> {
    ended(desk, session).into_iter().map(|(step, status, _)| (step, status)).collect()
}

/// How calls ended: status, output, error.
pub(super) fn results(desk: &Desk, session: &SessionId) -> Vec<(CallStatus, Value, Option<String>)> {
    let events = desk.events(session).into_iter();
    let results = events.filter_map(|event| match event.kind {
        EventKind::CallEnded { status, output, error, .. } => {
            Some((status, desk.engine.content(&output).unwrap(), error))
        }
        _ => None,
    });
    results.collect()
}

fn all_rebuild(desk: &Desk, session: &SessionId) {
    for event in desk.events(session).iter().filter(|event| matches!(event.kind, EventKind::ModelReplied { .. })) {
        desk.engine.runs().sent(session, event.seq).unwrap();
    }
}

pub(super) fn collected() -> Value {
    json!([
        {"agent_name": "discovery_agent", "description": "Discovered pagination and article URLs",
         "output": {"pagination_type": "numbered", "max_pages": 10, "article_urls": [format!("{SITE}/a"), format!("{SITE}/b")]}},
        {"agent_name": "selector_agent", "description": "Found selectors", "output": {"title": "h1"}}
    ])
}

pub(super) fn planning() -> Value {
    let mut step = step("s1", "plan", &[PLANNER], &[]);
    step["executor"] = json!({"kind": "self", "id": ""});
    step["description"] = json!(format!("Have the crawl plan of {SITE} written; articles: {SITE}/a and {SITE}/b"));
    json!([step])
}

pub(super) const GOOD: &str =
    r##"{"plan_file_path":"crawl/plan.md","status":"complete","agent_response_content":"# Plan"}"##;

// covers: C1 C2 C3 C4 C6 C7 C8 C9 C10 C11 C12 C13 C16 C30 C33 C40 C41 C42 C43 C44 C48 C49 C51 C53
#[tokio::test]
async fn a_caller_is_told_what_is_missing_gives_it_and_the_agent_begins_with_all_of_it() {
    let (desk, session) = desk(&[]).await;
    // What says how the agent is called is no value of its context, and is not asked where it comes from.
    let about = json!({"task": "Generate plan", "run_identifier": "run-7", "expected_outputs": ["plan.md"],
        "output_contract_schema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}});
    let with = |more: Value| {
        let both = [&about, &more].into_iter().flat_map(|one| one.as_object().unwrap().clone());
        Value::Object(both.collect())
    };
    desk.calls(PLANNER, with(json!({"context": null})));
    desk.calls(
        PLANNER,
        with(json!({"target_url": SITE, "task_name": "example_crawl", "collected_information": collected(),
            "context": {"task_name": "of the context"}})),
    );
    desk.says(GOOD);
    desk.says("The plan is written.");
    let end = carry_out(&desk, &session, planning(), json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");

    let [asked, again, agent, after] = &requests(&desk)[..] else { panic!("{}", requests(&desk).len()) };
    // The tool says what it needs, and is told by the rules of the step.
    let tool = asked.tools.iter().find(|tool| tool.name == PLANNER).unwrap();
    assert!(tool.description.ends_with("REQUIRED INPUT: target_url, task_name, collected_information"));
    assert_eq!(tool.parameters["required"], json!(["task", "target_url", "task_name", "collected_information"]));

    let refused = json!({
        "success": false,
        "error": "Input contract validation failed",
        "validation_message": "'target_url' is a required property",
        "path": [],
        "required_fields": ["target_url", "task_name", "collected_information"],
        "missing_fields": ["target_url", "task_name", "collected_information"],
        "provided_fields": [],
        "hint": "Please provide all required fields: target_url, task_name, collected_information"
    });
    let results = results(&desk, &session);
    assert_eq!(results[0], (CallStatus::Error, refused.clone(), None));
    assert!(said(again).contains(&refused.to_string()), "{}", said(again));
    assert_eq!(results[1], (CallStatus::Success, serde_json::from_str(GOOD).unwrap(), None));
    assert!(said(after).contains("# Plan"), "{}", said(after));

    // The agent sees its task and its context, and nothing of the plan that it is not given.
    let text = user(agent);
    let heads =
        ["# Collected Information for https://example.com\n", "**Task name**: example_crawl\n", "Generate plan\n"];
    assert!(text.starts_with(heads[0]) && heads.iter().all(|head| text.contains(head)), "{text}");
    let lines = "## From discovery_agent\n\n### Description\nDiscovered pagination and article URLs\n\n### Output\n\
                 - **pagination_type**: numbered\n- **max_pages**: 10\n- **article_urls**:\n  - https://example.com/a\n  - https://example.com/b\n\n\
                 ---\n\n## From selector_agent\n";
    assert!(text.contains(lines), "{text}");
    assert_eq!(agent.messages.len(), 2);
    let Said::System { text: rules } = &agent.messages[0] else { panic!() };
    assert!(
        rules.contains("You write the plan by which a program crawls") && rules.contains("\"minLength\":1"),
        "{rules}"
    );
    let context = json!({"task_name": "example_crawl", "target_url": SITE, "collected_information": collected()});
    let json = serde_json::to_string_pretty(&context).unwrap();
    assert!(rules.ends_with(&format!("## Context from Orchestrator\n```json\n{json}\n```")), "{rules}");
    assert!(!names(agent).contains(&PLANNER) && !names(agent).contains(&"read"), "{:?}", names(agent));

    let done = |id: &str| (id.to_owned(), StepStatus::Completed);
    assert_eq!(statuses(&desk, &session), [done("s1/1"), done("s1")]);
    all_rebuild(&desk, &session);
}

const FINDER: &str =
    "description = \"Finds what a site has.\"\ntools = [\"ask_user\"]\noutput = \"agents/output.json\"\n";
const OBJECT: &str = r#"{"type": "object", "required": ["summary"]}"#;

// covers: C1 C3 C42
#[tokio::test]
async fn what_earlier_agents_gave_is_gathered_for_the_one_that_plans() {
    let main = "description = \"Plans crawls.\"\ntools = [\"run_discovery_agent\", \"run_selector_agent\", \"run_plan_generator_agent\"]\n";
    let (desk, session) = desk(&[
        ("main/agent.toml", main),
        ("finders/agents/discovery_agent.toml", FINDER),
        ("finders/agents/selector_agent.toml", FINDER),
        ("finders/agents/output.json", OBJECT),
    ])
    .await;
    desk.calls("run_discovery_agent", json!({"task": "Find the pages", "context": {"target_url": SITE}}));
    desk.says(r#"{"summary": "Ten pages", "pages": 10}"#);
    desk.calls("run_selector_agent", json!({"task": "Find the selectors"}));
    desk.says("```json\n{\"summary\": \"One selector\", \"css\": \"h1\"}\n```");
    desk.calls(PLANNER, json!({"task": "Write it", "target_url": SITE}));
    desk.says(GOOD);
    desk.says("All is done.");
    let main = json!([{"id": "s1", "description": format!("Plan the crawl of {SITE}"), "origin": "route",
        "executor": {"kind": "specialist", "id": "main"}}]);
    let end = carry_out(&desk, &session, main, json!({"stepIterations": 8})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let requests = requests(&desk);
    let discovery = user(&requests[1]);
    assert_eq!(discovery, format!("Find the pages\n\n## Context\n```json\n{{\n  \"target_url\": \"{SITE}\"\n}}\n```"));
    // Without a context the task is all.
    assert_eq!(user(&requests[3]), "Find the selectors");
    let planner = user(&requests[5]);
    assert!(planner.contains("**Task name**: Generate Crawl Plan\n\nWrite it\n"), "{planner}");
    let found = "## From discovery_agent\n\n### Description\nTen pages\n\n### Output\n- **summary**: Ten pages\n- **pages**: 10\n\n---\n\n## From selector_agent\n\n### Description\nOne selector\n";
    assert!(planner.contains(found), "{planner}");
    all_rebuild(&desk, &session);
}

#[tokio::test]
async fn only_the_agents_that_a_contract_names_are_gathered_wherever_it_names_them() {
    let writer = "description = \"Writes.\"\ntools = []\ninput = \"agents/in.json\"\n";
    let contract = r##"{"type": "object", "properties": {"collected_information": {"$ref": "#/$defs/all"}},
        "$defs": {"all": {"type": "array", "items": {"allOf": [{"$ref": "#/$defs/one"}]}},
            "one": {"properties": {"agent_name": {"$ref": "#/$defs/name"}}}, "name": {"enum": ["selector_agent"]}}}"##;
    let main = "description = \"Plans.\"\ntools = [\"run_discovery_agent\", \"run_selector_agent\", \"run_writer\"]\n";
    let (desk, session) = desk(&[
        ("main/agent.toml", main),
        ("finders/agents/discovery_agent.toml", FINDER),
        ("finders/agents/selector_agent.toml", FINDER),
        ("finders/agents/output.json", OBJECT),
        ("writer/agents/writer.toml", writer),
        ("writer/agents/in.json", contract),
    ])
    .await;
    desk.calls("run_discovery_agent", json!({"task": "Find the pages"}));
    desk.says(r#"{"summary": "Ten pages"}"#);
    desk.calls("run_selector_agent", json!({"task": "Find the selectors"}));
    desk.says(r#"{"summary": "One selector"}"#);
    desk.calls("run_writer", json!({"task": "Write it"}));
    desk.says("It is written.");
    desk.says("All is done.");
    let main = json!([{"id": "s1", "description": "Plan the crawl", "origin": "route",
        "executor": {"kind": "specialist", "id": "main"}}]);
    let end = carry_out(&desk, &session, main, json!({"stepIterations": 8})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let requests = requests(&desk);
    let told = user(&requests[5]);
    assert!(told.contains("One selector") && !told.contains("Ten pages"), "{told}");
}

#[tokio::test]
async fn an_agent_that_a_step_calls_is_told_the_note_of_the_approval_below_its_own_words() {
    let (desk, session) = desk(&[]).await;
    let input = json!({"task": "Generate plan", "target_url": SITE, "task_name": "example_crawl",
        "collected_information": collected()});
    desk.calls(PLANNER, input);
    desk.says(GOOD);
    desk.says("The plan is written.");
    let note = "At most a hundred pages.";
    let end = carry_out_noted(&desk, &session, (planning(), json!({})), Some(note.to_owned())).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let [_, agent, _] = &requests(&desk)[..] else { panic!("{}", requests(&desk).len()) };
    let told = user(agent);
    assert!(told.trim_end().ends_with(&format!("What the user said of this plan; follow it:\n- {note}")), "{told}");
    all_rebuild(&desk, &session);
}

// covers: C16
#[tokio::test]
async fn an_input_that_never_fits_ends_its_step_and_the_agent_never_begins() {
    let (desk, session) = desk(&[]).await;
    for _ in 0..3 {
        desk.calls(PLANNER, json!({"task": "Generate plan", "collected_information": []}));
    }
    let end = carry_out(&desk, &session, planning(), json!({"inputRetries": 2})).await;
    assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
    let ended = ended(&desk, &session);
    let (_, status, reason) = &ended[0];
    assert_eq!((ended.len(), *status), (1, StepStatus::Failed));
    let reason = reason.as_deref().unwrap();
    assert!(
        reason.starts_with("the input of run_plan_generator_agent does not fit its contract after 3 tries:"),
        "{reason}"
    );
    let events = desk.events(&session);
    assert!(!events.iter().any(|event| matches!(event.kind, EventKind::StepDelegated { .. })));
    let reached = events.iter().find_map(|event| match &event.kind {
        EventKind::LimitReached { limit, value } => {
            Some((limit.as_str(), *value)).filter(|(limit, _)| *limit != "toolTokenBudget")
        }
        _ => None,
    });
    assert_eq!(reached, Some(("inputRetries", 2)));
    let (_, refused, _) = &results(&desk, &session)[2];
    assert_eq!(refused["missing_fields"], json!(["target_url", "task_name"]));
    assert!(refused["validation_message"].as_str().unwrap().contains("collected_information: "), "{refused}");
}

// covers: C39
#[tokio::test]
async fn a_plan_is_not_made_without_what_has_to_be_found_first() {
    for (there, absent) in [(0, "selector_agent"), (1, "discovery_agent")] {
        let (desk, session) = desk(&[]).await;
        let only = json!([collected()[there]]);
        desk.calls(PLANNER, json!({"task": "Generate plan", "target_url": SITE, "collected_information": only}));
        carry_out(&desk, &session, planning(), json!({"inputRetries": 0})).await;
        let (status, refused, _) = &results(&desk, &session)[0];
        assert_eq!(*status, CallStatus::Error);
        assert_eq!(refused["path"], json!(["collected_information"]));
        assert_eq!(refused["hint"], format!("collected_information: Add the output of {absent}."));
        assert_eq!(refused["missing_fields"], json!([]));
    }
}

// covers: C14
#[tokio::test]
async fn a_task_is_handed_on_as_it_is_also_where_it_is_the_name_of_a_value() {
    for task in ["target_url", "  Generate the plan,\n\n- all of it  "] {
        let (desk, session) = desk(&[]).await;
        desk.calls(PLANNER, json!({"task": task, "target_url": SITE, "collected_information": collected()}));
        desk.says(GOOD);
        desk.says("It is written.");
        carry_out(&desk, &session, planning(), json!({})).await;
        let handed = desk.events(&session).into_iter().find_map(|event| match event.kind {
            EventKind::StepDelegated { steps, .. } => Some(steps[0].description.clone()),
            _ => None,
        });
        assert_eq!(handed.as_deref(), Some(task));
        assert!(user(&requests(&desk)[1]).contains(task), "{}", user(&requests(&desk)[1]));
    }
}

#[tokio::test]
async fn an_example_that_a_small_model_copies_is_no_value_unless_somebody_said_it() {
    let reader =
        "description = \"Reads.\"\ntools = []\ninput = \"agents/in.json\"\nuser_prompt = \"agents/user.md.j2\"\n";
    let contract = r#"{"type": "object", "required": ["site"], "properties": {
        "site": {"type": "string", "examples": ["example.com"]}, "folder": {"type": "string", "examples": ["a/b", "c/d"]},
        "size": {"type": "integer", "default": 7, "examples": [3]}}}"#;
    let files = [
        ("reader/agents/reader.toml", reader),
        ("reader/agents/in.json", contract),
        ("reader/agents/user.md.j2", "{{ site }}, {{ folder }}, {{ size }}"),
    ];
    let copied = json!({"task": "Read it", "site": "example.com", "folder": "c/d", "size": 3});
    for (planner, said, read) in [
        (PlannerProfile::Compact, "Read it", "example.com, , 7"),
        (PlannerProfile::Compact, "Read it into c/d", "example.com, c/d, 7"),
        (PlannerProfile::Full, "Read it", "example.com, c/d, 3"),
    ] {
        let (desk, session) = desk_with("scripted/test", planner, &files).await;
        desk.calls("run_reader", copied.clone());
        desk.says("It is read.");
        desk.says("It is done.");
        let mut reading = naming("run_reader");
        reading[0]["description"] = json!(said);
        carry_out(&desk, &session, reading, json!({})).await;
        assert_eq!(user(&requests(&desk)[1]).trim_end(), read, "{planner:?}, {said}");
        all_rebuild(&desk, &session);
    }
}

// covers: C54
#[tokio::test]
async fn an_agent_mends_its_output_and_one_that_cannot_has_failed_for_its_caller() {
    let (desk, session) = desk(&[]).await;
    let whole = json!({"task": "Generate plan", "target_url": SITE, "collected_information": collected()});
    desk.calls(PLANNER, whole.clone());
    desk.says("The plan is easy: look at every page.");
    desk.says(r##"{"agent_response_content": "# Pl"##);
    desk.says(GOOD);
    desk.says("It is written.");
    let end = carry_out(&desk, &session, planning(), json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let told = said(&requests(&desk)[2]);
    assert!(told.contains("the result has to be one JSON object and nothing else"), "{told}");

    desk.calls(PLANNER, whole);
    for _ in 0..3 {
        desk.says(
            r##"{"plan_file_path": "plan.md", "agent_response_content": "# Plan", "status": "perhaps", "more": 1}"##,
        );
    }
    desk.says("No plan could be written.");
    desk.says("No plan could be written.");
    let end = carry_out(&desk, &session, planning(), json!({"outputRetries": 2, "toolValidationRetries": 1})).await;
    assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
    let (status, output, error) = results(&desk, &session).pop().unwrap();
    assert_eq!((status, output), (CallStatus::Error, Value::Null));
    let error = error.unwrap();
    assert!(error.starts_with("the agent did not complete: the result does not fit its contract"), "{error}");
    // All that is wrong is told at once, and no value is quoted.
    assert!(error.contains("unexpected: more") && error.contains("status: ") && !error.contains("perhaps"), "{error}");
    all_rebuild(&desk, &session);
}

// covers: C54
#[tokio::test]
async fn a_result_that_is_no_object_is_asked_for_as_what_its_contract_wants() {
    let lists = "description = \"Lists.\"\ntools = []\noutput = \"out.json\"\n";
    let contract = r##"{"$ref": "#/$defs/list", "$defs": {"list": {"type": "array", "items": {"type": "string"}}}}"##;
    let (desk, session) = desk(&[("lists/agents/lister.toml", lists), ("lists/out.json", contract)]).await;
    desk.calls("run_lister", json!({"task": "List them"}));
    desk.says("There are two of them.");
    desk.says(r#"["a", "b"]"#);
    desk.says("They are listed.");
    let listing = naming("run_lister");
    let end = carry_out(&desk, &session, listing, json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let told = said(&requests(&desk)[2]);
    assert!(told.contains("the result has to be one JSON array and nothing else"), "{told}");
    assert_eq!(results(&desk, &session)[0].1, json!(["a", "b"]));
}

// covers: C54
#[tokio::test]
async fn an_object_of_five_megabytes_is_judged_like_any_other_and_floods_no_request() {
    let (desk, session) = desk(&[]).await;
    let large = "large ".repeat((5 << 20) / 6);
    let whole = "whole ".repeat((3 << 20) / 6);
    let object = |status: &str, said: &str| {
        json!({"plan_file_path": "plan.md", "status": status, "agent_response_content": said}).to_string()
    };
    desk.calls(PLANNER, json!({"task": "Generate plan", "target_url": SITE, "collected_information": collected()}));
    desk.says(&object(&large, "Done."));
    desk.says(&object("complete", &whole));
    desk.says("It is written.");
    let end = carry_out(&desk, &session, planning(), json!({})).await;
    if Wire::of_this_program() != Wire::Direct {
        // An endpoint that sends so much is not read to its end, and that is said.
        assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
        let told = serde_json::to_string(&desk.events(&session)).unwrap();
        assert!(told.contains("the answer is far longer than what was asked for"), "{}", told.len());
        return all_rebuild(&desk, &session);
    }
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let asked = requests(&desk);
    assert!(said(&asked[2]).contains("status: "), "it is told what is wrong");
    let bytes: Vec<usize> = asked.iter().map(|one| serde_json::to_string(&one.messages).unwrap().len()).collect();
    assert!(bytes.iter().all(|bytes| *bytes < 300_000), "{bytes:?}");
    // What fits is kept whole.
    let (status, output, _) = results(&desk, &session).pop().unwrap();
    assert_eq!(status, CallStatus::Success);
    assert_eq!(output["agent_response_content"].as_str().map(str::len), Some(whole.len()));
    assert_eq!(output.to_string(), object("complete", &whole));
    all_rebuild(&desk, &session);
}

// covers: C54
#[tokio::test]
async fn a_result_that_is_larger_than_what_is_kept_is_an_error_that_names_its_size() {
    let (desk, session) = desk(&[]).await;
    let result = json!({"plan_file_path": "plan.md", "status": "complete",
        "agent_response_content": "large ".repeat((5 << 20) / 6)});
    desk.calls(PLANNER, json!({"task": "Generate plan", "target_url": SITE, "collected_information": collected()}));
    desk.says(&result.to_string());
    desk.calls(
        PLANNER,
        json!({"task": "Generate a short plan", "target_url": SITE, "collected_information": collected()}),
    );
    desk.says(GOOD);
    desk.says("It is written.");
    let end = carry_out(&desk, &session, planning(), json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let [(status, output, error), (after, good, _)] = &results(&desk, &session)[..] else { panic!() };
    assert_eq!((*status, output), (CallStatus::Error, &Value::Null));
    let error = error.as_deref().unwrap();
    let size = result.to_string().len();
    // An endpoint that sends so much is not read to its end.
    let why = match Wire::of_this_program() {
        Wire::Direct => format!("the agent gave {size} bytes, and at most 4 MiB"),
        _ => "the agent did not complete: ".to_owned(),
    };
    assert!(error.starts_with(&why), "{error}");
    assert!(said(&requests(&desk)[2]).contains(error), "its caller is told");
    assert_eq!((*after, good), (CallStatus::Success, &serde_json::from_str(GOOD).unwrap()));
    all_rebuild(&desk, &session);
}

// covers: C54
#[tokio::test]
async fn a_model_that_is_held_to_shapes_mends_its_output_in_the_shape_of_its_contract() {
    for (model, is_held) in [("local/small", true), ("scripted/test", false)] {
        let (desk, session) = desk_of(model, &[]).await;
        desk.calls(PLANNER, json!({"task": "Generate plan", "target_url": SITE, "collected_information": collected()}));
        desk.says("The plan is written.");
        desk.says(GOOD);
        desk.says("It is written.");
        let end = carry_out(&desk, &session, planning(), json!({})).await;
        assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
        let asked = requests(&desk);
        let shaped: Vec<bool> =
            asked.iter().map(|request| matches!(request.output, OutputFormat::Json { .. })).collect();
        assert_eq!(shaped, [false, false, is_held, false], "{model}");
        let contract = match &asked[2].output {
            OutputFormat::Json { schema, .. } => schema["required"].as_array().map(Vec::len),
            OutputFormat::Text => None,
        };
        assert_eq!(contract, is_held.then_some(3));
        let replies = desk
            .events(&session)
            .into_iter()
            .filter(|event| matches!(&event.kind, EventKind::ModelReplied { purpose: Purpose::Step, .. }));
        for (event, request) in replies.zip(&asked) {
            assert_eq!(desk.engine.runs().sent(&session, event.seq).unwrap().request.output, request.output);
        }
    }
}

// covers: C22
#[tokio::test]
async fn an_agent_asks_through_the_same_inbox_and_goes_on_after_a_restart() {
    let asker = "description = \"Asks what it needs.\"\ntools = [\"ask_user\"]\n";
    let (before, session) = desk(&[("asker/agents/asker.toml", asker)]).await;
    before.calls("run_asker", json!({"task": "Find out the colour", "whatever": {"is": "given"}}));
    before.calls("ask_user", json!({"question": "Which colour?"}));
    let asking = naming("run_asker");
    let end = carry_out(&before, &session, asking, json!({})).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let desk = before.reopened();
    look(&desk);
    let open = desk.engine.requests().open().unwrap();
    let path: Vec<String> = open[0].request.path.iter().map(ToString::to_string).collect();
    assert_eq!((path, open[0].request.asked_by.as_str()), (vec!["s1".to_owned(), "s1/1".to_owned()], "asker"));
    desk.says("The colour is blue.");
    desk.says("It is blue.");
    let answer = Answer::Value { value: json!("blue") };
    let end = desk.engine.turns().answer(&open[0].request.id, answer, &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let gave = results(&desk, &session).into_iter().map(|(_, output, _)| output).collect::<Vec<_>>();
    assert!(gave.contains(&json!("The colour is blue.")), "{gave:?}");
    let run = desk.engine.runs().list(&session).unwrap().remove(0);
    assert_eq!(run.status, RunStatus::Completed);
    all_rebuild(&desk, &session);
}

#[tokio::test]
async fn what_an_agent_may_do_was_approved_with_the_plan_that_names_it_or_a_person_is_asked() {
    let writer = "description = \"Writes files.\"\ntools = [\"create_file\"]\n";
    let main = "description = \"Has files written.\"\ntools = [\"run_writer\"]\n";
    let (desk, session) = desk(&[("writer/agents/writer.toml", writer), ("main/agent.toml", main)]).await;
    let write = |desk: &Desk, path: &str| {
        desk.calls("run_writer", json!({"task": "Write it down"}));
        desk.calls("create_file", json!({"path": path, "content": "one"}));
    };
    write(&desk, "first.md");
    desk.says("It is written.");
    desk.says("It is written.");
    let named = naming("run_writer");
    let end = carry_out(&desk, &session, named, json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert!(desk.workspace.join("first.md").exists());

    // A plan that does not name the agent allows neither it nor what it does.
    write(&desk, "second.md");
    let end = carry_out(&desk, &session, json!([step("s1", "main", &["ask_user"], &[])]), json!({})).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let open = desk.engine.requests().open().unwrap();
    assert_eq!((open[0].request.kind, open[0].request.tool.as_deref()), (RequestKind::Permit, Some("run_writer")));
    let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
    let end = desk.engine.turns().answer(&open[0].request.id, yes, &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let open = desk.engine.requests().open().unwrap();
    assert_eq!((open.len(), open[0].request.tool.as_deref()), (1, Some("create_file")));
    assert!(!desk.workspace.join("second.md").exists());
    // What a person refuses to an agent, its caller does not do in its place.
    let no = Answer::Reject { reason: Some("not that".to_owned()) };
    desk.engine.turns().answer(&open[0].request.id, no, &CancellationToken::new()).await.unwrap();
    let last: Vec<(String, StepStatus)> = statuses(&desk, &session).into_iter().rev().take(2).collect();
    let cancelled = |id: &str| (id.to_owned(), StepStatus::Cancelled);
    assert_eq!(last, [cancelled("s1"), cancelled("s1/1")]);
}

#[tokio::test]
async fn an_address_that_nobody_said_does_not_reach_an_agent_and_what_is_missing_is_told_before_that() {
    let (desk, session) = desk(&[]).await;
    desk.calls(PLANNER, json!({"task": "Generate plan", "target_url": "https://invented.example"}));
    let invented = json!({"task": "Generate plan", "target_url": "https://invented.example",
        "collected_information": collected()});
    desk.calls(PLANNER, invented);
    desk.says("I do not know the site.");
    carry_out(&desk, &session, planning(), json!({"stepIterations": 3, "toolValidationRetries": 0})).await;
    let (_, refused, _) = &results(&desk, &session)[0];
    assert_eq!(refused["missing_fields"], json!(["task_name", "collected_information"]));
    refused_as_invented(&desk, &session);
}

#[tokio::test]
async fn an_address_that_nobody_said_does_not_reach_an_agent_in_the_words_of_its_task_either() {
    let reader = "description = \"Reads.\"\ntools = []\n";
    for task in ["Read https://invented.example/p, and sum it up.", "Look at (http://www.invented.example)."] {
        let (desk, session) = desk(&[("reader/agents/reader.toml", reader)]).await;
        desk.calls("run_reader", json!({"task": task}));
        desk.calls("run_reader", json!({"task": format!("Read {SITE}/, then stop.")}));
        desk.says("It is read.");
        desk.says("It is done.");
        let reading = naming("run_reader");
        let end = carry_out(&desk, &session, reading, json!({})).await;
        assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
        let refused = desk.events(&session).into_iter().filter_map(|event| match event.kind {
            EventKind::CallRefused { fault, .. } => Some(fault.to_string()),
            EventKind::StepDelegated { steps, .. } => Some(steps[0].description.clone()),
            _ => None,
        });
        let refused: Vec<String> = refused.collect();
        assert!(refused[0].contains("does not occur in anything seen"), "{refused:?}");
        assert_eq!(refused[1..], [format!("Read {SITE}/, then stop.")]);
    }
}

#[tokio::test]
async fn arguments_that_a_person_changes_fit_the_contract_of_the_agent_or_the_request_stays_open() {
    let reader = "description = \"Reads.\"\ntools = [\"create_file\"]\ninput = \"agents/in.json\"\n";
    let contract = r#"{"type": "object", "required": ["colour"], "properties": {"colour": {"type": "string"}}}"#;
    let main = "description = \"Has things read.\"\ntools = [\"run_reader\"]\n";
    let files = [("reader/agents/reader.toml", reader), ("reader/agents/in.json", contract), ("main/agent.toml", main)];
    let (desk, session) = desk(&files).await;
    desk.calls("run_reader", json!({"task": "Read it", "colour": "blue"}));
    let end = carry_out(&desk, &session, json!([step("s1", "main", &["ask_user"], &[])]), json!({})).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let open = desk.engine.requests().open().unwrap().remove(0).request;
    assert_eq!((open.kind, open.tool.as_deref()), (RequestKind::Permit, Some("run_reader")));
    let answer = async |arguments: Value| {
        let yes = Answer::Approve { arguments: Some(arguments), note: None, reach: Reach::Once };
        desk.engine.turns().answer(&open.id, yes, &CancellationToken::new()).await
    };
    for (broken, why) in [
        (json!({"task": "Read it"}), "'colour' is a required property"),
        (json!({"task": "Read it", "colour": ["blue"]}), "colour"),
        (json!({"colour": "blue"}), "'task' is a required property"),
    ] {
        let refused = answer(broken.clone()).await.unwrap_err();
        assert!(refused.to_string().contains(why), "{broken}: {refused}");
        assert_eq!(desk.engine.requests().open().unwrap().len(), 1, "{broken}");
    }
    desk.says("It is read.");
    answer(json!({"task": "Read it", "colour": "green"})).await.unwrap();
    let asked = requests(&desk);
    assert!(asked.iter().any(|request| user(request).contains("green")), "{asked:?}");
}

/// An address was refused because nobody has said it, and no agent was called.
fn refused_as_invented(desk: &Desk, session: &SessionId) {
    let events = desk.events(session);
    let fault = events.iter().find_map(|event| match &event.kind {
        EventKind::CallRefused { fault, .. } => Some(fault.to_string()),
        _ => None,
    });
    assert!(fault.as_deref().is_some_and(|fault| fault.contains("does not occur in anything seen")), "{fault:?}");
    assert!(!events.iter().any(|event| matches!(event.kind, EventKind::StepDelegated { .. })));
}

// covers: C5 C16 C20
#[tokio::test]
async fn values_that_a_contract_refers_to_at_its_top_are_asked_for_missed_and_handed_over() {
    let reader =
        "description = \"Reads.\"\ntools = []\ninput = \"agents/in.json\"\nuser_prompt = \"agents/user.md.j2\"\n";
    let contract = r##"{"$ref": "#/$defs/in", "$defs": {"in": {"type": "object", "required": ["colour"],
        "properties": {"colour": {"type": "string"}, "size": {"default": "large"}}}}}"##;
    let files = [
        ("reader/agents/reader.toml", reader),
        ("reader/agents/in.json", contract),
        ("reader/agents/user.md.j2", "{{ task }}: {{ colour }}, {{ size }}"),
    ];
    let (desk, session) = desk(&files).await;
    desk.calls("run_reader", json!({"task": "Read it"}));
    desk.calls("run_reader", json!({"task": "Read it", "colour": "blue"}));
    desk.says("It is read.");
    desk.says("It is done.");
    let reading = naming("run_reader");
    let end = carry_out(&desk, &session, reading, json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let (_, refused, _) = &results(&desk, &session)[0];
    assert_eq!((&refused["required_fields"], &refused["missing_fields"]), (&json!(["colour"]), &json!(["colour"])));
    let asked = requests(&desk);
    let tool = asked[0].tools.iter().find(|tool| tool.name == "run_reader").unwrap();
    assert!(tool.description.ends_with("REQUIRED INPUT: colour"), "{}", tool.description);
    assert_eq!(user(&asked[2]).trim_end(), "Read it: blue, large");
    all_rebuild(&desk, &session);
}

// covers: C16
#[tokio::test]
async fn an_input_that_was_mended_does_not_count_against_the_next_call_of_the_same_agent() {
    let finder = "description = \"Finds pages.\"\ntools = []\ninput = \"agents/in.json\"\n";
    let contract = r#"{"type": "object", "required": ["site"], "properties": {"site": {"type": "string"}}}"#;
    let (desk, session) = desk(&[("finder/agents/finder.toml", finder), ("finder/agents/in.json", contract)]).await;
    let sites = ["alpha", "beta", "gamma", "delta"];
    for site in sites {
        desk.calls("run_finder", json!({"task": format!("Find the pages of {site}")}));
        desk.calls("run_finder", json!({"task": format!("Find the pages of {site}"), "site": site}));
        desk.says(&format!("{site} has ten pages."));
    }
    desk.says("All have ten pages.");
    let finding = naming("run_finder");
    let end = carry_out(&desk, &session, finding.clone(), json!({"inputRetries": 1, "stepIterations": 12})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let begun = statuses(&desk, &session).into_iter().filter(|(step, _)| step.starts_with("s1/"));
    assert_eq!(begun.map(|(_, status)| status).collect::<Vec<_>>(), [StepStatus::Completed; 4]);

    // Those that are not mended count as before, also after one that was.
    desk.calls("run_finder", json!({"task": "Find the pages of alpha", "site": "alpha"}));
    desk.says("alpha has ten pages.");
    desk.calls("run_finder", json!({"task": "Find the pages of beta"}));
    desk.calls("run_finder", json!({"task": "Find the pages of gamma"}));
    let end = carry_out(&desk, &session, finding, json!({"inputRetries": 1, "stepIterations": 12})).await;
    assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
    let reason = ended(&desk, &session).pop().unwrap().2.unwrap();
    assert!(reason.contains("does not fit its contract after 2 tries"), "{reason}");
    all_rebuild(&desk, &session);
}

#[tokio::test]
async fn what_a_refused_caller_has_given_is_kept_in_a_bounded_part() {
    let (desk, session) = desk(&[]).await;
    let mut flood: serde_json::Map<String, Value> = (0..60_000).map(|at| (format!("{at:0>100}"), json!(1))).collect();
    flood.insert("task".to_owned(), json!("Generate plan"));
    desk.calls(PLANNER, Value::Object(flood));
    desk.says("I do not know the site.");
    let end = carry_out(&desk, &session, planning(), json!({"inputRetries": 0})).await;
    assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
    if Wire::of_this_program() == Wire::Direct {
        let (status, refused, _) = results(&desk, &session).remove(0);
        assert_eq!((status, &refused["success"]), (CallStatus::Error, &json!(false)));
        let size = refused["provided_fields"].to_string().len();
        assert!((3 << 20..5 << 20).contains(&size), "{size}");
    }
    all_rebuild(&desk, &session);
}
