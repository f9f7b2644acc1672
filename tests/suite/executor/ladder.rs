//! The enforcement ladder: a step is done when the ledger says so.

use assent_core::contract::{Fault, Stage};
use assent_core::run::{
    Answer, CallState, CallStatus, Content, EventKind, Exchange, Purpose, Reach, RequestKind, RunStatus, StepStatus,
    ValidationStatus,
};
use assent_engine::model::{Finish, Message, PlannerProfile, Reply, ToolChoice};
use serde_json::json;

use super::support::{Rig, TestModel, call, text, think, tool};

fn last_user(request: &assent_engine::model::Request) -> String {
    request
        .messages
        .iter()
        .rev()
        .find_map(|message| match message {
            Message::User { text } => Some(text.clone()),
            _ => None,
        })
        .unwrap()
}

#[tokio::test]
async fn words_are_no_call_and_the_model_is_told_only_what_is_missing() {
    // covers: T3 T4 T5 T9 T38 T45 T46 T51 T52 T53 T55 T56 T67
    let rig = Rig::new(json!([tool("s1", "find population data", &["look", "append"], &[])])).await;
    let model = TestModel::new(|_, _, replies| match replies {
        0 => text("I need to search for population data"),
        1 => call(&[("look", "population")]),
        2 => text("I have looked and appended."),
        3 => call(&[("append", "rows")]),
        _ => text("8 billion"),
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some("8 billion")));
    assert_eq!(rig.traces.all(), ["look population", "append rows"]);

    let requests = model.requests.lock().unwrap().clone();
    let choices: Vec<&ToolChoice> = requests.iter().map(|request| &request.choice).collect();
    let required = &ToolChoice::Required;
    assert_eq!(choices, [required, required, required, required, &ToolChoice::None]);
    let told = last_user(&requests[1]);
    assert!(told.contains("did not call the required tools: look, append"), "{told}");
    assert!(told.contains("\"toolName\": \"look\"") && told.contains("Try again. Call the required tools."), "{told}");
    let told = last_user(&requests[3]);
    assert!(told.contains("did not call the required tools: append") && !told.contains("look"), "{told}");
    let results = |request: &assent_engine::model::Request| -> Vec<String> {
        let told = request.messages.iter().filter_map(|message| match message {
            Message::Tool { name, text, .. } => Some(format!("{name}: {}", text.lines().next().unwrap_or_default())),
            _ => None,
        });
        told.collect()
    };
    assert_eq!(results(&requests[2]), ["look: look of population"], "what a call gave comes with the next reply");
    assert_eq!(results(&requests[4]), ["look: look of population", "append: append of rows"]);

    let state = rig.state(&outcome.run);
    let step = state.step(0);
    assert_eq!((step.status, step.validation), (StepStatus::Completed, Some(ValidationStatus::Passed)));
    assert_eq!(state.satisfied(0).collect::<Vec<_>>(), ["look", "append"]);
}

#[tokio::test]
async fn a_model_that_never_calls_fails_the_strict_step_and_nothing_else() {
    // covers: T6 T12 T54 T63 T64
    let rig = Rig::new(json!([
        tool("s1", "never", &["look"], &[]),
        think("s2", "builds on it", &["s1"]),
        tool("s3", "look around", &["look"], &[]),
    ]))
    .await;
    let model = TestModel::new(|_, task, replies| match (task, replies) {
        ("look around", 0) => call(&[("look", "around")]),
        _ => text("done, all called"),
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!(outcome.status, RunStatus::Failed);
    let state = rig.state(&outcome.run);
    let statuses: Vec<StepStatus> = state.steps().iter().map(|step| step.status).collect();
    assert_eq!(statuses, [StepStatus::Failed, StepStatus::Skipped, StepStatus::Completed]);
    let reasons: Vec<Option<&str>> = state.steps().iter().map(|step| step.reason.as_deref()).collect();
    let missing = Some("Step s1 did not invoke required tools: look");
    assert_eq!(reasons, [missing, Some("step s1 failed"), None]);
    let enforced = |item: &&Exchange| matches!(item, Exchange::Enforced { .. });
    assert_eq!(state.step(0).exchange.iter().filter(enforced).count(), 2);
    let limits: Vec<String> = rig
        .events(&outcome.run)
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::LimitReached { limit, .. } => Some(limit),
            _ => None,
        })
        .collect();
    assert_eq!(limits, ["toolValidationRetries"]);
}

