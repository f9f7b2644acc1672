//! Questions, decisions and permissions: they wait, they are answered once, and each answer does what it says.

use std::sync::Arc;

use assent_core::ids::RunId;
use assent_core::run::{
    Answer, Batch, CallState, Decider, Draft, Durability, EventKind, Journal as _, Reach, RequestKind, RequestStatus,
    RunStatus, StepStatus,
};
use assent_engine::executor::{ExecutorError, RunOutcome, Unfitting};
use assent_engine::model::Message;
use assent_engine::store::StoreError;
use serde_json::json;

use super::support::{Between, Rig, TestModel, call, text, think, tool};

fn approve() -> Answer {
    Answer::Approve { arguments: None, note: None, reach: Reach::Once }
}

fn reject(reason: &str) -> Answer {
    Answer::Reject { reason: Some(reason.to_owned()) }
}

fn kinds(outcome: &RunOutcome) -> Vec<RequestKind> {
    outcome.requests.iter().map(|request| request.kind).collect()
}

fn confirmed_plan() -> serde_json::Value {
    json!([
        tool("s1", "displayConfirmation delete", &["displayConfirmation"], &[]),
        tool("s2", "append gone", &["append"], &["s1"]),
        tool("s3", "append log", &["append"], &[]),
        think("s4", "reflect", &[]),
    ])
}

#[tokio::test]
async fn a_confirmation_waits_through_a_restart_and_approval_lets_the_run_go_on() {
    // covers: T13 T14 T15 T17 T63 T65 T72
    let rig = Rig::new(confirmed_plan()).await;
    let model = TestModel::obedient();
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!((outcome.status, kinds(&outcome)), (RunStatus::Suspended, vec![RequestKind::Confirm]));
    assert_eq!(outcome.requests[0].prompt, "Please confirm: delete");
    assert_eq!(rig.traces.all(), ["displayConfirmation delete"], "no later effect before the decision");
    assert_eq!(rig.state(&outcome.run).step(3).status, StepStatus::Completed, "the rest goes on");

    let executor = rig.executor(&model);
    let waiting = executor.recover().await.unwrap();
    assert_eq!(waiting[0].1.as_ref().unwrap().status, RunStatus::Suspended, "a restart changes nothing");
    let request = &outcome.requests[0].id;
    let run = executor.answer(request, approve(), None).await.unwrap().unwrap();
    let outcome = executor.carry_on(&run, None).await.unwrap();
    assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some("the answer")));
    let mut effects = rig.traces.all();
    effects.sort();
    assert_eq!(effects, ["append gone", "append log", "displayConfirmation delete"]);

    let second = executor.answer(request, approve(), None).await.unwrap_err();
    assert!(matches!(second, ExecutorError::Settled { .. }), "{second}");
}

#[tokio::test]
async fn an_answer_that_overtakes_a_call_that_is_to_wait_for_it_interrupts_nothing() {
    let rig = Rig::new(json!([
        tool("s1", "hang on", &["hang"], &[]),
        tool("s2", "displayConfirmation delete", &["displayConfirmation"], &[]),
        tool("s3", "append log", &["append"], &[]),
    ]))
    .await;
    let model = TestModel::obedient();
    let late = Between::of(&rig.store, |batch| {
        batch.events.iter().any(|event| matches!(event.kind, EventKind::CallHeld { .. }))
    });
    let here = rig.executor_on(&model, Arc::new(late.clone()));
    let run = rig.start(&here).await.unwrap();
    let person = async {
        late.reached().await;
        while rig.state(&run).requests().is_empty() {
            tokio::task::yield_now().await;
        }
        let asked = rig.state(&run).requests()[0].request.id.clone();
        rig.executor(&model).answer(&asked, approve(), None).await.unwrap();
        late.open();
        while !rig.traces.all().contains(&"append log".to_owned()) {
            tokio::task::yield_now().await;
        }
        here.cancel(&run).await.unwrap();
    };
    let (outcome, ()) = tokio::join!(here.carry_on(&run, None), person);
    assert_eq!(outcome.unwrap().status, RunStatus::Cancelled);
    let state = rig.state(&run);
    assert_eq!(state.requests().len(), 1, "nobody is asked what became of the step beside it: {:?}", state.requests());
    let mut effects = rig.traces.all();
    effects.sort();
    assert_eq!(effects, ["append log", "displayConfirmation delete", "hang on"]);
}

