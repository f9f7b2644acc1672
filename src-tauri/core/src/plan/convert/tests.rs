//! Routes, lists and documents into each other, and what a planner made up.

use proptest::prelude::*;
use serde_json::json;

use super::to_outline_json;
use super::{
    Header, NO_SPECIALISTS, fallback_plan, keep_grounded, normalise_route, route_to_steps, steps_to_route, to_plan,
};
use crate::contract::Fault;
use crate::plan::{
    ExecutorKind, Origin, Outline, Plan, PlannerOutput, Route, RouteStep, Step, StepType, ValidationMode, parse,
};

fn header(message: &str) -> Header {
    Header {
        id: "p1".into(),
        version: 1,
        supersedes: None,
        session_id: "c1".into(),
        user_message: message.into(),
        created_at: 7,
    }
}

fn outline(text: &str) -> Outline {
    match parse(text) {
        (Some(PlannerOutput::Plan(outline)), _) => outline,
        other => panic!("no plan: {other:?}"),
    }
}

fn converted(text: &str, message: &str) -> (Plan, Vec<String>) {
    let (plan, faults) = to_plan(outline(text), header(message), &[]);
    (plan, faults.iter().map(Fault::to_string).collect())
}

fn shape(steps: &[Step]) -> Vec<String> {
    let one = |step: &Step| {
        let after: Vec<&str> = step.dependencies.iter().map(|id| id.as_str()).collect();
        format!("{} {} [{}] after [{}]", step.id, step.executor.id, step.required_tools.join(","), after.join(","))
    };
    steps.iter().map(one).collect()
}

fn one(id: &str) -> RouteStep {
    RouteStep::One(id.into())
}

fn parallel(ids: &[&str]) -> RouteStep {
    RouteStep::Parallel { parallel: ids.iter().map(|id| (*id).to_owned()).collect() }
}

#[test]
fn a_route_becomes_steps_level_by_level() {
    let text = r#"{"priorityOrder":["general",{"parallel":["agent","workflow"]},"general"],"refinedTask":"Do it"}"#;
    let (plan, faults) = converted(text, "Please do it");
    assert_eq!(faults, Vec::<String>::new());
    assert_eq!(
        shape(&plan.steps),
        [
            "s1 general [] after []",
            "s2 agent [] after [s1]",
            "s3 workflow [] after [s1]",
            "s4 general [] after [s2,s3]"
        ]
    );
    assert_eq!(plan.route, [one("general"), parallel(&["agent", "workflow"]), one("general")]);
    assert!(plan.steps.iter().all(|step| step.origin == Origin::Route && step.description == "Do it"));
    assert_eq!((plan.title.as_str(), plan.user_message.as_str(), plan.created_at), ("Do it", "Please do it", 7));
}

// covers: T59 T74
#[test]
fn a_list_without_dependencies_is_a_sequence_and_one_with_them_is_as_written() {
    let list = r#"{"todoList":[{"id":"a","description":"Search","requiredTools":["webSearch"]},{"description":"Think"},{"description":"Ask","stepType":"tool","requiredTools":["displayConfirmation"]}]}"#;
    let (plan, _) = converted(list, "x");
    assert_eq!(
        shape(&plan.steps),
        ["s1  [webSearch] after []", "s2  [] after [s1]", "s3  [displayConfirmation] after [s2]"]
    );
    let types: Vec<StepType> = plan.steps.iter().map(Step::effective_type).collect();
    assert_eq!(types, [StepType::Tool, StepType::Reasoning, StepType::Tool]);
    assert_eq!(plan.defaults.tool_validation_mode, ValidationMode::Strict);

    let graph = r#"{"todoList":[{"id":"x","description":"1"},{"id":"y","description":"2"},{"id":"z","description":"3","dependencies":["x","step 2","y"]}]}"#;
    assert_eq!(shape(&converted(graph, "x").0.steps), ["s1  [] after []", "s2  [] after []", "s3  [] after [s1,s2]"]);
}