#[tokio::test]
async fn an_advisory_step_completes_with_a_warning() {
    // covers: T47 T69
    let advisory = json!({"toolValidationMode": "advisory"});
    let rig = Rig::with_defaults(json!([tool("s1", "maybe", &["look", "append"], &[])]), advisory).await;
    let model = TestModel::new(|_, _, _| text("I know it by heart"));
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!(outcome.status, RunStatus::CompletedWithWarnings);
    let state = rig.state(&outcome.run);
    assert_eq!(state.step(0).validation, Some(ValidationStatus::Failed));
    let warning = "Step s1 did not invoke required tools: look, append";
    assert_eq!(state.step(0).reason.as_deref(), Some(warning));
    let warned = |kind: &EventKind| *kind == EventKind::Warned { message: warning.to_owned() };
    assert!(rig.events(&outcome.run).iter().any(|event| warned(&event.kind)));
}

#[tokio::test]
async fn a_reasoning_step_is_judged_by_its_content_and_may_call() {
    // covers: T42 T44 T49 T50 T62 T66 T68 T73
    let rig = Rig::new(json!([think("s1", "search the notes", &[]), think("s2", "silent", &[])])).await;
    let model = TestModel::new(|_, task, replies| match (task, replies) {
        ("search the notes", 0) => call(&[("look", "notes")]),
        ("search the notes", _) => text("the notes agree"),
        _ => text("  "),
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    let state = rig.state(&outcome.run);
    let steps: Vec<_> = state.steps().iter().map(|step| (step.status, step.validation)).collect();
    let skipped = Some(ValidationStatus::Skipped);
    assert_eq!(steps, [(StepStatus::Completed, skipped), (StepStatus::Failed, skipped)]);
    let silent = model
        .requests
        .lock()
        .unwrap()
        .iter()
        .filter(|request| {
            let first = request.messages.iter().find_map(|message| match message {
                Message::User { text } => Some(text.contains("silent")),
                _ => None,
            });
            first == Some(true) && request.purpose == Purpose::Step
        })
        .count();
    assert_eq!(silent, 2, "asked once more, then failed");
}

#[tokio::test]
async fn a_reasoning_step_that_only_calls_is_put_before_a_person_and_is_never_done_without_a_word() {
    // covers: T50 T64
    for (tool, words) in [("fail", None), ("look", None), ("look", Some("  "))] {
        let rig = Rig::with_plan(json!({
            "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": "chat", "title": "test",
            "userMessage": "Do it with report 17.", "refinedTask": "Do it.", "intent": "a test",
            "limits": {"stepIterations": 2}, "route": [], "steps": [think("s1", "weigh the notes", &[])]
        }))
        .await;
        let model = TestModel::new(move |_, _, replies| match words {
            Some(words) if replies > 0 => text(words),
            _ => call(&[(tool, &replies.to_string())]),
        });
        let executor = rig.executor(&model);
        let outcome = rig.run(&executor).await;
        let asked: Vec<RequestKind> = outcome.requests.iter().map(|request| request.kind).collect();
        assert_eq!((outcome.status, asked), (RunStatus::Suspended, vec![RequestKind::Cap]), "{tool} {words:?}");
        let stop = Answer::Value { value: json!("stop here") };
        executor.answer(&outcome.requests[0].id, stop, None).await.unwrap();
        let over = executor.carry_on(&outcome.run, None).await.unwrap();
        assert_eq!((over.status, over.answer), (RunStatus::Failed, None), "{tool} {words:?}");
    }
}

#[tokio::test]
async fn a_failed_call_was_made_and_is_still_no_success() {
    // covers: T48
    let rig = Rig::new(json!([tool("s1", "try", &["fail"], &[])])).await;
    let model = TestModel::new(|_, _, replies| if replies == 0 { call(&[("fail", "x")]) } else { text("it worked!") });
    let outcome = rig.run(&rig.executor(&model)).await;
    let state = rig.state(&outcome.run);
    assert_eq!(state.step(0).status, StepStatus::Failed);
    assert_eq!(state.step(0).validation, Some(ValidationStatus::Passed));
    assert_eq!(state.step(0).reason.as_deref(), Some("Step s1 has no successful call of: fail"));
}

#[tokio::test]
async fn a_call_that_failed_is_not_named_as_missing_while_another_is() {
    // covers: T45 T52
    let rig = Rig::new(json!([tool("s1", "try both", &["fail", "look"], &[])])).await;
    let model = TestModel::new(|_, _, replies| match replies {
        0 => call(&[("fail", "x")]),
        2 => call(&[("look", "y")]),
        _ => text("that is all"),
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    let state = rig.state(&outcome.run);
    let named: Vec<Vec<String>> = state
        .step(0)
        .exchange
        .iter()
        .filter_map(|item| match item {
            Exchange::Enforced { missing, .. } => Some(missing.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(named, [["look"], ["fail"]], "what was never called first, what never worked after it");
    assert_eq!(state.step(0).reason.as_deref(), Some("Step s1 has no successful call of: fail"));
}

#[tokio::test]
async fn a_step_is_judged_by_its_own_mode_where_it_has_one() {
    // covers: T22 T47 T60
    let step = |id: &str, mode: &str| {
        let mut step = tool(id, "maybe", &["look"], &[]);
        step["toolValidationMode"] = json!(mode);
        step
    };
    for of_plan in ["strict", "advisory"] {
        let defaults = json!({"toolValidationMode": of_plan});
        let rig = Rig::with_defaults(json!([step("s1", "advisory"), step("s2", "strict")]), defaults).await;
        let outcome = rig.run(&rig.executor(&TestModel::new(|_, _, _| text("I know it by heart")))).await;
        let state = rig.state(&outcome.run);
        let ends: Vec<_> = state.steps().iter().map(|step| (step.status, step.validation)).collect();
        let failed = Some(ValidationStatus::Failed);
        assert_eq!(
            ends,
            [(StepStatus::Completed, failed), (StepStatus::Failed, failed)],
            "in a plan that is {of_plan}"
        );
    }
}

#[tokio::test]
async fn a_tool_step_without_required_tools_has_to_call_something_and_is_not_validated() {
    // covers: T33 T44 T49
    let rig = Rig::new(json!([tool("s1", "find out", &[], &[]), tool("s2", "say it", &[], &[])])).await;
    let model = TestModel::new(|_, task, replies| match (task, replies) {
        ("find out", 0) => call(&[("look", "x")]),
        _ => text("I know it by heart"),
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    let state = rig.state(&outcome.run);
    let ends: Vec<_> = state.steps().iter().map(|step| (step.status, step.validation)).collect();
    let skipped = Some(ValidationStatus::Skipped);
    assert_eq!(ends, [(StepStatus::Completed, skipped), (StepStatus::Failed, skipped)]);
    assert_eq!(state.step(1).iterations, 2, "it is asked once more, and nothing is enforced");
    let enforced = |kind: &EventKind| matches!(kind, EventKind::Enforced { .. });
    assert!(!rig.events(&outcome.run).iter().any(|event| enforced(&event.kind)));
}

#[tokio::test]
async fn a_tool_step_without_required_tools_is_not_done_by_a_call_that_did_not_do_what_it_is_for() {
    // covers: T4
    for of_no_use in ["fail", "exit"] {
        let rig = Rig::new(json!([tool("s1", "lie", &[], &[]), tool("s2", "mend it", &[], &[])])).await;
        let model = TestModel::new(move |_, task, replies| match (task, replies) {
            (_, 0) => call(&[(of_no_use, "x")]),
            ("mend it", 2) => call(&[("look", "y")]),
            _ => text("All of it is done."),
        });
        let outcome = rig.run(&rig.executor(&model)).await;
        let state = rig.state(&outcome.run);
        let ends: Vec<_> = state.steps().iter().map(|step| (step.status, step.reason.as_deref())).collect();
        let reason = "no call of this step did what it is for";
        assert_eq!(ends, [(StepStatus::Failed, Some(reason)), (StepStatus::Completed, None)], "{of_no_use}");
        let told = |at: usize| {
            let exchange = state.step(at).exchange.iter();
            exchange
                .filter_map(|item| if let Exchange::Reprompted(fault) = item { fault.attempt } else { None })
                .collect()
        };
        let times: [Vec<u32>; 2] = [told(0), told(1)];
        assert_eq!(times, [vec![1, 2], vec![1]], "{of_no_use}");
        let limit = |kind: &EventKind| matches!(kind, EventKind::LimitReached { limit, .. } if limit == "toolValidationRetries");
        assert_eq!(rig.events(&outcome.run).iter().filter(|event| limit(&event.kind)).count(), 1);
    }
}

#[tokio::test]
async fn a_tool_that_is_not_in_scope_is_refused_with_the_allowed_names_and_never_called() {
    let rig = Rig::new(json!([tool("s1", "peek", &["look"], &[])])).await;
    let model = TestModel::new(|_, _, replies| match replies {
        0 => call(&[("hidden", "x"), ("nowhere", "y"), ("look", "z")]),
        _ => text("seen"),
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!((outcome.status, rig.traces.all()), (RunStatus::Completed, vec!["look z".to_owned()]));
    let state = rig.state(&outcome.run);
    let CallState::Refused(fault) = &state.ledger()[0].state else { panic!("refused") };
    assert!(fault.required.contains(&"look".to_owned()) && !fault.required.contains(&"hidden".to_owned()));
    assert!(matches!(state.ledger()[1].state, CallState::Refused(_)));
}

#[tokio::test]
async fn a_tool_that_breaks_is_an_error_of_its_call_alone() {
    let rig = Rig::new(json!([tool("s1", "panic now", &["look"], &[])])).await;
    let model = TestModel::new(|_, _, replies| match replies {
        0 => call(&[("panic", "x")]),
        1 => call(&[("look", "y")]),
        _ => text("fine"),
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!(outcome.status, RunStatus::Completed);
    let state = rig.state(&outcome.run);
    let CallState::Ended(end) = &state.ledger()[0].state else { panic!("ended") };
    assert_eq!((end.status, end.satisfied), (CallStatus::Error, false));
}

#[tokio::test]
async fn a_tool_that_floods_is_kept_in_bounds_and_the_run_goes_on() {
    let rig = Rig::new(json!([tool("s1", "pour", &["flood"], &[]), think("s2", "sum up", &["s1"])])).await;
    let model = TestModel::new(|_, task, replies| match (task, replies) {
        ("pour", 0) => call(&[("flood", "now")]),
        _ => text("it was much"),
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some("it was much")));
    let kept = match &rig.state(&outcome.run).ledger()[0].state {
        CallState::Ended(end) => end.output.clone(),
        other => panic!("{other:?}"),
    };
    let Content::Blob { bytes, .. } = kept else { panic!("{kept:?}") };
    assert!(bytes <= (4 << 20) + 2, "{bytes} bytes are kept of a gigabyte");
    let told = EventKind::Warned { message: "flood gave more than 4 MiB; the rest is lost".to_owned() };
    assert!(rig.events(&outcome.run).iter().any(|event| event.kind == told));
    assert_eq!(rig.limits_reached(&outcome.run), [("toolResultMaxLength".to_owned(), 60_000)]);
    let shown: usize = model.requests.lock().unwrap().iter().map(|request| format!("{request:?}").len()).sum();
    assert!(shown < 1 << 20, "no model is shown {shown} characters");
}

#[tokio::test]
async fn a_mixed_plan_runs_in_its_order_and_the_last_text_is_the_answer() {
    // covers: T1 T18 T33 T43 T58 T60 T70 T71 T74
    let rig = Rig::new(json!([tool("s1", "look numbers", &["look"], &[]), think("s2", "compare", &["s1"]),])).await;
    let model = TestModel::obedient();
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some("did compare")));
    assert_eq!(outcome.model_calls, 3, "no call for an answer that is there already");
    let told = last_user(&model.requests.lock().unwrap()[2]);
    assert!(told.contains("look of numbers"), "the earlier result is shown: {told}");
}

#[tokio::test]
async fn a_plan_without_any_word_about_tools_runs_as_it_always_did() {
    // covers: T25 T57 T59 T69
    let steps = json!([{"id": "a", "description": "think"}, {"id": "b", "description": "tell", "dependencies": ["a"]}]);
    let rig = Rig::with_defaults(steps, json!({})).await;
    let model = TestModel::new(|_, task, _| text(&format!("did {task}")));
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!((outcome.status, outcome.answer.as_deref()), (RunStatus::Completed, Some("did tell")));
    let state = rig.state(&outcome.run);
    assert!(state.steps().iter().all(|step| step.validation == Some(ValidationStatus::Skipped)));
    assert_eq!(outcome.model_calls, 2, "nothing was enforced");
}

#[tokio::test]
async fn without_a_mode_a_missing_call_is_a_warning() {
    // covers: T47
    let rig = Rig::with_defaults(json!([tool("s1", "maybe", &["look"], &[])]), json!({})).await;
    let outcome = rig.run(&rig.executor(&TestModel::new(|_, _, _| text("I know it by heart")))).await;
    assert_eq!(outcome.status, RunStatus::CompletedWithWarnings);
    assert_eq!(rig.state(&outcome.run).step(0).validation, Some(ValidationStatus::Failed));
}

#[tokio::test]
async fn a_text_that_reports_an_effect_without_a_call_behind_it_is_marked() {
    let said = "I have saved the table to out.md.";
    for (task, warned) in [("look x", true), ("append x", false)] {
        let tools = [task.split_once(' ').unwrap().0];
        let rig = Rig::new(json!([tool("s1", task, &tools, &[])])).await;
        let order = task.to_owned();
        let model = TestModel::new(move |_, _, replies| match replies {
            0 => call(&[order.split_once(' ').unwrap()]),
            _ => text(said),
        });
        let outcome = rig.run(&rig.executor(&model)).await;
        let step = rig.state(&outcome.run).step(0).clone();
        assert_eq!((step.status, step.has_warning()), (StepStatus::Completed, warned), "{task}");
        let mark = "it says \"I have saved the table to out.md\", and no call stands behind that";
        assert_eq!(step.reason.as_deref(), warned.then_some(mark));
    }
}

#[tokio::test]
async fn the_effect_of_a_step_stands_behind_what_builds_on_it_and_behind_no_other() {
    for (needs, warned) in [(&["s1"][..], false), (&[], true)] {
        let steps = json!([tool("s1", "append x", &["append"], &[]), tool("s2", "look y", &["look"], needs)]);
        let rig = Rig::new(steps).await;
        let model = TestModel::new(|_, task, replies| match (task.contains("append x"), replies) {
            (true, 0) => call(&[("append", "x")]),
            (false, 0) => call(&[("look", "y")]),
            (true, _) => text("I looked at it."),
            (false, _) => text("I have saved the notes."),
        });
        let outcome = rig.run(&rig.executor(&model)).await;
        let state = rig.state(&outcome.run);
        assert_eq!((state.step(0).has_warning(), state.step(1).has_warning()), (false, warned), "{needs:?}");
    }
}

#[tokio::test]
async fn a_call_stands_behind_reports_of_its_own_kind_alone() {
    let said = [("I have sent the mail.", "append", true), ("I have sent the mail.", "look", true)];
    let said = said.into_iter().chain([("I have saved all of it to out.md.", "append", false)]);
    for (says, tool_of_step, warned) in said {
        let rig = Rig::new(json!([tool("s1", "work", &[tool_of_step], &[])])).await;
        let model = TestModel::new(move |_, _, replies| match replies {
            0 => call(&[(tool_of_step, "x")]),
            _ => text(says),
        });
        let outcome = rig.run(&rig.executor(&model)).await;
        assert_eq!(rig.state(&outcome.run).step(0).has_warning(), warned, "{says} {tool_of_step}");
    }
    let rig = Rig::new(json!([tool("s1", "work", &["post"], &[])])).await;
    let model =
        TestModel::new(|_, _, replies| if replies == 0 { call(&[("post", "x")]) } else { text("Email sent to Anna.") });
    let executor = rig.executor(&model);
    let outcome = rig.run(&executor).await;
    let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
    executor.answer(&outcome.requests[0].id, yes, None).await.unwrap();
    assert_eq!(executor.carry_on(&outcome.run, None).await.unwrap().status, RunStatus::Completed);
}

#[tokio::test]
async fn a_report_is_marked_beside_another_warning_and_where_a_limit_ends_the_step() {
    let mark = "it says \"I have saved the table to out.md\", and no call stands behind that";
    let says = "I have saved the table to out.md.";
    let rig = Rig::with_defaults(json!([tool("s1", "write", &["append"], &[])]), json!({})).await;
    let outcome = rig.run(&rig.executor(&TestModel::new(move |_, _, _| text(says)))).await;
    let reason = rig.state(&outcome.run).step(0).reason.clone();
    assert_eq!(reason, Some(format!("Step s1 did not invoke required tools: append; {mark}")));

    // What it writes cannot be read until its replies are used up.
    let rig = Rig::new(json!([think("s1", "weigh", &[])])).await;
    let model = TestModel::new(move |_, _, replies| match replies {
        0..3 => call(&[("look", &replies.to_string())]),
        _ => Reply { faults: vec![Fault::new(Stage::Parse, "it ends in the middle")], ..text(says) },
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    assert_eq!(rig.limits_reached(&outcome.run), [("stepIterations".to_owned(), 5)]);
    let step = rig.state(&outcome.run).step(0).clone();
    let whole = format!("its text may not be whole: it ends in the middle; {mark}");
    assert_eq!((step.status, step.reason), (StepStatus::Completed, Some(whole)));
}

#[tokio::test]
async fn a_text_that_was_cut_off_each_time_is_taken_with_a_warning_and_one_that_was_refused_is_none() {
    let fault = |message: &str| vec![Fault::new(Stage::Parse, message)];
    let cut = "the reply was cut off because it was too long";
    let refused = "the endpoint refused to write it";
    let not_whole = |why: &str| format!("its text may not be whole: {why}");
    let limit = [("outputRetries".to_owned(), 3)];
    for (said, why, status, reason) in [
        ("The half of it, with Berlin", cut, StepStatus::Completed, not_whole(cut)),
        ("The half of it, with Berlin", refused, StepStatus::Completed, not_whole(refused)),
        ("", refused, StepStatus::Failed, refused.to_owned()),
    ] {
        let rig = Rig::new(json!([think("s1", "weigh", &[])])).await;
        let model = TestModel::new(move |_, _, _| Reply { faults: fault(why), ..text(said) });
        let outcome = rig.run(&rig.executor(&model)).await;
        let step = rig.state(&outcome.run).step(0).clone();
        assert_eq!((step.status, step.reason, step.iterations), (status, Some(reason), 4), "{said} {why}");
        assert_eq!(rig.limits_reached(&outcome.run), limit);
    }
    // What a step with tools has done stands in the ledger; its words are marked.
    let rig = Rig::new(json!([tool("s1", "append x", &["append"], &[])])).await;
    let model = TestModel::counting(move |asked| match asked {
        0 => Ok(call(&[("append", "x")])),
        1 => Ok(Reply { faults: fault(cut), ..text("I have") }),
        _ => Ok(text("It is appended.")),
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    let step = rig.state(&outcome.run).step(0).clone();
    assert_eq!((step.status, step.reason), (StepStatus::Completed, None), "it was written again, whole");
    assert_eq!(rig.limits_reached(&outcome.run), []);
}

#[tokio::test]
async fn an_answer_that_was_cut_off_says_so() {
    let steps = [tool("s1", "work", &["look"], &[]), tool("s2", "more", &["look"], &["s1"])];
    let rig = Rig::new(json!(steps)).await;
    let faults = vec![Fault::new(Stage::Parse, "the reply was cut off")];
    let half = Reply { faults, finish: Finish::Length, ..text("The first half") };
    let replies = vec![call(&[("look", "x")]), text("done"), call(&[("look", "y")]), text("done"), half];
    let outcome = rig.run(&rig.executor(&TestModel::script(PlannerProfile::Full, replies))).await;
    assert_eq!(outcome.answer.as_deref(), Some("The first half"));
    let warned: Vec<String> = rig
        .events(&outcome.run)
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::Warned { message } => Some(message),
            _ => None,
        })
        .collect();
    assert_eq!(warned, ["The answer is not whole: the reply was cut off."]);
}

#[tokio::test]
async fn an_answer_that_reports_what_no_call_has_done_is_marked() {
    for (tool_of_step, marks) in [("look", 1), ("append", 0)] {
        let steps = [tool("s1", "work", &[tool_of_step], &[]), tool("s2", "more", &[tool_of_step], &["s1"])];
        let rig = Rig::new(json!(steps)).await;
        let called = |at: &str| call(&[(tool_of_step, at)]);
        let replies = vec![called("x"), text("done"), called("y"), text("done"), text("Saved the table to out.md.")];
        let outcome = rig.run(&rig.executor(&TestModel::script(PlannerProfile::Full, replies))).await;
        assert_eq!(outcome.answer.as_deref(), Some("Saved the table to out.md."));
        let is_mark = |kind: &EventKind| match kind {
            EventKind::Warned { message } => message.contains("it says \"Saved the table to out.md\""),
            _ => false,
        };
        let found = rig.events(&outcome.run).iter().filter(|event| is_mark(&event.kind)).count();
        assert_eq!(found, marks, "{tool_of_step}");
    }
}
