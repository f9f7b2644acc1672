//! The OpenAI-compatible adapter: what is sent, how a stream becomes a reply. The streams here are written from public
//! documentation; what llama-server really sends is in `cassettes.rs`.

use assent_core::run::{Purpose, Usage};
use assent_engine::model::scripted::Gate;
use assent_engine::model::{
    Delta, DeltaKind, Dialect, Finish, Message, Model, ModelError, OutputFormat, PLAN_FORM, Reply, ToolCall, ToolChoice,
};
use assent_tests::model::{KEY, ask, asked, openai, request, ruled, said, tool};
use assent_tests::sse::{Answer, FakeServer, Part};
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

fn text_chunk(text: &str) -> String {
    json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]}).to_string()
}

fn end_chunk(reason: &str) -> String {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}).to_string()
}

/// A whole reply that is one text.
pub(super) fn says(text: &str) -> Answer {
    Answer::events([text_chunk(text).as_str(), end_chunk("stop").as_str(), "[DONE]"])
}

#[tokio::test]
async fn pieces_reach_the_person_as_they_come_and_the_usage_is_counted() {
    let gate = Gate::default();
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 30, "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 20}}});
    let answer = Answer::events([text_chunk("Hel").as_str()])
        .part(Part::Gate(gate.clone()))
        .event(&text_chunk("lo"))
        .event(&end_chunk("stop"))
        .event(&usage.to_string())
        .event("[DONE]");
    let server = FakeServer::start([answer]).await;
    let (model, _) = openai(&server.address, Dialect::OPENAI);
    let (deltas, mut seen) = unbounded_channel();
    let (request, cancel) = (request("Greet."), CancellationToken::new());
    let asked = model.reply(&request, &deltas, &cancel);
    let test = async {
        let first = seen.recv().await;
        assert_eq!(first, Some(Delta { kind: DeltaKind::Text, text: "Hel".into() }), "before the rest is sent");
        gate.open();
    };
    let (reply, ()) = tokio::join!(asked, test);
    let expected =
        Reply { text: "Hello".into(), usage: Usage { input: 30, cached: 20, output: 2 }, ..Reply::default() };
    assert_eq!(reply, Ok(expected));
    let sent = &server.received()[0];
    assert_eq!(sent.line, "POST /v1/chat/completions");
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let body = json!({"model": "test", "messages": [{"role": "user", "content": "Greet."}], "stream": true,
        "stream_options": {"include_usage": true}, "max_completion_tokens": 64, "temperature": 0.0, "seed": 1});
    assert_eq!(sent.body, body);
}

#[tokio::test]
async fn cancelling_drops_the_connection_at_once() {
    let gone = Gate::default();
    let answer = Answer::events([text_chunk("a").as_str()]).part(Part::UntilGone(gone.clone()));
    let server = FakeServer::start([answer]).await;
    let (model, _) = openai(&server.address, Dialect::OPENAI);
    let (deltas, mut seen) = unbounded_channel();
    let (request, cancel) = (request("Greet."), CancellationToken::new());
    let asked = model.reply(&request, &deltas, &cancel);
    let test = async {
        seen.recv().await;
        cancel.cancel();
    };
    assert_eq!(tokio::join!(asked, test).0, Err(ModelError::Cancelled));
    gone.reached().await;
}

