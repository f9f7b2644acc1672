//! What a person approves is what they saw: a file that is another by the time of the write is left as it is.

use std::sync::Arc;

use assent_core::contract::Risk;
use assent_core::ids::SessionId;
use assent_core::run::{
    Answer, Batch, CallStatus, Draft, Durability, EventKind, Journal as _, Purpose, Reach, Request, RequestKind,
};
use assent_engine::clock::SystemClock;
use assent_engine::executor::{AGAIN, ExecutorError};
use assent_engine::model::scripted::Scripted;
use assent_engine::store::{Home, Store};
use assent_engine::turn::{ApprovalPolicy, TurnEnd, TurnError};
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const REFUSED: &str = "is not as it was when a person approved this call";

/// A desk on which a call that the plan does not cover waits to be allowed.
async fn asked(tool: &str, call: Value) -> (Desk, SessionId, Request) {
    let desk = Desk::with(&[("a.txt", "Berlin\nin berlin\n")]);
    desk.plans(&json!({"title": "Greet", "steps": [{"tool": tool, "do": "Write b.md", "expect": "a file"}]}));
    desk.calls(tool, call);
    let session = desk.session().await;
    desk.send(&session, "Write b.md", ApprovalPolicy::NeverAsk).await;
    let request = open(&desk);
    (desk, session, request)
}

fn open(desk: &Desk) -> Request {
    let mut open = desk.engine.requests().open().unwrap();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].request.kind, RequestKind::Permit);
    open.remove(0).request
}

fn yes() -> Answer {
    Answer::Approve { arguments: None, note: None, reach: Reach::Once }
}

/// How each call came out, and what was said of it.
fn ends(desk: &Desk, session: &SessionId) -> Vec<(CallStatus, String)> {
    let ended = desk.events(session).into_iter().filter_map(|event| match event.kind {
        EventKind::CallEnded { status, error, .. } => Some((status, error.unwrap_or_default())),
        _ => None,
    });
    ended.collect()
}

#[tokio::test]
async fn a_file_that_changed_after_the_approval_is_not_written_over_and_is_asked_about_anew() {
    let call = json!({"path": "a.txt", "content": "Hamburg\n"});
    let (desk, session, request) = asked("create_file", call.clone()).await;
    desk.engine.requests().record(&request.id, yes()).await.unwrap();
    std::fs::write(desk.workspace.join("a.txt"), "what somebody wrote meanwhile\n").unwrap();

    let later = desk.reopened();
    later.calls("create_file", call);
    later.engine.turns().resume(None, &CancellationToken::new()).await.unwrap();
    assert_eq!(later.file("a.txt").as_deref(), Some("what somebody wrote meanwhile\n"));
    let [(CallStatus::Error, told)] = &ends(&later, &session)[..] else { panic!("{:?}", ends(&later, &session)) };
    assert!(told.contains(REFUSED) && told.contains("a.txt"), "{told}");
    let again = open(&later);
    assert!(again.id != request.id, "it is another question");

    later.says("It is written.");
    later.engine.turns().answer(&again.id, yes(), &CancellationToken::new()).await.unwrap();
    assert_eq!(later.file("a.txt").as_deref(), Some("Hamburg\n"));
}

#[tokio::test]
async fn whatever_became_of_the_file_counts_and_what_is_as_it_was_is_changed() {
    let whole = || ("create_file", json!({"path": "a.txt", "content": "Hamburg\n"}));
    let fresh = || ("create_file", json!({"path": "new.txt", "content": "Hamburg\n"}));
    let edit = || ("edit_file", json!({"path": "a.txt", "old_string": "in berlin", "new_string": "in Hamburg"}));
    type Write = Option<&'static [u8]>;
    let cases: [((&str, Value), &str, Write, bool); 8] = [
        // The place that the edit is about is the same, and yet it is not the file that was seen.
        (edit(), "a.txt", Some(b"Munich\nin berlin\n"), false),
        (edit(), "a.txt", Some(b"Berlin\nin berlin\n"), true),
        (whole(), "a.txt", Some(b"\xff\x00"), false),
        (whole(), "a.txt", None, false),
        (whole(), "a.txt", Some(b"Berlin\nin berlin\n"), true),
        (fresh(), "new.txt", Some(b"null"), false),
        (fresh(), "new.txt", Some(b""), false),
        (fresh(), "other.txt", Some(b"x"), true),
    ];
    for (case, ((tool, call), path, becomes, is_made)) in cases.into_iter().enumerate() {
        let (desk, session, request) = asked(tool, call).await;
        desk.engine.requests().record(&request.id, yes()).await.unwrap();
        let file = desk.workspace.join(path);
        match becomes {
            Some(bytes) => std::fs::write(&file, bytes).unwrap(),
            None => std::fs::remove_file(&file).unwrap(),
        }
        desk.says("It is written.");
        desk.says("It is written.");
        desk.engine.turns().resume(None, &CancellationToken::new()).await.unwrap();
        let ended = ends(&desk, &session);
        assert_eq!(ended[0].0 == CallStatus::Success, is_made, "{case}: {ended:?}");
        if !is_made {
            assert!(ended[0].1.contains(REFUSED), "{case}: {ended:?}");
            assert_eq!(std::fs::read(&file).ok().as_deref(), becomes, "{case}");
        }
    }
}

