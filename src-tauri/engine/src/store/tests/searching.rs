//! Full-text search.

use assent_core::plan::Step;
use assent_core::run::RequestKind;

use super::*;
use crate::store::{HitKind, MOST_SEARCHED, Sessions as _};

fn kinds(store: &Store, text: &str) -> Vec<HitKind> {
    store.search(text, None, 20).unwrap().into_iter().map(|hit| hit.kind).collect()
}

#[test]
fn messages_answers_plans_calls_results_and_questions_are_found() {
    let folder = Folder::new();
    let store = folder.open();
    started(&store, "c", "r", 2);
    one(&store, place("c"), 20, message("Which licences mention patents?"));
    append(&store, events(whole_step("c", "r", 0, 21))).unwrap();
    one(&store, in_run("c", "r", Some(1)), 22, step_started(1));
    one(&store, in_run("c", "r", Some(1)), 23, asked("q", RequestKind::Question));
    one(&store, place("c"), 24, answered("Zwölf Zeilen erwähnen Patente."));

    let hits = store.search("mention licences pat", None, 20).unwrap();
    assert_eq!(hits.len(), 1);
    assert_eq!((hits[0].kind, hits[0].title.as_str(), hits[0].at), (HitKind::Message, "Licences", 20));
    assert_eq!(hits[0].snippet, "Which ⟦licences⟧ ⟦mention⟧ ⟦patents⟧?");
    assert_eq!(kinds(&store, "count file"), [HitKind::Plan]);
    assert_eq!(kinds(&store, "gpl 3"), [HitKind::Call]);
    assert_eq!(kinds(&store, "which fold"), [HitKind::Question]);
    assert_eq!(kinds(&store, "ZWOLF erwähnen"), [HitKind::Answer]);
    assert_eq!(kinds(&store, "licen"), [HitKind::Title, HitKind::Message]);
    // All words have to be there, and only the last is a beginning.
    assert_eq!(kinds(&store, "patents nowhere"), []);
    assert_eq!(kinds(&store, "pat mention"), []);
}

/// Everything that a plan holds and a person reads, each under a word of its own.
fn told_plan() -> Plan {
    let mut plan = plan("c", "p", 1, 2);
    plan.intent = "wantintent".to_owned();
    plan.refined_task = "wantrefined".to_owned();
    plan.extracted_context.insert("folder".to_owned(), json!({"path": "wantvalue"}));
    plan.instructions.insert("analyst".to_owned(), "wanttold".to_owned());
    plan.steps[1].expected_outcome = Some("wantoutcome".to_owned());
    plan.steps[1].instructions = Some("wantmetric units".to_owned());
    plan.steps[1].required_tools = vec!["wanttool".to_owned()];
    plan.steps[1].executor.id = "wantwho".to_owned();
    plan.steps[1].input.context.insert("depth".to_owned(), json!(["wantinput"]));
    plan
}

#[test]
fn everything_that_plans_tell_is_found_and_what_was_said_with_decisions_and_steps_that_were_handed_on() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    let plan = told_plan();
    append(&store, proposed("c", 2, &plan)).unwrap();
    for word in ["intent", "refined", "value", "told", "outcome", "metric", "input", "tool", "who"] {
        assert_eq!(kinds(&store, &format!("want{word}")), [HitKind::Plan], "{word}");
    }
    let note = Some("wantnote in euros".to_owned());
    one(
        &store,
        place("c"),
        3,
        EventKind::PlanApproved { plan: reference(&plan), by: Decider::User, note, starts: false },
    );
    assert_eq!(kinds(&store, "wantnote in euros"), [HitKind::Comment]);
    let (other, reason) = (super::plan("c", "q", 1, 1), Some("wantreason".to_owned()));
    append(&store, proposed("c", 4, &other)).unwrap();
    one(&store, place("c"), 5, EventKind::PlanRejected { plan: reference(&other), reason });
    assert_eq!(kinds(&store, "wantreason"), [HitKind::Comment]);

    started(&store, "d", "r", 1);
    one(&store, in_run("d", "r", Some(0)), 20, step_started(1));
    let mut part = Step::new("s0.1".into(), "wantpart");
    part.instructions = Some("wantinner".to_owned());
    let delegated = EventKind::StepDelegated {
        summary: "wantsummary".to_owned(),
        steps: vec![part],
        by: None,
        call: None,
        prompt: None,
        does: None,
    };
    one(&store, in_run("d", "r", Some(0)), 21, delegated);
    for word in ["part", "inner", "summary"] {
        assert_eq!(kinds(&store, &format!("want{word}")), [HitKind::Plan], "{word}");
    }
}

