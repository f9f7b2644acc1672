//! Plans that a person keeps: saved from a chat, offered for a message that resembles an old one, proposed anew as they are
//! or with the message's values; nothing of them runs before its approval.

use std::time::{Duration, Instant};

use assent_core::ids::{SessionId, StepId};
use assent_core::plan::{Plan, PlanRef, Step, diff};
use assent_core::run::{Decider, EventKind, Purpose};
use assent_engine::library::{LibraryError, Proposal, SaveAs, Wanted};
use assent_engine::model::ModelError;
use assent_engine::model::scripted::Scripted;
use assent_engine::turn::{ApprovalPolicy, TurnEnd, TurnError};
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const BERLIN: &str = "How many lines mention \"berlin\"? Write the numbers to counts.md.";
const PARIS: &str = "How many lines mention \"paris\"? Write the numbers to paris.md.";

fn named(name: &str) -> SaveAs {
    SaveAs { name: Some(name.to_owned()), ..SaveAs::default() }
}

fn into<'a>(session: &'a SessionId, message: Option<&'a str>) -> Proposal<'a> {
    Proposal { session, message, policy: None }
}

/// A plan that was made for a message in a chat.
async fn planned(desk: &Desk, message: &str, steps: Value) -> (SessionId, Plan) {
    desk.plans(&json!({"title": "Count the lines", "steps": steps}));
    let session = desk.session().await;
    let end = desk.send(&session, message, ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    let plan = desk.engine.plans().get(plan.id.as_str(), None).unwrap();
    (session, plan)
}

fn counting() -> Value {
    json!([
        {"tool": "grep", "do": "Find the lines with \"berlin\" in all notes", "expect": "lines"},
        {"tool": "create_file", "do": "Write counts.md with the numbers", "expect": "counts.md"},
    ])
}

fn waiting(desk: &Desk, end: TurnEnd) -> (PlanRef, Plan) {
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    let document = desk.engine.plans().get(plan.id.as_str(), Some(plan.version)).unwrap();
    (plan, document)
}

fn descriptions(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.description.as_str()).collect()
}

fn warned(desk: &Desk, session: &SessionId) -> Vec<String> {
    let events = desk.events(session).into_iter();
    events
        .filter_map(|event| match event.kind {
            EventKind::Warned { message } => Some(message),
            _ => None,
        })
        .collect()
}

fn model_calls(desk: &Desk) -> usize {
    desk.model.requests().len()
}

#[tokio::test]
async fn a_saved_plan_outlives_its_chat_and_runs_again_once_it_is_approved() {
    let desk = Desk::with(&[("a.txt", "berlin\nberlin\n")]);
    let (session, plan) = planned(&desk, BERLIN, counting()).await;
    let saved = desk.engine.library().save(plan.clone(), SaveAs::default()).unwrap();
    assert_eq!((saved.name.as_str(), saved.message.as_str(), saved.steps), ("Count the lines", BERLIN, 2));
    desk.engine.sessions().delete(&session).await.unwrap();

    let other = desk.reopened();
    let chat = other.session().await;
    let cancel = CancellationToken::new();
    let end = other.engine.library().reuse("count the lines", into(&chat, None), &cancel).await.unwrap();
    let (reference, again) = waiting(&other, end);
    assert!(again.id != plan.id && again.session_id == chat && again.version == 1);
    assert!(diff(&plan, &again).changed.is_empty() && descriptions(&again) == descriptions(&plan));
    assert_eq!((model_calls(&other), again.user_message.as_str()), (0, BERLIN));
    assert!(other.engine.runs().list(&chat).unwrap().is_empty(), "nothing runs before its approval");
    assert!(other.engine.turns().run(&reference, &cancel).await.is_err());

    other.calls("grep", json!({"pattern": "berlin"}));
    other.says("Two lines.");
    other.calls("create_file", json!({"path": "counts.md", "content": "a.txt 2\n"}));
    other.says("Written.");
    let end = other.engine.turns().approve(&reference, Decider::User, None, &cancel).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(other.file("counts.md").as_deref(), Some("a.txt 2\n"));
    let row = other.engine.library().get("Count the lines").unwrap().row;
    assert_eq!((row.uses, row.used_at.is_some()), (1, true));
}

