//! What a model may write, and what is made of it.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::json;

use super::{MAX_PLANNER_TEXT, parse, parse_plan_output, parse_value};
use crate::plan::{Outline, OutlineStep, PlannerOutput, RouteStep, StepType, ValidationMode};

const ROUTE: &str = r#"{"priorityOrder":["general",{"parallel":["agent","workflow"]}],"refinedTask":"Watch the search","extractedContext":{"savedSearchUrl":"https://example.com/s?q=a&b=1#x"},"instructionsForGeneral":"Do not ask for credentials."}"#;

fn plan(text: &str) -> Outline {
    match parse(text) {
        (Some(PlannerOutput::Plan(outline)), faults) => {
            assert_eq!(faults, [], "{text}");
            outline
        }
        other => panic!("no plan in {text}: {other:?}"),
    }
}

fn mended(text: &str) -> (Outline, Vec<String>) {
    match parse(text) {
        (Some(PlannerOutput::Plan(outline)), faults) => (outline, faults.iter().map(ToString::to_string).collect()),
        other => panic!("no plan in {text}: {other:?}"),
    }
}

fn doing(description: &str, tools: &[&str]) -> OutlineStep {
    OutlineStep {
        description: description.into(),
        required_tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        ..OutlineStep::default()
    }
}

// covers: P32 P33 P34 P35 P56 P58
#[test]
fn the_route_template_is_read_with_its_values() {
    let outline = plan(ROUTE);
    assert_eq!(
        outline,
        Outline {
            refined_task: "Watch the search".into(),
            route: vec![
                RouteStep::One("general".into()),
                RouteStep::Parallel { parallel: vec!["agent".into(), "workflow".into()] }
            ],
            extracted_context: json!({"savedSearchUrl": "https://example.com/s?q=a&b=1#x"})
                .as_object()
                .unwrap()
                .clone(),
            instructions: [("general".to_owned(), "Do not ask for credentials.".to_owned())].into_iter().collect(),
            ..Outline::default()
        }
    );
    assert_eq!(parse_plan_output(ROUTE), Some(outline));
}

