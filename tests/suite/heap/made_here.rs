//! The studio, open: agents that a chat makes are packs on the disk, which the heap has at once; who is told of which
//! tools; and that changes need the same word of a person as any other.

use assent_core::ids::SessionId;
use assent_core::plan::import;
use assent_core::run::{Answer, CallStatus, Decider, EventKind, Purpose, RequestKind};
use assent_engine::model::scripted::ScriptedModel;
use assent_engine::model::{ModelProfile, PlannerProfile, Request};
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::studio::{URL, handed_over, names, said, step};

async fn opened(planner: PlannerProfile) -> (Desk, SessionId) {
    let profile =
        ModelProfile { id: "scripted/test".to_owned(), context_tokens: 32_768, planner, parallel: 4, local: false };
    let desk = Desk::on(ScriptedModel::new(profile), &[("notes.md", "one")]);
    assert!(desk.engine.studio().open().unwrap());
    let session = desk.session().await;
    (desk, session)
}

async fn carry_out(desk: &Desk, session: &SessionId, steps: Value) -> TurnEnd {
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": "A plan", "userMessage": format!("Do what is to be done about {URL}, with watcher."),
        "defaults": {"toolValidationMode": "strict"}, "steps": steps});
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), session).await.unwrap();
    desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap()
}

fn of(desk: &Desk, purpose: Purpose) -> Vec<Request> {
    desk.model.requests().into_iter().filter(|request| request.purpose == purpose).collect()
}

/// How the calls of a tool ended.
fn ended(desk: &Desk, session: &SessionId, tool: &str) -> Vec<(CallStatus, Option<String>)> {
    let events = desk.events(session);
    let is_of = |id: &assent_core::ids::CallId| {
        events.iter().any(|event| matches!(&event.kind, EventKind::CallStarted { call, tool: name, .. } if call == id && name == tool))
    };
    let ended = events.iter().filter_map(|event| match &event.kind {
        EventKind::CallEnded { call, status, error, .. } if is_of(call) => Some((*status, error.clone())),
        _ => None,
    });
    ended.collect()
}

fn watcher() -> Value {
    json!({"name": "watcher", "description": format!("Watches {URL} and tells what is new."), "tools": ["read", "grep"]})
}

// covers: H1 H9 H10 H18 H19 H20 H39 H78
#[tokio::test]
async fn only_whoever_makes_agents_is_told_of_all_tools() {
    let (desk, session) = opened(PlannerProfile::Full).await;
    desk.calls("create_agent", watcher());
    desk.says("It is made.");
    let chat = ["agent", "general", "improvement", "workflow", "workspace", "watcher"];
    let made = carry_out(&desk, &session, json!([step("s1", "agent", &["create_agent"], &[])])).await;
    assert!(matches!(made, TurnEnd::Answered { .. }), "{made:?}");
    for id in chat {
        let before = of(&desk, Purpose::Step).len();
        desk.says("Done.");
        carry_out(&desk, &session, json!([handed_over("s1", id, &[])])).await;
        let request = &of(&desk, Purpose::Step)[before];
        let told = said(request);
        let all: Vec<&str> = desk.engine.tools().list().into_iter().map(|tool| tool.name.as_str()).collect();
        let studio = told.contains("Tools available (");
        assert_eq!(studio, id == "agent", "{id}: {told}");
        assert!(told.contains("- agent watcher: Watches") && told.contains("- model scripted/test"), "{id}: {told}");
        if studio {
            assert!(told.contains(&format!("Tools available ({}):", all.len())), "{told}");
            assert!(all.iter().all(|tool| told.contains(&format!("- {tool}\n"))), "{told}");
            continue;
        }
        // The guidance for whoever may ask names the tool that it must not use.
        let others = all.iter().filter(|tool| !names(request).contains(tool) && **tool != "std-request-user-help");
        for other in others.filter(|tool| tool.contains(['_', '-'])) {
            assert!(!told.contains(*other), "{id} is told of {other}: {told}");
        }
    }
    for event in desk.events(&session).iter().filter(|event| matches!(event.kind, EventKind::ModelReplied { .. })) {
        desk.engine.runs().sent(&session, event.seq).unwrap();
    }
}

