//! What the file of an agent says of its model and of where it ends: used while it works, told where it is shown.

use std::sync::Arc;

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::ids::SessionId;
use assent_core::plan::import;
use assent_core::run::{Answer, Decider, EventKind, Purpose, RequestKind, Usage};
use assent_engine::Engine;
use assent_engine::clock::SystemClock;
use assent_engine::executor::Models;
use assent_engine::live::Unwatched;
use assent_engine::model::registry::ModelChoice;
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{Finish, Model, ModelError, ModelProfile, PlannerProfile, Reply, ToolCall};
use assent_engine::store::{Home, Store};
use assent_engine::tool::{CallContext, Effects, Outcome, Tool, ToolStop};
use assent_engine::turn::TurnEnd;
use assent_tests::desk::engine_with;
use assent_tests::wire::Wire;
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::studio::said;

const READER: &str = "description = \"Reads.\"\ntools = [\"grep\", \"hang\", \"rewrite\"]\n";

/// One model for whoever names none, another under the name `other/model`.
struct Two {
    usual: Arc<dyn Model>,
    other: Arc<dyn Model>,
}

#[async_trait]
impl Models for Two {
    async fn model(&self, _purpose: Purpose) -> Result<Arc<dyn Model>, ModelError> {
        Ok(self.usual.clone())
    }

    async fn named(&self, choice: &ModelChoice) -> Result<Arc<dyn Model>, ModelError> {
        self.knows(choice)?;
        Ok(if matches!(choice, ModelChoice::Model(_)) { self.other.clone() } else { self.usual.clone() })
    }

    fn knows(&self, choice: &ModelChoice) -> Result<(), ModelError> {
        match choice.to_string().as_str() {
            "step" | "other/model" => Ok(()),
            model => Err(ModelError::NoSuchModel { model: model.to_owned(), reason: "nobody offers it".to_owned() }),
        }
    }

    fn chosen(&self) -> Vec<String> {
        ["scripted/test", "other/model"].map(str::to_owned).to_vec()
    }
}

/// Never ends by itself.
struct Hang(ToolSpec);

#[async_trait]
impl Tool for Hang {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(Risk::Read)
    }

    async fn call(&self, _: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        std::future::pending().await
    }
}

/// Writes the file of the agent anew, in the midst of its work.
struct Rewrite(ToolSpec, std::path::PathBuf);

#[async_trait]
impl Tool for Rewrite {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(Risk::Read)
    }

    async fn call(&self, _: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        std::fs::write(&self.1, format!("{READER}[limits]\nstep_iterations = 1\n")).unwrap();
        Ok(Outcome::Success(json!("rewritten")))
    }
}

struct Rig {
    engine: Engine,
    usual: Arc<ScriptedModel>,
    other: Arc<ScriptedModel>,
    session: SessionId,
    _folder: tempfile::TempDir,
}

fn scripted(id: &str) -> Arc<ScriptedModel> {
    let (id, context_tokens, planner) = (id.to_owned(), 32_768, PlannerProfile::Full);
    Arc::new(ScriptedModel::new(ModelProfile { id, context_tokens, planner, parallel: 4, local: false }))
}

/// An engine with a pack that has this file of an agent.
async fn rig(file: &str, toml: &str) -> Rig {
    let folder = tempfile::tempdir().unwrap();
    let (workspace, root) = (folder.path().join("workspace"), folder.path().join("home"));
    std::fs::create_dir(&workspace).unwrap();
    std::fs::write(workspace.join("notes.md"), "one").unwrap();
    let path = root.join("packs/reader").join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, toml).unwrap();
    let home = Home::at(&root).unwrap();
    let store = Store::open(&home, Arc::new(SystemClock)).unwrap();
    let (usual, other) = (scripted("scripted/test"), scripted("other/model"));
    let wire = Wire::of_this_program();
    let models = Two { usual: wire.lead_to(usual.clone()), other: wire.lead_to(other.clone()) };
    let parameters = json!({"type": "object", "properties": {}});
    let hang = ToolSpec::new("hang".to_owned(), "Hangs.".to_owned(), parameters, Source::Core, Risk::Read);
    let parameters = json!({"type": "object", "properties": {}});
    let rewrite = ToolSpec::new("rewrite".to_owned(), "Rewrites.".to_owned(), parameters, Source::Core, Risk::Read);
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Hang(hang)), Arc::new(Rewrite(rewrite, path))];
    let engine = engine_with(store, &home, Arc::new(models), tools, Arc::new(Unwatched));
    engine.tools().sources().unwrap();
    let session = engine.sessions().create(&workspace).await.unwrap();
    Rig { engine, usual, other, session, _folder: folder }
}