#[tokio::test]
async fn native_calls_come_in_pieces_with_names_of_the_wire() {
    let part = |call: Value| json!({"choices": [{"delta": {"tool_calls": [call]}}]}).to_string();
    let answer = Answer::events([
        part(json!({"index": 0, "id": "a", "function": {"name": "mcp_web_fetch", "arguments": ""}})).as_str(),
        part(json!({"index": 0, "function": {"arguments": "{\"url\":"}})).as_str(),
        part(json!({"index": 0, "function": {"arguments": "\"https://x\"}"}})).as_str(),
        part(json!({"index": 1, "id": "b", "function": {"name": "read", "arguments": "{\"path\":"}})).as_str(),
        end_chunk("tool_calls").as_str(),
        "[DONE]",
    ]);
    let server = FakeServer::start([answer]).await;
    let (model, _) = openai(&server.address, Dialect::COMPATIBLE);
    let mut request = request("Fetch it.");
    request.tools =
        vec![tool("mcp.web.fetch", json!({"type": "object"})), tool("read", json!({"type": "object"}))].into();
    request.choice = ToolChoice::Named("mcp.web.fetch".into());
    let earlier = ToolCall { id: "z".into(), name: "read".into(), arguments: json!({"path": "a"}) };
    request.messages.push(Message::Assistant { text: String::new(), calls: vec![earlier] });
    request.messages.push(Message::Tool { id: "z".into(), name: "read".into(), text: "content".into() });
    let (reply, deltas) = asked(&model, &request).await;
    let reply = reply.unwrap();
    let expected = [
        ToolCall { id: "a".into(), name: "mcp.web.fetch".into(), arguments: json!({"url": "https://x"}) },
        ToolCall { id: "b".into(), name: "read".into(), arguments: json!("{\"path\":") },
    ];
    assert_eq!((reply.calls.as_slice(), reply.finish), (expected.as_slice(), Finish::Calls));
    assert_eq!(reply.faults.len(), 1, "the second call's arguments were cut: {:?}", reply.faults);
    assert_eq!(said(&deltas, DeltaKind::Structure), "{\"url\":\"https://x\"}{\"path\":");
    let sent = &server.received()[0].body;
    assert_eq!(sent["tool_choice"], json!({"type": "function", "function": {"name": "mcp_web_fetch"}}));
    assert_eq!(sent["tools"][0]["function"]["name"], "mcp_web_fetch");
    let messages = json!([
        {"role": "user", "content": "Fetch it."},
        {"role": "assistant", "content": null, "tool_calls":
            [{"id": "z", "type": "function", "function": {"name": "read", "arguments": "{\"path\":\"a\"}"}}]},
        {"role": "tool", "tool_call_id": "z", "content": "content"},
    ]);
    assert_eq!(sent["messages"], messages);
}

#[tokio::test]
async fn a_prompt_that_speaks_of_calls_as_json_is_told_to_call_where_calls_are_functions() {
    let server = FakeServer::start([says("Done."), says("Done."), says("Done.")]).await;
    let (model, _) = openai(&server.address, Dialect::COMPATIBLE);
    let mut step = request("Output Format: {\"toolCalls\": []}");
    step.messages.insert(0, Message::System { text: "Be brief.".into() });
    step.choice = ToolChoice::Auto;
    asked(&model, &step).await.0.unwrap();
    step.tools = [tool("read", json!({"type": "object"}))].into();
    asked(&model, &step).await.0.unwrap();
    step.messages[1] = Message::User { text: "Read it.".into() };
    asked(&model, &step).await.0.unwrap();
    let systems = server.received().iter().map(|sent| sent.body["messages"][0]["content"].clone()).collect::<Vec<_>>();
    assert!(systems[1].as_str().unwrap().starts_with("Be brief.\n\nYour tools are functions"), "{systems:?}");
    assert_eq!(
        (&systems[0], &systems[2]),
        (&json!("Be brief."), &json!("Be brief.")),
        "no tools, and no JSON asked for"
    );
}

#[tokio::test]
async fn words_of_a_person_that_look_like_a_call_are_no_rule() {
    let server = FakeServer::start([says("{\"done\":\"Yes.\"}")]).await;
    let (model, _) = openai(&server.address, Dialect::PLAIN);
    let mut step = request("Why does {\"tool\":\"python\"} stand in config.json, and {\"done\":\"x\"}?");
    step.messages.insert(0, Message::System { text: "Be brief.".into() });
    step.tools = [tool("read", json!({"type": "object"}))].into();
    step.choice = ToolChoice::Auto;
    assert_eq!(asked(&model, &step).await.0.unwrap().text, "Yes.");
    let rules = server.received()[0].body["messages"][0]["content"].clone();
    assert!(rules.as_str().unwrap().contains("\nTools:\n- read:"), "{rules}");
}