// covers: H21
#[tokio::test]
async fn without_a_studio_every_specialist_runs_and_nothing_is_told_of_one() {
    let (desk, session) = opened(PlannerProfile::Full).await;
    desk.engine.studio().close().unwrap();
    assert_eq!(desk.engine.tools().get("create_agent"), None);
    for (id, asked) in [("general", 1), ("workspace", 2)] {
        // Who could have called something and did not is asked once more.
        (0..asked).for_each(|_| desk.says("Done."));
        let end = carry_out(&desk, &session, json!([handed_over("s1", id, &[])])).await;
        assert!(matches!(end, TurnEnd::Answered { .. }), "{id}: {end:?}");
        assert!(!said(of(&desk, Purpose::Step).last().unwrap()).contains("In the studio"));
    }
    assert!(desk.engine.heap().show().heap.specialists.iter().all(|one| one.id != "agent"));
    // It is as a person left it after the next start.
    desk.engine.studio().open().unwrap();
    assert!(desk.engine.settings().setting("studio").unwrap().is_some());
}

#[tokio::test]
async fn a_small_model_is_told_nothing_of_the_studio() {
    let (desk, session) = opened(PlannerProfile::Compact).await;
    desk.calls("grep", json!({"pattern": "one"}));
    desk.says("There is one.");
    carry_out(&desk, &session, json!([step("s1", "workspace", &["grep"], &[])])).await;
    assert!(!said(&of(&desk, Purpose::Step)[0]).contains("In the studio"));
}

