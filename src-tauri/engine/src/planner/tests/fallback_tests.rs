use assent_core::plan::RouteStep;

use super::*;
use crate::model::{Finish, Reply};

const GOOD: &str = r#"{"title":"T","steps":[{"tool":"grep","do":"Find","expect":"x"}]}"#;
const MESSAGE: &str = "Watch https://example.com/s?q=1\nfor me";

#[tokio::test]
async fn a_reply_that_cannot_be_read_is_sent_back_once() {
    let world = World::new();
    let model = model(PlannerProfile::Compact, [Scripted::text("I would search the files."), Scripted::text(GOOD)]);
    let (planned, progress) = run(&model, &world.request("Find it")).await;
    let planned = planned.unwrap();
    assert_eq!(outline(the_plan(&planned)).len(), 1);
    assert!(progress.contains(&PlanningProgress::Again));
    let requests = model.requests();
    let (first, retry) = (texts(&requests[0]), texts(&requests[1]));
    assert_eq!((retry.len(), &retry[0]), (3, &first[0]), "the prefix stays");
    assert!(retry[2].ends_with("Output only a single JSON object, no other text."), "{}", retry[2]);
    let shown_again = retry.iter().any(|text| text.contains("I would search the files."));
    assert!(!shown_again, "a small model copies what it is shown");
    assert_eq!((requests[0].temperature, requests[1].temperature), (0.0, 0.7));
    assert_eq!((planned.trace.calls, planned.trace.events.len(), planned.trace.usage.output), (2, 2, 20));
}

#[tokio::test]
async fn a_reply_that_was_cut_off_is_asked_for_again_shorter() {
    let world = World::new();
    let cut = Reply { text: "{\"title\":\"T\",\"ste".to_owned(), finish: Finish::Length, ..Reply::default() };
    let model = model(PlannerProfile::Compact, [Scripted::reply(cut), Scripted::text(GOOD)]);
    planned(&model, &world.request("Find it")).await;
    assert!(texts(&model.requests()[1])[2].contains("too long"));
}

// covers: P43 P49 P51 P66
#[tokio::test]
async fn without_a_readable_plan_the_message_goes_to_general_and_the_reason_is_kept() {
    let world = World::new().with_heap(&["workflow", "general"]);
    let model = model(PlannerProfile::Full, [Scripted::text("Sure!"), Scripted::text("Sure!")]);
    let planned = planned(&model, &world.request(MESSAGE)).await;
    let plan = the_plan(&planned);
    assert_eq!(plan.route, [RouteStep::One("general".to_owned())]);
    assert!(plan.fallback.used);
    assert!(plan.fallback.reason.as_deref().unwrap().starts_with("the planner's output could not be used: "));
    assert_eq!((plan.user_message.as_str(), plan.steps.len()), (MESSAGE, 1));
    assert!(plan.steps[0].description.contains("https://example.com/s?q=1"));
    assert_eq!(planned.trace.calls, 2);
}

#[tokio::test]
async fn without_general_the_first_specialist_and_without_a_heap_the_single_agent_takes_it() {
    for (heap, executor) in [(&["workflow", "agent"][..], "workflow"), (&[][..], "")] {
        let world = World::new().with_heap(heap);
        let model = model(PlannerProfile::Full, [Scripted::text("Sure!"), Scripted::text("Sure!")]);
        let planned = planned(&model, &world.request(MESSAGE)).await;
        let plan = the_plan(&planned);
        assert_eq!((plan.steps.len(), plan.steps[0].executor.id.as_str(), plan.fallback.used), (1, executor, true));
    }
}

#[tokio::test]
async fn a_reply_that_ends_inside_its_thoughts_is_told_as_such_and_replies_before_it_are_counted() {
    let world = World::new();
    let thinking = Reply { thoughts: "First I".to_owned(), ..Reply::default() };
    let second = Reply { text: GOOD.to_owned(), before: 2, ..Reply::default() };
    let model = model(PlannerProfile::Full, [Scripted::reply(thinking), Scripted::reply(second)]);
    let planned = planned(&model, &world.request("Find it")).await;
    let repair = texts(&model.requests()[1]).last().unwrap().to_string();
    assert!(repair.contains("ended inside its thoughts"), "{repair}");
    assert_eq!(planned.trace.calls, 4);
    let before: Vec<u32> = planned
        .trace
        .events
        .iter()
        .filter_map(|event| match event {
            EventKind::ModelReplied { before, .. } => Some(*before),
            _ => None,
        })
        .collect();
    assert_eq!(before, [0, 2]);
}

