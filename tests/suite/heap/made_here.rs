//! The studio, open: agents that a chat makes are packs on the disk, which the heap has at once; who is told of which
//! tools; and that changes need the same word of a person as any other.

use assent_core::ids::SessionId;
use assent_core::plan::import;
use assent_core::run::{Answer, CallStatus, Decider, EventKind, Purpose, RequestKind};
use assent_engine::model::scripted::{Scripted, ScriptedModel};
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

// covers: H1 H18 H19 H20
#[tokio::test]
async fn a_small_model_is_told_of_the_studio_in_few_words() {
    let (desk, session) = opened(PlannerProfile::Compact).await;
    desk.calls("create_agent", watcher());
    desk.says("It is made.");
    carry_out(&desk, &session, json!([step("s1", "agent", &["create_agent"], &[])])).await;
    for (id, tool) in [("agent", "get_agent"), ("workflow", "list_workflows"), ("improvement", "review_runs")] {
        let before = of(&desk, Purpose::Step).len();
        desk.calls(tool, json!({"name": "watcher"}));
        desk.says("Looked.");
        desk.says("Looked.");
        carry_out(&desk, &session, json!([step("s1", id, &[tool], &[])])).await;
        let told = said(&of(&desk, Purpose::Step)[before]);
        assert!(told.contains("- agent watcher: Watches") && told.contains("- model scripted/test"), "{id}: {told}");
        assert_eq!(told.contains("Tools available ("), id == "agent", "{id}: {told}");
        let all: Vec<&str> = desk.engine.tools().list().into_iter().map(|tool| tool.name.as_str()).collect();
        if id == "agent" {
            assert!(all.iter().all(|tool| told.contains(&format!("- {tool}\n"))), "{told}");
        } else {
            let told = told.split("In the studio:").nth(1).unwrap();
            assert!(!told.contains("create_agent") && !told.contains("- grep"), "{id}: {told}");
        }
    }
    // Whoever is nobody's specialist is told nothing.
    let before = of(&desk, Purpose::Step).len();
    desk.calls("grep", json!({"pattern": "one"}));
    desk.says("There is one.");
    let alone = json!([{"id": "s1", "description": "Look", "stepType": "tool", "requiredTools": ["grep"]}]);
    carry_out(&desk, &session, alone).await;
    assert!(!said(&of(&desk, Purpose::Step)[before]).contains("In the studio"));
    for event in desk.events(&session).iter().filter(|event| matches!(event.kind, EventKind::ModelReplied { .. })) {
        desk.engine.runs().sent(&session, event.seq).unwrap();
    }
}

// covers: P7 P21 P22
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
    let end = desk.send(&session, &message, ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let plan = desk.engine.plans().list(Some(&session)).unwrap().remove(0);
    let who: Vec<&str> = plan.steps.iter().map(|step| step.executor.id.as_str()).collect();
    assert_eq!(who, ["agent"], "there is nothing to improve");
    assert_eq!(ended(&desk, &session, "create_agent"), [(CallStatus::Success, None)]);
    let refused = desk.events(&session).into_iter().any(|event| matches!(event.kind, EventKind::CallRefused { .. }));
    assert!(refused, "the second call is not made");

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

// covers: P7 P65
#[tokio::test]
async fn who_makes_the_one_agent_makes_no_second_one_under_another_name() {
    let (desk, session) = opened(PlannerProfile::Full).await;
    let route = json!({"title": "One agent", "refinedTask": "Create one agent.", "priorityOrder": ["agent"],
        "extractedContext": {"savedSearchUrl": URL}});
    let another = |name: &str| {
        let mut other = watcher();
        other["name"] = json!(name);
        other
    };
    desk.plans(&route);
    desk.calls("create_agent", json!({"name": "watcher", "description": "x", "tools": ["toString"]}));
    desk.model.push(Purpose::Step, Scripted::calls([("create_agent", watcher()), ("create_agent", another("second"))]));
    desk.calls("create_agent", another("third"));
    desk.says("The agent watcher is made.");
    let message = format!("Create one agent that watches {URL}");
    let end = desk.send(&session, &message, ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let made: Vec<CallStatus> = ended(&desk, &session, "create_agent").into_iter().map(|(status, _)| status).collect();
    assert_eq!(made, [CallStatus::Error, CallStatus::Success], "a try that failed may be made again");
    let refused: Vec<String> = desk
        .events(&session)
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::CallRefused { fault, .. } => Some(fault.message),
            _ => None,
        })
        .collect();
    assert_eq!(refused, ["the message asks for one agent, and it is made already"; 2]);
    let there = || desk.engine.heap().show().from.keys().cloned().collect::<Vec<_>>();
    assert_eq!(there(), ["watcher"]);
    assert_eq!(desk.answers(&session), ["The agent watcher is made."], "the answer tells of the one");

    // Whoever wants several gets several; and a person's own plan may make another.
    desk.plans(&route);
    desk.model
        .push(Purpose::Step, Scripted::calls([("create_agent", another("mail")), ("create_agent", another("notes"))]));
    desk.says("Both are made.");
    let message = format!("Create two agents that watch {URL}");
    desk.send(&session, &message, ApprovalPolicy::NeverAsk).await;
    assert_eq!(there(), ["mail", "notes", "watcher"]);
}

