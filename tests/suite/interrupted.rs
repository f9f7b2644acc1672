//! A process that dies after a run was over and before its answer was written: the answer is not lost, and not given twice.

use std::sync::Arc;

use assent_core::ids::{RunId, SessionId};
use assent_core::plan::{NewStep, PlanEdit, PlanRef, import};
use assent_core::run::{
    Answer, Batch, Decider, Draft, Durability, EventKind, Journal as _, Place, Purpose, Reach, RunStatus, TurnStatus,
};
use assent_engine::clock::SystemClock;
use assent_engine::model::scripted::{Gate, Scripted};
use assent_engine::store::{Home, RunLocks, RunRow, Store};
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// The same folders as if the last process had died right after the end of the run.
fn died_before_the_answer(desk: &Desk) -> Desk {
    died_before(desk, 2, "answered,turn_ended")
}

/// The same folders as if the last process had died before it wrote these last events, the end of a turn among them.
fn died_before(desk: &Desk, lost: i64, kinds: &str) -> Desk {
    let database = desk.hold_database().unwrap();
    let last: i64 = database.query_row("SELECT max(seq) FROM event", [], |row| row.get(0)).unwrap();
    let said = "SELECT group_concat(name) FROM (SELECT name FROM event JOIN event_kind ON code = kind
                 WHERE seq > ?1 ORDER BY seq)";
    let said: String = database.query_row(said, [last - lost], |row| row.get(0)).unwrap();
    assert_eq!(said, kinds);
    let turn: i64 = database.query_row("SELECT turn FROM event WHERE seq = ?1", [last], |row| row.get(0)).unwrap();
    database.execute("DELETE FROM event WHERE seq > ?1", [last - lost]).unwrap();
    database.execute("UPDATE turn SET status = NULL WHERE key = ?1", [turn]).unwrap();
    database.execute_batch("COMMIT").unwrap();
    drop(database);
    desk.reopened()
}

/// What the turns of a session came to, oldest first.
fn ends(desk: &Desk, session: &SessionId) -> Vec<String> {
    let said = desk.events(session).into_iter().filter_map(|event| match event.kind {
        EventKind::Answered { .. } => Some("answered".to_owned()),
        EventKind::TurnEnded { status, .. } => Some(format!("{status:?}")),
        _ => None,
    });
    said.collect()
}

/// A run that is over, and whose answer is not yet written.
async fn read_without_an_answer() -> (Desk, RunRow) {
    let desk = Desk::with(&[("note.txt", "hello\n")]);
    desk.plans(&json!({"title": "Read", "steps": [{"tool": "read", "do": "Read note.txt", "expect": "text"}]}));
    desk.calls("read", json!({"path": "note.txt"}));
    desk.says("It says hello.");
    let session = desk.session().await;
    desk.send(&session, "What does note.txt say?", ApprovalPolicy::NeverAsk).await;
    let desk = died_before_the_answer(&desk);
    let run = desk.engine.runs().list(&session).unwrap().remove(0);
    (desk, run)
}

// covers: T65
#[tokio::test]
async fn the_answer_after_a_decision_or_a_reply_is_written_by_whoever_comes_next() {
    let never = CancellationToken::new();
    let cases = [("displayConfirmation", json!({"action": "go on"})), ("ask_user", json!({"question": "Which city?"}))];
    for (tool, arguments) in cases {
        let desk = Desk::with(&[]);
        desk.plans(&json!({"title": "Ask", "steps": [{"tool": tool, "do": "Ask first", "expect": "a word"}]}));
        desk.calls(tool, arguments);
        let session = desk.session().await;
        let end = desk.send(&session, "Ask me first.", ApprovalPolicy::NeverAsk).await;
        assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
        let open = desk.engine.requests().open().unwrap();
        let answer = match tool {
            "ask_user" => Answer::Value { value: json!("Berlin") },
            _ => Answer::Approve { arguments: None, note: None, reach: Reach::Once },
        };
        desk.says("It is settled.");
        desk.engine.turns().answer(&open[0].request.id, answer, &never).await.unwrap();
        assert_eq!(ends(&desk, &session), ["Asked", "answered", "Answered"]);

        let desk = died_before_the_answer(&desk);
        assert_eq!(ends(&desk, &session), ["Asked"]);
        assert_eq!(desk.engine.turns().unended().unwrap().len(), 1, "{tool}");
        let resumed = desk.engine.turns().resume(None, &never).await.unwrap();
        assert_eq!(resumed, [TurnEnd::Answered { session: session.clone() }]);
        assert_eq!(ends(&desk, &session), ["Asked", "answered", "Answered"]);
        assert_eq!(desk.answers(&session), ["It is settled."]);
        assert_eq!(desk.engine.turns().resume(None, &never).await.unwrap(), [], "it is written once");
    }
}

