//! What an agent's file hands from one of its phases to the next.

use assent_core::run::{CallStatus, EventKind, Purpose};
use assent_engine::model::scripted::{Gate, Scripted};
use assent_engine::turn::TurnEnd;
use serde_json::{Value, json};

use super::agents::{carry_out, desk_of, planning, requests, results};
use super::studio::said;

const LEAD: &str = "description = \"Leads.\"\ntools = [\"run_finder\", \"run_reader\"]\n\
    [[phases]]\ncall = \"run_finder\"\ntask = \"Find the pages\"\n\
    [[phases]]\ncall = \"run_reader\"\ntask = \"Read them\"\nwith = { pages = \"finder.pages\", names = \"finder.names\" }\n";
const FINDER: &str = "description = \"Finds.\"\ntools = [\"grep\"]\noutput = \"found.json\"\n";
const FOUND: &str = r#"{"type": "object", "required": ["pages", "names"]}"#;
const READER: &str = "description = \"Reads.\"\ntools = [\"grep\"]\ninput = \"taken.json\"\n";
const TAKEN: &str = r#"{"type": "object", "required": ["pages", "names"], "properties": {
    "pages": {"type": "array", "maxItems": 2, "items": {"type": "string"}},
    "names": {"type": "array", "maxItems": 2, "items": {"type": "string"}}}}"#;
const REFERRED: &str = r##"{"type": "object", "required": ["pages", "names"],
    "properties": {"pages": {"$ref": "#/$defs/few"}, "names": {"allOf": [{"$ref": "#/$defs/few"}]}},
    "$defs": {"few": {"type": "array", "maxItems": 2, "items": {"type": "string"}}}}"##;

#[tokio::test]
async fn a_list_that_is_longer_than_a_phase_takes_is_cut_and_whoever_is_concerned_is_told() {
    for taken in [TAKEN, REFERRED] {
        is_cut(taken).await;
    }
}

async fn is_cut(taken: &str) {
    let files = [
        ("team/agents/lead.toml", LEAD),
        ("team/agents/finder.toml", FINDER),
        ("team/agents/reader.toml", READER),
        ("team/found.json", FOUND),
        ("team/taken.json", taken),
    ];
    let (desk, session) = desk_of("scripted/test", &files).await;
    desk.calls("run_lead", json!({"task": "Have the pages read"}));
    desk.says(r#"{"pages": ["a", "b", "c", "d", "e"], "names": ["x", "y"]}"#);
    for said in ["Two are read.", "Two of five are read.", "Two of five pages are read."] {
        desk.says(said);
    }
    let mut steps = planning();
    steps[0]["requiredTools"] = json!(["run_lead"]);
    let end = carry_out(&desk, &session, steps, json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");

    let cut = "run_reader is given only the first 2 of 5 items of pages.";
    let warned: Vec<(String, String)> = desk
        .events(&session)
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::Warned { message } => Some((event.place.step?.to_string(), message)),
            _ => None,
        })
        .collect();
    assert_eq!(warned, [("s1/1".to_owned(), format!("{cut} It takes no more at once."))]);
    // The agent that is called knows it, and so does the one that goes on with what that gives.
    let [_, _, reader, lead, caller] = &requests(&desk)[..] else { panic!("{}", requests(&desk).len()) };
    assert!(said(reader).contains(&format!("Read them\n\n{cut}")), "{}", said(reader));
    assert!(said(reader).contains("\"b\"") && !said(reader).contains("\"c\""), "{}", said(reader));
    assert!(serde_json::to_string(&lead.messages).unwrap().contains(cut));
    assert!(!serde_json::to_string(&caller.messages).unwrap().contains(cut));
    let gave: Vec<(CallStatus, Value)> = results(&desk, &session).into_iter().map(|(one, two, _)| (one, two)).collect();
    assert_eq!(gave[1], (CallStatus::Success, json!("Two are read.")));
}

#[tokio::test]
async fn of_an_agent_that_two_steps_have_called_each_goes_on_with_what_it_gave_there() {
    let lead = LEAD.replace("\"run_reader\"]", "\"run_waiter\", \"run_reader\"]").replacen(
        "[[phases]]\ncall = \"run_reader\"",
        "[[phases]]\ncall = \"run_waiter\"\ntask = \"Wait\"\n[[phases]]\ncall = \"run_reader\"",
        1,
    );
    let files = [
        ("team/agents/lead.toml", lead.as_str()),
        ("team/agents/finder.toml", FINDER),
        ("team/agents/waiter.toml", "description = \"Waits.\"\ntools = [\"grep\"]\n"),
        ("team/agents/reader.toml", READER),
        ("team/found.json", FOUND),
        ("team/taken.json", TAKEN),
    ];
    let (desk, session) = desk_of("scripted/test", &files).await;
    for _ in 0..2 {
        desk.calls("run_lead", json!({"task": "Have the pages read"}));
    }
    // Both have found something before either goes on.
    let gates: [Gate; 4] = Default::default();
    let said =
        [r#"{"pages": ["one-a"], "names": ["x"]}"#, r#"{"pages": ["two-a"], "names": ["y"]}"#, "Waited.", "Waited."];
    for (said, gate) in said.into_iter().zip(&gates) {
        desk.model.push(Purpose::Step, Scripted::text(said).behind(gate));
    }
    for _ in 0..6 {
        desk.says("That is read.");
    }
    desk.model.push(Purpose::Synthesis, Scripted::text("All is read."));
    let mut steps = planning();
    steps[0]["requiredTools"] = json!(["run_lead"]);
    let mut other = steps[0].clone();
    other["id"] = json!("s2");
    steps.as_array_mut().unwrap().push(other);
    let in_turn = async {
        let [one, two, first, second] = &gates;
        one.reached().await;
        two.reached().await;
        one.open();
        first.reached().await;
        two.open();
        second.reached().await;
        first.open();
        second.open();
    };
    let (end, ()) = tokio::join!(carry_out(&desk, &session, steps, json!({"maxParallelSteps": 2})), in_turn);
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");

    // Of each lead the reader has what its own finder has found.
    let mut found: Vec<(String, Value)> = desk
        .events(&session)
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::CallEnded { output, .. } => {
                let pages = desk.engine.content(&output).unwrap().get("pages")?.clone();
                Some((event.place.step?.to_string(), pages))
            }
            _ => None,
        })
        .collect();
    let mut read: Vec<(String, Value)> = desk
        .events(&session)
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::ModelReplied { calls, .. } => {
                let call = calls.iter().find(|call| call.tool == "run_reader")?;
                let pages = desk.engine.content(&call.arguments).unwrap()["pages"].clone();
                Some((event.place.step?.to_string(), pages))
            }
            _ => None,
        })
        .collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    read.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!((read.len(), &read), (2, &found));
}
