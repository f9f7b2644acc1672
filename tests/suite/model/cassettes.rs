//! Traffic recorded from the real `llama-server` (version of the set-up, smoke model), played back byte for byte. Only
//! the model's path was replaced by its name.

use assent_core::contract::ToolSpec;
use assent_core::run::Usage;
use assent_engine::model::{Dialect, Finish, ModelError, Reply, ToolCall, ToolChoice};
use assent_tests::model::{ask, openai, request, tool};
use assent_tests::sse::{Answer, FakeServer};
use serde_json::json;

const TEXT: &str = include_str!("../../cassettes/llama-server/text.sse");
const CALL: &str = include_str!("../../cassettes/llama-server/call.sse");
const LENGTH: &str = include_str!("../../cassettes/llama-server/length.sse");
const TOO_LONG: &str = include_str!("../../cassettes/llama-server/too-long.json");
const REFUSED_KEY: &str = include_str!("../../cassettes/llama-server/refused-key.json");
const BAD_GRAMMAR: &str = include_str!("../../cassettes/llama-server/bad-grammar.json");

/// The tools that the starter model was shown.
pub(super) fn tools() -> Vec<ToolSpec> {
    let text = |says: &str| json!({"type": "string", "description": says});
    let read = json!({"type": "object", "properties": {"path": text("the file, from the folder")}, "required": ["path"],
        "additionalProperties": false});
    let grep = json!({"type": "object", "properties": {"pattern": text("what to look for")}, "required": ["pattern"],
        "additionalProperties": false});
    vec![tool("read", read), tool("grep", grep)]
}

async fn replayed(answer: Answer) -> Result<Reply, ModelError> {
    let server = FakeServer::start([answer]).await;
    let mut request = request("{\"tool\":NAME,\"args\":{}}");
    request.tools = vec![tool("read", json!({"type": "object"}))];
    request.choice = ToolChoice::Auto;
    ask(&openai(&server.address, Dialect::LLAMA).0, &request).await
}

#[tokio::test]
async fn recorded_replies_are_understood() {
    let text = replayed(Answer::recorded(TEXT)).await.unwrap();
    assert!(text.text.starts_with("Hello"), "{text:?}");
    assert_eq!((text.usage, text.finish), (Usage { input: 33, cached: 0, output: 24 }, Finish::Length));
    let call = replayed(Answer::recorded(CALL)).await.unwrap();
    let expected = ToolCall { id: "call-1".into(), name: "read".into(), arguments: call.calls[0].arguments.clone() };
    assert_eq!((call.calls.as_slice(), call.finish, call.usage.cached), ([expected].as_slice(), Finish::Calls, 24));
    assert!(call.calls[0].arguments["path"].is_string());
    let cut = replayed(Answer::recorded(LENGTH)).await.unwrap();
    assert_eq!((cut.finish, cut.usage.output, cut.faults.len()), (Finish::Length, 3, 1));
}

#[tokio::test]
async fn recorded_errors_have_their_meaning() {
    let json = |status: u16, body: &str| Answer::status(status, body).header("content-type", "application/json");
    let too_long = replayed(json(400, TOO_LONG)).await.unwrap_err();
    assert_eq!(too_long, ModelError::ContextTooLong { model: "test".into(), limit: 1024 });
    assert!(matches!(replayed(json(401, REFUSED_KEY)).await.unwrap_err(), ModelError::Auth { .. }));
    let grammar = replayed(json(400, BAD_GRAMMAR)).await.unwrap_err();
    assert!(matches!(&grammar, ModelError::BadRequest { reason, .. } if reason.contains("grammar")), "{grammar:?}");
}
