//! What a person allows beyond an approved plan: once, for a step, a run, a folder; listed, and taken back.

use std::sync::Arc;

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::plan::import;
use assent_core::run::{Answer, CallState, Decider, Event, EventKind, Purpose, Reach, Request, RequestKind};
use assent_engine::executor::ExecutorError;
use assent_engine::live::Unwatched;
use assent_engine::model::Keys;
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::tool::{CallContext, Effects, Outcome, Tool, ToolStop};
use assent_engine::turn::{ApprovalPolicy, TurnEnd, TurnError};
use assent_tests::desk::Desk;
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const MESSAGE: &str = "Write the greeting to a.md";

/// A plan that may write a.md, in steps that write other files.
fn script(desk: &Desk, files: &[&str]) {
    let step = |_: &&str| json!({"tool": "create_file", "do": "Write the greeting to a.md", "expect": "a file"});
    let steps: Vec<Value> = files.iter().map(step).collect();
    desk.plans(&json!({"title": "Greet", "steps": steps}));
    for file in files {
        desk.calls("create_file", json!({"path": file, "content": "Hello\n"}));
        desk.says("It is written.");
    }
}

fn open(desk: &Desk) -> Request {
    let mut open = desk.engine.requests().open().unwrap();
    assert_eq!(open.len(), 1);
    open.remove(0).request
}

async fn approve(desk: &Desk, request: &Request, reach: Reach) -> Result<TurnEnd, TurnError> {
    let answer = Answer::Approve { arguments: None, note: None, reach };
    desk.engine.turns().answer(&request.id, answer, &CancellationToken::new()).await
}

#[tokio::test]
async fn allowed_once_the_next_call_asks_again() {
    let desk = Desk::with(&[]);
    script(&desk, &["b.md", "c.md"]);
    let session = desk.session().await;
    desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk).await;
    let first = open(&desk);
    assert_eq!(
        (first.kind, first.reaches.as_slice()),
        (RequestKind::Permit, &[Reach::Step, Reach::Run, Reach::Workspace][..])
    );
    approve(&desk, &first, Reach::Once).await.unwrap();
    assert_eq!((desk.file("b.md").is_some(), desk.file("c.md")), (true, None));
    assert_eq!(open(&desk).arguments.unwrap()["path"], "c.md");
    assert_eq!(desk.engine.requests().allowed().unwrap(), []);
}

#[tokio::test]
async fn allowed_for_the_run_its_other_steps_do_not_ask_and_the_next_run_does() {
    let desk = Desk::with(&[]);
    script(&desk, &["b.md", "c.md"]);
    let session = desk.session().await;
    desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk).await;
    let end = approve(&desk, &open(&desk), Reach::Run).await.unwrap();
    assert_eq!(end, TurnEnd::Answered { session: session.clone() });
    assert!(desk.file("b.md").is_some() && desk.file("c.md").is_some());
    assert_eq!(desk.engine.requests().allowed().unwrap(), [], "it ended with its run");

    script(&desk, &["d.md"]);
    let end = desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
}

/// Two calls that wait for a permission at once: of one reply, or of two steps beside each other.
async fn both_open(desk: &Desk, of_one_reply: bool) -> Vec<Request> {
    let write = |file: &str| ("create_file", json!({"path": file, "content": "Hello\n"}));
    let step =
        |id: &str| json!({"id": id, "description": "Write a.md", "stepType": "tool", "requiredTools": ["create_file"]});
    let steps = if of_one_reply {
        desk.model.push(Purpose::Step, Scripted::calls([write("b.md"), write("c.md")]));
        desk.says("Both are written.");
        json!([step("s1")])
    } else {
        for (tool, arguments) in [write("b.md"), write("c.md")] {
            desk.calls(tool, arguments);
        }
        desk.says("It is written.");
        desk.says("It is written.");
        json!([step("s1"), step("s2")])
    };
    let session = desk.session().await;
    let document = json!({
        "format": "assent.plan/1", "id": "plan", "version": 1, "sessionId": session.as_str(), "title": "Greet",
        "userMessage": MESSAGE, "steps": steps,
    });
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
    desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
    desk.engine.requests().open().unwrap().into_iter().map(|row| row.request).collect()
}

