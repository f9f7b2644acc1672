//! Workflows in a chat: whoever asks for something scheduled or run gets a workflow, one specialist alone makes them, and
//! what was configured in one turn is run in the next.

use assent_core::ids::SessionId;
use assent_core::plan::ExecutorKind;
use assent_core::run::{CallStatus, EventKind, PlanStatus, Purpose, RequestKind, RunStatus};
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{ModelProfile, PlannerProfile};
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::super::workflow::{ends, yes};
use super::studio::said;

async fn opened() -> (Desk, SessionId) {
    opened_on(PlannerProfile::Full).await
}

async fn opened_on(planner: PlannerProfile) -> (Desk, SessionId) {
    let profile =
        ModelProfile { id: "scripted/test".to_owned(), context_tokens: 32_768, planner, parallel: 4, local: false };
    let desk = Desk::on(ScriptedModel::new(profile), &[]);
    desk.engine.studio().open().unwrap();
    let session = desk.session().await;
    (desk, session)
}

fn plan_of(id: &str, specialist: &str, tool: &str, words: &str) -> Value {
    json!({"title": words, "refinedTask": words, "instructionsForWorkflow": "List workflows; if only one, run it.",
        "todoList": [{"id": id, "description": words, "stepType": "tool", "requiredTools": [tool], "specialist": specialist}]})
}

fn weekly() -> Value {
    json!({"name": "weekly-report", "task": "Write the report to report.txt", "title": "Weekly report",
        "steps": [{"do": "Write the report to report.txt", "tools": ["create_file"], "expect": "report.txt"}]})
}