#[tokio::test]
async fn a_message_that_resembles_an_old_one_is_offered_its_plan_and_others_are_not() {
    let desk = Desk::with(&[]);
    let (_, plan) = planned(&desk, BERLIN, counting()).await;
    let library = desk.engine.library();
    assert!(library.suggest(PARIS).unwrap().is_empty(), "nothing is saved");
    library.save(plan, named("Lines")).unwrap();
    let before = model_calls(&desk);
    let names = |message: &str| -> Vec<String> {
        library.suggest(message).unwrap().into_iter().map(|one| one.saved.name).collect()
    };
    for message in [PARIS, BERLIN, "How many lines of my notes mention London? Numbers to l.md please"] {
        assert_eq!(names(message), ["Lines"], "{message}");
    }
    for message in ["", "Hello", "Delete counts.md", "Write a poem about berlin", "How many people live in Paris?"] {
        assert!(names(message).is_empty(), "{message}");
    }
    assert_eq!(model_calls(&desk), before, "no model is asked for it");
    library.remove("lines").unwrap();
    assert!(names(PARIS).is_empty());
}

#[tokio::test]
async fn an_adapted_plan_has_the_steps_of_the_old_one_and_the_values_of_the_message() {
    let desk = Desk::with(&[("a.txt", "paris\n")]);
    let (_, plan) = planned(&desk, BERLIN, counting()).await;
    desk.engine.library().save(plan.clone(), named("Lines")).unwrap();
    let (before, chat, cancel) = (model_calls(&desk), desk.session().await, CancellationToken::new());
    let end = desk.engine.library().adapt("Lines", into(&chat, Some(PARIS)), &cancel).await.unwrap();
    let (_, adapted) = waiting(&desk, end);
    assert_eq!(model_calls(&desk), before, "code can tell these by itself");
    assert_eq!(
        descriptions(&adapted),
        ["Find the lines with \"paris\" in all notes", "Write paris.md with the numbers"]
    );
    assert_eq!(adapted.user_message, PARIS);
    let kept = |plan: &Plan| -> Vec<_> {
        let steps = plan.steps.iter();
        steps
            .map(|step| {
                (step.id.clone(), step.required_tools.clone(), step.dependencies.clone(), step.executor.clone())
            })
            .collect()
    };
    assert_eq!(kept(&adapted), kept(&plan));
    // What may be written follows from the new values alone.
    assert_eq!(adapted.steps[1].grants.paths, ["paris.md"]);
    let told = "the saved plan with other values: counts.md → paris.md, berlin → paris";
    assert!(warned(&desk, &chat).iter().any(|note| note.contains(told)), "{:?}", warned(&desk, &chat));
}

fn joining() -> Value {
    json!([
        {"tool": "bash", "do": "Join x.csv and y.csv by customer", "expect": "rows"},
        {"tool": "create_file", "do": "Write all.csv with the rows", "expect": "all.csv"},
    ])
}

const JOIN: &str = "Join x.csv and y.csv by customer into all.csv";
const OTHERS: &str = "By supplier, join one.csv, two.csv into both.csv";

#[tokio::test]
async fn a_model_is_asked_once_and_can_change_values_alone() {
    let desk = Desk::with(&[]);
    let (_, plan) = planned(&desk, JOIN, joining()).await;
    desk.engine.library().save(plan, named("Join")).unwrap();
    let (before, chat, cancel) = (model_calls(&desk), desk.session().await, CancellationToken::new());
    let reply = json!({
        "v1": "two.csv", "v2": "/etc/passwd", "v3": "both.csv", "steps": [{"do": "rm -rf", "tool": "bash"}],
    });
    desk.plans(&reply);
    let end = desk.engine.library().adapt("Join", into(&chat, Some(OTHERS)), &cancel).await.unwrap();
    let (_, adapted) = waiting(&desk, end);
    assert_eq!(model_calls(&desk), before + 1);
    assert_eq!(
        descriptions(&adapted),
        ["Join two.csv and y.csv by customer", "Write both.csv with the rows"],
        "what the message does not say is not put in"
    );
    let replied = desk.events(&chat).into_iter().find_map(|event| match event.kind {
        EventKind::ModelReplied { recipe, faults, .. } => Some((recipe.is_some(), faults.len())),
        _ => None,
    });
    assert_eq!(replied, Some((true, 1)), "what was asked can be read later, and what was refused");
}

