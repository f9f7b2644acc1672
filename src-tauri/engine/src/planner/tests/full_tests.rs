use super::*;
use crate::model::{Reply, ToolCall};

fn full(replies: impl IntoIterator<Item = Scripted>) -> ScriptedModel {
    model(PlannerProfile::Full, replies)
}

const STEPS: &str = r#"I will search first.
---JSON_OUTPUT_START---
{"title": "T", "refinedTask": "Find and ask.", "extractedContext": {"url": "https://example.com/a?b=1"},
 "instructionsForGeneral": "Be short.",
 "todoList": [
  {"id": "a", "description": "Search", "stepType": "tool", "requiredTools": ["grep"], "expectedOutcome": "lines"},
  {"id": "b", "description": "Ask before going on", "stepType": "tool", "requiredTools": ["displayConfirmation"], "dependencies": ["a"]},
  {"id": "c", "description": "Conclude", "stepType": "reasoning", "dependencies": ["b"], "specialist": "general"}]}
---JSON_OUTPUT_END---"#;

// covers: P15
#[tokio::test]
async fn steps_between_markers_become_a_plan() {
    let world = World::new().with_heap(&["general", "workflow"]);
    let model = full([Scripted::text(STEPS)]);
    let planned =
        planned(&model, &world.request("Search https://example.com/a?b=1 and ask me before proceeding")).await;
    let plan = the_plan(&planned);
    assert_eq!(
        outline(plan),
        [
            ("Search", vec!["grep"], StepType::Tool, vec![]),
            ("Ask before going on", vec!["displayConfirmation"], StepType::Tool, vec!["s1"]),
            ("Conclude", vec![], StepType::Reasoning, vec!["s2"]),
        ]
    );
    assert_eq!(plan.steps[2].executor, Executor { kind: ExecutorKind::Specialist, id: "general".to_owned() });
    assert_eq!(Value::Object(plan.extracted_context.clone()), json!({"url": "https://example.com/a?b=1"}));
    assert_eq!(plan.instructions.get("general").map(String::as_str), Some("Be short."));
}

// covers: H7 H30 P28 P29
#[tokio::test]
async fn the_full_prompt_shows_the_heap_by_groups_and_no_native_tool() {
    let world = World::new().with_heap(&["general", "workflow"]);
    let model = full([Scripted::text(STEPS)]);
    planned(&model, &world.request("Search and conclude")).await;
    let requests = model.requests();
    let texts = texts(&requests[0]);
    assert!(texts[0].contains("- workflow: Does workflow.; all of it (71)\n"), "{}", texts[0]);
    assert!(!texts.join("\n").contains("std-"));
    assert!(!texts.join("\n").contains("Recent conversation ("));
    assert_eq!((requests[0].tools.len(), &requests[0].output), (0, &OutputFormat::Text));
    assert!(texts[1].contains("\"todoList\":[{\"id\":\"step_1\""), "examples are in the shape that is asked for");
}

// covers: P41
#[tokio::test]
async fn a_call_that_holds_no_plan_does_not_hide_the_one_beside_it() {
    let world = World::new().with_heap(&["general", "agent", "workflow"]);
    let call = |id: &str, arguments: Value| ToolCall { id: id.into(), name: EMIT_PLAN.to_owned(), arguments };
    let (empty, whole) = (json!({"priorityOrder": []}), serde_json::from_str::<Value>(ROUTE).unwrap());
    for (calls, text) in [
        (vec![call("1", empty.clone())], ROUTE),
        (vec![call("1", empty.clone()), call("2", whole.clone())], ""),
        (vec![call("1", whole)], "I have made a plan: {\"answer\": \"It is made.\"}"),
    ] {
        let reply = Reply { text: text.to_owned(), calls, ..Reply::default() };
        let model = full([Scripted::reply(reply)]);
        let planned = planned(&model, &route(&world, "Watch https://example.com/s?q=1")).await;
        assert_eq!(the_plan(&planned).steps.len(), 3, "{text}");
    }
    let reply = Reply { text: "Sure!".to_owned(), calls: vec![call("1", empty)], ..Reply::default() };
    let model = full([Scripted::reply(reply.clone()), Scripted::reply(reply)]);
    let planned = planned(&model, &route(&world, "Watch it")).await;
    assert!(the_plan(&planned).fallback.used);
    assert!(
        texts(&model.requests()[1]).last().unwrap().contains("nothing to do in it"),
        "of the call, not of the text"
    );
}

/// A world in which agents are made.
fn creating() -> World {
    let mut world = World::new().with_heap(&["general", "agent", "improvement", "workflow"]);
    let spec = tool("create_agent", "Makes an agent.", Risk::Write);
    world.known.tools.insert(spec.name.clone(), spec);
    world
}

