//! A database that cannot be written for a while: what is under way fails clearly, and goes on in the same process.

use std::time::Duration;

use assent_core::ids::SessionId;
use assent_core::plan::{NewStep, PlanEdit};
use assent_core::run::{Answer, Decider, EventKind, JournalError, Purpose, RequestKind, RunStatus};
use assent_engine::executor::{DONE, ExecutorError};
use assent_engine::model::scripted::{Gate, Scripted};
use assent_engine::turn::{ApprovalPolicy, Message, TurnEnd, TurnError};
use assent_tests::desk::Desk;
use assent_tests::needs::missing;
use serde_json::json;
use tokio_util::sync::CancellationToken;

fn is_locked(error: &TurnError) -> bool {
    matches!(
        error,
        TurnError::Journal(JournalError::Locked) | TurnError::Run(ExecutorError::Journal(JournalError::Locked))
    )
}

fn message(session: &SessionId, text: &str) -> Message {
    Message { session: session.clone(), text: text.to_owned(), policy: Some(ApprovalPolicy::NeverAsk), answers: None }
}

// covers: T13 T56
#[tokio::test]
async fn a_run_that_cannot_be_written_stops_clearly_and_resume_takes_it_to_its_end() {
    let folders = Desk::with(&[("a.txt", "Berlin\n")]);
    let desk = folders.impatient(Duration::from_millis(50));
    let cancel = CancellationToken::new();
    desk.plans(&json!({"title": "Write", "steps": [{"tool": "create_file", "do": "Write b.txt", "expect": "b.txt"}]}));
    let gate = Gate::default();
    let call = Scripted::call("create_file", json!({"path": "b.txt", "content": "Berlin\n"}));
    desk.model.push(Purpose::Step, call.behind(&gate));
    let session = desk.session().await;
    let turns = desk.engine.turns();
    let mut work = Box::pin(turns.send(message(&session, "Write Berlin to b.txt."), &cancel));
    tokio::select! {
        early = &mut work => panic!("the gate is closed: {early:?}"),
        () = gate.reached() => {}
    }
    let held = desk.hold_database().unwrap();
    gate.open();
    let stopped = work.await.unwrap_err();
    assert!(is_locked(&stopped), "{stopped}");
    assert_eq!(desk.file("b.txt"), None, "no effect begins whose start is not written");
    let refused = desk.engine.turns().send(message(&session, "Hello"), &cancel).await.unwrap_err();
    assert!(is_locked(&refused), "{refused}");
    drop(held);

    desk.calls("create_file", json!({"path": "b.txt", "content": "Berlin\n"}));
    desk.says("b.txt is written.");
    let ends = desk.engine.turns().resume(None, &cancel).await.unwrap();
    assert_eq!(ends, [TurnEnd::Answered { session: session.clone() }]);
    assert_eq!(desk.file("b.txt").as_deref(), Some("Berlin\n"));
    assert_eq!(desk.engine.runs().list(&session).unwrap()[0].status, RunStatus::Completed);
    let events = desk.events(&session);
    let starts = events.iter().filter(|event| matches!(event.kind, EventKind::CallStarted { .. })).count();
    assert_eq!(starts, 1, "the call was made once");
    assert!(
        !events.iter().any(|event| matches!(&event.kind, EventKind::MessageReceived { text, .. } if text == "Hello"))
    );
    desk.plans(&json!({"title": "Greeting", "answer": "Hello!"}));
    let end = desk.engine.turns().send(message(&session, "Hello"), &cancel).await.unwrap();
    assert_eq!(end, TurnEnd::Answered { session });
}

/// A desk on which an effect had begun and ended when its end could not be written: nobody knows what became of it.
#[cfg(unix)]
async fn with_an_effect_of_unknown_outcome(folders: &Desk) -> Option<(Desk, SessionId)> {
    if let Err(why) = assent_engine::tool::sandbox::available() {
        missing(format!("commands cannot be shut in here: {why}"));
        return None;
    }
    let desk = folders.impatient(Duration::from_millis(50));
    let cancel = CancellationToken::new();
    let go = desk.workspace.join("go");
    assert!(std::process::Command::new("mkfifo").arg(&go).status().unwrap().success());
    desk.plans(&json!({"title": "Note", "steps": [{"tool": "bash", "do": "Note it", "expect": "a line"}]}));
    desk.calls("bash", json!({"command": "read word < go; echo noted >> notes.txt"}));
    let session = desk.session().await;
    {
        let turns = desk.engine.turns();
        let mut work = Box::pin(turns.send(message(&session, "Note it down."), &cancel));
        // Opens once the command has opened the other end.
        let opened = tokio::task::spawn_blocking(move || std::fs::OpenOptions::new().write(true).open(go));
        let other_end = tokio::select! {
            early = &mut work => panic!("the command waits: {early:?}"),
            file = opened => file.unwrap().unwrap(),
        };
        let held = desk.hold_database().unwrap();
        drop(other_end);
        let stopped = work.await.unwrap_err();
        assert!(is_locked(&stopped), "{stopped}");
        drop(held);
    }
    assert_eq!(desk.file("notes.txt").as_deref(), Some("noted\n"));
    Some((desk, session))
}

