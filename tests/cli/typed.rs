//! Answers of a type: yes or no, a number, one or several of some options, a day, a path. Each can be given from another
//! terminal, in the chat and where it is asked, and what does not fit is refused with what would.

use assent_core::run::{Answer, EventKind};
use assent_engine::store::{ListFilter, Requests as _, Sessions as _};
use expect_test::expect;
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::replies::{calls, plans, says};

/// A desk whose model asks such a question whatever it is to do.
fn asking(question: &Value) -> Desk {
    let mut desk = Desk::new();
    let question = question.clone();
    desk.serve_by(move |request| {
        if request.body.get("response_format").is_some() {
            let steps = json!([{"tool": "ask_user", "do": "Ask what is meant", "expect": "an answer"}]);
            return plans(&json!({"title": "Ask", "steps": steps}));
        }
        let messages = request.body["messages"].as_array().unwrap();
        let is_answered = messages.last().is_some_and(|last| last["role"] == "tool");
        if is_answered { says("Understood.") } else { calls("ask_user", &question) }
    });
    desk
}

/// A desk of its own on which the question waits.
fn asked(desk: &Desk) -> (Desk, String) {
    let desk = desk.twin();
    desk.run(&["ask", "--approve", "never-ask", "Do it"]).ends(2);
    let request = desk.store().open_requests().unwrap().remove(0).request.id.to_string();
    (desk, request)
}

/// The values that were taken as answers.
fn answered(desk: &Desk) -> Vec<Value> {
    let store = desk.store();
    let session = store.sessions(&ListFilter::default()).unwrap().remove(0);
    let events = store.session_events(&session.id, 0).unwrap();
    let answers = events.into_iter().filter_map(|event| match event.kind {
        EventKind::RequestAnswered { answer: Answer::Value { value }, .. } => Some(value),
        _ => None,
    });
    answers.collect()
}

/// A question, what fits it as it is typed with what is then taken, and what does not with what is then said.
type Case = (Value, Vec<(&'static [&'static str], Value)>, Vec<(&'static [&'static str], &'static str)>);

fn cases() -> Vec<Case> {
    let colours = json!(["red", "blue", "green"]);
    vec![
        (
            json!({"question": "Sure?", "type": "yes_no"}),
            vec![
                (&["--approve"], json!(true)),
                (&["--reject"], json!(false)),
                (&["--text", "yes"], json!(true)),
                (&["--text", "n"], json!(false)),
            ],
            vec![
                (&["--text", "perhaps"], "the answer has to be yes or no"),
                (&["--option", "1"], "there are no options"),
                (&["--reject", "--reason", "later"], "leave --reason out"),
                (&["--arguments", "{}"], "the answer has to be yes or no"),
            ],
        ),
        (
            json!({"question": "How many?", "type": "number"}),
            vec![(&["--text", "12"], json!(12)), (&["--text", "-1.5"], json!(-1.5))],
            vec![
                (&["--text", "twelve"], "the answer has to be a number"),
                (&["--text", "true"], "the answer has to be a number"),
                (&["--approve"], "the answer has to be a number"),
            ],
        ),
        (
            json!({"question": "Which?", "type": "choice", "options": colours}),
            vec![
                (&["--option", "2"], json!("blue")),
                (&["--option", "Green"], json!("green")),
                (&["--text", "the pale one"], json!("the pale one")),
            ],
            vec![
                (&["--option", "4"], "there are 3 options"),
                (&["--option", "1", "--option", "2"], "only one option"),
                (&["--text", " "], "the answer has to be one of: red, blue, green"),
            ],
        ),
        (
            json!({"question": "Which?", "type": "choices", "options": colours}),
            vec![
                (&["--option", "1", "--option", "3"], json!(["red", "green"])),
                (&["--option", "green", "--option", "1", "--option", "GREEN"], json!(["green", "red"])),
                (&["--text", "1,3"], json!(["red", "green"])),
                (&["--text", "blue"], json!(["blue"])),
            ],
            vec![
                (&["--option", "1", "--option", "4"], "there are 3 options"),
                (&["--text", "1,yellow"], "the answer has to be one or more of: red, blue, green"),
                (&["--text", ""], "the answer has to be one or more of: red, blue, green"),
                (&["--approve"], "the answer has to be one or more of: red, blue, green"),
            ],
        ),
        (
            json!({"question": "When?", "type": "date"}),
            vec![(&["--text", "2026-03-31"], json!("2026-03-31"))],
            vec![
                (&["--text", "2026-02-30"], "the answer has to be a day as YYYY-MM-DD"),
                (&["--text", "tomorrow"], "the answer has to be a day as YYYY-MM-DD"),
            ],
        ),
        (
            json!({"question": "Which file?", "type": "file"}),
            vec![(&["--text", "a.txt"], json!("a.txt")), (&["--text", "."], json!("."))],
            vec![
                (&["--text", "/etc/passwd"], "path outside workspace: /etc/passwd"),
                (&["--text", "../data"], "path outside workspace: ../data"),
                (&["--text", "out/passwd"], "path outside workspace: out/passwd"),
                (&["--text", "missing.txt"], "not found: missing.txt"),
                (&["--text", ""], "the answer has to be a path inside the workspace"),
            ],
        ),
    ]
}