#[test]
fn steps_that_a_second_key_or_the_same_key_holds_are_never_left_out_without_a_word() {
    for (text, kept, place) in [
        (r#"{"steps":[{"do":"fetch"}],"steps":[{"do":"save"}]}"#, "save", "steps"),
        (r#"{"todoList":[{"description":"a"}],"steps":[{"description":"b"}]}"#, "a", "steps"),
        (r#"{"steps":[{"do":"fetch","do":"save"}]}"#, "save", "steps[0].do"),
    ] {
        let (outline, faults) = mended(text);
        let told: Vec<&str> = outline.steps.iter().map(|step| step.description.as_str()).collect();
        assert_eq!((told, faults.len()), (vec![kept], 1), "{faults:?}");
        assert!(faults[0].starts_with(place), "{faults:?}");
    }
    for same in [r#"{"steps":[{"do":"fetch"}],"steps":[{"do":"fetch"}]}"#, r#"{"steps":[{"do":"fetch"}],"todos":[]}"#] {
        assert_eq!(mended(same).1, Vec::<String>::new(), "{same}");
    }
}

// covers: P57
#[test]
fn the_strict_reading_gives_nothing_for_what_is_invalid_or_missing() {
    for text in [
        "",
        "I would ask general first.",
        "{",
        "[]",
        "null",
        r#"{"priorityOrder":["general"]}"#,
        r#"{"refinedTask":"x"}"#,
        r#"{"priorityOrder":[],"refinedTask":""}"#,
        r#"{"priorityOrder":[],"refinedTask":"x"}"#,
        r#"{"priorityOrder":[1,{"parallel":[]}],"refinedTask":"x"}"#,
        r#"{"priorityOrder":["general"],"refinedTask":["x"]}"#,
    ] {
        assert_eq!(parse_plan_output(text), None, "{text}");
    }
}

#[test]
fn every_text_without_a_plan_says_why() {
    for (text, why) in [
        ("", "the reply is empty"),
        ("Sure,\nI can do that.", "the reply, which ends at line 2, column 15, holds no JSON object"),
        (
            r#"{"priorityOrder":[],"refinedTask":""}"#,
            "the object at line 1, column 1 has nothing to do in it and no answer",
        ),
        ("One of [{\"id\": 1}, 2].", "the list at line 1, column 8 has nothing to do in it and no answer"),
        ("One of [1, 2].", "the reply, which ends at line 1, column 15, holds no JSON object"),
        (r#"{"answer":"  "}"#, "the object at line 1, column 1 has nothing to do in it and no answer"),
        (
            "Süß:\n\n é {\"steps\":[{\"tool\":\"grep\"}]}",
            "the object at line 3, column 4 has nothing to do in it and no answer",
        ),
    ] {
        let (output, faults) = parse(text);
        assert_eq!(output, None, "{text}");
        assert!(faults.iter().any(|fault| fault.message == why), "{text}: {faults:?}");
        assert_eq!(faults.last().unwrap().missing, ["steps", "priorityOrder", "answer"]);
    }
}

#[test]
fn the_same_plan_is_found_wherever_it_stands() {
    let outline = plan(ROUTE);
    for text in [
        format!("```json\n{ROUTE}\n```"),
        format!("Here it is:\n```\n{ROUTE}\n```\nShall I start?"),
        format!("Plan:\n---JSON_OUTPUT_START---\n{ROUTE}\n---JSON_OUTPUT_END---\n{{\"steps\":[{{\"do\":\"no\"}}]}}"),
        format!("---JSON_OUTPUT_START---\n{ROUTE}"),
        format!("<think>First {{\"priorityOrder\":[\"x\"],\"refinedTask\":\"y\"}} or so</think>{ROUTE}"),
        format!("{{\"note\":\"an object before the plan\"}} {ROUTE} {{\"and\":\"after\"}}"),
        format!("A set {{a, b}} and [see 1] and {{\"x\": {{ broken {ROUTE}"),
        format!("It's {{'quoted and never closed {ROUTE}"),
        format!("{{\"plan\":{ROUTE}}}"),
        format!("{{\"toolCalls\":[{{\"toolName\":\"emit_plan\",\"arguments\":{ROUTE}}}]}}"),
        format!("{{\"name\":\"emit_plan\",\"parameters\":{ROUTE}}}"),
        json!({"name": "emit_plan", "arguments": ROUTE}).to_string(),
    ] {
        assert_eq!(plan(&text), outline, "{text}");
    }
    assert_eq!(parse_value(&serde_json::from_str(ROUTE).unwrap()).0, Some(PlannerOutput::Plan(outline)));
}

#[test]
fn of_two_plans_the_last_whole_one_is_read_and_that_is_said() {
    let two = format!(r#"{{"priorityOrder":["x"],"refinedTask":"draft"}} Better: {ROUTE}"#);
    let (outline, faults) = mended(&two);
    assert_eq!(outline, plan(ROUTE));
    assert_eq!(
        faults,
        ["2 objects could be the plan; the last whole one, at line 1, column 55, was read (Write one JSON object.)"]
    );
    let (outline, _) = mended(&format!(r#"{ROUTE} {{"priorityOrder":["x"],"refinedTask":"cut"#));
    assert_eq!(outline, plan(ROUTE));
}

// covers: T11 T19 T20 T21 T22 T57
#[test]
fn the_step_template_is_read_with_comments_and_unknown_words_are_left_out() {
    let text = r#"---JSON_OUTPUT_START---
{
  "title": "Population", "intent": "compare", "plan": ["Search.", "Analyse."],
  "todoList": [
    {"id": "step_1", "description": "Search", "stepType": "tool", "requiredTools": ["webSearch"], // explicit
     "expectedOutcome": "data", "toolValidationMode": "strict"},
    {"id": "step_2", "description": "Analyse", "stepType": "reasoning", "dependencies": ["step_1"]},
    {"id": "step_3", "description": "Confirm", "stepType": "Toolish", "requiredTools": ["displayConfirmation"],
     "toolValidationMode": "loose", "specialist": "general"}
  ]
}
---JSON_OUTPUT_END---"#;
    let (outline, faults) = mended(text);
    let expected = Outline {
        title: "Population".into(),
        intent: "compare".into(),
        prose: "Search.\nAnalyse.".into(),
        steps: vec![
            OutlineStep {
                id: Some("step_1".into()),
                step_type: Some(StepType::Tool),
                expected_outcome: Some("data".into()),
                tool_validation_mode: Some(ValidationMode::Strict),
                ..doing("Search", &["webSearch"])
            },
            OutlineStep {
                id: Some("step_2".into()),
                step_type: Some(StepType::Reasoning),
                after: vec!["step_1".into()],
                ..doing("Analyse", &[])
            },
            OutlineStep {
                id: Some("step_3".into()),
                specialist: Some("general".into()),
                ..doing("Confirm", &["displayConfirmation"])
            },
        ],
        ..Outline::default()
    };
    assert_eq!(outline, expected);
    assert_eq!(
        faults,
        [
            "todoList[2].stepType: this is none of the values that are known here (Leave it out, or use a known one.)",
            "todoList[2].toolValidationMode: this is none of the values that are known here (Leave it out, or use a known one.)",
        ]
    );
}

// covers: T11 T20 T57
#[test]
fn a_required_tool_is_read_however_it_is_written_and_never_lost_in_silence() {
    for tools in [
        r#"["grep","bash"]"#,
        r#"[{"name":"grep"},{"toolName":"bash","arguments":{}}]"#,
        r#"[{"tool":" grep "},"bash"]"#,
    ] {
        let text = format!(r#"{{"todoList":[{{"description":"Search","requiredTools":{tools}}}]}}"#);
        assert_eq!(plan(&text).steps, [doing("Search", &["grep", "bash"])], "{tools}");
    }
    let one = |tools: &str| mended(&format!(r#"{{"todoList":[{{"description":"Search","requiredTools":{tools}}}]}}"#));
    for (tools, kept, faults) in [
        (r#""grep""#, &["grep"][..], 0),
        ("null", &[], 0),
        ("[]", &[], 0),
        (r#"["", "grep"]"#, &["grep"], 1),
        (r#"[["grep", "bash"], {"webSearch": true}, true]"#, &[], 3),
        (r#"{"all": ["grep"]}"#, &[], 1),
    ] {
        let (outline, told) = one(tools);
        assert_eq!(outline.steps, [doing("Search", kept)], "{tools}");
        assert_eq!(told.len(), faults, "{tools}: {told:?}");
        assert!(told.iter().all(|fault| fault.starts_with("todoList[0].requiredTools[")), "{told:?}");
    }
}

#[test]
fn the_compact_profile_is_read() {
    let outline = plan(
        r#"{"title":"Count","context":{"out":"patents.md"},"steps":[{"do":"Count lines","who":"workspace","tool":"grep","after":[],"expect":"counts"},{"do":"Compare","tool":"none","after":[1]},{"do":"Draw a chart","who":"workspace","tool":"find"},{"do":"Read it","tool":"read"}]}"#,
    );
    let expected = vec![
        OutlineStep {
            specialist: Some("workspace".into()),
            expected_outcome: Some("counts".into()),
            ..doing("Count lines", &["grep"])
        },
        OutlineStep { step_type: Some(StepType::Reasoning), after: vec!["1".into()], ..doing("Compare", &[]) },
        OutlineStep { step_type: Some(StepType::Tool), ..doing("Draw a chart", &[]) },
        doing("Read it", &["read"]),
    ];
    assert_eq!((outline.title.as_str(), outline.steps), ("Count", expected));
    assert_eq!(parse(r#"{"answer":" Hello! "}"#), (Some(PlannerOutput::Answer("Hello!".into())), vec![]));
}

#[test]
fn a_text_that_was_cut_off_gives_its_whole_steps() {
    let text = r#"{"title":"T","steps":[{"do":"a","tool":"grep"},{"do":"b","tool":"crea"#;
    let (outline, faults) = mended(text);
    assert_eq!((outline.title.as_str(), outline.steps), ("T", vec![doing("a", &["grep"])]));
    assert_eq!(
        faults,
        ["steps[1].tool: the text ends inside the object, at line 1, column 70 (Write a shorter plan.)"]
    );
    let text = "The plan:\n---JSON_OUTPUT_START---\n{\"title\":\"T\",\"steps\":[{\"do\":\"a\"},\n{\"do\":\"b\", @@ nonsense}]}\n---JSON_OUTPUT_END---";
    let (outline, faults) = mended(text);
    assert_eq!(outline.steps, [doing("a", &[])]);
    let why = "the object is broken at line 4, column 12; only what stands before that was read (Write valid JSON.)";
    assert_eq!(faults, [format!("steps[1]: {why}")]);
}

#[test]
fn common_misspellings_of_json_are_mended() {
    let expected = [doing("Find \"TODO\" in\nall files", &["grep"])];
    for text in [
        "{'steps': [{'do': 'Find \"TODO\" in\\nall files', 'tool': 'grep', 'after': None}]}",
        "{\"steps\": [{\"do\": \"Find \"TODO\" in\nall files\", \"tool\": \"grep\",},]}",
        "{steps: [{do: \"Find \\\"TODO\\\" in\\nall files\" \"tool\": [\"grep\"]}]}",
        "[{\"do\": \"Find \\u0022TODO\\u0022 in\\nall files\", \"tool\": \"grep\"}]",
    ] {
        assert_eq!(plan(text).steps, expected, "{text}");
    }
    assert_eq!(plan(r#"{"steps":[{"do":"\ud83d\ude00 \ud83d ü"}]}"#).steps, [doing("😀 \u{fffd} ü", &[])]);
}

#[test]
fn wrong_fields_are_faults_at_their_places_and_cost_nothing_else() {
    let (outline, faults) = mended(
        r#"{"priorityOrder":["general",7,{"parallel":[]}],"extractedContext":"none","steps":[{"do":["x"]},{"do":"y"},5],"answer":"z","title":{}}"#,
    );
    assert_eq!(outline.route, [RouteStep::One("general".into())]);
    assert_eq!(outline.steps, [doing("y", &[])]);
    let places: Vec<String> = faults.iter().map(|fault| fault.split(':').next().unwrap().to_owned()).collect();
    assert_eq!(
        places,
        [
            "title",
            "extractedContext",
            "priorityOrder[1]",
            "priorityOrder[2]",
            "steps[0].do",
            "steps[0]",
            "steps[2]",
            "answer"
        ]
    );
}

#[test]
fn steps_that_are_no_list_are_told_at_their_place() {
    let why = "this has to be a list of steps";
    for text in [r#"{"steps":{"do":"Read it"}}"#, r#"{"title":"T","steps":"Read it"}"#, r#"{"steps":3}"#] {
        let (output, faults) = parse(text);
        assert_eq!(output, None, "{text}");
        let told = faults.iter().find(|fault| fault.message == why);
        assert_eq!(told.map(|fault| fault.place()).as_deref(), Some("steps"), "{text}: {faults:?}");
    }
    let (outline, faults) = mended(r#"{"todoList":"Read it","priorityOrder":["general"],"refinedTask":"Read it"}"#);
    assert_eq!((outline.steps.len(), outline.route.len()), (0, 1));
    assert_eq!(faults, [format!("todoList: {why} (Write [{{...}}, {{...}}], also for one step.)")]);
}

#[test]
fn the_list_of_faults_is_bounded() {
    let text = json!({"steps": (0..500).map(|n| json!({"do": if n == 0 { "x" } else { "" }})).collect::<Vec<_>>()});
    let (output, faults) = parse(&text.to_string());
    assert!(output.is_some());
    assert_eq!(faults.len(), 41);
    assert_eq!(faults[40].message, "459 further faults are not listed");
}

#[test]
fn a_hostile_megabyte_takes_linear_time() {
    let fill = |unit: &str| unit.repeat(MAX_PLANNER_TEXT / unit.len() + 1);
    for unit in [
        "{",
        "[",
        "{\"a\":",
        "[[{",
        "{\"a",
        "{'",
        "\"",
        "{\"a\":\"",
        "{/*",
        "{\"steps\":[",
        "\\",
        "{\"a\":[1,",
        "{a:-",
        "<think>",
    ] {
        let text = fill(unit);
        let started = Instant::now();
        let (output, faults) = parse(&text);
        assert_eq!(output, None, "{unit}");
        assert!(!faults.is_empty());
        assert!(started.elapsed() < Duration::from_secs(60), "{unit} took {:?}", started.elapsed());
    }
}

proptest! {
    #[test]
    fn any_text_ends_in_an_output_or_in_faults(text in ".{0,300}") {
        let (output, faults) = parse(&text);
        prop_assert!(output.is_some() || !faults.is_empty());
    }

    #[test]
    fn any_mangled_plan_ends_in_an_output_or_in_faults(at in 0usize..260, cut in 0usize..30, junk in r#"[\[\]{}",:\\'/ a1\n-]{0,6}"#) {
        let start = (0..=at.min(ROUTE.len())).rev().find(|i| ROUTE.is_char_boundary(*i)).unwrap();
        let end = (start + cut).min(ROUTE.len());
        let text = format!("{}{junk}{}", &ROUTE[..start], &ROUTE[end..]);
        let (output, faults) = parse(&text);
        prop_assert!(output.is_some() || !faults.is_empty());
    }
}