/// The end of an effect could not be written: a person is asked, and it does not happen twice.
#[cfg(unix)]
#[tokio::test]
async fn an_effect_whose_end_could_not_be_written_is_asked_about_and_not_repeated() {
    let folders = Desk::with(&[]);
    let Some((desk, session)) = with_an_effect_of_unknown_outcome(&folders).await else { return };
    let cancel = CancellationToken::new();
    let ends = desk.engine.turns().resume(None, &cancel).await.unwrap();
    assert!(matches!(ends[..], [TurnEnd::Waiting { .. }]), "{ends:?}");
    let open = desk.engine.requests().open().unwrap();
    assert_eq!((open.len(), open[0].request.kind), (1, RequestKind::UnknownOutcome));
    desk.says("It is noted.");
    let done = Answer::Value { value: json!(DONE) };
    let end = desk.engine.turns().answer(&open[0].request.id, done, &cancel).await.unwrap();
    assert_eq!(end, TurnEnd::Answered { session });
    assert_eq!(desk.file("notes.txt").as_deref(), Some("noted\n"));
}

/// Another version of the plan would do it again: it can only be approved once a person has said what became of it.
#[cfg(unix)]
#[tokio::test]
async fn no_other_version_is_approved_while_nobody_knows_what_became_of_an_effect() {
    let folders = Desk::with(&[]);
    let Some((desk, session)) = with_an_effect_of_unknown_outcome(&folders).await else { return };
    let cancel = CancellationToken::new();
    let plans = desk.engine.plans();
    let plan = plans.list(Some(&session)).unwrap().remove(0);
    let step = NewStep { description: "Say so".into(), dependencies: vec!["s1".into()], ..NewStep::default() };
    let second = plans.edit(&plan, &[PlanEdit::AddStep { step }]).await.unwrap();
    let refused = || async {
        let error =
            desk.engine.turns().approve(&second, Decider::User, None, &CancellationToken::new()).await.unwrap_err();
        assert!(
            matches!(&error, TurnError::PlanState(why) if why.contains("may already have had its effect")),
            "{error}"
        );
        error.to_string()
    };
    assert!(refused().await.contains("assent resume"), "nobody was asked yet");
    desk.engine.turns().resume(None, &cancel).await.unwrap();
    let open = desk.engine.requests().open().unwrap().remove(0);
    assert!(refused().await.contains(&format!("assent answer {}", open.request.id)));
    assert!(
        !desk.engine.runs().list(&session).unwrap()[0].status.is_final(),
        "an approval that does not count ends nothing"
    );

    desk.says("It is noted.");
    let done = Answer::Value { value: json!(DONE) };
    desk.engine.turns().answer(&open.request.id, done, &cancel).await.unwrap();
    desk.says("It is noted, I say.");
    let end = desk.engine.turns().approve(&second, Decider::User, None, &cancel).await.unwrap();
    assert_eq!(end, TurnEnd::Answered { session });
    assert_eq!(desk.file("notes.txt").as_deref(), Some("noted\n"), "it was done once");
}

#[tokio::test]
async fn a_stop_that_could_not_be_written_is_told_and_can_be_said_again() {
    let folders = Desk::with(&[]);
    let desk = folders.impatient(Duration::from_millis(50));
    let cancel = CancellationToken::new();
    desk.plans(&json!({"title": "Write", "steps": [{"tool": "create_file", "do": "Write b.txt", "expect": "b.txt"}]}));
    let gate = Gate::default();
    desk.model.push(Purpose::Step, Scripted::text("never said").behind(&gate));
    let session = desk.session().await;
    let turns = desk.engine.turns();
    let mut work = Box::pin(turns.send(message(&session, "Write Berlin to b.txt."), &cancel));
    tokio::select! {
        early = &mut work => panic!("the gate is closed: {early:?}"),
        () = gate.reached() => {}
    }
    let run = desk.engine.runs().list(&session).unwrap()[0].id.clone();
    let held = desk.hold_database().unwrap();
    let runs = desk.engine.runs();
    let (stopped, told) = tokio::join!(work, runs.cancel(&run));
    assert!(is_locked(&stopped.unwrap_err()));
    assert!(is_locked(&told.unwrap_err()));
    assert!(!desk.engine.runs().list(&session).unwrap()[0].status.is_final());
    drop(held);
    desk.engine.runs().cancel(&run).await.unwrap();
    assert_eq!(desk.engine.runs().list(&session).unwrap()[0].status, RunStatus::Cancelled);
}

#[tokio::test]
async fn an_answer_that_could_not_be_written_is_given_again_and_counts_once() {
    let folders = Desk::with(&[]);
    let desk = folders.impatient(Duration::from_millis(50));
    let cancel = CancellationToken::new();
    desk.plans(&json!({"title": "Ask", "steps": [{"tool": "ask_user", "do": "Ask for the city", "expect": "a city"}]}));
    desk.calls("ask_user", json!({"question": "Which city?"}));
    let session = desk.session().await;
    desk.send(&session, "Which city?", ApprovalPolicy::NeverAsk).await;
    let open = desk.engine.requests().open().unwrap();
    let answer = || Answer::Value { value: json!("Berlin") };
    let held = desk.hold_database().unwrap();
    let refused = desk.engine.turns().answer(&open[0].request.id, answer(), &cancel).await.unwrap_err();
    assert!(is_locked(&refused), "{refused}");
    assert_eq!(desk.engine.requests().open().unwrap(), open, "the question still waits");
    drop(held);
    desk.says("Berlin it is.");
    let end = desk.engine.turns().answer(&open[0].request.id, answer(), &cancel).await.unwrap();
    assert_eq!(end, TurnEnd::Answered { session });
}