#[test]
fn a_dependency_that_leads_nowhere_never_lets_a_step_start_earlier() {
    let list = r#"{"steps":[{"id":"a","do":"1"},{"id":"b","do":"2","after":["b"]},{"do":"3","after":["nine",99]},{"do":"4","after":[1]}]}"#;
    let (plan, faults) = converted(list, "x");
    assert_eq!(shape(&plan.steps), ["s1  [] after []", "s2  [] after []", "s3  [] after [s2]", "s4  [] after [s1]"]);
    assert_eq!(
        faults,
        [
            "steps[1].dependencies: the step waits for itself; this was left out",
            "steps[2].dependencies: there is no step \"nine\"; the step before was taken",
            "steps[2].dependencies: there is no step \"99\"; the step before was taken",
        ]
    );
}

#[test]
fn of_two_steps_with_one_id_the_nearest_before_is_waited_for() {
    let list = r#"{"steps":[{"id":"a","do":"1"},{"id":"b","do":"2","after":["a"]},{"id":"a","do":"3","after":["b"]},
        {"id":"c","do":"4","after":["a"]},{"id":"a","do":"5","after":["a"]}]}"#;
    let twins = r#"{"steps":[{"id":"a","do":"1","after":["a"]},{"id":"a","do":"2","after":["a"]}]}"#;
    assert_eq!(shape(&converted(twins, "x").0.steps), ["s1  [] after []", "s2  [] after [s1]"], "no circle");
    let (plan, faults) = converted(list, "x");
    let after: Vec<_> = shape(&plan.steps).iter().map(|step| step.split("after ").last().unwrap().to_owned()).collect();
    assert_eq!(after, ["[]", "[s1]", "[s2]", "[s3]", "[s3]"], "no circle, and nobody starts too early");
    assert_eq!(faults, ["steps[2].id: \"a\" names two steps; a step waits for the nearest one before it"]);
}

#[test]
fn find_and_none_are_a_searching_and_a_thinking_step() {
    let text = r#"{"steps":[{"do":"Chart it","who":"workspace","tool":"find"},{"do":"Compare","who":"general","tool":"none"}]}"#;
    let (plan, _) = converted(text, "x");
    let kinds: Vec<_> =
        plan.steps.iter().map(|step| (step.effective_type(), step.executor.kind, step.required_tools.len())).collect();
    assert_eq!(kinds, [(StepType::Tool, ExecutorKind::Single, 0), (StepType::Reasoning, ExecutorKind::Specialist, 0)]);
    assert_eq!(plan.route, [one("general")]);
}

#[test]
fn values_that_occur_nowhere_in_the_conversation_are_dropped() {
    let context = json!({
        "url": "https://example.com/s?q=a&b=1#x", "invented": "path/to/licences", "cut": "https://example.co",
        "id": "agent-42", "partOfId": "agent-4", "count": 12, "otherCount": 99, "word": "markdown TABLE", "flag": true,
        "list": ["a.txt", "b.txt"], "deep": {"none": "zzz"}, "empty": "", "nothing": null, "earlier": "notes.md"
    });
    let message = "Use https://example.com/s?q=a&b=1#x for agent-42, 12 times, as a Markdown table from a.txt";
    let mut faults = Vec::new();
    let kept = keep_grounded(context.as_object().unwrap().clone(), &[message, "see notes.md"], &mut faults);
    assert_eq!(
        serde_json::Value::Object(kept),
        json!({"url": "https://example.com/s?q=a&b=1#x", "id": "agent-42", "count": 12, "word": "markdown TABLE",
               "flag": true, "list": ["a.txt"], "earlier": "notes.md"})
    );
    let places: Vec<String> = faults.iter().map(Fault::place).collect();
    let expected = ["invented", "cut", "partOfId", "otherCount", "list[1]", "deep.none"];
    assert_eq!(places, expected.map(|place| format!("extractedContext.{place}")));
    assert!(
        faults.iter().all(|fault| fault.message == "the value does not occur in the conversation; it was left out")
    );
}

#[test]
fn without_a_plan_general_gets_the_whole_message() {
    let plan = fallback_plan(header("Tell me\nall"), &["agent", "general"], "no JSON").unwrap();
    assert_eq!(shape(&plan.steps), ["s1 general [] after []"]);
    assert_eq!((plan.fallback.used, plan.fallback.reason.as_deref()), (true, Some("no JSON")));
    assert_eq!((plan.user_message.as_str(), plan.route), ("Tell me\nall", vec![one("general")]));
    let first = fallback_plan(header("x"), &["agent", "tools"], "no JSON").unwrap();
    assert_eq!(first.route, [one("agent")]);
    assert_eq!(fallback_plan(header("x"), &[], "no JSON").unwrap_err().message, NO_SPECIALISTS);
}