// covers: P42 P43 P30
#[tokio::test]
async fn a_route_of_nobody_falls_back_and_unknown_ids_are_not_run() {
    let world = World::new().with_heap(&["general", "workflow"]);
    let nobody = r#"{"priorityOrder":["toString","planner"],"refinedTask":"x"}"#;
    let some = r#"{"priorityOrder":["constructor","workflow","planner"],"refinedTask":"x"}"#;
    let request = PlanningRequest { template: FullTemplate::Route, ..world.request(MESSAGE) };
    let model = model(PlannerProfile::Full, [Scripted::text(nobody), Scripted::text(nobody), Scripted::text(some)]);
    let fallen = planned(&model, &request).await;
    assert_eq!(the_plan(&fallen).route, [RouteStep::One("general".to_owned())]);
    assert!(the_plan(&fallen).fallback.used);
    let reason = the_plan(&fallen).fallback.reason.as_deref().unwrap();
    assert!(reason.contains("there is no specialist \"toString\""), "{reason}");
    let repair = texts(&model.requests()[1]).last().unwrap().to_string();
    assert!(repair.contains("there is no specialist \"toString\""), "{repair}");
    let kept = planned(&model, &request).await;
    assert_eq!(the_plan(&kept).route, [RouteStep::One("workflow".to_owned())]);
    assert!(notes(&kept).contains("constructor") && !the_plan(&kept).fallback.used);
}

// covers: P57
#[tokio::test]
async fn a_route_without_a_task_is_asked_for_once_more_and_then_has_the_message_for_one() {
    let world = World::new().with_heap(&["general", "workflow"]);
    let taskless = r#"{"priorityOrder":["workflow"],"instructionsForWorkflow":"Weekly."}"#;
    let whole = r#"{"priorityOrder":["workflow"],"refinedTask":"Watch the search."}"#;
    let request = PlanningRequest { template: FullTemplate::Route, ..world.request(MESSAGE) };
    for (second, task) in [(whole, "Watch the search."), (taskless, MESSAGE), ("Sure!", MESSAGE)] {
        let model = model(PlannerProfile::Full, [Scripted::text(taskless), Scripted::text(second)]);
        let planned = planned(&model, &request).await;
        let (plan, asked) = (the_plan(&planned), model.requests());
        assert!(texts(&asked[1]).last().unwrap().contains("the task is missing"), "{second}: {:?}", texts(&asked[1]));
        assert_eq!((plan.steps.len(), plan.steps[0].description.as_str()), (1, task), "{second}");
        assert_eq!((plan.steps[0].executor.id.as_str(), plan.fallback.used), ("workflow", false), "{second}");
    }
    for nothing in [r#"{"priorityOrder":[],"refinedTask":""}"#, r#"{"refinedTask":"x"}"#, "{}"] {
        let model = model(PlannerProfile::Full, [Scripted::text(nothing), Scripted::text(nothing)]);
        assert!(the_plan(&planned(&model, &request).await).fallback.used, "{nothing}");
    }
}

#[tokio::test]
async fn a_plan_that_does_not_hold_is_sent_back_and_then_returned_with_its_faults() {
    let world = World::new();
    let cycle = r#"{"title":"T","todoList":[
        {"id":"a","description":"one","dependencies":["b"]},{"id":"b","description":"two","dependencies":["a"]}]}"#;
    let model = model(PlannerProfile::Full, [Scripted::text(cycle), Scripted::text(cycle)]);
    let planned = planned(&model, &world.request("Do both")).await;
    let PlanningOutcome::Faulty { plan, faults, .. } = &planned.outcome else { panic!("{:?}", planned.outcome) };
    assert_eq!((plan.steps.len(), faults.len()), (2, 1));
    assert!(faults[0].message.contains("wait for each other"), "{}", faults[0]);
    assert!(texts(&model.requests()[1])[3].contains("wait for each other"));
}

#[tokio::test]
async fn an_unknown_tool_is_searched_for_when_the_step_runs() {
    let world = World::new();
    let reply = r#"{"title":"T","steps":[{"tool":"draw_chart","do":"Draw a chart","expect":"x"}]}"#;
    let model = model(PlannerProfile::Compact, [Scripted::text(reply)]);
    let planned = planned(&model, &world.request("Draw a chart")).await;
    assert_eq!(outline(the_plan(&planned)), [("Draw a chart", vec![], StepType::Tool, vec![])]);
    assert!(notes(&planned).contains("draw_chart"));
}

#[tokio::test]
async fn the_limit_of_retries_is_kept() {
    let world = World::new();
    let request =
        PlanningRequest { limits: Limits { planner_retries: 0, ..Limits::default() }, ..world.request("Find it") };
    let model = model(PlannerProfile::Compact, [Scripted::text("?"), Scripted::text(GOOD)]);
    let planned = planned(&model, &request).await;
    assert!(the_plan(&planned).fallback.used);
    assert_eq!(model.left(), 1);
    let reached: Vec<&EventKind> =
        planned.trace.events.iter().filter(|event| matches!(event, EventKind::LimitReached { .. })).collect();
    assert_eq!(reached, [&EventKind::LimitReached { limit: "plannerRetries".to_owned(), value: 0 }]);
}