impl Rig {
    /// Carries out a plan of one step.
    async fn carry_out(&self, step: Value, limits: Value) -> TurnEnd {
        let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "title": "A plan", "limits": limits,
            "sessionId": self.session.as_str(), "userMessage": "Read notes.md.",
            "defaults": {"toolValidationMode": "strict"}, "steps": [step]});
        let plan = import(&document.to_string()).unwrap();
        let plan = self.engine.plans().import(plan, &self.session).await.unwrap();
        self.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap()
    }

    /// The limits that were reached.
    fn reached(&self) -> Vec<(String, u32)> {
        let events = self.engine.sessions().events(&self.session, 0).unwrap().into_iter();
        let reached = events.filter_map(|event| match event.kind {
            EventKind::LimitReached { limit, value } => Some((limit, value)),
            _ => None,
        });
        reached.collect()
    }

    fn faults(&self) -> Vec<String> {
        self.engine.heap().show().faults.iter().map(ToString::to_string).collect()
    }
}

fn calling() -> Value {
    json!({"id": "s1", "description": "Have notes.md read", "stepType": "tool", "requiredTools": ["run_reader"],
        "dependencies": [], "executor": {"kind": "self", "id": ""}})
}

fn begins(model: &ScriptedModel) {
    model.push(Purpose::Step, Scripted::call("run_reader", json!({"task": "Read notes.md"})));
}

/// A further search in the notes, other than those before it.
fn searches(model: &ScriptedModel, number: u32, tokens: u32) {
    let arguments = json!({"pattern": format!("one{number}?"), "path": "notes.md"});
    let calls = vec![ToolCall { id: format!("c{number}"), name: "grep".to_owned(), arguments }];
    let usage = Usage { input: tokens, ..Usage::default() };
    model.push(Purpose::Step, Scripted::reply(Reply { calls, usage, finish: Finish::Calls, ..Reply::default() }));
}

fn says(model: &ScriptedModel) {
    model.push(Purpose::Step, Scripted::text("It says: one."));
}

#[tokio::test]
async fn an_agent_asks_the_model_that_its_file_names_and_has_the_replies_that_it_says() {
    let own = "model = \"other/model\"\n[limits]\nstep_iterations = 6\n";
    let rig = rig("agents/reader.toml", &format!("{READER}{own}")).await;
    begins(&rig.usual);
    (1..=4).for_each(|number| searches(&rig.other, number, 1));
    says(&rig.other);
    says(&rig.usual);
    let end = rig.carry_out(calling(), json!({"stepIterations": 2})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!((rig.usual.requests().len(), rig.other.requests().len()), (2, 5));
    assert_eq!(rig.faults(), [""; 0]);
    let shown = &rig.engine.heap().show().agents[0];
    assert_eq!((shown.model.as_deref(), shown.limits.step_iterations), (Some("other/model"), Some(6)));
}

#[tokio::test]
async fn an_agent_whose_file_is_written_while_it_works_goes_on_as_it_began() {
    let own = "model = \"other/model\"\n[limits]\nstep_iterations = 6\n";
    let rig = rig("agents/reader.toml", &format!("{READER}{own}")).await;
    begins(&rig.usual);
    rig.other.push(Purpose::Step, Scripted::call("rewrite", json!({})));
    (1..=3).for_each(|number| searches(&rig.other, number, 1));
    says(&rig.other);
    says(&rig.usual);
    let end = rig.carry_out(calling(), json!({"stepIterations": 2})).await;
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
    assert_eq!((rig.usual.requests().len(), rig.other.requests().len()), (2, 5));
}

#[tokio::test]
async fn an_agent_that_a_plan_names_as_a_specialist_asks_its_own_model_too() {
    let rig = rig("agent.toml", &format!("{READER}model = \"other/model\"\nlimits.step_iterations = 1\n")).await;
    searches(&rig.other, 1, 1);
    let mut named = calling();
    named["requiredTools"] = json!(["grep"]);
    named["executor"] = json!({"kind": "specialist", "id": "reader"});
    rig.carry_out(named, json!({})).await;
    assert_eq!(rig.other.requests().len(), 1);
    assert!(rig.usual.requests().iter().all(|request| request.purpose != Purpose::Step));
    assert_eq!(rig.reached(), [("stepIterations".to_owned(), 1)]);
}

#[tokio::test]
async fn an_agent_that_has_used_its_tokens_asks_a_person_who_may_let_it_go_on() {
    let rig = rig("agents/reader.toml", &format!("{READER}[limits]\nbranch_tokens = 1000\n")).await;
    begins(&rig.usual);
    searches(&rig.usual, 1, 600);
    searches(&rig.usual, 2, 400);
    let end = rig.carry_out(calling(), json!({})).await;
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    assert_eq!(rig.reached(), [("reader.branchTokens".to_owned(), 1000)]);
    let open = rig.engine.requests().open().unwrap().remove(0).request;
    assert_eq!(open.kind, RequestKind::Cap);
    let reason = open.reason.as_deref().unwrap();
    assert!(reason.starts_with("The agent reader has used 1000 tokens, and is to use 1000."), "{reason}");
    says(&rig.usual);
    says(&rig.usual);
    let on = Answer::Value { value: json!("keep going") };
    let end = rig.engine.turns().answer(&open.id, on, &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Answered { .. }), "{end:?}");
}