#[tokio::test]
async fn what_is_allowed_for_longer_answers_what_else_was_asked_about_it_and_once_answers_nothing_else() {
    for (of_one_reply, reach, left) in [
        (true, Reach::Once, 1),
        (true, Reach::Step, 0),
        (true, Reach::Run, 0),
        (true, Reach::Workspace, 0),
        (false, Reach::Once, 1),
        (false, Reach::Step, 1),
        (false, Reach::Run, 0),
        (false, Reach::Workspace, 0),
    ] {
        let desk = Desk::with(&[]);
        let open = both_open(&desk, of_one_reply).await;
        assert_eq!(open.len(), 2, "{of_one_reply}");
        let file = |request: &Request| request.arguments.as_ref().unwrap()["path"].as_str().unwrap().to_owned();
        approve(&desk, &open[0], reach).await.unwrap();
        assert_eq!(desk.engine.requests().open().unwrap().len(), left, "{of_one_reply} {reach:?}");
        let is_made = |request: &Request| desk.file(&file(request)).is_some();
        // Of one reply nothing begins before everything is answered.
        assert_eq!(is_made(&open[0]), left == 0 || !of_one_reply, "{of_one_reply} {reach:?}");
        assert_eq!(is_made(&open[1]), left == 0, "{of_one_reply} {reach:?}");
        let kept = if reach == Reach::Workspace { 1 } else { 0 };
        let of_now = desk.engine.requests().allowed().unwrap().len();
        assert_eq!(of_now, if left > 0 && reach == Reach::Step { 1 } else { kept }, "nothing more is kept");
    }
}

#[tokio::test]
async fn what_a_longer_permission_covers_is_made_again_as_the_call_that_was_allowed_by_it() {
    let desk = Desk::with(&[]);
    let write = |file: &str| ("create_file", json!({"path": file, "content": "Hello\n"}));
    desk.plans(&json!({"title": "Greet", "steps": [{"tool": "create_file", "do": "Write a.md", "expect": "files"}]}));
    desk.model.push(Purpose::Step, Scripted::calls([write("b.md"), write("c.md")]));
    // The same once more, with no other effect between.
    desk.model.push(Purpose::Step, Scripted::calls([write("c.md")]));
    desk.says("Both are there.");
    let session = desk.session().await;
    desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk).await;
    let first = desk.engine.requests().open().unwrap().remove(0).request;
    approve(&desk, &first, Reach::Run).await.unwrap();
    assert_eq!(desk.engine.requests().open().unwrap().len(), 0);
    let begun = |event: &Event| matches!(event.kind, EventKind::CallStarted { .. });
    assert_eq!(
        desk.events(&session).iter().filter(|event| begun(event)).count(),
        3,
        "it began as often as it was called"
    );
}

#[tokio::test]
async fn allowed_for_the_step_the_next_step_asks() {
    let desk = Desk::with(&[]);
    desk.plans(&json!({"title": "Greet", "steps": [
        {"tool": "create_file", "do": "Write a.md", "expect": "files"},
        {"tool": "create_file", "do": "Write a.md", "expect": "files"},
    ]}));
    for file in ["b.md", "c.md"] {
        desk.calls("create_file", json!({"path": file, "content": "Hello\n"}));
    }
    desk.says("Both are written.");
    desk.calls("create_file", json!({"path": "d.md", "content": "Hello\n"}));
    let session = desk.session().await;
    desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk).await;
    let end = approve(&desk, &open(&desk), Reach::Step).await.unwrap();
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let asked = open(&desk);
    assert_eq!((asked.path[0].as_str(), &asked.arguments.unwrap()["path"]), ("s2", &json!("d.md")));
}

