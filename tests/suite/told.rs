//! What an endpoint is really sent in a step: the prompts of the two types of step, the tools, the form of a call.

use std::sync::Arc;

use assent_core::plan::import;
use assent_core::run::{Decider, RunStatus};
use assent_engine::clock::SystemClock;
use assent_engine::live::Unwatched;
use assent_engine::model::Dialect;
use assent_engine::store::{Home, Store};
use assent_tests::desk::{Only, engine_with};
use assent_tests::model::openai;
use assent_tests::replies::{all_calls, says};
use assent_tests::sse::{FakeServer, Received};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Plays these steps at an endpoint, with a text for every call that is due, and gives what the endpoint was sent.
async fn sent(dialect: Dialect, steps: &Value, answers: Vec<(&'static str, Value)>) -> Vec<Received> {
    let native = dialect == Dialect::COMPATIBLE;
    let server = FakeServer::answering(move |count, _| {
        Some(match answers.get(count).cloned() {
            None => says("That is all."),
            Some(("", text)) if native => says(text.as_str().unwrap_or_default()),
            Some(("", text)) => says(&json!({"content": text}).to_string()),
            Some((tool, arguments)) if native => all_calls(&[(tool, arguments)]),
            Some((tool, arguments)) => {
                says(&json!({"toolCalls": [{"toolName": tool, "arguments": arguments}]}).to_string())
            }
        })
    })
    .await;
    let (model, _) = openai(&server.address, dialect);
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("workspace");
    std::fs::create_dir(&workspace).unwrap();
    std::fs::write(workspace.join("note.txt"), "three oaks\n").unwrap();
    let home = Home::at(folder.path().join("home")).unwrap();
    let store = Store::open(&home, Arc::new(SystemClock)).unwrap();
    let engine = engine_with(store, &home, Arc::new(Only(Arc::new(model))), Vec::new(), Arc::new(Unwatched));
    let session = engine.sessions().create(&workspace).await.unwrap();
    let document = json!({"format": "assent.plan/1", "title": "Look", "userMessage": "Look at note.txt.",
        "defaults": {"toolValidationMode": "strict"}, "steps": steps});
    let plan = engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
    engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
    assert_eq!(engine.runs().list(&session).unwrap()[0].status, RunStatus::Completed);
    server.received()
}

/// What the endpoint was told by somebody, whole.
fn said(request: &Received, role: &str) -> String {
    let messages = request.body["messages"].as_array().unwrap();
    let texts = messages.iter().filter(|message| message["role"] == role);
    texts.map(|message| message["content"].as_str().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Two steps that must call something, of which one says so by its tools alone and one by its type alone, and one that
/// thinks.
fn steps() -> Value {
    json!([
        {"id": "s1", "description": "Read the note", "requiredTools": ["read", "grep"], "expectedOutcome": "its text"},
        {"id": "s2", "description": "Look around", "stepType": "tool", "dependencies": ["s1"]},
        {"id": "s3", "description": "Compare", "dependencies": ["s2"]},
    ])
}

fn answers() -> Vec<(&'static str, Value)> {
    vec![
        ("read", json!({"path": "note.txt"})),
        ("", json!("I have read it.")),
        ("grep", json!({"pattern": "oaks"})),
        ("", json!("There are three oaks.")),
        ("glob", json!({"pattern": "*.txt"})),
        ("", json!("There is one file.")),
        ("", json!("They are the same.")),
    ]
}

// covers: T2 T28 T34 T35 T36 T37 T38 T39 T43 T58 T59 T61
#[tokio::test]
async fn every_endpoint_is_told_the_type_of_the_step_its_tools_the_form_of_a_call_and_what_was_before() {
    for dialect in [Dialect::COMPATIBLE, Dialect::PLAIN] {
        let native = dialect == Dialect::COMPATIBLE;
        let sent = sent(dialect, &steps(), answers()).await;
        let [first, told, missing, _, second, _, third] = &sent[..] else { panic!("{} requests", sent.len()) };
        let told_first = said(first, "user");
        for needed in [
            "You are executing a TOOL STEP in a larger plan.\n\nCurrent Task: Read the note\nRequired Tools: read, \
             grep\nExpected Outcome: its text\n",
            "Previous Steps Results:\nNone\n",
            "do NOT include any text after the JSON block",
            "Output Format:\n```json\n{\n  \"toolCalls\": [\n    { \"toolName\": \"read\", \"arguments\": { ... } }\n",
        ] {
            assert!(told_first.contains(needed), "missing: {needed}\n{told_first}");
        }
        let told_second = said(second, "user");
        assert!(told_second.contains("Required Tools: None specified\nExpected Outcome: Complete the task\n"));
        assert!(told_second.contains("{ \"toolName\": \"toolName\", \"arguments\": { ... } }"), "{told_second}");
        assert!(told_second.contains("Previous Steps Results:\nStep s1 (Read the note):\n"), "{told_second}");
        let told_third = said(third, "user");
        assert!(told_third.contains("You are executing a REASONING STEP in a larger plan.\n\nCurrent Task: Compare\n"));
        assert!(told_third.contains("Previous Steps Results:\nStep s1 (Read the note):\n"), "{told_third}");

        // What a call gave comes with the next request of the same step, and only what is missing is named.
        let given = said(told, if native { "tool" } else { "user" });
        assert!(given.contains("three oaks"), "{given}");
        assert!(said(missing, "user").contains("did not call the required tools: grep\n"));

        for request in &sent {
            let rules = said(request, "system");
            assert_eq!(request.body.get("tools").is_some(), native);
            if native {
                assert!(!rules.contains("Available Tools:"), "{rules}");
                continue;
            }
            let form =
                r#"{"toolCalls":[{"toolName":"NAME","arguments":{...}}]} calls tools; you then get their results."#;
            assert!(rules.contains(form), "one form in one step: {rules}");
            let listed = rules.split_once("Available Tools:\n").expect("the tools are listed").1;
            let listed: Vec<Value> = serde_json::from_str(listed).unwrap();
            let grep = listed.iter().find(|tool| tool["name"] == "grep").expect("the tool is there");
            assert!(grep["inputSchema"]["properties"]["pattern"].is_object(), "{grep}");
        }
    }
}

// covers: T50
#[tokio::test]
async fn a_thought_without_content_is_asked_for_once_more_however_it_is_written() {
    for empty in [r#"{"content":"","nextStepDecision":"continue"}"#, r#"{"content":null}"#, r#"{"toolCalls":[]}"#, " "]
    {
        let server = FakeServer::answering(move |count, _| {
            Some(says(if count == 0 { empty } else { r#"{"content":"They are the same."}"# }))
        })
        .await;
        let (model, _) = openai(&server.address, Dialect::PLAIN);
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        let store = Store::open(&home, Arc::new(SystemClock)).unwrap();
        let engine = engine_with(store, &home, Arc::new(Only(Arc::new(model))), Vec::new(), Arc::new(Unwatched));
        let session = engine.sessions().create(folder.path()).await.unwrap();
        let document = json!({"format": "assent.plan/1", "title": "Think", "userMessage": "Compare them.",
            "steps": [{"id": "s1", "description": "Compare"}]});
        let plan = engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
        engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
        let run = engine.runs().list(&session).unwrap().remove(0);
        let state = engine.runs().get(&run.id).unwrap().state;
        let result = state.step(0).result.clone();
        assert_eq!(result, Some(assent_core::run::Content::inline("They are the same.")), "after {empty}");
        assert_eq!(server.received().len(), 2, "after {empty}");
    }
}
