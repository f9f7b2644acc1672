use std::sync::Arc;

use assent_core::plan::Plan;
use assent_core::run::{EventKind, Purpose};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::put::{put, structure};
use super::{Adapted, Adapting, Replaced, Slot, ValueKind, replaceable};
use crate::clock::FakeClock;
use crate::model::ModelError;
use crate::model::scripted::{Scripted, ScriptedModel};
use crate::planner::Planner;
use crate::prompt::Templates;

fn plan(message: &str, steps: &[&str]) -> Plan {
    let steps: Vec<Value> = steps
        .iter()
        .enumerate()
        .map(|(at, text)| json!({"id": format!("s{}", at + 1), "description": text, "requiredTools": ["grep"]}))
        .collect();
    let document = json!({
        "format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "s", "title": "T", "userMessage": message,
        "steps": steps,
    });
    serde_json::from_value(document).unwrap()
}

fn licences() -> Plan {
    plan(
        "Count the lines that mention \"patents\" in /usr/share/licences and write the table to patents.md",
        &["Find the lines with \"patent\" in /usr/share/licences", "Write the numbers to patents.md"],
    )
}

fn words(adapted: &Adapted) -> Vec<&str> {
    adapted.plan.steps.iter().map(|step| step.description.as_str()).collect()
}

fn pairs(adapted: &Adapted) -> Vec<(&str, &str)> {
    adapted.replaced.iter().map(|one| (one.from.as_str(), one.to.as_str())).collect()
}

/// What code can tell by itself.
fn alone(plan: &Plan, message: &str) -> (bool, Adapted) {
    let mut adapting = Adapting::of(plan, message);
    let needed = adapting.needs_model();
    if needed {
        adapting.without_model("none");
    }
    (needed, adapting.finish())
}

#[test]
fn values_of_a_kind_that_can_only_be_meant_take_their_places_without_a_model() {
    let message = "Count the lines that mention \"warranty\" in /usr/share/licences and write the table to warranty.md";
    let (needed, adapted) = alone(&licences(), message);
    assert!(!needed);
    assert_eq!(pairs(&adapted), [("patents.md", "warranty.md"), ("patents", "warranty")]);
    assert_eq!(
        words(&adapted),
        ["Find the lines with \"warranty\" in /usr/share/licences", "Write the numbers to warranty.md"]
    );
    assert_eq!(adapted.plan.user_message, message);
    assert_eq!(
        adapted.notes[0].message,
        "the saved plan with other values: patents.md → warranty.md, patents → warranty"
    );
}

#[test]
fn a_value_that_the_plan_did_not_take_from_its_message_stays() {
    let saved = plan("Sum up a.csv into b.md", &["Read a.csv into rows.tmp", "Write b.md with 2 decimals"]);
    let (_, adapted) = alone(&saved, "Sum up c.csv into d.md with 5 rows from x.tmp");
    assert_eq!(words(&adapted), ["Read c.csv into rows.tmp", "Write d.md with 2 decimals"]);
    assert_eq!(
        replaceable(&saved),
        [("a.csv", ValueKind::Path), ("b.md", ValueKind::Path)]
            .map(|(value, kind)| Slot { kind, value: value.to_owned() })
    );
}

#[test]
fn values_may_change_places_and_no_part_of_a_longer_one_is_touched() {
    let saved = plan("Compare a.txt with b.txt", &["Compare a.txt with b.txt, not aa.txt, a.txt.bak or old/a.txt."]);
    let swap = |from: &str, to: &str| Replaced { kind: ValueKind::Path, from: from.to_owned(), to: to.to_owned() };
    let adapted = put(&saved, &[swap("a.txt", "b.txt"), swap("b.txt", "a.txt")]);
    assert_eq!(adapted.steps[0].description, "Compare b.txt with a.txt, not aa.txt, a.txt.bak or old/a.txt.");
}

#[test]
fn contexts_and_numbers_in_them_are_adapted_as_what_they_are() {
    let mut saved = plan("Take the first 20 rows of https://a.test/x for AB-1", &["Fetch https://a.test/x"]);
    saved.extracted_context =
        json!({"url": "https://a.test/x", "rows": 20, "more": {"id": ["AB-1", true]}}).as_object().unwrap().clone();
    let (needed, adapted) = alone(&saved, "Take the first 50 rows of https://b.test/y?z=1 for CD-2");
    assert!(!needed);
    assert_eq!(
        Value::Object(adapted.plan.extracted_context.clone()),
        json!({"url": "https://b.test/y?z=1", "rows": 50, "more": {"id": ["CD-2", true]}})
    );
    assert_eq!(words(&adapted), ["Fetch https://b.test/y?z=1"]);
}

#[test]
fn an_order_is_no_value_and_a_name_is_one() {
    let saved = plan("Count the notes about Berlin", &["Count the notes about berlin", "Say what Berlin has"]);
    let (_, adapted) = alone(&saved, "List the notes about Paris");
    assert_eq!(words(&adapted), ["Count the notes about paris", "Say what Paris has"]);
    assert_eq!(pairs(&adapted), [("Berlin", "Paris")]);
}

#[test]
fn where_nobody_can_be_asked_values_at_the_same_places_are_taken_and_the_rest_is_told() {
    let saved = plan("Join x.csv and y.csv by customer", &["Join x.csv and y.csv by customer"]);
    let (needed, adapted) = alone(&saved, "Join one.csv, two.csv by supplier");
    assert!(needed);
    assert_eq!(words(&adapted), ["Join one.csv and two.csv by customer"]);
    assert_eq!(adapted.unasked, [Slot { kind: ValueKind::Word, value: "customer".to_owned() }]);
    let told: Vec<&str> = adapted.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "no model could be asked which values are others (none)",
            "the saved plan with other values: x.csv → one.csv, y.csv → two.csv",
            "a model is needed to tell whether these are others: customer",
        ]
    );
}

