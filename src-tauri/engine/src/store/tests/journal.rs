//! Appending and reading back.

use assent_core::ids::{PlanId, SessionId};
use assent_core::run::{AnswerDraft, Reach, RequestKind, RequestStatus};
use serde_json::json;

use super::*;
use crate::store::{
    Blobs as _, Changes as _, ListFilter, PlanDraft, PlanStanding, PlanStatus, Plans as _, Requests as _, Runs as _,
    Sessions as _, Settings as _, StoreError, TakenBack, change_list,
};

#[test]
fn what_was_appended_is_read_back_after_the_store_is_opened_again() {
    let folder = Folder::new();
    let (blob, content) = blob(&"A long licence text. ".repeat(1000));
    let mut written = whole_step("c", "r", 0, 20);
    written[3].kind = call_ended("call-r-0", content);
    {
        let store = folder.open();
        started(&store, "c", "r", 2);
        append(&store, Batch { blobs: vec![blob.clone()], ..events(written.clone()) }).unwrap();
        one(&store, place("c"), 30, EventKind::SessionRenamed { title: "Patents".into() });
    }
    let store = folder.open();
    let run = store.run(&RunId::from("r")).unwrap();
    assert_eq!((run.status, run.steps, run.completed, run.updated_at), (RunStatus::Running, 2, 1, 20));
    let read = store.run_events(&run.id).unwrap();
    let kinds: Vec<_> = read.iter().skip(2).map(|event| (event.place.clone(), event.at, event.kind.clone())).collect();
    let wanted: Vec<_> = written.into_iter().map(|draft| (draft.place, draft.at, draft.kind)).collect();
    assert_eq!(kinds, wanted);
    assert_eq!(store.blob(&blob.digest).unwrap(), blob.bytes);
    let session = store.session("c").unwrap();
    assert_eq!(
        (session.title.as_str(), session.updated_at, session.run_status),
        ("Patents", 30, Some(RunStatus::Running))
    );
    let all = store.session_events(&session.id, 0).unwrap();
    assert_eq!(all.iter().map(|event| event.seq).collect::<Vec<_>>(), (1..=all.len() as u64).collect::<Vec<_>>());
    assert_eq!(store.session_events(&session.id, all.len() as u64 - 1).unwrap().len(), 1);
    let steps: Vec<_> = store.steps(&run.id).unwrap().into_iter().map(|step| (step.status, step.attempt)).collect();
    assert_eq!(steps, [(StepStatus::Completed, 1), (StepStatus::Pending, 0)]);
}

/// Pages that the log has taken so far.
fn logged(folder: &Folder) -> u64 {
    let (header, page) = (32, 4096 + 24);
    let log = folder.home.root().join("assent.db-wal");
    (std::fs::metadata(log).unwrap().len() - header) / page
}

#[test]
fn an_event_in_the_middle_of_a_step_writes_itself_its_index_and_its_run() {
    let folder = Folder::new();
    let store = folder.open();
    started(&store, "c", "r", 1);
    let mut pages = Vec::new();
    let mut wrote = |at: i64, kind: EventKind| {
        let before = logged(&folder);
        one(&store, in_run("c", "r", Some(0)), at, kind);
        pages.push(logged(&folder) - before);
    };
    wrote(20, step_started(1));
    for number in 0..5 {
        let call = format!("call-{number}");
        wrote(21, replied(&call));
        wrote(21, call_started(&call));
        wrote(21, call_ended(&call, Content::inline("ok")));
    }
    pages.sort_unstable();
    // One beside those where a page is full.
    assert_eq!(pages[pages.len() / 2], 3, "{pages:?}");
}

#[test]
fn a_session_is_as_old_as_its_last_message_and_to_the_second_as_old_as_its_run() {
    let folder = Folder::new();
    let store = folder.open();
    started(&store, "c", "r", 1);
    let mut updated = Vec::new();
    for (at, place) in
        [(13, "run"), (900, "run"), (1012, "run"), (2011, "run"), (2100, "chat"), (900, "chat"), (5000, "run")]
    {
        let place = if place == "run" { in_run("c", "r", None) } else { super::place("c") };
        one(&store, place, at, EventKind::Warned { message: at.to_string() });
        updated.push(store.session("c").unwrap().updated_at);
    }
    assert_eq!(updated, [12, 12, 1012, 1012, 2100, 2100, 5000]);
}

