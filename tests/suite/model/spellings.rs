//! Calls as families of models write them into their text, by the transcripts of `tests/cassettes/written`, and as models
//! wrote them, by those of `tests/cassettes/recorded`: at an endpoint that is called by the protocol, and at one with calls
//! of its own whose server did not understand them.

use std::sync::Arc;

use assent_engine::model::{DeltaKind, Dialect, Finish, ToolChoice};
use assent_tests::model::{Recorded, ask, asked, open_to, openai, request, said, tool};
use assent_tests::sse::{Answer, FakeServer};
use serde_json::{Value, json};

fn transcripts() -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/cassettes/written");
    let files = std::fs::read_dir(folder).expect("the folder of transcripts");
    files.map(|file| serde_json::from_slice(&std::fs::read(file.unwrap().path()).unwrap()).unwrap()).collect()
}

/// A stream of a few characters at a time.
fn streamed(text: &str) -> Answer {
    let characters: Vec<char> = text.chars().collect();
    let pieces = characters.chunks(3).map(|piece| piece.iter().collect::<String>());
    let answer = pieces.fold(Answer::events([]), |answer, piece| {
        answer.event(&json!({"choices": [{"index": 0, "delta": {"content": piece}}]}).to_string())
    });
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    answer.event(&end.to_string()).event("[DONE]")
}

// covers: T7 T61
#[tokio::test]
async fn calls_are_read_from_the_text_of_every_family_whatever_its_endpoint_understands() {
    let text = || json!({"type": "string"});
    let tools = [
        ("read", json!({"path": text(), "lines": {"type": "integer"}})),
        ("grep", json!({"pattern": text(), "paths": {"type": "array"}, "ignore_case": {"type": "boolean"}})),
        ("create_file", json!({"path": text(), "content": text()})),
        ("status", json!({})),
    ];
    let tools: Arc<[_]> =
        tools.map(|(name, properties)| tool(name, json!({"type": "object", "properties": properties}))).into();
    for transcript in transcripts() {
        for case in transcript["cases"].as_array().unwrap() {
            let server = FakeServer::start([streamed(case["text"].as_str().unwrap())]).await;
            for dialect in [Dialect::PLAIN, Dialect::COMPATIBLE] {
                let what = format!("{} {} {dialect:?}", transcript["family"], case["what"]);
                let mut request = request("Look at the files.");
                request.tools = tools.clone();
                request.choice = ToolChoice::Auto;
                let (reply, deltas) = asked(&openai(&server.address, dialect).0, &request).await;
                let reply = reply.unwrap();
                let calls: Vec<Value> = reply.calls.iter().map(|call| json!([call.name, call.arguments])).collect();
                assert_eq!(Value::from(calls), case["calls"], "{what}");
                assert_eq!(reply.faults.len() as u64, case["faults"].as_u64().unwrap_or(0), "{what}");
                assert_eq!(reply.text.trim(), case["answer"].as_str().unwrap_or(""), "{what}");
                assert_eq!(reply.finish, if reply.calls.is_empty() { Finish::Stop } else { Finish::Calls }, "{what}");
                assert!(!said(&deltas, DeltaKind::Text).contains("<|"), "{what}: marks are nothing for a person");
            }
        }
    }
}

// covers: T7 T61
#[tokio::test]
async fn calls_are_read_from_what_models_of_many_makers_have_written() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/cassettes/recorded/benchmark.jsonl");
    let lines = std::fs::read_to_string(file).unwrap();
    let recorded: Vec<Recorded> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(recorded.len() > 60, "the replies are there");
    for (model, text, known) in recorded {
        let server = FakeServer::start([streamed(&text)]).await;
        for dialect in [Dialect::PLAIN, Dialect::COMPATIBLE] {
            let reply = ask(&openai(&server.address, dialect).0, &open_to(&known)).await.unwrap();
            let read: Vec<_> = reply.calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect();
            assert_eq!(read, known, "{model} {dialect:?}: {text}");
            assert_eq!((reply.faults.len(), reply.text.trim()), (0, ""), "{model} {dialect:?}: {text}");
        }
    }
}