// covers: P7
#[tokio::test]
async fn one_agent_is_made_once_and_is_a_pack_that_can_be_planned_with_at_once() {
    let (desk, session) = opened(PlannerProfile::Full).await;
    let message = format!("Create one agent that watches {URL}; call it watcher");
    desk.plans(&json!({
        "title": "One agent", "refinedTask": "Create one agent.", "extractedContext": {"savedSearchUrl": URL},
        "priorityOrder": ["agent", "improvement"], "instructionsForAgent": "Create exactly one agent."
    }));
    desk.calls("create_agent", watcher());
    desk.calls("create_agent", watcher());
    desk.says("The agent is made.");
    desk.calls("create_agent", json!({"name": "second", "description": "Watches too.", "tools": ["read"]}));
    desk.says("There is nothing to improve.");
    desk.says("The agent is made.");
    desk.model.push(Purpose::Synthesis, assent_engine::model::scripted::Scripted::text("The agent is made."));
    let end = desk.send(&session, &message, ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let calls = ended(&desk, &session, "create_agent");
    let [(CallStatus::Success, None), (CallStatus::Error, Some(why))] = calls.as_slice() else { panic!("{calls:?}") };
    assert!(why.contains("there is already \"watcher\""), "{why}");
    let refused = desk.events(&session).into_iter().any(|event| matches!(event.kind, EventKind::CallRefused { .. }));
    assert!(refused, "whoever improves has no tool that makes an agent");

    let packs = desk.home.join("packs");
    let folders: Vec<String> =
        std::fs::read_dir(&packs).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(folders, ["watcher"]);
    let text = std::fs::read_to_string(packs.join("watcher/agent.toml")).unwrap();
    let file = format!("description = \"Watches {URL} and tells what is new.\"\ntools = [\"read\", \"grep\"]\n");
    assert_eq!(text, file);
    let view = desk.engine.heap().show();
    assert_eq!((view.from.get("watcher").map(String::as_str), view.faults.len()), (Some("watcher"), 0));

    desk.plans(&json!({"answer": "Hello."}));
    desk.send(&session, "Hello", ApprovalPolicy::NeverAsk).await;
    let shown = said(of(&desk, Purpose::Plan).last().unwrap());
    assert!(shown.contains("- watcher: Watches"), "{shown}");
}

#[tokio::test]
async fn a_change_that_is_proposed_and_a_removal_wait_for_a_persons_word() {
    let (desk, session) = opened(PlannerProfile::Full).await;
    desk.calls("create_agent", watcher());
    desk.says("It is made.");
    carry_out(&desk, &session, json!([step("s1", "agent", &["create_agent"], &[])])).await;
    let file = desk.home.join("packs/watcher/agent.toml");
    let tools = || {
        let view = desk.engine.heap().show();
        let watcher = view.heap.specialists.into_iter().find(|one| one.id == "watcher").unwrap();
        json!(watcher.tool_names)
    };

    desk.calls("propose_change", json!({"name": "watcher", "tools": ["read"], "why": "it never searched"}));
    let end = carry_out(&desk, &session, json!([step("s1", "improvement", &["propose_change"], &[])])).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let asked = desk.engine.requests().open().unwrap().remove(0).request;
    assert_eq!((asked.kind, asked.tool.as_deref()), (RequestKind::Permit, Some("propose_change")));
    assert_eq!(tools(), json!(["read", "grep"]), "nothing is changed yet");
    desk.says("It is changed.");
    let yes: Answer = serde_json::from_value(json!({"type": "approve"})).unwrap();
    desk.engine.turns().answer(&asked.id, yes, &CancellationToken::new()).await.unwrap();
    assert_eq!(tools(), json!(["read"]));

    desk.calls("delete_agent", json!({"name": "watcher"}));
    let end = carry_out(&desk, &session, json!([step("s1", "agent", &["delete_agent"], &[])])).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let asked = desk.engine.requests().open().unwrap().remove(0).request;
    let no: Answer = serde_json::from_value(json!({"type": "reject"})).unwrap();
    desk.engine.turns().answer(&asked.id, no, &CancellationToken::new()).await.unwrap();
    assert!(file.exists());
}

#[tokio::test]
async fn past_runs_are_reviewed_with_what_failed_and_why() {
    let (desk, session) = opened(PlannerProfile::Full).await;
    for _ in 0..6 {
        desk.says("All is done.");
    }
    carry_out(&desk, &session, json!([step("s1", "workspace", &["grep"], &[])])).await;
    let other = desk.reopened();
    other.engine.studio().open().unwrap();
    other.calls("review_runs", json!({}));
    other.says("One has failed.");
    carry_out(&other, &session, json!([step("s1", "improvement", &["review_runs"], &[])])).await;
    let told = said(of(&other, Purpose::Step).last().unwrap());
    assert!(told.contains("\"status\":\"failed\"") && told.contains("did not invoke required tools: grep"), "{told}");
}

#[tokio::test]
async fn an_agent_that_is_deleted_while_it_works_ends_in_a_clear_fault() {
    let (desk, session) = opened(PlannerProfile::Full).await;
    desk.calls("create_agent", watcher());
    desk.says("It is made.");
    carry_out(&desk, &session, json!([step("s1", "agent", &["create_agent"], &[])])).await;
    desk.calls("ask_user", json!({"question": "Which notes?"}));
    let end = carry_out(&desk, &session, json!([step("s1", "watcher", &["grep"], &[])])).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let asked = desk.engine.requests().open().unwrap().remove(0).request.id;
    std::fs::remove_dir_all(desk.home.join("packs/watcher")).unwrap();

    let other = desk.reopened();
    let answer = Answer::Value { value: json!("all of them") };
    let fault = other.engine.turns().answer(&asked, answer, &CancellationToken::new()).await.unwrap_err().to_string();
    assert!(fault.contains("watcher"), "{fault}");
    assert!(other.model.requests().is_empty(), "nobody is asked to do its work");
    // Put back, it goes on with the answer that was given.
    std::fs::create_dir_all(desk.home.join("packs/watcher")).unwrap();
    let file = format!("description = \"Watches {URL} and tells what is new.\"\ntools = [\"read\", \"grep\"]\n");
    std::fs::write(desk.home.join("packs/watcher/agent.toml"), file).unwrap();
    other.calls("grep", json!({"pattern": "one"}));
    other.says("There is one.");
    let ends = other.engine.turns().resume(None, &CancellationToken::new()).await.unwrap();
    assert!(matches!(ends.as_slice(), [TurnEnd::Answered { .. }]), "{ends:?}");
}