#[tokio::test]
async fn thoughts_are_kept_apart_from_the_text() {
    let thought = json!({"choices": [{"delta": {"reasoning_content": "Hm. "}}]}).to_string();
    let pieces = ["<th", "ink>Let me", " see.</thi", "nk>\n\nYes."].map(text_chunk);
    let mut answer = Answer::events([thought.as_str()]);
    for piece in &pieces {
        answer = answer.event(piece);
    }
    let server = FakeServer::start([answer.event(&end_chunk("stop")).event("[DONE]")]).await;
    let (model, _) = openai(&server.address, Dialect::COMPATIBLE);
    let (reply, deltas) = asked(&model, &request("Is it?")).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), reply.thoughts.as_str()), ("Yes.", "Hm. Let me see."));
    assert_eq!(said(&deltas, DeltaKind::Thought), "Hm. Let me see.");
    assert_eq!(said(&deltas, DeltaKind::Text).trim(), "Yes.");
}

// covers: T7 T61
#[tokio::test]
async fn under_the_protocol_calls_are_read_from_whatever_text_the_model_wraps_them_in() {
    let call = json!({"path": "a.txt"});
    let texts = [
        r#"{"toolCalls":[{"toolName":"read","arguments":{"path":"a.txt"}}]}"#,
        "I will read it.\n```json\n{\"toolCalls\": [{\"toolName\": \"read\", \"parameters\": {\"path\": \"a.txt\"}}]}\n```",
        "<think>maybe {\"tool\":\"bash\",\"args\":{}}?</think>{\"tool\":\"read\",\"args\":{\"path\":\"a.txt\"}}",
        r#"[{"name":"read","arguments":"{\"path\":\"a.txt\"}"}]"#,
        r#"{"id":"x","type":"function","function":{"name":"read","arguments":{"path":"a.txt"}}}"#,
        r#"{"thoughts":"t","toolCalls":{"tool_name":"read","input":{"path":"a.txt"}}}"#,
    ];
    for text in texts {
        let server = FakeServer::start([says(text)]).await;
        let (model, _) = openai(&server.address, Dialect::PLAIN);
        let mut request = request("Read a.txt.");
        request.tools =
            vec![tool("read", json!({"type": "object", "properties": {"path": {"type": "string"}}}))].into();
        request.choice = ToolChoice::Auto;
        let reply = ask(&model, &request).await.unwrap();
        let calls: Vec<_> = reply.calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
        assert_eq!(calls, [("read", &call)], "{text}");
        assert_eq!(reply.finish, Finish::Calls);
        let sent = &server.received()[0].body;
        assert!(sent.get("tools").is_none() && sent.get("grammar").is_none());
        let rules = sent["messages"][0]["content"].as_str().unwrap();
        assert!(rules.contains(r#"{"tool":"NAME","args":{...}}"#) && rules.contains("- read: Does read."), "{rules}");
    }
}

// covers: T8
#[tokio::test]
async fn under_the_protocol_a_text_without_json_is_content_and_no_call() {
    for text in ["Berlin has {3.7 million} people.", "I would call read with a.txt.", "Use [a] and {b}, then \"read\"."]
    {
        let server = FakeServer::start([says(text)]).await;
        let (model, _) = openai(&server.address, Dialect::PLAIN);
        let mut request = request("Read a.txt.");
        request.tools = [tool("read", json!({"type": "object"}))].into();
        request.choice = ToolChoice::Auto;
        let reply = ask(&model, &request).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.calls.len(), reply.faults.len()), (text, 0, 0));
    }
}

