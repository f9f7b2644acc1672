//! What a person is asked at the end of a turn: the next steps that were told, before any other question that the plan
//! does not require; and how a turn ends, by the results of its calls.

use assent_core::run::{Answer, EventKind, NEXT_QUESTION, Purpose, TurnStatus};
use assent_engine::model::PlannerProfile;
use assent_engine::turn::TurnEnd;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::studio::{Studios, handed_over, pack, said, step};

const CREDENTIALS: &str = "Which credentials shall the agent use?";
const OFFERED: &str = "The agent is made.\n\n## Next steps\n- Run it now\n- Modify\n- Not now";

/// `agent` says something, then `general` asks for credentials: what the person is asked.
async fn asked_after(told: &str, derived: Option<&str>) -> (Studios, String, Vec<String>) {
    let mut flat = pack();
    flat["specialists"].as_array_mut().unwrap().truncate(3);
    let studio = Studios::with(PlannerProfile::Full, &flat).await;
    studio.calls("create_agent", json!({"name": "watcher"}));
    studio.says(Purpose::Step, told);
    studio.calls("ask_user", json!({"question": CREDENTIALS, "options": ["mine", "none"]}));
    if let Some(derived) = derived {
        studio.says(Purpose::Prompt, derived);
    }
    let steps = json!([handed_over("s1", "agent", &[]), handed_over("s2", "general", &["s1"])]);
    let end = studio.carry_out(steps, json!({})).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let open = studio.engine.requests().open().unwrap().remove(0).request;
    let labels = open.input.options.into_iter().map(|option| option.label).collect();
    (studio, open.prompt, labels)
}

// covers: P6 P52 P53 P68 P69 P73 P74
#[tokio::test]
async fn next_steps_are_asked_about_before_credentials_and_the_model_is_told_what_was_answered() {
    let (studio, prompt, options) = asked_after(OFFERED, None).await;
    assert_eq!(
        (prompt.as_str(), options),
        (NEXT_QUESTION, ["Run it now", "Modify", "Not now"].map(str::to_owned).to_vec())
    );
    assert!(studio.of(Purpose::Prompt).is_empty(), "the form of the text says it");
    let open = studio.engine.requests().open().unwrap().remove(0).request;
    studio.calls("ask_user", json!({"question": CREDENTIALS}));
    let answer = Answer::Value { value: json!("Run it now") };
    let end = studio.engine.turns().answer(&open.id, answer, &CancellationToken::new()).await.unwrap();
    let told = said(studio.of(Purpose::Step).last().unwrap());
    let result = json!({"question": NEXT_QUESTION, "answer": "Run it now"}).to_string();
    assert!(told.contains(&result), "{told}");
    // Whoever asks for it once more is not put off again.
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    assert_eq!(studio.engine.requests().open().unwrap()[0].request.prompt, CREDENTIALS);
}

// covers: P54 P68
#[tokio::test]
async fn a_model_reads_next_steps_only_where_their_form_does_not_say() {
    let unclear = "The agent is made. \nNext steps: you might run it, or change its search first.";
    let reply = json!({"question": "How shall we go on?", "options": ["Run it", "Change its search"]}).to_string();
    let (studio, prompt, options) = asked_after(unclear, Some(&reply)).await;
    assert_eq!(
        (prompt.as_str(), options),
        ("How shall we go on?", vec!["Run it".to_owned(), "Change its search".to_owned()])
    );
    let derived = studio.of(Purpose::Prompt);
    assert_eq!(derived.len(), 1);
    assert!(said(&derived[0]).contains("you might run it") && !said(&derived[0]).contains("The agent is made"));
    let kept = studio
        .events()
        .into_iter()
        .find(|event| matches!(event.kind, EventKind::ModelReplied { purpose: Purpose::Prompt, .. }));
    let sent = studio.engine.runs().sent(&studio.session, kept.unwrap().seq).unwrap();
    assert_eq!(sent.request.messages, derived[0].messages, "it can be had again, byte for byte");
    let (_, prompt, _) = asked_after(unclear, Some("I do not know")).await;
    assert_eq!(prompt, CREDENTIALS, "nothing usable was derived");
}

// covers: P55
#[tokio::test]
async fn without_next_steps_or_where_it_is_about_them_the_first_question_is_asked_unchanged() {
    let (studio, prompt, options) = asked_after("The agent is made.", None).await;
    assert_eq!((prompt.as_str(), options), (CREDENTIALS, vec!["mine".to_owned(), "none".to_owned()]));
    assert!(studio.of(Purpose::Prompt).is_empty());
    let (_, prompt, _) = asked_after("Next steps: Run it with mine / None", None).await;
    assert_eq!(prompt, CREDENTIALS, "it offers one of them");
}

#[tokio::test]
async fn a_question_that_the_plan_requires_is_asked() {
    let studio = Studios::new().await;
    studio.calls("create_agent", json!({"name": "watcher"}));
    studio.says(Purpose::Step, OFFERED);
    studio.calls("ask_user", json!({"question": CREDENTIALS}));
    let asks = step("s2", "general", &["ask_user"], &["s1"]);
    studio.carry_out(json!([handed_over("s1", "agent", &[]), asks]), json!({})).await;
    assert_eq!(studio.engine.requests().open().unwrap()[0].request.prompt, CREDENTIALS);
}

// covers: P67 P74
#[tokio::test]
async fn how_a_turn_stands_is_told_by_the_results_of_its_calls_and_not_by_what_is_said() {
    let required = |tool: &str| step("s1", "agent", &[tool], &[]);
    for (step, calls, status) in [
        (required("list_agents"), vec![("list_agents", json!({}))], TurnStatus::Answered),
        (required("ask_user"), vec![("ask_user", json!({"question": "Which?"}))], TurnStatus::Asked),
        (required("displayConfirmation"), vec![("displayConfirmation", json!({"action": "run"}))], TurnStatus::Asked),
        // Said to be done, and not called.
        (required("list_agents"), vec![], TurnStatus::Failed),
        // Called, and the call did not do it.
        (required("ask_user"), vec![("ask_user", json!({"question": " "}))], TurnStatus::Failed),
    ] {
        let studio = Studios::new().await;
        let told = format!("{step} {calls:?}");
        for (tool, arguments) in calls {
            studio.calls(tool, arguments);
        }
        for _ in 0..6 {
            studio.says(Purpose::Step, "All is done.");
        }
        studio.carry_out(json!([step]), json!({})).await;
        let ended: Vec<TurnStatus> = studio
            .events()
            .into_iter()
            .filter_map(|event| match event.kind {
                EventKind::TurnEnded { status, .. } => Some(status),
                _ => None,
            })
            .collect();
        assert_eq!(ended, [status], "{told}");
        let open: Vec<Value> =
            studio.engine.requests().open().unwrap().iter().map(|row| json!(row.request.prompt)).collect();
        assert_eq!(open.len(), usize::from(status == TurnStatus::Asked), "{told}: {open:?}");
    }
}
