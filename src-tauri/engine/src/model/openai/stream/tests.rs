//! A reply is the same wherever its stream is cut into pieces.

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::run::Purpose;
use futures::stream;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use super::fold;
use crate::model::calls::{Expect, Live};
use crate::model::http::Place;
use crate::model::{Delta, DeltaKind, OutputFormat, Reply, Request, ToolChoice};

fn request() -> Request {
    let read = ToolSpec::new(
        "read",
        "",
        json!({"type": "object", "properties": {"path": {"type": "string"}}}),
        Source::Core,
        Risk::Read,
    );
    Request {
        purpose: Purpose::Step,
        messages: Vec::new(),
        tools: [read].into(),
        choice: ToolChoice::Auto,
        output: OutputFormat::Text,
        max_tokens: 64,
        temperature: 0.0,
        seed: None,
        avoid: Vec::new(),
    }
}

/// The reply to a stream of these pieces, and all that a person saw of it, by kind.
fn folded(pieces: &[&str], protocol: bool) -> (Reply, Vec<(DeltaKind, String)>) {
    let piece = |text: &&str| Ok(json!({"choices": [{"delta": {"content": text}}]}).to_string());
    let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}).to_string();
    let events: Vec<_> = pieces.iter().map(piece).chain([Ok(end), Ok("[DONE]".to_owned())]).collect();
    let place = Place { endpoint: "here".into(), model: "test".into(), key: None };
    let (deltas, mut seen) = unbounded_channel();
    let live = Live::new(&deltas, if protocol { Expect::Protocol } else { Expect::Text });
    let (request, cancel) = (request(), CancellationToken::new());
    let reply = fold(stream::iter(events), &request, protocol, &place, live, &cancel);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let reply = runtime.block_on(reply).unwrap();
    drop(deltas);
    let mut shown: Vec<(DeltaKind, String)> = Vec::new();
    while let Ok(Delta { kind, text }) = seen.try_recv() {
        match shown.last_mut() {
            Some((last, whole)) if *last == kind => whole.push_str(&text),
            _ => shown.push((kind, text)),
        }
    }
    (reply, shown)
}

fn texts() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cassettes/written");
    let mut texts = vec![
        "<think>Let me see.</think>\n\n{\"done\":\"A \\\"word\\\" and\\nmore.\"}".to_owned(),
        "Plain words, <b>not</b> a call, and [1].".to_owned(),
        "{\"tool\":\"read\",\"args\":{\"path\":\"ä.txt\"}}".to_owned(),
    ];
    for entry in std::fs::read_dir(folder).unwrap() {
        let file: Value = serde_json::from_slice(&std::fs::read(entry.unwrap().path()).unwrap()).unwrap();
        let cases = file["cases"].as_array().unwrap();
        texts.extend(cases.iter().map(|case| case["text"].as_str().unwrap().to_owned()));
    }
    texts
}

proptest! {
    #[test]
    fn a_reply_is_the_same_however_its_stream_is_cut(which in any::<prop::sample::Index>(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12), protocol in any::<bool>()) {
        let texts = texts();
        let text = which.get(&texts).as_str();
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut.get(&places)).chain([0, text.len()]).collect();
        cuts.sort_unstable();
        let pieces: Vec<&str> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        prop_assert_eq!(folded(&pieces, protocol), folded(&[text], protocol), "{:?}", pieces);
    }
}

#[test]
fn a_call_in_a_familys_spelling_is_not_shown_as_text_while_it_comes() {
    for text in [
        "[TOOL_CALLS]read[ARGS]{\"path\": \"a\"}",
        "<tool_call>\n{\"name\": \"read\"}\n</tool_call>",
        "<|channel|>final<|message|>x",
    ] {
        for protocol in [true, false] {
            let pieces: Vec<&str> = text.split_inclusive(' ').collect();
            let (_, shown) = folded(&pieces, protocol);
            assert_eq!(shown, [(DeltaKind::Structure, text.to_owned())]);
        }
    }
    let (_, shown) = folded(&["[", "1] is the source.", " <b>"], false);
    assert_eq!(shown, [(DeltaKind::Text, "[1] is the source. <b>".to_owned())]);
}