#[tokio::test]
async fn a_second_answer_to_a_step_that_was_just_refused_interrupts_nothing_beside_it() {
    let rig = Rig::new(json!([
        tool("s1", "hang on", &["hang"], &[]),
        tool("s2", "post one, post two", &["post"], &[]),
        tool("s3", "append log", &["append"], &["s2"]),
    ]))
    .await;
    let both = [("post", "one"), ("post", "two")];
    let model = TestModel::new(move |_, task, replies| match (task, replies) {
        ("hang on", 0) => call(&[("hang", "on")]),
        ("post one, post two", 0) => call(&both),
        _ => text("done"),
    });
    let withdraws = Between::of(&rig.store, |batch| {
        batch.events.iter().any(|event| matches!(event.kind, EventKind::RequestCancelled { .. }))
    });
    let here = rig.executor_on(&model, Arc::new(withdraws.clone()));
    let run = rig.start(&here).await.unwrap();
    let elsewhere = rig.executor(&model);
    let person = async {
        let until = async |fits: &dyn Fn(&assent_core::run::RunState) -> bool| {
            while !fits(&rig.state(&run)) {
                tokio::task::yield_now().await;
            }
        };
        until(&|state| state.requests().len() == 2 && rig.traces.all() == ["hang on"]).await;
        let asked: Vec<_> = rig.state(&run).requests().iter().map(|one| one.request.id.clone()).collect();
        elsewhere.answer(&asked[0], reject("not that"), None).await.unwrap();
        withdraws.reached().await;
        elsewhere.answer(&asked[1], approve(), None).await.unwrap();
        withdraws.open();
        until(&|state| state.step(1).status == StepStatus::Cancelled).await;
        assert!(matches!(rig.state(&run).ledger()[0].state, CallState::Open), "what runs beside it goes on");
        here.cancel(&run).await.unwrap();
    };
    let (outcome, ()) = tokio::join!(here.carry_on(&run, None), person);
    assert_eq!(outcome.unwrap().status, RunStatus::Cancelled);
    let state = rig.state(&run);
    let statuses: Vec<RequestStatus> = state.requests().iter().map(|request| request.status).collect();
    assert_eq!(statuses, [RequestStatus::Answered; 2], "and nobody is asked what became of it");
    assert_eq!(rig.traces.all(), ["hang on"], "the other call of the refused step is not made");
}

#[tokio::test]
async fn a_refused_confirmation_cancels_its_step_and_every_later_effect() {
    // covers: T65
    let rig = Rig::new(confirmed_plan()).await;
    let executor = rig.executor(&TestModel::obedient());
    let outcome = rig.run(&executor).await;
    let run = executor.answer(&outcome.requests[0].id, reject("keep them"), None).await.unwrap().unwrap();
    let outcome = executor.carry_on(&run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::CompletedWithWarnings);
    assert_eq!(rig.traces.all(), ["displayConfirmation delete"]);
    let state = rig.state(&run);
    let statuses: Vec<StepStatus> = state.steps().iter().map(|step| step.status).collect();
    use StepStatus::{Cancelled, Completed, Skipped};
    // s3 had been begun and held at its call; s2 had not.
    assert_eq!(statuses, [Cancelled, Skipped, Cancelled, Completed]);
    assert_eq!(state.step(0).reason.as_deref(), Some("refused by a person: keep them"));
}

#[tokio::test]
async fn a_no_to_a_confirmation_is_a_refusal_however_it_is_said() {
    // covers: T15 T65
    for (value, statuses, effects) in [
        (false, [StepStatus::Cancelled, StepStatus::Skipped, StepStatus::Cancelled], vec![]),
        (true, [StepStatus::Completed; 3], vec!["append gone", "append log"]),
    ] {
        let rig = Rig::new(json!([
            tool("s1", "agree delete", &["agree"], &[]),
            tool("s2", "append gone", &["append"], &["s1"]),
            tool("s3", "append log", &["append"], &[]),
        ]))
        .await;
        let executor = rig.executor(&TestModel::obedient());
        let asked = rig.run(&executor).await;
        executor.answer(&asked.requests[0].id, Answer::Value { value: json!(value) }, None).await.unwrap();
        executor.carry_on(&asked.run, None).await.unwrap();
        let state = rig.state(&asked.run);
        assert_eq!(state.steps().iter().map(|step| step.status).collect::<Vec<_>>(), statuses, "{value}");
        let mut made = rig.traces.all();
        made.retain(|line| line.starts_with("append"));
        made.sort();
        assert_eq!(made, effects, "{value}");
        let reason = (!value).then_some("refused by a person");
        assert_eq!(state.step(0).reason.as_deref(), reason);
    }
}

