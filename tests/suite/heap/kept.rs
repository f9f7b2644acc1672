//! What the file of an agent says holds wherever it is called from: by a plan that names it as a specialist, under a plan
//! that only advises, and for callers who write their call as small models do.

use assent_core::ids::SessionId;
use assent_core::plan::{PlanRef, import};
use assent_core::run::{Answer, CallStatus, Decider, EventKind};
use assent_engine::model::{Message as Said, Request};
use assent_engine::turn::TurnEnd;
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::agents::{PLANNER, SITE, carry_out, collected, desk_of, planning, requests, results};
use super::studio::{names, said, step};

const REVIEWER: &str = "description = \"Reviews notes.\"\ntools = [\"grep\"]\nmust_call = [\"grep\"]\n\
    prompt = \"prompt.md\"\noutput = \"out.json\"\n";
const VERDICT: &str = r#"{"type": "object", "required": ["verdict"], "properties": {"verdict": {"type": "string"}}}"#;

async fn reviewer() -> (Desk, SessionId) {
    let files = [
        ("reviewer/agent.toml", REVIEWER),
        ("reviewer/prompt.md", "You review, and spare nobody.\n"),
        ("reviewer/out.json", VERDICT),
    ];
    desk_of("scripted/test", &files).await
}

fn rules(request: &Request) -> &str {
    match &request.messages[0] {
        Said::System { text } => text,
        other => panic!("{other:?}"),
    }
}

