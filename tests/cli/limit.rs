//! A limit is put before a person, who goes on, ends the step, or goes on with another plan.

use assent_tests::replies::{MESSAGE, calls, count_and_write, says};
use expect_test::expect;
use serde_json::json;

use crate::desk::{Desk, all};

/// A desk on which a step has made the same call again and again, and never well, and the id of what is asked.
fn at_the_limit() -> (Desk, String) {
    let again = || calls("grep", &json!({"pattern": "(Berlin", "regex": true}));
    let desk = Desk::with([count_and_write(), again(), again(), again(), again()]);
    desk.run(&["ask", "--approve", "never-ask", MESSAGE]).ends(2);
    let request = desk.events().into_iter().find(|event| event["kind"] == "request_opened").unwrap();
    let id = request["request"]["id"].as_str().unwrap().to_owned();
    (desk, id)
}

#[test]
fn a_person_may_go_on_with_another_plan_where_a_step_goes_round_in_circles() {
    let (desk, id) = at_the_limit();
    let shown = desk.run(&["requests"]);
    let unfit = desk.run(&["answer", &id, "--text", "perhaps"]);
    let changed = desk.run(&["answer", &id, "--option", "3"]);
    expect![[r#"
        exit 0
        --- out
        ID2  session ID3
        ? Keep going? self s1
          Keep going with step s1?
          grep keeps being called with the same result.
          grep
            {
              "pattern": "(Berlin",
              "regex": true,
              "case_sensitive": false,
              "context_lines": 2,
              "max_results": 100,
              "files_only": false
            }
          1  keep going: The step goes on, with as much again.
          2  stop here: The step ends as failed, and the steps that build on it are left out.
          3  change the plan: The step ends. Another version of the plan takes over what is done.
          assent answer ID2 --option 1   (or 2, 3)

        exit 1
        --- err
        assent: the answer has to be one of: keep going, stop here, change the plan

        exit 0
        --- out
        – s1 cancelled: stopped at a limit, to go on with another plan
        – s2 skipped: step s1 was cancelled
        --- err
        change the plan with: assent plan edit ID1
    "#]]
    .assert_eq(&all([shown, unfit, changed]));
}

#[test]
fn a_plain_yes_keeps_going() {
    let (mut desk, id) = at_the_limit();
    desk.serve([
        calls("grep", &json!({"pattern": "Berlin"})),
        says("Two lines."),
        calls("create_file", &json!({"path": "counts.md", "content": "a.txt: 2\n"})),
        says("Written."),
    ]);
    desk.run(&["answer", &id, "--approve"]).ends(0);
    assert_eq!(desk.file("counts.md").as_deref(), Some("a.txt: 2\n"));
}
