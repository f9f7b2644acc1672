//! A step done again in the same run, and what is said about the steps that build on it.

use assent_tests::replies::{MESSAGE, calls, count_and_write, counting, plans, says};
use expect_test::expect;
use serde_json::json;

use crate::desk::{Desk, all};

#[test]
fn a_step_is_done_again_and_what_builds_on_it_is_told_to_be_stale() {
    let (mut desk, plan) = Desk::planned(counting());
    let early = desk.run(&["plan", "retry", &plan, "s1"]).ends(1);
    assert_eq!(early.err, "assent: nothing of the plan was carried out yet, so no step can be retried\n");
    desk.run(&["plan", "approve", &plan]).ends(0);
    let unknown = desk.run(&["plan", "retry", &plan, "s9"]).ends(1);
    assert_eq!(unknown.err, "assent: there is no step s9 in the plan\n");

    desk.serve([calls("grep", &json!({"pattern": "Berlin"})), says("Two lines."), says("Still two.")]);
    let first = desk.run(&["plan", "retry", &plan, "s1"]);
    desk.serve([calls("create_file", &json!({"path": "counts.md", "content": "a.txt: 2\n"})), says("Written anew.")]);
    let second = desk.run(&["plan", "retry", &plan, "s2"]);
    expect![[r#"
        exit 0
        --- out
        ↻ s1 is done again
        ! s2 was done with its earlier result: stale until done again
        ● s1  attempt 2
            grep {"pattern":"Berlin"}
            ✓ 0 ms
        ✓ s1 completed

        The numbers are in counts.md.


        exit 0
        --- out
        ↻ s2 is done again
        ● s2  attempt 2
            create_file {"path":"counts.md","content":"a.txt: 2\n"}
            ✓ 0 ms
        ✓ s2 completed

        Written anew.

    "#]]
    .assert_eq(&all([first, second]));
    assert_eq!(desk.begun(), ["grep", "create_file", "grep", "create_file"]);
    let events = desk.events();
    let runs: Vec<_> = events.iter().filter(|event| event["kind"] == "run_queued").collect();
    assert_eq!(runs.len(), 1, "it is the same run");
    let reset: Vec<_> = events.iter().filter(|event| event["kind"] == "step_reset").collect();
    assert_eq!((reset.len(), &reset[0]["stale"]), (2, &json!(["s2"])));
}

#[test]
fn a_failed_step_is_done_again_with_what_was_skipped_because_of_it() {
    let mut desk = Desk::with([count_and_write(), says(""), says(""), says("")]);
    desk.run(&["ask", "--approve", "never-ask", MESSAGE]).ends(1);
    assert_eq!(desk.begun(), Vec::<String>::new());
    desk.serve(counting());
    let again = desk.run(&["plan", "retry", &desk.plan(), "s1"]).ends(0);
    assert!(again.out.contains("↻ s1 is done again"), "{}", again.shown());
    assert!(!again.out.contains("stale"), "nothing was done with it: {}", again.shown());
    assert_eq!(desk.begun(), ["grep", "create_file"]);
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt 2\n"));
}

#[test]
fn a_step_that_waits_behind_one_that_asks_is_told_to_wait() {
    let asks = || calls("ask_user", &json!({"question": "Which city?", "options": ["Berlin", "Hamburg"]}));
    let mut desk = Desk::with([
        plans(&json!({"title": "City", "steps": [
            {"tool": "ask_user", "do": "Ask which city is meant", "expect": "a city"},
            {"tool": "grep", "do": "Find the lines with that city", "expect": "counts"},
        ]})),
        asks(),
    ]);
    desk.run(&["ask", "--approve", "never-ask", "Count the lines about the city"]).ends(2);
    desk.serve([says("Berlin it is."), calls("grep", &json!({"pattern": "Berlin"})), says("Two lines.")]);
    desk.run(&["answer", &desk.requests().remove(0), "--option", "1"]).ends(0);
    desk.serve([asks()]);
    desk.run(&["plan", "retry", &desk.plan(), "s1"]).ends(2);
    let behind = desk.run(&["plan", "retry", &desk.plan(), "s2"]).ends(2);
    assert!(behind.err.contains("assent answer"), "{}", behind.shown());
}
