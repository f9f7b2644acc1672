//! A plan carried out once more, from a step on.

use assent_tests::replies::{calls, counting, says};
use serde_json::json;

use crate::desk::Desk;

#[test]
fn a_plan_is_carried_out_again_from_a_step_and_what_was_done_before_it_is_taken_over() {
    let (mut desk, plan) = Desk::planned(counting());
    desk.run(&["plan", "approve", &plan, "--later"]).ends(0);
    let early = desk.run(&["plan", "run", &plan, "--from", "s2"]).ends(1);
    let why = "assent: nothing of the plan was carried out yet, so it cannot go on from s2: run all of it\n";
    assert_eq!(early.err, why);
    desk.run(&["plan", "run", &plan]).ends(0);
    assert_eq!(desk.begun(), ["grep", "create_file"]);

    let again = json!({"path": "counts.md", "content": "a.txt: 2\n"});
    desk.serve([calls("create_file", &again), says("The numbers are in counts.md, anew.")]);
    let unknown = desk.run(&["plan", "run", &plan, "--from", "s9"]).ends(1);
    assert_eq!(unknown.err, "assent: there is no step s9 in the plan\n");
    let second = desk.run(&["plan", "run", &plan, "--from", "s2"]).ends(0);
    assert!(second.out.contains("The numbers are in counts.md, anew."), "{}", second.shown());
    assert_eq!(desk.begun(), ["grep", "create_file", "create_file"], "what was found is not searched for again");
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt: 2\n"));
    let events = desk.events();
    let carried: Vec<_> = events.iter().filter(|event| event.get("carriedFrom").is_some()).collect();
    assert_eq!((carried.len(), &carried[0]["step"]), (1, &json!("s1")));
    assert_eq!(events.iter().filter(|event| event["kind"] == "run_ended").count(), 2, "the earlier run stays");

    // From its first step on, everything is done anew.
    desk.serve(counting());
    desk.run(&["plan", "run", &plan, "--from", "s1"]).ends(0);
    assert_eq!(desk.begun().len(), 5);
}