#[test]
fn a_history_that_was_indexed_before_all_of_that_was_searched_is_indexed_anew() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    append(&store, proposed("c", 2, &told_plan())).unwrap();
    one(&store, place("c"), 3, message("Which licences mention patents?"));
    assert_eq!(kinds(&store, "mention patents"), [HitKind::Message]);
    drop(store);
    // As it was left by a version that knew of messages only.
    let older = rusqlite::Connection::open(folder.home.database()).unwrap();
    older.execute_batch("DELETE FROM search WHERE rowid = 2; PRAGMA user_version = 12").unwrap();
    drop(older);
    let store = folder.open();
    assert_eq!(kinds(&store, "wantmetric"), [HitKind::Plan]);
    assert_eq!(kinds(&store, "mention patents"), [HitKind::Message]);
}

#[test]
fn what_is_written_later_is_found_too_and_the_limit_holds() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    for number in 0..30 {
        one(&store, place("c"), number, message(&format!("Needle number {number}")));
        assert_eq!(store.search("needle", None, 100).unwrap().len(), usize::try_from(number).unwrap() + 1);
    }
    let newest: Vec<i64> = store.search("needle", None, 3).unwrap().into_iter().map(|hit| hit.at).collect();
    assert_eq!(newest, [29, 28, 27]);
}

#[test]
fn within_a_session_all_of_it_is_looked_at_and_found_in_the_order_in_which_it_was_said() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("old"), 1, created("Patents"));
    one(&store, place("new"), 2, created("Patents too"));
    one(&store, place("old"), 3, message("Which licences mention patents?"));
    one(&store, place("old"), 4, answered("Two of them mention a patent."));
    let later = (0..1_000).map(|number| draft(place("new"), 5, message(&format!("Patents, number {number}"))));
    append(&store, events(later.collect())).unwrap();
    one(&store, place("old"), 6, message("Mention all patents"));
    one(&store, place("new"), 7, message("Patents at last"));

    let within = |id: &str, text: &str, limit| -> Vec<(HitKind, i64)> {
        let hits = store.search(text, Some(&SessionId::from(id)), limit).unwrap();
        hits.into_iter().map(|hit| (hit.kind, hit.at)).collect()
    };
    let [title, first, answer, last] =
        [(HitKind::Title, 1), (HitKind::Message, 3), (HitKind::Answer, 4), (HitKind::Message, 6)];
    assert_eq!(within("old", "patent", 20), [title, first, answer, last]);
    assert_eq!(within("old", "mention patents", 20), [first, last]);
    // Of too many the best are left: the name, what has the word itself, and the newest.
    assert_eq!(within("old", "patent", 3), [title, answer, last]);
    assert_eq!(within("new", "licences", 20), []);
    assert_eq!(within("gone", "patent", 20), []);
    assert_eq!(within("new", "patent", 2_000).len(), 1_002, "of its own, more than are ranked of all sessions");
}

#[test]
fn what_was_said_is_found_however_much_the_tools_of_a_later_run_gave() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("old"), 1, created("Chat"));
    one(&store, place("old"), 2, message("What does GPL 3 say of patents?"));
    started(&store, "c", "r", 2);
    let replies = (0..1_000).map(|call| replied(&format!("call-{call}")));
    let step = [step_started(1)].into_iter().chain(replies);
    let step = step.map(|kind| draft(in_run("c", "r", Some(0)), 20, kind)).collect();
    append(&store, events(step)).unwrap();
    assert_eq!(kinds(&store, "gpl 3")[..2], [HitKind::Message, HitKind::Call]);
    assert_eq!(store.search("gpl 3", None, 1_000_000).unwrap().len(), 1_001);
}

