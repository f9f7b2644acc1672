//! The spellings of `tests/cassettes/written`, whole, cut, wrapped and quoted.

use std::time::{Duration, Instant};

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::run::Purpose;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Read, read, read_native, take_calls};
use crate::model::{Message, OutputFormat, Reply, Request, ToolChoice};

/// One text of a model, and what it means.
struct Case {
    /// Family and case, for the messages.
    what: String,
    text: String,
    calls: Vec<(String, Value)>,
    thoughts: Option<String>,
    answer: String,
    faults: usize,
    /// Whether it has no mark, so that words beside it make a text of it.
    alone: bool,
}

fn cases() -> Vec<Case> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cassettes/written");
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let file: Value = serde_json::from_slice(&std::fs::read(entry.unwrap().path()).unwrap()).unwrap();
        let origins = [
            "written from documentation, not recorded",
            "written from documentation, and compared with recorded replies",
        ];
        assert!(origins.iter().any(|origin| file["origin"] == *origin), "{}", file["origin"]);
        assert!(file["source"].as_array().is_some_and(|sources| !sources.is_empty()));
        for case in file["cases"].as_array().unwrap() {
            let text = |key: &str| case[key].as_str().map(str::to_owned);
            let calls = case["calls"].as_array().unwrap();
            cases.push(Case {
                what: format!("{}: {}", file["family"].as_str().unwrap(), text("what").unwrap()),
                text: text("text").unwrap(),
                calls: calls.iter().map(|call| (call[0].as_str().unwrap().to_owned(), call[1].clone())).collect(),
                thoughts: text("thoughts"),
                answer: text("answer").unwrap_or_default(),
                faults: usize::try_from(case["faults"].as_u64().unwrap_or(0)).unwrap(),
                alone: case["alone"] == true,
            });
        }
    }
    assert!(cases.len() > 50, "the folder is there");
    cases
}

fn tool(name: &str, properties: &Value) -> ToolSpec {
    ToolSpec::new(name, "", json!({"type": "object", "properties": properties}), Source::Core, Risk::Read)
}

fn request(choice: ToolChoice) -> Request {
    let text = json!({"type": "string"});
    let tools = vec![
        tool("read", &json!({"path": text, "lines": {"type": ["integer", "null"]}})),
        tool("grep", &json!({"pattern": text, "paths": {"type": "array"}, "ignore_case": {"type": "boolean"}})),
        tool("create_file", &json!({"path": text, "content": text})),
        tool("status", &json!({})),
    ];
    Request {
        purpose: Purpose::Step,
        messages: Vec::new(),
        tools: tools.into(),
        choice,
        output: OutputFormat::Text,
        max_tokens: 64,
        temperature: 0.0,
        seed: None,
        avoid: Vec::new(),
    }
}

type Reader = fn(&str, &Request) -> Read;

/// Both readers: of the protocol, and of an endpoint with calls of its own.
const READERS: [(&str, Reader); 2] = [("protocol", read), ("native", read_native)];

/// What a text comes to: calls, number of faults, thoughts, text.
fn said(reader: Reader, text: &str, request: &Request) -> Reply {
    let read = reader(text, request);
    let mut reply = Reply { text: read.text, thoughts: read.thoughts, faults: read.faults, ..Reply::default() };
    take_calls(request, read.calls, &mut reply);
    reply
}

fn calls(reply: &Reply) -> Vec<(String, Value)> {
    reply.calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect()
}

// covers: T7 T61
#[test]
fn every_spelling_is_read_as_it_is_meant_by_both_readers() {
    let request = request(ToolChoice::Auto);
    for case in cases() {
        for (name, reader) in READERS {
            let reply = said(reader, &case.text, &request);
            assert_eq!(calls(&reply), case.calls, "{} ({name})", case.what);
            assert_eq!(reply.faults.len(), case.faults, "{} ({name}): {:?}", case.what, reply.faults);
            assert_eq!(reply.text.trim(), case.answer, "{} ({name})", case.what);
            if let Some(thoughts) = &case.thoughts {
                assert_eq!(reply.thoughts.trim(), thoughts, "{} ({name})", case.what);
            }
        }
    }
}

