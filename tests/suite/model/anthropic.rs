//! The adapter for the Messages API. Its traffic is written from the public documentation, not recorded.

use assent_core::run::Usage;
use assent_engine::model::{
    Anthropic, DeltaKind, Dialect, Finish, Message, Model, ModelError, OutputFormat, Reply, RetryPolicy, ToolCall,
    ToolChoice,
};
use assent_tests::model::{KEY, RecordedPause, ask, asked, endpoint, profile, request, said, tool};
use assent_tests::sse::{Answer, FakeServer, Part};
use serde_json::{Value, json};
use std::sync::Arc;

fn anthropic(address: &str) -> Anthropic {
    let pause = Arc::new(RecordedPause::default());
    let policy = RetryPolicy { attempts: 2, ..RetryPolicy::default() };
    Anthropic::new(profile(), endpoint(address, Dialect::COMPATIBLE), policy, pause).unwrap()
}

fn stream(events: &[Value]) -> Answer {
    let texts: Vec<String> = events.iter().map(Value::to_string).collect();
    Answer::events(texts.iter().map(String::as_str))
}

fn start() -> Value {
    json!({"type": "message_start", "message": {"usage":
        {"input_tokens": 5, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 100, "output_tokens": 1}}})
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn end(reason: &str) -> [Value; 2] {
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}});
    [delta, json!({"type": "message_stop"})]
}

fn called(name: &str, arguments: &str) -> Vec<Value> {
    let block = json!({"type": "tool_use", "id": "toolu_1", "name": name, "input": {}});
    let mut events = vec![
        start(),
        delta(0, json!({"type": "thinking_delta", "thinking": "Hm."})),
        delta(1, json!({"type": "text_delta", "text": "I look."})),
        json!({"type": "content_block_start", "index": 2, "content_block": block}),
        json!({"type": "ping"}),
        delta(2, json!({"type": "input_json_delta", "partial_json": &arguments[..4]})),
        delta(2, json!({"type": "input_json_delta", "partial_json": &arguments[4..]})),
    ];
    events.extend(end("tool_use"));
    events
}