#[tokio::test]
async fn that_a_run_waits_for_a_person_is_written_by_whoever_comes_next() {
    let never = CancellationToken::new();
    let desk = Desk::with(&[]);
    let (session, run) = waits(&desk).await;
    let desk = died_before(&desk, 1, "turn_ended");
    assert_eq!((ends(&desk, &session), desk.engine.turns().unended().unwrap().len()), (Vec::new(), 1));
    let resumed = desk.engine.turns().resume(None, &never).await.unwrap();
    assert_eq!(resumed, [TurnEnd::Waiting { session: session.clone(), run }]);
    assert_eq!((ends(&desk, &session), desk.engine.turns().unended().unwrap()), (vec!["Asked".to_owned()], Vec::new()));
    assert_eq!(desk.engine.requests().open().unwrap().len(), 1);
    assert_eq!(desk.engine.turns().resume(None, &never).await.unwrap(), [], "it is written once");
}

#[tokio::test]
async fn a_turn_whose_run_another_still_has_in_hand_is_left_to_it() {
    let never = CancellationToken::new();
    // Whoever carried it on has not let go.
    let (desk, run) = read_without_an_answer().await;
    let session = run.session.clone();
    let held = RunLocks::new(&Home::at(&desk.home).unwrap()).try_lock(&run.id).unwrap();
    assert!(held.is_some());
    assert_eq!(desk.engine.turns().resume(None, &never).await.unwrap(), []);
    assert_eq!(ends(&desk, &session), [""; 0], "how it ended is for the other to say");
    drop(held);
    let resumed = desk.engine.turns().resume(None, &never).await.unwrap();
    assert_eq!(resumed, [TurnEnd::Answered { session: session.clone() }]);
    assert_eq!(ends(&desk, &session), ["answered", "Answered"]);
}

#[tokio::test]
async fn a_plan_that_was_approved_to_be_carried_out_is_so_by_whoever_comes_next_and_one_for_later_is_not() {
    let never = CancellationToken::new();
    for starts in [true, false] {
        let desk = Desk::with(&[("note.txt", "hello\n")]);
        let session = desk.session().await;
        desk.plans(&json!({"title": "Read", "steps": [{"tool": "read", "do": "Read note.txt", "expect": "text"}]}));
        let end = desk.send(&session, "What does note.txt say?", ApprovalPolicy::AlwaysAsk).await;
        let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
        match starts {
            true => desk.engine.turns().approve_to_run(&plan, Decider::User, None).await.unwrap(),
            false => desk.engine.turns().approve_for_later(&plan, Decider::User, None).await.unwrap(),
        }
        // The process dies before the run is written down.
        let later = desk.reopened();
        later.calls("read", json!({"path": "note.txt"}));
        later.says("It says hello.");
        let resumed = later.engine.turns().resume(None, &never).await.unwrap();
        let told = if starts { vec!["It says hello.".to_owned()] } else { Vec::new() };
        assert_eq!((resumed.len(), later.answers(&session)), (usize::from(starts), told));
        assert_eq!(later.engine.runs().list(&session).unwrap().len(), usize::from(starts));
        assert_eq!(later.engine.turns().resume(None, &never).await.unwrap(), [], "it is begun once");
    }
}

