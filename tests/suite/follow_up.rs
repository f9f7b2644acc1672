//! Messages that go on from what was done, change a waiting plan, or have nothing to do with either.

use assent_core::ids::SessionId;
use assent_core::plan::PlanRef;
use assent_core::run::{CallState, EventKind, Purpose, RunStatus};
use assent_engine::model::ModelError;
use assent_engine::model::scripted::{Gate, Scripted};
use assent_engine::store::PlanStatus;
use assent_engine::turn::{ApprovalPolicy, TurnEnd};
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn desk() -> Desk {
    Desk::with(&[("a.txt", "Berlin\nin berlin\n"), ("b.txt", "Hamburg\n")])
}

fn counting() -> Value {
    json!({"title": "Count", "steps": [
        {"tool": "grep", "do": "Find the lines that contain \"berlin\"", "expect": "counts"},
        {"tool": "create_file", "do": "Write counts.md with the numbers", "expect": "counts.md"},
    ]})
}

/// What a message is to the plan before it, as a model says it.
fn is(desk: &Desk, word: &str) {
    desk.model.push(Purpose::Relation, Scripted::text(json!({"message": word}).to_string()));
}

/// A session in which lines were counted.
async fn counted(desk: &Desk) -> SessionId {
    desk.plans(&counting());
    desk.calls("grep", json!({"pattern": "berlin"}));
    desk.says("two");
    desk.calls("create_file", json!({"path": "counts.md", "content": "a.txt 2\n"}));
    desk.says("The numbers are in counts.md.");
    let session = desk.session().await;
    desk.send(&session, "Count the lines about Berlin into counts.md", ApprovalPolicy::NeverAsk).await;
    session
}

fn sent(desk: &Desk, at: usize) -> String {
    format!("{:?}", desk.model.requests()[at].messages)
}

fn calls_started(desk: &Desk, session: &SessionId) -> usize {
    desk.events(session).iter().filter(|event| matches!(event.kind, EventKind::CallStarted { .. })).count()
}

