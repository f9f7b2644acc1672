//! What edits make of a draft, and which are refused.

use proptest::prelude::*;
use serde_json::json;

use super::{EditRefused, NewStep, PlanEdit, apply, put_in_place, save};
use crate::ids::StepId;
use crate::plan::{CheckedPlan, Known, Origin, Plan, RouteStep, Step, StepType, check};

fn draft() -> Plan {
    let step = |id: &str, after: &[&str]| json!({"id": id, "description": id, "dependencies": after, "executor": {"kind": "specialist", "id": "general"}});
    serde_json::from_value(json!({
        "format": "assent.plan/1", "id": "p1", "version": 3, "sessionId": "c1", "extractedContext": {"a": 1, "b": 2},
        "steps": [step("s1", &[]), step("s2", &["s1"]), step("s3", &["s2"]), step("s4", &["s2", "s3"])]
    }))
    .unwrap()
}

fn edited(edit: serde_json::Value) -> Result<Plan, EditRefused> {
    let mut plan = draft();
    let edit: PlanEdit = serde_json::from_value(edit).unwrap();
    let result = apply(&mut plan, edit, &[]);
    if result.is_err() {
        assert_eq!(plan, draft(), "a refused edit changes nothing");
    }
    result.map(|()| plan)
}

fn shape(plan: &Plan) -> Vec<String> {
    let one = |step: &crate::plan::Step| {
        format!("{}: {}", step.id, step.dependencies.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(" "))
    };
    plan.steps.iter().map(one).collect()
}

#[test]
fn steps_are_added_inserted_and_removed_with_their_dependencies() {
    let added = edited(
        json!({"op": "add_step", "step": {"description": "more", "requiredTools": ["grep"], "dependencies": ["s1"]}}),
    )
    .unwrap();
    assert_eq!(shape(&added)[4], "s5: s1");
    assert_eq!((added.steps[4].origin, added.steps[4].step_type), (Origin::User, Some(StepType::Tool)));

    let inserted = edited(json!({"op": "insert_after", "after": "s2", "step": {"description": "between"}})).unwrap();
    assert_eq!(shape(&inserted), ["s1: ", "s2: s1", "s5: s2", "s3: s5", "s4: s5 s3"]);

    let removed = edited(json!({"op": "remove_step", "step": "s2"})).unwrap();
    assert_eq!(shape(&removed), ["s1: ", "s3: s1", "s4: s1 s3"]);
}

