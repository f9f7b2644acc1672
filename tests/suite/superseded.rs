//! Another version is approved while a process carries the earlier one on: what that has begun is not begun twice without
//! a person's word.

use std::path::Path;
use std::sync::{Arc, Mutex};

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::ids::SessionId;
use assent_core::plan::{NewStep, PlanEdit, PlanRef, import};
use assent_core::run::{Decider, Event, EventKind, Purpose, RunStatus};
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

/// Leaves a mark. The first call of the slow text stands at a gate with it, and ends when it is told to.
struct Mark {
    spec: ToolSpec,
    left: Arc<Mutex<Vec<String>>>,
    slow: Gate,
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
        if text == "slow" && self.left.lock().unwrap().iter().filter(|one| **one == text).count() == 1 {
            tokio::select! {
                () = self.slow.pass() => {}
                () = context.cancel.cancelled() => return Err(ToolStop::Cancelled),
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
        let (left, slow): (Arc<Mutex<Vec<String>>>, Gate) = Default::default();
        let tool: Arc<dyn Tool> = Arc::new(Mark { spec, left: left.clone(), slow: slow.clone() });
        let here = process(&folder.path().join("home"), &tool);
        let elsewhere = process(&folder.path().join("home"), &tool);
        let session = here.0.sessions().create(&workspace).await.unwrap();
        Self { here, elsewhere, session, left, slow, _folder: folder }
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
        let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": self.session.as_str(),
            "title": "Marks", "userMessage": "Leave the marks.", "defaults": {"toolValidationMode": "strict"},
            "steps": steps.collect::<Vec<_>>()});
        self.here.0.plans().import(import(&document.to_string()).unwrap(), &self.session).await.unwrap()
    }

    /// The same and a step that says so, saved by the other process.
    async fn second(&self, first: &PlanRef) -> PlanRef {
        let plan = self.elsewhere.0.plans().get(first.id.as_str(), None).unwrap();
        let last = plan.steps.last().unwrap().id.clone();
        let step = NewStep { description: "Say so".into(), dependencies: vec![last], ..NewStep::default() };
        self.elsewhere.0.plans().edit(&plan, &[PlanEdit::AddStep { step }]).await.unwrap()
    }

    async fn approve_elsewhere(&self, plan: &PlanRef) -> Result<TurnEnd, TurnError> {
        self.elsewhere.0.turns().approve(plan, Decider::User, None, &CancellationToken::new()).await
    }
}

fn process(home: &Path, tool: &Arc<dyn Tool>) -> (Engine, Arc<ScriptedModel>) {
    let home = Home::at(home).unwrap();
    let model = Arc::new(ScriptedModel::default());
    let store = Store::open(&home, Arc::new(SystemClock)).unwrap();
    let models = Arc::new(Only(Wire::of_this_program().lead_to(model.clone())));
    (engine_with(store, &home, models, vec![tool.clone()], Arc::new(Unwatched)), model)
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
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": world.session.as_str(),
    "title": "Marks", "userMessage": "Leave the marks.", "defaults": {"toolValidationMode": "strict"}, "steps": [
        {"id": "s1", "description": "Leave slow", "stepType": "tool", "requiredTools": ["mark"]},
        {"id": "s2", "description": "Ask where", "stepType": "tool", "requiredTools": ["ask_user"]},
    ]});
    let first = world.here.0.plans().import(import(&document.to_string()).unwrap(), &world.session).await.unwrap();
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
