//! A step that had agents called is done again, or is taken over by another run: what counts of them, and what does not.

use assent_core::ids::{RunId, SessionId, StepId};
use assent_core::run::{Answer, Purpose, RequestKind, StepStatus};
use assent_engine::turn::TurnEnd;
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::agents::{carry_out, desk_of, requests, results};
use super::studio::said;

const MAIN: &str = "description = \"Does all of it.\"\n\
    tools = [\"run_finder\", \"run_writer\", \"run_asker\", \"run_maker\"]\n";
const FINDER: &str = "description = \"Finds.\"\ntools = [\"grep\"]\noutput = \"found.json\"\n";
const FOUND: &str = r#"{"type": "object", "required": ["summary"]}"#;
const WRITER: &str = "description = \"Writes.\"\ntools = []\ninput = \"taken.json\"\n";
const TAKEN: &str = r#"{"type": "object", "required": ["collected_information"],
    "properties": {"collected_information": {"type": "array", "items": {"type": "object"}}}}"#;
const ASKER: &str = "description = \"Asks.\"\ntools = [\"displayConfirmation\"]\n";
const MAKER: &str = "description = \"Makes.\"\ntools = [\"create_file\"]\n";

async fn desk() -> (Desk, SessionId) {
    let files = [
        ("main/agent.toml", MAIN),
        ("team/agents/finder.toml", FINDER),
        ("team/found.json", FOUND),
        ("team/agents/writer.toml", WRITER),
        ("team/taken.json", TAKEN),
        ("team/agents/asker.toml", ASKER),
        ("team/agents/maker.toml", MAKER),
    ];
    desk_of("scripted/test", &files).await
}

/// A step that the one does who has the agents.
fn step(id: &str, after: &[&str]) -> Value {
    json!({"id": id, "description": "Find the pages and write of them", "origin": "route", "dependencies": after,
        "executor": {"kind": "specialist", "id": "main"}})
}

fn run_of(desk: &Desk, session: &SessionId) -> RunId {
    desk.engine.runs().list(session).unwrap().pop().unwrap().id
}

fn status(desk: &Desk, session: &SessionId, step: usize) -> StepStatus {
    desk.engine.runs().get(&run_of(desk, session)).unwrap().state.step(step).status
}

/// Has a step of the latest run done again.
async fn done_again(desk: &Desk, session: &SessionId, step: &str) -> TurnEnd {
    let run = run_of(desk, session);
    desk.engine.runs().retry(&run, &StepId::from(step)).await.unwrap();
    desk.engine.turns().carry_on(&run, None, &CancellationToken::new()).await.unwrap()
}

async fn answer(desk: &Desk, kind: RequestKind, answer: Answer) {
    let mut open = desk.engine.requests().open().unwrap().into_iter().map(|row| row.request);
    let open = open.find(|request| request.kind == kind).unwrap();
    desk.engine.turns().answer(&open.id, answer, &CancellationToken::new()).await.unwrap();
}

fn finds(desk: &Desk, what: &str) {
    desk.calls("run_finder", json!({"task": "Find the pages"}));
    desk.says(&json!({"summary": what}).to_string());
}

fn writes(desk: &Desk) {
    desk.calls("run_writer", json!({"task": "Write it"}));
    desk.says("It is written.");
}

/// What the writer was told each time.
fn told(desk: &Desk) -> Vec<String> {
    let asked = requests(desk).into_iter().map(|request| said(&request));
    asked.filter(|said| said.contains("Write it") && !said.contains("Find the pages and write")).collect()
}

