//! Another version is approved while a process carries the earlier one on: what that has begun is not begun twice without
//! a person's word.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::ids::{SessionId, StepId};
use assent_core::plan::{NewStep, PlanEdit, PlanRef, ValidationMode, import};
use assent_core::run::{Answer, Decider, Event, EventKind, Purpose, Reach, RequestKind, RunStatus, TurnStatus};
use assent_engine::Engine;
use assent_engine::clock::SystemClock;
use assent_engine::live::Unwatched;
use assent_engine::model::scripted::{Gate, Scripted, ScriptedModel};
use assent_engine::store::{Home, PlanStatus, Store};
use assent_engine::tool::{CallContext, Effects, Outcome, Tool, ToolStop};
use assent_engine::turn::{ApprovalPolicy, Message, TurnEnd, TurnError};
use assent_tests::desk::{Only, engine_with};
use assent_tests::wire::Wire;
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Leaves a mark. The first call of the slow text stands at a gate with it, and ends when it is told to; that of the
/// broken one breaks.
struct Mark {
    spec: ToolSpec,
    left: Arc<Mutex<Vec<String>>>,
    slow: Gate,
    stopped: Arc<AtomicBool>,
}

#[async_trait]
impl Tool for Mark {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(self.spec.risk)
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        let text = arguments["text"].as_str().unwrap_or_default().to_owned();
        self.left.lock().unwrap().push(text.clone());
        assert!(text != "broken", "it breaks with its mark left");
        if text == "slow" && self.left.lock().unwrap().iter().filter(|one| **one == text).count() == 1 {
            tokio::select! {
                () = self.slow.pass() => {}
                () = context.cancel.cancelled() => {
                    self.stopped.store(true, Ordering::SeqCst);
                    return Err(ToolStop::Cancelled);
                }
            }
        }
        Ok(Outcome::Success(json!(format!("{text} is left"))))
    }
}