#[test]
fn queued_batches_come_in_order_and_before_a_committed_one() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    for number in 0..100 {
        // The future is not even polled.
        drop(store.append(events(vec![draft(place("c"), 2, message(&number.to_string()))]), Durability::Queued));
    }
    block_on(store.append(Batch::default(), Durability::Synced)).unwrap();
    let texts: Vec<_> = store.session_events(&SessionId::from("c"), 1).unwrap();
    let texts: Vec<_> = texts.into_iter().map(|event| event.kind).collect();
    assert_eq!(texts, (0..100).map(|number| message(&number.to_string())).collect::<Vec<_>>());
}

#[test]
fn a_request_is_answered_once_and_the_refused_batch_stops_nothing_else() {
    let folder = Folder::new();
    let store = folder.open();
    started(&store, "c", "r", 1);
    one(&store, in_run("c", "r", Some(0)), 20, step_started(1));
    one(&store, in_run("c", "r", Some(0)), 21, asked("q1", RequestKind::Question));
    assert_eq!(store.session("c").unwrap().open_requests, 1);
    assert_eq!(store.run(&RunId::from("r")).unwrap().status, RunStatus::WaitingForInput);
    let begun = AnswerDraft { text: "the home f".into(), other: true, ..AnswerDraft::default() };
    store.keep_answer_draft(&"q1".into(), &begun).unwrap();
    assert_eq!(store.open_requests().unwrap()[0].draft, Some(begun.clone()));

    let answer = |id: &str, text: &str| events(vec![draft(in_run("c", "r", Some(0)), 22, said(id, text))]);
    append(&store, answer("q1", "home")).unwrap();
    let mut second = answer("q1", "elsewhere");
    second.events.push(draft(place("c"), 23, message("never there")));
    let conflict = append(&store, second).unwrap_err();
    assert_eq!(conflict, JournalError::Conflict("request q1 is already answered".into()));
    let unknown = append(&store, answer("q9", "x")).unwrap_err();
    assert_eq!(unknown, JournalError::Conflict("there is no request q9".into()));
    one(&store, place("c"), 24, message("still writing"));

    let request = store.request("q1").unwrap();
    assert_eq!(request.status, RequestStatus::Answered);
    assert_eq!(request.answer, Some(Answer::Value { value: json!("home") }));
    assert_eq!((request.draft, request.step), (None, Some("s0".into())));
    assert_eq!(store.session("c").unwrap().open_requests, 0);
    let last = store.session_events(&SessionId::from("c"), 0).unwrap().pop().unwrap();
    assert_eq!(last.kind, message("still writing"));
    assert!(matches!(store.keep_answer_draft(&"q1".into(), &begun), Err(StoreError::NotFound { .. })));
}

#[test]
fn an_unfinished_answer_is_there_whole_after_the_file_was_opened_again_and_an_empty_one_is_none() {
    let folder = Folder::new();
    let store = folder.open();
    started(&store, "c", "r", 1);
    one(&store, in_run("c", "r", Some(0)), 20, step_started(1));
    one(&store, in_run("c", "r", Some(0)), 21, asked("q1", RequestKind::Permit));
    let fields = json!({"path": "a.txt", "replace_all": true, "timeout": "ten"});
    let begun = AnswerDraft {
        text: "not \u{0} \"all\"".into(),
        chosen: vec!["Berlin".into(), "Hamburg".into()],
        other: false,
        reach: Reach::Run,
        fields: fields.as_object().cloned(),
        reason: Some("ask\nAnna".into()),
    };
    store.keep_answer_draft(&"q1".into(), &begun).unwrap();
    drop(store);
    let store = folder.open();
    assert_eq!(store.request("q1").unwrap().draft, Some(begun));
    let declining = AnswerDraft { reason: Some(String::new()), ..AnswerDraft::default() };
    store.keep_answer_draft(&"q1".into(), &declining).unwrap();
    assert_eq!(store.request("q1").unwrap().draft, Some(declining), "no word yet, and declining all the same");
    store.keep_answer_draft(&"q1".into(), &AnswerDraft::default()).unwrap();
    assert_eq!(store.request("q1").unwrap().draft, None);
}

