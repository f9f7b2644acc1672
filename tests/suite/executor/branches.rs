//! Steps that are parts of steps: where their requests come from, and what they may use together.

use assent_core::run::{Answer, KEEP_GOING, Reach, RequestKind, RunStatus, StepStatus};
use assent_engine::executor::CHANGE_PLAN;
use assent_engine::store::Requests as _;
use serde_json::{Value, json};

use super::support::{Rig, TestModel, call, text, think, tool};

fn below(parent: &str, mut step: Value) -> Value {
    step["parentId"] = json!(parent);
    step["origin"] = json!("delegate");
    step
}

fn value(text: &str) -> Answer {
    Answer::Value { value: json!(text) }
}

#[tokio::test]
async fn a_grandchild_asks_in_the_one_inbox_with_its_whole_path_and_its_siblings_go_on() {
    let rig = Rig::new(json!([
        think("s1", "lead", &[]),
        below("s1", think("s2", "divide", &["s1"])),
        below("s2", tool("s3", "ask_user Which?", &["ask_user"], &["s2"])),
        below("s2", tool("s4", "look beside", &["look"], &["s2"])),
        think("s5", "sum up", &["s3", "s4"]),
    ]))
    .await;
    let model = TestModel::obedient();
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!(outcome.status, RunStatus::WaitingForInput);
    assert_eq!(rig.state(&outcome.run).step(3).status, StepStatus::Completed, "the sibling went on");

    // Another process finds it in the inbox.
    let inbox = rig.store.open_requests().unwrap();
    let path: Vec<&str> = inbox[0].request.path.iter().map(|step| step.as_str()).collect();
    assert_eq!((inbox.len(), path), (1, vec!["s1", "s2", "s3"]));
    assert_eq!(inbox[0].step.as_ref().map(|step| step.as_str()), Some("s3"));
    let executor = rig.executor(&model);
    executor.answer(&inbox[0].request.id, value("the blue one"), None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    let told = model.requests.lock().unwrap().iter().any(|request| format!("{request:?}").contains("the blue one"));
    assert!(told, "the answer reached the step that had asked");
}

async fn branch(limits: Value) -> Rig {
    Rig::with_plan(json!({
        "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": "chat", "title": "test",
        "userMessage": "Do it with report 17.", "refinedTask": "Do it.", "intent": "a test", "limits": limits,
        "route": [], "steps": [
            tool("s1", "look a, look b", &["look"], &[]),
            below("s1", tool("s2", "look c, look d", &["look"], &["s1"])),
            tool("s3", "look e, look f, look g", &["look"], &[]),
        ]
    }))
    .await
}

#[tokio::test]
async fn a_branch_has_its_calls_and_a_person_may_give_it_as_many_again() {
    let rig = branch(json!({"branchCalls": 3})).await;
    let model = TestModel::obedient();
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    let asked: Vec<RequestKind> = outcome.requests.iter().map(|request| request.kind).collect();
    assert_eq!((outcome.status, asked), (RunStatus::Suspended, vec![RequestKind::Cap]));
    let request = &outcome.requests[0];
    assert_eq!(request.path.last().map(|step| step.as_str()), Some("s2"), "s3 is a branch of its own with three calls");
    assert!(request.reason.as_ref().unwrap().contains("made 3 tool calls"), "{request:?}");
    assert_eq!(rig.limits_reached(&outcome.run), [("branchCalls".to_owned(), 3)]);
    let mut made = rig.traces.all();
    made.sort();
    assert_eq!(made, ["look a", "look b", "look c", "look e", "look f", "look g"]);
    executor.answer(&request.id, value(KEEP_GOING), None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!((outcome.status, rig.traces.all().len()), (RunStatus::Completed, 7));
}

#[tokio::test]
async fn a_branch_has_its_tokens_and_a_person_may_go_on_with_another_plan() {
    let rig = branch(json!({"branchTokens": 1000})).await;
    let model = TestModel::new(|_, task, replies| {
        let mut reply = match task.split(", ").nth(replies) {
            Some(order) => call(&[("look", order.strip_prefix("look ").unwrap())]),
            None => text("done"),
        };
        reply.usage.input = if task.contains("look e") { 1 } else { 200 };
        reply
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    let request = &outcome.requests[0];
    assert!(request.reason.as_ref().unwrap().contains("used 1000 tokens"), "{request:?}");
    let labels: Vec<&str> = request.input.options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, [KEEP_GOING, "stop here", CHANGE_PLAN]);
    let unfit = executor.answer(&request.id, value("maybe"), None).await.unwrap_err();
    assert_eq!(unfit.to_string(), "the answer has to be one of: keep going, stop here, change the plan");
    executor.answer(&request.id, value(CHANGE_PLAN), None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    let state = rig.state(&outcome.run);
    let statuses: Vec<StepStatus> = state.steps().iter().map(|step| step.status).collect();
    use StepStatus::{Cancelled, Completed};
    assert_eq!(statuses, [Completed, Cancelled, Completed], "what is done stays for the next version");
    assert_eq!(rig.limits_reached(&outcome.run), [("branchTokens".to_owned(), 1000)]);
}

#[tokio::test]
async fn a_step_that_is_done_again_has_its_tokens_anew_and_each_word_to_go_on_counts() {
    let rig = Rig::with_plan(json!({
        "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": "chat", "title": "test",
        "userMessage": "Do it with report 17.", "refinedTask": "Do it.", "intent": "a test",
        "limits": {"branchTokens": 1000}, "route": [], "steps": [tool("s1", "look a, look b", &["look"], &[])]
    }))
    .await;
    let model = TestModel::new(|_, task, replies| {
        let mut reply = match task.split(", ").nth(replies) {
            Some(order) => call(&[("look", order.strip_prefix("look ").unwrap())]),
            None => text("done"),
        };
        reply.usage.input = 750;
        reply
    });
    let executor = rig.executor(&model);
    let mut outcome = rig.run(&executor).await;
    for attempt in 1..=2 {
        let request = &outcome.requests[0];
        assert!(request.reason.as_ref().unwrap().contains("used 1500 tokens"), "{attempt}: {request:?}");
        executor.answer(&request.id, value(KEEP_GOING), None).await.unwrap();
        outcome = executor.carry_on(&outcome.run, None).await.unwrap();
        assert_eq!(outcome.status, RunStatus::Completed, "attempt {attempt}: {:?}", outcome.requests);
        if attempt == 1 {
            executor.retry(&outcome.run, &"s1".into()).await.unwrap();
            outcome = executor.carry_on(&outcome.run, None).await.unwrap();
        }
    }
    assert_eq!(rig.state(&outcome.run).step(0).usage.input, 4500, "all of it is told");
}

#[tokio::test]
async fn a_limit_takes_nothing_from_a_permission_that_was_given_before_it() {
    // covers: T65
    for reach in [Reach::Once, Reach::Run] {
        let rig = Rig::with_plan(json!({
            "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": "chat", "title": "test",
            "userMessage": "Do it with report 17.", "refinedTask": "Do it.", "intent": "a test",
            "limits": {"branchCalls": 1}, "route": [],
            "steps": [tool("s1", "look a, post secret", &["look", "post"], &[])]
        }))
        .await;
        let model = TestModel::obedient();
        let executor = rig.executor(&model);
        let mut outcome = rig.run(&executor).await;
        let mut asked = Vec::new();
        while let Some(request) = outcome.requests.first() {
            let edited = Some(json!({"text": "public"}));
            let answer = match request.kind {
                RequestKind::Permit => Answer::Approve { arguments: edited, note: None, reach },
                RequestKind::Cap => value(KEEP_GOING),
                other => panic!("{other:?}"),
            };
            asked.push(request.kind);
            executor.answer(&request.id, answer, None).await.unwrap();
            // Another process goes on.
            outcome = rig.executor(&model).carry_on(&outcome.run, None).await.unwrap();
        }
        assert_eq!(asked, [RequestKind::Permit, RequestKind::Cap], "{reach:?}");
        assert_eq!(
            (outcome.status, rig.traces.all()),
            (RunStatus::Completed, vec!["look a".to_owned(), "post public".to_owned()])
        );
    }
}
