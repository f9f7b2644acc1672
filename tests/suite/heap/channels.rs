//! How whoever carries out a step asks a person: in a chat with `ask_user`, in a run of a workflow with
//! `std-request-user-help`, never with both; who has neither is told of neither.

use assent_core::plan::Plan;
use assent_core::run::{Decider, Purpose};
use assent_engine::model::scripted::ScriptedModel;
use assent_engine::model::{ModelProfile, PlannerProfile, Request};
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::studio::{handed_over, names, said, step};

const ASK: &str = "ask_user";
const HELP: &str = "std-request-user-help";
const GUIDANCE: &str = "In this chat context you must use ask_user only. Do not use std-request-user-help or 'Request user input (workflow pause)' — that tool is for workflow runs, not for chat.";
const BALANCE: &str =
    "Prefer acting with sensible defaults when the user's intent is clear; use ask_user only when genuinely ambiguous.";
const PAUSES: &str = "This is a run of a workflow";

/// A desk with the studio open, a pack whose specialist names both ways of asking as its own, and an agent.
fn desk(planner: PlannerProfile) -> Desk {
    let profile =
        ModelProfile { id: "scripted/test".to_owned(), context_tokens: 32_768, planner, parallel: 1, local: false };
    let desk = Desk::on(ScriptedModel::new(profile), &[("notes.md", "one")]);
    let packs = desk.home.join("packs");
    std::fs::create_dir_all(packs.join("both")).unwrap();
    std::fs::create_dir_all(packs.join("watcher")).unwrap();
    let both = json!({"specialists": [
        {"id": "both", "description": "Asks in every way.", "toolNames": [HELP, ASK, "read"], "topLevel": true}]});
    std::fs::write(packs.join("both/specialists.json"), both.to_string()).unwrap();
    let watcher = "description = \"Watches notes.\"\ntools = [\"read\", \"grep\"]\n";
    std::fs::write(packs.join("watcher/agent.toml"), watcher).unwrap();
    desk.engine.studio().open().unwrap();
    desk
}

fn document(steps: &Value) -> Plan {
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "elsewhere", "title": "A plan",
        "userMessage": "Do what is to be done.", "defaults": {"toolValidationMode": "advisory"}, "steps": steps});
    serde_json::from_value(document).unwrap()
}

/// Every specialist that can run, and the single agent.
fn steps(desk: &Desk) -> Vec<(String, Value)> {
    let heap = desk.engine.heap().show().heap;
    let ids: Vec<String> = heap.specialists.into_iter().map(|one| one.id).filter(|id| *id != "planner").collect();
    let mut all: Vec<(String, Value)> = ids.iter().map(|id| (id.clone(), handed_over("s1", id, &[]))).collect();
    all.extend(ids.iter().map(|id| (format!("{id}, as a step of tools"), step("s1", id, &[], &[]))));
    all.push(("alone".to_owned(), json!({"id": "s1", "description": "Look", "stepType": "tool"})));
    all.push(("thinking".to_owned(), json!({"id": "s1", "description": "Think", "stepType": "reasoning"})));
    all
}

/// What the first request of a step says, and which tools it has.
fn first(desk: &Desk, before: usize) -> Request {
    let requests = desk.model.requests();
    requests[before..].iter().find(|request| request.purpose == Purpose::Step).expect("it is asked").clone()
}

// covers: H2 H22 H26 H28 H29 H38
#[tokio::test]
async fn in_a_chat_whoever_can_ask_is_told_how_and_nobody_can_pause_a_run() {
    let (mut can, mut cannot) = (0, 0);
    for planner in [PlannerProfile::Full, PlannerProfile::Compact] {
        let desk = desk(planner);
        let session = desk.session().await;
        for (who, step) in steps(&desk) {
            let before = desk.model.requests().len();
            (0..4).for_each(|_| desk.says("Done."));
            let plan = desk.engine.plans().import(document(&json!([step])), &session).await.unwrap();
            desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
            let request = first(&desk, before);
            let (told, has) = (said(&request), names(&request));
            let asks = has.contains(&ASK);
            assert!(!has.contains(&HELP), "{planner:?}, {who}: {has:?}");
            assert_eq!((told.contains(GUIDANCE), told.contains(BALANCE)), (asks, asks), "{planner:?}, {who}: {told}");
            assert!(!told.contains(PAUSES), "{planner:?}, {who}: {told}");
            *(if asks { &mut can } else { &mut cannot }) += 1;
        }
    }
    assert!(can >= 6 && cannot >= 3, "both are seen: {can} {cannot}");
}

// covers: H22 H26 H27 H29
#[tokio::test]
async fn in_a_run_of_a_workflow_nobody_has_the_chats_question() {
    for planner in [PlannerProfile::Full, PlannerProfile::Compact] {
        let desk = desk(planner);
        let mut can = 0;
        for (at, (who, step)) in steps(&desk).into_iter().enumerate() {
            let name = format!("run-{at}");
            let before = desk.model.requests().len();
            (0..4).for_each(|_| desk.says("Done."));
            let workflows = desk.engine.workflows();
            workflows.create(&name, document(&json!([step])), &desk.workspace).await.unwrap();
            let begun = workflows.begin(&name, None, Some(Decider::User)).await.unwrap();
            workflows.carry_on(&begun, &CancellationToken::new()).await.unwrap();
            let request = first(&desk, before);
            let (told, has) = (said(&request), names(&request));
            assert!(!has.contains(&ASK) && !told.contains(GUIDANCE), "{planner:?}, {who}: {has:?} {told}");
            assert_eq!(told.contains(PAUSES), has.contains(&HELP), "{planner:?}, {who}: {told}");
            can += usize::from(has.contains(&HELP));
        }
        assert!(planner == PlannerProfile::Compact || can >= 6, "{planner:?}: whoever works there can ask: {can}");
    }
}
