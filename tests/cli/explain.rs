//! `--explain`: how a plan came about, and why a specialist does a step.

use assent_tests::sse::Answer;
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::replies::{MESSAGE, count_and_write, counting, plans, says};

/// The last value that a command has printed.
fn explained(desk: &Desk, arguments: &[&str]) -> Value {
    desk.run(arguments).ends(0).values().pop().unwrap()
}

#[test]
fn what_the_planner_was_sent_and_has_answered_is_told_with_what_was_wrong() {
    // Fits its form, and forgets the file that the message names.
    let step = json!({"tool": "grep", "do": "Find the lines that contain \"berlin\"", "expect": "counts"});
    let short = json!({"title": "Find only", "steps": [step]});
    let desk = Desk::with([plans(&short), count_and_write()]);
    let told = explained(&desk, &["plan", "new", "--json", "--explain", MESSAGE]);
    let calls = told["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 2, "{told:#}");
    assert_eq!((&calls[0]["purpose"], &calls[0]["answer"]), (&json!("plan"), &Value::String(short.to_string())));
    assert!(!calls[0]["faults"].as_array().unwrap().is_empty(), "{told:#}");
    assert!(
        calls[1]["answer"].as_str().unwrap().contains("Count Berlin") && calls[1]["faults"] == json!([]),
        "{told:#}"
    );
    // What is shown is what the endpoint got, to the letter.
    for (call, asked) in calls.iter().zip(desk.asked()) {
        let sent: Vec<&Value> = call["messages"].as_array().unwrap().iter().map(|message| &message["text"]).collect();
        let got: Vec<&Value> =
            asked.body["messages"].as_array().unwrap().iter().map(|message| &message["content"]).collect();
        assert_eq!(sent, got);
    }
    // It was told of tools in the budget, by name and with what each took.
    let tools = &calls[0]["tools"];
    let named: Vec<&str> = tools["told"].as_array().unwrap().iter().map(|one| one[0].as_str().unwrap()).collect();
    assert!(named.contains(&"grep") && named.contains(&"bash"), "{tools}");
    let tokens: u64 = tools["told"].as_array().unwrap().iter().map(|one| one[1].as_u64().unwrap()).sum();
    assert!(tokens > 0 && tokens <= 3800, "{tools}");
    assert_eq!((&tools["leftOut"], &tools["budget"], &tools["byMeaning"]), (&json!([]), &json!(3800), &json!(false)));
    assert_eq!(told["fallback"]["used"], false);
    assert_eq!(told["steps"].as_array().unwrap().len(), 2);

    let text = desk.run(&["plan", "show", "--explain", &desk.plan()]).ends(0).out;
    for part in [
        "How it came about",
        "  1  planner, desk/test: ",
        "Find only",
        "     ! ",
        "Who does the steps",
        "  s1 is done by the single agent, as planned",
        " of 3,800 tokens for them; looked for by words alone",
    ] {
        assert!(text.contains(part), "{part:?} is missing: {text}");
    }
}

#[test]
fn who_does_a_step_is_told_with_the_reason_once_it_has_run() {
    let desk = Desk::with([count_and_write()].into_iter().chain(counting()));
    desk.run(&["ask", "--approve", "never-ask", MESSAGE]).ends(0);
    let told = explained(&desk, &["plan", "show", "--json", "--explain", &desk.plan()]);
    let events = desk.events();
    let expanded = events.iter().filter(|event| event["kind"] == "step_expanded").map(|event| &event["expanded"]);
    let told: Vec<&Value> = told["steps"].as_array().unwrap().iter().filter_map(|step| step.get("expanded")).collect();
    assert_eq!(told, expanded.collect::<Vec<_>>());
}

#[test]
fn an_answer_without_a_plan_and_a_plan_that_stands_in_for_one_are_told_as_such() {
    let desk = Desk::with([plans(&json!({"title": "Hello", "answer": "Hello."}))]);
    let told = explained(&desk, &["plan", "new", "--json", "--explain", "Hello"]);
    assert_eq!((told["calls"].as_array().unwrap().len(), &told["steps"]), (1, &json!([])), "{told:#}");

    let never: Vec<Answer> = vec![says("No.")];
    let desk = Desk::with(never);
    let text = desk.run(&["plan", "new", "--explain", MESSAGE]).ends(0).out;
    assert!(text.contains("! not the planner's plan: "), "{text}");
}

#[test]
fn a_plan_that_a_person_wrote_has_asked_no_model() {
    let (desk, plan) = Desk::planned([]);
    desk.run(&["plan", "edit", &plan, "--describe", "s1", "Count the lines"]).ends(0);
    let text = desk.run(&["plan", "show", "--explain", &plan]).ends(0).out;
    assert!(text.contains("How it came about\n  no model was asked"), "{text}");
}
