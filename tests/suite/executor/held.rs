//! Effects wait for the decision of an earlier step from the beginning, also before it is asked for, and never for ever.

use assent_core::run::{Answer, CallState, Reach, RequestKind, RunState, RunStatus, StepStatus};
use serde_json::{Value, json};

use super::support::{Rig, TestModel, call, text, think, tool};

fn approve() -> Answer {
    Answer::Approve { arguments: None, note: None, reach: Reach::Once }
}

fn confirm() -> Value {
    tool("s1", "displayConfirmation delete", &["displayConfirmation"], &[])
}

fn statuses(state: &RunState) -> Vec<StepStatus> {
    state.steps().iter().map(|step| step.status).collect()
}

/// A model that is slow to ask, beside one that is quick to act; what was done when both had said what they want.
async fn slow_to_ask(answer: Answer) -> (Vec<String>, Vec<StepStatus>) {
    let steps = json!([confirm(), think("s2", "reflect", &[]), tool("s3", "append log", &["append"], &[])]);
    let rig = Rig::new(steps).await;
    let (model, late) = TestModel::late_for("displayConfirmation delete");
    let executor = rig.executor(&model);
    let run = rig.start(&executor).await.unwrap();
    let person = async {
        late.reached().await;
        let has_acted = |state: &RunState| {
            state.step(1).status == StepStatus::Completed && state.ledger().iter().any(|entry| entry.step == 2)
        };
        while !has_acted(&rig.state(&run)) {
            tokio::task::yield_now().await;
        }
        assert_eq!(rig.traces.all(), [""; 0], "nothing before the question");
        late.open();
    };
    let (asked, ()) = tokio::join!(executor.carry_on(&run, None), person);
    let asked = asked.unwrap();
    assert_eq!((asked.status, asked.requests.len()), (RunStatus::Suspended, 1));
    assert_eq!(rig.traces.all(), ["displayConfirmation delete"]);
    assert_eq!(rig.state(&run).step(2).status, StepStatus::Waiting, "its call is tied to the question");
    executor.answer(&asked.requests[0].id, answer, None).await.unwrap();
    // Another process goes on.
    rig.executor(&TestModel::obedient()).carry_on(&run, None).await.unwrap();
    (rig.traces.all(), statuses(&rig.state(&run)))
}

#[tokio::test]
async fn an_effect_waits_for_a_question_that_is_still_to_be_asked() {
    // covers: T15
    use StepStatus::{Cancelled, Completed};
    let (done, ended) = slow_to_ask(approve()).await;
    assert_eq!((done, ended), (vec!["displayConfirmation delete".into(), "append log".into()], vec![Completed; 3]));
    let (done, ended) = slow_to_ask(Answer::Reject { reason: None }).await;
    let refused = vec![Cancelled, Completed, Cancelled];
    assert_eq!((done, ended), (vec!["displayConfirmation delete".into()], refused));
}

/// The same as it goes with one step at a time, or all at once.
async fn ends(steps: Value, model: &std::sync::Arc<TestModel>) -> Vec<(Vec<String>, Vec<StepStatus>)> {
    asked_and_ends(steps, model).await.into_iter().map(|(_, done, statuses)| (done, statuses)).collect()
}

/// With why a person was asked for permission.
async fn asked_and_ends(
    steps: Value,
    model: &std::sync::Arc<TestModel>,
) -> Vec<(Vec<String>, Vec<String>, Vec<StepStatus>)> {
    let mut ends = Vec::new();
    for parallel in [1, 2, 8] {
        let rig = Rig::with_plan(json!({
            "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": "chat", "title": "test",
            "userMessage": "Do it with report 17.", "refinedTask": "Do it.", "intent": "a test", "route": [],
            "limits": {"maxParallelSteps": parallel}, "defaults": {"toolValidationMode": "strict"}, "steps": steps
        }))
        .await;
        let executor = rig.executor(model);
        let mut outcome = rig.run(&executor).await;
        let mut asked = Vec::new();
        while let Some(request) = outcome.requests.first() {
            assert_ne!(outcome.status, RunStatus::Running, "{parallel}: {steps}");
            if request.kind == RequestKind::Permit {
                asked.extend(request.reason.clone());
            }
            let answer = match request.kind {
                RequestKind::Question => Answer::Value { value: json!("that one") },
                _ => approve(),
            };
            executor.answer(&request.id, answer, None).await.unwrap();
            outcome = executor.carry_on(&outcome.run, None).await.unwrap();
        }
        assert!(outcome.status.is_final(), "{parallel}: {:?} {:?}", outcome.status, rig.state(&outcome.run).ledger());
        ends.push((asked, rig.traces.all(), statuses(&rig.state(&outcome.run))));
    }
    ends
}

#[tokio::test]
async fn an_effect_waits_no_more_for_a_step_that_ends_without_asking() {
    use StepStatus::{Completed, Failed, Skipped};
    let model = TestModel::new(|_, task, replies| match (task, replies) {
        ("append log", 0) => call(&[("append", "log")]),
        _ => text("done"),
    });
    let last = tool("s9", "append log", &["append"], &[]);
    let steps = json!([tool("s0", "fail x", &["look"], &[]), tool("s1", "ask", &["ask_user"], &["s0"]), last]);
    for (ended, done) in ends(steps, &model).await {
        assert_eq!((ended, done), (vec!["append log".to_owned()], vec![Failed, Skipped, Completed]));
    }
}

