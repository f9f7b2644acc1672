//! What a check refuses, where, and what it writes.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{MAX_STEPS, check};
use crate::plan::tests::{known, plan};
use crate::plan::{CheckedPlan, Grants, Step};

fn checked(document: Value) -> CheckedPlan {
    check(plan(document), &known()).unwrap()
}

fn faults(document: Value) -> Vec<String> {
    check(plan(document), &known()).unwrap_err().iter().map(ToString::to_string).collect()
}

fn grants(document: Value) -> Vec<Grants> {
    checked(document).steps().iter().map(|step| step.grants.clone()).collect()
}

fn granted(tools: &[&str], paths: &[&str], hosts: &[&str]) -> Grants {
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Grants { tools: own(tools), paths: own(paths), hosts: own(hosts) }
}

#[test]
fn everything_that_does_not_hold_is_said_at_once_at_its_place() {
    let found = faults(json!({
        "format": "other/1", "version": 2, "supersedes": 2,
        "route": ["general", {"parallel": ["planner", "toString"]}],
        "limits": {"stepIterations": 0, "callSeconds": 0, "maxParallelSteps": 1000},
        "steps": [
            {"id": "s1", "description": " ", "requiredTools": ["grepp", "grep", "grep"], "dependencies": ["s1", "s9"]},
            {"id": "s1", "description": "x", "stepType": "reasoning", "requiredTools": ["grep"], "parentId": "s7"},
            {"id": "", "description": "x", "executor": {"kind": "agent", "id": "discovry"},
             "contracts": {"output": {"type": "no such type"}}},
            {"id": "s4", "description": "x", "executor": {"kind": "self", "id": "me"}, "dependencies": ["s1", "s1"]}
        ]
    }));
    let places: Vec<&str> = found.iter().map(|fault| fault.split(": ").next().unwrap()).collect();
    assert_eq!(
        places,
        [
            "format",
            "version",
            "limits.stepIterations",
            "limits.callSeconds",
            "limits.maxParallelSteps",
            "route[1]",
            "route[1]",
            "steps[1].id",
            "steps[2].id",
            "steps[0].dependencies",
            "steps[0].dependencies",
            "steps[1].parentId",
            "steps[3].dependencies",
            "steps[0].description",
            "steps[0].requiredTools[0]",
            "steps[0].requiredTools[2]",
            "steps[1].stepType",
            "steps[2].executor",
            "steps[2].contracts.output",
            "steps[3].executor",
        ]
    );
    assert!(found.contains(&"steps[0].requiredTools[0]: there is no tool \"grepp\" (Did you mean grep?)".to_owned()));
    assert!(found.contains(&"steps[2].executor: there is no agent \"discovry\" (Did you mean discovery?)".to_owned()));
}

#[test]
fn a_cycle_is_named() {
    let step = |id: &str, after: &[&str]| json!({"id": id, "description": "x", "dependencies": after});
    let steps = [step("a", &[]), step("b", &["a", "d"]), step("c", &["b"]), step("d", &["c"]), step("e", &["d"])];
    assert_eq!(
        faults(json!({"steps": steps})),
        ["steps[1].dependencies: these steps wait for each other: b → d → c → b (Remove one of these dependencies.)"]
    );
}

// covers: P30 P42
#[test]
fn the_planner_and_unknown_specialists_never_run() {
    for (id, why) in [
        ("planner", "the planner does not run as a step of a plan (Name another specialist.)"),
        ("toString", "there is no specialist \"toString\""),
        ("constructor", "there is no specialist \"constructor\""),
        ("genral", "there is no specialist \"genral\" (Did you mean general?)"),
        ("", "there is no specialist \"\""),
    ] {
        let step = json!({"id": "s1", "description": "x", "executor": {"kind": "specialist", "id": id}});
        assert_eq!(faults(json!({"steps": [step]})), [format!("steps[0].executor: {why}")]);
    }
}

#[test]
fn a_plan_has_one_to_two_thousand_steps() {
    let steps = |count: usize| {
        let one = |n: usize| json!({"id": format!("s{n}"), "description": "x", "dependencies": if n == 0 { vec![] } else { vec![format!("s{}", n - 1)] }});
        json!({"steps": (0..count).map(one).collect::<Vec<_>>()})
    };
    assert_eq!(faults(steps(0)), ["steps: the plan has no steps (Add a step.)"]);
    assert_eq!(checked(steps(500)).levels().len(), 500);
    assert_eq!(checked(steps(MAX_STEPS)).order().len(), MAX_STEPS);
    assert_eq!(
        faults(steps(10_000)),
        ["steps: the plan has 10000 steps, 2000 are allowed (Split it into several plans.)"]
    );
}