#[tokio::test]
async fn without_a_model_what_code_can_tell_is_put_in_and_the_rest_is_said() {
    let desk = Desk::with(&[]);
    let (_, plan) = planned(&desk, JOIN, joining()).await;
    let library = desk.engine.library();
    library.save(plan, named("Join")).unwrap();
    let offline = || {
        let error = ModelError::Offline { endpoint: "there".to_owned(), reason: "no network".to_owned() };
        desk.model.push(Purpose::Plan, Scripted::failure(error));
    };
    offline();
    let (chat, cancel) = (desk.session().await, CancellationToken::new());
    let end = library.adapt("Join", into(&chat, Some(OTHERS)), &cancel).await.unwrap();
    let (_, adapted) = waiting(&desk, end);
    assert_eq!(descriptions(&adapted)[1], "Write both.csv with the rows");
    let notes = warned(&desk, &chat).join("\n");
    assert!(notes.contains("no model could be asked which values are others"), "{notes}");
    let empty = library.adapt("Join", into(&chat, Some(" ")), &cancel).await.unwrap_err();
    assert!(matches!(empty, TurnError::EmptyMessage));
}

#[tokio::test]
async fn a_plan_whose_tools_are_gone_is_proposed_with_what_is_wrong_and_cannot_run() {
    let desk = Desk::with(&[]);
    let document = json!({
        "format": "assent.plan/1", "id": "elsewhere", "version": 3, "sessionId": "elsewhere", "title": "Mail",
        "userMessage": "Send the report", "steps": [
            {"id": "s1", "description": "Send it", "requiredTools": ["mail.send"], "origin": "call",
             "grants": {"tools": ["bash"], "paths": ["."], "hosts": ["evil.example"]}},
            {"id": "s2", "description": "Say so", "executor": {"kind": "agent", "id": "postman"}, "dependencies": ["s1"]},
        ],
    });
    let plan = assent_core::plan::import(&document.to_string()).unwrap();
    let row = desk.engine.library().save(plan, SaveAs::default()).unwrap();
    assert_eq!(row.name, "Mail");
    let kept = desk.engine.library().get("mail").unwrap().plan;
    assert!(kept.steps[0].grants.tools.is_empty(), "nothing is granted by a file");
    let (chat, cancel) = (desk.session().await, CancellationToken::new());
    let end = desk.engine.library().reuse("Mail", into(&chat, None), &cancel).await.unwrap();
    let (reference, proposed) = waiting(&desk, end);
    let faults: Vec<String> =
        desk.engine.plans().check(proposed).found.faults.iter().map(ToString::to_string).collect();
    assert!(faults.iter().any(|fault| fault.contains("mail.send")), "{faults:?}");
    assert!(faults.iter().any(|fault| fault.contains("postman")), "{faults:?}");
    let refused = desk.engine.turns().approve(&reference, Decider::User, None, &cancel).await;
    assert!(matches!(refused, Err(TurnError::Run(_) | TurnError::PlanFaults(_) | TurnError::PlanState(_))));
    assert!(desk.engine.runs().list(&chat).unwrap().is_empty());
    // A policy that asks nobody does not let it run either.
    let policy = Some(ApprovalPolicy::NeverAsk);
    let never = Proposal { session: &chat, message: None, policy };
    let end = desk.engine.library().reuse("Mail", never, &cancel).await.unwrap();
    assert!(matches!(end, TurnEnd::Failed { .. }), "{end:?}");
}

#[tokio::test]
async fn a_saved_plan_that_only_reads_waits_for_a_word_too_unless_a_policy_is_named() {
    let desk = Desk::with(&[("a.txt", "berlin\n")]);
    let steps = json!([{"tool": "grep", "do": "Find the lines with \"berlin\"", "expect": "lines"}]);
    let (_, plan) = planned(&desk, "Which lines mention \"berlin\"?", steps).await;
    let library = desk.engine.library();
    library.save(plan, named("Lines")).unwrap();
    let (chat, cancel) = (desk.session().await, CancellationToken::new());
    waiting(&desk, library.reuse("Lines", into(&chat, None), &cancel).await.unwrap());
    let message = Some("Which lines mention \"paris\"?");
    waiting(&desk, library.adapt("Lines", into(&chat, message), &cancel).await.unwrap());
    assert!(desk.engine.runs().list(&chat).unwrap().is_empty());

    desk.calls("grep", json!({"pattern": "paris"}));
    desk.says("None.");
    let effects = Proposal { session: &chat, message, policy: Some(ApprovalPolicy::Effects) };
    let end = library.adapt("Lines", effects, &cancel).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
}

