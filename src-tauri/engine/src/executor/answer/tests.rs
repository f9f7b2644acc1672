//! What fits which question, and what a typed word says.

use assent_core::run::{Answer, Choice, Input, InputKind, Reach, Request, RequestKind};
use serde_json::{Value, json};

use super::{Unfitting, fits, literal, option_named};

fn request(kind: InputKind, options: &[&str]) -> Request {
    let option = |label: &&str| Choice { label: (*label).into(), consequence: None };
    let options = options.iter().map(option).collect();
    let input = Input { kind, options, allow_edit: false, allow_text: false };
    Request::new("r1".into(), RequestKind::Question, "Which?", input)
}

/// Every kind, with what fits and what does not, and what is said then.
fn table() -> Vec<(Request, Vec<Value>, Vec<Value>, &'static str)> {
    let colours = ["red", "blue", "green"];
    vec![
        (request(InputKind::Decision, &[]), vec![], vec![json!(true), json!("yes")], "approve or reject"),
        (
            request(InputKind::Boolean, &[]),
            vec![json!(true), json!(false)],
            vec![json!("yes"), json!(1), json!(null), json!([true])],
            "yes or no",
        ),
        (
            request(InputKind::Text, &[]),
            vec![json!("a"), json!(" a ")],
            vec![json!(""), json!(" \n"), json!(3)],
            "a text",
        ),
        (
            request(InputKind::Number, &[]),
            vec![json!(0), json!(-1.5), json!(12)],
            vec![json!("12"), json!(""), json!(null), json!([1])],
            "a number",
        ),
        (
            request(InputKind::Select, &colours),
            vec![json!("red"), json!("green")],
            vec![json!("Red"), json!("yellow"), json!(1), json!(["red"]), json!("")],
            "one of: red, blue, green",
        ),
        (
            request(InputKind::Multiselect, &colours),
            vec![json!(["red"]), json!(["green", "red"])],
            vec![json!([]), json!(["red", "red"]), json!(["yellow"]), json!("red"), json!([1]), json!(null)],
            "one or more of: red, blue, green",
        ),
        (
            request(InputKind::Date, &[]),
            vec![json!("2026-03-31"), json!(" 2024-02-29 ")],
            vec![
                json!("2026-02-29"),
                json!("2026-13-01"),
                json!("2026-00-10"),
                json!("2026-+1-01"),
                json!("31.3.2026"),
                json!("2026-3-31"),
                json!("2026-03-31T10:00"),
                json!(20260331),
            ],
            "a day as YYYY-MM-DD",
        ),
        (
            request(InputKind::File, &[]),
            vec![json!("notes.md"), json!("a/b")],
            vec![json!(""), json!(" "), json!(3), json!(["a"])],
            "a path inside the workspace",
        ),
    ]
}

#[test]
fn an_answer_is_of_the_type_that_was_asked_for_or_refused_with_what_would_fit() {
    for (request, good, bad, expected) in table() {
        let kind = request.input.kind;
        for value in good {
            assert_eq!(fits(&request, &Answer::Value { value: value.clone() }), Ok(()), "{kind:?} {value}");
        }
        for value in bad {
            let refused = fits(&request, &Answer::Value { value: value.clone() }).unwrap_err().to_string();
            assert!(refused.ends_with(expected), "{kind:?} {value}: {refused}");
        }
        assert_eq!(fits(&request, &Answer::Reject { reason: None }), Ok(()), "anybody may refuse");
        let approved = fits(&request, &Answer::Approve { arguments: None, note: None, reach: Reach::Once });
        assert_eq!(approved.is_ok(), kind == InputKind::Decision, "{kind:?}");
    }
}

#[test]
fn free_text_fits_beside_options_only_where_it_is_allowed() {
    let mut select = request(InputKind::Select, &["red"]);
    let other = Answer::Value { value: json!("another") };
    assert_eq!(fits(&select, &other), Err(Unfitting::Option("red".into())));
    select.input.allow_text = true;
    assert_eq!(fits(&select, &other), Ok(()));
    assert!(fits(&select, &Answer::Value { value: json!(" ") }).is_err());
}