#[tokio::test]
async fn a_request_that_is_withdrawn_ends_its_step_and_says_so() {
    let rig = Rig::new(json!([tool("s1", "ask_user Which?", &["ask_user"], &[])])).await;
    let executor = rig.executor(&TestModel::obedient());
    let asked = rig.run(&executor).await;
    let place = rig.events(&asked.run).last().unwrap().place.clone();
    let kind = EventKind::RequestCancelled { request: asked.requests[0].id.clone(), reason: "nobody needs it".into() };
    let batch = Batch { events: vec![Draft { place, at: 2, kind }], ..Batch::default() };
    rig.store.append(batch, Durability::Committed).await.unwrap();
    executor.carry_on(&asked.run, None).await.unwrap();
    let state = rig.state(&asked.run);
    assert_eq!(
        (state.step(0).status, state.step(0).reason.as_deref()),
        (StepStatus::Cancelled, Some("the request was withdrawn"))
    );
}

#[tokio::test]
async fn a_call_that_its_tool_says_was_broken_off_is_put_before_a_person_where_it_may_have_had_an_effect() {
    let rig = Rig::new(json!([tool("s1", "peek x, snap y", &["snap"], &[])])).await;
    let executor = rig.executor(&TestModel::obedient());
    let asked = rig.run(&executor).await;
    let prompts: Vec<(RequestKind, &str)> = asked.requests.iter().map(|one| (one.kind, one.prompt.as_str())).collect();
    assert_eq!(prompts, [(RequestKind::UnknownOutcome, "snap was cut off. Did it do its work?")]);
    assert_eq!(rig.traces.all(), ["peek x", "snap y"]);
    let CallState::Ended(end) = &rig.state(&asked.run).ledger()[0].state.clone() else { panic!("no end") };
    assert_eq!(end.error.as_deref(), Some("peek was cut off"));
}