#[tokio::test]
async fn more_tokens_for_an_agent_are_no_more_for_the_plan() {
    let rig = rig("agents/reader.toml", &format!("{READER}[limits]\nbranch_tokens = 1000\n")).await;
    begins(&rig.usual);
    searches(&rig.usual, 1, 1000);
    rig.carry_out(calling(), json!({"branchTokens": 1500})).await;
    let asked = || rig.engine.requests().open().unwrap().remove(0).request;
    searches(&rig.usual, 2, 500);
    let on = Answer::Value { value: json!("keep going") };
    let end = rig.engine.turns().answer(&asked().id, on, &CancellationToken::new()).await.unwrap();
    assert!(matches!(end, TurnEnd::Waiting { .. }), "{end:?}");
    let reason = asked().reason.unwrap();
    assert!(reason.starts_with("This step and those it belongs to have used 1610 tokens."), "{reason}");
    assert_eq!(rig.reached(), [("reader.branchTokens".to_owned(), 1000), ("branchTokens".to_owned(), 1500)]);
}

#[tokio::test]
async fn a_call_of_an_agent_has_the_seconds_of_its_file_and_never_more_than_the_plan_gives() {
    for (own, of_plan) in [(1, 600), (600, 1)] {
        let rig = rig("agents/reader.toml", &format!("{READER}[limits]\ncall_seconds = {own}\n")).await;
        begins(&rig.usual);
        rig.usual.push(Purpose::Step, Scripted::call("hang", json!({})));
        says(&rig.usual);
        says(&rig.usual);
        rig.carry_out(calling(), json!({"callSeconds": of_plan})).await;
        assert_eq!(rig.reached(), [("callSeconds".to_owned(), 1)], "{own} and {of_plan}");
    }
}

#[tokio::test]
async fn a_model_that_nobody_offers_is_told_with_its_place_and_the_agent_says_so_when_it_is_called() {
    let rig = rig("agents/reader.toml", &format!("{READER}model = \"nobody/gone\"\n")).await;
    let faults = rig.faults();
    assert_eq!(faults.len(), 1, "{faults:?}");
    let place =
        "packs.reader.agents/reader.toml.model: the agent \"reader\" cannot run with the model that it asks for";
    assert!(faults[0].starts_with(place) && faults[0].contains("nobody offers it"), "{faults:?}");
    begins(&rig.usual);
    says(&rig.usual);
    rig.carry_out(calling(), json!({"toolValidationRetries": 0})).await;
    let events = rig.engine.sessions().events(&rig.session, 0).unwrap();
    let failed = events.iter().find_map(|event| match &event.kind {
        EventKind::ModelFailed { error, retrying: false, .. } => Some(error.as_str()),
        _ => None,
    });
    assert!(failed.is_some_and(|error| error.contains("nobody offers it")), "{failed:?}");
}

// covers: H18
#[tokio::test]
async fn a_specialist_is_told_of_all_models_that_a_person_has_chosen_and_of_each_once() {
    let rig = rig("agents/reader.toml", READER).await;
    assert!(rig.engine.studio().open().unwrap());
    says(&rig.usual);
    let step = json!({"id": "s1", "description": "Say hello", "stepType": "reasoning", "dependencies": [],
        "executor": {"kind": "specialist", "id": "general"}});
    rig.carry_out(step, json!({})).await;
    let told = said(&rig.usual.requests()[0]);
    assert!(told.contains("- model scripted/test\n- model other/model\n"), "{told}");
    assert_eq!(told.matches("- model ").count(), 2, "{told}");
}