#[tokio::test]
async fn a_message_that_goes_on_is_the_next_version_and_nothing_is_done_twice() {
    let desk = desk();
    let session = counted(&desk).await;
    let before = desk.model.requests().len();
    is(&desk, "earlier");
    desk.plans(&json!({"title": "Also sorted", "steps": [
        {"tool": "create_file", "do": "Write sorted.md: the numbers, highest first", "expect": "sorted.md"},
    ]}));
    desk.calls("create_file", json!({"path": "sorted.md", "content": "a.txt 2\nb.txt 0\n"}));
    desk.says("sorted.md has them in order.");
    let end = desk.send(&session, "Now also write them sorted to sorted.md", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    assert_eq!(desk.file("sorted.md").as_deref(), Some("a.txt 2\nb.txt 0\n"));
    assert_eq!(calls_started(&desk, &session), 3, "the two calls of the first version are not made again");

    let plans = desk.engine.plans().list(Some(&session)).unwrap();
    assert_eq!((plans.len(), plans[0].version, plans[0].supersedes, plans[0].steps.len()), (1, 2, Some(1), 3));
    let statuses: Vec<PlanStatus> =
        desk.engine.plans().history(&plans[0].id).unwrap().into_iter().map(|row| row.status).collect();
    assert_eq!(statuses, [PlanStatus::Superseded, PlanStatus::Approved]);
    // Judged by what was planned before, planned with what it gave, and carried out knowing the same.
    assert!(sent(&desk, before).contains("Count the lines about Berlin into counts.md"), "{}", sent(&desk, before));
    for request in [before + 1, before + 2] {
        assert!(sent(&desk, request).contains("a.txt"), "{}", sent(&desk, request));
    }
    assert!(sent(&desk, before + 1).contains("s1. Find the lines that contain"), "{}", sent(&desk, before + 1));
    // The answer belongs to the turn of the new message.
    let events = desk.events(&session);
    let last_message = events.iter().rev().find(|event| matches!(event.kind, EventKind::MessageReceived { .. }));
    let last_answer = events.iter().rev().find(|event| matches!(event.kind, EventKind::Answered { .. }));
    assert_eq!(last_message.unwrap().place.turn, last_answer.unwrap().place.turn);
}

#[tokio::test]
async fn a_report_may_count_what_an_earlier_version_did_and_nothing_else() {
    let said = [
        ("I have saved the numbers to counts.md.", false),
        ("I have saved the numbers to report.md.", true),
        ("I have sent the numbers to Anna.", true),
    ];
    for (says, marked) in said {
        let desk = desk();
        let session = counted(&desk).await;
        is(&desk, "earlier");
        desk.plans(&json!({"title": "Hamburg too", "steps": [
            {"tool": "grep", "do": "Find the lines that contain \"hamburg\"", "expect": "counts"},
        ]}));
        desk.calls("grep", json!({"pattern": "hamburg"}));
        for _ in 0..3 {
            desk.says(says);
        }
        desk.send(&session, "Now also look for Hamburg", ApprovalPolicy::NeverAsk).await;
        assert_eq!(calls_started(&desk, &session), 3, "what was done before is taken over");
        let is_mark = |kind: &EventKind| match kind {
            EventKind::Warned { message } => message.contains("no call stands behind that"),
            _ => false,
        };
        assert_eq!(desk.events(&session).iter().any(|event| is_mark(&event.kind)), marked, "{says}");
    }
}

#[tokio::test]
async fn another_matter_is_planned_as_if_nothing_had_been_before() {
    let desk = desk();
    let session = counted(&desk).await;
    is(&desk, "new");
    desk.plans(&json!({"title": "Largest", "steps": [{"tool": "glob", "do": "List *.txt", "expect": "names"}]}));
    desk.calls("glob", json!({"pattern": "*.txt"}));
    desk.says("Two files.");
    let end = desk.send(&session, "Which text files are in this folder?", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    let plans = desk.engine.plans().list(Some(&session)).unwrap();
    assert_eq!(desk.model.left(), 0);
    let shapes: Vec<_> = plans.iter().map(|plan| (plan.version, plan.steps.len())).collect();
    assert_eq!(shapes, [(1, 1), (1, 2)], "a plan of its own");
}

#[tokio::test]
async fn continue_takes_up_what_failed_and_keeps_what_was_completed() {
    let desk = desk();
    desk.plans(&counting());
    desk.calls("grep", json!({"pattern": "berlin"}));
    desk.says("two");
    let offline = ModelError::Offline { endpoint: "http://x".into(), reason: "refused".into() };
    desk.model.push(Purpose::Step, Scripted::failure(offline));
    let session = desk.session().await;
    let end = desk.send(&session, "Count the lines about Berlin into counts.md", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Failed { session: session.clone() });

    is(&desk, "earlier");
    desk.plans(&counting());
    desk.calls("create_file", json!({"path": "counts.md", "content": "a.txt 2\n"}));
    desk.says("Done.");
    let end = desk.send(&session, "continue", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    assert_eq!(calls_started(&desk, &session), 2, "the search is taken over");
    assert!(desk.file("counts.md").is_some());
}

/// A session that waits to hear which city is meant.
async fn asked(desk: &Desk, options: Value) -> SessionId {
    desk.plans(&json!({"title": "Ask", "steps": [
        {"tool": "ask_user", "do": "Ask which city is meant", "expect": "a city"},
        {"tool": "grep", "do": "Find the lines with that city", "expect": "counts"},
    ]}));
    desk.calls("ask_user", json!({"question": "Which city?", "options": options}));
    let session = desk.session().await;
    let end = desk.send(&session, "Count the lines about the city", ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    session
}

fn answers_and_searches(desk: &Desk) {
    desk.says("Berlin it is.");
    desk.calls("grep", json!({"pattern": "Berlin"}));
    desk.says("Two lines.");
}

// covers: H24
#[tokio::test]
async fn an_option_or_its_number_answers_without_asking_a_model_what_is_meant() {
    for text in ["berlin", " Berlin ", "1"] {
        let desk = desk();
        let session = asked(&desk, json!(["Berlin", "Hamburg"])).await;
        answers_and_searches(&desk);
        let end = desk.send(&session, text, ApprovalPolicy::NeverAsk).await;
        assert_eq!(end, TurnEnd::Answered { session }, "{text}");
        assert_eq!(desk.model.left(), 0);
    }
}

#[tokio::test]
async fn free_text_that_answers_goes_to_the_step_that_asked() {
    let desk = desk();
    let session = asked(&desk, json!([])).await;
    is(&desk, "answer");
    answers_and_searches(&desk);
    let end = desk.send(&session, "the one in the east", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    assert_eq!(desk.engine.requests().open().unwrap(), []);
    let run = &desk.engine.runs().list(&session).unwrap()[0];
    let carried = desk.engine.runs().get(&run.id).unwrap();
    let ended = carried.state.ledger().iter().find(|entry| entry.tool == "ask_user").map(|entry| entry.state.clone());
    let Some(CallState::Ended(end)) = ended else { panic!("{ended:?}") };
    assert_eq!(desk.engine.content(&end.output).unwrap(), json!("the one in the east"));
    assert_eq!(
        desk.events(&session).iter().filter(|event| matches!(event.kind, EventKind::MessageReceived { .. })).count(),
        2
    );
}

#[tokio::test]
async fn a_change_of_mind_is_a_new_version_and_the_question_stays_until_it_is_approved() {
    let desk = desk();
    let session = asked(&desk, json!(["Berlin", "Hamburg"])).await;
    is(&desk, "change");
    desk.plans(&json!({"title": "All", "steps": [{"tool": "glob", "do": "List all files", "expect": "names"}]}));
    let end = desk.send(&session, "Never mind, list all files instead", ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    assert_eq!(plan.version, 2);
    assert_eq!(desk.engine.requests().open().unwrap().len(), 1, "the first version can still be answered");

    desk.calls("glob", json!({"pattern": "*"}));
    desk.says("Two files.");
    let cancel = CancellationToken::new();
    let end = desk.engine.turns().approve(&plan, assent_core::run::Decider::User, None, &cancel).await.unwrap();
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    assert_eq!(desk.engine.requests().open().unwrap(), []);
    let statuses: Vec<RunStatus> = desk.engine.runs().list(&session).unwrap().iter().map(|run| run.status).collect();
    assert_eq!(statuses, [RunStatus::Cancelled, RunStatus::Completed]);
}

#[tokio::test]
async fn another_matter_leaves_the_question_open() {
    let desk = desk();
    let session = asked(&desk, json!([])).await;
    is(&desk, "other");
    desk.plans(&json!({"title": "Latency", "answer": "The time until something begins."}));
    let end = desk.send(&session, "By the way, what does latency mean?", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    assert_eq!(desk.engine.requests().open().unwrap().len(), 1);
    // The card still takes an answer.
    let request = desk.engine.requests().open().unwrap().remove(0).request;
    answers_and_searches(&desk);
    let answer = assent_core::run::Answer::Value { value: json!("Berlin") };
    let end = desk.engine.turns().answer(&request.id, answer, &CancellationToken::new()).await.unwrap();
    assert_eq!(end, TurnEnd::Answered { session });
}

#[tokio::test]
async fn an_answer_is_not_lost_when_no_model_can_say_what_is_meant() {
    let desk = desk();
    let session = asked(&desk, json!([])).await;
    let offline = ModelError::Offline { endpoint: "http://x".into(), reason: "refused".into() };
    desk.model.push(Purpose::Relation, Scripted::failure(offline));
    answers_and_searches(&desk);
    let end = desk.send(&session, "the one in the east", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session });
}

#[tokio::test]
async fn an_unclear_word_of_the_model_answers_a_question_and_leaves_finished_work_alone() {
    let desk = desk();
    let session = asked(&desk, json!([])).await;
    is(&desk, "perhaps");
    answers_and_searches(&desk);
    let end = desk.send(&session, "the one in the east", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });

    is(&desk, "perhaps");
    desk.plans(&json!({"title": "Hi", "answer": "Hello!"}));
    let end = desk.send(&session, "Hello again", ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    assert_eq!(desk.engine.plans().list(Some(&session)).unwrap()[0].version, 1);
}

/// A version that waits for approval beside the question of the one before it.
async fn changed(desk: &Desk, options: Value) -> (SessionId, PlanRef) {
    let session = asked(desk, options).await;
    is(desk, "change");
    desk.plans(&json!({"title": "All", "steps": [{"tool": "glob", "do": "List all files", "expect": "names"}]}));
    let end = desk.send(&session, "List all files instead", ApprovalPolicy::AlwaysAsk).await;
    let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
    (session, plan)
}

fn statuses(desk: &Desk, plan: &PlanRef) -> Vec<PlanStatus> {
    desk.engine.plans().history(&plan.id).unwrap().into_iter().map(|row| row.status).collect()
}

#[tokio::test]
async fn a_plan_that_is_made_again_answers_no_question_that_is_open() {
    use PlanStatus::{Approved, Proposed, Rejected};
    let offline = || ModelError::Offline { endpoint: "http://x".into(), reason: "refused".into() };
    for unread in [Scripted::text("perhaps"), Scripted::text(r#"{"message":"answer"}"#), Scripted::failure(offline())] {
        let desk = desk();
        let (session, plan) = changed(&desk, json!([])).await;
        desk.model.push(Purpose::Relation, unread);
        desk.plans(&json!({"title": "Two", "steps": [{"tool": "glob", "do": "List two files", "expect": "names"}]}));
        let end = desk.engine.turns().again(&plan, Some("shorter".into()), &CancellationToken::new()).await.unwrap();
        let TurnEnd::AwaitingApproval { plan: next, .. } = end else { panic!("{end:?}") };
        assert_eq!((desk.engine.requests().open().unwrap().len(), calls_started(&desk, &session)), (1, 1));
        assert!(statuses(&desk, &plan).starts_with(&[Approved, Rejected]), "{:?}", statuses(&desk, &plan));
        assert_eq!(statuses(&desk, &next).last(), Some(&Proposed));
    }
}

#[tokio::test]
async fn a_plan_that_was_to_be_made_again_when_the_program_died_answers_no_question_either() {
    use PlanStatus::{Approved, Proposed, Rejected};
    let desk = desk();
    let (session, plan) = changed(&desk, json!(["Berlin", "Hamburg"])).await;
    {
        let gate = Gate::default();
        desk.model.push(Purpose::Relation, Scripted::text(r#"{"message":"change"}"#).behind(&gate));
        let cancel = CancellationToken::new();
        tokio::select! {
            _ = desk.engine.turns().again(&plan, None, &cancel) => panic!("the gate is closed"),
            () = gate.reached() => {}
        }
    }
    let later = desk.reopened();
    is(&later, "change");
    later.plans(&json!({"title": "Two", "steps": [{"tool": "glob", "do": "List two files", "expect": "names"}]}));
    let ends = later.engine.turns().resume(None, &CancellationToken::new()).await.unwrap();
    assert!(matches!(ends[..], [TurnEnd::AwaitingApproval { .. }]), "{ends:?}");
    assert_eq!((later.engine.requests().open().unwrap().len(), calls_started(&later, &session)), (1, 1));
    assert_eq!(statuses(&later, &plan), [Approved, Rejected, Proposed]);
}
