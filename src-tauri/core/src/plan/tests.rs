//! What plans are tried on, and how they are normalised, compared and summed up.

use serde_json::{Value, json};

use super::{
    Effects, FieldChange, GrantChange, Grants, Known, KnownSpecialist, Plan, RouteStep, StepChange, StepMove, check,
    diff, effects, fallback_plan, normalise, parse, to_plan,
};
use super::{Header, PlannerOutput};
use crate::contract::{Fault, Risk, Source, ToolSpec};

fn tool(name: &str, risk: Risk, properties: Value) -> (String, ToolSpec) {
    let spec = ToolSpec::new(
        name,
        format!("Does {name}."),
        json!({"type": "object", "properties": properties}),
        Source::Core,
        risk,
    );
    (name.into(), spec)
}

/// Six tools, three specialists, one agent.
pub(super) fn known() -> Known {
    let path = json!({"path": {"type": "string"}});
    Known {
        tools: [
            tool("grep", Risk::Read, path.clone()),
            tool("create_file", Risk::Write, path.clone()),
            tool("bash", Risk::Execute, json!({"command": {"type": "string"}})),
            tool("fetch", Risk::Network, json!({"url": {"type": "string"}})),
            tool("drop_all", Risk::Destructive, path),
            tool("ask_user", Risk::Read, json!({"question": {"type": "string"}})),
        ]
        .into_iter()
        .collect(),
        specialists: [
            ("planner", &[][..]),
            ("general", &["ask_user"]),
            ("workspace", &["grep", "create_file", "drop_all"]),
        ]
        .into_iter()
        .map(|(id, tools)| {
            (
                id.to_owned(),
                KnownSpecialist {
                    tools: tools.iter().map(|t| (*t).to_owned()).collect(),
                    ..KnownSpecialist::default()
                },
            )
        })
        .collect(),
        agents: ["discovery".to_owned()].into_iter().collect(),
        workspace: Some("/work".into()),
    }
}

/// A document with the fields that every one needs filled in.
pub(super) fn plan(mut document: Value) -> Plan {
    for (key, value) in
        [("format", json!("assent.plan/1")), ("id", json!("p1")), ("version", json!(1)), ("sessionId", json!("c1"))]
    {
        if document.get(key).is_none() {
            document[key] = value;
        }
    }
    serde_json::from_value(document).unwrap()
}

fn header() -> Header {
    Header {
        id: "p1".into(),
        version: 1,
        supersedes: None,
        session_id: "c1".into(),
        user_message: "m".into(),
        created_at: 0,
    }
}

fn planned(text: &str, known: &Known) -> (Plan, Vec<String>) {
    let (Some(PlannerOutput::Plan(outline)), _) = parse(text) else { panic!("no plan in {text}") };
    let (plan, mut faults) = to_plan(outline, header(), &[]);
    let (plan, more) = normalise(plan, known);
    faults.extend(more);
    (plan, faults.iter().map(Fault::to_string).collect())
}

fn executors(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.executor.id.as_str()).collect()
}