#[test]
fn an_unfinished_answer_that_cannot_be_read_is_a_text_and_hides_no_question() {
    let folder = Folder::new();
    let store = folder.open();
    started(&store, "c", "r", 1);
    one(&store, in_run("c", "r", Some(0)), 20, step_started(1));
    one(&store, in_run("c", "r", Some(0)), 21, asked("q1", RequestKind::Question));
    let file = rusqlite::Connection::open(store.path()).unwrap();
    for kept in ["the home f", "12", "{\"text\": 5}", "{\"chosen\": [\"a\"], \"unknown\": 1}"] {
        file.execute("UPDATE request SET draft = ?1", [kept]).unwrap();
        let text = AnswerDraft { text: kept.into(), ..AnswerDraft::default() };
        assert_eq!(store.open_requests().unwrap()[0].draft, Some(text));
    }
}

#[test]
fn ending_a_run_settles_what_it_asked() {
    let folder = Folder::new();
    let store = folder.open();
    started(&store, "c", "r", 1);
    one(&store, in_run("c", "r", Some(0)), 20, step_started(1));
    one(&store, in_run("c", "r", Some(0)), 21, asked("q1", RequestKind::Question));
    assert_eq!(store.unended().unwrap().len(), 1);
    one(&store, in_run("c", "r", None), 22, run_ended(RunStatus::Cancelled));
    assert_eq!(store.request("q1").unwrap().status, RequestStatus::Cancelled);
    assert_eq!(store.unended().unwrap(), []);
    assert_eq!(store.unended_turns().unwrap().len(), 1);
    one(&store, in_run("c", "r", None), 23, turn_ended());
    assert_eq!(store.unended_turns().unwrap(), []);
    let session = store.session("c").unwrap();
    assert_eq!((session.open_requests, session.run_status), (0, Some(RunStatus::Cancelled)));
    assert_eq!(store.steps(&RunId::from("r")).unwrap()[0].status, StepStatus::Cancelled);
}

#[test]
fn a_turn_that_is_over_goes_on_with_its_run_and_only_with_it() {
    let folder = Folder::new();
    let store = folder.open();
    started(&store, "c", "r", 1);
    let at = in_run("c", "r", None);
    let unended = || store.unended_turns().unwrap().len();
    let over = |status| EventKind::TurnEnded { status, error: None };
    one(&store, in_run("c", "r", Some(0)), 20, step_started(1));
    one(&store, in_run("c", "r", Some(0)), 21, asked("q1", RequestKind::Confirm));
    for (number, kind) in [said("q1", "yes"), EventKind::RunStarted].into_iter().enumerate() {
        let time = 22 + 10 * number as i64;
        one(&store, at.clone(), time, over(TurnStatus::Asked));
        assert_eq!(unended(), 0);
        one(&store, at.clone(), time + 1, EventKind::Warned { message: "slow".into() });
        one(&store, at.clone(), time + 2, message("one more word"));
        assert_eq!(unended(), 0, "nothing of this makes it go on");
        one(&store, at.clone(), time + 3, kind);
        assert_eq!(unended(), 1);
    }
    let later = plan("c", "p-c", 2, 1);
    append(&store, proposed("c", 50, &later)).unwrap();
    one(&store, at.clone(), 51, over(TurnStatus::Answered));
    one(&store, at, 52, approved(&later));
    assert_eq!(unended(), 0, "an approved version that nobody carries out yet changes nothing");
}

#[test]
fn the_turn_of_a_version_is_that_of_the_latest_one_that_was_planned_in_a_turn() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    let versions: Vec<Plan> = (1..=4).map(|version| plan("c", "p", version, 1)).collect();
    let turns = [None, Some("t1"), None, Some("t2")];
    for (version, turn) in versions.iter().zip(turns) {
        let mut batch = proposed("c", 2, version);
        batch.events[0].place.turn = turn.map(TurnId::from);
        append(&store, batch).unwrap();
    }
    let found: Vec<Option<TurnId>> =
        versions.iter().map(|version| store.turn_of(&reference(version)).unwrap()).collect();
    assert_eq!(found, [None, Some("t1".into()), Some("t1".into()), Some("t2".into())]);
}

