//! Workflows: saved plans that run as often as they are wanted, each run with a ledger of its own, never wider than what
//! a person has approved; and how a run asks for help through a channel of its own.

use assent_core::contract::Fault;
use assent_core::ids::SessionId;
use assent_core::plan::Plan;
use assent_core::run::{Answer, CallStatus, Decider, EventKind, PlanStatus, RequestKind, RunStatus, SessionKind};
use assent_engine::turn::TurnEnd;
use assent_engine::workflow::{Begun, Workflow, WorkflowError};
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const HELP: &str = "std-request-user-help";

fn step(id: &str, words: &str, tool: &str, after: Value) -> Value {
    json!({"id": id, "description": words, "stepType": "tool", "requiredTools": [tool], "dependencies": after})
}

fn document(steps: Value) -> Plan {
    let document = json!({
        "format": "assent.plan/1", "id": "elsewhere", "version": 1, "sessionId": "elsewhere", "title": "Weekly report",
        "userMessage": "Ask for the week and write it to week.txt", "defaults": {"toolValidationMode": "strict"},
        "steps": steps
    });
    serde_json::from_value(document).unwrap()
}

/// Asks, as it may, and writes.
fn weekly(asks: &str) -> Plan {
    document(json!([
        step("s1", "Ask for the week", asks, json!([])),
        step("s2", "Write the week to week.txt", "create_file", json!(["s1"])),
    ]))
}

fn writes(file: &str) -> Plan {
    document(json!([step("s1", &format!("Write to {file}"), "create_file", json!([]))]))
}

async fn made(desk: &Desk, name: &str, plan: Plan) -> Workflow {
    desk.engine.workflows().create(name, plan, &desk.workspace).await.unwrap()
}

/// Runs the latest version, which a person approves by it where nobody has.
async fn run(desk: &Desk, name: &str) -> (Begun, TurnEnd) {
    let begun = desk.engine.workflows().begin(name, None, Some(Decider::User)).await.unwrap();
    let end = desk.engine.workflows().carry_on(&begun, &CancellationToken::new()).await.unwrap();
    (begun, end)
}