#[tokio::test]
async fn what_an_agent_gave_in_an_attempt_that_was_thrown_away_is_handed_to_nobody() {
    let (desk, session) = desk().await;
    finds(&desk, "Ten pages");
    writes(&desk);
    desk.says("All is done.");
    let end = carry_out(&desk, &session, json!([step("s1", &[])]), json!({})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert!(told(&desk)[0].contains("Ten pages"), "{:?}", told(&desk));

    // At first nothing is found anew, so that there is nothing to write of.
    desk.calls("run_writer", json!({"task": "Write it"}));
    finds(&desk, "Two pages");
    writes(&desk);
    desk.says("All is done anew.");
    let end = done_again(&desk, &session, "s1").await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let refused = results(&desk, &session).into_iter().find_map(|(_, output, _)| {
        output["missing_fields"].as_array().map(|missing| (missing.clone(), output["success"].clone()))
    });
    assert_eq!(refused, Some((vec![json!("collected_information")], json!(false))));
    let told = told(&desk);
    let last = told.last().unwrap();
    assert!(last.contains("Two pages") && !last.contains("Ten pages"), "{last}");
}

#[tokio::test]
async fn what_an_agent_gave_in_a_step_that_is_taken_over_is_handed_to_the_steps_after_it() {
    let (desk, session) = desk().await;
    finds(&desk, "Ten pages");
    desk.says("They are found.");
    writes(&desk);
    desk.says("All is done.");
    let steps = json!([step("s1", &[]), step("s2", &["s1"])]);
    let end = carry_out(&desk, &session, steps, json!({"maxParallelSteps": 1})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let plan = desk.engine.plans().list(Some(&session)).unwrap().remove(0);
    writes(&desk);
    desk.says("All is done anew.");
    let reference = desk.engine.plans().reference(&plan);
    let end = desk.engine.turns().run_from(&reference, &"s2".into(), &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    let told = told(&desk);
    assert!(told.len() == 2 && told.iter().all(|told| told.contains("Ten pages")), "{told:?}");
}

#[tokio::test]
async fn what_agents_of_an_earlier_attempt_have_used_counts_against_no_limit_of_the_next() {
    let (desk, session) = desk().await;
    desk.calls("run_finder", json!({"task": "Find the pages"}));
    for word in ["one", "two", "three"] {
        desk.calls("grep", json!({"pattern": word}));
    }
    let end = carry_out(&desk, &session, json!([step("s1", &[])]), json!({"branchCalls": 3})).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    answer(&desk, RequestKind::Cap, Answer::Value { value: json!("stop here") }).await;
    assert_ne!(status(&desk, &session, 0), StepStatus::Completed);
    finds(&desk, "Ten pages");
    desk.says("All is done.");
    let end = done_again(&desk, &session, "s1").await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "nobody is asked again at once: {end:?}");
    assert_eq!(status(&desk, &session, 0), StepStatus::Completed);
}

#[tokio::test]
async fn what_a_refusal_in_an_agent_has_ended_is_taken_up_again_with_the_step_that_called_it() {
    let (desk, session) = desk().await;
    desk.calls("run_asker", json!({"task": "Ask whether it may go on"}));
    desk.calls("ask_user", json!({"question": "Under which name?"}));
    desk.calls("displayConfirmation", json!({"action": "go on"}));
    let asks =
        json!({"id": "s2", "description": "Ask for the name", "stepType": "tool", "requiredTools": ["ask_user"]});
    let makes = json!({"id": "s3", "description": "Write pages.md", "stepType": "tool", "requiredTools": ["create_file"],
        "dependencies": ["s2"]});
    let steps = json!([step("s1", &[]), asks, makes]);
    let end = carry_out(&desk, &session, steps, json!({"maxParallelSteps": 1})).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    answer(&desk, RequestKind::Confirm, Answer::Reject { reason: None }).await;
    desk.says("It is pages.md.");
    answer(&desk, RequestKind::Question, Answer::Value { value: json!("pages.md") }).await;
    let statuses = || [0, 1, 2].map(|at| status(&desk, &session, at));
    assert_eq!(statuses(), [StepStatus::Cancelled, StepStatus::Completed, StepStatus::Skipped]);
    desk.engine.runs().retry(&run_of(&desk, &session), &"s1".into()).await.unwrap();
    assert_eq!(statuses(), [StepStatus::Pending, StepStatus::Completed, StepStatus::Pending]);
    let state = desk.engine.runs().get(&run_of(&desk, &session)).unwrap().state;
    assert_eq!(state.refused_before(2), None, "what was refused is to be asked once more");
}

#[tokio::test]
async fn a_step_whose_agent_ended_for_a_refusal_elsewhere_is_taken_up_again_with_what_was_refused() {
    let (desk, session) = desk().await;
    desk.calls("displayConfirmation", json!({"action": "write it"}));
    desk.calls("run_maker", json!({"task": "Write pages.md"}));
    desk.calls("create_file", json!({"path": "pages.md", "content": "none"}));
    let asks =
        json!({"id": "s1", "description": "Ask first", "stepType": "tool", "requiredTools": ["displayConfirmation"]});
    let end = carry_out(&desk, &session, json!([asks, step("s2", &[])]), json!({"maxParallelSteps": 1})).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    answer(&desk, RequestKind::Confirm, Answer::Reject { reason: None }).await;
    assert_eq!([0, 1].map(|at| status(&desk, &session, at)), [StepStatus::Cancelled; 2]);
    assert_eq!(desk.file("pages.md"), None);
    desk.engine.runs().retry(&run_of(&desk, &session), &"s1".into()).await.unwrap();
    assert_eq!([0, 1].map(|at| status(&desk, &session, at)), [StepStatus::Pending; 2]);
}

#[tokio::test]
async fn an_agent_that_failed_and_was_called_again_leaves_the_answer_of_the_last_step_as_it_is() {
    let (desk, session) = desk().await;
    desk.calls("run_finder", json!({"task": "Find the pages"}));
    desk.says("There are ten.");
    finds(&desk, "Ten pages");
    desk.says("There are ten pages.");
    let end = carry_out(&desk, &session, json!([step("s1", &[])]), json!({"outputRetries": 0})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(desk.answers(&session), ["There are ten pages."]);
    assert!(desk.model.requests().iter().all(|request| request.purpose != Purpose::Synthesis));
}