#[tokio::test]
async fn an_effect_is_asked_about_itself_where_its_confirmation_was_planned_and_not_asked_for() {
    // covers: T15
    use StepStatus::{Cancelled, Completed, Failed, Skipped};
    let model = TestModel::new(|_, task, replies| match (task, replies) {
        ("append log", 0) => call(&[("append", "log")]),
        ("append log", 1) => call(&[("append", "more")]),
        ("look x", 0) => call(&[("look", "x")]),
        _ => text("done"),
    });
    let last = || tool("s9", "append log", &["append"], &[]);
    let mut advisory = confirm();
    advisory["toolValidationMode"] = json!("advisory");
    let builds = tool("s1", "displayConfirmation delete", &["displayConfirmation"], &["s0"]);
    for (steps, first) in [
        (json!([confirm(), last()]), vec![Failed]),
        (json!([advisory, last()]), vec![Completed]),
        (json!([tool("s0", "fail x", &["look"], &[]), builds, last()]), vec![Failed, Skipped]),
    ] {
        for (asked, ended, done) in asked_and_ends(steps, &model).await {
            assert_eq!(asked.len(), 1, "once for a step: {asked:?}");
            assert!(asked[0].contains("step s1 was to have this confirmed by you"), "{asked:?}");
            assert_eq!(ended, ["append log", "append more"]);
            assert_eq!(done, [first.clone(), vec![Completed]].concat());
        }
    }
    // A no is a no, and what only looks is not asked about.
    let rig = Rig::new(json!([confirm(), tool("s8", "look x", &["look"], &[]), last()])).await;
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!(outcome.requests.len(), 1);
    executor.answer(&outcome.requests[0].id, Answer::Reject { reason: None }, None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(rig.traces.all(), ["look x"]);
    assert_eq!(statuses(&rig.state(&outcome.run))[2], Cancelled);
}

#[tokio::test]
async fn no_two_steps_wait_for_each_other() {
    let model = TestModel::obedient();
    let asks = |on: &[&str]| tool("s1", "displayConfirmation delete", &["displayConfirmation"], on);
    let writes = |id: &str, on: &[&str]| tool(id, &format!("append {id}"), &["append"], on);
    // The question builds on the effect that stands behind it, at once or after others.
    for steps in [
        json!([asks(&["s2"]), writes("s2", &[])]),
        json!([asks(&["s3"]), writes("s2", &[]), writes("s3", &["s2"])]),
        json!([
            asks(&["s4"]),
            writes("s2", &[]),
            tool("s3", "ask_user Which?", &["ask_user"], &[]),
            writes("s4", &["s3"])
        ]),
        json!([tool("s0", "look a", &["look"], &[]), asks(&["s0"]), writes("s2", &[]), writes("s3", &["s0"])]),
    ] {
        for (_, done) in ends(steps.clone(), &model).await {
            assert!(done.iter().all(|status| *status == StepStatus::Completed), "{steps}: {done:?}");
        }
    }
}

#[tokio::test]
async fn where_the_way_to_the_question_leads_through_a_permission_an_effect_waits_for_that_too() {
    // covers: T15
    for (steps, asked, made) in [
        (
            json!([
                tool("s1", "post x, displayConfirmation delete", &["post", "displayConfirmation"], &[]),
                tool("s2", "append log", &["append"], &[]),
            ]),
            2,
            vec!["post x", "displayConfirmation delete", "append log"],
        ),
        (
            json!([
                tool("s0", "post x", &["post"], &[]),
                tool("s1", "displayConfirmation delete", &["displayConfirmation"], &["s0"]),
                tool("s2", "append log", &["append"], &[]),
            ]),
            2,
            vec!["post x", "displayConfirmation delete", "append log"],
        ),
    ] {
        let rig = Rig::new(steps).await;
        let executor = rig.executor(&TestModel::obedient());
        let mut outcome = rig.run(&executor).await;
        let mut kinds = Vec::new();
        while let Some(request) = outcome.requests.first() {
            kinds.push(request.kind);
            assert_eq!((outcome.status, outcome.requests.len()), (RunStatus::Suspended, 1));
            let waiting = rig
                .state(&outcome.run)
                .ledger()
                .iter()
                .any(|entry| entry.tool == "append" && matches!(entry.state, CallState::Planned));
            assert!(waiting, "it is there and waits");
            executor.answer(&request.id, approve(), None).await.unwrap();
            outcome = executor.carry_on(&outcome.run, None).await.unwrap();
        }
        assert_eq!((outcome.status, kinds.len()), (RunStatus::Completed, asked));
        assert_eq!(
            (kinds, rig.traces.all()),
            (vec![RequestKind::Permit, RequestKind::Confirm], made.into_iter().map(str::to_owned).collect())
        );
    }
}