#[test]
fn long_texts_are_searched_to_their_end_and_endless_ones_to_a_bound() {
    let folder = Folder::new();
    let store = folder.open();
    started(&store, "c", "r", 2);
    let long = "hay ".repeat(20_000);
    let mut step = whole_step("c", "r", 0, 20);
    let EventKind::ModelReplied { calls, .. } = &mut step[1].kind else { panic!("a reply comes second") };
    calls[0].arguments = Content::inline(json!({"content": "straw ".repeat(MOST_SEARCHED / 6)}));
    let arguments = Content::inline(json!({"command": "count wantsecond"}));
    calls.push(PlannedCall { id: "second".into(), tool: "bash".into(), arguments });
    let (result, output) = blob(&format!("{long} wantoutput"));
    step[3].kind = call_ended("call-r-0", output);
    let EventKind::CallEnded { error, .. } = &mut step[3].kind else { panic!("the call ends") };
    *error = Some("wanterror".to_owned());
    append(&store, Batch { blobs: vec![result], ..events(step) }).unwrap();
    assert_eq!(kinds(&store, "count wantsecond"), [HitKind::Call]);
    for word in ["wantoutput", "wanterror hay"] {
        assert_eq!(kinds(&store, word), [HitKind::Result], "{word}");
    }
    let hit = store.search("wantoutput", None, 1).unwrap().remove(0);
    assert!(hit.snippet.starts_with("…") && hit.snippet.ends_with("hay ⟦wantoutput⟧"), "{}", hit.snippet);

    let (answer, text) = blob(&format!("wantbeginning {} wantend", "hay ".repeat(MOST_SEARCHED / 4)));
    append(&store, Batch { blobs: vec![answer], ..events(vec![draft(place("c"), 30, EventKind::Answered { text })]) })
        .unwrap();
    assert_eq!(kinds(&store, "wantbeginning"), [HitKind::Answer]);
    assert_eq!(kinds(&store, "wantend"), []);
}

#[test]
fn of_many_long_results_the_newest_are_read_to_be_ranked_and_of_older_ones_the_beginning_is_shown() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("old"), 1, created("Chat"));
    one(&store, place("old"), 2, message("Where is the blue needle?"));
    started(&store, "c", "r", 2);
    let hay = "hay ".repeat(MOST_SEARCHED / 5);
    let (apart, newer) = blob(&format!("{hay} needle, which is blue"));
    let (together, oldest) = blob(&format!("straw {hay} blue needle"));
    let calls = (0..12).flat_map(|number| {
        let (call, output) = (format!("call-{number}"), if number == 0 { &oldest } else { &newer });
        [replied(&call), call_started(&call), call_ended(&call, output.clone())]
    });
    let step = [step_started(1)].into_iter().chain(calls);
    let step = step.map(|kind| draft(in_run("c", "r", Some(0)), 20, kind)).collect();
    append(&store, Batch { blobs: vec![apart, together], ..events(step) }).unwrap();
    let hits = store.search("blue needle", None, 20).unwrap();
    assert_eq!((hits.len(), hits[0].kind), (13, HitKind::Message), "what was said is always read");
    assert!(hits[1].snippet.ends_with("hay ⟦needle⟧, which is ⟦blue⟧"), "{}", hits[1].snippet);
    // Read, it would be the best of them.
    assert!(hits[12].snippet.starts_with("straw hay"), "{}", hits[12].snippet);
}

#[test]
fn a_name_is_found_whether_its_accents_are_characters_of_their_own_or_not() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    one(&store, place("c"), 2, message("Read Re\u{301}sume\u{301}.pdf"));
    one(&store, place("c"), 3, message("Read résumé.txt"));
    for text in ["résumé", "re\u{301}sume\u{301}", "resume"] {
        let found: Vec<String> = store.search(text, None, 20).unwrap().into_iter().map(|hit| hit.snippet).collect();
        assert_eq!(found, ["Read ⟦résumé⟧.txt", "Read ⟦Re\u{301}sume\u{301}⟧.pdf"], "{text}");
    }
}

#[test]
fn no_text_of_a_person_is_taken_for_syntax() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    one(&store, place("c"), 2, message("a \"quoted\" NEAR miss — 50% * (x) OR -y AND text:z"));
    let hostile = [
        "\"",
        "\"\"",
        "'",
        "*",
        "-",
        "^",
        "(",
        ")",
        "{",
        "a\"",
        "NEAR(",
        "NEAR(quoted miss, 2)",
        "quoted NOT miss",
        "text:z",
        "-y",
        "a* b*",
        "50%",
        "OR",
        "AND AND",
        "\0",
        "\u{202e}",
        "ﬁ",
        "क्या",
        "Ⓐ",
        "a\u{301}",
        "⟦x⟧",
        ";--",
    ];
    for text in hostile {
        store.search(text, None, 10).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    }
    assert_eq!(kinds(&store, "quoted NOT miss"), []);
    assert_eq!(kinds(&store, "NEAR(quoted"), [HitKind::Message]);
    assert_eq!(kinds(&store, "-y"), [HitKind::Message]);
    assert_eq!(kinds(&store, ""), []);
    store.search(&"word ".repeat(10_000), None, 10).unwrap();
    store.search(&"x".repeat(1_000_000), None, 10).unwrap();
}
