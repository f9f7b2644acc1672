//! Where repetition ends, where a person stops it, and how many steps go at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use assent_core::ids::RunId;
use assent_core::run::{
    Answer, Batch, CallState, Draft, Durability, EventKind, Exchange, Journal as _, Reach, RequestKind, RequestStatus,
    RunStatus, StepStatus,
};
use assent_engine::executor::Executor;
use assent_engine::model::{Message, PlannerProfile, ToolChoice};
use serde_json::json;

use super::support::{Between, Rig, TestModel, call, text, think, tool};

#[tokio::test]
async fn the_same_call_is_pointed_out_then_refused_then_put_before_a_person() {
    let rig = Rig::new(json!([tool("s1", "round and round", &["append"], &[])])).await;
    let model = TestModel::new(|_, _, replies| if replies < 4 { call(&[("look", "x")]) } else { text("enough") });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!((outcome.status, outcome.requests[0].kind), (RunStatus::Suspended, RequestKind::Cap));
    assert_eq!(rig.traces.all(), ["look x", "look x"]);
    let told: Vec<String> = model.requests.lock().unwrap()[3]
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect();
    assert!(!told[0].contains("same result") && told[1].contains("this same result"), "{told:?}");
    assert!(told[2].contains("was called 2 times"), "{told:?}");
    assert!(matches!(rig.state(&outcome.run).ledger()[2].state, CallState::Refused(_)));
    let reached = ("loop".to_owned(), 3);
    assert_eq!(
        rig.limits_reached(&outcome.run),
        [reached.clone(), reached],
        "where it is refused, and where it is asked"
    );
    let stop = Answer::Reject { reason: None };
    executor.answer(&outcome.requests[0].id, stop, None).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::Failed);
}

#[tokio::test]
async fn a_yes_at_a_limit_allows_nothing_but_to_go_on() {
    let rig = Rig::new(json!([tool("s1", "round and round", &["append"], &[])])).await;
    let model = TestModel::new(|_, _, replies| if replies < 4 { call(&[("look", "x")]) } else { text("enough") });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    let asked = &outcome.requests[0];
    assert_eq!((asked.kind, asked.tool.as_deref()), (RequestKind::Cap, Some("look")));
    for reach in [Reach::Step, Reach::Run, Reach::Workspace] {
        let further = Answer::Approve { arguments: None, note: None, reach };
        let refused = executor.answer(&asked.id, further, None).await.unwrap_err();
        assert_eq!(refused.to_string(), "this can be allowed only for this call");
    }
    let kept = || assent_engine::store::Allowances::allowances(rig.store.as_ref()).unwrap();
    assert_eq!(kept(), []);
    // Nor does one that was written by a version that let it pass.
    let further = Answer::Approve { arguments: None, note: None, reach: Reach::Workspace };
    let kind = EventKind::RequestAnswered { request: asked.id.clone(), answer: further, file: None };
    let place = rig.events(&outcome.run).last().unwrap().place.clone();
    let batch = Batch { events: vec![Draft { place, at: 2, kind }], ..Batch::default() };
    rig.store.append(batch, Durability::Committed).await.unwrap();
    assert_eq!(kept(), []);
}

#[tokio::test]
async fn a_step_that_has_done_what_it_must_ends_where_its_model_goes_round_and_nobody_is_asked() {
    let rig = Rig::new(json!([tool("s1", "look once", &["look"], &[])])).await;
    let model = TestModel::new(|_, _, replies| if replies < 3 { call(&[("look", "x")]) } else { text("x is there") });
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!((outcome.status, outcome.requests.len()), (RunStatus::Completed, 0));
    let choices: Vec<ToolChoice> =
        model.requests.lock().unwrap().iter().map(|request| request.choice.clone()).collect();
    assert_eq!(choices, [ToolChoice::Required, ToolChoice::Auto, ToolChoice::Auto, ToolChoice::None]);
    assert_eq!(rig.limits_reached(&outcome.run), [("loop".to_owned(), 3)]);

    let rig = Rig::new(json!([tool("s1", "look once", &["look"], &[])])).await;
    let deaf = TestModel::new(|_, _, _| call(&[("look", "x")]));
    let outcome = rig.run(&rig.executor(&deaf)).await;
    assert_eq!((outcome.status, outcome.requests.len()), (RunStatus::Completed, 0));
    assert_eq!(rig.traces.all(), ["look x", "look x"]);
}

