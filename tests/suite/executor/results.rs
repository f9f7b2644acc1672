//! What a step of a small model gives: what its calls gave, and never dots.

use assent_core::run::{RunStatus, StepStatus};
use assent_engine::executor::RunOutcome;
use assent_engine::model::{Message, PlannerProfile, Reply};
use serde_json::{Value, json};

use super::support::{Rig, TestModel, call, text, think, tool};

async fn outcome(steps: Value, replies: Vec<Reply>) -> RunOutcome {
    let rig = Rig::new(steps).await;
    rig.run(&rig.executor(&TestModel::script(PlannerProfile::Compact, replies))).await
}

#[tokio::test]
async fn later_steps_are_shown_what_the_calls_gave_and_only_new_values_of_what_was_said() {
    for (said, result) in [
        ("...", "look of x"),
        ("I have called look.", "look of x"),
        ("look of x", "look of x"),
        ("There are 14 of them.", "look of x\nThere are 14 of them."),
    ] {
        let rig = Rig::new(json!([tool("s1", "gather", &["look"], &[]), think("s2", "compare", &["s1"])])).await;
        let replies = vec![call(&[("fail", "y")]), call(&[("look", "x")]), text(said), text("equal")];
        let model = TestModel::script(PlannerProfile::Compact, replies);
        let outcome = rig.run(&rig.executor(&model)).await;
        assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some("equal")));
        let state = rig.state(&outcome.run);
        let stored = state.step(0).result.clone().unwrap();
        assert_eq!(stored, assent_core::run::Content::inline(result));
        let requests = model.requests.lock().unwrap();
        let Message::User { text } = &requests[3].messages[1] else { panic!("the user's message") };
        assert!(text.contains(&format!("\nResult of step s1 (gather):\n{result}\n\n")), "{text}");
    }
}

#[tokio::test]
async fn the_answer_of_a_last_step_with_effects_says_what_was_done() {
    for (said, answer) in [
        ("...", "append of rows"),
        ("", "append of rows"),
        ("ok", "append of rows"),
        ("Added the rows.", "Added the rows."),
    ] {
        let steps = json!([tool("s1", "add them", &["append"], &[])]);
        let calls = vec![call(&[("look", "x")]), call(&[("append", "rows")]), text(said)];
        let outcome = outcome(steps, calls).await;
        assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some(answer)), "said {said:?}");
    }
}

#[tokio::test]
async fn a_short_word_answers_where_nothing_was_changed_and_dots_never_do() {
    for (said, answer) in [("7", "7"), ("…", "look of x"), ("...", "look of x")] {
        let outcome = outcome(json!([tool("s1", "count", &["look"], &[])]), vec![call(&[("look", "x")]), text(said)]);
        assert_eq!(outcome.await.answer.as_deref(), Some(answer), "said {said:?}");
    }
}

#[tokio::test]
async fn an_answer_that_points_to_what_the_person_cannot_see_shows_it() {
    for (said, answer) in
        [("They are listed above.", "They are listed above.\n\nlook of b.txt"), ("It is b.txt.", "It is b.txt.")]
    {
        let steps = json!([tool("s1", "name the file", &["look"], &[])]);
        let outcome = outcome(steps, vec![call(&[("look", "b.txt")]), text(said)]).await;
        assert_eq!(outcome.answer.as_deref(), Some(answer), "said {said:?}");
    }
}

#[tokio::test]
async fn a_step_that_left_nothing_to_show_is_named() {
    let rig = Rig::new(json!([tool("s1", "hush the bell", &["hush"], &[])])).await;
    let model = TestModel::script(PlannerProfile::Compact, vec![call(&[("hush", "x")]), text("...")]);
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!(outcome.answer.as_deref(), Some("Done: hush the bell"));
}

#[tokio::test]
async fn thinking_that_ends_in_dots_is_asked_for_once_more() {
    let steps = || json!([think("s1", "compare", &[])]);
    let mended = outcome(steps(), vec![text("..."), text("equal")]).await;
    assert_eq!((mended.status, mended.answer.as_deref()), (RunStatus::Completed, Some("equal")));
    let failed = outcome(steps(), vec![text("..."), text(" … ")]).await;
    assert_eq!((failed.status, failed.answer), (RunStatus::Failed, None));
}

#[tokio::test]
async fn dots_for_an_answer_give_way_to_what_the_steps_gave() {
    let rig = Rig::new(json!([think("s1", "one", &[]), think("s2", "two", &[])])).await;
    let model = TestModel::script(PlannerProfile::Compact, vec![text("first"), text("second"), text("...")]);
    let outcome = rig.run(&rig.executor(&model)).await;
    let state = rig.state(&outcome.run);
    assert!(state.synthesis().is_some() && state.steps().iter().all(|step| step.status == StepStatus::Completed));
    assert_eq!(outcome.answer.as_deref(), Some("first\n\nsecond"));
}
