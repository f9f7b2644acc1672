//! Traffic recorded from the real `llama-server` (version of the set-up; smoke model, and starter model by `record.rs`),
//! played back byte for byte. Only the model's path was replaced by its name.

use assent_core::contract::ToolSpec;
use assent_core::run::Usage;
use assent_engine::model::{Dialect, Finish, ModelError, Reply, Request, ToolCall, ToolChoice};
use assent_tests::model::{ask, openai, request, tool};
use assent_tests::sse::{Answer, FakeServer};
use serde_json::{Value, json};

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
    request.tools = [tool("read", json!({"type": "object"}))].into();
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

/// What the starter model answered to `record.rs`, played back at an endpoint of the same kind.
async fn starter(recording: &str, dialect: Dialect, choice: ToolChoice) -> Reply {
    let server = FakeServer::start([Answer::recorded(recording)]).await;
    let request = Request { tools: tools().into(), choice, ..request("Read a.txt and b.txt.") };
    ask(&openai(&server.address, dialect).0, &request).await.unwrap()
}

/// Calls, messages of faults, and why it ended.
fn read(reply: &Reply) -> (Vec<(&str, Value)>, Vec<&str>, Finish) {
    let calls = reply.calls.iter().map(|call| (call.name.as_str(), call.arguments.clone()));
    (calls.collect(), reply.faults.iter().map(|fault| fault.message.as_str()).collect(), reply.finish)
}

#[tokio::test]
async fn what_the_starter_model_writes_in_the_place_of_native_calls_is_read() {
    let one = vec![("read", json!({"path": "a.txt"}))];
    let native =
        starter(include_str!("../../cassettes/llama-server/starter/native.sse"), Dialect::COMPATIBLE, ToolChoice::Auto)
            .await;
    assert_eq!(read(&native), (one.clone(), vec![], Finish::Calls), "a fenced object where a call was due");
    let required = include_str!("../../cassettes/llama-server/starter/native-required.sse");
    let required = starter(required, Dialect::COMPATIBLE, ToolChoice::Required).await;
    let long = "the reply was cut off because it was too long";
    assert_eq!(read(&required), (one, vec![long], Finish::Length), "the same, and line breaks up to the limit");
    let template = include_str!("../../cassettes/llama-server/starter/native-text.sse");
    let template = starter(template, Dialect::COMPATIBLE, ToolChoice::Auto).await;
    let example = vec![("read", json!({"path": "example.txt"}))];
    assert_eq!(read(&template), (example, vec![], Finish::Calls), "with the doubled braces of its template");
    let cut = include_str!("../../cassettes/llama-server/starter/length-native.sse");
    let cut = starter(cut, Dialect::COMPATIBLE, ToolChoice::Required).await;
    assert_eq!(read(&cut), (vec![], vec![long], Finish::Length));
}

#[tokio::test]
async fn what_the_starter_model_writes_by_the_protocol_is_read_or_a_fault() {
    let broken = include_str!("../../cassettes/llama-server/starter/protocol.sse");
    let broken = starter(broken, Dialect::PLAIN, ToolChoice::Auto).await;
    let fault = "the reply holds a call that cannot be read";
    assert_eq!(read(&broken), (vec![], vec![fault], Finish::Stop), "two files in the place of one: {broken:?}");
    let held = include_str!("../../cassettes/llama-server/starter/protocol-grammar.sse");
    let held = starter(held, Dialect::LLAMA, ToolChoice::Required).await;
    assert_eq!(read(&held), (vec![("grep", json!({"pattern": "say \"hi\""}))], vec![], Finish::Calls));
    let cut = include_str!("../../cassettes/llama-server/starter/length.sse");
    let cut = starter(cut, Dialect::PLAIN, ToolChoice::Auto).await;
    let faults =
        vec!["the reply begins a call or an object that has no end", "the reply was cut off because it was too long"];
    assert_eq!(read(&cut), (vec![], faults, Finish::Length));
}