#[tokio::test]
async fn the_last_reply_names_the_missing_tool_and_then_a_person_may_say_go_on() {
    let rig = Rig::new(json!([tool("s1", "wander", &["append"], &[])])).await;
    let model = TestModel::new(|_, _, replies| match replies {
        6 => call(&[("append", "at last")]),
        7 => text("there"),
        other => call(&[("look", &other.to_string())]),
    });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    assert_eq!(outcome.requests[0].kind, RequestKind::Cap);
    let choices: Vec<ToolChoice> =
        model.requests.lock().unwrap().iter().map(|request| request.choice.clone()).collect();
    let required = ToolChoice::Required;
    let named = ToolChoice::Named("append".to_owned());
    assert_eq!(choices, [required.clone(), required.clone(), required.clone(), required, named]);
    assert_eq!(rig.limits_reached(&outcome.run), [("stepIterations".to_owned(), 5)]);
    executor
        .answer(&outcome.requests[0].id, Answer::Approve { arguments: None, note: None, reach: Reach::Once }, None)
        .await
        .unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some("there")));
}

/// Carries a run on and stops it once so many calls are under way: it is over within a second.
async fn stopped_in_time(rig: &Rig, executor: &Executor, run: &RunId, calls: usize) {
    let took = stopped(rig, executor, run, calls).await;
    assert!(took < Duration::from_secs(1), "{took:?}");
}

/// The same, however long stopping takes, and how long that was.
async fn stopped(rig: &Rig, executor: &Executor, run: &RunId, calls: usize) -> Duration {
    let person = async {
        while rig.traces.all().len() < calls {
            tokio::task::yield_now().await;
        }
        let begun = Instant::now();
        executor.cancel(run).await.unwrap();
        begun.elapsed()
    };
    let (outcome, took) = tokio::join!(executor.carry_on(run, None), person);
    assert_eq!(outcome.unwrap().status, RunStatus::Cancelled);
    took
}

#[tokio::test]
async fn stopping_ends_everything_within_a_second_and_leaves_a_definite_state() {
    let rig = Rig::new(json!([
        tool("s1", "hang x", &["hang"], &[]),
        tool("s2", "ask_user what", &["ask_user"], &[]),
        think("s3", "later", &["s1"]),
    ]))
    .await;
    let model = TestModel::obedient();
    let executor = rig.executor(&model);
    let run = rig.start(&executor).await.unwrap();
    stopped_in_time(&rig, &executor, &run, 2).await;
    let state = rig.state(&run);
    assert!(state.steps().iter().all(|step| step.status == StepStatus::Cancelled));
    assert!(state.requests().iter().all(|request| request.status == RequestStatus::Cancelled));
    assert!(matches!(state.ledger()[0].state, CallState::Ended(_)));
    assert!(executor.recover().await.unwrap().is_empty());
}

/// A run that ends in a question, and how it stands after what is done between the holder's last look at it and the
/// release of its lock.
async fn stopped_between(first: impl AsyncFn(&Rig, &Between, &Executor, &RunId)) {
    let rig = Rig::new(json!([tool("s1", "ask_user what", &["ask_user"], &[])])).await;
    let model = TestModel::obedient();
    let last_look = Between::of(&rig.store, |batch| batch.events.is_empty());
    let here = rig.executor_on(&model, Arc::new(last_look.clone()));
    let run = rig.start(&here).await.unwrap();
    let (outcome, ()) = tokio::join!(here.carry_on(&run, None), first(&rig, &last_look, &here, &run));
    drop(outcome);
    let row = assent_engine::store::Runs::run(rig.store.as_ref(), &run).unwrap();
    assert_eq!(row.status, RunStatus::Cancelled);
    assert_eq!(assent_engine::store::Requests::open_requests(rig.store.as_ref()).unwrap(), []);
}

#[tokio::test]
async fn a_stop_is_written_down_before_what_goes_on_has_ended() {
    let rig = Rig::new(json!([tool("s1", "hang x", &["hang"], &[])])).await;
    let executor = rig.executor(&TestModel::obedient());
    let run = rig.start(&executor).await.unwrap();
    stopped(&rig, &executor, &run, 1).await;
    let kinds: Vec<EventKind> = rig.events(&run).into_iter().map(|event| event.kind).collect();
    let place = |fits: fn(&EventKind) -> bool| kinds.iter().position(fits).unwrap();
    let asked = place(|kind| matches!(kind, EventKind::RunStopAsked));
    assert!(asked < place(|kind| matches!(kind, EventKind::CallEnded { .. })), "{kinds:?}");
    assert!(asked < place(|kind| matches!(kind, EventKind::RunEnded { .. })), "{kinds:?}");
}

