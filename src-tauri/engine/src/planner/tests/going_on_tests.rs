use super::*;

fn step(id: &str, description: &str, tool: &str, dependencies: &[&str]) -> Step {
    Step {
        required_tools: vec![tool.to_owned()],
        step_type: Some(StepType::Tool),
        dependencies: dependencies.iter().map(|id| StepId::from(*id)).collect(),
        ..Step::new(StepId::from(id), description)
    }
}

fn before(world: &World) -> Plan {
    let (mut plan, _) = to_plan(Outline::default(), world.request("Count patents").header, &[]);
    plan.steps = vec![
        step("s1", "Count the lines", "grep", &[]),
        step("s2", "Ask for the format", "ask_user", &["s1"]),
        step("s3", "Write patents.md", "create_file", &["s2"]),
    ];
    plan
}

/// Every step of a plan as completed, with what each gave.
fn all_done<'a>(plan: &'a Plan, result: &'a str) -> Vec<Settled<'a>> {
    plan.steps.iter().map(|step| Settled { step: &step.id, status: StepStatus::Completed, result }).collect()
}

fn ids(plan: &Plan) -> Vec<(&str, &str, Vec<&str>)> {
    plan.steps
        .iter()
        .map(|step| {
            let dependencies = step.dependencies.iter().map(StepId::as_str).collect();
            (step.id.as_str(), step.description.as_str(), dependencies)
        })
        .collect()
}

#[tokio::test]
async fn a_refined_plan_keeps_its_completed_steps_and_adds_new_ones() {
    let world = World::new();
    let plan = before(&world);
    let settled = all_done(&plan, "MIT 0, GPL-3 12");
    let progress = Progress { plan: &plan, next: 4, settled: &settled, remarks: &[] };
    let reply = r#"{"title":"Also CSV","steps":[{"tool":"grep","do":"count the lines","expect":"x"},{"tool":"create_file","do":"Write patents.csv","expect":"y"},{"tool":"read","do":"Read it","expect":"z"}]}"#;
    let model = model(PlannerProfile::Compact, [Scripted::text(reply)]);
    let request = PlanningRequest { after: After::Finished(&progress), ..world.request("Also as patents.csv") };
    let planned = planned(&model, &request).await;
    assert_eq!(
        ids(the_plan(&planned)),
        [
            ("s1", "Count the lines", vec![]),
            ("s2", "Ask for the format", vec!["s1"]),
            ("s3", "Write patents.md", vec!["s2"]),
            ("s4", "Write patents.csv", vec!["s1"]),
            ("s5", "Read it", vec!["s4"]),
        ]
    );
    let made = the_plan(&planned);
    assert_eq!((&made.id, made.version, made.supersedes), (&plan.id, 4, Some(1)));
    assert_eq!(made.user_message, "Also as patents.csv");
    let requests = model.requests();
    let user = texts(&requests[0])[1];
    assert!(user.contains("s1. Count the lines (grep): completed: MIT 0, GPL-3 12\n"), "{user}");
}

#[tokio::test]
async fn new_work_after_a_finished_plan_sees_its_results() {
    let world = World::new();
    let plan = before(&world);
    let done = StepId::from("s1");
    let failed = StepId::from("s3");
    let settled = [
        Settled { step: &done, status: StepStatus::Completed, result: "12" },
        Settled { step: &failed, status: StepStatus::Failed, result: "" },
    ];
    let progress = Progress { plan: &plan, next: 4, settled: &settled, remarks: &[] };
    let reply = r#"{"title":"T","steps":[{"tool":"create_file","do":"Write it","expect":"y"}]}"#;
    let model = model(PlannerProfile::Compact, [Scripted::text(reply)]);
    let request = PlanningRequest { after: After::Finished(&progress), ..world.request("Write it again") };
    let planned = planned(&model, &request).await;
    assert_eq!(ids(the_plan(&planned)), [("s1", "Count the lines", vec![]), ("s4", "Write it", vec!["s1"])]);
}

#[tokio::test]
async fn a_finished_step_that_is_asked_for_again_is_done_again() {
    let world = World::new();
    let plan = before(&world);
    let settled = all_done(&plan, "12");
    let progress = Progress { plan: &plan, next: 4, settled: &settled, remarks: &[] };
    let alone = r#"{"title":"T","steps":[{"tool":"grep","do":"Count the lines","expect":"x"}]}"#;
    let last = r#"{"title":"T","steps":[{"tool":"read","do":"Read MIT","expect":"x"},{"tool":"grep","do":"Count the lines","expect":"x"}]}"#;
    let model = model(PlannerProfile::Compact, [Scripted::text(alone), Scripted::text(last)]);
    let request = PlanningRequest { after: After::Finished(&progress), ..world.request("Count the lines again") };
    let kept = [
        ("s1", "Count the lines", vec![]),
        ("s2", "Ask for the format", vec!["s1"]),
        ("s3", "Write patents.md", vec!["s2"]),
    ];
    let planned_again = planned(&model, &request).await;
    assert_eq!(ids(the_plan(&planned_again)), [&kept[..], &[("s4", "Count the lines", vec!["s3"])]].concat());
    let planned_again = planned(&model, &request).await;
    let more = [("s4", "Read MIT", vec!["s3"]), ("s5", "Count the lines", vec!["s4"])];
    assert_eq!(ids(the_plan(&planned_again)), [&kept[..], &more].concat());
}