#[tokio::test]
async fn a_prompt_that_names_the_form_of_calls_is_not_told_again() {
    let server = FakeServer::start([says(r#"{"done":"Nothing to\ndo."}"#)]).await;
    let (model, _) = openai(&server.address, Dialect::PLAIN);
    let mut request = ruled("Reply with {\"tool\":NAME,\"args\":{}} or {\"done\":\"...\"}.", "Read it.");
    request.tools = [tool("read", json!({"type": "object"}))].into();
    request.choice = ToolChoice::Auto;
    let calls = vec![ToolCall { id: "c".into(), name: "read".into(), arguments: json!({"path": "a"}) }];
    request.messages.push(Message::Assistant { text: String::new(), calls });
    request.messages.push(Message::Tool { id: "c".into(), name: "read".into(), text: "hello".into() });
    request.messages.push(Message::User { text: "Go on.".into() });
    let (reply, deltas) = asked(&model, &request).await;
    assert_eq!(reply.unwrap().text, "Nothing to\ndo.");
    assert_eq!(said(&deltas, DeltaKind::Text), "Nothing to\ndo.", "what a person sees is the text, not its JSON");
    let messages = json!([
        {"role": "system", "content": "Reply with {\"tool\":NAME,\"args\":{}} or {\"done\":\"...\"}."},
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": r#"{"tool":"read","args":{"path":"a"}}"#},
        {"role": "user", "content": "Result of read:\nhello\n\nGo on."},
    ]);
    assert_eq!(server.received()[0].body["messages"], messages);
}

#[tokio::test]
async fn calls_that_a_model_with_native_calls_writes_down_are_still_calls_of_known_tools_only() {
    let both = r#"{"toolCalls":[{"toolName":"read","arguments":{}},{"toolName":"rm","arguments":{}}]}"#;
    let server = FakeServer::start([says(both)]).await;
    let (model, _) = openai(&server.address, Dialect::COMPATIBLE);
    let mut request = request("Read.");
    request.tools = [tool("read", json!({"type": "object"}))].into();
    request.choice = ToolChoice::Required;
    let reply = ask(&model, &request).await.unwrap();
    assert_eq!(reply.calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["read"]);
}

fn wants_count() -> OutputFormat {
    let schema = json!({"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"],
        "additionalProperties": false});
    OutputFormat::Json { name: "count".into(), schema: schema.into() }
}

#[tokio::test]
async fn structured_output_is_checked_and_repaired_once() {
    let server = FakeServer::start([says("Sure: {\"count\":\"three\"}"), says("```json\n{\"count\": 3}\n```")]).await;
    let (model, _) = openai(&server.address, Dialect::OPENAI);
    let mut request = request("How many?");
    request.output = wants_count();
    let (reply, deltas) = asked(&model, &request).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), reply.faults.len(), reply.before), (r#"{"count":3}"#, 0, 1));
    assert!(deltas.iter().any(|delta| delta.kind == DeltaKind::Again), "a person is told to forget the first text");
    let sent = server.received();
    assert_eq!(sent[0].body["response_format"]["json_schema"]["strict"], true);
    let repair = sent[1].body["messages"][2]["content"].as_str().unwrap();
    assert!(repair.contains("count") && repair.contains("corrected JSON only"), "{repair}");
}

#[tokio::test]
async fn whoever_plans_is_asked_again_by_the_planner_alone_with_what_was_wrong() {
    let server = FakeServer::start([says("Sure: {\"count\":\"three\"}")]).await;
    let (model, _) = openai(&server.address, Dialect::PLAIN);
    let mut request = request("How many?");
    request.purpose = Purpose::Plan;
    request.output = match wants_count() {
        OutputFormat::Json { schema, .. } => OutputFormat::Json { name: PLAN_FORM.to_owned(), schema },
        OutputFormat::Text => unreachable!(),
    };
    let reply = ask(&model, &request).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.before), ("Sure: {\"count\":\"three\"}", 0), "as it was written");
    assert_eq!(server.received().len(), 1);

    // Anything else that is asked for a plan is given its form here, once.
    let server = FakeServer::start([says("three"), says("{\"count\": 3}")]).await;
    let (model, _) = openai(&server.address, Dialect::PLAIN);
    request.output = wants_count();
    assert_eq!(ask(&model, &request).await.unwrap().before, 1);
}