#[test]
fn a_typed_word_says_what_it_can_only_mean() {
    let colours = ["red", "blue", "12"];
    let cases = [
        (request(InputKind::Boolean, &[]), "Y", Some(json!(true))),
        (request(InputKind::Boolean, &[]), " no ", Some(json!(false))),
        (request(InputKind::Boolean, &[]), "perhaps", None),
        (request(InputKind::Number, &[]), "12.5", Some(json!(12.5))),
        (request(InputKind::Number, &[]), "twelve", None),
        (request(InputKind::Number, &[]), "true", None),
        (request(InputKind::Date, &[]), "2026-03-31", Some(json!("2026-03-31"))),
        (request(InputKind::Date, &[]), "tomorrow", None),
        (request(InputKind::Select, &colours), "BLUE", Some(json!("blue"))),
        (request(InputKind::Select, &colours), "2", Some(json!("blue"))),
        (request(InputKind::Select, &colours), "12", Some(json!("12"))),
        (request(InputKind::Select, &colours), "4", None),
        (request(InputKind::Multiselect, &colours), "1, blue", Some(json!(["red", "blue"]))),
        (request(InputKind::Multiselect, &colours), "1,1", None),
        (request(InputKind::Multiselect, &colours), "1,x", None),
        (request(InputKind::Multiselect, &colours), "", None),
        (request(InputKind::File, &[]), "notes.md", None),
        (request(InputKind::Text, &[]), "anything", None),
        (request(InputKind::Decision, &[]), "yes", None),
    ];
    for (request, text, meant) in cases {
        assert_eq!(literal(&request, text), meant, "{:?} {text}", request.input.kind);
    }
}

#[test]
fn an_option_is_named_by_its_label_then_by_that_in_another_case_then_by_its_number() {
    let numbers = ["3", "1", "2"];
    let cases = ["Red", "red", "Blau", "ÄPFEL"];
    let table: [(&[&str], &str, Option<&str>); 14] = [
        (&numbers, "1", Some("1")),
        (&numbers, " 3 ", Some("3")),
        (&numbers, "4", None),
        (&["5", "10", "x"], "3", Some("x")),
        (&["5", "10", "x"], "10", Some("10")),
        (&cases, "red", Some("red")),
        (&cases, "Red", Some("Red")),
        (&cases, "RED", None),
        (&cases, "bLAU", Some("Blau")),
        (&cases, "äpfel", Some("ÄPFEL")),
        (&cases, "2", Some("red")),
        (&cases, "0", None),
        (&cases, "5", None),
        (&[], "1", None),
    ];
    for (labels, typed, named) in table {
        let asked = request(InputKind::Select, labels);
        let found = option_named(&asked.input.options, typed).map(|option| option.label.as_str());
        assert_eq!(found, named, "{labels:?} {typed:?}");
        assert_eq!(literal(&asked, typed), named.map(|label| json!(label)), "{labels:?} {typed:?}");
    }
    let several = request(InputKind::Multiselect, &numbers);
    assert_eq!(literal(&several, "1,3"), Some(json!(["1", "3"])), "labels, although both are numbers of others");
    let places = request(InputKind::Multiselect, &["Berlin, Germany", "Paris, Texas", "Rome"]);
    assert_eq!(literal(&places, "paris, texas"), Some(json!(["Paris, Texas"])));
    assert_eq!(literal(&places, "1, Rome"), Some(json!(["Berlin, Germany", "Rome"])));
    assert_eq!(literal(&places, "Berlin, Rome"), None);
}

#[test]
fn no_is_no_answer_to_what_became_of_a_call() {
    let asked =
        Request { kind: RequestKind::UnknownOutcome, ..request(InputKind::Select, &["done", "run again", "skip"]) };
    let no = Answer::Reject { reason: Some("it was not done".to_owned()) };
    let refused = fits(&asked, &no).unwrap_err();
    assert_eq!(refused.to_string(), "the answer has to be one of: done, run again, skip");
    assert_eq!(fits(&asked, &Answer::Value { value: json!("run again") }), Ok(()));
}