async fn asked(saved: &Plan, message: &str, reply: Scripted) -> (Adapted, Arc<ScriptedModel>) {
    let model = Arc::new(ScriptedModel::default().with(Purpose::Plan, reply));
    let planner = Planner::new(Arc::new(Templates::shipped().unwrap()), Arc::new(FakeClock::at(0)));
    let mut adapting = Adapting::of(saved, message);
    assert!(adapting.needs_model());
    let trace = planner.ask_values(model.as_ref(), &mut adapting, &CancellationToken::new()).await.unwrap();
    assert_eq!(trace.calls, 1);
    let recorded = |event: &EventKind| matches!(event, EventKind::ModelReplied { .. } | EventKind::ModelFailed { .. });
    assert!(trace.events.iter().all(recorded) && trace.events.len() == 1);
    (adapting.finish(), model)
}

fn joined() -> Plan {
    plan("Join x.csv and y.csv by customer", &["Join x.csv and y.csv by customer into one"])
}

#[tokio::test]
async fn a_model_chooses_among_the_values_of_the_message_and_nothing_else_changes() {
    let reply = Scripted::text(json!({"v1": "two.csv", "v2": "one.csv", "v3": "supplier"}).to_string());
    let (adapted, model) = asked(&joined(), "Join one.csv, two.csv by supplier", reply).await;
    assert_eq!(words(&adapted), ["Join two.csv and one.csv by supplier into one"]);
    assert_eq!(structure(&adapted.plan), structure(&joined()));

    let request = &model.requests()[0];
    let crate::model::OutputFormat::Json { schema, .. } = &request.output else { panic!("{:?}", request.output) };
    assert_eq!(
        schema["properties"],
        json!({
            "v1": {"enum": ["x.csv", "one.csv", "two.csv"]},
            "v2": {"enum": ["y.csv", "one.csv", "two.csv"]},
            "v3": {"enum": ["customer", "supplier"]},
        })
    );
    assert!(request.max_tokens <= 200 && request.tools.is_empty());
}

#[tokio::test]
async fn what_a_model_makes_up_is_not_put_in() {
    for (reply, expected) in [
        // A value that the message does not say, one that is missing, one that is no text, further fields.
        (r#"{"v1": "secret.csv", "v2": "one.csv", "steps": []}"#, "Join x.csv and one.csv by customer into one"),
        (r#"{"v1": ["one.csv"], "v2": "../one.csv", "v3": "run rm -rf"}"#, "Join x.csv and y.csv by customer into one"),
        // A part of a value of the message is none.
        (r#"{"v1": "one", "v2": "csv", "v3": "supp"}"#, "Join x.csv and y.csv by customer into one"),
        ("I would rather write a poem", "Join one.csv and two.csv by customer into one"),
        ("{\"v1\":", "Join one.csv and two.csv by customer into one"),
    ] {
        let (adapted, _) = asked(&joined(), "Join one.csv, two.csv by supplier", Scripted::text(reply)).await;
        assert_eq!(words(&adapted), [expected], "{reply}");
        assert_eq!(structure(&adapted.plan), structure(&joined()), "{reply}");
    }
    let failed =
        Scripted::failure(ModelError::Offline { endpoint: "there".to_owned(), reason: "no network".to_owned() });
    let (adapted, _) = asked(&joined(), "Join one.csv, two.csv by supplier", failed).await;
    assert_eq!(words(&adapted), ["Join one.csv and two.csv by customer into one"]);
    assert!(adapted.notes[0].message.contains("no model could be asked"), "{:?}", adapted.notes);
}

#[test]
fn of_very_many_values_some_are_asked_about_and_the_others_stay_and_are_named() {
    let files = |letter: char| -> String {
        let names: Vec<String> = (0..30).map(|at| format!("{letter}{at}.csv")).collect();
        names.join(" ")
    };
    let saved = plan(&format!("Join {}", files('a')), &[&format!("Join {}", files('a'))]);
    let message = format!("Join {} new.csv", files('b'));
    let adapting = Adapting::of(&saved, &message);
    assert!(adapting.open.len() == 12 && adapting.open.iter().all(|open| open.offered.len() <= 12));
    let adapted = adapting.finish();
    assert!(adapted.notes[0].message.ends_with("a28.csv, a29.csv"), "{:?}", adapted.notes);
    assert_eq!(structure(&adapted.plan), structure(&saved));
}

#[test]
fn a_message_that_forbids_changes_forbids_them_in_the_adapted_plan_too() {
    let (_, adapted) = alone(&licences(), "Count the lines that mention \"warranty\". Do not change any files.");
    assert!(adapted.plan.read_only && !licences().read_only);
}

proptest! {
    // Whatever messages say, only values change, and every value that is put in stands in the message.
    #[test]
    fn no_message_changes_the_structure_and_all_that_is_put_in_is_said(
        before in "[a-zA-Z0-9 ./\"'`:é-]{0,80}",
        step in "[a-zA-Z0-9 ./\"'`:é-]{0,80}",
        message in "[a-zA-Z0-9 ./\"'`:é-]{0,80}",
    ) {
        let saved = plan(&before, &[&step, &before]);
        let (_, adapted) = alone(&saved, &message);
        prop_assert_eq!(structure(&adapted.plan), structure(&saved));
        for one in &adapted.replaced {
            prop_assert!(message.contains(&one.to), "{:?}", one);
        }
    }
}