#[tokio::test]
async fn structured_output_whose_repair_cannot_be_asked_for_is_told_with_what_it_cost() {
    let gone = Answer::json(400, &json!({"error": {"message": "the model was unloaded"}}));
    let three = json!({"choices": [{"message": {"content": "three"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 40, "completion_tokens": 7}});
    let server = FakeServer::start([Answer::json(200, &three), gone]).await;
    let (model, _) = openai(&server.address, Dialect::PLAIN);
    let mut request = request("How many?");
    request.output = wants_count();
    let reply = ask(&model, &request).await.unwrap();
    let faults: Vec<String> = reply.faults.iter().map(ToString::to_string).collect();
    assert_eq!((reply.text.as_str(), faults.len()), ("three", 2), "{faults:?}");
    assert_eq!((reply.usage.input, reply.usage.output), (40, 7));
    assert!(faults[1].contains("could not be asked for again") && faults[1].contains("unloaded"), "{faults:?}");
}

#[tokio::test]
async fn structured_output_that_stays_wrong_comes_with_faults() {
    let server = FakeServer::start([says("three"), says("four")]).await;
    let (model, _) = openai(&server.address, Dialect::PLAIN);
    let mut request = request("How many?");
    request.output = wants_count();
    let reply = ask(&model, &request).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.faults.len(), server.received().len()), ("four", 1, 2));
}

#[tokio::test]
async fn a_parameter_that_the_endpoint_does_not_know_is_left_out_from_then_on() {
    let refusal = json!({"error": {"message": "Unsupported value: 'temperature' does not support 0 with this model.",
        "type": "invalid_request_error", "param": "temperature", "code": "unsupported_value"}});
    let server = FakeServer::start([Answer::json(400, &refusal), says("a"), says("b")]).await;
    let (model, pause) = openai(&server.address, Dialect::OPENAI);
    assert_eq!(ask(&model, &request("One.")).await.unwrap().text, "a");
    assert_eq!(ask(&model, &request("Two.")).await.unwrap().text, "b");
    let with: Vec<bool> = server.received().iter().map(|sent| sent.body.get("temperature").is_some()).collect();
    assert_eq!((with, pause.waits().len()), (vec![true, false, false], 0));
}

#[tokio::test]
async fn an_endpoint_that_knows_the_bound_of_a_reply_by_its_newer_name_is_told_that() {
    let refusal = json!({"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this model. \
        Use 'max_completion_tokens' instead.", "type": "invalid_request_error", "param": "max_tokens"}});
    let server = FakeServer::start([Answer::json(400, &refusal), says("a"), says("b")]).await;
    let (model, _) = openai(&server.address, Dialect::COMPATIBLE);
    assert_eq!(ask(&model, &request("One.")).await.unwrap().text, "a");
    assert_eq!(ask(&model, &request("Two.")).await.unwrap().text, "b");
    let bounds = |name: &str| server.received().iter().map(|sent| sent.body.get(name).is_some()).collect::<Vec<_>>();
    assert_eq!(bounds("max_tokens"), [true, false, false]);
    assert_eq!(bounds("max_completion_tokens"), [false, true, true]);
}

