//! What an agent's file hands from one of its phases to the next.

use assent_core::run::{CallStatus, EventKind};
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

#[tokio::test]
async fn a_list_that_is_longer_than_a_phase_takes_is_cut_and_whoever_is_concerned_is_told() {
    let files = [
        ("team/agents/lead.toml", LEAD),
        ("team/agents/finder.toml", FINDER),
        ("team/agents/reader.toml", READER),
        ("team/found.json", FOUND),
        ("team/taken.json", TAKEN),
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
