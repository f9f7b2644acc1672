//! Results that are too long for a request are cut, and what was cut can be read on.

use assent_engine::model::scripted::ScriptedModel;
use assent_engine::model::{Message, ModelProfile, PlannerProfile, Request};
use assent_engine::tool::CORE_TOOLS;
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use serde_json::{Value, json};

fn profile(planner: PlannerProfile) -> ModelProfile {
    ModelProfile { id: "scripted/test".into(), context_tokens: 4096, planner, parallel: 1, local: true }
}

/// Lines that no context holds: `line 0000` to `line 1999`.
fn long() -> String {
    (0..2000).map(|number| format!("line {number:04}\n")).collect()
}

/// What a request says last of a tool.
fn told(request: &Request) -> String {
    let texts = request.messages.iter().rev().filter_map(|message| match message {
        Message::Tool { text, .. } => Some(text.clone()),
        _ => None,
    });
    texts.into_iter().next().unwrap_or_default()
}

fn place_of(told: &str) -> (String, u64) {
    let (_, rest) =
        told.rsplit_once("; read ").unwrap_or_else(|| panic!("{}", &told[told.len().saturating_sub(200)..]));
    let (path, rest) = rest.split_once(" with offset ").unwrap();
    (path.to_owned(), rest.split_once(' ').unwrap().0.parse().unwrap())
}

#[tokio::test]
async fn a_cut_result_names_where_it_goes_on_and_is_read_from_there() {
    let desk = Desk::on(ScriptedModel::new(profile(PlannerProfile::Full)), &[("long.txt", &long())]);
    desk.plans(&json!({"title": "Read", "todoList": [
        {"id": "s1", "description": "Read long.txt", "stepType": "tool", "requiredTools": ["read"], "dependencies": []},
        {"id": "s2", "description": "Read the end", "stepType": "tool", "requiredTools": ["read"], "dependencies": ["s1"]},
    ]}));
    desk.calls("read", json!({"path": "long.txt"}));
    desk.calls("read", json!({"path": "result:1", "offset": 8000}));
    desk.says("read");
    desk.calls("read", json!({"path": "result:s1", "offset": 19_990}));
    desk.says("The last is line 1999.");
    let session = desk.session().await;
    let end = desk.send(&session, "What is the last line of long.txt?", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });

    let requests = desk.model.requests();
    let first = told(&requests[2]);
    let (path, offset) = place_of(&first);
    assert_eq!(path, "result:1");
    let shown = usize::try_from(offset).unwrap();
    assert!(first.starts_with(&long()[..shown]) && !first.contains(&long()[shown + 1..shown + 12]), "{first}");
    assert!(told(&requests[3]).starts_with(&long()[8000..8100]), "{}", told(&requests[3]));
    let begun = format!("{:?}", requests[4].messages);
    assert!(begun.contains("read result:s1 with offset "), "{begun}");
    assert!(told(&requests[5]).contains("line 1999"), "{}", told(&requests[5]));
}

#[tokio::test]
async fn who_works_alone_gets_read_beside_the_core_tools_once_a_result_is_cut() {
    let files: Vec<String> = (0..1000).map(|number| format!("measured-{number:04}.csv")).collect();
    let files = files.iter().map(|name| (name.as_str(), "1\n")).chain([("a.txt", "x\n")]);
    let desk = Desk::on(ScriptedModel::new(profile(PlannerProfile::Full)), &files.collect::<Vec<_>>());
    desk.plans(&json!({"title": "Look", "todoList": [
        {"id": "s1", "description": "Find the files", "stepType": "tool", "dependencies": []},
    ]}));
    desk.calls("grep", json!({"pattern": "x", "path": "a.txt"}));
    desk.calls("glob", json!({"pattern": "*.csv"}));
    desk.calls("read", json!({"path": "result:2", "offset": 8000}));
    desk.says("The last is 0999.");
    let session = desk.session().await;
    let end = desk.send(&session, "Which files are there?", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    let requests = desk.model.requests();
    let shown: Vec<Vec<&str>> = requests[1..5]
        .iter()
        .map(|request| request.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>())
        .collect();
    assert_eq!(shown[0], CORE_TOOLS);
    assert_eq!(shown[1], CORE_TOOLS, "what is short is not cut");
    let mut wide = CORE_TOOLS.to_vec();
    wide.insert(7, "read");
    assert_eq!(shown[2], wide);
    assert_eq!(shown[3], wide);
    assert_eq!(place_of(&told(&requests[3])).0, "result:2");
    assert!(told(&requests[4]).contains("measured-0450.csv"), "{}", told(&requests[4]));
}

#[tokio::test]
async fn a_result_that_is_not_there_is_told() {
    let desk = Desk::on(ScriptedModel::new(profile(PlannerProfile::Full)), &[("a.txt", "x\n")]);
    desk.plans(&json!({"title": "Read", "todoList": [
        {"id": "s1", "description": "Read result:9", "stepType": "tool", "requiredTools": ["read"], "dependencies": []},
    ]}));
    desk.calls("read", json!({"path": "result:9"}));
    desk.calls("read", json!({"path": "a.txt", "offset": 99}));
    desk.says("Nothing there.");
    let session = desk.session().await;
    desk.send(&session, "Read result:9", ApprovalPolicy::NeverAsk).await;
    let requests = desk.model.requests();
    assert!(told(&requests[2]).contains("there is no result:9"), "{}", told(&requests[2]));
    assert_eq!(told(&requests[3]), "(nothing there: 2 bytes in all)");
}

#[tokio::test]
async fn a_small_model_is_told_how_much_is_missing_and_shown_no_offset() {
    let desk = Desk::on(ScriptedModel::new(profile(PlannerProfile::Compact)), &[("long.txt", &long())]);
    desk.plans(&json!({"title": "Read", "steps": [{"tool": "read", "do": "Read long.txt", "expect": "lines"}]}));
    desk.calls("read", json!({"path": "long.txt"}));
    desk.says("read");
    let session = desk.session().await;
    desk.send(&session, "What is in long.txt?", ApprovalPolicy::NeverAsk).await;
    let requests = desk.model.requests();
    let shown = told(&requests[2]);
    assert!(shown.contains(" more characters]") && !shown.contains("offset"), "{shown}");
    let parameters: Vec<&Value> = requests[1].tools.iter().map(|tool| &tool.parameters["properties"]).collect();
    assert!(parameters.iter().all(|properties| properties.get("offset").is_none()), "{parameters:?}");
}