#[test]
fn calls_without_any_mark_are_calls_where_there_is_nothing_else() {
    let request = request(ToolChoice::Auto);
    for text in [
        "read\n{\"path\": \"a.txt\"}\nis how it is called.",
        "read(path='a.txt')\nprint(1)",
        "print(1)",
        "read",
        "read(path='a.txt') would show it.",
        "1. read(path='a.txt')",
        "```python\nread(path='a.txt')\n```\nshows it.",
        "read {\"path\": \"a.txt\"} or [1]",
        "read [1]",
    ] {
        for (name, reader) in READERS {
            let reply = said(reader, text, &request);
            assert_eq!((calls(&reply), reply.text.as_str()), (Vec::new(), text), "({name})");
        }
    }
}

#[test]
fn a_text_that_ends_anywhere_gives_the_calls_before_and_never_another_one() {
    let request = request(ToolChoice::Auto);
    for case in cases() {
        for end in (0..case.text.len()).filter(|end| case.text.is_char_boundary(*end)) {
            for (name, reader) in READERS {
                let reply = said(reader, &case.text[..end], &request);
                let whole = calls(&reply);
                assert!(case.calls.starts_with(&whole), "{} ({name}), cut at {end}: {whole:?}", case.what);
            }
        }
    }
}

#[test]
fn a_call_that_is_cut_is_a_fault() {
    let request = request(ToolChoice::Auto);
    let marked = [
        "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"pa",
        "<tool_call>\n<function=create_file>\n<parameter=content>\nhalf of",
        "<function=read>\n<parameter=path>\na.txt\n</parameter>\n",
        "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a.t",
        "<minimax:tool_call>\n<invoke name=\"read\">\n<parameter name=\"path\">a.txt</parameter>\n",
        "[TOOL_CALLS]read[ARGS]{\"path\"",
        "[TOOL_CALLS] [{\"name\": \"read\", \"arguments\": {}}, {\"name\": \"re",
        "[TOOL_CALLS]status[ARGS]{}[TOOL_CALLS]rea",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{\"path\": \"",
        "<|channel|>commentary to=functions.read <|constrain|>json<|message|>{\"path\":",
        "<|python_tag|>[read(path=\"a.txt\"), read(path=\"b",
        "[read(path='a.txt', lines=",
    ];
    for text in marked {
        for (name, reader) in READERS {
            let reply = said(reader, text, &request);
            let faults: Vec<&str> = reply.faults.iter().map(|fault| fault.message.as_str()).collect();
            let bare = name == "native" && text.starts_with("[read");
            assert_eq!(faults.len(), usize::from(!bare), "{text} ({name}): {reply:?}");
            assert!(faults.iter().all(|fault| fault.contains("no end")), "{text} ({name}): {faults:?}");
            let before = ["read\", \"arguments\": {}", "read(path=\"a.txt\")", "status[ARGS]{}"];
            let whole = before.iter().filter(|call| text.contains(**call)).count();
            assert_eq!(reply.calls.len(), whole, "{text} ({name}): {:?}", reply.calls);
        }
    }
    let bare = "{\"toolCalls\":[{\"toolName\":\"status\",\"arguments\":{}},{\"toolName\":\"rea";
    let reply = said(read, bare, &request);
    assert_eq!((reply.calls.len(), reply.faults.len()), (1, 1), "the whole one counts: {reply:?}");
    let inside =
        r#"{"toolCalls":[{"toolName":"create_file","arguments":{"x":{"toolName":"status","arguments":{}},"c":"#;
    let reply = said(read, inside, &request);
    assert_eq!((reply.calls.len(), reply.faults.len()), (0, 1), "what is inside of a cut call is no call: {reply:?}");
    let reply = said(read_native, bare, &request);
    assert_eq!((reply.calls.len(), reply.faults.len(), reply.text.as_str()), (1, 1, ""), "{reply:?}");
    let other = "{\"rows\":[{\"name\":\"status\",\"input\":{}},{\"na";
    let reply = said(read_native, other, &request);
    assert_eq!((reply.calls.len(), reply.faults.len(), reply.text.as_str()), (0, 0, other), "it may write any JSON");
}

#[test]
fn the_end_of_a_step_is_read_where_the_rules_tell_it_and_nowhere_else() {
    let mut request = request(ToolChoice::Auto);
    let end = r#"{"done": "I wrote hello."}"#;
    assert_eq!(said(read_native, end, &request).text, end);
    request.messages.insert(0, Message::System { text: r#"End with {"done":"..."}"#.into() });
    assert_eq!(said(read_native, end, &request).text, "I wrote hello.");
    assert_eq!(said(read_native, &format!("```json\n{end}\n```"), &request).text, "I wrote hello.");
    for other in ["I am done.", r#"{"done": true, "rows": [1]}"#, r#"{"rows": []}"#, "{\"done\": \"cut"] {
        assert_eq!(said(read_native, other, &request).text, other);
    }
    request.choice = ToolChoice::None;
    assert_eq!(said(read_native, end, &request).text, "I wrote hello.", "where there is nothing to call");
}

#[test]
fn a_call_that_breaks_its_form_is_a_fault_and_what_is_inside_of_it_no_call() {
    let request = request(ToolChoice::Auto);
    let texts = [
        "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}\n</tool_call>",
        "<tool_call>{\"answer\": 42}</tool_call>",
        "[TOOL_CALLS] [{\"name\": \"read\", \"arguments\": {path}}]",
    ];
    for text in texts {
        for (name, reader) in READERS {
            let reply = said(reader, text, &request);
            assert_eq!(reply.calls, [], "{text} ({name})");
            let faults: Vec<&str> = reply.faults.iter().map(|fault| fault.message.as_str()).collect();
            assert_eq!(faults, ["the reply holds a call that cannot be read"], "{text} ({name})");
        }
    }
    let inside = r#"{"tool":"create_file","args":{"path":"a","content":oops,"x":{"tool":"status","args":{}}}}"#;
    let reply = said(read, inside, &request);
    assert_eq!((reply.calls.len(), reply.faults.len()), (0, 1), "{reply:?}");
    let after = format!("{}\n<tool_call>{{\"name\": \"status\", \"arguments\": {{}}}}</tool_call>", texts[0]);
    let reply = said(read, &after, &request);
    assert_eq!((reply.calls.len(), reply.faults.len()), (1, 1), "the next call is still read: {reply:?}");
}

#[test]
fn words_around_a_call_do_not_hide_it() {
    let (open, must) = (request(ToolChoice::Auto), request(ToolChoice::Required));
    for case in cases().iter().filter(|case| !case.calls.is_empty() && !case.alone) {
        for (name, reader) in READERS {
            let around = format!("I will do it now (see <b>, [1] and {{x}}).\n{}\nThat is all.", case.text);
            assert_eq!(calls(&said(reader, &around, &must)), case.calls, "{} ({name})", case.what);
            if !case.text.contains("```json\n[") && !case.text.contains("```json\n{\"name") {
                assert_eq!(calls(&said(reader, &around, &open)), case.calls, "{} ({name})", case.what);
            }
        }
    }
}

#[test]
fn a_call_that_an_answer_explains_is_none_unless_a_call_is_asked_for() {
    let (open, must) = (request(ToolChoice::Auto), request(ToolChoice::Required));
    let is_shown = |case: &&Case| {
        !case.calls.is_empty() && !case.alone && !case.text.contains("think>") && case.thoughts.is_none()
    };
    for case in cases().iter().filter(is_shown) {
        let explained =
            format!("This family writes a call like this:\n\n````text\n{}\n````\n\nNothing is read by it.", case.text);
        for (name, reader) in READERS {
            let reply = said(reader, &explained, &open);
            assert_eq!((reply.calls.len(), reply.faults.len()), (0, 0), "{} ({name}): {reply:?}", case.what);
            assert_eq!(reply.text, explained, "{} ({name})", case.what);
            assert_eq!(calls(&said(reader, &explained, &must)), case.calls, "{} ({name})", case.what);
        }
    }
    let inline = "Write `{\"tool\":\"read\",\"args\":{\"path\":\"a\"}}` or `<tool_call>` in `config.json` for that.";
    let reply = said(read, inline, &open);
    assert_eq!((reply.calls.len(), reply.faults.len(), reply.text.as_str()), (0, 0, inline), "{reply:?}");
}

#[test]
fn what_only_looks_like_a_call_is_text() {
    let request = request(ToolChoice::Auto);
    let texts = [
        "See [read](https://x/y) and [1], [a] or {b}.",
        "A list [delete(path='a')] of a tool that there is not.",
        "Qwen writes <tool_call> and </tool_call>, Mistral [TOOL_CALLS] and [ARGS], gpt-oss <|channel|>.",
        "The tag <function=name> begins it; <invoke name=\"x\"> elsewhere.",
        "x < y and a [ b, f(x) = {1, 2}",
        "He said {\"hello\" and went.",
        "[read",
        "[TOOL_CA",
        "",
    ];
    for text in texts {
        for (name, reader) in READERS {
            let reply = said(reader, text, &request);
            assert_eq!((reply.calls.len(), reply.faults.len()), (0, 0), "{text} ({name}): {reply:?}");
            assert_eq!(reply.text, text, "{name}");
        }
    }
}

#[test]
fn a_marked_call_of_no_tool_is_still_a_call_so_that_its_model_is_told() {
    let request = request(ToolChoice::Auto);
    for text in [
        "[TOOL_CALLS]rm[ARGS]{\"path\": \"/\"}",
        "<tool_call>{\"name\":\"rm\",\"arguments\":{\"path\":\"/\"}}</tool_call>",
    ] {
        for (name, reader) in READERS {
            let reply = said(reader, text, &request);
            assert_eq!(calls(&reply), [("rm".to_owned(), json!({"path": "/"}))], "{text} ({name})");
        }
    }
}

#[test]
fn names_of_the_wire_are_names_of_tools() {
    let mut request = request(ToolChoice::Auto);
    request.tools = [tool("mcp.web.fetch", &json!({"count": {"type": "integer"}}))].into();
    let text = "<tool_call>\n<function=mcp_web_fetch>\n<parameter=count>\n3\n</parameter>\n</function>\n</tool_call>";
    let expected = [("mcp.web.fetch".to_owned(), json!({"count": 3}))];
    for (name, reader) in READERS {
        assert_eq!(calls(&said(reader, text, &request)), expected, "{name}");
    }
}

/// Has texts read that repeat a piece, on a small stack. Seconds are what a busy machine may need; what is quadratic
/// needs minutes and hours.
fn reads_in_time(bytes: usize, pieces: &'static [&'static str]) {
    const LONGEST: Duration = Duration::from_secs(30);
    let reading = std::thread::Builder::new().stack_size(512 << 10).spawn(move || {
        let request = request(ToolChoice::Auto);
        for piece in pieces {
            let text = piece.repeat(bytes / piece.len());
            let began = Instant::now();
            read(&text, &request);
            super::single_object(&text);
            let took = began.elapsed();
            assert!(took < LONGEST, "{piece:?} took {took:?}");
        }
    });
    reading.unwrap().join().unwrap();
}

#[test]
fn a_megabyte_of_brackets_is_read_in_time_and_without_a_deep_stack() {
    reads_in_time(1 << 20, &["[", "{", "[{\"a\":["]);
}

#[test]
fn the_time_is_proportional_to_the_length_whatever_is_repeated() {
    const BEGUN: &[&str] = &[
        "{\"a\":",
        "[\"",
        "[x,",
        "[[],",
        "{x ",
        "`",
        "``` ",
        "<",
        "<|",
        "{}",
        "[{}] ",
        "\\\"",
        "{\"tool\":\"python\"}\n```\n",
        "<think>",
        "[read(",
        "[read(a=",
        "[read(a=[",
        "[read(a=\"",
        "<tool_call>",
        "<tool_call>{",
        "<tool_call>{]",
        "<function=f>",
        "<function=f><parameter=a>",
        "<function=f>x",
        "<function=f>{]",
        "[TOOL_CALLS]",
        "[TOOL_CALLS]f{]",
        "[TOOL_CALLS]f[ARGS]x",
        "<|channel|>",
        "<|channel|>a<|message|>",
        "<|channel|>to=f<|message|>[",
        "<|start|>assistant to=",
        "<｜tool▁call▁begin｜>f<｜tool▁sep｜>x",
    ];
    reads_in_time(1 << 18, BEGUN);
}

proptest! {
    /// Neither reader falls over anything, and text of a person's language without marks is never a call.
    #[test]
    fn any_text_is_read(text in "(\\PC|\n|<tool_call>|\\[TOOL_CALLS\\]|\\{\"tool\":|<function=|\\[read\\(|```|\"|\\\\|<\\|channel\\|>){0,60}") {
        for (_, reader) in READERS {
            reader(&text, &request(ToolChoice::Auto));
        }
    }

    #[test]
    fn words_are_words(text in "[a-zA-Z ,.:;'!?()\\n-]{0,200}") {
        let text = text.trim();
        for (_, reader) in READERS {
            let reply = said(reader, text, &request(ToolChoice::Auto));
            prop_assert_eq!((reply.calls.len(), reply.faults.len(), reply.text.as_str()), (0, 0, text));
        }
    }
}