// covers: P7 P21 P22
#[tokio::test]
async fn one_agent_has_one_maker_whatever_the_planner_writes_and_is_asked_for_once() {
    let world = creating();
    let route = |order: &str| format!(r#"{{"priorityOrder":{order},"refinedTask":"Create one agent."}}"#);
    let steps = r#"{"title":"T","todoList":[
        {"id":"a","description":"Create it","requiredTools":["create_agent"],"specialist":"agent"},
        {"id":"b","description":"Create it for the search","requiredTools":["createAgent"],"specialist":"improvement"},
        {"id":"c","description":"Tell of it","specialist":"general","dependencies":["b"]}]}"#;
    for (written, made) in [
        (route(r#"["agent","agent"]"#), &["agent"][..]),
        (route(r#"[{"parallel":["agent","improvement"]}]"#), &["agent"]),
        (route(r#"["general","improvement","agent","workflow"]"#), &["general", "agent", "workflow"]),
        (steps.to_owned(), &["agent", "general"]),
    ] {
        let model = full([Scripted::text(&written)]);
        let request =
            PlanningRequest { template: FullTemplate::Route, ..world.request("Create one agent for my search") };
        let planned = planned(&model, &request).await;
        let plan = the_plan(&planned);
        let who: Vec<&str> = plan.steps.iter().map(|step| step.executor.id.as_str()).collect();
        assert_eq!(who, made, "{written}");
        assert_eq!(model.requests().len(), 1, "the planner is not asked again");
        assert!(notes(&planned).contains("one step makes the agent that the message asks for"), "{}", notes(&planned));
        let on: Vec<&str> = plan.steps.iter().flat_map(|step| &step.dependencies).map(StepId::as_str).collect();
        assert!(on.iter().all(|id| plan.step(&StepId::from(*id)).is_some()), "{on:?}");
    }
    for (message, order) in
        [("Create two agents", r#"["agent","agent"]"#), ("Fix my agent", r#"["agent","improvement"]"#)]
    {
        let model = full([Scripted::text(route(order))]);
        let request = PlanningRequest { template: FullTemplate::Route, ..world.request(message) };
        assert_eq!(the_plan(&planned(&model, &request).await).steps.len(), 2, "{message}");
    }
}

// covers: P7 P21 P22
#[tokio::test]
async fn in_a_language_that_is_not_read_the_planner_is_asked_once_who_makes_the_one_agent() {
    let world = creating();
    let route = |order: &str| {
        Scripted::text(format!(r#"{{"priorityOrder":{order},"refinedTask":"Créer un agent.","when":"once"}}"#))
    };
    for (first, second, made, told) in [
        (r#"["agent","agent"]"#, r#"["agent"]"#, &["agent"][..], "2 steps may each make an agent"),
        (r#"["agent","improvement"]"#, r#"["agent"]"#, &["agent"], "names nothing that is there"),
        // Whoever insists is taken at the word: a person sees the plan.
        (r#"["agent","agent"]"#, r#"["agent","agent"]"#, &["agent", "agent"], "2 steps may each make an agent"),
    ] {
        let model = full([route(first), route(second)]);
        let request =
            PlanningRequest { template: FullTemplate::Route, ..world.request("Crée un agent pour la recherche") };
        let planned = planned(&model, &request).await;
        let who: Vec<&str> = the_plan(&planned).steps.iter().map(|step| step.executor.id.as_str()).collect();
        assert_eq!(who, made, "{first}");
        let requests = model.requests();
        assert!(texts(&requests[1]).last().unwrap().contains(told), "{first}: {:?}", texts(&requests[1]).last());
    }
    let model = full([route(r#"["agent"]"#)]);
    let request = PlanningRequest { template: FullTemplate::Route, ..world.request("Crée un agent") };
    planned(&model, &request).await;
    assert_eq!(model.requests().len(), 1, "a plan that says it plainly is asked for once");
}

// covers: H31
#[tokio::test]
async fn the_recent_conversation_stands_before_the_message() {
    let world = World::new().with_heap(&["general"]).said(Speaker::User, "We made workflow W1.");
    let model = full([Scripted::text(STEPS)]);
    planned(&model, &world.request("Run On Demand")).await;
    let requests = model.requests();
    let user = texts(&requests[0])[1];
    assert!(user.find("User: We made workflow W1.").unwrap() < user.find("User message:").unwrap());
}

// covers: H33
#[tokio::test]
async fn an_empty_conversation_has_no_section() {
    let world = World::new().with_heap(&["general"]).said(Speaker::User, "  \n");
    let model = full([Scripted::text(STEPS)]);
    planned(&model, &world.request("Run On Demand")).await;
    assert!(!texts(&model.requests()[0])[1].contains("Recent conversation"));
}

const ROUTE: &str = r#"{"priorityOrder": ["general", {"parallel": ["agent", "workflow"]}], "refinedTask": "Watch the feed.",
 "extractedContext": {"savedSearchUrl": "https://example.com/s?q=1"}, "instructionsForGeneral": "Do not ask for credentials."}"#;

fn route<'a>(world: &'a World, message: &str) -> PlanningRequest<'a> {
    PlanningRequest { template: FullTemplate::Route, ..world.request(message) }
}

// covers: P32 P41
#[tokio::test]
async fn a_route_becomes_steps_in_its_order_from_text_or_from_a_call() {
    let world = World::new().with_heap(&["general", "agent", "workflow"]);
    let message = "Watch https://example.com/s?q=1 every day";
    let call = Scripted::call("emit_plan", serde_json::from_str(ROUTE).unwrap());
    for reply in [Scripted::text(ROUTE), call] {
        let model = full([reply]);
        let planned = planned(&model, &route(&world, message)).await;
        let plan = the_plan(&planned);
        let steps: Vec<(&str, Vec<&str>)> = plan
            .steps
            .iter()
            .map(|step| (step.executor.id.as_str(), step.dependencies.iter().map(StepId::as_str).collect()))
            .collect();
        assert_eq!(steps, [("general", vec![]), ("agent", vec!["s1"]), ("workflow", vec!["s1"])]);
        assert_eq!(plan.refined_task, "Watch the feed.");
        assert_eq!(plan.instructions.get("general").map(String::as_str), Some("Do not ask for credentials."));
        assert_eq!(
            Value::Object(plan.extracted_context.clone()),
            json!({"savedSearchUrl": "https://example.com/s?q=1", "when": message})
        );
    }
}