#[test]
fn a_move_keeps_dependencies_before_their_steps() {
    let refused = edited(json!({"op": "move_step", "step": "s3", "to": 0})).unwrap_err();
    assert_eq!(refused.to_string(), "s3 needs s2, which would come after it; remove that dependency first");
    let refused = edited(json!({"op": "move_step", "step": "s1", "to": 3})).unwrap_err();
    assert_eq!(refused.to_string(), "s2 needs s1, which would come after it; remove that dependency first");
    assert_eq!(
        edited(json!({"op": "move_step", "step": "s1", "to": 4})),
        Err(EditRefused::NoSuchPlace { to: 4, last: 3 })
    );

    let mut plan = draft();
    for (step, to) in [("s4", vec!["s2"]), ("s3", vec!["s1"])] {
        let dependencies = to.into_iter().map(Into::into).collect();
        apply(&mut plan, PlanEdit::SetDependencies { step: step.into(), dependencies }, &[]).unwrap();
    }
    apply(&mut plan, PlanEdit::MoveStep { step: "s4".into(), to: 2 }, &[]).unwrap();
    assert_eq!(shape(&plan), ["s1: ", "s2: s1", "s4: s2", "s3: s1"]);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_reason() {
    for (edit, why) in [
        (json!({"op": "remove_step", "step": "s9"}), "there is no step s9"),
        (
            json!({"op": "set_dependencies", "step": "s1", "dependencies": ["s4"]}),
            "these steps would wait for each other: s1 → s4 → s2 → s1",
        ),
        (
            json!({"op": "set_dependencies", "step": "s1", "dependencies": ["s1"]}),
            "these steps would wait for each other: s1 → s1",
        ),
        (json!({"op": "set_dependencies", "step": "s1", "dependencies": ["zz"]}), "there is no step zz"),
        (json!({"op": "set_description", "step": "s1", "description": " "}), "a step has to say what to do"),
        (json!({"op": "add_step", "step": {"description": ""}}), "a step has to say what to do"),
        (json!({"op": "add_step", "step": {"description": "x", "dependencies": ["s7"]}}), "there is no step s7"),
        (
            json!({"op": "insert_after", "after": "s1", "step": {"description": "x", "stepType": "reasoning", "requiredTools": ["grep"]}}),
            "s5 requires tools; remove them before making it a reasoning step",
        ),
    ] {
        assert_eq!(edited(edit.clone()).unwrap_err().to_string(), why, "{edit}");
    }
    let mut one = draft();
    one.steps.truncate(1);
    assert_eq!(apply(&mut one, PlanEdit::RemoveStep { step: "s1".into() }, &[]), Err(EditRefused::OnlyStep));
    assert!(serde_json::from_value::<PlanEdit>(json!({"op": "set_title", "titel": "x"})).is_err());
}

#[test]
fn fields_are_set_one_by_one() {
    let mut plan = draft();
    for edit in [
        json!({"op": "set_title", "title": "T"}),
        json!({"op": "set_task", "refinedTask": "R"}),
        json!({"op": "set_context", "key": "a", "value": null}),
        json!({"op": "set_context", "key": "b", "value": [3]}),
        json!({"op": "set_read_only", "readOnly": true}),
        json!({"op": "set_description", "step": "s1", "description": "D"}),
        json!({"op": "set_required_tools", "step": "s1", "requiredTools": ["grep"]}),
        json!({"op": "set_expected_outcome", "step": "s1", "expectedOutcome": "O"}),
        json!({"op": "set_instructions", "step": "s1", "instructions": "I"}),
        json!({"op": "set_validation_mode", "step": "s1", "toolValidationMode": "advisory"}),
        json!({"op": "set_executor", "step": "s1", "executor": {"kind": "self"}}),
        json!({"op": "set_step_type", "step": "s2", "stepType": "tool"}),
    ] {
        apply(&mut plan, serde_json::from_value(edit).unwrap(), &[]).unwrap();
    }
    let mut expected = serde_json::to_value(draft()).unwrap();
    for (at, value) in [
        ("/title", json!("T")),
        ("/refinedTask", json!("R")),
        ("/extractedContext", json!({"b": [3]})),
        ("/steps/0/description", json!("D")),
        ("/steps/0/requiredTools", json!(["grep"])),
        ("/steps/0/expectedOutcome", json!("O")),
        ("/steps/0/instructions", json!("I")),
        ("/steps/0/toolValidationMode", json!("advisory")),
        ("/steps/0/executor", json!({"kind": "self", "id": ""})),
    ] {
        *expected.pointer_mut(at).unwrap() = value;
    }
    expected["readOnly"] = json!(true);
    expected["steps"][0]["stepType"] = json!("tool");
    expected["steps"][1]["stepType"] = json!("tool");
    assert_eq!(plan, serde_json::from_value(expected).unwrap());
}

#[test]
fn saving_makes_the_next_version_with_its_route() {
    let saved = save(draft(), 5, 99);
    assert_eq!((saved.version, saved.supersedes, saved.created_at), (5, Some(3), 99));
    assert_eq!(saved.route, vec![RouteStep::One("general".into()); 4]);
    assert_eq!(save(draft(), 1, 0).version, 4);
}

fn known() -> Known {
    Known { specialists: [("general".to_owned(), Default::default())].into_iter().collect(), ..Known::default() }
}

fn any_edit() -> impl Strategy<Value = PlanEdit> {
    let id = || (1u8..8).prop_map(|n| crate::ids::StepId::new(format!("s{n}")));
    let ids = || proptest::collection::vec(id(), 0..3);
    let new = ids().prop_map(|dependencies| NewStep { description: "new".into(), dependencies, ..NewStep::default() });
    prop_oneof![
        new.clone().prop_map(|step| PlanEdit::AddStep { step }),
        (id(), new).prop_map(|(after, step)| PlanEdit::InsertAfter { after, step }),
        id().prop_map(|step| PlanEdit::RemoveStep { step }),
        (id(), 0usize..8).prop_map(|(step, to)| PlanEdit::MoveStep { step, to }),
        (id(), ids()).prop_map(|(step, dependencies)| PlanEdit::SetDependencies { step, dependencies }),
    ]
}

proptest! {
    #[test]
    fn a_draft_stays_sound_whatever_is_done_to_it(edits in proptest::collection::vec(any_edit(), 0..25)) {
        let mut plan = draft();
        for edit in edits {
            let before = plan.clone();
            if apply(&mut plan, edit, &[]).is_err() {
                prop_assert_eq!(&plan, &before);
            }
        }
        let checked: Result<CheckedPlan, _> = check(save(plan, 4, 0), &known());
        prop_assert!(checked.is_ok(), "{:?}", checked);
    }
}

#[test]
fn what_takes_the_place_of_a_step_stands_between_what_stood_around_it() {
    let ids = |plan: &Plan| -> Vec<(String, Vec<String>)> {
        let names = |ids: &[StepId]| ids.iter().map(ToString::to_string).collect();
        plan.steps.iter().map(|step| (step.id.to_string(), names(&step.dependencies))).collect()
    };
    let row = |id: &str, after: &[&str]| (id.to_owned(), after.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
    let step = |id: &str, after: &[&str]| Step {
        dependencies: after.iter().map(|id| StepId::from(*id)).collect(),
        ..Step::new(StepId::from(id), format!("new {id}"))
    };
    let old = || {
        let mut plan = Plan { steps: vec![step("s1", &[]), step("s2", &["s1"]), step("s3", &["s2"])], ..draft() };
        plan.steps[1].grants.tools = vec!["bash".into()];
        plan
    };
    let put = |with: Vec<Step>| {
        let mut plan = old();
        put_in_place(&mut plan, &"s2".into(), with).unwrap();
        assert!(plan.steps.iter().all(|step| step.grants.tools.is_empty()), "what it may do is derived anew");
        ids(&plan)
    };
    let before_and =
        |middle: &[(String, Vec<String>)], last: &str| [&[row("s1", &[])][..], middle, &[row("s3", &[last])]].concat();
    assert_eq!(put(vec![step("s1", &[])]), before_and(&[row("s2", &["s1"])], "s2"));
    let three = vec![step("s1", &[]), step("s2", &["s1"]), step("s3", &["s2"])];
    assert_eq!(
        put(three),
        before_and(&[row("s4", &["s1"]), row("s5", &["s4"]), row("s2", &["s5"])], "s2"),
        "the last one stands for the step"
    );
    let beside = vec![step("a", &[]), step("b", &[])];
    assert_eq!(put(beside), before_and(&[row("s4", &["s1"]), row("s2", &["s4"])], "s2"));

    let mut plan = old();
    assert_eq!(put_in_place(&mut plan, &"s9".into(), vec![step("x", &[])]), Err(EditRefused::NoSuchStep("s9".into())));
    assert!(put_in_place(&mut plan, &"s2".into(), vec![]).is_err());
    assert_eq!(plan, old());
}
