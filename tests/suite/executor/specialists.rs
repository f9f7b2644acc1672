//! What the specialists of a plan are told: their own part of it, every value of the message, what was done before.

use assent_core::run::RunStatus;
use assent_engine::model::{Message, PlannerProfile, Request};
use serde_json::{Value, json};

use super::support::{Rig, TestModel, call, text};

const MESSAGE: &str = "Make one agent for https://example.com/s?q=1&x=2 with key AB-12 and run it daily";

/// A route of three specialists, as a planner writes it.
fn plan() -> Value {
    let step = |id: &str, executor: &str, after: &[&str]| {
        json!({"id": id, "description": "Set up the agent and its schedule", "stepType": "reasoning",
               "executor": {"kind": "specialist", "id": executor}, "dependencies": after, "origin": "route"})
    };
    json!({
        "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": "chat", "title": "test",
        "userMessage": MESSAGE, "refinedTask": "Set up the agent and its schedule", "intent": "a test",
        "route": ["general", "agent", "workflow"], "defaults": {"toolValidationMode": "strict"},
        "extractedContext": {"savedSearchUrl": "https://example.com/s?q=1&x=2", "key": "AB-12"},
        "instructions": {
            "general": "Do not ask for credentials in the chat.",
            "agent": "Create exactly one agent.",
            "workflow": "Create a workflow that runs it daily.",
        },
        "steps": [step("s1", "general", &[]), step("s2", "agent", &["s1"]), step("s3", "workflow", &["s2"])]
    })
}

fn told(request: &Request) -> String {
    let texts = request.messages.iter().filter_map(|message| match message {
        Message::User { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// What each of the three is told at first, and what those are told that have called nothing. Nobody is told that twice,
/// nor is who stands in for a planner.
async fn requests(document: Value) -> Vec<String> {
    let times = if document["fallback"]["used"] == json!(true) { 1 } else { 2 };
    let rig = Rig::with_plan(document).await;
    let said = ["Nothing is missing.", "The agent is made.", "It runs daily."];
    let replies = said.into_iter().flat_map(|one| vec![text(one); times]).chain([text("All of it is done.")]);
    let model = TestModel::script(PlannerProfile::Full, replies.collect());
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some("All of it is done.")));
    let requests = model.requests.lock().unwrap();
    let told: Vec<String> = requests.iter().map(told).collect();
    let [first @ .., answer] = told.as_slice() else { panic!("nothing was asked") };
    assert_eq!(first.len(), 3 * times, "{told:?}");
    assert!(said.iter().all(|one| answer.contains(one)), "the answer is made of all of them: {answer}");
    for again in first.iter().skip(1).step_by(2).filter(|_| times == 2) {
        assert!(again.contains("your part has tools of its own, and none was called"), "{again}");
    }
    first.iter().step_by(times).cloned().collect()
}

// covers: P4 P10 P17 P18 P20 P45 P46 P47 P62 P63 P64
#[tokio::test]
async fn each_specialist_in_its_order_is_told_its_own_instructions_and_every_value() {
    let told = requests(plan()).await;
    let own = [
        "Do not ask for credentials in the chat.",
        "Create exactly one agent.",
        "Create a workflow that runs it daily.",
    ];
    for (at, told) in told.iter().take(3).enumerate() {
        for (of, instructions) in own.iter().enumerate() {
            assert_eq!(told.contains(&format!("Plan for you:\n{instructions}")), at == of, "{at}: {told}");
            assert_eq!(told.contains(instructions), at == of, "{at}: {told}");
        }
        assert!(told.contains("Set up the agent and its schedule"), "{told}");
        assert!(told.contains(r#"{"savedSearchUrl":"https://example.com/s?q=1&x=2","key":"AB-12"}"#), "{told}");
    }
    assert!(!told[0].contains("Previous Steps Results:\nStep"), "{}", told[0]);
    assert!(told[1].contains("Nothing is missing.") && told[2].contains("The agent is made."), "{told:?}");
}

#[tokio::test]
async fn an_empty_reply_and_one_without_a_call_are_each_told_once_whichever_came_first() {
    let mut document = plan();
    document["route"] = json!(["agent"]);
    document["instructions"] = json!({});
    let mut step = document["steps"][1].clone();
    step["dependencies"] = json!([]);
    document["steps"] = json!([step]);
    let (empty, idle) = ("your reply was empty", "your part has tools of its own, and none was called");
    for (replies, faults) in [(["The agent is made.", ""], [idle, empty]), (["", "The agent is made."], [empty, idle])]
    {
        let rig = Rig::with_plan(document.clone()).await;
        let replies = replies.into_iter().chain(["Nothing is left to do: it is there."]).map(text).collect();
        let model = TestModel::script(PlannerProfile::Full, replies);
        let outcome = rig.run(&rig.executor(&model)).await;
        assert_eq!(outcome.status, RunStatus::Completed, "{faults:?}: {:?}", outcome.reasons);
        let requests = model.requests.lock().unwrap();
        let all: Vec<String> = requests.iter().map(told).collect();
        assert!(all[1].contains(faults[0]) && all[2].contains(faults[1]), "{all:?}");
    }
}

// covers: P5 P47 P49 P50 P51
#[tokio::test]
async fn without_a_plan_of_its_own_a_specialist_is_told_the_whole_message() {
    let mut document = plan();
    document["extractedContext"] = json!({});
    document["instructions"] = json!({});
    document["fallback"] = json!({"used": true, "reason": "the planner wrote nothing"});
    for told in requests(document).await.iter().take(3) {
        let whole = format!("User message (for URLs and exact values):\n---\n{MESSAGE}\n---");
        assert!(told.contains(&whole), "{told}");
    }
}

// covers: P25 P47
#[tokio::test]
async fn a_value_that_the_planner_has_lost_brings_the_whole_message() {
    let mut document = plan();
    document["extractedContext"] = json!({"key": "AB-12"});
    let all = requests(document).await;
    assert!(all.iter().take(3).all(|told| told.contains("https://example.com/s?q=1&x=2")), "{all:?}");
}

#[tokio::test]
async fn a_report_without_a_call_behind_it_goes_back_once_and_is_then_true_or_marked() {
    let says = || text("I have saved the table to out.md.");
    let mark = "it says \"I have saved the table to out.md\", and no call stands behind that";
    for (then, status, reason) in [
        (vec![call(&[("append", "x")]), says()], RunStatus::Completed, None),
        (vec![text("Nothing was saved: there is no table.")], RunStatus::Completed, None),
        (vec![says()], RunStatus::CompletedWithWarnings, Some(mark)),
    ] {
        let mut document = plan();
        document["route"] = json!(["agent"]);
        document["steps"] = json!([document["steps"][1]]);
        document["steps"][0]["dependencies"] = json!([]);
        let rig = Rig::with_plan(document).await;
        let model = TestModel::script(PlannerProfile::Full, [vec![says()], then].concat());
        let outcome = rig.run(&rig.executor(&model)).await;
        assert_eq!(outcome.status, status);
        assert_eq!(rig.state(&outcome.run).step(0).reason.as_deref(), reason);
        let again = told(&model.requests.lock().unwrap()[1]);
        assert!(again.contains(mark) && again.contains("or say what was really done"), "{again}");
    }
}
