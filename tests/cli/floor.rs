//! Messages to a session in which another process is at work: one turn at a time, and nothing lost.

use assent_engine::model::scripted::Gate;
use assent_engine::store::{ListFilter, Sessions as _};
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::replies::{calls_behind, plans, says, says_behind};

/// The kinds of event and the messages of the only session, in their order.
fn told(desk: &Desk) -> Vec<String> {
    let events = desk.events();
    let told = events.iter().filter_map(|event| match event["kind"].as_str()? {
        "message_received" => event["text"].as_str().map(str::to_owned),
        "turn_ended" => Some("the end".to_owned()),
        _ => None,
    });
    told.collect()
}

fn session(desk: &Desk) -> String {
    desk.store().sessions(&ListFilter::default()).unwrap().remove(0).id.to_string()
}

fn one_write() -> Value {
    json!({"title": "Write", "steps": [{"tool": "create_file", "do": "Write a", "expect": "a"}]})
}

#[test]
fn messages_to_a_session_at_work_are_sent_one_after_the_other() {
    let gate = Gate::default();
    let write = json!({"path": "a", "content": "a"});
    let direct = || plans(&json!({"title": "Hello", "answer": "Hello."}));
    let desk = Desk::with([
        plans(&one_write()),
        calls_behind(&gate, "create_file", &write),
        says("Written."),
        direct(),
        direct(),
    ]);
    let first = desk.start(&["ask", "--approve", "never-ask", "First"]);
    desk.reached(&gate);
    let session = session(&desk);
    let mut waiting: Vec<_> = ["Second", "Third"].map(|text| desk.start(&["ask", "--session", &session, text])).into();
    for process in &mut waiting {
        let said = process.complaint();
        assert!(said.contains("is at work elsewhere: this is sent when that is over"), "{said}");
    }
    assert_eq!(told(&desk), ["First"], "nothing is sent before that");
    gate.open();
    first.end().ends(0);
    for process in waiting {
        process.end().ends(0);
    }
    let told = told(&desk);
    assert_eq!([&told[0], &told[1], &told[3], &told[5]], ["First", "the end", "the end", "the end"], "{told:?}");
    assert_eq!(told.len(), 6, "each was sent once: {told:?}");
}

#[test]
fn while_another_plans_a_message_waits_and_can_be_taken_back() {
    let gate = Gate::default();
    let desk = Desk::with([says_behind(&gate, &one_write().to_string())]);
    let first = desk.start(&["ask", "First"]);
    desk.reached(&gate);
    let mut second = desk.start(&["ask", "--session", &session(&desk), "Second"]);
    assert!(second.complaint().contains("Ctrl-C takes it back"));
    second.interrupt();
    assert_eq!(second.end().code, Some(1));
    gate.open();
    first.end().ends(2);
    assert_eq!(told(&desk), ["First"]);
}

#[test]
fn what_waits_for_a_person_holds_no_message_up() {
    let hello = plans(&json!({"title": "Hello", "answer": "Hello."}));
    let desk = Desk::with([plans(&one_write()), hello]);
    desk.run(&["ask", "First"]).ends(2);
    let second = desk.run(&["ask", "--session", &session(&desk), "Something else"]).ends(0);
    assert!(!second.err.contains("at work"), "{}", second.shown());
    assert_eq!(told(&desk), ["First", "Something else", "the end"]);
}