#[tokio::test]
async fn a_file_without_a_text_counts_by_its_bytes() {
    let (desk, session, request) = asked("create_file", json!({"path": "picture", "content": "x"})).await;
    std::fs::write(desk.workspace.join("picture"), b"\xff\x00").unwrap();
    desk.engine.requests().record(&request.id, yes()).await.unwrap();
    std::fs::write(desk.workspace.join("picture"), b"\xff\x01").unwrap();
    desk.says("It is written.");
    desk.engine.turns().resume(None, &CancellationToken::new()).await.unwrap();
    assert!(ends(&desk, &session)[0].1.contains(REFUSED));
    assert_eq!(std::fs::read(desk.workspace.join("picture")).unwrap(), b"\xff\x01");
}

#[tokio::test]
async fn changed_arguments_are_approved_for_the_file_that_they_name() {
    let (desk, session, request) = asked("create_file", json!({"path": "a.txt", "content": "x"})).await;
    let other = json!({"path": "c.txt", "content": "Hamburg\n"});
    let answer = Answer::Approve { arguments: Some(other), note: None, reach: Reach::Once };
    desk.engine.requests().record(&request.id, answer).await.unwrap();
    std::fs::write(desk.workspace.join("a.txt"), "changed\n").unwrap();
    desk.says("It is written.");
    desk.engine.turns().resume(None, &CancellationToken::new()).await.unwrap();
    assert_eq!(ends(&desk, &session), [(CallStatus::Success, String::new())]);
    assert_eq!(desk.file("c.txt").as_deref(), Some("Hamburg\n"));
}

#[tokio::test]
async fn an_approval_of_what_was_seen_is_refused_once_it_is_something_else() {
    let (desk, _, request) = asked("create_file", json!({"path": "a.txt", "content": "Hamburg\n"})).await;
    let seen = desk.engine.requests().look(&request.id, None).unwrap().digest;
    std::fs::write(desk.workspace.join("a.txt"), "other\n").unwrap();
    let refused = desk.engine.turns().record_answer(&request.id, yes(), Some(&seen)).await.unwrap_err();
    assert!(matches!(refused, TurnError::Run(ExecutorError::FileChanged)), "{refused:?}");
    assert_eq!(open(&desk).id, request.id, "it waits as before");
    let no = Answer::Reject { reason: None };
    desk.engine.turns().record_answer(&request.id, no, Some(&seen)).await.unwrap();
    let end = desk.engine.turns().resume(None, &CancellationToken::new()).await.unwrap();
    assert!(!matches!(end[..], [TurnEnd::Waiting { .. }]), "{end:?}");
    assert_eq!(desk.file("a.txt").as_deref(), Some("other\n"));
}

#[tokio::test]
async fn of_two_changes_of_one_file_in_one_reply_the_second_is_asked_about_when_the_first_is_made() {
    let desk = Desk::with(&[("a.txt", "Berlin\nin berlin\n")]);
    desk.plans(&json!({"title": "Greet", "steps": [{"tool": "edit_file", "do": "Write b.md", "expect": "a file"}]}));
    let edit = |path: &str, old: &str, new: &str| json!({"path": path, "old_string": old, "new_string": new});
    let (first, second) = (edit("a.txt", "Berlin\n", "Hamburg\n"), edit("./a.txt", "in berlin", "in Bremen"));
    desk.model.push(Purpose::Step, Scripted::calls([("edit_file", first), ("edit_file", second.clone())]));
    let session = desk.session().await;
    desk.send(&session, "Write b.md", ApprovalPolicy::NeverAsk).await;
    let request = open(&desk);
    desk.calls("edit_file", second);
    desk.engine.turns().answer(&request.id, yes(), &CancellationToken::new()).await.unwrap();
    assert_eq!(desk.file("a.txt").as_deref(), Some("Hamburg\nin berlin\n"));
    let later = open(&desk);
    desk.says("Both are made.");
    desk.engine.turns().answer(&later.id, yes(), &CancellationToken::new()).await.unwrap();
    assert_eq!(desk.file("a.txt").as_deref(), Some("Hamburg\nin Bremen\n"));
    assert!(ends(&desk, &session).iter().all(|(_, told)| !told.contains(REFUSED)), "{:?}", ends(&desk, &session));
}