#[tokio::test]
async fn allowed_for_the_folder_it_counts_after_a_restart_until_it_is_taken_back() {
    let desk = Desk::with(&[]);
    script(&desk, &["b.md"]);
    let session = desk.session().await;
    desk.send(&session, MESSAGE, ApprovalPolicy::NeverAsk).await;
    approve(&desk, &open(&desk), Reach::Workspace).await.unwrap();

    let later = desk.reopened();
    let kept = later.engine.requests().allowed().unwrap();
    let folder = later.workspace.canonicalize().unwrap();
    let what: Vec<_> = kept.iter().map(|row| (row.tool.as_str(), row.reach, row.workspace.as_str().into())).collect();
    assert_eq!(what, [("create_file", Reach::Workspace, folder)]);
    script(&later, &["c.md"]);
    let next = later.session().await;
    let end = later.send(&next, MESSAGE, ApprovalPolicy::NeverAsk).await;
    assert_eq!(end, TurnEnd::Answered { session: next.clone() });

    // A deleted chat does not take the choice along; the person does.
    later.engine.sessions().delete(&session).await.unwrap();
    later.engine.requests().revoke(kept[0].id.as_str()).unwrap();
    assert_eq!(later.engine.requests().allowed().unwrap(), []);
    assert!(later.engine.requests().revoke(kept[0].id.as_str()).is_err(), "only once");
    script(&later, &["d.md"]);
    let end = later.send(&next, MESSAGE, ApprovalPolicy::NeverAsk).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    assert_eq!(later.file("d.md"), None);
}

#[tokio::test]
async fn what_cannot_be_undone_is_never_allowed_for_longer() {
    let desk = Desk::with(&[("old.txt", "x\n")]);
    desk.plans(
        &json!({"title": "Clean", "steps": [{"tool": "bash", "do": "Delete everything here", "expect": "nothing"}]}),
    );
    desk.calls("bash", json!({"command": "rm -rf ."}));
    let session = desk.session().await;
    desk.send(&session, "Delete everything here", ApprovalPolicy::NeverAsk).await;
    let asked = open(&desk);
    assert_eq!((asked.kind, asked.reaches.len()), (RequestKind::Permit, 0));
    let refused = approve(&desk, &asked, Reach::Workspace).await;
    let Err(TurnError::Run(ExecutorError::Answer(problem))) = refused else { panic!("{refused:?}") };
    assert_eq!(problem.to_string(), "this can be allowed only for this call");
    assert_eq!(open(&desk).id, asked.id, "it still waits");
    assert!(desk.file("old.txt").is_some());
}

/// Sends to one host, if its call may talk to that.
struct Mail(ToolSpec);

const HOST: &str = "mail.example";

#[async_trait]
impl Tool for Mail {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, _arguments: &Value) -> Effects {
        Effects { hosts: vec![HOST.to_owned()], ..Effects::none(Risk::Network) }
    }

    async fn call(&self, _arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        Ok(match context.hosts.iter().any(|host| host == HOST) {
            true => Outcome::Success(json!("sent")),
            false => Outcome::Error { message: format!("it is not allowed to talk to {HOST}"), output: Value::Null },
        })
    }
}

#[tokio::test]
async fn what_is_allowed_for_a_run_may_talk_to_the_same_host_in_its_next_call() {
    let spec =
        ToolSpec::new("office.mail", "Sends a mail.", json!({"type": "object"}), Source::Catalogue, Risk::Network);
    let keys = Arc::new(Keys::usual());
    let desk = Desk::keyed(ScriptedModel::default(), keys, vec![Arc::new(Mail(spec))], Arc::new(Unwatched));
    let session = desk.session().await;
    let step = |id: &str, on: &[&str]| {
        json!({"id": id, "description": "Send it", "stepType": "tool", "requiredTools": ["office.mail"],
            "dependencies": on, "executor": {"kind": "self", "id": ""}})
    };
    let document = json!({
        "format": "assent.plan/1", "id": "p-mail", "version": 1, "sessionId": session.as_str(), "title": "Mail",
        "userMessage": "Send both.", "defaults": {"toolValidationMode": "strict"},
        "steps": [step("s1", &[]), step("s2", &["s1"])],
    });
    for _ in 0..2 {
        desk.calls("office.mail", json!({}));
        desk.says("It is sent.");
    }
    let plan = desk.engine.plans().import(import(&document.to_string()).unwrap(), &session).await.unwrap();
    desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap();
    let asked = open(&desk);
    assert!(asked.reason.as_deref().is_some_and(|reason| reason.contains(HOST)), "{asked:?}");
    approve(&desk, &asked, Reach::Run).await.unwrap();
    let run = desk.engine.runs().list(&session).unwrap().remove(0);
    let state = desk.engine.runs().get(&run.id).unwrap().state;
    let ends: Vec<bool> =
        state.ledger().iter().map(|entry| matches!(&entry.state, CallState::Ended(end) if end.satisfied)).collect();
    assert_eq!((ends, state.requests().len()), (vec![true, true], 1), "{:?}", state.ledger());
}