// covers: C4 C22 C54
#[tokio::test]
async fn a_plan_that_names_an_agent_as_a_specialist_has_its_prompt_its_contract_and_its_calls_kept() {
    let (desk, session) = reviewer().await;
    desk.calls("run_reviewer", json!({"task": "Review notes.md"}));
    desk.says(r#"{"verdict": "good"}"#);
    desk.calls("grep", json!({"pattern": "one", "path": "notes.md"}));
    desk.says("All is good.");
    desk.says(r#"{"verdict": "good"}"#);
    desk.says("The notes are good.");
    let steps = json!([{"id": "s1", "description": "Have notes.md reviewed", "origin": "route",
        "executor": {"kind": "specialist", "id": "reviewer"}}]);
    let end = carry_out(&desk, &session, steps, json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let [caller, agent, without_call, prose, mended, _] = &requests(&desk)[..] else {
        panic!("{}", requests(&desk).len())
    };
    assert!(names(caller).contains(&"run_reviewer") && !names(caller).contains(&"grep"), "{:?}", names(caller));
    assert!(rules(agent).contains("You review, and spare nobody."), "{}", rules(agent));
    assert!(names(agent).contains(&"grep"), "{:?}", names(agent));
    let again = "Call the required tools.";
    assert!(!said(agent).contains(again) && said(without_call).contains(again), "{}", said(without_call));
    let told = "the result has to be one JSON object and nothing else";
    assert!(!said(prose).contains(told) && said(mended).contains(told), "{}", said(mended));
    let (status, output, error) = results(&desk, &session).pop().unwrap();
    assert_eq!((status, output, error), (CallStatus::Success, json!({"verdict": "good"}), None));
}

const MAIN: &str = "description = \"Leads.\"\ntools = [\"run_helper\", \"ask_user\"]\n";
const HELPER: &str = "description = \"Helps.\"\ntools = [\"grep\"]\n";
const SHELL: &str = "description = \"Helps.\"\ntools = [\"grep\", \"bash\"]\n";

/// A desk with an agent that calls another, and a plan that names it.
async fn leading() -> (Desk, SessionId, PlanRef) {
    let files = [("team/agents/main.toml", MAIN), ("team/agents/helper.toml", HELPER)];
    let (desk, session) = desk_of("scripted/test", &files).await;
    let mut steps = planning();
    steps[0]["requiredTools"] = json!(["run_main", "ask_user"]);
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": "A plan", "userMessage": "Have the notes led.", "defaults": {"toolValidationMode": "strict"},
        "limits": {"toolValidationRetries": 0}, "steps": steps});
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
    (desk, session, plan)
}

fn change_helper(desk: &Desk) {
    std::fs::write(desk.home.join("packs/team/agents/helper.toml"), SHELL).unwrap();
}

async fn answered(desk: &Desk) -> TurnEnd {
    let asked = desk.engine.requests().open().unwrap().remove(0).request.id;
    let answer = Answer::Value { value: json!("go on") };
    desk.engine.turns().answer(&asked, answer, &CancellationToken::new()).await.unwrap()
}

/// What was refused, in order, and the steps of agents that began.
fn refused(desk: &Desk, session: &SessionId) -> (Vec<String>, usize) {
    let events = desk.events(session);
    let began = events.iter().filter(|event| matches!(event.kind, EventKind::StepDelegated { .. })).count();
    let refused = events.into_iter().filter_map(|event| match event.kind {
        EventKind::CallRefused { fault, .. } => Some(fault.message),
        _ => None,
    });
    (refused.collect(), began)
}

#[tokio::test]
async fn an_agent_that_was_changed_before_its_plan_is_approved_needs_an_approval_of_what_it_is_now() {
    let (desk, session, plan) = leading().await;
    change_helper(&desk);
    let approved = desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await;
    let error = approved.unwrap_err().to_string();
    assert!(error.contains("one of its tools has changed; approve it again"), "{error}");
    assert!(requests(&desk).is_empty() && refused(&desk, &session).1 == 0);
}

#[tokio::test]
async fn an_agent_that_was_changed_after_the_approval_does_not_begin_also_where_only_one_that_it_calls_was() {
    let (desk, session, plan) = leading().await;
    desk.calls("ask_user", json!({"question": "Shall it begin?"}));
    let end = desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    change_helper(&desk);
    desk.calls("run_main", json!({"task": "Lead"}));
    desk.says("It cannot be done.");
    let end = answered(&desk).await;
    assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
    let changed = "what run_main does was changed since this step was shown it".to_owned();
    assert_eq!(refused(&desk, &session), (vec![changed], 0));
}

#[tokio::test]
async fn an_agent_that_is_changed_while_its_caller_works_does_not_begin() {
    let (desk, session, plan) = leading().await;
    desk.calls("run_main", json!({"task": "Lead"}));
    desk.calls("ask_user", json!({"question": "Shall it go on?"}));
    let end = desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    change_helper(&desk);
    desk.calls("run_helper", json!({"task": "Help"}));
    (0..4).for_each(|_| desk.says("It cannot be done."));
    answered(&desk).await;
    let changed = "what run_helper does was changed since this step was shown it".to_owned();
    assert_eq!(refused(&desk, &session), (vec![changed], 1));
}

fn change_main(desk: &Desk, text: &str) {
    std::fs::write(desk.home.join("packs/team/agents/main.toml"), text).unwrap();
}

/// Why a step ended, where it did not complete.
fn ended(desk: &Desk, session: &SessionId, id: &str) -> Option<String> {
    desk.events(session).into_iter().find_map(|event| match event.kind {
        EventKind::StepEnded { reason, .. } if event.place.step.as_ref().is_some_and(|step| step.as_str() == id) => {
            reason
        }
        _ => None,
    })
}

const CHANGED: &str = "what run_main does was changed since it began";

#[tokio::test]
async fn an_agent_that_was_changed_while_it_waited_does_not_go_on_as_another() {
    for limits in ["[limits]\nstep_iterations = 9\n", "model = \"step\"\n", "[[phases]]\ncall = \"run_helper\"\n"] {
        let (desk, session, plan) = leading().await;
        desk.calls("run_main", json!({"task": "Lead"}));
        desk.calls("ask_user", json!({"question": "Shall it go on?"}));
        desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
        change_main(&desk, &format!("{MAIN}{limits}"));
        (0..4).for_each(|_| desk.says("It cannot be done."));
        answered(&desk).await;
        let why = ended(&desk, &session, "s1/1").unwrap();
        assert!(why.starts_with(CHANGED), "{limits}: {why}");
        let (status, _, error) = results(&desk, &session).pop().unwrap();
        assert_eq!(status, CallStatus::Error);
        assert!(error.as_deref().is_some_and(|error| error.contains(CHANGED)), "{limits}: {error:?}");
    }
}

#[tokio::test]
async fn a_plan_whose_agent_was_changed_while_it_waited_is_carried_on_by_another_process_once_that_is_as_it_was() {
    let (before, session, plan) = leading().await;
    before.calls("run_main", json!({"task": "Lead"}));
    before.calls("ask_user", json!({"question": "Shall it go on?"}));
    before.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
    change_main(&before, &format!("{MAIN}model = \"step\"\n"));
    let desk = before.reopened();
    desk.engine.tools().sources().unwrap();
    let asked = desk.engine.requests().open().unwrap().remove(0).request.id;
    let answer = Answer::Value { value: json!("go on") };
    let error = desk.engine.turns().answer(&asked, answer, &CancellationToken::new()).await.unwrap_err().to_string();
    assert!(error.contains("one of its tools has changed; approve it again"), "{error}");
    assert!(requests(&desk).is_empty());
    change_main(&desk, MAIN);
    desk.engine.tools().sources().unwrap();
    (0..4).for_each(|_| desk.says("It is led."));
    let ends = desk.engine.turns().resume(None, &CancellationToken::new()).await.unwrap();
    let gave = results(&desk, &session);
    assert!(gave.iter().any(|(_, output, _)| *output == json!("It is led.")), "{gave:?} {ends:?}");
}

/// A desk with an agent that asks a person, waiting for the answer, under a plan whose approval does not bind it.
async fn asking() -> (Desk, SessionId) {
    let files =
        [("team/agents/main.toml", MAIN), ("team/agents/helper.toml", HELPER), ("office/specialists.json", OFFICE)];
    let (desk, session) = desk_of("scripted/test", &files).await;
    desk.calls("run_main", json!({"task": "Lead"}));
    desk.calls("ask_user", json!({"question": "Shall it go on?"}));
    let steps = json!([step("s1", "office", &["ask_user"], &[])]);
    let end = carry_out(&desk, &session, steps, json!({"toolValidationRetries": 0})).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    (desk, session)
}

const OFFICE: &str = r#"{"specialists": [{"id": "office", "description": "Has things led.", "topLevel": true,
    "toolNames": ["run_main", "grep"]}]}"#;

