//! What a plan file may hold, and where what it may not is found.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{PLAN_SCHEMA, import, spelled_as_in};
use crate::contract::{Fault, Schema, Stage};
use crate::plan::{Known, Origin, Plan, RouteStep, Step, ValidationMode, check};

fn full() -> Value {
    json!({
        "format": "assent.plan/1", "id": "p1", "version": 2, "supersedes": 1, "sessionId": "c1", "title": "T",
        "intent": "I", "refinedTask": "R", "userMessage": "M", "extractedContext": {"a": ["x"]},
        "instructions": {"general": "G"}, "route": ["general", {"parallel": ["agent", "workflow"]}],
        "defaults": {"toolValidationMode": "strict"},
        "limits": {"plannerRetries": 1, "toolValidationRetries": 2, "outputRetries": 3, "inputRetries": 3,
                   "stepIterations": 5, "depth": 5, "maxParallelSteps": 4, "toolTokenBudget": 3800,
                   "toolResultMaxLength": 60000},
        "steps": [{
            "id": "s1", "parentId": null, "origin": "agent_call", "description": "D", "stepType": "tool",
            "requiredTools": ["grep"], "expectedOutcome": "O", "toolValidationMode": "advisory",
            "executor": {"kind": "self", "id": ""}, "instructions": null, "dependencies": [],
            "input": {"context": {"k": 1}}, "grants": {"tools": ["grep"], "paths": ["."], "hosts": []},
            "contracts": {"input": null, "output": {"type": "object"}}
        }],
        "fallback": {"used": false, "reason": null}, "createdAt": 5
    })
}

#[test]
fn a_document_comes_back_as_it_was_written() {
    let plan = import(&full().to_string()).unwrap();
    assert_eq!(serde_json::to_value(&plan).unwrap(), full());
    assert_eq!(import(&serde_json::to_string_pretty(&plan).unwrap()), Ok(plan));
}

#[test]
fn every_origin_of_a_step_that_is_written_is_read() {
    let all = [Origin::Todo, Origin::Route, Origin::Delegate, Origin::AgentCall, Origin::User, Origin::Call];
    for origin in all {
        let mut document = full();
        document["steps"][0]["origin"] = serde_json::to_value(origin).unwrap();
        assert_eq!(import(&document.to_string()).unwrap().steps[0].origin, origin);
        let outside = import(&document.to_string()).unwrap().from_outside();
        let by_hand = if origin == Origin::Call { Origin::User } else { origin };
        assert_eq!(outside.steps[0].origin, by_hand, "that a person made a call is not to be had from a document");
    }
}

#[test]
fn a_plan_that_was_written_by_hand_need_not_say_what_it_is_given_anew() {
    let by_hand = json!({"format": "assent.plan/1", "title": "T", "steps": [{"id": "a", "description": "x"}]});
    let plan = import(&by_hand.to_string()).unwrap();
    let given = (plan.id.as_str(), plan.version, plan.session_id.as_str());
    assert_eq!((given, plan.title.as_str(), plan.steps.len()), (("imported", 1, ""), "T", 1));
}

#[test]
fn a_plan_without_the_newer_fields_is_advisory_and_may_start_at_once() {
    let old = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "c",
        "steps": [{"id": "a", "description": "x"}, {"id": "b", "description": "y"}]});
    let plan = import(&old.to_string()).unwrap();
    assert_eq!(plan.mode_of(&plan.steps[0]), ValidationMode::Advisory);
    assert!(
        plan.steps
            .iter()
            .all(|step| step.dependencies.is_empty() && *step == Step::new(step.id.clone(), step.description.clone()))
    );
}

#[test]
fn every_fault_has_its_place() {
    let mut document = full();
    document["tittle"] = json!("x");
    document["limits"]["depht"] = json!(1);
    document["limits"]["depth"] = json!(-1);
    document["steps"][0]["stepType"] = json!("think");
    document["steps"][0]["grants"]["path"] = json!([]);
    document["steps"][0]["status"] = json!("completed");
    document["steps"][0]["dependencies"] = json!([1]);
    document["route"][1] = json!({"parallel": ["a"], "else": 1});
    document.as_object_mut().unwrap().shift_remove("format");
    let faults = import(&document.to_string()).unwrap_err();
    let mut found: Vec<String> = faults.iter().map(|fault| format!("{} {}", fault.place(), fault.hint)).collect();
    found.sort();
    assert_eq!(
        found,
        [
            " Please provide all required fields: format",
            "limits.depht Did you mean depth?",
            "limits.depth Correct this value.",
            "route[1].else ",
            "steps[0].dependencies[0] Give a value of that type.",
            "steps[0].grants.path Did you mean paths?",
            "steps[0].status ",
            "steps[0].stepType Use one of [\"tool\",\"reasoning\",null].",
            "tittle Did you mean title?",
        ]
    );
}