#[tokio::test]
async fn an_empty_message_and_a_model_that_cannot_be_asked_are_errors() {
    let world = World::new();
    let offline = ModelError::Offline { endpoint: "http://127.0.0.1:1".to_owned(), reason: "refused".to_owned() };
    let model = model(PlannerProfile::Compact, [Scripted::failure(offline.clone())]);
    let (empty, _) = run(&model, &world.request(" \n\t")).await;
    assert_eq!(empty.unwrap_err(), Unplanned { error: PlanningError::EmptyMessage, trace: Trace::default() });
    let (failed, _) = run(&model, &world.request("Find it")).await;
    let failed = failed.unwrap_err();
    assert_eq!(failed.error, PlanningError::Model(offline.clone()));
    let [EventKind::ModelFailed { error, .. }] = failed.trace.events.as_slice() else { panic!("{:?}", failed.trace) };
    assert_eq!(error, &offline.to_string());
}

#[tokio::test]
async fn hostile_replies_end_in_a_plan_or_in_faults() {
    let world = World::new();
    let steps: Vec<Value> = (0..500).map(|at| json!({"tool": "grep", "do": format!("step {at}")})).collect();
    let many = json!({"title": "T", "steps": steps}).to_string();
    let deep = "[{\"a\":".repeat(2_000);
    let two = format!("{GOOD} and {GOOD}");
    let thought = format!("<think>{{\"steps\": [{{\"do\": \"nothing\"}}]}}</think>\n{GOOD}");
    for (reply, steps, told) in [
        (many.as_str(), 500, ""),
        (two.as_str(), 1, "2 objects could be the plan"),
        (thought.as_str(), 1, ""),
        (&GOOD[..GOOD.len() - 1], 1, "the text ends inside the object"),
        (r#"{"steps":[{"do":"x","tool":"toString"}]}"#, 1, "there is no tool \"toString\""),
        (r#"{"steps":[{"do":"x","who":"constructor"}]}"#, 1, "nobody who can run is called \"constructor\""),
        (r#"{"steps":[{"id":"a","do":"x"},{"id":"a","do":"y"}]}"#, 2, "\"a\" names two steps"),
    ] {
        let model = model(PlannerProfile::Full, [Scripted::text(reply)]);
        let planned = planned(&model, &world.request("Find it")).await;
        assert_eq!((the_plan(&planned).steps.len(), the_plan(&planned).fallback.used), (steps, false), "{reply}");
        assert!(notes(&planned).contains(told), "{reply}: {}", notes(&planned));
    }
    for reply in [deep.as_str(), "", "null", "{\"steps\":[]}", "\u{0}\u{feff}", "{\"answer\":\"\"}", "I would search."]
    {
        let model = model(PlannerProfile::Full, [Scripted::text(reply), Scripted::text(reply)]);
        let planned = planned(&model, &world.request("Find it")).await;
        let fallback = &the_plan(&planned).fallback;
        let reason = fallback.reason.as_deref().unwrap_or_default();
        assert!(fallback.used && reason.starts_with("the planner's output could not be used: "), "{reply}: {reason}");
    }
}

#[tokio::test]
async fn a_usable_plan_is_kept_where_a_further_try_fails_or_only_answers() {
    let world = World::new().with_heap(&["general", "workflow"]);
    let taskless = r#"{"priorityOrder":["workflow"],"instructionsForWorkflow":"Weekly."}"#;
    let request = PlanningRequest { template: FullTemplate::Route, ..world.request(MESSAGE) };
    let offline = || ModelError::Offline { endpoint: "http://127.0.0.1:1".into(), reason: "refused".into() };
    for second in [Scripted::failure(offline()), Scripted::text(r#"{"answer":"It is made once."}"#)] {
        let model = model(PlannerProfile::Full, [Scripted::text(taskless), second]);
        let planned = planned(&model, &request).await;
        assert_eq!(the_plan(&planned).route, [RouteStep::One("workflow".to_owned())]);
        assert_eq!(planned.trace.calls, 2);
    }
}

#[tokio::test]
async fn a_plan_of_hundreds_who_make_and_improve_is_read_at_once() {
    let world = World::new().with_heap(&["general", "agent", "improvement"]);
    for many in [500, 4_000] {
        let ids: Vec<&str> = ["agent", "improvement"].into_iter().cycle().take(many).collect();
        let route = json!({"priorityOrder": ids, "refinedTask": "x"}).to_string();
        let steps: Vec<Value> = (0..many)
            .map(|at| {
                json!({"id": format!("s{at}"), "description": "make one", "tools": ["create_agent"],
                "dependencies": at.checked_sub(1).map(|at| format!("s{at}")).into_iter().collect::<Vec<_>>()})
            })
            .collect();
        let steps = json!({"title": "T", "todoList": steps}).to_string();
        for reply in [route, steps] {
            let model = model(PlannerProfile::Full, [Scripted::text(reply.clone()), Scripted::text(reply)]);
            let request = PlanningRequest { template: FullTemplate::Route, ..world.request("Create an agent") };
            let outcome = planned(&model, &request).await.outcome;
            assert!(!matches!(outcome, PlanningOutcome::Answer { .. }), "{many}");
        }
    }
}
