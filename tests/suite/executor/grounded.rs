//! Arguments that come from nowhere: the call is not made, and the model is told which value it made up.

use assent_core::contract::Stage;
use assent_core::run::{Answer, CallState, RequestKind, RunStatus, StepStatus};
use assent_engine::model::{Finish, Message, PlannerProfile, Reply, Request, ToolCall};
use serde_json::{Value, json};

use super::support::{Rig, TestModel, text, tool};

/// A reply that opens these, one after the other.
fn opens(all: &[Value]) -> Reply {
    let calls = all.iter().enumerate().map(|(at, arguments)| ToolCall {
        id: at.to_string(),
        name: "open".to_owned(),
        arguments: arguments.clone(),
    });
    Reply { calls: calls.collect(), finish: Finish::Calls, ..Reply::default() }
}

/// What the model was told since its latest reply.
fn told(request: &Request) -> String {
    let last = request.messages.iter().rev().take_while(|message| !matches!(message, Message::Assistant { .. }));
    let texts = last.filter_map(|message| match message {
        Message::User { text } | Message::Tool { text, .. } => Some(text.clone()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

async fn rig() -> Rig {
    let rig = Rig::new(json!([tool("s1", "read what there is", &["open"], &[])])).await;
    std::fs::write(rig.workspace().join("notes.txt"), "notes").unwrap();
    rig
}

#[tokio::test]
async fn an_invented_id_address_or_path_is_named_with_its_place_and_the_next_call_may_be_right() {
    // The person speaks of report 17, and notes.txt is there.
    let cases = [
        (json!({"reportId": "17b"}), "the id in reportId does not occur in anything seen", json!({"reportId": "17"})),
        (
            json!({"address": "https://example.org/made-up"}),
            "the address in address does not occur in anything seen",
            json!({"reportId": "17"}),
        ),
        (json!({"path": "note.txt"}), "note.txt does not exist and was not mentioned", json!({"path": "notes.txt"})),
    ];
    for (invented, fault, right) in cases {
        let rig = rig().await;
        let (first, second) = (invented.clone(), right.clone());
        let model = TestModel::new(move |_, _, replies| match replies {
            0 => opens(std::slice::from_ref(&first)),
            1 => opens(std::slice::from_ref(&second)),
            _ => text("read"),
        });
        let outcome = rig.run(&rig.executor(&model)).await;
        assert_eq!(outcome.status, RunStatus::Completed, "{invented}");
        assert_eq!(rig.traces.all(), [format!("open {right}")], "what was made up was never opened");
        let requests = model.requests.lock().unwrap();
        let said = told(&requests[1]);
        assert!(said.contains(fault), "{invented}: {said}");
        if invented.get("path").is_some() {
            assert!(said.contains("Files here: notes.txt"), "{said}");
        } else {
            assert!(said.contains("if it is not there, look for it or ask"), "{said}");
        }
        assert!(!told(&requests[2]).contains("does not occur"), "what is mended is not told again");
        let state = rig.state(&outcome.run);
        let CallState::Refused(refused) = &state.ledger()[0].state else { panic!("{:?}", state.ledger()[0]) };
        let place = invented.as_object().unwrap().keys().next().unwrap();
        assert_eq!((refused.stage, refused.place().as_str()), (Stage::Grounding, place.as_str()));
    }
}

#[tokio::test]
async fn what_a_result_names_may_be_opened_and_in_the_same_reply_only_after_it() {
    let rig = rig().await;
    let model = TestModel::new(|_, _, replies| match replies {
        // The second is named by what the first gives, the third by nothing.
        0 => opens(&[json!({"reportId": "17"}), json!({"reportId": "4711"}), json!({"reportId": "4712"})]),
        _ => text("read"),
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!(outcome.status, RunStatus::Completed);
    assert_eq!(rig.traces.all(), ["17", "4711"].map(|id| format!("open {}", json!({"reportId": id}))));
    let state = rig.state(&outcome.run);
    let CallState::Refused(refused) = &state.ledger()[2].state else { panic!("{:?}", state.ledger()[2]) };
    assert_eq!(refused.message, "the id in reportId does not occur in anything seen");
    let said = format!("{:?}", model.requests.lock().unwrap()[1].messages);
    assert!(said.contains(&refused.message), "{said}");
}

#[tokio::test]
async fn a_strict_step_that_only_makes_things_up_is_never_done() {
    let rig = rig().await;
    let model = TestModel::new(|_, _, replies| match replies % 2 {
        0 => opens(&[json!({"reportId": format!("invented-{replies}")})]),
        _ => text("I have read the report."),
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    // It is no dead end: a person is told what was refused, and may let it try on or change the plan.
    let [asked] = outcome.requests.as_slice() else { panic!("{outcome:?}") };
    let reason = "This step has used its 5 replies, and what it wanted to call was refused: the id in reportId does not \
        occur in anything seen.";
    assert_eq!((asked.kind, asked.reason.as_deref()), (RequestKind::Cap, Some(reason)));
    executor.answer(&asked.id, Answer::Value { value: json!("stop here") }, None).await.unwrap();
    assert_eq!(executor.carry_on(&outcome.run, None).await.unwrap().status, RunStatus::Failed);
    assert_eq!(rig.traces.all(), Vec::<String>::new());
    let state = rig.state(&outcome.run);
    assert_eq!(state.step(0).status, StepStatus::Failed);
    assert!(state.ledger().iter().all(|entry| matches!(entry.state, CallState::Refused(_))));
}

#[tokio::test]
async fn nobody_is_asked_about_a_later_call_whose_address_is_made_up() {
    let invented = json!({"text": "https://example.org/made-up"});
    for (first, asked) in [("open", false), ("append", true)] {
        let rig = rig().await;
        let both = Reply {
            calls: [(first, json!({"text": "17"})), ("post", invented.clone())]
                .into_iter()
                .map(|(name, arguments)| ToolCall { id: name.to_owned(), name: name.to_owned(), arguments })
                .collect(),
            finish: Finish::Calls,
            ..Reply::default()
        };
        let model = TestModel::new(move |_, _, replies| match replies {
            0 => both.clone(),
            _ => text("read"),
        });
        let outcome = rig.run(&rig.executor(&model)).await;
        let state = rig.state(&outcome.run);
        // What has effects may make what the next call names; what only looks cannot.
        assert_eq!(!state.requests().is_empty(), asked, "after {first}: {:?}", state.requests());
        if !asked {
            let CallState::Refused(refused) = &state.ledger()[1].state else { panic!("{:?}", state.ledger()[1]) };
            assert_eq!(refused.message, "the address in text does not occur in anything seen");
            assert_eq!(rig.traces.all(), [format!("open {}", json!({"text": "17"}))]);
        }
    }
}

// covers: T4 T54
#[tokio::test]
async fn what_was_made_up_is_not_there_because_it_was_said_before() {
    for invented in
        [json!({"reportId": "17b"}), json!({"address": "https://example.org/made-up"}), json!({"path": "note.txt"})]
    {
        for profile in [PlannerProfile::Compact, PlannerProfile::Full] {
            let rig = rig().await;
            let again = || opens(std::slice::from_ref(&invented));
            let words = text(&format!("I have to open {invented}."));
            let twice = opens(&[invented.clone(), invented.clone()]);
            let model = TestModel::script(profile, vec![again(), words, again(), twice, again()]);
            let outcome = rig.run(&rig.executor(&model)).await;
            assert_eq!(
                (outcome.status, rig.traces.all()),
                (RunStatus::Suspended, Vec::new()),
                "{invented} {profile:?}"
            );
            let state = rig.state(&outcome.run);
            let made_up =
                |state: &CallState| matches!(state, CallState::Refused(fault) if fault.stage == Stage::Grounding);
            assert_eq!(state.ledger().len(), 5, "{invented} {profile:?}");
            assert!(state.ledger().iter().all(|entry| made_up(&entry.state)), "{:?}", state.ledger());
        }
    }
}

#[tokio::test]
async fn the_numbers_of_what_a_step_is_told_to_heed_are_no_ids_that_anybody_has_said() {
    for number in ["1", "2", "4"] {
        let rig = rig().await;
        let again = || opens(&[json!({"reportId": number})]);
        let model =
            TestModel::script(PlannerProfile::Full, vec![again(), opens(&[json!({"reportId": "17"})]), text("read")]);
        let outcome = rig.run(&rig.executor(&model)).await;
        assert!(told(&model.requests.lock().unwrap()[0]).contains(&format!("\n{number}. ")));
        assert_eq!(outcome.status, RunStatus::Completed);
        assert_eq!(rig.traces.all(), [format!("open {}", json!({"reportId": "17"}))], "{number}");
    }
}
