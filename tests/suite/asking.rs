//! What a card says that asks: the risk of this very call, and why it is asked.

use assent_core::contract::Risk;
use assent_core::ids::{RequestId, SessionId};
use assent_core::plan::import;
use assent_core::run::{Answer, Decider, EventKind, Purpose, Reach, RequestKind, RequestStatus, RunStatus};
use assent_engine::model::scripted::{Gate, Scripted};
use assent_engine::store::RequestRow;
use assent_engine::tool::sandbox;
use assent_engine::turn::{ApprovalPolicy, Message, TurnEnd};
use assent_tests::desk::Desk;
use assent_tests::needs::missing;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn steps(steps: &Value) -> Value {
    json!({"title": "Tidy up", "steps": steps})
}

#[tokio::test]
async fn a_command_that_deletes_everything_asks_as_destructive_with_its_reason() {
    let desk = Desk::with(&[("a.txt", "a\n")]);
    desk.plans(&steps(&json!([{"tool": "bash", "do": "Empty the folder", "expect": "an empty folder"}])));
    desk.calls("bash", json!({"command": "rm -rf ./*"}));
    let session = desk.session().await;
    let end = desk.send(&session, "Empty this folder.", ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let open = desk.engine.requests().open().unwrap();
    let request = &open[0].request;
    assert_eq!((request.kind, request.risk), (RequestKind::Permit, Some(Risk::Destructive)));
    let reason = "This always asks: it deletes everything, or more than its text tells.";
    assert_eq!(request.reason.as_deref(), Some(reason));
    assert_eq!(request.arguments.as_ref().unwrap()["command"], json!("rm -rf ./*"));
    assert!(desk.file("a.txt").is_some(), "nothing has happened yet");
    let asked = desk.events(&session).into_iter().find_map(|event| match event.kind {
        EventKind::RequestOpened { request } => request.risk,
        _ => None,
    });
    assert_eq!(asked, Some(Risk::Destructive), "whoever reads the history sees it too");

    desk.says("It was not allowed.");
    let reject = Answer::Reject { reason: Some("keep them".into()) };
    desk.engine.turns().answer(&request.id, reject, &CancellationToken::new()).await.unwrap();
    assert!(desk.file("a.txt").is_some());
    let starts = desk.events(&session).into_iter().any(|event| matches!(event.kind, EventKind::CallStarted { .. }));
    assert!(!starts);
}

// covers: T65
#[tokio::test]
async fn a_confirmation_shows_the_risk_of_what_it_lets_happen() {
    let confirm = json!({"tool": "displayConfirmation", "do": "Ask before writing", "expect": "a yes"});
    let write = json!({"tool": "create_file", "do": "Write b.txt", "expect": "b.txt"});
    let look = json!({"tool": "grep", "do": "Find berlin", "expect": "lines"});
    for (then, risk) in [(Some(write), Some(Risk::Write)), (Some(look), None), (None, None)] {
        let desk = Desk::with(&[("a.txt", "Berlin\n")]);
        desk.plans(&steps(&[confirm.clone()].into_iter().chain(then).collect()));
        desk.calls("displayConfirmation", json!({"action": "go on"}));
        let session = desk.session().await;
        let end = desk.send(&session, "Go on, but ask me first.", ApprovalPolicy::NeverAsk).await;
        assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
        let open = desk.engine.requests().open().unwrap();
        assert_eq!((open[0].request.kind, open[0].request.risk), (RequestKind::Confirm, risk));
        if risk.is_none() {
            continue;
        }
        desk.says("The answer was yes.");
        desk.calls("create_file", json!({"path": "b.txt", "content": "Berlin\n"}));
        desk.says("b.txt is written.");
        let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
        let end = desk.engine.turns().answer(&open[0].request.id, yes, &CancellationToken::new()).await.unwrap();
        assert_eq!(end, TurnEnd::Answered { session: session.clone() });
        assert_eq!(desk.file("b.txt").as_deref(), Some("Berlin\n"));
        assert_eq!(desk.engine.runs().list(&session).unwrap()[0].status, RunStatus::Completed);
    }
}

#[tokio::test]
async fn a_confirmation_shows_the_risk_of_what_its_own_step_and_those_after_it_do() {
    let confirm = || ("displayConfirmation", json!({"action": "go on"}));
    let write = || ("create_file", json!({"path": "b.txt", "content": "Berlin\n"}));
    let step =
        |tools: &[&str]| json!({"id": "s1", "description": "Write b.txt", "stepType": "tool", "requiredTools": tools});
    for (tools, calls, risk) in [
        (&["displayConfirmation", "create_file"][..], vec![confirm()], Some(Risk::Write)),
        (&["displayConfirmation"][..], vec![confirm(), write()], Some(Risk::Write)),
        (&["displayConfirmation"][..], vec![confirm(), ("grep", json!({"pattern": "Berlin"}))], None),
    ] {
        let desk = Desk::with(&[("a.txt", "Berlin\n")]);
        let session = desk.session().await;
        let document = json!({
            "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": session.as_str(), "title": "Write",
            "userMessage": "Write Berlin to b.txt, but ask me first.", "steps": [step(tools)],
        });
        let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
        desk.model.push(Purpose::Step, Scripted::calls(calls));
        desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
        let open = desk.engine.requests().open().unwrap();
        assert_eq!((open[0].request.kind, open[0].request.risk), (RequestKind::Confirm, risk), "{tools:?}");
    }
}

#[tokio::test]
async fn a_question_shows_no_risk() {
    let desk = Desk::with(&[]);
    let ask = json!({"tool": "ask_user", "do": "Ask for the city", "expect": "a city"});
    let write = json!({"tool": "create_file", "do": "Write b.txt", "expect": "b.txt"});
    desk.plans(&steps(&json!([ask, write])));
    desk.calls("ask_user", json!({"question": "Which city?"}));
    let session = desk.session().await;
    desk.send(&session, "Write the city to b.txt.", ApprovalPolicy::NeverAsk).await;
    assert_eq!(desk.engine.requests().open().unwrap()[0].request.risk, None);
}

/// A session in which two steps ask at the same time, and what they ask.
async fn two_questions(desk: &Desk) -> (SessionId, [RequestRow; 2]) {
    let session = desk.session().await;
    let step = |id: &str| json!({"id": id, "description": "Ask which city", "stepType": "tool", "requiredTools": ["ask_user"]});
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": "Ask", "userMessage": "Ask me which city, twice.", "steps": [step("s1"), step("s2")]});
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
    for question in ["From which city?", "To which city?"] {
        desk.calls("ask_user", json!({"question": question, "options": ["Berlin", "Hamburg"]}));
    }
    desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
    (session, desk.engine.requests().open().unwrap().try_into().unwrap())
}

#[tokio::test]
async fn a_message_answers_the_question_below_which_it_was_written_else_the_oldest() {
    for named in [false, true] {
        let desk = Desk::with(&[]);
        let never = CancellationToken::new();
        let (session, [first, second]) = two_questions(&desk).await;
        let (first, second) = (&first, &second);
        let (meant, other) = if named { (second, first) } else { (first, second) };
        let answers = named.then(|| second.request.id.clone());
        let message = Message { session: session.clone(), text: "Hamburg".into(), policy: None, answers };
        desk.says("It is known now.");
        let end = desk.engine.turns().send(message, &never).await.unwrap();
        assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
        let status = |row: &RequestRow| desk.engine.requests().get(row.request.id.as_str()).unwrap().status;
        assert_eq!((status(meant), status(other)), (RequestStatus::Answered, RequestStatus::Open), "{named}");
    }
}

/// Somebody else was quicker, or the run was stopped, while it was written.
#[tokio::test]
async fn a_message_below_a_question_that_is_settled_answers_no_other_one() {
    let desk = Desk::with(&[]);
    let never = CancellationToken::new();
    let (session, open) = two_questions(&desk).await;
    let [first, second] = open.map(|row| row.request.id);
    let berlin = Answer::Value { value: json!("Berlin") };
    desk.says("It is known now.");
    desk.engine.turns().answer(&first, berlin, &never).await.unwrap();
    let turns = || desk.engine.sessions().events(&session, 0).unwrap().len();
    let before = turns();
    for text in ["Hamburg", "The one by the sea"] {
        let message =
            Message { session: session.clone(), text: text.into(), policy: None, answers: Some(first.clone()) };
        let refused = desk.engine.turns().send(message, &never).await.unwrap_err();
        assert_eq!(refused.to_string(), format!("request {first} is already answered"));
    }
    assert_eq!(turns(), before, "nothing was said");
    assert_eq!(desk.engine.requests().get(second.as_str()).unwrap().status, RequestStatus::Open);
}

#[tokio::test]
async fn a_message_whose_process_died_while_it_was_read_goes_to_the_question_below_which_it_was_written() {
    let desk = Desk::with(&[]);
    let never = CancellationToken::new();
    let (session, open) = two_questions(&desk).await;
    let [first, second] = open.map(|row| row.request.id);
    let gate = Gate::default();
    desk.model.push(Purpose::Relation, Scripted::text(r#"{"message":"answer"}"#).behind(&gate));
    let text = "The one by the sea".to_owned();
    let message = Message { session: session.clone(), text, policy: None, answers: Some(second.clone()) };
    let work = desk.engine.turns().send(message, &never);
    tokio::select! {
        _ = work => panic!("the gate is closed"),
        () = gate.reached() => {}
    }
    let later = desk.reopened();
    later.model.push(Purpose::Relation, Scripted::text(r#"{"message":"answer"}"#));
    later.says("It is known now.");
    later.engine.turns().resume(None, &never).await.unwrap();
    let answered = later.engine.requests().get(second.as_str()).unwrap();
    let sea = Answer::Value { value: json!("The one by the sea") };
    assert_eq!((answered.status, answered.answer), (RequestStatus::Answered, Some(sea)));
    assert_eq!(later.engine.requests().get(first.as_str()).unwrap().status, RequestStatus::Open);
}

/// What was said in a session by answers, with the question of each.
fn said(desk: &Desk, session: &SessionId) -> Vec<(String, Option<RequestId>)> {
    let said = desk.events(session).into_iter().filter_map(|event| match event.kind {
        EventKind::MessageReceived { text, answers, .. } => Some((text, answers)),
        _ => None,
    });
    said.collect()
}

#[tokio::test]
async fn an_answer_stands_in_the_chat_as_it_was_typed_and_one_from_a_card_in_words() {
    let desk = Desk::with(&[]);
    let never = CancellationToken::new();
    let (session, open) = two_questions(&desk).await;
    let [first, second] = open.map(|row| row.request.id);
    desk.says("It is known now.");
    let message = Message { session: session.clone(), text: "2".into(), policy: None, answers: None };
    desk.engine.turns().send(message, &never).await.unwrap();
    assert_eq!(
        desk.engine.requests().get(first.as_str()).unwrap().answer,
        Some(Answer::Value { value: json!("Hamburg") })
    );
    desk.says("It is known now.");
    desk.engine.turns().answer(&second, Answer::Value { value: json!("Berlin") }, &never).await.unwrap();
    let expected = [("2".to_owned(), Some(first)), ("Berlin".to_owned(), Some(second))];
    assert_eq!(said(&desk, &session), expected);
}

/// The cards and the warnings of a step that runs a command, which gets what it asks for.
async fn runs(command: &str) -> (Desk, Vec<String>, Vec<String>) {
    let desk = Desk::with(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("clean.py", CLEAN), ("over.py", OVER)]);
    desk.plans(&steps(&json!([{"tool": "bash", "do": "Sort a.txt", "expect": "a sorted list"}])));
    desk.calls("bash", json!({"command": command}));
    desk.says("Done.");
    let session = desk.session().await;
    desk.send(&session, "Sort a.txt.", ApprovalPolicy::NeverAsk).await;
    let mut asked = Vec::new();
    while let Some(row) = desk.engine.requests().open().unwrap().into_iter().next() {
        asked.extend(row.request.reason.clone());
        let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
        desk.engine.turns().answer(&row.request.id, yes, &CancellationToken::new()).await.unwrap();
    }
    let warned = desk.events(&session).into_iter().filter_map(|event| match event.kind {
        EventKind::Warned { message } => Some(message),
        _ => None,
    });
    let warned = warned.collect();
    (desk, asked, warned)
}

const OVER: &str = "for name in ['a.txt', 'b.txt', 'c.txt']:\n    open(name, 'w').write('new')\n";
const CLEAN: &str = "import os, sys\nos.remove(sys.argv[1])\nopen(sys.argv[2], 'w')\n";

#[tokio::test]
async fn a_command_that_deletes_or_writes_over_what_nobody_named_asks() {
    for (command, reason) in [
        ("rm b.txt", "This always asks: it deletes files."),
        ("mv b.txt /tmp", "This always asks: it moves files to where they are gone with the command."),
        ("sort a.txt > b.txt", "This always asks: it writes over b.txt, which neither you nor the plan named."),
        (
            "python3 -c \"open('b.txt', 'w').write('new')\"",
            "This always asks: it writes over b.txt, which neither you nor the plan named.",
        ),
        ("cp a.txt b.txt", "This always asks: it writes over b.txt, which neither you nor the plan named."),
    ] {
        let (_, asked, warned) = runs(command).await;
        assert_eq!((asked, warned), (vec![reason.to_owned()], Vec::new()), "{command}");
    }
    if sandbox::available().is_ok() {
        let own = "python3 -c \"open('a.txt', 'w').write('new'); open('c.txt', 'w').write('new')\"";
        for command in [own, "sort a.txt > c.txt", "sort a.txt > /tmp/x && mv /tmp/x a.txt", "mv b.txt c.txt"] {
            let (_, asked, warned) = runs(command).await;
            assert_eq!((asked, warned), (Vec::<String>::new(), Vec::<String>::new()), "{command}");
        }
    }
}

#[tokio::test]
async fn what_the_words_of_an_approval_name_may_be_written_over() {
    if let Err(reason) = sandbox::available() {
        return missing(reason);
    }
    for (note, left) in [(None, "b\n"), (Some("Write the list over b.txt."), "a\n")] {
        let desk = Desk::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
        desk.plans(&steps(&json!([{"tool": "bash", "do": "Sort a.txt", "expect": "a sorted list"}])));
        desk.calls("bash", json!({"command": "sort a.txt > b.txt"}));
        desk.says("Done.");
        let session = desk.session().await;
        let end = desk.send(&session, "Sort a.txt.", ApprovalPolicy::AlwaysAsk).await;
        let TurnEnd::AwaitingApproval { plan, .. } = end else { panic!("{end:?}") };
        let (note, cancel) = (note.map(str::to_owned), CancellationToken::new());
        desk.engine.turns().approve(&plan, Decider::User, note.clone(), &cancel).await.unwrap();
        let asked = desk.engine.requests().open().unwrap().len();
        assert_eq!((asked, desk.file("b.txt").as_deref()), (usize::from(note.is_none()), Some(left)), "{note:?}");
    }
}

#[tokio::test]
async fn what_a_command_has_deleted_or_emptied_without_its_text_telling_it_is_told() {
    if let Err(reason) = sandbox::available() {
        return missing(reason);
    }
    let (desk, asked, warned) = runs("python3 clean.py b.txt a.txt").await;
    assert_eq!(asked, Vec::<String>::new());
    assert_eq!((desk.file("b.txt"), desk.file("a.txt").as_deref()), (None, Some("")));
    let told = "bash has deleted, emptied or moved away a.txt, b.txt. You were not asked about that, because the call did \
        not tell it: look whether it was meant.";
    assert_eq!(warned, [told]);
}

#[tokio::test]
async fn what_a_script_has_written_over_and_nobody_has_named_is_told() {
    if let Err(reason) = sandbox::available() {
        return missing(reason);
    }
    let told = "bash has written over or changed b.txt. You were not asked about that, because the call did not tell it: \
        look whether it was meant.";
    for (command, expected) in [
        ("python3 over.py", vec![told]),
        ("python3 over.py # a.txt b.txt", vec![]),
        ("python3 over.py # *.txt", vec![]),
        ("sed -i s/b/c/ $(ls | grep b)", vec![]),
    ] {
        let (desk, asked, warned) = runs(command).await;
        assert_eq!(
            (asked, warned),
            (Vec::<String>::new(), expected.into_iter().map(str::to_owned).collect()),
            "{command}"
        );
        assert_ne!(desk.file("b.txt").as_deref(), Some("b\n"), "{command}");
    }
}

#[tokio::test]
async fn a_file_of_secrets_is_read_for_a_model_when_a_person_says_so_and_not_before() {
    for (tool, arguments) in [("read", json!({"path": ".env"})), ("grep", json!({"pattern": "a", "path": ".env"}))] {
        let desk = Desk::with(&[(".env", "TOKEN=swordfish\n")]);
        desk.plans(&steps(&json!([{"tool": tool, "do": "Look into .env", "expect": "the names of settings"}])));
        desk.calls(tool, arguments);
        let session = desk.session().await;
        desk.send(&session, "Which settings are in .env?", ApprovalPolicy::NeverAsk).await;
        let row = desk.engine.requests().open().unwrap().remove(0);
        let reason = ".env may hold secrets, and what is read there is told to the model.";
        assert_eq!((row.request.risk, row.request.reason.as_deref()), (Some(Risk::Read), Some(reason)));
        assert!(!format!("{:?}", desk.model.requests()).contains("swordfish"));
        desk.says("There is one.");
        let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
        desk.engine.turns().answer(&row.request.id, yes, &CancellationToken::new()).await.unwrap();
        let run = desk.engine.runs().list(&session).unwrap().remove(0);
        assert_eq!(run.status, RunStatus::Completed, "{tool}");
    }
}