#[test]
fn delegation_has_a_depth_and_no_circle() {
    let line = |parents: &[(&str, Option<&str>)]| {
        let step = |(id, parent): &(&str, Option<&str>)| json!({"id": id, "description": "x", "parentId": parent});
        json!({"limits": {"depth": 2}, "steps": parents.iter().map(step).collect::<Vec<_>>()})
    };
    checked(line(&[("a", None), ("b", Some("a")), ("c", Some("b"))]));
    assert_eq!(
        faults(line(&[("a", None), ("b", Some("a")), ("c", Some("b")), ("d", Some("c"))])),
        ["steps[3].parentId: more than 2 steps stand above this one (Delegate less deep, or raise limits.depth.)"]
    );
    let circle = "the step is a part of itself (Break the circle of parents.)";
    assert_eq!(
        faults(line(&[("a", Some("b")), ("b", Some("a"))])),
        [format!("steps[0].parentId: {circle}"), format!("steps[1].parentId: {circle}")]
    );
    assert_eq!(faults(line(&[("a", Some("a"))])), ["steps[0].parentId: the parent is no other step of this plan"]);
}

#[test]
fn texts_tools_and_budgets_have_bounds() {
    let long = "x".repeat(20_001);
    let many: Vec<String> = (0..11).map(|n| format!("t{n}")).collect();
    assert_eq!(
        faults(json!({
            "title": "y".repeat(301), "limits": {"toolTokenBudget": 100},
            "steps": [{"id": "s1", "description": long}, {"id": "s2", "description": "x", "requiredTools": many},
                      {"id": "s3", "description": "x", "requiredTools": ["grep", "create_file", "bash", "fetch", "ask_user"]}]
        })),
        [
            "title: this is longer than 300 characters (Shorten it.)",
            "steps[0].description: this is longer than 20000 characters (Shorten it.)",
            "steps[1].requiredTools: the step requires 11 tools, 10 are allowed (Split the step.)",
            "steps[2].requiredTools: the required tools take up to 394 tokens by an estimate that errs high, the budget is 100 (Split the step, or raise limits.toolTokenBudget.)",
        ]
    );
}

#[test]
fn a_step_is_granted_what_the_plan_says_literally() {
    let message = "Count patent lines in each licence and write a table to patents.md. See https://example.com/x";
    let steps = json!([
        {"id": "s1", "description": "Count lines in all files", "requiredTools": ["grep"]},
        {"id": "s2", "description": "Write the table", "requiredTools": ["create_file"], "dependencies": ["s1"]},
        {"id": "s3", "description": "Sum up with `sub dir/run.py`, ask https://evil.test/", "requiredTools": ["bash"]},
        {"id": "s4", "description": "Get https://api.example.org/v1", "requiredTools": ["fetch"]},
        {"id": "s5", "description": "Think about ../../etc/passwd"},
        {"id": "s6", "description": "Look into docs/a.txt", "requiredTools": ["grep"], "input": {"context": {"file": "b c.csv"}}}
    ]);
    assert_eq!(
        grants(json!({"userMessage": message, "steps": steps})),
        [
            granted(&["grep"], &["."], &[]),
            granted(&["create_file"], &["patents.md"], &[]),
            granted(&["bash"], &["."], &[]),
            granted(&["fetch"], &[], &["api.example.org", "example.com"]),
            granted(&[], &[], &[]),
            granted(&["grep"], &["b c.csv", "c.csv", "docs/a.txt"], &[]),
        ]
    );
}

#[test]
fn a_file_tool_without_a_path_gets_the_workspace_and_a_network_tool_without_a_host_none() {
    let steps = json!([
        {"id": "s1", "description": "Save it", "requiredTools": ["create_file"]},
        {"id": "s2", "description": "Fetch it", "requiredTools": ["fetch"]},
        {"id": "s3", "description": "Look for something", "stepType": "tool"}
    ]);
    assert_eq!(
        grants(json!({"steps": steps, "userMessage": "Save and fetch it."})),
        [granted(&["create_file"], &["."], &[]), granted(&["fetch"], &[], &[]), granted(&[], &[], &[])]
    );
}