#[tokio::test]
async fn a_changed_mind_keeps_only_what_the_new_version_repeats() {
    let world = World::new();
    let plan = before(&world);
    let done = StepId::from("s1");
    let waits = StepId::from("s2");
    let settled = [
        Settled { step: &done, status: StepStatus::Completed, result: "12" },
        Settled { step: &waits, status: StepStatus::Waiting, result: "" },
    ];
    let progress = Progress { plan: &plan, next: 4, settled: &settled, remarks: &[] };
    let after = After::Question { plan: &progress, question: "Table or list?" };
    let again = r#"{"title":"T","steps":[{"tool":"grep","do":"Count the lines","expect":"x"},{"tool":"create_file","do":"Write patents.txt","expect":"y"}]}"#;
    let other = r#"{"title":"T","steps":[{"tool":"read","do":"Read MIT","expect":"x"}]}"#;
    let model = model(PlannerProfile::Compact, [Scripted::text(again), Scripted::text(other)]);
    let request = PlanningRequest { after, ..world.request("Neither, a plain file") };
    assert_eq!(
        ids(the_plan(&planned(&model, &request).await)),
        [("s1", "Count the lines", vec![]), ("s4", "Write patents.txt", vec!["s1"])]
    );
    assert_eq!(ids(the_plan(&planned(&model, &request).await)), [("s4", "Read MIT", vec![])]);
    assert!(texts(&model.requests()[0])[1].contains("It asked the user: Table or list?"));
}

/// A plan of a route, of which everything is done.
fn of_route(world: &World, ids: &[&str]) -> Plan {
    let (mut plan, _) = to_plan(Outline::default(), world.request("Create the watcher").header, &[]);
    let route: Vec<RouteStep> = ids.iter().map(|id| RouteStep::One((*id).to_owned())).collect();
    plan.steps = route_to_steps(&route, "Create the watcher", "");
    plan.route = route;
    plan
}

fn executors(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.executor.id.as_str()).collect()
}

#[tokio::test]
async fn a_refined_route_keeps_its_completed_steps_whatever_is_put_right_in_the_new_one() {
    let world = World::new().with_heap(&["agent", "workflow"]);
    let plan = of_route(&world, &["agent"]);
    let settled = all_done(&plan, "the watcher is there");
    let progress = Progress { plan: &plan, next: 2, settled: &settled, remarks: &[] };
    let reply = r#"{"refinedTask":"Give it grep too","route":["workflow","nosuch","planner"]}"#;
    let model = model(PlannerProfile::Full, [Scripted::text(reply)]);
    let request = PlanningRequest { after: After::Finished(&progress), ..world.request("Give it grep too") };
    let planned = planned(&model, &request).await;
    let made = the_plan(&planned);
    assert_eq!(ids(made), [("s1", "Create the watcher", vec![]), ("s2", "Give it grep too", vec!["s1"])]);
    assert_eq!((&made.steps[0], executors(made)), (&plan.steps[0], vec!["agent", "workflow"]));
    assert_eq!(json!(made.route), json!(["agent", "workflow"]));

    // A reply of which nothing is left is no plan, whatever was done before.
    let nobody = r#"{"refinedTask":"Give it grep too","route":["nosuch"]}"#;
    let model = super::model(PlannerProfile::Full, vec![Scripted::text(nobody); 4]);
    let planned = super::planned(&model, &request).await;
    assert!(the_plan(&planned).fallback.used, "{:?}", planned.outcome);
}

#[tokio::test]
async fn a_completed_step_says_what_it_said_when_it_was_done() {
    let world = World::new().with_heap(&["agent"]);
    let mut plan = before(&world);
    // A person has given it to Assent itself, and the tool is spelled as it was then.
    plan.steps[0].executor = Executor::default();
    plan.steps[0].description = "Find \"errors\" in all files".to_owned();
    plan.steps[1].description = "Ask for the token of api.example.com".to_owned();
    let settled = all_done(&plan, "12");
    let progress = Progress { plan: &plan, next: 2, settled: &settled, remarks: &[] };
    let reply = r#"{"title":"T","steps":[{"tool":"read","do":"Read it","expect":"z"}]}"#;
    let model = model(PlannerProfile::Compact, [Scripted::text(reply)]);
    let request = PlanningRequest { after: After::Finished(&progress), ..world.request("Read it too") };
    let planned = planned(&model, &request).await;
    // What it was granted follows from the whole plan.
    let kept = the_plan(&planned).steps.iter().map(|step| Step { grants: Default::default(), ..step.clone() });
    assert_eq!(kept.take(3).collect::<Vec<_>>(), plan.steps);
}

#[tokio::test]
async fn a_completed_step_whose_tool_has_gone_is_left_out_and_never_done_in_another_way() {
    let world = World::new();
    let mut plan = before(&world);
    plan.steps[2].required_tools = vec!["mcp.mail.send".to_owned()];
    let settled = all_done(&plan, "12");
    let progress = Progress { plan: &plan, next: 2, settled: &settled, remarks: &[] };
    let reply = r#"{"title":"T","steps":[{"tool":"read","do":"Read it","expect":"z"}]}"#;
    let model = model(PlannerProfile::Compact, [Scripted::text(reply)]);
    let request = PlanningRequest { after: After::Finished(&progress), ..world.request("Read it too") };
    let planned = planned(&model, &request).await;
    assert_eq!(
        ids(the_plan(&planned)),
        [("s1", "Count the lines", vec![]), ("s2", "Ask for the format", vec!["s1"]), ("s4", "Read it", vec!["s2"]),]
    );
    let PlanningOutcome::Plan { notes, .. } = &planned.outcome else { panic!("{:?}", planned.outcome) };
    assert!(notes.iter().any(|note| note.to_string().contains("\"Write patents.md\" is done")), "{notes:?}");
}