#[tokio::test]
async fn a_change_is_taken_back_only_in_the_file_that_was_seen() {
    for changes in [false, true] {
        let desk = Desk::with(&[("a.txt", "Berlin\n")]);
        desk.plans(
            &json!({"title": "Greet", "steps": [{"tool": "edit_file", "do": "Write a.txt", "expect": "a file"}]}),
        );
        desk.calls("edit_file", json!({"path": "a.txt", "old_string": "Berlin", "new_string": "Hamburg"}));
        desk.says("It is written.");
        let session = desk.session().await;
        desk.send(&session, "Write a.txt", ApprovalPolicy::NeverAsk).await;
        assert_eq!(desk.file("a.txt").as_deref(), Some("Hamburg\n"));

        desk.plans(&json!({"title": "Back", "steps": [{"tool": "undo_edit", "do": "Undo b.md", "expect": "a file"}]}));
        desk.calls("undo_edit", json!({"path": "a.txt"}));
        desk.send(&session, "Undo b.md", ApprovalPolicy::NeverAsk).await;
        let request = open(&desk);
        let seen = desk.engine.requests().look(&request.id, None).unwrap().digest;
        if changes {
            std::fs::write(desk.workspace.join("a.txt"), "what I wrote since\n").unwrap();
            let refused = desk.engine.turns().record_answer(&request.id, yes(), Some(&seen)).await.unwrap_err();
            assert!(matches!(refused, TurnError::Run(ExecutorError::FileChanged)), "{refused:?}");
            std::fs::write(desk.workspace.join("a.txt"), "Hamburg\n").unwrap();
        }
        desk.engine.turns().record_answer(&request.id, yes(), Some(&seen)).await.unwrap();
        if changes {
            std::fs::write(desk.workspace.join("a.txt"), "what I wrote since\n").unwrap();
        }
        desk.says("It is undone.");
        desk.says("It is undone.");
        desk.engine.turns().resume(None, &CancellationToken::new()).await.unwrap();
        let is = desk.file("a.txt");
        assert_eq!(is.as_deref(), Some(if changes { "what I wrote since\n" } else { "Berlin\n" }));
        let (_, told) = ends(&desk, &session).pop().unwrap();
        assert_eq!(told.contains(REFUSED), changes, "{told}");
    }
}

/// A desk on which a call that changes a.txt was allowed, and whose process died right after the call had begun; behind
/// the one of the next process.
async fn died() -> (Desk, Desk, SessionId, Request) {
    let (desk, session, request) = asked("create_file", json!({"path": "a.txt", "content": "Hamburg\n"})).await;
    desk.engine.requests().record(&request.id, yes()).await.unwrap();
    let suspended =
        desk.events(&session).into_iter().find(|event| matches!(event.kind, EventKind::CallSuspended { .. })).unwrap();
    let kind = EventKind::CallStarted {
        call: request.call.clone().unwrap(),
        tool: "create_file".to_owned(),
        arguments: None,
        risk: Risk::Write,
        repeats: None,
    };
    let begun = Draft { place: suspended.place, at: suspended.at, kind };
    let batch = Batch { events: vec![begun], ..Batch::default() };
    let store = Store::open(&Home::at(&desk.home).unwrap(), Arc::new(SystemClock)).unwrap();
    store.append(batch, Durability::Synced).await.unwrap();
    let later = desk.reopened();
    later.engine.turns().resume(None, &CancellationToken::new()).await.unwrap();
    let mut open = later.engine.requests().open().unwrap();
    assert_eq!((open.len(), open[0].request.kind), (1, RequestKind::UnknownOutcome));
    (desk, later, session, open.remove(0).request)
}

#[tokio::test]
async fn what_is_made_once_more_is_made_in_the_file_that_was_seen() {
    let again = || Answer::Value { value: json!(AGAIN) };
    for changes in [false, true] {
        let (_folder, desk, session, request) = died().await;
        let seen = desk.engine.requests().look(&request.id, None).unwrap().digest;
        if changes {
            std::fs::write(desk.workspace.join("a.txt"), "what I wrote\n").unwrap();
            let refused = desk.engine.turns().record_answer(&request.id, again(), Some(&seen)).await.unwrap_err();
            assert!(matches!(refused, TurnError::Run(ExecutorError::FileChanged)), "{refused:?}");
            std::fs::write(desk.workspace.join("a.txt"), "Berlin\nin berlin\n").unwrap();
        }
        desk.engine.turns().record_answer(&request.id, again(), Some(&seen)).await.unwrap();
        if changes {
            std::fs::write(desk.workspace.join("a.txt"), "what I wrote\n").unwrap();
        }
        desk.says("It is written.");
        desk.says("It is written.");
        desk.engine.turns().resume(None, &CancellationToken::new()).await.unwrap();
        let (status, told) = ends(&desk, &session).pop().unwrap();
        assert_eq!((status == CallStatus::Success, told.contains(REFUSED)), (!changes, changes), "{told}");
        let is = desk.file("a.txt");
        assert_eq!(is.as_deref(), Some(if changes { "what I wrote\n" } else { "Hamburg\n" }));
    }
}