#[test]
fn an_approval_binds_the_content_and_the_states_of_a_version_hold() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    let (first, second) = (plan("c", "p", 1, 1), plan("c", "p", 2, 3));
    append(&store, proposed("c", 2, &first)).unwrap();
    append(&store, proposed("c", 3, &second)).unwrap();
    let refused = |kind: EventKind| {
        matches!(append(&store, events(vec![draft(in_run("c", "r", None), 4, kind)])), Err(JournalError::Conflict(_)))
    };
    let mut forged = reference(&first);
    forged.digest = Digest::of_bytes(b"another");
    assert!(refused(EventKind::PlanApproved { plan: forged, by: Decider::User, note: None, starts: false }));
    assert!(refused(EventKind::RunQueued { plan: reference(&first) }));
    one(&store, place("c"), 5, EventKind::PlanRejected { plan: reference(&first), reason: None });
    assert!(refused(approved(&first)));
    one(&store, place("c"), 6, approved(&second));
    assert!(refused(approved(&second)));
    assert!(matches!(append(&store, proposed("c", 7, &second)), Err(JournalError::Conflict(_))));
    let comment = EventKind::Commented { plan: reference(&second), on: Some("s1".into()), text: "Why?".into() };
    one(&store, place("c"), 8, comment);

    let id = PlanId::from("p");
    let history: Vec<_> = store.history(&id).unwrap().into_iter().map(|row| (row.plan, row.status)).collect();
    assert_eq!(history, [(reference(&first), PlanStatus::Rejected), (reference(&second), PlanStatus::Approved)]);
    assert_eq!(store.plan("p", None).unwrap(), second);
    assert_eq!(store.plan("p", Some(1)).unwrap(), first);
    assert!(matches!(store.plan("p", Some(3)), Err(StoreError::NotFound { .. })));
    assert_eq!(store.plans(Some(&SessionId::from("c"))).unwrap(), std::slice::from_ref(&second));
    let standing =
        |run| PlanStanding { plan: id.clone(), version: 2, session: "c".into(), status: PlanStatus::Approved, run };
    assert_eq!(store.standings().unwrap(), [standing(None)]);
    one(&store, in_run("c", "r", None), 9, EventKind::RunQueued { plan: reference(&second) });
    assert_eq!(store.standings().unwrap(), [standing(Some(RunStatus::Queued))]);
    assert_eq!(store.versions(&id).unwrap(), [first, second.clone()]);
    let comments: Vec<_> = store.comments(&id).unwrap().into_iter().map(|row| (row.step, row.text)).collect();
    assert_eq!(comments, [(Some("s1".into()), "Why?".to_owned())]);
    let kept = PlanDraft { plan: second, updated_at: 9 };
    store.keep_draft(&id, Some(&kept)).unwrap();
    assert_eq!(store.draft(&id).unwrap(), Some(kept));
    store.keep_draft(&id, None).unwrap();
    assert_eq!(store.draft(&id).unwrap(), None);
}

#[test]
fn what_waits_for_approval_is_found_without_reading_the_documents_of_a_session() {
    let folder = Folder::new();
    let store = folder.open();
    started(&store, "c", "r", 1);
    let waiting = || store.waiting(&"c".into());
    let [first, second] = [1, 2].map(|version| Plan { version, ..plan("c", "p", 1, 1) });
    append(&store, proposed("c", 3, &first)).unwrap();
    assert_eq!(waiting(), Ok(Some(reference(&first))));
    append(&store, proposed("c", 4, &second)).unwrap();
    let file = rusqlite::Connection::open(store.path()).unwrap();
    file.execute("UPDATE plan_version SET document = 'no JSON'", []).unwrap();
    assert_eq!(waiting(), Ok(Some(reference(&second))));
    one(&store, place("c"), 5, EventKind::PlanRejected { plan: reference(&second), reason: None });
    assert_eq!(waiting(), Ok(None), "what was settled last waits no more, nor what it has taken the place of");
    assert!(matches!(store.waiting(&"none".into()), Err(StoreError::NotFound { .. })));
}

#[test]
fn a_beginning_of_an_id_is_enough_unless_several_begin_with_it() {
    let folder = Folder::new();
    let store = folder.open();
    for id in ["abc", "abd", "ab", "x%"] {
        one(&store, place(id), 1, created(id));
    }
    assert_eq!(store.session("abc").unwrap().title, "abc");
    assert_eq!(store.session("ab").unwrap().title, "ab");
    assert_eq!(store.session("x").unwrap().title, "x%");
    assert!(matches!(store.session("a"), Err(StoreError::Ambiguous { .. })));
    for unknown in ["", "%", "abcd", "ABC"] {
        assert!(matches!(store.session(unknown), Err(StoreError::NotFound { .. })), "{unknown}");
    }
    let listed = |filter: &ListFilter| -> Vec<String> {
        store.sessions(filter).unwrap().into_iter().map(|row| row.title).collect()
    };
    one(&store, place("ab"), 9, EventKind::SessionArchived { archived: true });
    one(&store, place("abc"), 8, message("hello"));
    assert_eq!(listed(&ListFilter::default()), ["abc", "x%", "abd"]);
    assert_eq!(listed(&ListFilter { archived: true, limit: 2, offset: 1 }), ["abc", "x%"]);
}