#[tokio::test]
async fn a_stop_that_comes_while_the_lock_is_released_is_obeyed_by_the_holder() {
    stopped_between(async |rig, last_look, _, run| {
        last_look.reached().await;
        rig.executor(&TestModel::obedient()).cancel(run).await.unwrap();
        last_look.open();
    })
    .await;
}

#[tokio::test]
async fn a_stop_that_is_written_after_the_lock_was_released_is_obeyed_by_whoever_wants_it() {
    stopped_between(async |rig, last_look, here, run| {
        let is_stop = |batch: &Batch| batch.events.iter().any(|event| event.kind == EventKind::RunStopAsked);
        let late = Between::of(&rig.store, is_stop);
        let elsewhere = rig.executor_on(&TestModel::obedient(), Arc::new(late.clone()));
        last_look.reached().await;
        let stop = elsewhere.cancel(run);
        let released = async {
            late.reached().await;
            last_look.open();
            while here.is_carried_on(run).unwrap() {
                tokio::task::yield_now().await;
            }
            late.open();
        };
        let (stopped, ()) = tokio::join!(stop, released);
        stopped.unwrap();
    })
    .await;
}

/// Runs one step that needs this tool. The batch that is meant reaches the journal only after another process has
/// written that the run is to stop.
async fn stopped_before(needed: &str, meant: fn(&Batch) -> bool) -> (Rig, RunId) {
    let rig = Rig::new(json!([tool("s1", &format!("{needed} x"), &[needed], &[])])).await;
    let late = Between::of(&rig.store, meant);
    let here = rig.executor_on(&TestModel::obedient(), Arc::new(late.clone()));
    let run = rig.start(&here).await.unwrap();
    let person = async {
        late.reached().await;
        rig.executor(&TestModel::obedient()).cancel(&run).await.unwrap();
        late.open();
    };
    let (outcome, ()) = tokio::join!(here.carry_on(&run, None), person);
    assert_eq!(outcome.unwrap().status, RunStatus::Cancelled);
    assert!(rig.state(&run).is_over());
    (rig, run)
}

fn begins_a_call(batch: &Batch) -> bool {
    batch.events.iter().any(|event| matches!(event.kind, EventKind::CallStarted { .. }))
}

#[tokio::test]
async fn no_effect_begins_once_a_stop_is_written() {
    let (rig, run) = stopped_before("append", begins_a_call).await;
    assert_eq!(rig.traces.all(), Vec::<String>::new());
    let state = rig.state(&run);
    assert_eq!((state.step(0).status, state.ledger()[0].begun), (StepStatus::Cancelled, None));
}

#[tokio::test]
async fn a_read_that_began_before_the_stop_was_heard_is_in_the_ledger() {
    let (rig, run) = stopped_before("look", begins_a_call).await;
    let state = rig.state(&run);
    assert_eq!(state.step(0).status, StepStatus::Cancelled);
    let entry = &state.ledger()[0];
    assert!(entry.begun.is_some() && matches!(entry.state, CallState::Ended(_)), "{entry:?}");
}

#[tokio::test]
async fn a_run_that_is_done_when_a_stop_is_written_does_not_end_as_if_nobody_had_stopped_it() {
    let ends = |batch: &Batch| batch.events.iter().any(|event| matches!(event.kind, EventKind::RunEnded { .. }));
    let (rig, run) = stopped_before("append", ends).await;
    assert_eq!(rig.traces.all(), ["append x"]);
    assert_eq!(rig.state(&run).step(0).status, StepStatus::Completed);
}