// covers: P7
#[tokio::test]
async fn of_a_message_whose_words_are_not_read_no_second_agent_is_made_without_a_persons_word() {
    let (desk, session) = opened(PlannerProfile::Full).await;
    desk.plans(&json!({"title": "Un agent", "refinedTask": "Créer un agent.", "when": "once",
        "priorityOrder": ["agent"],
        "extractedContext": {"savedSearchUrl": URL}}));
    let another = |name: &str| {
        let mut other = watcher();
        other["name"] = json!(name);
        other
    };
    // In one reply the second is told to come by itself; by itself it asks.
    desk.model.push(Purpose::Step, Scripted::calls([("create_agent", watcher()), ("create_agent", another("second"))]));
    desk.calls("create_agent", another("second"));
    let end = desk.send(&session, &format!("Crée un agent qui surveille {URL}"), ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let there = || desk.engine.heap().show().from.keys().cloned().collect::<Vec<_>>();
    assert_eq!(there(), ["watcher"]);
    let asked = desk.engine.requests().open().unwrap().remove(0).request;
    assert_eq!((asked.kind, asked.tool.as_deref()), (RequestKind::Permit, Some("create_agent")));
    assert_eq!(asked.reason.as_deref(), Some("The plan makes one agent, and it is made already."));
    desk.says("Both are there.");
    let yes: Answer = serde_json::from_value(json!({"type": "approve"})).unwrap();
    desk.engine.turns().answer(&asked.id, yes, &CancellationToken::new()).await.unwrap();
    assert_eq!(there(), ["second", "watcher"], "a person may want it");
}

// covers: P7
#[tokio::test]
async fn each_step_of_a_plan_that_makes_an_agent_makes_one_whatever_the_language() {
    let (desk, session) = opened(PlannerProfile::Full).await;
    let step = |id: &str, after: &[&str]| {
        json!({"id": id, "description": format!("Créer {id}"), "requiredTools": ["create_agent"], "specialist": "agent",
            "dependencies": after})
    };
    let plan = json!({"title": "Deux agents", "refinedTask": "Créer deux agents.", "extractedContext": {"url": URL},
        "todoList": [step("un", &[]), step("deux", &["un"])]});
    desk.plans(&plan);
    desk.plans(&plan);
    for name in ["un", "deux"] {
        let mut agent = watcher();
        agent["name"] = json!(name);
        desk.calls("create_agent", agent);
        desk.says("C'est fait.");
    }
    let end = desk.send(&session, &format!("Crée deux agents pour {URL}"), ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let there: Vec<String> = desk.engine.heap().show().from.keys().cloned().collect();
    assert_eq!(there, ["deux", "un"]);
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

#[tokio::test]
async fn the_agent_of_an_added_pack_is_left_as_it_is_and_nobody_is_asked_about_it() {
    for (tool, who) in [("update_agent", "agent"), ("delete_agent", "agent"), ("propose_change", "improvement")] {
        let (desk, session) = opened(PlannerProfile::Full).await;
        desk.engine.heap().add_pack("crawl").unwrap();
        let file = desk.home.join("packs/crawl/agent.toml");
        let before = std::fs::read_to_string(&file).unwrap();
        let mut arguments = json!({"name": "crawl"});
        match tool {
            "update_agent" => arguments["description"] = json!("Watches."),
            "propose_change" => arguments["why"] = json!("it was slow"),
            _ => {}
        }
        desk.calls(tool, arguments);
        for _ in 0..6 {
            desk.says("It cannot be done.");
        }
        let end = carry_out(&desk, &session, json!([step("s1", who, &[tool], &[])])).await;
        assert!(!matches!(end, TurnEnd::Waiting { .. }), "{tool}: {end:?}");
        let refused: Vec<String> = desk
            .events(&session)
            .into_iter()
            .filter_map(|event| match event.kind {
                EventKind::CallRefused { fault, .. } => Some(fault.message),
                _ => None,
            })
            .collect();
        assert!(refused[0].contains("a pack that Assent brings along"), "{tool}: {refused:?}");
        assert_eq!(ended(&desk, &session, tool), []);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before, "{tool}");
        assert!(desk.engine.requests().open().unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_pack_fills_no_prompt_with_what_it_says_of_itself() {
    let (desk, session) = opened(PlannerProfile::Full).await;
    let packs = desk.home.join("packs");
    let long = format!("Looks at notes. {}", "word ".repeat(20_000));
    let loud = json!({"specialists": [{"id": "loud", "description": long, "toolNames": ["read", "grep"], "topLevel": true,
        "optionGroups": {"look": {"label": long, "toolIds": ["read"]}}}]});
    std::fs::create_dir_all(packs.join("loud")).unwrap();
    std::fs::write(packs.join("loud/specialists.json"), loud.to_string()).unwrap();
    std::fs::create_dir_all(packs.join("team/agents")).unwrap();
    let agent = format!("description = '{long}'\ntools = ['read']\n");
    std::fs::write(packs.join("team/agents/helper.toml"), &agent).unwrap();
    std::fs::create_dir_all(packs.join("own")).unwrap();
    std::fs::write(packs.join("own/agent.toml"), &agent).unwrap();
    let faults: Vec<String> = desk.engine.heap().show().faults.iter().map(ToString::to_string).collect();
    let told =
        |place: &str| faults.iter().any(|fault| fault.starts_with(place) && fault.contains("of which the first 2000"));
    assert!(told("specialists.loud") && told("specialists.own") && told("packs.team.agents/helper.toml"), "{faults:?}");
    for who in ["loud", "own"] {
        let before = of(&desk, Purpose::Step).len();
        desk.says("Done.");
        desk.says("Done.");
        carry_out(&desk, &session, json!([handed_over("s1", who, &[])])).await;
        let request = &of(&desk, Purpose::Step)[before];
        let text = said(request);
        assert!(text.contains("Looks at notes. word word") && text.contains("more characters)"), "{who}: {text}");
        assert!(text.len() < 12_000, "{who}: {} bytes", text.len());
        let tools: usize = request.tools.iter().map(|tool| tool.description.len()).sum();
        assert!(tools < 12_000, "{who}: {tools} bytes of tools");
    }
}
