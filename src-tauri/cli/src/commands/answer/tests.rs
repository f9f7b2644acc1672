//! What a typed line means.

use assent_core::run::{Answer, Choice, Input, InputKind, Reach, Request, RequestKind};
use serde_json::json;

use super::said;

fn request(kind: InputKind, options: &[&str]) -> Request {
    let option = |label: &&str| Choice { label: (*label).into(), consequence: None };
    let options = options.iter().map(option).collect();
    let input = Input { kind, options, allow_edit: false, allow_text: true };
    Request::new("r1".into(), RequestKind::Question, "Which one?", input)
}

#[test]
fn a_number_picks_an_option_and_other_text_is_taken_as_it_is() {
    let select = request(InputKind::Select, &["red", "blue"]);
    assert_eq!(said(&select, "2").unwrap(), Some(Answer::Value { value: json!("blue") }));
    assert_eq!(said(&select, "green").unwrap(), Some(Answer::Value { value: json!("green") }));
    assert!(said(&select, "3").is_err());
    assert_eq!(said(&select, "").unwrap(), None);
}

#[test]
fn a_decision_is_yes_or_no_with_words() {
    let decision = request(InputKind::Decision, &[]);
    let no = Answer::Reject { reason: Some("too much".into()) };
    assert_eq!(said(&decision, "n too much").unwrap(), Some(no));
    assert_eq!(
        said(&decision, "yes").unwrap(),
        Some(Answer::Approve { arguments: None, note: None, reach: Reach::Once })
    );
    assert!(said(&decision, "maybe").is_err());
    assert!(said(&decision, "r").is_err(), "only where the request may be allowed for longer");
    let permit = Request { reaches: vec![Reach::Run], ..decision };
    let whole = Answer::Approve { arguments: None, note: None, reach: Reach::Run };
    assert_eq!(said(&permit, "r").unwrap(), Some(whole));
}

fn value(value: serde_json::Value) -> Option<Answer> {
    Some(Answer::Value { value })
}

#[test]
fn yes_and_no_are_values_where_they_are_the_answer() {
    let boolean = request(InputKind::Boolean, &[]);
    for (line, meant) in [("y", true), ("Yes", true), ("n", false), ("no", false)] {
        assert_eq!(said(&boolean, line).unwrap(), value(json!(meant)), "{line}");
    }
    assert_eq!(said(&boolean, "perhaps").unwrap(), value(json!("perhaps")), "the engine refuses it");
}

#[test]
fn several_options_are_named_by_number_or_label() {
    let several = request(InputKind::Multiselect, &["red", "blue", "green"]);
    assert_eq!(said(&several, "1,3").unwrap(), value(json!(["red", "green"])));
    assert_eq!(said(&several, "green, RED, green").unwrap(), value(json!(["green", "red"])));
    assert_eq!(said(&several, "2").unwrap(), value(json!(["blue"])));
    assert!(said(&several, "1,4").is_err());
    assert!(said(&several, ",").is_err());
}

#[test]
fn a_number_is_a_number_and_other_words_are_for_the_engine_to_refuse() {
    let number = request(InputKind::Number, &[]);
    assert_eq!(said(&number, "12").unwrap(), value(json!(12)));
    assert_eq!(said(&number, "-1.5").unwrap(), value(json!(-1.5)));
    assert_eq!(said(&number, "twelve").unwrap(), value(json!("twelve")));
}

#[test]
fn labels_that_are_numbers_go_before_numbers_and_one_that_is_neither_tells_what_there_is() {
    for kind in [InputKind::Select, InputKind::Multiselect] {
        let asked = request(kind, &["3", "1", "2"]);
        let one = if kind == InputKind::Select { json!("1") } else { json!(["1"]) };
        assert_eq!(said(&asked, "1").unwrap(), value(one), "{kind:?}");
        let problem = said(&asked, "4").unwrap_err().to_string();
        assert_eq!(problem, "there are 3 options, and \"4\" is none of them: 3, 1, 2", "{kind:?}");
    }
    let colours = request(InputKind::Select, &["Red", "red", "blue"]);
    assert_eq!(said(&colours, "red").unwrap(), value(json!("red")));
    assert_eq!(said(&colours, "BLUE").unwrap(), value(json!("blue")));
    let problem = said(&colours, "0").unwrap_err().to_string();
    assert_eq!(problem, "there are 3 options, and \"0\" is none of them: 1 Red, 2 red, 3 blue");
    let places = request(InputKind::Multiselect, &["Paris, Texas", "Rome"]);
    assert_eq!(said(&places, "Paris, Texas").unwrap(), value(json!(["Paris, Texas"])));
    assert_eq!(said(&places, "1,2").unwrap(), value(json!(["Paris, Texas", "Rome"])));
}