#[tokio::test]
async fn a_version_that_was_approved_in_a_turn_that_was_over_is_begun_by_whoever_comes_next() {
    let never = CancellationToken::new();
    let desk = Desk::with(&[]);
    let (session, _, second) = waits_while_a_later_version_is_there(&desk).await;
    desk.engine.turns().approve_to_run(&second, Decider::User, None).await.unwrap();
    // The process dies before the run is written down.
    let later = desk.reopened();
    later.calls("ask_user", json!({"question": "Which city?"}));
    later.says("Hello.");
    let resumed = later.engine.turns().resume(None, &never).await.unwrap();
    let runs = later.engine.runs().list(&session).unwrap();
    assert!(matches!(resumed[..], [TurnEnd::Waiting { .. }]), "{resumed:?}");
    assert_eq!(runs.iter().map(|run| run.plan.version).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(later.engine.turns().resume(None, &never).await.unwrap(), [], "it is begun once");
}

#[tokio::test]
async fn a_plan_from_elsewhere_has_a_turn_in_which_it_is_begun_and_answered_whoever_dies() {
    let never = CancellationToken::new();
    let desk = Desk::with(&[("note.txt", "hello\n")]);
    let session = desk.session().await;
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": "Read", "userMessage": "What does note.txt say?",
        "steps": [{"id": "s1", "description": "Read note.txt", "stepType": "tool", "requiredTools": ["read"]}]});
    let plan = import(&document.to_string()).unwrap();
    let plan = desk.engine.plans().import(plan, &session).await.unwrap();
    desk.engine.turns().approve_to_run(&plan, Decider::User, None).await.unwrap();
    // The process dies before the run is written down.
    let desk = desk.reopened();
    desk.calls("read", json!({"path": "note.txt"}));
    desk.says("It says hello.");
    let resumed = desk.engine.turns().resume(None, &never).await.unwrap();
    assert_eq!(resumed, [TurnEnd::Answered { session: session.clone() }]);
    // And once more before the answer is.
    let desk = died_before_the_answer(&desk);
    let resumed = desk.engine.turns().resume(None, &never).await.unwrap();
    assert_eq!(resumed, [TurnEnd::Answered { session: session.clone() }]);
    assert_eq!(ends(&desk, &session), ["answered", "Answered"]);
    assert_eq!(desk.answers(&session), ["It says hello."]);
    let events = desk.events(&session);
    let from = events.iter().position(|event| matches!(event.kind, EventKind::PlanProposed { .. })).unwrap();
    let turn = &events[from].place.turn;
    assert!(turn.is_some() && events[from..].iter().all(|event| event.place.turn == *turn), "{events:?}");
}