#[tokio::test]
async fn a_stop_that_meets_an_answer_ends_what_is_left() {
    let rig = Rig::new(json!([tool("s1", "ask_user Which?", &["ask_user"], &[])])).await;
    let executor = rig.executor(&TestModel::obedient());
    let outcome = rig.run(&executor).await;
    let ends = |batch: &Batch| batch.events.iter().any(|event| matches!(event.kind, EventKind::RunEnded { .. }));
    let between = Between::of(&rig.store, ends);
    let stopper = rig.executor_on(&TestModel::obedient(), Arc::new(between.clone()));
    let answer = async {
        between.reached().await;
        let which = Answer::Value { value: json!("this") };
        executor.answer(&outcome.requests[0].id, which, None).await.unwrap();
        between.open();
    };
    let (stopped, ()) = tokio::join!(stopper.cancel(&outcome.run), answer);
    stopped.unwrap();
    let state = rig.state(&outcome.run);
    assert_eq!((state.status(), state.requests()[0].status), (RunStatus::Cancelled, RequestStatus::Answered));
}

#[tokio::test]
async fn whoever_waits_for_the_end_of_a_stopped_run_waits_so_long_and_no_longer() {
    let rig = Rig::new(json!([tool("s1", "hang x", &["hang"], &[])])).await;
    let model = TestModel::obedient();
    let (here, elsewhere) = (rig.executor(&model), rig.executor(&model));
    let run = rig.start(&here).await.unwrap();
    let held = rig.hold(&run);
    assert!(!elsewhere.cancel_within(&run, Duration::from_millis(20)).await.unwrap(), "its holder does nothing");
    drop(held);
    let long = Duration::from_secs(60);
    let (outcome, over) = tokio::join!(here.carry_on(&run, None), elsewhere.cancel_within(&run, long));
    assert_eq!((outcome.unwrap().status, over.unwrap()), (RunStatus::Cancelled, true));
}

#[tokio::test]
async fn a_tool_that_does_not_listen_is_left_behind_within_the_second() {
    let rig = Rig::new(json!([tool("s1", "deaf x", &["deaf"], &[])])).await;
    let executor = rig.executor(&TestModel::obedient());
    let run = rig.start(&executor).await.unwrap();
    stopped_in_time(&rig, &executor, &run, 1).await;
    let CallState::Ended(end) = rig.state(&run).ledger()[0].state.clone() else { panic!("the call has no end") };
    assert!(end.error.unwrap().contains("it may have done a part"));
}

#[tokio::test]
async fn a_step_fails_by_the_limit_that_ended_it_and_by_no_other() {
    let contract = json!({"type": "object", "required": ["rows"]});
    let mut step = tool("s1", "count", &["look"], &[]);
    step["contracts"] = json!({"output": contract});
    let rig = Rig::new(json!([step])).await;
    // One reminder of the required tool, then texts that break the contract to the end.
    let model = TestModel::new(|_, _, replies| if replies == 1 { call(&[("look", "x")]) } else { text("no JSON") });
    let executor = rig.executor(&model);
    let mut outcome = rig.run(&executor).await;
    while let Some(request) = outcome.requests.first() {
        assert_eq!(request.kind, RequestKind::Cap);
        executor.answer(&request.id, Answer::Value { value: json!("keep going") }, None).await.unwrap();
        outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    }
    assert_eq!(outcome.status, RunStatus::Failed);
    assert!(outcome.reasons[0].1.contains("does not fit its contract"), "{:?}", outcome.reasons);
    let ended = |kind: EventKind| match kind {
        EventKind::LimitReached { limit, .. } if limit != "stepIterations" => Some(limit),
        _ => None,
    };
    let limits: Vec<String> = rig.events(&outcome.run).into_iter().filter_map(|event| ended(event.kind)).collect();
    assert_eq!(limits, ["outputRetries"]);
}