fn faults(error: WorkflowError) -> String {
    match error {
        WorkflowError::Faults(faults) => faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("; "),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_run_waits_for_help_in_the_same_inbox_and_goes_on_in_another_process() {
    // covers: H25 H26 H27
    let desk = Desk::with(&[]);
    let workflow = made(&desk, "weekly", weekly(HELP)).await;
    desk.calls(HELP, json!({"question": "Which week?"}));
    let (begun, end) = run(&desk, "weekly").await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let inbox = desk.engine.requests().open().unwrap();
    assert_eq!((inbox.len(), inbox[0].request.kind), (1, RequestKind::Help));
    assert_eq!((inbox[0].request.prompt.as_str(), &inbox[0].session), ("Which week?", &workflow.session));
    let told = desk.engine.workflows().told(&begun).unwrap();
    assert_eq!((told.status, told.waits_for[0].question.as_str()), (RunStatus::WaitingForUser, "Which week?"));

    let shown = &desk.model.requests()[0];
    let names: Vec<&str> = shown.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(names.contains(&HELP) && !names.contains(&"ask_user"), "{names:?}");
    assert!(format!("{:?}", shown.messages[0]).contains("This is a run of a workflow"));

    // One run at a time: it is answered or ended first.
    let again = desk.engine.workflows().begin("weekly", None, None).await.unwrap_err();
    assert!(again.to_string().contains("assent workflow stop weekly"), "{again}");

    let other = desk.reopened();
    other.says("It is week 47.");
    other.calls("create_file", json!({"path": "week.txt", "content": "week 47"}));
    other.says("Written.");
    let begun = other.engine.workflows().reply("weekly", None, "week 47").await.unwrap();
    let end = other.engine.workflows().carry_on(&begun, &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(other.file("week.txt").as_deref(), Some("week 47"));
    let nothing = other.engine.workflows().reply("weekly", None, "once more").await.unwrap_err();
    assert!(nothing.to_string().contains("no run of the workflow \"weekly\" waits"), "{nothing}");
}

#[tokio::test]
async fn neither_channel_stands_for_the_other() {
    // covers: H22 H26
    let desk = Desk::with(&[]);
    let refused = desk.engine.workflows().create("weekly", weekly("ask_user"), &desk.workspace).await.unwrap_err();
    let refused = faults(refused);
    assert!(refused.contains("ask_user"), "{refused}");
    assert!(desk.engine.workflows().list().unwrap().is_empty(), "nothing was saved");
    let chat = desk.session().await;
    let refused = desk.engine.plans().import(weekly(HELP), &chat).await.unwrap_err().to_string();
    assert!(refused.contains(HELP), "{refused}");
    assert!(desk.engine.plans().list(Some(&chat)).unwrap().is_empty());

    // Called all the same, it is refused by name and never made.
    desk.plans(&json!({"title": "Look", "steps": [{"tool": "glob", "do": "List all files", "expect": "names"}]}));
    desk.calls(HELP, json!({"question": "May I?"}));
    desk.calls("glob", json!({"pattern": "*"}));
    desk.says("None.");
    desk.send(&chat, "Which files are here?", assent_engine::turn::ApprovalPolicy::NeverAsk).await;
    let shown = &desk.model.requests()[1];
    assert!(shown.tools.iter().all(|tool| tool.name != HELP), "a chat does not list it");
    let events = desk.events(&chat);
    let refusal = events.iter().find_map(|event| match &event.kind {
        EventKind::CallRefused { fault, .. } => Some(fault.to_string()),
        _ => None,
    });
    assert!(refusal.is_some_and(|fault| fault.contains(HELP)));
    assert!(desk.engine.requests().open().unwrap().is_empty());
}

#[tokio::test]
async fn each_run_begins_at_the_beginning_with_a_ledger_and_a_turn_of_its_own() {
    let desk = Desk::with(&[]);
    let workflow = made(&desk, "notes", writes("note.txt")).await;
    for text in ["first", "second"] {
        desk.calls("create_file", json!({"path": "note.txt", "content": text}));
        desk.says("Written.");
        std::fs::remove_file(desk.workspace.join("note.txt")).ok();
        let (begun, end) = run(&desk, "notes").await;
        assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
        assert_eq!(desk.file("note.txt").as_deref(), Some(text));
        let told = desk.engine.workflows().told(&begun).unwrap();
        assert_eq!((told.status, told.version, told.answer.is_some()), (RunStatus::Completed, 1, true));
    }
    let runs = desk.engine.workflows().runs("notes", 9).unwrap();
    assert_eq!(runs.len(), 2);
    assert!(runs[0].turn.is_some() && runs[0].turn != runs[1].turn);
    assert!(runs[0].created_at >= runs[1].created_at, "the newest first");
    assert_eq!(desk.engine.workflows().runs("notes", 1).unwrap(), runs[..1]);
    let approvals = desk.events(&workflow.session);
    let approvals = approvals.iter().filter(|event| matches!(event.kind, EventKind::PlanApproved { .. })).count();
    assert_eq!(approvals, 1, "what was approved once runs again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_that_begin_a_workflow_at_once_one_does() {
    let desk = Desk::with(&[]);
    made(&desk, "notes", writes("note.txt")).await;
    let first = desk.engine.workflows().begin("notes", None, Some(Decider::User)).await.unwrap();
    assert!(desk.engine.workflows().stop("notes").await.unwrap());
    assert!(desk.engine.workflows().told(&first).unwrap().status.is_final());
    // Two processes, each with a connection of its own: neither sees the other's run before it writes its own.
    let beside = desk.reopened();
    for _ in 0..20 {
        let (here, there) = (desk.engine.workflows(), beside.engine.workflows());
        let (one, other) = tokio::join!(here.begin("notes", None, None), there.begin("notes", None, None));
        let refused = match (one, other) {
            (Ok(_), Err(refused)) | (Err(refused), Ok(_)) => refused,
            both => panic!("{both:?}"),
        };
        assert!(matches!(refused, WorkflowError::Unfinished { .. }), "{refused}");
        assert!(here.stop("notes").await.unwrap() && !here.stop("notes").await.unwrap(), "there was one run");
    }
}

#[tokio::test]
async fn what_nobody_has_approved_does_not_run_and_a_new_version_needs_a_word_of_its_own() {
    let desk = Desk::with(&[]);
    let workflows = desk.engine.workflows();
    made(&desk, "notes", writes("note.txt")).await;
    let refused = workflows.begin("notes", None, None).await.unwrap_err();
    assert!(matches!(refused, WorkflowError::NotApproved { version: 1, .. }), "{refused}");
    let shown = workflows.shown("notes", None).unwrap();
    assert!(shown.contains("## What it may do") && shown.contains("note.txt"), "{shown}");

    desk.calls("create_file", json!({"path": "note.txt", "content": "one"}));
    desk.says("Written.");
    run(&desk, "notes").await;
    let second = workflows.update("notes", Some(writes("other.txt"))).await.unwrap();
    assert_eq!((second.plan.version, second.status), (2, PlanStatus::Proposed));
    // The wider version does not run under the approval of the narrower one, which still may.
    assert!(matches!(workflows.begin("notes", None, None).await, Err(WorkflowError::NotApproved { version: 2, .. })));
    desk.calls("create_file", json!({"path": "other.txt", "content": "more"}));
    desk.says("Done.");
    let begun = workflows.begin("notes", Some(1), None).await.unwrap();
    let end = workflows.carry_on(&begun, &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Waiting { .. }), "what version 1 does not grant is asked: {end:?}");
    assert_eq!(desk.engine.requests().open().unwrap()[0].request.kind, RequestKind::Permit);
    assert_eq!(desk.file("other.txt"), None);
    assert!(workflows.stop("notes").await.unwrap());

    let (begun, _) = {
        desk.calls("create_file", json!({"path": "other.txt", "content": "more"}));
        desk.says("Done.");
        run(&desk, "notes").await
    };
    assert_eq!(workflows.told(&begun).unwrap().version, 2);
    assert_eq!(desk.file("other.txt").as_deref(), Some("more"));
    let retired = workflows.begin("notes", Some(1), Some(Decider::User)).await.unwrap_err();
    assert!(matches!(retired, WorkflowError::Retired { version: 1, .. }), "{retired}");
    let missing = workflows.begin("notes", Some(7), Some(Decider::User)).await.unwrap_err();
    assert!(missing.to_string().contains("has no version 7"), "{missing}");
    assert_eq!(desk.engine.plans().history(&second.plan.id).unwrap().len(), 2, "the plan's own versions");
}

#[tokio::test]
async fn what_is_no_workflow_is_not_saved_and_says_why() {
    let desk = Desk::with(&[]);
    let workflows = desk.engine.workflows();
    let long = "x".repeat(41);
    for name in ["", ".", "../x", "A", "1a", "a b", "é", long.as_str()] {
        let refused = workflows.create(name, writes("a.txt"), &desk.workspace).await;
        assert!(matches!(refused, Err(WorkflowError::Name(_))), "{name}: {refused:?}");
        assert!(matches!(workflows.get(name), Err(WorkflowError::Missing(_))), "{name}");
        assert!(matches!(workflows.delete(name).await, Err(WorkflowError::Missing(_))), "{name}");
    }
    let unknown = document(json!([
        step("s1", "Send it", "send_pigeon", json!([])),
        step("s2", "Go on", "create_file", json!(["s9"])),
    ]));
    let told = faults(workflows.create("post", unknown, &desk.workspace).await.unwrap_err());
    assert!(told.contains("send_pigeon") && told.contains("s9"), "{told}");
    assert!(matches!(workflows.get("post"), Err(WorkflowError::Missing(_))));

    made(&desk, "post", writes("a.txt")).await;
    made(&desk, "post-2", writes("a.txt")).await;
    let taken = workflows.create("post", writes("b.txt"), &desk.workspace).await.unwrap_err();
    assert!(matches!(&taken, WorkflowError::Taken(name) if name == "post"), "{taken}");
    assert_eq!(workflows.plan("post", None).unwrap().steps[0].description, "Write to a.txt", "the first stays");
    // The beginning of a name is no name, and no session of a chat is a workflow.
    assert!(matches!(workflows.get("pos"), Err(WorkflowError::Missing(_))));
    let told = faults(workflows.update("post", Some(document(json!([])))).await.unwrap_err());
    assert!(told.contains("no steps"), "{told}");
    assert_eq!(workflows.get("post").unwrap().plan.version, 1);
    desk.session().await;
    let names: Vec<String> = workflows.list().unwrap().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["post", "post-2"]);
}

#[tokio::test]
async fn a_workflow_that_waits_is_deleted_with_its_run_and_its_question() {
    let desk = Desk::with(&[]);
    let workflow = made(&desk, "weekly", weekly(HELP)).await;
    desk.calls(HELP, json!({"question": "Which week?"}));
    let (begun, _) = run(&desk, "weekly").await;
    let other = desk.reopened();
    other.engine.workflows().delete("weekly").await.unwrap();
    assert!(desk.engine.requests().open().unwrap().is_empty());
    assert!(matches!(desk.engine.workflows().told(&begun), Err(WorkflowError::Deleted(_))));
    let gone = desk.engine.workflows().carry_on(&begun, &CancellationToken::new()).await.unwrap_err();
    assert!(gone.to_string().contains("was deleted while it ran"), "{gone}");
    assert!(desk.engine.sessions().get(workflow.session.as_str()).is_err());
    // Its name is free again, and what was approved before approves nothing of what is new.
    made(&desk, "weekly", weekly(HELP)).await;
    let refused = desk.engine.workflows().begin("weekly", None, None).await.unwrap_err();
    assert!(matches!(refused, WorkflowError::NotApproved { .. }), "{refused}");
}

#[tokio::test]
async fn a_workflow_whose_run_is_under_way_here_is_stopped_and_then_deleted() {
    let desk = Desk::with(&[]);
    made(&desk, "slow", document(json!([step("s1", "Wait with sleep 600", "bash", json!([]))]))).await;
    desk.calls("bash", json!({"command": "sleep 600"}));
    let begun = desk.engine.workflows().begin("slow", None, Some(Decider::User)).await.unwrap();
    let mut events = desk.engine.changes();
    let cancel = CancellationToken::new();
    let carried = desk.engine.workflows().carry_on(&begun, &cancel);
    let delete = async {
        // Until the call is under way, or waits for a word where commands cannot be shut in.
        while let Ok(event) = events.recv().await {
            if matches!(event.kind, EventKind::CallStarted { .. } | EventKind::RequestOpened { .. }) {
                break;
            }
        }
        desk.engine.workflows().delete("slow").await.unwrap();
    };
    let (carried, ()) = tokio::join!(carried, delete);
    match carried {
        Err(error) => assert!(error.to_string().contains("was deleted while it ran"), "{error}"),
        Ok(end) => assert!(matches!(end, TurnEnd::Cancelled { .. } | TurnEnd::Waiting { .. }), "{end:?}"),
    }
    assert!(matches!(desk.engine.workflows().get("slow"), Err(WorkflowError::Missing(_))));
}

#[tokio::test]
async fn a_workflow_makes_no_agents_and_no_workflows() {
    let desk = Desk::with(&[]);
    desk.engine.studio().open().unwrap();
    for tool in ["create_workflow", "run_workflow", "create_agent", "respond_to_run"] {
        let plan = document(json!([step("s1", "Make another", tool, json!([]))]));
        let told = faults(desk.engine.workflows().create("maker", plan, &desk.workspace).await.unwrap_err());
        assert!(told.contains(tool), "{told}");
    }
    // Handed to the specialist that has them, a step gets none of them.
    let handed = json!([{"id": "s1", "description": "Run all workflows", "stepType": "tool",
        "executor": {"kind": "specialist", "id": "workflow"}}]);
    made(&desk, "maker", document(handed)).await;
    desk.calls("run_workflow", json!({"name": "maker"}));
    desk.says("It cannot be run.");
    desk.says("It cannot be run.");
    run(&desk, "maker").await;
    let shown = &desk.model.requests()[0];
    assert!(shown.tools.iter().all(|tool| tool.name != "run_workflow"), "{:?}", shown.tools);
    assert_eq!(desk.engine.workflows().runs("maker", 9).unwrap().len(), 1);
}

/// What became of the calls of a tool in a session.
pub fn ends(desk: &Desk, session: &SessionId, tool: &str) -> Vec<(CallStatus, Option<String>)> {
    let events = desk.events(session);
    let of_tool = |id| {
        events.iter().any(|event| matches!(&event.kind, EventKind::CallStarted { call, tool: name, .. } if call == id && name == tool))
    };
    let ended = events.iter().filter_map(|event| match &event.kind {
        EventKind::CallEnded { call, status, error, .. } if of_tool(call) => Some((*status, error.clone())),
        _ => None,
    });
    ended.collect()
}

/// A yes.
pub fn yes() -> Answer {
    serde_json::from_value(json!({"type": "approve"})).unwrap()
}

#[tokio::test]
async fn a_session_of_a_workflow_is_of_its_own_kind() {
    let desk = Desk::with(&[]);
    let workflow = made(&desk, "weekly", weekly(HELP)).await;
    let row = desk.engine.sessions().get(workflow.session.as_str()).unwrap();
    assert_eq!(
        (row.kind, row.title.as_str(), row.workflow()),
        (SessionKind::Workflow, "Weekly report", Some("weekly"))
    );
}