#[test]
fn a_route_is_made_normal_with_faults() {
    let (route, faults) = normalise_route(&[parallel(&[]), parallel(&["a"]), parallel(&["a", "b", "a"]), one(" ")]);
    assert_eq!(route, [one("a"), parallel(&["a", "b"])]);
    assert_eq!(faults.iter().map(Fault::place).collect::<Vec<_>>(), ["route[2]", "route[3]"]);
}

// covers: P15 P35
#[test]
fn a_plan_can_be_shown_to_a_planner_and_read_back() {
    let text = r#"{"title":"T","intent":"I","refinedTask":"R","extractedContext":{"url":"https://a.test/x"},"instructionsForImproveRun":"Be kind.","todoList":[{"description":"a","requiredTools":["grep"],"toolValidationMode":"advisory","expectedOutcome":"o"},{"description":"b","specialist":"general"}]}"#;
    let (plan, _) = converted(text, "see https://a.test/x");
    let again = to_plan(outline(&to_outline_json(&plan).to_string()), header("see https://a.test/x"), &[]).0;
    let typed = Plan {
        steps: plan.steps.into_iter().map(|step| Step { step_type: Some(step.effective_type()), ..step }).collect(),
        ..plan
    };
    assert_eq!(again, typed);
}

fn any_route() -> impl Strategy<Value = Route> {
    let id = proptest::sample::select(vec!["general", "agent", "workflow", "tools", "a b", "ü"]);
    let group = proptest::collection::vec(id, 0..4);
    proptest::collection::vec(group.prop_map(|ids| parallel(&ids)), 0..6)
}

proptest! {
    // covers: H64
    #[test]
    fn a_normal_route_comes_back_from_its_steps(route in any_route()) {
        let (route, _) = normalise_route(&route);
        prop_assert_eq!(steps_to_route(&route_to_steps(&route, "task", "")), route.clone());
        prop_assert_eq!(normalise_route(&route), (route, vec![]));
    }

    #[test]
    fn any_outline_becomes_a_plan_with_our_ids_and_known_dependencies(
        afters in proptest::collection::vec(proptest::collection::vec("[a-e0-9]{0,2}", 0..4), 1..9),
        ids in proptest::collection::vec(proptest::option::of("[a-e]"), 9),
    ) {
        let steps: Vec<_> = afters.iter().zip(&ids).map(|(after, id)| json!({"id": id, "do": "x", "after": after})).collect();
        let (plan, _) = to_plan(outline(&json!({"steps": steps}).to_string()), header("m"), &[]);
        let expected: Vec<String> = (1..=afters.len()).map(|n| format!("s{n}")).collect();
        let written: Vec<String> = plan.steps.iter().map(|step| step.id.to_string()).collect();
        prop_assert_eq!(&written, &expected);
        for step in &plan.steps {
            prop_assert!(step.dependencies.iter().all(|id| *id != step.id && expected.contains(&id.to_string())));
        }
    }
}

// covers: C50
#[test]
fn tasks_that_wait_for_each_other_along_several_ways_are_a_plan_whose_levels_keep_their_order() {
    let after: [(&str, &[&str]); 7] = [
        ("schema", &[]),
        ("merge", &["schema"]),
        ("validate", &["merge"]),
        ("prompt", &["validate"]),
        ("template", &["prompt"]),
        ("run", &["template", "validate"]),
        ("test", &["run"]),
    ];
    let steps: Vec<Step> = after
        .iter()
        .map(|(id, after)| {
            let mut step = Step::new((*id).into(), format!("Do {id}"));
            (step.executor.kind, step.executor.id) = (ExecutorKind::Specialist, (*id).to_owned());
            step.dependencies = after.iter().map(|on| (*on).into()).collect();
            step
        })
        .collect();
    let order = ["schema", "merge", "validate", "prompt", "template", "run", "test"].map(one);
    assert_eq!(steps_to_route(&steps), order);
    // Without what only orders them, the parts that need each other only at the end stand beside each other.
    let mut loose = steps;
    loose[1].dependencies.clear();
    assert_eq!(steps_to_route(&loose)[0], parallel(&["schema", "merge"]));
}
