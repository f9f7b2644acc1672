//! A person's own calls of tools: what they give where they fail, and how they go on after they have waited.

use assent_engine::tool::sandbox;
use assent_tests::needs::missing;
use expect_test::expect;

use crate::desk::{Desk, all};

#[test]
fn a_command_that_fails_shows_its_exit_code_and_what_it_complained_of() {
    if let Err(why) = sandbox::available() {
        return missing(format!("commands cannot be shut in here: {why}"));
    }
    let desk = Desk::with([]);
    let long = r#"{"command": "seq 1 100; echo no such thing >&2; exit 3"}"#;
    let call = desk.run(&["tools", "call", "bash", long]);
    let session = desk.run(&["sessions", "--json"]).ends(0).values()[0]["id"].as_str().unwrap().to_owned();
    for shown in [call.shown(), desk.run(&["sessions", "show", &session]).shown()] {
        assert!(shown.contains("✗ exit code 3\n"), "{shown}");
        assert!(shown.contains("      no such thing\n      1\n"), "{shown}");
        assert!(shown.contains("more lines\n") && shown.contains("\n      100\n"), "{shown}");
        assert!(!shown.contains("\n      50\n"), "{shown}");
    }
    let named = desk.run(&["sessions"]).shown();
    assert!(named.contains("bash {\"command\":\"seq 1 100;"), "{named}");
}

#[test]
fn a_call_that_waited_for_a_person_is_over_with_the_answer_and_no_model_is_asked() {
    let desk = Desk::with([]);
    desk.run(&["tools", "call", "ask_user", r#"{"question": "Which city?"}"#]).ends(2);
    let request = desk.run(&["requests", "--json"]).ends(0).values()[0]["request"]["id"].as_str().unwrap().to_owned();
    expect![[r#"
        exit 0
        --- out
            ✓ Berlin
        ✓ s1 completed

        Berlin

    "#]]
    .assert_eq(&all([desk.run(&["answer", &request, "--text", "Berlin"])]));
    assert_eq!(desk.asked().len(), 0, "no model is asked");
}