// covers: T61
#[tokio::test]
async fn thoughts_text_and_calls_come_apart_and_the_conversation_goes_back_in_turns() {
    let server = FakeServer::start([stream(&called("mcp_web_fetch", r#"{"url":"https://x"}"#))]).await;
    let mut request = request("Fetch it.");
    request.messages.insert(0, Message::System { text: "Be brief.".into() });
    let earlier = ToolCall { id: "call.1".into(), name: "mcp.web.fetch".into(), arguments: json!({"url": "a"}) };
    request.messages.push(Message::Assistant { text: String::new(), calls: vec![earlier] });
    request.messages.push(Message::Tool { id: "call.1".into(), name: "mcp.web.fetch".into(), text: "404".into() });
    request.messages.push(Message::User { text: "Try again.".into() });
    request.tools = [tool("mcp.web.fetch", json!({"properties": {"url": {"type": "string"}}}))].into();
    request.choice = ToolChoice::Required;
    let (reply, deltas) = asked(&anthropic(&server.address), &request).await;
    let expected = Reply {
        text: "I look.".into(),
        thoughts: "Hm.".into(),
        calls: vec![ToolCall {
            id: "toolu_1".into(),
            name: "mcp.web.fetch".into(),
            arguments: json!({"url": "https://x"}),
        }],
        usage: Usage { input: 115, cached: 100, output: 7 },
        finish: Finish::Calls,
        ..Reply::default()
    };
    assert_eq!(reply, Ok(expected));
    assert_eq!(said(&deltas, DeltaKind::Structure), r#"{"url":"https://x"}"#);
    let sent = &server.received()[0];
    assert_eq!((sent.line.as_str(), sent.header("x-api-key")), ("POST /v1/messages", Some(KEY)));
    let body = json!({"model": "test", "max_tokens": 64, "stream": true, "temperature": 0.0,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Fetch it."}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "call_1", "name": "mcp_web_fetch", "input": {"url": "a"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "404"},
                {"type": "text", "text": "Try again.", "cache_control": {"type": "ephemeral"}}]}],
        "tools": [{"name": "mcp_web_fetch", "description": "Does mcp.web.fetch.",
            "input_schema": {"properties": {"url": {"type": "string"}}, "type": "object"}}],
        "tool_choice": {"type": "any"}});
    assert_eq!(sent.body, body);
}

#[tokio::test]
async fn structured_output_is_the_argument_of_one_forced_call() {
    let server = FakeServer::start([stream(&called("reply", r#"{"value":{"count":3}}"#))]).await;
    let mut request = request("How many?");
    let schema = json!({"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]});
    request.output = OutputFormat::Json { name: "count".into(), schema: schema.clone().into() };
    let reply = ask(&anthropic(&server.address), &request).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.calls.len(), reply.finish), (r#"{"count":3}"#, 0, Finish::Stop));
    let sent = &server.received()[0].body;
    assert_eq!(sent["tools"][0]["input_schema"]["properties"]["value"], schema);
    assert_eq!(sent["tool_choice"], json!({"type": "tool", "name": "reply"}));
}

#[tokio::test]
async fn its_errors_have_their_meaning_and_no_key() {
    let error = |kind: &str, message: &str| json!({"type": "error", "error": {"type": kind, "message": message}});
    let cases = [
        (Answer::json(401, &error("authentication_error", &format!("invalid x-api-key {KEY}"))), "Auth", 1),
        (Answer::json(404, &error("not_found_error", "model: test")), "NoSuchModel", 1),
        (
            Answer::json(400, &error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")),
            "ContextTooLong",
            1,
        ),
        (Answer::json(400, &error("invalid_request_error", "messages: roles must alternate")), "BadRequest", 1),
        (Answer::json(429, &error("rate_limit_error", "slow down")), "RateLimited", 2),
        (Answer::json(529, &error("overloaded_error", "Overloaded")), "Unavailable", 2),
        (stream(&[start(), error("overloaded_error", "Overloaded")]), "Unavailable", 2),
        (stream(&[start()]).part(Part::Break), "Unavailable", 2),
        (stream(&[start()]), "Unavailable", 2),
        (Answer::events(["{}"]), "Nonsense", 1),
    ];
    for (answer, meaning, times) in cases {
        let server = FakeServer::start([answer]).await;
        let error: ModelError = ask(&anthropic(&server.address), &request("Hello.")).await.unwrap_err();
        let shown = format!("{error:?} {error}");
        assert!(shown.starts_with(meaning) && !shown.contains(KEY), "{meaning}: {shown}");
        assert_eq!(server.received().len(), times, "{shown}");
    }
}

#[tokio::test]
async fn tokens_are_counted_as_the_protocol_counts_a_message() {
    let server = FakeServer::with_tokenizer(|_, sent| {
        let known = sent.line == "POST /v1/messages/count_tokens" && sent.header("x-api-key") == Some(KEY);
        Some(if known { Answer::json(200, &json!({"input_tokens": 14})) } else { Answer::status(404, "") })
    })
    .await;
    let model = anthropic(&server.address);
    assert_eq!([model.count_tokens("Hello").await, model.count_tokens("Hello").await], [Some(14), Some(14)]);
    let body = json!({"model": "test", "messages": [{"role": "user", "content": "Hello"}]});
    let sent: Vec<Value> = server.received().into_iter().map(|sent| sent.body).collect();
    assert_eq!(sent, [body]);
    let other = FakeServer::with_tokenizer(|_, _| Some(Answer::status(404, ""))).await;
    let model = anthropic(&other.address);
    assert_eq!([model.count_tokens("One").await, model.count_tokens("Two").await], [None, None]);
    assert_eq!(other.received().len(), 1);
}

#[tokio::test]
async fn an_endpoint_that_refuses_a_text_of_nothing_is_asked_about_others() {
    let server = FakeServer::with_tokenizer(|_, sent| {
        let text = sent.body["messages"][0]["content"].as_str().unwrap_or_default();
        let refusal = json!({"type": "error", "error": {
            "type": "invalid_request_error", "message": "text content blocks must contain non-whitespace text"}});
        let blank = text.trim().is_empty();
        Some(if blank { Answer::json(400, &refusal) } else { Answer::json(200, &json!({"input_tokens": 14})) })
    })
    .await;
    let model = anthropic(&server.address);
    assert_eq!([model.count_tokens("").await, model.count_tokens(" \n").await], [Some(0), None]);
    assert_eq!(model.count_tokens("Hello").await, Some(14));
    assert_eq!(server.received().len(), 2, "nothing is asked about a text of nothing");
}

#[tokio::test]
async fn a_parameter_that_a_model_does_not_take_is_left_out_from_then_on() {
    let refusal = json!({"type": "error", "error": {"type": "invalid_request_error",
        "message": "`temperature` is deprecated for this model."}});
    let other = json!({"type": "error", "error": {"type": "invalid_request_error", "message": "messages: too few"}});
    let says = |text: &str| {
        stream(&[&[start(), delta(0, json!({"type": "text_delta", "text": text}))], &end("end_turn")[..]].concat())
    };
    let answers =
        [Answer::json(400, &refusal), says("a"), says("b"), Answer::json(400, &other), Answer::json(400, &refusal)];
    let server = FakeServer::start(answers).await;
    let model = anthropic(&server.address);
    assert_eq!(ask(&model, &request("One.")).await.unwrap().text, "a");
    assert_eq!(ask(&model, &request("Two.")).await.unwrap().text, "b");
    let with = || server.received().iter().map(|sent| sent.body.get("temperature").is_some()).collect::<Vec<_>>();
    assert_eq!(with(), [true, false, false]);
    // Another fault is told, and one that names what was not sent is not tried for ever.
    for wrong in ["messages: too few", "deprecated"] {
        let told = ask(&model, &request("Three.")).await.unwrap_err();
        assert!(matches!(&told, ModelError::BadRequest { reason, .. } if reason.contains(wrong)), "{told:?}");
    }
    assert_eq!(with().len(), 5);
}
