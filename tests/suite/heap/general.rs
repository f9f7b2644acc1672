//! What the specialist that talks with the person is told, and nobody else where somebody has planned.

use assent_core::plan::import;
use assent_core::run::{Decider, Purpose};
use assent_engine::model::PlannerProfile;
use assent_engine::turn::TurnEnd;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::studio::{AGENT, Studios, handed_over, pack, said, step};

// covers: H34
#[tokio::test]
async fn who_talks_with_the_person_sees_the_recent_conversation_in_a_budget_and_others_none_of_it() {
    let studio = Studios::new().await;
    let long = format!("question 7 {} the end of it", "very ".repeat(1_000));
    for at in 0..8 {
        let answer = json!({"title": "Said", "answer": format!("answer {at}")});
        studio.says(Purpose::Plan, &answer.to_string());
        let question = if at == 7 { long.clone() } else { format!("question {at}") };
        let end = studio.send(&question).await;
        assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    }
    studio.says(Purpose::Step, "The person wants to be greeted.");
    studio.calls(AGENT[0], json!({}));
    studio.says(Purpose::Step, "There are none.");
    let end = studio
        .carry_out(json!([handed_over("s1", "general", &[]), step("s2", "agent", &AGENT[..1], &["s1"])]), json!({}))
        .await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");

    let steps = studio.of(Purpose::Step);
    let (general, agent) = (said(&steps[0]), said(&steps[1]));
    let talk = general.split("Recent conversation:").nth(1).expect(&general);
    for shown in ["User: question 6\n", "Assistant: answer 6\n", "Assistant: answer 7\n", " … ", "the end of it"] {
        assert!(talk.contains(shown), "{shown}: {talk}");
    }
    assert!(!talk.contains("question 5") && !talk.contains("answer 5"), "what has no room is left out: {talk}");
    assert!(talk.len() < 4_000, "{} bytes: {talk}", talk.len());
    assert!(
        general.starts_with(
            "You are a careful assistant who works on the user's files with tools. Your part is general: "
        )
    );
    assert!(!agent.contains("question 6") && !agent.contains("answer 7"), "{agent}");
    assert!(agent.contains("Your part is agent: Does all about agent."), "{agent}");
}

// covers: H13 P49 P50 P51
#[tokio::test]
async fn whoever_stands_in_for_a_planner_that_failed_is_told_the_message_and_what_was_said_before() {
    for profile in [PlannerProfile::Full, PlannerProfile::Compact] {
        let studio = Studios::with(profile, &pack()).await;
        studio.says(Purpose::Plan, &json!({"title": "Said", "answer": "Teal is noted."}).to_string());
        studio.send("My favourite colour is teal.").await;
        for _ in 0..2 {
            studio.says(Purpose::Plan, "Well, that is hard to say.");
        }
        studio.says(Purpose::Step, "It is teal.");
        let message = "Which colour did I name, and what is at https://example.com/s?q=1?";
        let end = studio.send(message).await;
        assert!(matches!(end, TurnEnd::Answered { .. }), "{profile:?}: {end:?}");
        let [step] = &studio.of(Purpose::Step)[..] else { panic!("{profile:?}: {:?}", studio.purposes()) };
        let told = said(step);
        assert!(
            told.contains("My favourite colour is teal.") && told.contains("Teal is noted."),
            "{profile:?}: {told}"
        );
        let frame = match profile {
            PlannerProfile::Full => format!("User message (for URLs and exact values):\n---\n{message}\n---"),
            PlannerProfile::Compact => format!("User message:\n{message}\n"),
        };
        assert!(told.contains(&frame), "{profile:?}: {told}");
    }
}

// covers: H13
#[tokio::test]
async fn where_nobody_has_planned_every_specialist_is_told_what_was_said_before() {
    let studio = Studios::new().await;
    studio.says(Purpose::Plan, &json!({"title": "Said", "answer": "Teal is noted."}).to_string());
    studio.send("My favourite colour is teal.").await;
    for used in [true, false] {
        studio.calls(AGENT[0], json!({}));
        studio.says(Purpose::Step, "There are none.");
        let document = json!({"format": "assent.plan/1", "title": "All of it", "userMessage": "Which agents like it?",
            "fallback": {"used": used, "reason": "the planner wrote nothing"},
            "steps": [step("s1", "agent", &AGENT[..1], &[])]});
        let plan = import(&document.to_string()).unwrap();
        let plan = studio.engine.plans().import(plan, &studio.session).await.unwrap();
        let before = studio.of(Purpose::Step).len();
        studio.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
        let told = said(&studio.of(Purpose::Step)[before]);
        assert_eq!(told.contains("My favourite colour is teal."), used, "{told}");
    }
}