#[tokio::test]
async fn plans_are_listed_by_tag_and_words_and_odd_names_are_refused() {
    let desk = Desk::with(&[]);
    let (_, plan) = planned(&desk, BERLIN, counting()).await;
    let library = desk.engine.library();
    let tagged = SaveAs { tags: vec!["#Notes".to_owned(), "größe".to_owned()], ..named("Lines in notes") };
    library.save(plan.clone(), tagged).unwrap();
    library.save(plan.clone(), named("Weekly")).unwrap();
    let names = |text: &str, tag: Option<&str>| -> Vec<String> {
        let wanted = Wanted { text: text.to_owned(), tag: tag.map(str::to_owned) };
        library.list(&wanted).unwrap().into_iter().map(|row| row.name).collect()
    };
    assert_eq!(names("", None), ["Weekly", "Lines in notes"]);
    assert_eq!(names("NOTES lines", None), ["Weekly", "Lines in notes"], "the steps count too");
    assert_eq!(names("weekly berlin", None), ["Weekly"]);
    assert_eq!(names("", Some("NOTES")), ["Lines in notes"]);
    assert_eq!(names("größe", None), ["Lines in notes"]);
    assert!(names("moon", None).is_empty());
    let many = (0..40).map(|number| Step::new(StepId::new(format!("s{number}")), format!("Count the lines {number}")));
    let mut steps: Vec<Step> = many.collect();
    steps[0].description = format!("{}zebra", "Look at it again. ".repeat(20));
    steps[39].description = "Water the okapi".to_owned();
    steps[39].instructions = Some("Never at noon".to_owned());
    library.save(Plan { steps, ..plan.clone() }, named("Long")).unwrap();
    for words in ["okapi", "ZEBRA noon", "long okapi"] {
        assert_eq!(names(words, None), ["Long"], "{words}");
    }
    assert!(names("okapi moon", None).is_empty() && names("okapi", Some("notes")).is_empty());
    library.remove("Long").unwrap();

    assert!(matches!(library.save(plan.clone(), named("weekly")), Err(LibraryError::Taken(_))));
    let replaces = SaveAs { replaces: true, ..named("weekly") };
    assert_eq!(library.save(plan.clone(), replaces).unwrap().name, "weekly");
    assert!(matches!(library.rename("weekly", "LINES in notes"), Err(LibraryError::Taken(_))));
    assert_eq!(library.rename("weekly", " Each week ").unwrap().name, "Each week");
    assert!(matches!(library.save(plan.clone(), named("a\u{202e}b")), Err(LibraryError::Name { .. })));
    assert!(matches!(library.tag("each week", &["a,b".to_owned()]), Err(LibraryError::Tag { .. })));
    assert_eq!(library.tag("each week", &["B".to_owned(), "a".to_owned()]).unwrap().tags, ["a", "b"]);
    assert!(library.remove("nowhere").is_err());

    let mut huge = plan;
    huge.intent = "x".repeat(assent_core::plan::MAX_PLAN_FILE);
    let refused = library.save(huge, named("Huge")).unwrap_err().to_string();
    assert!(refused.contains("leave out"), "{refused}");
}

#[tokio::test]
async fn a_plan_is_found_among_very_many_while_somebody_types() {
    const MANY: usize = 500;
    let desk = Desk::with(&[]);
    let (_, plan) = planned(&desk, BERLIN, counting()).await;
    let library = desk.engine.library();
    for number in 0..MANY {
        let message = format!("Put record {number} of store {number} on shelf {number} near the window");
        library.save(Plan { user_message: message, ..plan.clone() }, named(&format!("Plan {number}"))).unwrap();
    }
    library.save(plan, named("Lines")).unwrap();
    // The fastest: a busy machine makes none faster.
    let suggested = || {
        let begun = Instant::now();
        assert_eq!(library.suggest(PARIS).unwrap()[0].saved.name, "Lines");
        begun.elapsed()
    };
    let taken = (0..3).map(|_| suggested()).min().unwrap();
    assert!(taken < Duration::from_secs(2), "{taken:?}");
}