#[test]
fn a_specialist_with_a_whole_task_is_granted_its_tools_except_destructive_ones() {
    let executor = json!({"kind": "specialist", "id": "workspace"});
    let steps = json!([
        {"id": "s1", "origin": "route", "description": "Tidy up", "executor": executor},
        {"id": "s2", "description": "Think", "executor": executor},
        {"id": "s3", "description": "Tidy up", "stepType": "tool", "executor": executor}
    ]);
    let all = granted(&["grep", "create_file"], &["."], &[]);
    assert_eq!(grants(json!({"steps": steps})), [all.clone(), granted(&[], &[], &[]), all]);
}

#[test]
fn what_a_document_claims_to_be_granted_does_not_count() {
    let grants_claimed = json!({"tools": ["drop_all"], "paths": ["."], "hosts": ["evil.test"]});
    let steps = json!([{"id": "s1", "description": "x", "grants": grants_claimed}]);
    assert_eq!(grants(json!({"steps": steps})), [Grants::default()]);
}

#[test]
fn the_digest_binds_the_document_its_grants_and_its_tools_but_not_its_time() {
    let document = json!({"createdAt": 5, "steps": [{"id": "s1", "description": "x", "requiredTools": ["grep"]}]});
    let first = checked(document.clone());
    assert_eq!(check(first.plan().clone(), &known()), Ok(first.clone()), "checking again changes nothing");

    let mut later = document.clone();
    later["createdAt"] = json!(6);
    assert_eq!(checked(later).digest(), first.digest());

    let mut other_text = document.clone();
    other_text["steps"][0]["description"] = json!("y");
    assert_ne!(checked(other_text).digest(), first.digest());

    let mut changed = known();
    changed.tools.get_mut("grep").unwrap().description = "Now does something else.".into();
    let changed = check(plan(document.clone()), &changed).unwrap();
    assert_ne!(changed.digest(), first.digest());

    let mut unrelated = known();
    unrelated.tools.shift_remove("bash");
    assert_eq!(check(plan(document), &unrelated).unwrap().digest(), first.digest());

    let refused = changed.approve(&first.plan_ref()).unwrap_err();
    assert_eq!(refused.approved, first.plan_ref());
    let approved = first.clone().approve(&first.plan_ref()).unwrap();
    assert_eq!((approved.checked(), approved.plan_ref()), (&first, first.plan_ref()));
}

#[test]
fn a_checked_plan_knows_who_waits_for_whom() {
    let step = |id: &str, after: &[&str]| json!({"id": id, "description": "x", "dependencies": after});
    let plan = checked(
        json!({"steps": [step("d", &["b", "c"]), step("a", &[]), step("b", &["a"]), step("c", &["a"]), step("e", &[])]}),
    );
    assert_eq!(plan.order(), [1, 2, 3, 0, 4]);
    assert_eq!(plan.levels(), [vec![1, 4], vec![2, 3], vec![0]]);
    assert_eq!((plan.dependencies(0), plan.dependents(1)), (&[2, 3][..], &[2, 3][..]));
    assert_eq!(plan.downstream(1), [2, 3, 0]);
    assert_eq!(plan.index_of(&"c".into()), Some(3));
    assert_eq!(plan.step(&"zz".into()), None);
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0usize..12, proptest::collection::vec(0usize..14, 0..4), 0usize..3);
    proptest::collection::vec(step, 1..12).prop_map(|all| {
        let one = |(at, (id, after, kind)): (usize, (usize, Vec<usize>, usize))| {
            let id = if kind == 0 { id } else { at };
            let after: Vec<String> = after.iter().map(|n| format!("s{n}")).collect();
            serde_json::from_value(json!({"id": format!("s{id}"), "description": "x", "dependencies": after})).unwrap()
        };
        all.into_iter().enumerate().map(one).collect()
    })
}

proptest! {
    #[test]
    fn a_checked_plan_runs_every_step_after_its_dependencies_and_anything_else_is_refused(steps in any_steps()) {
        let mut document = plan(json!({"steps": []}));
        document.steps = steps;
        match check(document, &known()) {
            Ok(checked) => {
                let mut done = vec![false; checked.steps().len()];
                for at in checked.order() {
                    prop_assert!(checked.dependencies(*at).iter().all(|needed| done[*needed]));
                    done[*at] = true;
                }
                prop_assert!(done.into_iter().all(|done| done));
                prop_assert_eq!(checked.levels().iter().map(Vec::len).sum::<usize>(), checked.steps().len());
            }
            Err(faults) => prop_assert!(!faults.is_empty() && faults.iter().all(|fault| !fault.path.is_empty())),
        }
    }
}