#[tokio::test]
async fn a_file_that_is_not_there_and_a_result_that_does_not_fit_are_told_apart() {
    let mut step = tool("s1", "append x", &["append"], &[]);
    step["contracts"] = json!({"output": {"type": "object", "required": ["rows"]}});
    step["expectedOutcome"] = json!("out.txt");
    let document = json!({"format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": "chat", "title": "test",
        "userMessage": "append x", "defaults": {"toolValidationMode": "strict"}, "limits": {"outputRetries": 2},
        "steps": [step]});
    let (missing, unfit) = ("out.txt is not there, or empty", "the result has to be one JSON object");
    let fits = || text(r#"{"rows": 1}"#);
    for (then, faults) in [
        (vec![fits(), text("no JSON"), fits()], [missing, unfit]),
        (vec![text("no JSON"), fits(), fits()], [unfit, missing]),
    ] {
        let rig = Rig::with_plan(document.clone()).await;
        let replies = [vec![call(&[("append", "x")])], then].concat();
        let model = TestModel::script(PlannerProfile::Full, replies);
        let outcome = rig.run(&rig.executor(&model)).await;
        let state = rig.state(&outcome.run);
        let told: Vec<String> = state
            .step(0)
            .exchange
            .iter()
            .filter_map(|item| match item {
                Exchange::Reprompted(fault) => Some(fault.message.clone()),
                _ => None,
            })
            .collect();
        assert!(told.len() == 2 && told.iter().zip(faults).all(|(told, fault)| told.contains(fault)), "{told:?}");
        assert_eq!(outcome.status, RunStatus::CompletedWithWarnings, "{:?}", outcome.reasons);
    }
}

#[tokio::test]
async fn a_step_is_done_again_with_what_was_skipped_after_it() {
    let rig = Rig::new(json!([tool("s1", "do", &["look"], &[]), think("s2", "report", &["s1"])])).await;
    let stubborn = TestModel::new(|_, _, _| text("no"));
    let outcome = rig.run(&rig.executor(&stubborn)).await;
    assert_eq!(outcome.status, RunStatus::Failed);
    let model = TestModel::new(|_, task, replies| match (task, replies) {
        ("do", 0) => call(&[("look", "x")]),
        _ => text("fine"),
    });
    let executor = rig.executor(&model);
    executor.retry(&outcome.run, &"s1".into()).await.unwrap();
    let outcome = executor.carry_on(&outcome.run, None).await.unwrap();
    assert_eq!(outcome.status, RunStatus::Completed);
    let attempts: Vec<u32> = rig.state(&outcome.run).steps().iter().map(|step| step.attempt).collect();
    assert_eq!(attempts, [2, 1]);
}

#[tokio::test]
async fn a_clock_that_is_set_back_neither_stops_a_run_nor_makes_a_duration() {
    let rig = Rig::new(json!([tool("s1", "look x, append y", &["look", "append"], &[]), think("s2", "sum", &["s1"])]));
    let rig = rig.await;
    rig.clock.advance(1_000_000);
    let clock = rig.clock.clone();
    let model = TestModel::new(move |_, task, replies| {
        clock.advance(-5_000);
        match (task, replies) {
            ("sum", _) => text("all of it"),
            (_, 0) => call(&[("look", "x"), ("append", "y")]),
            _ => text("done"),
        }
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!(outcome.status, RunStatus::Completed);
    let events = rig.events(&outcome.run);
    assert!(events.windows(2).all(|pair| pair[0].seq < pair[1].seq), "the order is that of writing");
    assert!(events.windows(2).any(|pair| pair[0].at > pair[1].at), "the times are those of the clock");
    let durations = events.iter().filter_map(|event| match &event.kind {
        EventKind::ModelReplied { duration_ms, .. } | EventKind::CallEnded { duration_ms, .. } => Some(*duration_ms),
        _ => None,
    });
    assert!(durations.into_iter().all(|duration| duration < 1_000), "none is an age");
}

#[tokio::test]
async fn what_was_built_on_a_step_that_is_done_again_is_stale_until_it_is_done_again_too() {
    let rig = Rig::new(json!([tool("s1", "look x", &["look"], &[]), think("s2", "report", &["s1"])])).await;
    let executor = rig.executor(&TestModel::obedient());
    let outcome = rig.run(&executor).await;
    let stale = |run| rig.state(run).steps().iter().map(|step| step.stale).collect::<Vec<_>>();
    for (step, expected) in [("s1", [false, true]), ("s2", [false, false])] {
        executor.retry(&outcome.run, &step.into()).await.unwrap();
        let again = executor.carry_on(&outcome.run, None).await.unwrap();
        assert_eq!(again.status, RunStatus::Completed);
        assert_eq!(stale(&outcome.run), expected, "after {step}");
    }
    let unsettled = Rig::new(json!([tool("s1", "ask_user what", &["ask_user"], &[])])).await;
    let executor = unsettled.executor(&TestModel::obedient());
    let outcome = unsettled.run(&executor).await;
    let refused = executor.retry(&outcome.run, &"s1".into()).await.unwrap_err();
    assert_eq!(refused.to_string(), "step s1 is waiting, which does not allow this");
}