#[test]
fn what_is_no_document_is_a_fault() {
    for text in ["", "{", "[]", "null", "7", "{\"format\":\"assent.plan/2\"}", "not json"] {
        assert!(!import(text).unwrap_err().is_empty(), "{text}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(import(&deep).unwrap_err()[0].stage, Stage::Parse);
}

#[test]
fn the_spellings_of_the_seeds_are_read() {
    let seeds = json!({
        "format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "c", "priorityOrder": ["general"],
        "instructionsForGeneral": "G", "instructionsForImproveRun": "I", "instructions": {"general": "kept"},
        "todoList": [{"id": "a", "description": "x", "specialist": "general"}]
    });
    let plan: Plan = import(&seeds.to_string()).unwrap();
    assert_eq!(plan.route, [RouteStep::One("general".into())]);
    assert_eq!((plan.instructions["general"].as_str(), plan.instructions["improve_run"].as_str()), ("kept", "I"));
    assert_eq!(plan.steps[0].executor.id, "general");
}

fn places(faults: &[Fault]) -> Vec<String> {
    let mut places: Vec<String> = faults.iter().map(Fault::place).collect();
    places.sort();
    places
}

#[test]
fn a_fault_is_told_under_the_name_that_its_field_has_in_the_file() {
    let seeds = json!({
        "format": "assent.plan/1", "priorityOrder": ["general", 7],
        "instructionsForGeneral": 1, "instructionsForImprovementSession": 2, "instructions": {"agent": 3},
        "todoList": [{"id": "a", "description": "x", "specialist": "general", "stepType": "tol", "more": 1}]
    });
    assert_eq!(
        places(&import(&seeds.to_string()).unwrap_err()),
        [
            "instructions.agent",
            "instructionsForGeneral",
            "instructionsForImprovementSession",
            "priorityOrder[1]",
            "todoList[0].more",
            "todoList[0].stepType",
        ]
    );
    // Beside the format's names those of the seeds are unknown ones.
    let both = json!({
        "format": "assent.plan/1", "route": [7], "priorityOrder": [], "instructions": {"general": 1},
        "instructionsForGeneral": "G", "todoList": [],
        "steps": [{"id": "a", "description": "x", "specialist": "general", "executor": {"kind": "none"}}]
    });
    assert_eq!(
        places(&import(&both.to_string()).unwrap_err()),
        [
            "instructions.general",
            "priorityOrder",
            "route[0]",
            "steps[0].executor.kind",
            "steps[0].specialist",
            "todoList"
        ]
    );
}

#[test]
fn what_the_check_finds_of_a_file_is_told_under_its_names_too() {
    let long = "x".repeat(30_000);
    let text = format!(
        "\u{feff}{}",
        json!({
            "format": "assent.plan/1", "priorityOrder": ["nobody"], "instructionsForGeneral": long,
            "todoList": [
                {"id": "a", "description": "x", "requiredTools": ["fly"], "specialist": "nobody"},
                {"id": "b", "description": "x", "executor": {"kind": "agent", "id": "nobody"}},
            ]
        })
    );
    let faults = check(import(&text).unwrap(), &Known::default()).unwrap_err();
    assert_eq!(
        places(&spelled_as_in(&text, faults)),
        [
            "instructionsForGeneral",
            "priorityOrder[0]",
            "todoList[0].requiredTools[0]",
            "todoList[0].specialist",
            "todoList[1].executor",
        ]
    );
}

#[test]
fn instructions_that_are_none_are_a_fault_whatever_else_instructs() {
    let both = json!({"format": "assent.plan/1", "steps": [], "instructions": 5, "instructionsForGeneral": "G"});
    assert_eq!(places(&import(&both.to_string()).unwrap_err()), ["instructions"]);
}

#[test]
fn how_many_faults_are_not_listed_is_told() {
    let mut document = full();
    for at in 0..150 {
        document[format!("more{at}")] = json!(1);
    }
    document["title"] = json!(1);
    let faults = import(&document.to_string()).unwrap_err();
    assert_eq!((faults.len(), faults[100].message.as_str()), (101, "51 further faults are not listed"));
    for at in 0..50 {
        document.as_object_mut().unwrap().shift_remove(&format!("more{at}"));
    }
    let faults = import(&document.to_string()).unwrap_err();
    assert_eq!((faults.len(), faults[100].message.as_str()), (101, "1 further fault is not listed"));
    document["title"] = json!("T");
    assert_eq!(import(&document.to_string()).unwrap_err().len(), 100);
}

/// The page looks for these before it sends a text here, and shows where they are: `ui/src/model/jsonFault.ts`.
#[test]
fn what_is_json_and_cannot_be_read_all_the_same() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let refused = |value: &str| {
        let text = full().to_string().replace("{\"a\":[\"x\"]}", &format!("{{\"a\":{value}}}"));
        import(&text).is_err_and(|faults| faults[0].stage == Stage::Parse)
    };
    // The document and what was extracted are two levels above it.
    let unread = [r#""\ud83d""#, r#""\udc36""#, r#""\ud83d\ud83d\udc36""#, "1e999", "-1e309", &nested(126)];
    assert_eq!(unread.map(refused), [true; 6]);
    let read = [r#""\ud83d\udc36""#, "0e999", "1e308", "1e-999", "{\"b\": 1, \"b\": 2}", &nested(125)];
    assert_eq!(read.map(refused), [false; 6]);
}

#[test]
fn the_published_schema_holds_for_every_plan_we_write() {
    let schema = Schema::compile(serde_json::from_str(PLAN_SCHEMA).unwrap()).unwrap();
    assert_eq!(schema.check(&full(), Stage::Plan), []);
    let written = serde_json::to_value(import(&full().to_string()).unwrap()).unwrap();
    assert_eq!(schema.check(&written, Stage::Plan), []);
    let mut other = full();
    other["steps"][0]["more"] = json!(1);
    assert_eq!(schema.check(&other, Stage::Plan).len(), 1);
}

proptest! {
    #[test]
    fn a_damaged_file_is_a_plan_or_faults(at in 0usize..900, junk in r#"[\[\]{}",:0a]{0,3}"#) {
        let text = full().to_string();
        let at = at.min(text.len());
        let damaged = format!("{}{junk}{}", &text[..at], &text[(at + 1).min(text.len())..]);
        if let Err(faults) = import(&damaged) {
            prop_assert!(!faults.is_empty());
        }
    }
}
