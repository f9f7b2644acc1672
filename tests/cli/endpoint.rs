//! Endpoints that are not there, refuse, break or talk nonsense: what a person is told, and that nothing is lost.

use assent_tests::sse::{Answer, Part};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::desk::{ASSENT, Desk, KEY, Ran, all};
use crate::replies::{calls, plans, says};

fn hello() -> Answer {
    plans(&json!({"title": "A", "answer": "Hello."}))
}

fn error(status: u16, message: &str, code: &str) -> Answer {
    Answer::json(status, &json!({"error": {"message": message, "type": "error", "code": code}}))
}

/// Asks an endpoint that always gives this answer. The message is kept, the history opens, the session can go on.
fn check(answer: Answer, expected: &Expect) {
    let mut desk = Desk::with([answer]);
    let asked = desk.run(&["ask", "Hello"]);
    expected.assert_eq(&asked.shown());
    goes_on(&mut desk);
}

fn goes_on(desk: &mut Desk) {
    let events = desk.events();
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds[..4], ["session_created", "message_received", "session_renamed", "model_failed"]);
    assert_eq!(kinds.last(), Some(&"turn_ended"));
    let session = events[0]["session"].as_str().unwrap().to_owned();
    desk.serve([hello()]);
    assert_eq!(desk.run(&["ask", "--session", &session, "Once more"]).ends(0).out, "\nHello.\n\n");
}