// covers: P30 P42
#[test]
fn a_route_is_freed_of_the_planner_and_of_unknown_specialists() {
    let text =
        r#"{"priorityOrder":["planner",{"parallel":["toString","general"]},"nobody","workspace"],"refinedTask":"t"}"#;
    let (plan, faults) = planned(text, &known());
    assert_eq!(plan.route, [RouteStep::One("general".into()), RouteStep::One("workspace".into())]);
    assert_eq!(executors(&plan), ["general", "workspace"]);
    assert_eq!(plan.steps[1].dependencies, ["s1".into()]);
    assert_eq!(
        faults,
        [
            "route[0]: the planner does not run as a step; it was left out",
            "route[1]: there is no specialist \"toString\"; it was left out",
            "route[2]: there is no specialist \"nobody\"; it was left out",
        ]
    );
    assert!(check(plan, &known()).is_ok());
    assert_eq!(planned(r#"{"priorityOrder":["planner","x"],"refinedTask":"t"}"#, &known()).0.steps, []);
}

// covers: P12 P23
#[test]
fn specialists_that_could_create_the_same_thing_do_not_run_side_by_side() {
    let mut known = known();
    let (name, spec) = tool("create_agent", Risk::Write, json!({}));
    known.tools.insert(name, spec);
    for (id, tools) in [("agent", &["create_agent", "ask_user"][..]), ("improvement", &["create_agent", "grep"])] {
        let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        known.specialists.insert(id.into(), KnownSpecialist { tools, ..KnownSpecialist::default() });
    }
    let text = r#"{"priorityOrder":[{"parallel":["agent","general","improvement"]}],"refinedTask":"create one agent"}"#;
    let (plan, faults) = planned(text, &known);
    let first = RouteStep::Parallel { parallel: vec!["agent".into(), "general".into()] };
    assert_eq!(plan.route, [first, RouteStep::One("improvement".into())]);
    assert_eq!(plan.steps[2].dependencies, ["s1".into(), "s2".into()]);
    assert_eq!(faults, ["route[0]: specialists that could make the same thing twice run one after the other"]);
    // Also one with so many tools that an approval grants none of them.
    let improvement = known.specialists.get_mut("improvement").unwrap();
    improvement.many = std::mem::take(&mut improvement.tools);
    assert_eq!(planned(text, &known).0.route, plan.route);
}

#[test]
fn steps_fit_what_is_there() {
    let text = r#"{"steps":[{"do":"a","tool":"createFile","who":"workspace"},{"do":"b","tool":"web_search","who":"general"},{"do":"c","who":"python_expert"},{"do":"d","tool":"grp"}]}"#;
    let (plan, faults) = planned(text, &known());
    let tools: Vec<String> = plan.steps.iter().map(|step| step.required_tools.join(",")).collect();
    assert_eq!(
        (tools, executors(&plan)),
        (vec!["create_file".into(), String::new(), String::new(), String::new()], vec!["workspace", "", "", ""])
    );
    assert_eq!(
        faults,
        [
            "steps[0].requiredTools[0]: \"createFile\" was read as create_file",
            "steps[1].requiredTools[0]: there is no tool \"web_search\"; the step looks for one itself",
            "steps[2].executor: nobody who can run is called \"python_expert\"; the single agent does this step",
            "steps[3].requiredTools[0]: there is no tool \"grp\"; the step looks for one itself (Did you mean grep?)",
        ]
    );
    assert_eq!(plan.route, [RouteStep::One("workspace".into())]);
    let checked = check(plan, &known()).unwrap();
    assert_eq!(effects(checked.plan(), &known()).open, ["s2".into(), "s4".into()]);
}

#[test]
fn near_names_are_looked_for_of_so_many_unknown_ones_and_no_more() {
    let steps: Vec<_> = (0..60).map(|at| json!({"do": format!("step {at}"), "tool": "grp"})).collect();
    let (plan, faults) = planned(&json!({"steps": steps}).to_string(), &known());
    assert_eq!((plan.steps.len(), faults.len()), (60, 60), "none is passed over");
    assert_eq!(faults.iter().filter(|fault| fault.ends_with("(Did you mean grep?)")).count(), 40);
}

#[test]
fn what_a_plan_may_do_is_summed_up_from_its_grants() {
    let document = json!({"userMessage": "see https://a.test", "steps": [
        {"id": "s1", "description": "count", "requiredTools": ["grep"]},
        {"id": "s2", "description": "write out.md", "requiredTools": ["create_file", "bash", "fetch"]},
        {"id": "s3", "description": "clear", "requiredTools": ["drop_all"]},
        {"id": "s4", "description": "think"}
    ]});
    let checked = check(plan(document), &known()).unwrap();
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let expected = Effects {
        reads: set(&["."]),
        writes: set(&[".", "out.md"]),
        network: true,
        hosts: set(&["a.test"]),
        commands: true,
        destructive: set(&["drop_all"]),
        open: vec![],
    };
    assert_eq!(effects(checked.plan(), &known()), expected);
    assert!(expected.any());
    let looking = json!({"readOnly": true, "steps": [{"id": "s1", "description": "count", "requiredTools": ["bash"]}]});
    let looking = effects(check(plan(looking), &known()).unwrap().plan(), &known());
    assert_eq!((looking.reads, looking.writes, looking.commands), (set(&["."]), set(&[]), true));
    let reading = check(
        plan(json!({"steps": [{"id": "s1", "description": "x", "requiredTools": ["grep", "ask_user"]}]})),
        &known(),
    )
    .unwrap();
    assert!(!effects(reading.plan(), &known()).any());
    let general = fallback_plan(header(), &["general"], "r").unwrap();
    assert!(!effects(check(general, &known()).unwrap().plan(), &known()).any());
}

fn step(id: &str, text: &str, paths: &[&str]) -> Value {
    json!({"id": id, "description": text, "grants": {"tools": ["create_file"], "paths": paths, "hosts": []}})
}

#[test]
fn versions_are_compared_step_by_step_and_field_by_field() {
    let before = plan(json!({"title": "A", "createdAt": 1, "steps": [
        step("s1", "one", &["a.md"]), step("s2", "two", &["docs"]), step("s3", "three", &["."]), step("s4", "four", &[])
    ]}));
    let after = plan(json!({"title": "B", "createdAt": 2, "version": 2, "supersedes": 1, "steps": [
        step("s4", "four", &[]), step("s1", "uno", &["b.md"]), step("s2", "two", &["docs/x.md"]), step("s5", "five", &["c.md"])
    ]}));
    let found = diff(&before, &after);
    let change = |field: &str, before: &str, after: &str| FieldChange {
        field: field.into(),
        before: json!(before),
        after: json!(after),
    };
    let grant = |id: &str, tools: &[&str], paths: &[&str]| GrantChange {
        id: id.into(),
        grants: Grants {
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            hosts: vec![],
        },
    };
    assert_eq!(found.header, [change("title", "A", "B")]);
    assert_eq!(found.added, [after.steps[3].clone()]);
    assert_eq!(found.removed, [before.steps[2].clone()]);
    assert_eq!(found.changed, [StepChange { id: "s1".into(), fields: vec![change("description", "one", "uno")] }]);
    assert_eq!(found.moved, [StepMove { id: "s4".into(), from: 3, to: 0 }]);
    assert_eq!(found.grants_added, [grant("s1", &[], &["b.md"]), grant("s5", &["create_file"], &["c.md"])]);
    assert_eq!(
        found.grants_removed,
        [grant("s1", &[], &["a.md"]), grant("s2", &[], &["docs"]), grant("s3", &["create_file"], &["."])]
    );
    assert!(diff(&before, &Plan { created_at: 9, version: 4, supersedes: Some(1), ..before.clone() }).is_empty());
}