#[tokio::test]
async fn a_schema_that_the_endpoint_cannot_read_costs_one_question_and_no_answer() {
    let refusal = json!({"error": {"code": 400, "type": "invalid_request_error",
        "message": "Pattern must start with '^' and end with '$'"}});
    let server =
        FakeServer::start([Answer::json(400, &refusal), says("a"), says("b"), Answer::json(400, &refusal)]).await;
    let (model, _) = openai(&server.address, Dialect::COMPATIBLE);
    let mut request = request("Look it up.");
    let id = json!({"type": "string", "pattern": "[a-z]+", "format": "uri", "description": "which"});
    let schema = json!({"type": "object", "properties": {"id": id, "pattern": {"type": "array", "items": {"minLength": 1}}},
        "required": ["id"], "additionalProperties": false});
    request.tools = vec![tool("ticket", schema.clone())].into();
    assert_eq!(ask(&model, &request).await.unwrap().text, "a");
    assert_eq!(ask(&model, &request).await.unwrap().text, "b");
    let told: Vec<Value> =
        server.received().iter().map(|sent| sent.body["tools"][0]["function"]["parameters"].clone()).collect();
    let plain = json!({"type": "object", "required": ["id"], "properties":
        {"id": {"type": "string", "description": "which"}, "pattern": {"type": "array", "items": {}}}});
    assert_eq!(told, [schema, plain.clone(), plain]);
    let ModelError::BadRequest { .. } = ask(&model, &request).await.unwrap_err() else { panic!("it asks for ever") };
    assert_eq!(server.received().len(), 4);
}

#[tokio::test]
async fn a_schema_that_refers_to_its_parts_is_sent_without_references_and_no_longer_than_it_is() {
    let server = FakeServer::start([says("a")]).await;
    let (model, _) = openai(&server.address, Dialect::COMPATIBLE);
    let mut request = request("Look it up.");
    let node = json!({"type": "object", "description": "a folder and what is in it", "properties":
        {"name": {"type": "string", "minLength": 1}, "inside": {"type": "array", "items": {"$ref": "#/$defs/node"}}}});
    let tree = json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/node", "description": "the first"}},
        "required": ["root"], "$defs": {"node": node}});
    // Each part has the next one twice: in the place of its references it would be two to the power of thirty.
    let twice = |next: usize| {
        let part = json!({"$ref": format!("#/$defs/p{next}")});
        json!({"type": "object", "properties": {"one": part, "other": part}})
    };
    let parts: serde_json::Map<String, Value> = (0..30).map(|part| (format!("p{part}"), twice(part + 1))).collect();
    let wide = json!({"type": "object", "properties": {"all": {"$ref": "#/$defs/p0"}}, "$defs": parts});
    let simple = json!({"type": "object", "properties": {"id": {"type": "string", "format": "uri"}}});
    request.tools = vec![tool("tree", tree), tool("wide", wide), tool("simple", simple.clone())].into();
    ask(&model, &request).await.unwrap();
    let sent = server.received().remove(0);
    let told = |at: usize| sent.body["tools"][at]["function"]["parameters"].clone();
    let root = json!({"type": "object", "description": "the first", "properties":
        {"name": {"type": "string"}, "inside": {"type": "array", "items": {}}}});
    let plain = json!({"type": "object", "properties": {"root": root}, "required": ["root"]});
    assert_eq!([told(0), told(2)], [plain, simple], "others are sent as they are");
    assert_eq!(told(1), json!({"type": "object", "properties": {"all": {}}}));
}

#[tokio::test]
async fn an_endpoint_that_does_not_stream_is_understood_too() {
    let whole = json!({"choices": [{"message": {"role": "assistant", "content": "All at once."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4}});
    let server = FakeServer::start([Answer::json(200, &whole)]).await;
    let (model, _) = openai(&server.address, Dialect::COMPATIBLE);
    let reply = ask(&model, &request("Say it.")).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.usage.output), ("All at once.", 4));
}

#[tokio::test]
async fn a_block_below_a_call_is_its_long_text_and_nothing_inside_it_is_read_as_a_call() {
    let text =
        "{\"tool\":\"create_file\",\"args\":{\"path\":\"a.json\"}}\n```json\n{\"tool\":\"bash\",\"args\":{}}\n```";
    let server = FakeServer::start([says(text)]).await;
    let (model, _) = openai(&server.address, Dialect::PLAIN);
    let mut request = ruled("One of:\n{\"tool\":\"python\"}\n```python\n```", "Write it.");
    request.tools =
        vec![tool("create_file", json!({"type": "object", "properties": {"content": {"type": "string"}}}))].into();
    request.choice = ToolChoice::Auto;
    let reply = ask(&model, &request).await.unwrap();
    let expected = json!({"path": "a.json", "content": "{\"tool\":\"bash\",\"args\":{}}\n"});
    assert_eq!(reply.calls.iter().map(|call| &call.arguments).collect::<Vec<_>>(), [&expected]);
    request.messages.push(Message::Assistant { text: String::new(), calls: reply.calls });
    ask(&model, &request).await.unwrap();
    assert_eq!(server.received()[1].body["messages"][2]["content"], text.replace("json\n{", "\n{"));
}