/// One data folder, two processes, and what both have done.
struct World {
    here: (Engine, Arc<ScriptedModel>),
    elsewhere: (Engine, Arc<ScriptedModel>),
    session: SessionId,
    left: Arc<Mutex<Vec<String>>>,
    slow: Gate,
    /// Whether the slow call has heard that it is to end.
    stopped: Arc<AtomicBool>,
    _folder: tempfile::TempDir,
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("workspace");
        std::fs::create_dir(&workspace).unwrap();
        let spec = ToolSpec::new(
            "mark",
            "Leaves a mark.",
            json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}),
            Source::Core,
            Risk::Write,
        );
        let (left, slow, stopped): (Arc<Mutex<Vec<String>>>, Gate, Arc<AtomicBool>) = Default::default();
        let mark = Mark { spec, left: left.clone(), slow: slow.clone(), stopped: stopped.clone() };
        let tool: Arc<dyn Tool> = Arc::new(mark);
        let here = process(&folder.path().join("home"), &tool);
        let elsewhere = process(&folder.path().join("home"), &tool);
        let session = here.0.sessions().create(&workspace).await.unwrap();
        Self { here, elsewhere, session, left, slow, stopped, _folder: folder }
    }

    fn left(&self) -> Vec<String> {
        self.left.lock().unwrap().clone()
    }

    fn runs(&self) -> Vec<RunStatus> {
        self.here.0.runs().list(&self.session).unwrap().iter().map(|run| run.status).collect()
    }

    /// The first version: one step after the other, each of which leaves its mark.
    async fn first(&self, marks: &[&str]) -> PlanRef {
        let steps = marks.iter().enumerate().map(|(at, mark)| {
            let after: Vec<String> = (1..=at).map(|step| format!("s{step}")).collect();
            json!({"id": format!("s{}", at + 1), "description": format!("Leave {mark}"), "stepType": "tool",
                "requiredTools": ["mark"], "dependencies": after})
        });
        for mark in marks {
            calls(&self.here.1, mark);
        }
        self.of_steps(json!(steps.collect::<Vec<_>>())).await
    }

    /// Imports a version of these steps.
    async fn of_steps(&self, steps: Value) -> PlanRef {
        let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": self.session.as_str(),
            "title": "Marks", "userMessage": "Leave the marks in note.txt.",
            "defaults": {"toolValidationMode": "strict"}, "steps": steps});
        self.here.0.plans().import(import(&document.to_string()).unwrap(), &self.session).await.unwrap()
    }

    /// The same and a step that says so, saved by the other process.
    async fn second(&self, first: &PlanRef) -> PlanRef {
        let plan = self.elsewhere.0.plans().get(first.id.as_str(), None).unwrap();
        let last = plan.steps.last().unwrap().id.clone();
        let step = NewStep { description: "Say so".into(), dependencies: vec![last], ..NewStep::default() };
        self.elsewhere.0.plans().edit(&plan, &[PlanEdit::AddStep { step }]).await.unwrap()
    }

    /// Imports a version whose first step must make these calls, one after the other.
    async fn of_one_step(&self, tools: &[&str]) -> PlanRef {
        let description = "Leave a mark and ask";
        self.of_steps(json!([{"id": "s1", "description": description, "stepType": "tool", "requiredTools": tools}]))
            .await
    }

    /// Asks where, in the first process.
    fn asks(&self) {
        self.here.1.push(Purpose::Step, Scripted::call("ask_user", json!({"question": "Where?", "options": []})));
    }

    async fn approve_here(&self, plan: &PlanRef) -> TurnEnd {
        self.here.0.turns().approve(plan, Decider::User, None, &CancellationToken::new()).await.unwrap()
    }

    /// Approves a version elsewhere: it is refused with these words, and counts when it is approved once more.
    async fn told_and_approved(&self, plan: &PlanRef, words: &[&str]) {
        let refused = self.approve_elsewhere(plan).await.unwrap_err();
        let TurnError::PlanState(why) = &refused else { panic!("{refused}") };
        assert!(words.iter().all(|word| why.contains(word)) && why.contains("approve once more"), "{why}");
        self.elsewhere.0.turns().approve_for_later(plan, Decider::User, None).await.unwrap();
    }

    /// Asks for another plan where nobody is to be asked, elsewhere.
    async fn replanned(&self) -> TurnEnd {
        let (engine, model) = &self.elsewhere;
        model.push(Purpose::Relation, Scripted::text(r#"{"message":"earlier"}"#));
        let steps = json!([{"tool": "mark", "do": "Leave slow", "expect": "a mark"}]);
        model.push(Purpose::Plan, Scripted::text(json!({"title": "Other", "steps": steps}).to_string()));
        let (session, text) = (self.session.clone(), "Leave the mark, only that".to_owned());
        let message = Message { session, text, policy: Some(ApprovalPolicy::NeverAsk), answers: None };
        engine.turns().send(message, &CancellationToken::new()).await.unwrap()
    }

    async fn approve_elsewhere(&self, plan: &PlanRef) -> Result<TurnEnd, TurnError> {
        self.elsewhere.0.turns().approve(plan, Decider::User, None, &CancellationToken::new()).await
    }
}

fn process(home: &Path, tool: &Arc<dyn Tool>) -> (Engine, Arc<ScriptedModel>) {
    process_with(home, vec![tool.clone()])
}

fn process_with(home: &Path, tools: Vec<Arc<dyn Tool>>) -> (Engine, Arc<ScriptedModel>) {
    let home = Home::at(home).unwrap();
    let model = Arc::new(ScriptedModel::default());
    let store = Store::open(&home, Arc::new(SystemClock)).unwrap();
    let models = Arc::new(Only(Wire::of_this_program().lead_to(model.clone())));
    (engine_with(store, &home, models, tools, Arc::new(Unwatched)), model)
}

fn calls(model: &ScriptedModel, mark: &str) {
    model.push(Purpose::Step, Scripted::call("mark", json!({"text": mark})));
    model.push(Purpose::Step, Scripted::text("It is left."));
}

#[tokio::test]
async fn an_effect_that_was_stopped_in_the_middle_is_not_made_by_the_next_version_without_a_word() {
    let world = World::new().await;
    let first = world.first(&["quick", "slow"]).await;
    let never = CancellationToken::new();
    let work = world.here.0.turns().approve(&first, Decider::User, None, &never);
    let person = async {
        world.slow.reached().await;
        let second = world.second(&first).await;
        let refused = world.approve_elsewhere(&second).await.unwrap_err();
        assert!(
            matches!(&refused, TurnError::PlanState(why) if why.contains("mark in step s2") && why.contains("in the middle")),
            "{refused}"
        );
        second
    };
    let (end, second) = tokio::join!(work, person);
    assert!(matches!(end, Ok(TurnEnd::Cancelled { .. })), "{end:?}");
    assert_eq!((world.left(), world.runs()), (vec!["quick".to_owned(), "slow".to_owned()], vec![RunStatus::Cancelled]));
    let history = world.here.0.plans().history(&second.id).unwrap();
    let status = history.iter().find(|row| row.plan == second).map(|row| row.status);
    assert_eq!(status, Some(PlanStatus::Proposed), "the decision is open");

    // The same decision once more, by a person who was told, is their word.
    calls(&world.elsewhere.1, "slow");
    world.elsewhere.1.push(Purpose::Step, Scripted::text("All is left."));
    let end = world.approve_elsewhere(&second).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!(world.left(), ["quick", "slow", "slow"], "what was completed is taken over");
}

/// A policy that asks nobody approves for nobody either what only a person can know.
#[tokio::test]
async fn a_policy_leaves_a_version_to_a_person_where_an_effect_of_the_earlier_one_was_stopped_in_the_middle() {
    let world = World::new().await;
    let steps = json!([
        {"id": "s1", "description": "Leave slow", "stepType": "tool", "requiredTools": ["mark"]},
        {"id": "s2", "description": "Ask where", "stepType": "tool", "requiredTools": ["ask_user"]},
    ]);
    let first = world.of_steps(steps).await;
    world.here.1.push(Purpose::Step, Scripted::call("mark", json!({"text": "slow"})));
    world.here.1.push(Purpose::Step, Scripted::call("ask_user", json!({"question": "Where?", "options": []})));
    let mut events = world.here.0.changes();
    let never = CancellationToken::new();
    let work = world.here.0.turns().approve(&first, Decider::User, None, &never);
    let person = async {
        world.slow.reached().await;
        while !matches!(events.recv().await.unwrap().kind, EventKind::RequestOpened { .. }) {}
        let (engine, model) = &world.elsewhere;
        model.push(Purpose::Relation, Scripted::text(r#"{"message":"change"}"#));
        let plan = json!({"title": "Other", "steps": [{"tool": "none", "do": "Say so", "expect": "a word"}]});
        model.push(Purpose::Plan, Scripted::text(plan.to_string()));
        let message = Message {
            session: world.session.clone(),
            text: "Never mind, only say so".to_owned(),
            policy: Some(ApprovalPolicy::NeverAsk),
            answers: None,
        };
        engine.turns().send(message, &CancellationToken::new()).await.unwrap()
    };
    let (end, sent) = tokio::join!(work, person);
    assert!(matches!(end, Ok(TurnEnd::Cancelled { .. })), "{end:?}");
    let TurnEnd::AwaitingApproval { plan, .. } = sent else { panic!("{sent:?}") };
    assert_eq!(plan.version, 2);
    let events = world.here.0.sessions().events(&world.session, 0).unwrap();
    let told =
        |event: &Event| matches!(&event.kind, EventKind::Warned { message } if message.contains("in the middle"));
    assert!(events.iter().any(told), "{events:#?}");
}

#[tokio::test]
async fn an_effect_that_a_person_has_stopped_is_not_made_by_the_next_version_without_a_word() {
    let world = World::new().await;
    let first = world.first(&["quick", "slow"]).await;
    let work = world.approve_here(&first);
    let person = async {
        world.slow.reached().await;
        let run = world.here.0.runs().list(&world.session).unwrap().remove(0);
        world.here.0.runs().cancel(&run.id).await.unwrap();
    };
    let (end, ()) = tokio::join!(work, person);
    assert!(matches!(end, TurnEnd::Cancelled { .. }), "{end:?}");
    // Whatever the policy, and however often it is asked.
    for version in 2..4 {
        let sent = world.replanned().await;
        let TurnEnd::AwaitingApproval { plan, .. } = sent else { panic!("{sent:?}") };
        assert_eq!((plan.version, world.left()), (version, vec!["quick".to_owned(), "slow".to_owned()]));
    }
}

#[tokio::test]
async fn a_run_that_a_person_has_stopped_lets_the_next_version_begin_with_the_second_approval() {
    let world = World::new().await;
    let first = world.first(&["quick", "slow"]).await;
    let person = async {
        world.slow.reached().await;
        let run = world.here.0.runs().list(&world.session).unwrap().remove(0);
        world.here.0.runs().cancel(&run.id).await.unwrap();
    };
    tokio::join!(world.approve_here(&first), person);
    let second = world.second(&first).await;
    world.told_and_approved(&second, &["mark in step s2", "in the middle"]).await;
}

#[tokio::test]
async fn an_effect_of_unknown_outcome_that_a_person_has_left_out_is_not_made_by_the_next_version_without_a_word() {
    let world = World::new().await;
    let first = world.of_one_step(&["mark"]).await;
    world.here.1.push(Purpose::Step, Scripted::call("mark", json!({"text": "broken"})));
    assert!(matches!(world.approve_here(&first).await, TurnEnd::Waiting { .. }));
    let asked = world.here.0.requests().open().unwrap().remove(0).request;
    assert_eq!(asked.kind, RequestKind::UnknownOutcome);
    let skip = Answer::Value { value: json!("skip") };
    world.here.0.turns().answer(&asked.id, skip, &CancellationToken::new()).await.unwrap();
    let second = world.second(&first).await;
    world.told_and_approved(&second, &["mark in step s1", "may already have had its effect"]).await;
}

/// What is left out in a run that goes on keeps nobody from another version either.
#[tokio::test]
async fn an_effect_that_was_left_out_beside_a_step_that_waits_asks_for_the_approval_once_more() {
    let world = World::new().await;
    let steps = json!([
        {"id": "s1", "description": "Leave broken", "stepType": "tool", "requiredTools": ["mark"]},
        {"id": "s2", "description": "Ask where", "stepType": "tool", "requiredTools": ["ask_user"]},
    ]);
    let first = world.of_steps(steps).await;
    world.here.1.push(Purpose::Step, Scripted::call("mark", json!({"text": "broken"})));
    world.asks();
    assert!(matches!(world.approve_here(&first).await, TurnEnd::Waiting { .. }));
    let open = world.here.0.requests().open().unwrap();
    let asked = open.iter().find(|row| row.request.kind == RequestKind::UnknownOutcome).unwrap();
    let skip = Answer::Value { value: json!("skip") };
    world.here.0.turns().answer(&asked.request.id, skip, &CancellationToken::new()).await.unwrap();
    let second = world.second(&first).await;
    world.told_and_approved(&second, &["mark in step s1", "may already have had its effect"]).await;
}

#[tokio::test]
async fn an_effect_that_worked_in_a_step_that_waits_is_not_made_by_the_next_version_without_a_word() {
    let world = World::new().await;
    let first = world.of_one_step(&["mark", "ask_user"]).await;
    world.here.1.push(Purpose::Step, Scripted::call("mark", json!({"text": "sent"})));
    world.asks();
    assert!(matches!(world.approve_here(&first).await, TurnEnd::Waiting { .. }));
    let second = world.second(&first).await;
    let refused = world.approve_elsewhere(&second).await.unwrap_err();
    assert!(refused.to_string().contains("approve once more"), "{refused}");
    // An approval that does not count ends nothing: the question can still be answered.
    assert_eq!((world.runs(), world.here.0.requests().open().unwrap().len()), (vec![RunStatus::WaitingForInput], 1));
    world.elsewhere.0.turns().approve_for_later(&second, Decider::User, None).await.unwrap();
    assert_eq!((world.left(), world.runs()), (vec!["sent".to_owned()], vec![RunStatus::Cancelled]));
    assert_eq!(world.here.0.requests().open().unwrap().len(), 0);
}

#[tokio::test]
async fn an_effect_of_a_completed_step_is_not_made_once_more_without_a_word_because_another_step_was_changed() {
    let world = World::new().await;
    let first = world.first(&["one", "two"]).await;
    assert!(matches!(world.approve_here(&first).await, TurnEnd::Answered { .. }));
    let plan = world.elsewhere.0.plans().get(first.id.as_str(), None).unwrap();
    let change = PlanEdit::SetDescription { step: StepId::new("s1"), description: "Leave another".into() };
    let second = world.elsewhere.0.plans().edit(&plan, &[change]).await.unwrap();
    // That the changed one is done anew is what was approved; that the other one is, nobody has said.
    world.told_and_approved(&second, &["mark in step s2", "has had its effect"]).await;
    assert_eq!(world.left(), ["one", "two"]);
}

/// "Only this step and what builds on it" says nothing of the others.
#[tokio::test]
async fn an_effect_of_a_step_that_nobody_named_is_not_made_by_a_run_from_another_step_without_a_word() {
    let world = World::new().await;
    let steps = json!([
        {"id": "s1", "description": "Leave broken", "stepType": "tool", "requiredTools": ["mark"]},
        {"id": "s2", "description": "Leave two", "stepType": "tool", "requiredTools": ["mark"]},
    ]);
    let plan = world.of_steps(steps).await;
    for text in ["broken", "two"] {
        world.here.1.push(Purpose::Step, Scripted::call("mark", json!({"text": text})));
    }
    world.here.1.push(Purpose::Step, Scripted::text("two is left"));
    assert!(matches!(world.approve_here(&plan).await, TurnEnd::Waiting { .. }));
    let asked = world.here.0.requests().open().unwrap().remove(0).request;
    let never = CancellationToken::new();
    world.here.0.turns().answer(&asked.id, Answer::Value { value: json!("skip") }, &never).await.unwrap();
    let before = world.left().len();
    let step = StepId::new("s2");
    let run = || world.here.0.turns().run_from(&plan, &step, &never);
    let refused = run().await.unwrap_err().to_string();
    let words = ["mark in step s1", "may already have had its effect", "then run it once more"];
    assert!(words.iter().all(|word| refused.contains(word)), "{refused}");
    assert_eq!(world.left().len(), before);
    // What was named is wanted anew, and the second time everything is.
    for text in ["two", "again"] {
        world.here.1.push(Purpose::Step, Scripted::call("mark", json!({"text": text})));
    }
    world.here.1.push(Purpose::Step, Scripted::text("It is left."));
    world.here.1.push(Purpose::Step, Scripted::text("It is left."));
    assert!(matches!(run().await.unwrap(), TurnEnd::Answered { .. }));
    assert_eq!(world.left().len(), before + 2);
}

#[tokio::test]
async fn what_was_confirmed_for_an_earlier_version_lets_nothing_else_happen_without_a_word() {
    // covers: T15
    let world = World::new().await;
    let steps = json!([
        {"id": "s1", "description": "Ask before it", "stepType": "tool", "requiredTools": ["displayConfirmation"]},
        {"id": "s2", "description": "Leave one", "stepType": "tool", "requiredTools": ["mark"], "dependencies": ["s1"]},
    ]);
    let first = world.of_steps(steps).await;
    let confirm = json!({"action": "leave one"});
    world.here.1.push(Purpose::Step, Scripted::call("displayConfirmation", confirm));
    assert!(matches!(world.approve_here(&first).await, TurnEnd::Waiting { .. }));
    let asked = world.here.0.requests().open().unwrap().remove(0).request;
    assert_eq!(asked.kind, RequestKind::Confirm);
    let yes = || Answer::Approve { arguments: None, note: None, reach: Reach::Once };
    let never = CancellationToken::new();
    world.here.1.push(Purpose::Step, Scripted::text("It may be left."));
    // Its effect is not made: the step fails.
    for _ in 0..8 {
        world.here.1.push(Purpose::Step, Scripted::text("I have left it."));
    }
    world.here.0.turns().answer(&asked.id, yes(), &never).await.unwrap();
    assert!(world.left().is_empty() && world.runs()[0] == RunStatus::Failed, "{:?}", world.runs());

    let plan = world.elsewhere.0.plans().get(first.id.as_str(), None).unwrap();
    let change = PlanEdit::SetDescription { step: StepId::new("s2"), description: "Leave another".into() };
    let second = world.elsewhere.0.plans().edit(&plan, &[change]).await.unwrap();
    calls(&world.elsewhere.1, "another");
    assert!(matches!(world.approve_elsewhere(&second).await.unwrap(), TurnEnd::Waiting { .. }));
    let asked = world.elsewhere.0.requests().open().unwrap().remove(0).request;
    let why = "what you confirmed in step s1 was for an earlier run of the plan.";
    assert_eq!((asked.kind, asked.reason.as_deref(), world.left().len()), (RequestKind::Permit, Some(why), 0));
    world.elsewhere.0.turns().answer(&asked.id, yes(), &never).await.unwrap();
    assert_eq!(world.left(), ["another"]);
}

#[tokio::test]
async fn a_step_of_a_version_that_another_has_replaced_is_not_done_again() {
    let world = World::new().await;
    let first = world.first(&["one"]).await;
    world.here.1.push(Purpose::Step, Scripted::text("It is left."));
    assert!(matches!(world.approve_here(&first).await, TurnEnd::Answered { .. }));
    let run = world.here.0.runs().list(&world.session).unwrap()[0].id.clone();
    let second = world.second(&first).await;
    world.elsewhere.0.turns().approve_for_later(&second, Decider::User, None).await.unwrap();
    let refused = world.here.0.runs().retry(&run, &StepId::new("s1")).await.unwrap_err();
    assert!(refused.to_string().contains("is superseded"), "{refused}");
    assert_eq!((world.left(), world.runs()), (vec!["one".to_owned()], vec![RunStatus::Completed]));
}

#[tokio::test]
async fn what_changes_nothing_when_it_is_made_once_more_needs_no_second_word() {
    let world = World::new().await;
    let first = world.of_one_step(&["create_file", "ask_user"]).await;
    let text = json!({"path": "note.txt", "content": "a mark\n"});
    world.here.1.push(Purpose::Step, Scripted::call("create_file", text));
    world.asks();
    assert!(matches!(world.approve_here(&first).await, TurnEnd::Waiting { .. }));
    let second = world.second(&first).await;
    world.elsewhere.0.turns().approve_for_later(&second, Decider::User, None).await.unwrap();
    assert_eq!(world.runs(), [RunStatus::Cancelled]);
}

// covers: T65
#[tokio::test]
async fn a_run_whose_tool_is_gone_goes_on_nowhere_and_is_stopped_or_replaced_all_the_same() {
    let never = CancellationToken::new();
    for replaces in [false, true] {
        let world = World::new().await;
        let plan = world.of_one_step(&["ask_user", "mark"]).await;
        world.asks();
        let end = world.approve_here(&plan).await;
        assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
        let run = world.here.0.runs().list(&world.session).unwrap().remove(0).id;

        // Another version of the program, without the tool.
        let (later, _) = process_with(&world._folder.path().join("home"), Vec::new());
        let asked = later.requests().open().unwrap().remove(0).request.id;
        let refused = later.turns().answer(&asked, Answer::Value { value: json!("here") }, &never).await.unwrap_err();
        assert!(refused.to_string().contains("mark"), "{refused}");
        for _ in 0..2 {
            assert!(matches!(later.turns().resume(None, &never).await.unwrap()[..], [TurnEnd::Failed { .. }]));
        }
        let events = later.sessions().events(&world.session, 0).unwrap();
        let warned = events.iter().filter(|event| matches!(event.kind, EventKind::Warned { .. }));
        assert_eq!(warned.count(), 1, "why is said once: {events:#?}");

        if replaces {
            let document = later.plans().get(plan.id.as_str(), None).unwrap();
            let without = PlanEdit::SetRequiredTools { step: "s1".into(), required_tools: vec!["ask_user".into()] };
            let second = later.plans().edit(&document, &[without]).await.unwrap();
            later.turns().approve_for_later(&second, Decider::User, None).await.unwrap();
        } else {
            later.runs().cancel(&run).await.unwrap();
        }
        let state = later.runs().get(&run).unwrap().state;
        assert_eq!((state.status(), state.open_requests().count()), (RunStatus::Cancelled, 0), "{replaces}");
        later.turns().take_up(None, &never).await.unwrap();
        assert_eq!(later.turns().unended().unwrap(), [], "{replaces}");
    }
}

#[tokio::test]
async fn a_value_of_the_plans_context_that_was_changed_takes_over_nothing_and_one_that_was_added_everything() {
    let world = World::new().await;
    let step = json!([{"id": "s1", "description": "Leave one", "stepType": "tool", "requiredTools": ["mark"]}]);
    let first = world.of_steps(step).await;
    let with = async |plan: &PlanRef, name: &str, value: &str| {
        let plan = world.here.0.plans().get(plan.id.as_str(), None).unwrap();
        let change = PlanEdit::SetContext { key: name.to_owned(), value: Some(json!(value)) };
        world.here.0.plans().edit(&plan, &[change]).await.unwrap()
    };
    let second = with(&first, "folder", "a").await;
    calls(&world.here.1, "one");
    assert!(matches!(world.approve_here(&second).await, TurnEnd::Answered { .. }));
    // A value more changes nothing of what the step was told.
    let third = with(&second, "colour", "red").await;
    world.here.1.push(Purpose::Synthesis, Scripted::text("It is left."));
    assert!(matches!(world.approve_here(&third).await, TurnEnd::Answered { .. }));
    assert_eq!(world.left(), ["one"]);
    // Another folder does: it would have to be done anew, which a person is told first.
    let fourth = with(&third, "folder", "b").await;
    world.told_and_approved(&fourth, &["mark in step s1", "has had its effect"]).await;
    assert_eq!(world.left(), ["one"]);
}

#[tokio::test]
async fn a_step_that_was_let_pass_is_done_where_the_plan_is_made_strict() {
    let world = World::new().await;
    let first = world.of_one_step(&["mark"]).await;
    let with = async |plan: &PlanRef, mode: ValidationMode| {
        let mut plan = world.here.0.plans().get(plan.id.as_str(), None).unwrap();
        plan.defaults.tool_validation_mode = mode;
        world.here.0.plans().save(plan).await.unwrap()
    };
    let second = with(&first, ValidationMode::Advisory).await;
    world.here.1.push(Purpose::Step, Scripted::text("It needs no mark."));
    assert!(matches!(world.approve_here(&second).await, TurnEnd::Answered { .. }));
    assert_eq!(world.left(), [""; 0]);
    let third = with(&second, ValidationMode::Strict).await;
    calls(&world.here.1, "one");
    assert!(matches!(world.approve_here(&third).await, TurnEnd::Answered { .. }));
    assert_eq!(world.left(), ["one"]);
}

#[tokio::test]
async fn a_version_that_is_rejected_ends_nothing_of_the_one_that_is_carried_out() {
    let world = World::new().await;
    let first = world.of_one_step(&["mark", "ask_user"]).await;
    world.here.1.push(Purpose::Step, Scripted::call("mark", json!({"text": "one"})));
    world.asks();
    assert!(matches!(world.approve_here(&first).await, TurnEnd::Waiting { .. }));
    let turn = |run: usize| world.here.0.runs().list(&world.session).unwrap()[run].turn.clone();
    let ends = || {
        let events = world.here.0.sessions().events(&world.session, 0).unwrap().into_iter();
        let ends = events.filter_map(|event| match event.kind {
            EventKind::TurnEnded { status, .. } => Some((event.place.turn, status)),
            _ => None,
        });
        ends.collect::<Vec<_>>()
    };
    let before = ends();
    let second = world.second(&first).await;
    world.elsewhere.0.turns().reject(&second, None).await.unwrap();
    assert_eq!((ends(), world.runs()), (before, vec![RunStatus::WaitingForInput]));
    let asked = world.here.0.requests().open().unwrap().remove(0).request.id;
    world.here.1.push(Purpose::Step, Scripted::text("It is left there."));
    let answer = Answer::Value { value: json!("here") };
    world.here.0.turns().answer(&asked, answer, &CancellationToken::new()).await.unwrap();
    assert!(ends().iter().all(|(of, status)| *of != turn(0) || *status != TurnStatus::Cancelled), "{:?}", ends());
}

#[tokio::test]
async fn a_session_is_deleted_once_what_another_process_does_in_it_has_stopped() {
    let world = World::new().await;
    let first = world.first(&["slow"]).await;
    let never = CancellationToken::new();
    let work = world.here.0.turns().approve(&first, Decider::User, None, &never);
    let person = async {
        world.slow.reached().await;
        world.elsewhere.0.sessions().delete(&world.session).await.unwrap();
        assert!(world.stopped.load(Ordering::SeqCst), "nothing goes on that is not written down");
    };
    let (end, ()) = tokio::join!(work, person);
    assert!(!matches!(end, Ok(TurnEnd::Answered { .. })), "{end:?}");
    assert!(world.here.0.sessions().get(world.session.as_str()).is_err());
    let gone = world.elsewhere.0.sessions().delete(&world.session).await.unwrap_err();
    assert!(gone.to_string().contains("no session"), "{gone}");
}