#[test]
fn nobody_answers_at_the_address() {
    let mut desk = Desk::new();
    // No port that is given to whoever asks for any: a server of another test could have it meanwhile.
    desk.connect("http://127.0.0.1:9/v1");
    expect![[r#"
        exit 1
        --- err
        ✗ http://127.0.0.1:1/v1 cannot be reached: Connection refused (os error 111); check that it runs and that the address is right
    "#]].assert_eq(&desk.run(&["ask", "Hello"]).shown());
    goes_on(&mut desk);
}

#[test]
fn a_page_instead_of_a_reply() {
    let page = Answer::status(200, "<html>Welcome!</html>").header("content-type", "text/html");
    check(
        page,
        &expect![[r#"
            exit 1
            --- err
            ✗ http://127.0.0.1:1/v1 answered something that is no reply: it sends text/html; check that it is a model endpoint
        "#]],
    );
}

#[test]
fn a_page_that_is_not_found() {
    check(
        Answer::status(404, "<html>Not here</html>").header("content-type", "text/html"),
        &expect![[r#"
            exit 1
            --- err
            ✗ http://127.0.0.1:1/v1 answered something that is no reply: 404 Not Found: <html>Not here</html>; check that it is a model endpoint
        "#]],
    );
}

#[test]
fn json_that_is_cut_off() {
    check(
        Answer::events([r#"{"choices": [{"delta": {"content": "Hel"#]),
        &expect![[r#"
            exit 1
            --- err
            ✗ http://127.0.0.1:1/v1 answered something that is no reply: a piece is no JSON: {"choices": [{"delta": {"content": "Hel; check that it is a model endpoint
        "#]],
    );
}

#[test]
fn a_stream_that_breaks_off_each_time() {
    let half = r#"{"choices":[{"delta":{"content":"half"}}]}"#;
    check(
        Answer::events([half]).part(Part::Break),
        &expect![[r#"
            exit 1
            --- err
            ✗ http://127.0.0.1:1/v1 could not answer: the answer broke off: unexpected EOF during chunk size line; try again in a while
        "#]],
    );
}

#[test]
fn a_stream_that_breaks_off_once() {
    let half = Answer::events([r#"{"choices":[{"delta":{"content":"half"}}]}"#]).part(Part::Break);
    let desk = Desk::with([half, hello()]);
    assert_eq!(desk.run(&["ask", "Hello"]).ends(0).out, "\nHello.\n\n");
}

#[test]
fn a_model_that_is_not_there() {
    check(
        error(404, "model 'test' not found", "model_not_found"),
        &expect![[r#"
            exit 1
            --- err
            ✗ test cannot be used: http://127.0.0.1:1/v1 says: model 'test' not found; the settings and `assent model list` show what there is
        "#]],
    );
}

#[test]
fn an_endpoint_that_is_overloaded() {
    check(
        Answer::status(503, "upstream is down"),
        &expect![[r#"
            exit 1
            --- err
            ✗ http://127.0.0.1:1/v1 could not answer: upstream is down; try again in a while
        "#]],
    );
}

#[test]
fn an_endpoint_that_wants_an_hour() {
    check(
        error(429, "slow down", "rate_limit_exceeded").header("retry-after", "3600"),
        &expect![[r#"
            exit 1
            --- err
            ✗ http://127.0.0.1:1/v1 asks to slow down; try again in 60 minutes
        "#]],
    );
}

/// Every file below a folder whose bytes hold a text.
fn files_with(folder: &std::path::Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if std::fs::read(&path).unwrap().windows(text.len()).any(|window| window == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn a_refused_key_is_told_and_shown_nowhere() {
    let desk = Desk::with([error(401, &format!("Incorrect API key provided: {KEY}."), "invalid_api_key")]);
    let logged: Ran =
        desk.ran(desk.command(ASSENT).args(["ask", "Hello"]).env("ASSENT_LOG", "trace").output().unwrap());
    assert!(!logged.err.is_empty() && !logged.err.contains(KEY), "{}", logged.err);
    expect![[r#"
        exit 1
    "#]]
    .assert_eq(&Ran { err: String::new(), ..logged }.shown());
    let authorization = desk.asked()[0].header("authorization").map(str::to_owned);
    assert_eq!(authorization, Some(format!("Bearer {KEY}")));
    let json = desk.run(&["ask", "--json", "Hello"]).ends(1);
    assert!(!json.raw.contains(KEY) && !json.err.contains(KEY));
    let shown = all([desk.run(&["model", "list"]), desk.run(&["doctor"]), desk.run(&["model", "test"])]);
    assert!(!shown.contains(KEY), "{shown}");
    assert_eq!(files_with(&desk.home(), KEY), Vec::<String>::new());
    assert_eq!(files_with(&desk.user(), KEY), Vec::<String>::new());
}

#[test]
fn a_message_that_is_longer_than_the_model_can_take_is_told_after_a_second_try() {
    check(
        error(400, "too many tokens", "context_length_exceeded"),
        &expect![[r#"
            exit 1
            --- out
            ! the request is longer than test can take; it is shortened
            --- err
            ✗ the request is longer than test can take; start a new session or choose a larger model
        "#]],
    );
}

/// The length of what was asked, in the order of asking.
fn lengths(desk: &Desk) -> Vec<usize> {
    desk.asked().iter().map(|request| request.body["messages"].to_string().len()).collect()
}

#[test]
fn a_step_that_became_too_long_is_told_shorter_and_goes_on() {
    let too_long = error(400, "too many tokens", "context_length_exceeded");
    let desk = Desk::with([
        plans(&json!({"title": "Read", "steps": [{"tool": "read", "do": "Read long.txt", "expect": "its text"}]})),
        calls("read", &json!({"path": "long.txt"})),
        too_long,
        says("It is about ships."),
    ]);
    desk.write("long.txt", &"A line about ships.\n".repeat(500));
    expect![[r#"
        exit 0
        --- out
        Read ID1 v1  proposed

          1  s1   read  Read long.txt → its text

          may read long.txt   write nothing   run commands: no   network: no
          approved by your policy
        ● s1
            read {"path":"long.txt"}
            ✓ 0 ms
        ! the request is longer than test can take; it is shortened
        ✓ s1 completed

        It is about ships.

    "#]]
    .assert_eq(&desk.run(&["ask", "What is in long.txt?"]).shown());
    let asked = lengths(&desk);
    assert!(asked[3] < asked[2], "{asked:?}");
    let failed: Vec<Value> = desk.events().into_iter().filter(|event| event["kind"] == "model_failed").collect();
    assert_eq!(failed.iter().map(|event| &event["retrying"]).collect::<Vec<_>>(), [&json!(true)]);
}

#[test]
fn a_conversation_that_became_too_long_is_planned_with_its_end_alone() {
    let answer = |text: &str| plans(&json!({"title": "A", "answer": text}));
    let long = "The lighthouse is white. ".repeat(40);
    let desk = Desk::with([
        answer(&long),
        answer(&long),
        error(400, "too many tokens", "context_length_exceeded"),
        answer("Yes."),
    ]);
    let first = desk.run(&["ask", "--json", "What colour is the lighthouse?"]).ends(0).values();
    let session = first[0]["session"].as_str().unwrap();
    desk.run(&["ask", "--session", session, "Tell me more"]).ends(0);
    expect![[r#"
        exit 0
        --- out
        ! the request is longer than test can take; it is shortened

        Yes.

    "#]]
    .assert_eq(&desk.run(&["ask", "--session", session, "Really?"]).shown());
    let asked = lengths(&desk);
    assert!(asked[3] < asked[2], "{asked:?}");
    assert!(!desk.asked()[3].body.to_string().contains("What colour"), "only the end is left");
}