#[tokio::test]
async fn a_call_whose_block_is_cut_off_is_a_fault_and_no_call() {
    let server = FakeServer::start([says("{\"tool\":\"python\"}\n```python\nimport os\nos.re")]).await;
    let (model, _) = openai(&server.address, Dialect::PLAIN);
    let mut request = ruled("{\"tool\":\"python\"}", "Write it.");
    request.tools = [tool("bash", json!({"type": "object"}))].into();
    request.choice = ToolChoice::Required;
    let reply = ask(&model, &request).await.unwrap();
    assert_eq!((reply.calls.len(), reply.faults.len()), (0, 1), "{reply:?}");
}

/// What an endpoint says of each text, and how often it was asked.
async fn counts(dialect: Dialect, answer: Answer, texts: &[&str]) -> (Vec<Option<u32>>, Vec<(String, Value)>) {
    let server = FakeServer::with_tokenizer(move |_, _| Some(answer.clone())).await;
    let (model, _) = openai(&server.address, dialect);
    let mut told = Vec::new();
    for text in texts {
        told.push(model.count_tokens(text).await);
    }
    (told, server.received().into_iter().map(|sent| (sent.line, sent.body)).collect())
}

#[tokio::test]
async fn tokens_are_counted_where_the_server_can_and_each_text_once() {
    let llama = Answer::json(200, &json!({"tokens": [9707, 1879]}));
    let vllm = Answer::json(200, &json!({"count": 2, "max_model_len": 4096, "tokens": null}));
    for answer in [llama, vllm] {
        let (told, asked) = counts(Dialect::COMPATIBLE, answer, &["", "Hello world", "Hello world", "Hello"]).await;
        assert_eq!(told, [Some(0), Some(2), Some(2), Some(2)]);
        let body = |text: &str| json!({"model": "test", "content": text, "prompt": text, "add_special_tokens": false});
        let line = "POST /tokenize".to_owned();
        assert_eq!(asked, [(line.clone(), body("Hello world")), (line, body("Hello"))]);
    }
}

#[tokio::test]
async fn an_endpoint_that_has_no_tokenizer_is_asked_once_and_one_that_is_busy_again() {
    let nothing = [
        Answer::json(404, &json!({"detail": "Not Found"})),
        Answer::status(404, "<html>nothing here</html>"),
        Answer::status(405, ""),
        Answer::json(400, &json!({"error": {"message": "what is this"}})),
        // What LM Studio says of an address that it does not know.
        Answer::json(200, &json!({"error": "Unexpected endpoint or method. (POST /tokenize)"})),
        Answer::json(200, &json!({"tokens": "many", "count": -1})),
        Answer::status(200, "[[["),
    ];
    for answer in nothing {
        let (told, asked) = counts(Dialect::COMPATIBLE, answer, &["One", "Two"]).await;
        assert_eq!((told, asked.len()), (vec![None, None], 1));
    }
    let busy = Answer::json(503, &json!({"error": {"message": "Loading model"}}));
    let (told, asked) = counts(Dialect::COMPATIBLE, busy, &["One", "Two"]).await;
    assert_eq!((told, asked.len()), (vec![None, None], 2));
    let (told, asked) = counts(Dialect::OPENAI, says("x"), &["One"]).await;
    assert_eq!((told, asked.len()), (vec![None], 0), "it is known to have none");
}