#[test]
fn listeners_are_told_of_every_event_in_order() {
    let folder = Folder::new();
    let store = folder.open();
    one(&store, place("c"), 1, created("Chat"));
    let mut heard = store.subscribe();
    for number in 0..10 {
        one(&store, place("c"), 2, message(&number.to_string()));
    }
    let told: Vec<_> = (0..10).map(|_| Arc::unwrap_or_clone(heard.blocking_recv().unwrap())).collect();
    assert_eq!(told, store.session_events(&SessionId::from("c"), 1).unwrap());
}

#[test]
fn settings_are_kept_by_key() {
    let folder = Folder::new();
    folder.open().set_setting("model", Some(&json!({"name": "starter", "seed": 7}))).unwrap();
    let store = folder.open();
    assert_eq!(store.setting("model").unwrap(), Some(json!({"name": "starter", "seed": 7})));
    store.set_setting("model", None).unwrap();
    assert_eq!((store.setting("model").unwrap(), store.setting("other").unwrap()), (None, None));
}

#[test]
fn a_list_that_two_processes_change_at_once_loses_nothing() {
    let folder = Folder::new();
    let (here, there) = (folder.open(), folder.open());
    std::thread::scope(|scope| {
        for (store, from) in [(&here, 0), (&there, 100)] {
            scope.spawn(move || {
                for number in from..from + 50 {
                    change_list(store.as_ref(), "numbers", |list: &mut Vec<u32>| {
                        list.push(number);
                        Ok::<_, StoreError>(())
                    })
                    .unwrap();
                }
            });
        }
    });
    let mut numbers: Vec<u32> = serde_json::from_value(here.setting("numbers").unwrap().unwrap()).unwrap();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..50).chain(100..150).collect::<Vec<_>>());
    let refused = change_list(here.as_ref(), "numbers", |list: &mut Vec<u32>| {
        list.clear();
        Err::<(), _>(StoreError::NotFound { kind: "number", id: "7".to_owned() })
    });
    assert!(refused.is_err() && here.setting("numbers").unwrap().is_some(), "a change that is refused changes nothing");
    change_list(here.as_ref(), "numbers", |list: &mut Vec<u32>| {
        list.clear();
        Ok::<_, StoreError>(())
    })
    .unwrap();
    assert_eq!(there.setting("numbers").unwrap(), None, "an empty list is none");
}

#[test]
fn fifty_earlier_contents_of_a_file_are_kept_across_restarts() {
    let folder = Folder::new();
    let path = std::path::Path::new("/w/notes.md");
    {
        let store = folder.open();
        one(&store, place("c"), 1, created("Chat"));
        let files = store.file_history(&SessionId::from("c"));
        files.remember(path, None, b"content 0").unwrap();
        for number in 0..60 {
            let (before, written) = (format!("content {number}"), format!("content {}", number + 1));
            files.remember(path, Some(before.as_bytes()), written.as_bytes()).unwrap();
        }
        files.remember(std::path::Path::new("/w/new.md"), None, b"new").unwrap();
    }
    let store = folder.open();
    let files = store.file_history(&SessionId::from("c"));
    for number in (10..60).rev() {
        let now = format!("content {}", number + 1);
        assert_eq!(files.take_back(path, Some(b"a person's words")).unwrap(), TakenBack::ChangedSince);
        let before = TakenBack::Content(Some(format!("content {number}").into_bytes()));
        assert_eq!(files.take_back(path, Some(now.as_bytes())).unwrap(), before);
    }
    assert_eq!(files.take_back(path, Some(b"content 10")).unwrap(), TakenBack::Nothing);
    assert_eq!(files.take_back(std::path::Path::new("/w/new.md"), None).unwrap(), TakenBack::Content(None));
    let nowhere = store.file_history(&SessionId::from("nowhere"));
    assert!(matches!(nowhere.remember(path, None, b""), Err(StoreError::NotFound { .. })));
}
