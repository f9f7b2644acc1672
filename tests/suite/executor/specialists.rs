//! What the specialists of a plan are told: their own part of it, every value of the message, what was done before.

use assent_engine::model::{Message, PlannerProfile, Request};
use serde_json::{Value, json};

use super::support::{Rig, TestModel, text};

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

async fn requests(document: Value) -> Vec<String> {
    let rig = Rig::with_plan(document).await;
    let replies = vec![text("Nothing is missing."), text("The agent is made."), text("It runs daily.")];
    let model = TestModel::script(PlannerProfile::Full, replies);
    rig.run(&rig.executor(&model)).await;
    let requests = model.requests.lock().unwrap();
    assert!(requests.len() >= 3, "each specialist was asked: {}", requests.len());
    requests.iter().map(told).collect()
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