#[tokio::test]
async fn a_blocking_call_goes_first_and_a_refusal_drops_the_rest_of_the_reply() {
    let rig = Rig::new(json!([tool("s1", "both", &["displayConfirmation"], &[])])).await;
    let model = TestModel::new(|_, _, replies| match replies {
        0 => call(&[("append", "before"), ("displayConfirmation", "sure?")]),
        _ => text("ok"),
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!(rig.traces.all(), ["displayConfirmation sure?"]);
    executor.answer(&outcome.requests[0].id, reject("no"), None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(rig.traces.all(), ["displayConfirmation sure?"]);
    assert_eq!(rig.state(&outcome.run).step(0).status, StepStatus::Cancelled);
    assert_eq!(rig.state(&outcome.run).ledger()[0].state, CallState::Planned);
}

#[tokio::test]
async fn what_stands_beside_a_question_that_could_not_be_asked_is_not_done_but_what_only_looks_is() {
    // covers: T65
    let rig = Rig::new(json!([tool("s1", "both", &["append"], &[])])).await;
    let model = TestModel::new(|_, _, replies| match replies {
        0 => {
            let mut reply = call(&[("append", "before"), ("displayConfirmation", "sure?"), ("look", "around")]);
            reply.calls[1].arguments = json!({"text": 7});
            reply
        }
        1 => call(&[("append", "told")]),
        _ => text("ok"),
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!(
        (outcome.status, rig.traces.all()),
        (RunStatus::Completed, vec!["look around".into(), "append told".into()])
    );
    let state = rig.state(&outcome.run);
    let CallState::Refused(fault) = &state.ledger()[0].state else { panic!("{:?}", state.ledger()[0]) };
    assert!(fault.message.contains("the question beside it could not be asked"), "{fault}");
}

#[tokio::test]
async fn after_an_approval_the_rest_of_the_reply_is_made_in_its_order() {
    // covers: T65
    let rig = Rig::new(json!([tool("s1", "both", &["displayConfirmation"], &[])])).await;
    let model = TestModel::new(|_, _, replies| match replies {
        0 => call(&[("append", "before"), ("displayConfirmation", "sure?"), ("append", "after")]),
        _ => text("ok"),
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!(rig.traces.all(), ["displayConfirmation sure?"], "a person is asked before anything is done");
    executor.answer(&outcome.requests[0].id, approve(), None).await.unwrap();
    let outcome = rig.executor(&model).carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    assert_eq!(rig.traces.all(), ["displayConfirmation sure?", "append before", "append after"]);
    assert_eq!(model.requests.lock().unwrap().len(), 2, "the model is not asked again for calls it has made");
}

#[tokio::test]
async fn of_two_decisions_in_one_reply_each_is_asked_for_and_one_refusal_drops_the_rest() {
    let rig = Rig::new(json!([tool("s1", "both", &["displayConfirmation"], &[])])).await;
    let model = TestModel::new(|_, _, replies| match replies {
        0 => call(&[("displayConfirmation", "one"), ("displayConfirmation", "two"), ("append", "x")]),
        _ => text("ok"),
    });
    let executor = rig.executor(&model);
    let first = rig.run(&executor).await;
    executor.answer(&first.requests[0].id, approve(), None).await.unwrap();
    let second = executor.carry_on(&first.run, None).await.unwrap();
    assert_eq!(second.requests[0].prompt, "Please confirm: two");
    executor.answer(&second.requests[0].id, reject("not that"), None).await.unwrap();
    let outcome = executor.carry_on(&first.run, None).await.unwrap();
    assert_eq!(rig.traces.all(), ["displayConfirmation one", "displayConfirmation two"]);
    assert_eq!(rig.state(&outcome.run).step(0).status, StepStatus::Cancelled);
}

#[tokio::test]
async fn the_same_question_is_not_put_twice() {
    let rig = Rig::new(json!([tool("s1", "again", &["displayConfirmation", "look"], &[])])).await;
    let model = TestModel::new(|_, _, replies| match replies {
        0 | 1 => call(&[("displayConfirmation", "sure?")]),
        2 => call(&[("displayConfirmation", "really?")]),
        3 => call(&[("look", "x")]),
        _ => text("ok"),
    });
    let executor = rig.executor(&model);
    let first = rig.run(&executor).await;
    executor.answer(&first.requests[0].id, approve(), None).await.unwrap();
    let second = executor.carry_on(&first.run, None).await.unwrap();
    assert_eq!(second.requests[0].prompt, "Please confirm: really?");
    executor.answer(&second.requests[0].id, approve(), None).await.unwrap();
    let outcome = executor.carry_on(&first.run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    let asked = rig.traces.all();
    assert_eq!(asked, ["displayConfirmation sure?", "displayConfirmation really?", "look x"]);
}

#[tokio::test]
async fn a_permission_that_was_refused_is_not_asked_for_again() {
    let advisory = json!({"toolValidationMode": "advisory"});
    let rig = Rig::with_defaults(json!([tool("s1", "try", &["look"], &[])]), advisory).await;
    let model = TestModel::counting(|asked| {
        Ok(match asked {
            0 | 1 => call(&[("send", "secret")]),
            2 => call(&[("send", "other")]),
            3 => call(&[("look", "x")]),
            _ => text("done without"),
        })
    });
    let executor = rig.executor(&model);
    let first = rig.run(&executor).await;
    executor.answer(&first.requests[0].id, reject("not that"), None).await.unwrap();
    let second = executor.carry_on(&first.run, None).await.unwrap();
    assert_eq!(second.requests[0].arguments, Some(json!({"text": "other"})), "other arguments are another question");
    executor.answer(&second.requests[0].id, reject("nor that"), None).await.unwrap();
    let outcome = executor.carry_on(&first.run, None).await.unwrap();
    assert_eq!((outcome.status, rig.traces.all()), (RunStatus::Completed, vec!["look x".to_owned()]));
    let state = rig.state(&first.run);
    assert_eq!(state.requests().len(), 2);
    let CallState::Refused(fault) = &state.ledger()[1].state else { panic!("{:?}", state.ledger()[1]) };
    assert!(fault.message.contains("not that"), "{fault}");
}

#[tokio::test]
async fn the_answer_to_a_question_is_the_result_of_its_call() {
    let rig = Rig::new(json!([tool("s1", "ask", &["ask_user"], &[])])).await;
    let model =
        TestModel::new(|_, _, replies| if replies == 0 { call(&[("ask_user", "Which?")]) } else { text("fine") });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!(outcome.status, RunStatus::WaitingForInput);
    let unfit = executor.answer(&outcome.requests[0].id, Answer::Value { value: json!("  ") }, None).await;
    assert_eq!(unfit.unwrap_err().to_string(), "the answer has to be a text");
    executor.answer(&outcome.requests[0].id, Answer::Value { value: json!("the blue one") }, None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    let requests = model.requests.lock().unwrap();
    let told = requests[1]
        .messages
        .iter()
        .any(|message| matches!(message, Message::Tool { text, .. } if text.starts_with("the blue one")));
    assert!(told);
}

#[tokio::test]
async fn a_call_that_needs_permission_runs_once_with_the_arguments_a_person_gave() {
    let rig = Rig::new(json!([tool("s1", "both", &["send"], &[])])).await;
    let model = TestModel::new(|_, _, replies| match replies {
        0 => call(&[("append", "first"), ("send", "secret")]),
        _ => text("sent"),
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!((outcome.status, kinds(&outcome)), (RunStatus::Suspended, vec![RequestKind::Permit]));
    assert_eq!(rig.traces.all(), [""; 0], "nothing of the reply has started");
    let request = &outcome.requests[0];
    assert_eq!(request.arguments, Some(json!({"text": "secret"})));
    let broken = Answer::Approve { arguments: Some(json!({"text": 7})), note: None, reach: Reach::Once };
    let refused = executor.answer(&request.id, broken, None).await.unwrap_err();
    assert!(matches!(refused, ExecutorError::Answer(_)), "{refused}");
    let edited = Answer::Approve { arguments: Some(json!({"text": "public"})), note: None, reach: Reach::Once };
    executor.answer(&request.id, edited, None).await.unwrap();
    let outcome = rig.executor(&model).carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    assert_eq!(rig.traces.all(), ["append first", "send public"]);
}

#[tokio::test]
async fn a_call_that_a_person_has_changed_is_made_once_however_often_the_model_asks_for_its_own() {
    let rig = Rig::new(json!([tool("s1", "tell", &["post"], &[])])).await;
    let model = TestModel::new(|_, _, replies| match replies {
        0 | 1 => call(&[("post", "secret")]),
        2 => call(&[("post", "public")]),
        _ => text("sent"),
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    let edited = Answer::Approve { arguments: Some(json!({"text": "public"})), note: None, reach: Reach::Once };
    executor.answer(&outcome.requests[0].id, edited, None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!((outcome.status, rig.traces.all()), (RunStatus::Completed, vec!["post public".to_owned()]));
}

#[tokio::test]
async fn changed_arguments_that_leave_the_workspace_are_refused_and_the_request_waits_on() {
    let rig = Rig::new(json!([tool("s1", "copy it", &["copy"], &[])])).await;
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("key"), "k").unwrap();
    std::fs::write(rig.workspace().join("a.txt"), "a").unwrap();
    std::os::unix::fs::symlink(outside.path(), rig.workspace().join("away")).unwrap();
    let model = TestModel::new(|_, _, replies| match replies {
        0 => call(&[("copy", "report")]),
        _ => text("copied"),
    });
    let executor = rig.executor(&model);
    let asked = rig.run(&executor).await;
    let (request, before) = (&asked.requests[0].id, rig.events(&asked.run));
    let changed = |arguments| Answer::Approve { arguments: Some(arguments), note: None, reach: Reach::Once };
    let key = outside.path().join("key").display().to_string();
    for (name, path) in [
        ("to", "../copy.txt"),
        ("to", "away/copy.txt"),
        ("to", "new/../../copy.txt"),
        ("to", key.as_str()),
        ("to", "a.txt/copy.txt"),
        ("path", "../a.txt"),
        ("path", "away/key"),
        ("path", key.as_str()),
        ("path", ""),
    ] {
        let refused = executor.answer(request, changed(json!({name: path})), None).await.unwrap_err();
        let ExecutorError::Answer(Unfitting::Arguments(fault)) = &refused else { panic!("{path}: {refused}") };
        assert!(fault.message.contains(path), "{path}: {refused}");
    }
    assert_eq!(rig.events(&asked.run), before, "nothing is written, and the request is as it was");

    // What is to be read may be made by an earlier call; what is to be written need not be there.
    let inside = json!({"path": "later.txt", "to": "new/copy.txt"});
    executor.answer(request, changed(inside.clone()), None).await.unwrap();
    let over = executor.carry_on(&asked.run, None).await.unwrap();
    assert_eq!((over.status, rig.traces.all()), (RunStatus::Completed, vec![format!("copy {inside}")]));
}

/// The calls of each reply.
type Replies = &'static [&'static [(&'static str, &'static str)]];

/// Runs a step whose replies make these calls, with a yes to every request: the run, and the texts that were asked about.
async fn all_allowed(rig: &Rig, replies: Replies) -> (RunId, Vec<String>) {
    let model = TestModel::counting(|asked| Ok(replies.get(asked).map_or_else(|| text("done"), |calls| call(calls))));
    let executor = rig.executor(&model);
    let mut outcome = rig.run(&executor).await;
    let mut asked = Vec::new();
    while let Some(request) = outcome.requests.first() {
        asked.push(request.arguments.as_ref().unwrap()["text"].as_str().unwrap().to_owned());
        executor.answer(&request.id, approve(), None).await.unwrap();
        outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    }
    assert_eq!(outcome.status, RunStatus::Completed);
    (outcome.run, asked)
}

#[tokio::test]
async fn what_was_allowed_once_gives_its_result_again_until_something_else_has_happened() {
    let rig = Rig::new(json!([tool("s1", "tell", &["post"], &[])])).await;
    let replies: Replies = &[&[("post", "x")], &[("look", "x"), ("post", "x")], &[("append", "y")], &[("post", "x")]];
    let (run, asked) = all_allowed(&rig, replies).await;
    assert_eq!(asked, ["x", "x"], "once at first, and once more after another effect");
    assert_eq!(rig.traces.all(), ["post x", "look x", "append y", "post x"]);
    let state = rig.state(&run);
    let (first, again) = (&state.ledger()[0], &state.ledger()[2]);
    let (CallState::Ended(first), CallState::Ended(again)) = (&first.state, &again.state) else { panic!("{again:?}") };
    assert_eq!((&first.output, first.by), (&again.output, None));
    assert_eq!((again.satisfied, again.by), (true, Some(Decider::User)));
}

#[tokio::test]
async fn a_look_at_something_far_away_is_never_answered_by_what_it_gave_before() {
    let rig = Rig::new(json!([tool("s1", "wait", &["poll"], &[])])).await;
    let (run, asked) = all_allowed(&rig, &[&[("poll", "ready?")], &[("poll", "ready?")]]).await;
    assert_eq!(asked, ["ready?", "ready?"], "once was for one look");
    let state = rig.state(&run);
    let given = state.ledger().iter().map(|entry| match &entry.state {
        CallState::Ended(end) => (end.output.clone(), end.by),
        other => panic!("{other:?}"),
    });
    let given: Vec<_> = given.collect();
    assert!(given[0].0 != given[1].0 && given[1].1.is_none(), "{given:?}");
}

#[tokio::test]
async fn what_was_allowed_once_with_other_arguments_or_cannot_be_undone_asks_again() {
    let rig = Rig::new(json!([tool("s1", "tell", &["look"], &[])])).await;
    let replies: Replies = &[&[("post", "x")], &[("post", "y")], &[("send", "z")], &[("send", "z"), ("look", "over")]];
    assert_eq!(all_allowed(&rig, replies).await.1, ["x", "y", "z", "z"]);
    assert_eq!(rig.traces.all(), ["post x", "post y", "send z", "send z", "look over"]);
}

#[tokio::test]
async fn a_call_that_stands_twice_in_a_reply_is_asked_about_and_made_once() {
    let rig = Rig::new(json!([tool("s1", "tell", &["post"], &[])])).await;
    assert_eq!(all_allowed(&rig, &[&[("post", "x"), ("post", "x")]]).await.1, ["x"]);
    assert_eq!(rig.traces.all(), ["post x"]);
}

#[tokio::test]
async fn a_step_that_is_done_again_asks_again_for_what_was_allowed_once() {
    let rig = Rig::new(json!([tool("s1", "post x", &["post"], &[])])).await;
    let executor = rig.executor(&TestModel::obedient());
    let first = rig.run(&executor).await;
    executor.answer(&first.requests[0].id, approve(), None).await.unwrap();
    assert_eq!(executor.carry_on(&first.run, None).await.unwrap().status, RunStatus::Completed);
    executor.retry(&first.run, &"s1".into()).await.unwrap();
    let again = executor.carry_on(&first.run, None).await.unwrap();
    assert_eq!((again.status, kinds(&again)), (RunStatus::Suspended, vec![RequestKind::Permit]));
    assert_eq!(rig.traces.all(), ["post x"], "nothing before the second word");
}

#[tokio::test]
async fn a_refused_permission_cancels_the_step_and_skips_what_builds_on_it() {
    let rig = Rig::new(json!([tool("s1", "send x", &["send"], &[]), think("s2", "report", &["s1"])])).await;
    let executor = rig.executor(&TestModel::obedient());
    let outcome = rig.run(&executor).await;
    executor.answer(&outcome.requests[0].id, reject("never"), None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    let state = rig.state(&outcome.run);
    assert_eq!(state.step(0).status, StepStatus::Cancelled);
    assert_eq!(state.step(1).reason.as_deref(), Some("step s1 was cancelled"));
    assert_eq!((outcome.status, rig.traces.all().len()), (RunStatus::CompletedWithWarnings, 0));
}

// covers: T65
#[tokio::test]
async fn of_two_permissions_in_one_reply_a_refusal_ends_the_step_and_asks_for_no_word_on_the_other() {
    let rig = Rig::new(json!([tool("s1", "send both", &["send"], &[]), think("s2", "report", &["s1"])])).await;
    let model = TestModel::counting(|_| Ok(call(&[("send", "one"), ("send", "two")])));
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!(kinds(&outcome), [RequestKind::Permit, RequestKind::Permit]);
    assert_eq!(executor.interrupted().unwrap(), []);
    executor.answer(&outcome.requests[0].id, reject("never"), None).await.unwrap();
    // Also where another hand carries it on, which finds that nothing is left to wait for.
    let waits: Vec<RunId> = rig.executor(&model).interrupted().unwrap().into_iter().map(|row| row.id).collect();
    assert_eq!(waits, std::slice::from_ref(&outcome.run));
    let outcome = rig.executor(&model).carry_on(&outcome.run, None).await.unwrap();
    let state = rig.state(&outcome.run);
    assert_eq!((outcome.status, rig.traces.all().len()), (RunStatus::CompletedWithWarnings, 0));
    assert_eq!(state.step(0).reason.as_deref(), Some("refused by a person: never"));
    assert_eq!(state.step(1).reason.as_deref(), Some("step s1 was cancelled"));
    let asked: Vec<RequestStatus> = state.requests().iter().map(|request| request.status).collect();
    assert_eq!(asked, [RequestStatus::Answered, RequestStatus::Cancelled]);
    let second = state.requests()[1].request.id.clone();
    assert!(matches!(executor.answer(&second, approve(), None).await, Err(ExecutorError::Settled { .. })));
}

#[tokio::test]
async fn an_advisory_step_waits_for_the_other_word_when_one_of_two_permissions_is_refused() {
    let advisory = json!({"toolValidationMode": "advisory"});
    let rig = Rig::with_defaults(json!([tool("s1", "look", &["look"], &[])]), advisory).await;
    let model = TestModel::counting(|asked| {
        Ok(match asked {
            0 => call(&[("send", "one"), ("send", "two"), ("look", "x")]),
            _ => text("done"),
        })
    });
    let executor = rig.executor(&model);
    let first = rig.run(&executor).await;
    executor.answer(&first.requests[0].id, reject("not that"), None).await.unwrap();
    assert_eq!(executor.interrupted().unwrap(), [], "it waits for the other word");
    let second = executor.carry_on(&first.run, None).await.unwrap();
    assert_eq!((second.status, second.requests.len()), (RunStatus::Suspended, 1));
    executor.answer(&second.requests[0].id, approve(), None).await.unwrap();
    let outcome = executor.carry_on(&first.run, None).await.unwrap();
    assert_eq!((outcome.status, rig.traces.all()), (RunStatus::Completed, vec!["send two".into(), "look x".into()]));
}

#[tokio::test]
async fn what_a_person_says_to_a_call_that_they_allow_is_told_below_its_result() {
    let rig = Rig::new(json!([tool("s1", "send x", &["send"], &[])])).await;
    let model = TestModel::obedient();
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    let note = Some("only the first ten rows".to_owned());
    let answer = Answer::Approve { arguments: None, note, reach: Reach::Once };
    executor.answer(&outcome.requests[0].id, answer, None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    let requests = model.requests.lock().unwrap();
    let told = requests.iter().rev().flat_map(|request| request.messages.iter()).find_map(|message| match message {
        Message::Tool { name, text, .. } if name == "send" => Some(text.clone()),
        _ => None,
    });
    let told = told.unwrap();
    assert!(told.contains("The user allowed this call and says: only the first ten rows"), "{told}");
}

#[tokio::test]
async fn a_confirmation_that_is_asked_for_again_brings_back_all_that_its_refusal_stopped() {
    let rig = Rig::new(confirmed_plan()).await;
    let executor = rig.executor(&TestModel::obedient());
    let outcome = rig.run(&executor).await;
    let run = executor.answer(&outcome.requests[0].id, reject("keep them"), None).await.unwrap().unwrap();
    executor.carry_on(&run, None).await.unwrap();
    executor.retry(&run, &"s1".into()).await.unwrap();
    let outcome = executor.carry_on(&run, None).await.unwrap();
    assert_eq!((outcome.status, kinds(&outcome)), (RunStatus::Suspended, vec![RequestKind::Confirm]));
    executor.answer(&outcome.requests[0].id, approve(), None).await.unwrap();
    let outcome = executor.carry_on(&run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    let mut effects = rig.traces.all();
    effects.sort();
    let asked = "displayConfirmation delete";
    assert_eq!(effects, ["append gone", "append log", asked, asked]);
}

#[tokio::test]
async fn an_answer_from_elsewhere_is_seen_while_other_steps_run() {
    // The effect stands before the question: after it, it would wait for the answer.
    let rig = Rig::new(json!([tool("s1", "wait", &["hang"], &[]), tool("s2", "ask", &["ask_user"], &[])])).await;
    let model = TestModel::new(|_, task, replies| match (task, replies) {
        ("ask", 0) => call(&[("ask_user", "Which?")]),
        ("ask", _) => text("thanks"),
        (_, 0) => call(&[("hang", "")]),
        _ => text("over"),
    });
    let (here, elsewhere) = (rig.executor(&model), rig.executor(&model));
    let run = rig.start(&here).await.unwrap();
    let person = async {
        let request = loop {
            use assent_engine::store::Requests as _;
            if let Some(open) = rig.store.open_requests().unwrap().first() {
                break open.request.id.clone();
            }
            tokio::task::yield_now().await;
        };
        let value = json!("that one");
        let busy = elsewhere.carry_on(&run, None).await;
        assert!(matches!(busy, Err(ExecutorError::Busy(_))), "{busy:?}");
        elsewhere.answer(&request, Answer::Value { value }, None).await.unwrap();
        while rig.state(&run).step(1).status != StepStatus::Completed {
            tokio::task::yield_now().await;
        }
        // The holder is told through the journal, and ends the run.
        elsewhere.cancel(&run).await.unwrap();
    };
    let (outcome, ()) = tokio::join!(here.carry_on(&run, None), person);
    assert_eq!(outcome.unwrap().status, RunStatus::Cancelled);
}

#[tokio::test]
async fn what_was_cancelled_or_never_asked_cannot_be_answered() {
    let rig = Rig::new(json!([tool("s1", "ask", &["ask_user"], &[])])).await;
    let model = TestModel::new(|_, _, _| call(&[("ask_user", "Which?")]));
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    executor.cancel(&outcome.run).await.unwrap();
    let before = rig.events(&outcome.run);
    let late = executor.answer(&outcome.requests[0].id, Answer::Value { value: json!("that one") }, None).await;
    let late = late.unwrap_err();
    assert!(matches!(&late, ExecutorError::Settled { status: RequestStatus::Cancelled, .. }), "{late}");
    let unknown = executor.answer(&"nobody".into(), approve(), None).await.unwrap_err();
    assert!(matches!(unknown, ExecutorError::Store(StoreError::NotFound { .. })), "{unknown}");
    assert_eq!(rig.events(&outcome.run), before, "nothing is written");
}

/// A decision in the first step, and in the second a call that needs a permission.
async fn decision_and_permission(asks: &str) -> Rig {
    let first = tool("s1", &format!("{asks} sure"), &[asks], &[]);
    Rig::new(json!([first, tool("s2", "post x", &["post"], &[])])).await
}

#[tokio::test]
async fn a_permission_and_the_decision_of_an_earlier_step_are_given_in_any_order() {
    // covers: T15 T65
    for asks in ["displayConfirmation", "ask_user"] {
        for permission_first in [true, false] {
            let rig = decision_and_permission(asks).await;
            let executor = rig.executor(&TestModel::obedient());
            let mut outcome = rig.run(&executor).await;
            assert_eq!(outcome.requests.len(), 2, "{asks}");
            let mut asked = outcome.requests.clone();
            asked.sort_by_key(|request| (request.kind == RequestKind::Permit) != permission_first);
            for (at, request) in asked.iter().enumerate() {
                assert_eq!(rig.traces.all().iter().filter(|line| line.starts_with("post")).count(), 0);
                let answer = match request.kind {
                    RequestKind::Question => Answer::Value { value: json!("that one") },
                    _ => approve(),
                };
                executor.answer(&request.id, answer, None).await.unwrap();
                outcome = executor.carry_on(&outcome.run, None).await.unwrap();
                assert_eq!(outcome.requests.len(), 1 - at, "{asks}, permission first: {permission_first}");
            }
            assert_eq!(outcome.status, RunStatus::Completed, "{asks}, permission first: {permission_first}");
            assert_eq!(rig.traces.all(), [format!("{asks} sure"), "post x".to_owned()]);
        }
    }
}

#[tokio::test]
async fn a_call_that_was_allowed_is_not_made_after_the_refusal_of_an_earlier_step() {
    // covers: T15
    let rig = decision_and_permission("displayConfirmation").await;
    let executor = rig.executor(&TestModel::obedient());
    let outcome = rig.run(&executor).await;
    let of = |kind: RequestKind| outcome.requests.iter().find(|request| request.kind == kind).unwrap().id.clone();
    executor.answer(&of(RequestKind::Permit), approve(), None).await.unwrap();
    assert_eq!(executor.carry_on(&outcome.run, None).await.unwrap().status, RunStatus::Suspended);
    executor.answer(&of(RequestKind::Confirm), reject("not now"), None).await.unwrap();
    let over = executor.carry_on(&outcome.run, None).await.unwrap();
    let statuses: Vec<StepStatus> = rig.state(&over.run).steps().iter().map(|step| step.status).collect();
    assert_eq!(statuses, [StepStatus::Cancelled, StepStatus::Cancelled]);
    assert_eq!(rig.traces.all(), ["displayConfirmation sure"]);
}