#[test]
#[cfg(unix)]
fn an_answer_of_its_type_is_taken_from_another_terminal_and_any_other_refused_with_what_would_fit() {
    for (question, good, bad) in cases() {
        let base = asking(&question);
        let (desk, request) = asked(&base);
        std::os::unix::fs::symlink("/etc", desk.workspace().join("out")).unwrap();
        for (words, said) in bad {
            let refused = desk.run(&[&["answer", request.as_str()], words].concat());
            assert!(refused.err.contains(said), "{question} {words:?}: {}", refused.shown());
            assert_ne!(refused.code, Some(0), "{question} {words:?}");
        }
        assert_eq!(desk.store().open_requests().unwrap().len(), 1, "{question}: it still waits");
        for (words, value) in good {
            let (desk, request) = asked(&base);
            let ran = desk.run(&[&["answer", request.as_str()], words].concat()).ends(0);
            assert!(ran.out.contains("Understood."), "{question} {words:?}: {}", ran.shown());
            assert_eq!(answered(&desk), [value], "{question} {words:?}");
        }
    }
}

#[test]
fn the_card_says_how_each_type_is_answered() {
    let ways = cases().into_iter().map(|(question, _, _)| {
        let (desk, _) = asked(&asking(&question));
        let listed = desk.run(&["requests"]).ends(0).out;
        format!("{}: {}\n", question["type"].as_str().unwrap(), listed.lines().last().unwrap().trim())
    });
    expect![[r#"
        yes_no: assent answer ID2 --approve   (or --reject)
        number: assent answer ID2 --text 12   (a number)
        choice: assent answer ID2 --option 1   (or 2, 3)
        choices: assent answer ID2 --option 1   (--option again for each further one)
        date: assent answer ID2 --text 2026-03-31   (a day)
        file: assent answer ID2 --text notes.md   (a path inside the workspace)
    "#]]
    .assert_eq(&ways.collect::<String>());
}

#[test]
fn options_whose_labels_are_numbers_are_named_by_them_and_the_card_says_so() {
    let base = asking(&json!({"question": "How many?", "type": "choice", "options": ["10", "1", "it's open"]}));
    let (desk, request) = asked(&base);
    let listed = desk.run(&["requests"]).ends(0).out;
    let card: Vec<&str> = listed.lines().skip(2).map(str::trim).collect();
    assert_eq!(card, ["How many?", "-  10", "2  1", "3  it's open", "assent answer ID2 --option 10   (or 2, 3)"]);
    let none = desk.run(&["answer", &request, "--option", "4"]).ends(1).err;
    assert!(none.contains(r#"there are 3 options, and "4" is none of them: 10, 2 1, 3 it's open"#), "{none}");
    for (named, value) in [("10", "10"), ("1", "1"), ("2", "1"), ("3", "it's open"), ("IT'S OPEN", "it's open")] {
        let (desk, request) = asked(&base);
        desk.run(&["answer", &request, "--option", named]).ends(0);
        assert_eq!(answered(&desk), [json!(value)], "{named}");
    }
    let chat = base.run_with(&["chat", "--approve", "never-ask"], "Do it\n1\n").ends(0);
    assert_eq!(answered(&base), [json!("1")], "{}", chat.shown());
}

#[test]
fn in_the_chat_an_answer_of_its_type_is_typed_as_the_next_message() {
    let typed = [
        ("yes_no", "Yes", json!(true)),
        ("number", "12", json!(12)),
        ("choices", "1, green", json!(["red", "green"])),
        ("date", "2026-03-31", json!("2026-03-31")),
    ];
    for (kind, line, value) in typed {
        let mut question = json!({"question": "Well?", "type": kind});
        if kind == "choices" {
            question["options"] = json!(["red", "blue", "green"]);
        }
        let desk = asking(&question);
        let ran = desk.run_with(&["chat", "--approve", "never-ask"], format!("Do it\n{line}\n")).ends(0);
        assert!(ran.out.contains("Understood."), "{kind}: {}", ran.shown());
        assert_eq!(answered(&desk), [value], "{kind}");
    }
}

#[test]
fn in_the_chat_what_does_not_fit_is_refused_and_the_question_stays() {
    let desk = asking(&json!({"question": "Which file?", "type": "file"}));
    let lines = "Do it\n/answer ../data\n/answer a.txt\n";
    let ran = desk.run_with(&["chat", "--approve", "never-ask"], lines).ends(0);
    assert!(ran.err.contains("the answer has to be a path inside the workspace"), "{}", ran.shown());
    assert_eq!(answered(&desk), [json!("a.txt")]);
    let desk = asking(&json!({"question": "Sure?", "type": "yes_no"}));
    let ran = desk.run_with(&["chat", "--approve", "never-ask"], "Do it\n/answer perhaps\n/reject\n").ends(0);
    assert!(ran.err.contains("the answer has to be yes or no"), "{}", ran.shown());
    assert_eq!(answered(&desk), [json!(false)]);
}

#[test]
#[cfg(target_os = "linux")]
fn at_a_terminal_an_answer_of_its_type_is_asked_for_until_it_fits() {
    let options = json!(["red", "blue", "green"]);
    let desk = asking(&json!({"question": "Which?", "type": "choices", "options": options}));
    let written = crate::terminal::typed(&desk, "ask --color never --approve never-ask 'Do it'", "7\n1,3\n");
    let seen = crate::terminal::seen(&written);
    assert!(seen.contains("[numbers with commas between"), "{seen}");
    assert!(seen.contains("there are 3 options"), "{seen}");
    assert_eq!(answered(&desk), [json!(["red", "green"])]);
}