/// What becomes of an agent's file.
type Change<'c> = &'c dyn Fn(&Desk);

#[tokio::test]
async fn an_agent_that_is_carried_on_by_another_process_goes_on_as_it_began_or_not_at_all() {
    let gone = |desk: &Desk| std::fs::remove_file(desk.home.join("packs/team/agents/main.toml")).unwrap();
    let lowered = |desk: &Desk| change_main(desk, &format!("{MAIN}[limits]\nstep_iterations = 1\n"));
    let described = |desk: &Desk| change_main(desk, &MAIN.replace("Leads.", "Leads all."));
    let changes: [(&str, Change<'_>, bool); 3] =
        [("gone", &gone, false), ("lowered", &lowered, false), ("described", &described, true)];
    for (name, change, goes_on) in changes {
        let (before, session) = asking().await;
        change(&before);
        let desk = before.reopened();
        desk.engine.tools().sources().unwrap();
        (0..4).for_each(|_| desk.says("It is led."));
        let end = answered(&desk).await;
        let why = ended(&desk, &session, "s1/1");
        assert_eq!(why.is_none_or(|why| !why.starts_with(CHANGED)), goes_on, "{name}: {end:?}");
    }
}

/// A plan that another program wrote, which says nothing of how its steps are judged.
async fn carry_out_advised(desk: &Desk, session: &SessionId, steps: Value) -> TurnEnd {
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": "A plan", "userMessage": "Have notes.md reviewed.", "steps": steps});
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), session).await.unwrap();
    desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap()
}

#[tokio::test]
async fn an_agent_that_has_not_called_what_it_must_has_failed_also_in_a_plan_that_only_advises() {
    let (desk, session) = reviewer().await;
    desk.calls("run_reviewer", json!({"task": "Review notes.md"}));
    for _ in 0..8 {
        desk.says(r#"{"verdict": "good"}"#);
    }
    let mut asking = planning();
    asking[0]["requiredTools"] = json!(["run_reviewer"]);
    carry_out_advised(&desk, &session, asking).await;
    let (status, output, error) = results(&desk, &session).remove(0);
    assert_eq!((status, output), (CallStatus::Error, Value::Null));
    let error = error.unwrap();
    assert!(error.contains("the agent did not complete") && error.contains("grep"), "{error}");
}

#[tokio::test]
async fn a_context_in_quotes_reaches_the_agent_and_what_stands_in_it_has_to_come_from_somewhere() {
    let helper = "description = \"Helps.\"\ntools = [\"ask_user\"]\n";
    let (desk, session) = desk_of("scripted/test", &[("team/agents/helper.toml", helper)]).await;
    let call = |context: &str| json!({"task": "Look at the site", "context": context});
    desk.calls("run_helper", call(r#"{"target_url": "https://invented.example/page"}"#));
    desk.calls("run_helper", call(&json!({"target_url": SITE, "depth": 2}).to_string()));
    desk.says("It was looked at.");
    desk.says("It was looked at.");
    let mut asking = planning();
    asking[0]["requiredTools"] = json!(["run_helper"]);
    let end = carry_out(&desk, &session, asking, json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let [_, again, agent, _] = &requests(&desk)[..] else { panic!("{}", requests(&desk).len()) };
    assert!(said(again).contains("the address in context.target_url does not occur"), "{}", said(again));
    let context = format!("{{\n  \"target_url\": \"{SITE}\",\n  \"depth\": 2\n}}");
    assert!(said(agent).contains(&context), "{}", said(agent));
}

// covers: C6 C16
#[tokio::test]
async fn all_that_is_wrong_with_a_call_is_told_at_once_and_counts_against_its_tries() {
    let (desk, session) = desk_of("scripted/test", &[]).await;
    desk.calls(PLANNER, json!({"context": [SITE]}));
    desk.calls(
        PLANNER,
        json!({"task": " ", "target_url": SITE, "task_name": "x", "collected_information": collected()}),
    );
    desk.calls(PLANNER, json!({"target_url": SITE, "task_name": "x", "collected_information": collected()}));
    let end = carry_out(&desk, &session, planning(), json!({"inputRetries": 2})).await;
    assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
    let refused: Vec<Value> = results(&desk, &session).into_iter().map(|(_, output, _)| output).collect();
    assert_eq!(refused.len(), 3, "{refused:?}");
    assert_eq!((&refused[0]["path"], &refused[0]["missing_fields"][0]), (&json!(["context"]), &json!("task")));
    let hint = refused[0]["hint"].as_str().unwrap();
    assert!(hint.contains("context: Give an object") && hint.contains("fields: task, target_url, "), "{hint}");
    assert_eq!(refused[1]["hint"], "Please provide all required fields: task");
}