async fn made(desk: &Desk, session: &SessionId) {
    desk.plans(&plan_of("s1", "workflow", "create_workflow", "Make a workflow of it"));
    desk.calls("create_workflow", weekly());
    desk.says("The workflow weekly-report is saved.");
    let end = desk.send(session, "Make a workflow that writes my weekly report", ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
}

// covers: H41 H12 H13 H40
#[tokio::test]
async fn run_on_demand_runs_the_workflow_that_was_just_configured() {
    let (desk, session) = opened().await;
    made(&desk, &session).await;
    assert_eq!(
        desk.engine.workflows().get("weekly-report").unwrap().status,
        PlanStatus::Proposed,
        "made, not approved"
    );
    assert!(desk.engine.workflows().runs("weekly-report", 9).unwrap().is_empty(), "and nothing ran");

    desk.plans(&plan_of("s1", "workflow", "run_workflow", "Run the workflow"));
    desk.calls("list_workflows", json!({}));
    desk.calls("run_workflow", json!({"name": "weekly-report"}));
    desk.calls("run_workflow", json!({"name": "weekly-report", "version": 1}));
    let end = desk.send(&session, "Run On Demand", ApprovalPolicy::NeverAsk).await;
    let planned = desk.model.requests().into_iter().rfind(|request| request.purpose == Purpose::Plan).unwrap();
    let told = said(&planned);
    assert!(told.contains("weekly report") && told.contains("list workflows; if only one, run it"), "{told}");

    // Nobody asks which one. What it may do is shown before it runs for the first time, whatever the policy.
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let asked = desk.engine.requests().open().unwrap();
    assert_eq!((asked.len(), asked[0].request.kind), (1, RequestKind::Permit));
    let reason = asked[0].request.consequence.as_deref().unwrap();
    assert!(reason.contains("version 1 of the workflow weekly-report, which was never approved"), "{reason}");
    assert!(reason.contains("What it may do") && reason.contains("report.txt"), "{reason}");
    let calls = ends(&desk, &session, "run_workflow");
    let [(CallStatus::Error, Some(why))] = calls.as_slice() else { panic!("{calls:?}") };
    assert!(why.contains("run it as version 1"), "{why}");

    desk.calls("create_file", json!({"path": "report.txt", "content": "all well"}));
    desk.says("Written.");
    desk.says("It ran.");
    let end = desk.engine.turns().answer(&asked[0].request.id, yes(), &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(desk.file("report.txt").as_deref(), Some("all well"));
    let workflow = desk.engine.workflows().get("weekly-report").unwrap();
    assert_eq!(workflow.last_run.map(|run| run.status), Some(RunStatus::Completed));
    let asks = desk.events(&session).into_iter().any(
        |event| matches!(event.kind, EventKind::RequestOpened { request } if request.kind == RequestKind::Question),
    );
    assert!(!asks, "no question which workflow is meant");

    // The second time nobody is asked.
    desk.plans(&plan_of("s1", "workflow", "run_workflow", "Run the workflow"));
    std::fs::remove_file(desk.workspace.join("report.txt")).unwrap();
    desk.calls("run_workflow", json!({"name": "weekly-report"}));
    desk.calls("create_file", json!({"path": "report.txt", "content": "again"}));
    desk.says("Written.");
    desk.says("It ran.");
    let end = desk.send(&session, "And once more", ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(desk.file("report.txt").as_deref(), Some("again"));
}

// covers: H32 H36 H41
#[tokio::test]
async fn a_small_model_runs_the_one_workflow_that_there_is_without_a_question() {
    let (desk, session) = opened_on(PlannerProfile::Compact).await;
    let plan = |tool: &str, words: &str| json!({"title": words, "steps": [{"tool": tool, "do": words, "expect": "it is done"}]});
    desk.plans(&plan("create_workflow", "Make a workflow that writes the weekly report"));
    desk.calls("create_workflow", weekly());
    desk.says("The workflow weekly-report is saved.");
    let end = desk.send(&session, "Make a workflow that writes my weekly report", ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");

    let before = desk.model.requests().len();
    desk.plans(&plan("run_workflow", "Run the workflow"));
    desk.calls("run_workflow", json!({"name": "weekly-report", "version": 1}));
    let end = desk.send(&session, "Run On Demand", ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let asked = desk.engine.requests().open().unwrap();
    assert_eq!((asked.len(), asked[0].request.kind), (1, RequestKind::Permit), "what it may do, and not which one");
    let requests = &desk.model.requests()[before..];
    let of = |purpose: Purpose| requests.iter().find(|request| request.purpose == purpose).unwrap();
    let (planning, running) = (of(Purpose::Plan), of(Purpose::Step));
    let shape = format!("{:?}", planning.output);
    assert!(shape.contains("run_workflow") && shape.contains("list_workflows"), "it may take them: {shape}");
    let told = said(planning);
    assert!(told.contains("if only one, run it") && told.contains("The workflow weekly-report is saved."), "{told}");
    assert!(said(running).contains("- workflow weekly-report: "), "{}", said(running));

    desk.calls("create_file", json!({"path": "report.txt", "content": "all well"}));
    desk.says("Written.");
    desk.says("It ran.");
    let end = desk.engine.turns().answer(&asked[0].request.id, yes(), &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(desk.file("report.txt").as_deref(), Some("all well"));
}

#[tokio::test]
async fn a_yes_counts_for_the_version_that_was_shown_and_for_no_other() {
    let (desk, session) = opened().await;
    let cancel = CancellationToken::new();
    let run = ("run_workflow", json!({"name": "weekly-report", "version": 1}));
    // Asked about before it is there: nothing could be shown, so the yes allows nothing.
    desk.plans(&plan_of("s1", "workflow", "run_workflow", "Make it and run it"));
    desk.model.push(Purpose::Step, Scripted::calls([("create_workflow", weekly()), run.clone()]));
    let end = desk.send(&session, "Make a workflow that writes my report and run it", ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let about = |tool: &str| {
        let open = desk.engine.requests().open().unwrap().into_iter().map(|row| row.request);
        open.into_iter().find(|request| request.tool.as_deref() == Some(tool)).unwrap()
    };
    let asked = about("run_workflow");
    assert!(!asked.consequence.as_deref().unwrap().contains("What it may do"), "{asked:?}");
    assert!(!asked.input.allow_edit, "another version would be one that is not shown");
    desk.model.push(Purpose::Step, Scripted::calls([run.clone()]));
    desk.engine.turns().answer(&about("create_workflow").id, yes(), &cancel).await.unwrap();
    let end = desk.engine.turns().answer(&asked.id, yes(), &cancel).await.unwrap();
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let refused = ends(&desk, &session, "run_workflow");
    let [(CallStatus::Error, Some(why))] = refused.as_slice() else { panic!("{refused:?}") };
    assert!(why.contains("not what a person was asked about"), "{why}");
    let asked = about("run_workflow");
    assert!(asked.consequence.as_deref().unwrap().contains("What it may do"), "asked anew, and shown: {asked:?}");
    let status = || desk.engine.workflows().get("weekly-report").unwrap().status;
    assert_eq!((status(), desk.engine.workflows().runs("weekly-report", 9).unwrap().len()), (PlanStatus::Proposed, 0));

    // While it waits another hand puts other steps in its place, under the same name and number.
    desk.engine.workflows().delete("weekly-report").await.unwrap();
    let other = json!([{"do": "Write something else to other.txt", "tools": ["create_file"], "expect": "other.txt"}]);
    let plan = desk.engine.workflows().written(None, "Write something else to other.txt", &other, None).unwrap();
    desk.engine.workflows().create("weekly-report", plan, &desk.workspace).await.unwrap();
    desk.says("It could not be run.");
    desk.says("It could not be run.");
    desk.says("It could not be run.");
    desk.engine.turns().answer(&asked.id, yes(), &cancel).await.unwrap();
    assert_eq!(ends(&desk, &session, "run_workflow").len(), 2);
    assert_eq!((status(), desk.engine.workflows().runs("weekly-report", 9).unwrap().len()), (PlanStatus::Proposed, 0));
}

// covers: P9
#[tokio::test]
async fn only_the_specialist_workflow_makes_and_changes_workflows() {
    let (desk, _) = opened().await;
    let view = desk.engine.heap().show();
    assert_eq!(view.faults, []);
    for tool in ["create_workflow", "update_workflow"] {
        let having = view.heap.specialists.iter().filter(|one| one.tool_names.iter().any(|name| name == tool));
        assert_eq!(having.map(|one| one.id.as_str()).collect::<Vec<_>>(), ["workflow"], "{tool}");
    }
    let workflow = view.heap.specialists.iter().find(|one| one.id == "workflow").unwrap();
    assert!(workflow.tool_names.len() <= 8, "one leaf, with room for what asks a person");
}

// covers: P8 P24
#[tokio::test]
async fn whoever_wants_something_run_again_and_again_gets_a_workflow_whatever_the_planner_forgets() {
    let (desk, session) = opened().await;
    let message = "Create an agent that watches https://example.com/feed and run it every morning";
    let forgets = json!({"title": "Watch", "refinedTask": "Watch the feed.", "priorityOrder": ["agent"],
        "extractedContext": {"url": "https://example.com/feed"}});
    desk.plans(&forgets);
    desk.plans(&forgets);
    let end = desk.send(&session, message, ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    let again = desk.model.requests().into_iter().rfind(|request| request.purpose == Purpose::Plan).unwrap();
    assert!(said(&again).contains("specialist workflow"), "it was asked for once more: {}", said(&again));
    let plan = desk.engine.plans().get(plan.id.as_str(), Some(plan.version)).unwrap();
    let who: Vec<(&str, ExecutorKind)> =
        plan.steps.iter().map(|step| (step.executor.id.as_str(), step.executor.kind)).collect();
    assert_eq!(who, [("agent", ExecutorKind::Specialist), ("workflow", ExecutorKind::Specialist)]);
    assert_eq!(plan.steps[1].dependencies, [plan.steps[0].id.clone()], "the agent is there before it");
    assert!(plan.instructions.contains_key("workflow"), "{:?}", plan.instructions);

    // A planner that thinks of it is asked once, and other messages get no workflow.
    let before = desk.model.requests().len();
    let mut knows = forgets.clone();
    knows["priorityOrder"] = json!(["agent", "workflow"]);
    desk.plans(&knows);
    desk.send(&session, message, ApprovalPolicy::AlwaysAsk).await;
    desk.plans(&forgets);
    let end =
        desk.send(&session, "Create an agent that counts the words of each line", ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    let plan = desk.engine.plans().get(plan.id.as_str(), Some(plan.version)).unwrap();
    assert!(plan.steps.iter().all(|step| step.executor.id == "agent"), "{:?}", plan.steps);
    let plans = desk.model.requests()[before..].iter().filter(|request| request.purpose == Purpose::Plan).count();
    assert_eq!(plans, 2);
}

#[tokio::test]
async fn what_a_model_writes_as_a_workflow_is_refused_whole_with_every_reason() {
    let (desk, session) = opened().await;
    desk.plans(&plan_of("s1", "workflow", "create_workflow", "Make a workflow"));
    let mut unknown = weekly();
    unknown["steps"] = json!([{"do": "Send it", "tools": ["send_pigeon"]}, {"do": "Ask", "tools": ["ask_user"]}]);
    desk.calls("create_workflow", unknown);
    let mut empty = weekly();
    empty["task"] = json!(" ");
    desk.calls("create_workflow", empty);
    desk.calls("create_workflow", weekly());
    desk.calls("create_workflow", weekly());
    desk.says("It is there.");
    desk.says("It is there.");
    desk.send(&session, "Make a workflow for the report", ApprovalPolicy::NeverAsk).await;
    let calls = ends(&desk, &session, "create_workflow");
    let why: Vec<&str> = calls.iter().filter_map(|(_, why)| why.as_deref()).collect();
    assert!(why[0].contains("send_pigeon") && why[0].contains("ask_user"), "{why:?}");
    assert!(why[1].contains("the task is empty"), "{why:?}");
    assert_eq!(calls[2], (CallStatus::Success, None), "{calls:?}");
    let told = desk.model.requests().pop().map(|request| said(&request)).unwrap();
    let starts = "a timer of their system can call: assent workflow run weekly-report";
    assert!(told.contains("Nothing starts it at a time by itself") && told.contains(starts), "{told}");
    assert_eq!(desk.engine.workflows().list().unwrap().len(), 1);
}

#[tokio::test]
async fn a_reply_to_a_run_and_a_removal_are_a_persons_word() {
    let (desk, session) = opened().await;
    desk.plans(&plan_of("s1", "workflow", "create_workflow", "Make a workflow"));
    let mut asking = weekly();
    asking["steps"] = json!([{"do": "Ask for the week", "tools": ["std-request-user-help"]}]);
    desk.calls("create_workflow", asking);
    desk.says("It is saved.");
    desk.send(&session, "Make a workflow for the report", ApprovalPolicy::NeverAsk).await;
    let workflows = desk.engine.workflows();
    let begun = workflows.begin("weekly-report", None, Some(assent_core::run::Decider::User)).await.unwrap();
    desk.calls("std-request-user-help", json!({"question": "Which week?"}));
    workflows.carry_on(&begun, &CancellationToken::new()).await.unwrap();

    desk.plans(&plan_of("s1", "workflow", "respond_to_run", "Tell the run"));
    desk.calls("respond_to_run", json!({"name": "weekly-report", "reply": "week 47"}));
    let end = desk.send(&session, "Tell the workflow: week 47", ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let open = desk.engine.requests().open().unwrap();
    let asked = open.iter().find(|row| row.request.kind == RequestKind::Permit).unwrap();
    let reason = asked.request.consequence.as_deref().unwrap();
    assert!(reason.contains("Which week?") && reason.contains("week 47"), "{reason}");
    let of_run = open.iter().find(|row| row.request.kind == RequestKind::Help).unwrap();
    assert!(reason.contains(of_run.request.id.as_str()), "the reply is to this question: {reason}");
    assert_eq!(workflows.told(&begun).unwrap().status, RunStatus::WaitingForUser, "nothing is answered yet");
    desk.says("It is week 47.");
    desk.says("The run went on.");
    desk.model.push(Purpose::Synthesis, Scripted::text("The run went on."));
    desk.engine.turns().answer(&asked.request.id, yes(), &CancellationToken::new()).await.unwrap();
    assert_eq!(workflows.told(&begun).unwrap().status, RunStatus::Completed);

    desk.plans(&plan_of("s1", "workflow", "delete_workflow", "Delete the workflow"));
    desk.calls("delete_workflow", json!({"name": "weekly-report"}));
    let end = desk.send(&session, "Delete the workflow", ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    assert!(workflows.get("weekly-report").is_ok(), "until a person says so");
}

// covers: P8 P24
#[tokio::test]
async fn a_plan_says_itself_when_it_is_done_and_gets_a_workflow_in_a_language_that_nobody_reads() {
    let (desk, session) = opened().await;
    let message = "Crée un agent qui surveille https://example.com/feed et lance-le chaque lundi à 8 h";
    let route = |when: Option<&str>| {
        let mut plan = json!({"title": "Surveiller", "refinedTask": "Surveiller le flux.", "priorityOrder": ["agent"],
            "extractedContext": {"url": "https://example.com/feed"}});
        if let Some(when) = when {
            plan["when"] = json!(when);
        }
        plan
    };
    // It does not say when, is asked, and says it; and is held to it.
    desk.plans(&route(None));
    desk.plans(&route(Some("chaque lundi à 8 h")));
    let end = desk.send(&session, message, ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    let again = desk.model.requests().into_iter().rfind(|request| request.purpose == Purpose::Plan).unwrap();
    assert!(said(&again).contains("does not say when it is to run"), "{}", said(&again));
    let plan = desk.engine.plans().get(plan.id.as_str(), Some(plan.version)).unwrap();
    let who: Vec<&str> = plan.steps.iter().map(|step| step.executor.id.as_str()).collect();
    assert_eq!(who, ["agent", "workflow"]);
    assert_eq!(plan.extracted_context["when"], "chaque lundi à 8 h");
    assert!(plan.instructions.contains_key("workflow"), "{:?}", plan.instructions);

    // One that says "once" is asked once.
    let before = desk.model.requests().len();
    desk.plans(&route(Some("once")));
    let end = desk.send(&session, "Crée un agent qui compte les mots", ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    let plan = desk.engine.plans().get(plan.id.as_str(), Some(plan.version)).unwrap();
    assert!(plan.steps.iter().all(|step| step.executor.id == "agent"), "{:?}", plan.steps);
    let plans = desk.model.requests()[before..].iter().filter(|request| request.purpose == Purpose::Plan).count();
    assert_eq!(plans, 1);
}

// covers: P8 P24
#[tokio::test]
async fn a_small_planner_has_to_say_when_it_is_done_where_there_are_workflows() {
    let (desk, session) = opened_on(PlannerProfile::Compact).await;
    let step = |tool: &str| json!({"tool": tool, "do": "Lister les fichiers", "expect": "une liste"});
    let plan = json!({"title": "Lister", "when": "again and again", "steps": [step("glob")]});
    desk.plans(&plan);
    desk.plans(&plan);
    let end = desk.send(&session, "Liste les fichiers chaque matin", ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    let plan = desk.engine.plans().get(plan.id.as_str(), Some(plan.version)).unwrap();
    assert_eq!(plan.steps.last().unwrap().executor.id, "workflow");
    let request = desk.model.requests().into_iter().find(|request| request.purpose == Purpose::Plan).unwrap();
    let shape = format!("{:?}", request.output);
    assert!(shape.contains("again and again") && shape.contains("made and run"), "{shape}");
    assert!(said(&request).contains(r#"{"title":"...","when":"once","steps":"#), "{}", said(&request));
    assert!(said(&request).matches(r#""when":"once""#).count() > 1, "the examples say it too: {}", said(&request));

    desk.engine.studio().close().unwrap();
    desk.plans(&json!({"title": "Lister", "steps": [step("glob")]}));
    let end = desk.send(&session, "Liste les fichiers", ApprovalPolicy::AlwaysAsk).await;
    assert!(matches!(end, TurnEnd::AwaitingApproval { .. }), "{end:?}");
    let closed = desk.model.requests().pop().unwrap();
    assert!(!format!("{:?}", closed.output).contains("again and again") && !said(&closed).contains("\"when\""));
}

#[tokio::test]
async fn when_a_workflow_is_to_run_is_kept_with_it_and_shown() {
    let (desk, session) = opened().await;
    desk.plans(&plan_of("s1", "workflow", "create_workflow", "Make a workflow"));
    let mut timed = weekly();
    timed["when"] = json!("every Monday at 8");
    desk.calls("create_workflow", timed);
    desk.says("It is there.");
    desk.send(&session, "Make a workflow for the report, every Monday at 8", ApprovalPolicy::NeverAsk).await;
    let when = || desk.engine.workflows().get("weekly-report").unwrap().when;
    assert_eq!(when().as_deref(), Some("every Monday at 8"));
    let told = desk.model.requests().pop().map(|request| said(&request)).unwrap();
    assert!(told.contains("every Monday at 8") && told.contains("Nothing starts it at a time by itself"), "{told}");
    assert!(desk.engine.workflows().shown("weekly-report", None).unwrap().contains("when: `every Monday at 8`"));

    // A change of its steps leaves it, another time takes its place, an empty one takes it back; a novel is none.
    let update = |when: Option<&str>| {
        let mut next = weekly();
        if let Some(when) = when {
            next["when"] = json!(when);
        }
        desk.plans(&plan_of("s1", "workflow", "update_workflow", "Change the workflow"));
        desk.calls("update_workflow", next);
        desk.says("It is changed.");
    };
    let long = "x".repeat(301);
    for (said, kept) in [(None, Some("every Monday at 8")), (Some("daily"), Some("daily")), (Some(""), None)] {
        update(said);
        desk.send(&session, "Change it", ApprovalPolicy::NeverAsk).await;
        assert_eq!(when().as_deref(), kept, "{said:?}");
    }
    update(Some(&long));
    desk.says("It cannot be.");
    desk.says("It cannot be.");
    desk.send(&session, "Change it", ApprovalPolicy::NeverAsk).await;
    assert_eq!((when(), desk.engine.workflows().get("weekly-report").unwrap().plan.version), (None, 4));
}