#[tokio::test]
async fn who_comes_while_an_approved_plan_is_being_begun_does_not_say_that_it_failed() {
    let never = CancellationToken::new();
    let desk = Desk::with(&[("note.txt", "hello\n")]);
    let session = desk.session().await;
    desk.plans(&json!({"title": "Read", "steps": [{"tool": "read", "do": "Read note.txt", "expect": "text"}]}));
    let end = desk.send(&session, "What does note.txt say?", ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    let turns = desk.engine.turns();
    turns.approve_to_run(&plan, Decider::User, None).await.unwrap();
    desk.calls("read", json!({"path": "note.txt"}));
    desk.says("It says hello.");
    // Both have looked before either can write.
    let held = desk.hold_database().unwrap();
    let (queued, resumed, ()) = tokio::join!(turns.queue(&plan), turns.resume(None, &never), async { drop(held) });
    queued.unwrap();
    assert_eq!(resumed.unwrap(), [TurnEnd::Answered { session: session.clone() }]);
    assert_eq!(ends(&desk, &session), ["answered", "Answered"]);
}

#[tokio::test]
async fn a_turn_whose_folder_goes_away_while_it_is_planned_ends_as_failed() {
    let desk = Desk::with(&[]);
    let session = desk.session().await;
    let gate = Gate::default();
    let reply = json!({"title": "Read", "steps": [{"tool": "read", "do": "Read note.txt", "expect": "text"}]});
    desk.model.push(Purpose::Plan, Scripted::text(reply.to_string()).behind(&gate));
    let goes = async {
        gate.reached().await;
        std::fs::remove_dir_all(&desk.workspace).unwrap();
        gate.open();
    };
    let (end, ()) = tokio::join!(desk.send(&session, "What does note.txt say?", ApprovalPolicy::AlwaysAsk), goes);
    assert_eq!(end, TurnEnd::Failed { session: session.clone() });
    assert_eq!(desk.engine.turns().unended().unwrap(), []);
    let last = desk.events(&session).pop().unwrap();
    let EventKind::TurnEnded { status: TurnStatus::Failed, error: Some(why) } = &last.kind else { panic!("{last:?}") };
    assert!(why.contains("put the folder back"), "{why}");
    assert!(desk.events(&session).iter().any(|event| matches!(event.kind, EventKind::ModelReplied { .. })));
}

/// A run that waits for a person.
async fn waits(desk: &Desk) -> (SessionId, RunId) {
    let session = desk.session().await;
    desk.plans(&json!({"title": "Ask", "steps": [{"tool": "ask_user", "do": "Ask first", "expect": "a word"}]}));
    desk.calls("ask_user", json!({"question": "Which city?"}));
    let end = desk.send(&session, "Ask me first.", ApprovalPolicy::NeverAsk).await;
    let TurnEnd::Waiting { run, .. } = end else { panic!("{end:?}") };
    (session, run)
}

/// The same, and a later version of its plan.
async fn waits_while_a_later_version_is_there(desk: &Desk) -> (SessionId, RunId, PlanRef) {
    let (session, run) = waits(desk).await;
    let row = desk.engine.plans().list(Some(&session)).unwrap().remove(0);
    let first = desk.engine.plans().get(row.id.as_str(), None).unwrap();
    let step = NewStep { description: "Say hello".into(), ..NewStep::default() };
    let second = desk.engine.plans().edit(&first, &[PlanEdit::AddStep { step }]).await.unwrap();
    (session, run, second)
}

#[tokio::test]
async fn the_late_end_of_an_earlier_run_does_not_end_the_turn_that_goes_on_with_a_later_version() {
    let never = CancellationToken::new();
    let desk = Desk::with(&[]);
    let (session, run, second) = waits_while_a_later_version_is_there(&desk).await;
    desk.engine.turns().approve_to_run(&second, Decider::User, None).await.unwrap();
    // Whoever had stopped it comes to its turn only now.
    desk.engine.turns().end_stopped(&run).await.unwrap();
    assert_eq!(ends(&desk, &session), ["Asked"]);
    let later = desk.reopened();
    later.calls("ask_user", json!({"question": "Which city?"}));
    let resumed = later.engine.turns().resume(None, &never).await.unwrap();
    assert!(matches!(resumed[..], [TurnEnd::Waiting { .. }]), "{resumed:?}");
    let runs = later.engine.runs().list(&session).unwrap();
    assert_eq!(runs.iter().map(|run| run.plan.version).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test]
async fn a_later_version_is_approved_after_whoever_is_about_to_write_how_the_earlier_run_ended() {
    let desk = Desk::with(&[]);
    let (session, run, second) = waits_while_a_later_version_is_there(&desk).await;
    let end = RunId::from(format!("end-{run}").as_str());
    let writing = RunLocks::new(&Home::at(&desk.home).unwrap()).try_lock(&end).unwrap();
    assert!(writing.is_some());
    let mut events = desk.engine.changes();
    let turns = desk.engine.turns();
    let approved = turns.approve_to_run(&second, Decider::User, None);
    let told = async {
        while !matches!(events.recv().await.unwrap().kind, EventKind::RunEnded { .. }) {}
        let turn = desk.engine.runs().list(&session).unwrap().remove(0).turn;
        let place = Place { session: session.clone(), turn, run: None, step: None };
        let kind = EventKind::TurnEnded { status: TurnStatus::Cancelled, error: None };
        let events = vec![Draft { place, at: 0, kind }];
        let store = Store::open(&Home::at(&desk.home).unwrap(), Arc::new(SystemClock)).unwrap();
        store.append(Batch { events, ..Batch::default() }, Durability::Committed).await.unwrap();
        drop(writing);
    };
    let (approved, ()) = tokio::join!(approved, told);
    approved.unwrap();
    let last = desk.events(&session).into_iter().next_back().unwrap();
    assert!(matches!(last.kind, EventKind::PlanApproved { starts: true, .. }), "{last:?}");
}

/// A run whose decision was answered and whose end is written while somebody else is about to write how it stood: how
/// it ended is written after that.
#[tokio::test]
async fn the_end_of_a_run_is_written_after_whoever_is_about_to_write_that_it_waits() {
    let never = CancellationToken::new();
    let desk = Desk::with(&[]);
    desk.plans(
        &json!({"title": "Ask", "steps": [{"tool": "displayConfirmation", "do": "Ask first", "expect": "a word"}]}),
    );
    desk.calls("displayConfirmation", json!({"action": "go on"}));
    let session = desk.session().await;
    desk.send(&session, "Ask me first.", ApprovalPolicy::NeverAsk).await;
    let open = desk.engine.requests().open().unwrap().remove(0).request;
    let run = desk.engine.runs().list(&session).unwrap().remove(0).id;
    let end = RunId::from(format!("end-{run}").as_str());
    let writing = RunLocks::new(&Home::at(&desk.home).unwrap()).try_lock(&end).unwrap();
    assert!(writing.is_some());
    desk.says("It is settled.");
    let mut events = desk.engine.changes();
    let turns = desk.engine.turns();
    let answered = turns.answer(&open.id, Answer::Approve { arguments: None, note: None, reach: Reach::Once }, &never);
    let over = async {
        while !matches!(events.recv().await.unwrap().kind, EventKind::RunEnded { .. }) {}
        // What follows needs nothing but its turn: whoever does not wait is through.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        drop(writing);
    };
    let (end, ()) = tokio::join!(answered, over);
    assert_eq!(end.unwrap(), TurnEnd::Answered { session: session.clone() });
    assert_eq!(ends(&desk, &session), ["Asked", "answered", "Answered"]);
}

#[tokio::test]
async fn a_turn_that_is_said_to_wait_after_its_run_was_over_is_given_its_answer() {
    let never = CancellationToken::new();
    let (desk, run) = read_without_an_answer().await;
    let place = Place { session: run.session.clone(), turn: run.turn.clone(), run: None, step: None };
    let late = Draft { place, at: 0, kind: EventKind::TurnEnded { status: TurnStatus::Asked, error: None } };
    let store = Store::open(&Home::at(&desk.home).unwrap(), Arc::new(SystemClock)).unwrap();
    store.append(Batch { events: vec![late], ..Batch::default() }, Durability::Committed).await.unwrap();
    desk.engine.turns().carry_on(&run.id, None, &never).await.unwrap();
    assert_eq!(ends(&desk, &run.session), ["Asked", "answered", "Answered"]);
}

#[tokio::test]
async fn a_stop_ends_the_run_that_goes_on_and_none_of_those_that_have_not_begun_again() {
    let desk = Desk::with(&[("note.txt", "hello\n")]);
    let mut runs = Vec::new();
    for _ in 0..2 {
        let session = desk.session().await;
        desk.plans(&json!({"title": "Read", "steps": [{"tool": "read", "do": "Read note.txt", "expect": "text"}]}));
        let end = desk.send(&session, "What does note.txt say?", ApprovalPolicy::AlwaysAsk).await;
        let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
        desk.engine.turns().approve_for_later(&plan, Decider::User, None).await.unwrap();
        runs.push(desk.engine.turns().queue(&plan).await.unwrap().0);
    }
    let stopped = CancellationToken::new();
    stopped.cancel();
    let later = desk.reopened();
    assert_eq!(later.engine.turns().resume(None, &stopped).await.unwrap(), []);
    for run in runs {
        assert_eq!(later.engine.runs().get(&run).unwrap().state.status(), RunStatus::Queued);
    }
}

#[tokio::test]
async fn a_stop_that_nobody_was_left_to_finish_is_finished_by_whoever_comes_next() {
    let never = CancellationToken::new();
    for resumes in [true, false] {
        let desk = Desk::with(&[]);
        desk.plans(
            &json!({"title": "Ask", "steps": [{"tool": "displayConfirmation", "do": "Ask", "expect": "a word"}]}),
        );
        desk.calls("displayConfirmation", json!({"action": "go on"}));
        let session = desk.session().await;
        let end = desk.send(&session, "Ask me first.", ApprovalPolicy::NeverAsk).await;
        assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
        let run = desk.engine.runs().list(&session).unwrap().remove(0).id;

        // Somebody has the run in hand while it is stopped, and both die.
        let held = RunLocks::new(&Home::at(&desk.home).unwrap()).try_lock(&run).unwrap();
        desk.engine.runs().cancel(&run).await.unwrap();
        drop(held);
        let later = desk.reopened();
        let state = later.engine.runs().get(&run).unwrap().state;
        assert!(state.stop_asked() && state.status().is_waiting());

        match resumes {
            true => drop(later.engine.turns().resume(None, &never).await.unwrap()),
            false => later.engine.turns().finish_stops(&never).await.unwrap(),
        }
        let state = later.engine.runs().get(&run).unwrap().state;
        assert_eq!((state.status(), state.open_requests().count()), (RunStatus::Cancelled, 0));
        assert_eq!(later.engine.requests().open().unwrap().len(), 0);
    }
}

#[tokio::test]
async fn an_answer_waits_for_whoever_only_looks_at_the_run_and_carries_it_on() {
    let desk = Desk::with(&[]);
    desk.plans(&json!({"title": "Ask", "steps": [{"tool": "ask_user", "do": "Ask which", "expect": "a word"}]}));
    desk.calls("ask_user", json!({"question": "Which?"}));
    let session = desk.session().await;
    desk.send(&session, "Ask me which", ApprovalPolicy::NeverAsk).await;
    let run = desk.engine.runs().list(&session).unwrap().remove(0);
    let asked = desk.engine.requests().open().unwrap().remove(0).request;
    let never = CancellationToken::new();
    let answer = Answer::Value { value: json!("this one") };
    desk.says("It is this one.");
    let (_, turn) = desk.engine.turns().record_answer(&asked.id, answer, None).await.unwrap();
    let held = RunLocks::new(&Home::at(&desk.home).unwrap()).try_lock(&run.id).unwrap();
    let turns = desk.engine.turns();
    // Who holds it lets go without having carried anything on, as who finds that a step cannot be done again.
    let (end, ()) = tokio::join!(turns.carry_on(&run.id, turn, &never), async { drop(held) });
    assert_eq!(end.unwrap(), TurnEnd::Answered { session: session.clone() });
}

#[tokio::test]
async fn a_stop_writes_the_end_of_a_turn_whose_answer_found_the_run_taken_by_it() {
    // covers: T65
    let desk = Desk::with(&[]);
    desk.plans(&json!({"title": "Ask", "steps": [{"tool": "ask_user", "do": "Ask which", "expect": "a word"}]}));
    desk.calls("ask_user", json!({"question": "Which?"}));
    let session = desk.session().await;
    desk.send(&session, "Ask me which", ApprovalPolicy::NeverAsk).await;
    let run = desk.engine.runs().list(&session).unwrap().remove(0);
    let asked = desk.engine.requests().open().unwrap().remove(0).request;
    let held = RunLocks::new(&Home::at(&desk.home).unwrap()).try_lock(&run.id).unwrap();
    let answer = Answer::Value { value: json!("this one") };
    desk.engine.turns().answer(&asked.id, answer, &CancellationToken::new()).await.unwrap_err();
    drop(held);
    desk.engine.runs().cancel(&run.id).await.unwrap();
    assert_eq!(desk.engine.turns().unended().unwrap(), []);
    assert_eq!(ends(&desk, &session).last().unwrap(), "Cancelled");
}
