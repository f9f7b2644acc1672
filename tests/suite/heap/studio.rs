//! An engine with a pack of specialists whose tools say what they were called with.

use std::sync::Arc;

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::heap::{Decision, Expanded, Settled};
use assent_core::ids::{SessionId, StepId};
use assent_core::plan::{PlanRef, import};
use assent_core::run::{CallStatus, Decider, Event, EventKind, Purpose, StepStatus};
use assent_engine::Engine;
use assent_engine::clock::SystemClock;
use assent_engine::live::Unwatched;
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{Message as Said, ModelProfile, PlannerProfile, Request};
use assent_engine::store::{Home, Store};
use assent_engine::tool::{CallContext, Effects, Outcome, Tool, ToolStop};
use assent_engine::turn::{ApprovalPolicy, Message, TurnEnd};
use assent_tests::desk::{Only, engine_with};
use assent_tests::wire::Wire;
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub const URL: &str = "https://example.com/search?q=1&saved=AB-12";

/// A tool of the studio that says what it was called with.
struct Studio(ToolSpec);

#[async_trait]
impl Tool for Studio {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(self.0.risk)
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        Ok(Outcome::Success(json!(format!("{} did {arguments}", self.0.name))))
    }
}

pub const WORKFLOW: [&str; 12] = [
    "list_workflows",
    "get_workflow",
    "create_workflow",
    "update_workflow",
    "delete_workflow",
    "add_trigger",
    "execute_workflow",
    "list_runs",
    "get_run",
    "stop_run",
    "respond_to_run",
    "archive_run",
];
pub const AGENT: [&str; 4] = ["list_agents", "get_agent", "create_agent", "delete_agent"];
pub const IMPROVEMENT: [&str; 2] = ["list_findings", "propose_change"];

fn tools() -> Vec<Arc<dyn Tool>> {
    let tool = |name: &&str| -> Arc<dyn Tool> {
        Arc::new(Studio(ToolSpec::new(
            *name,
            format!("Does {name}."),
            json!({"type": "object"}),
            Source::Studio,
            Risk::Read,
        )))
    };
    WORKFLOW.iter().chain(&AGENT).chain(&IMPROVEMENT).map(tool).collect()
}

/// The specialists of a studio: `workflow` has two parts, `office` has the two others below it.
pub fn pack() -> Value {
    let one = |id: &str, tools: &[&str]| json!({"id": id, "description": format!("Does all about {id}."), "toolNames": tools, "topLevel": true});
    let mut workflow = one("workflow", &WORKFLOW);
    workflow["sharedTools"] = json!(["ask_user"]);
    workflow["parts"] = json!([
        {"id": "workflow_runs", "description": "Runs workflows.", "toolNames": ["execute_workflow", "list_runs", "get_run", "stop_run", "respond_to_run", "archive_run"]}
    ]);
    let mut office = one("office", &[]);
    office["children"] = json!(["workflow", "improvement"]);
    json!({"specialists": [one("agent", &AGENT), workflow, one("improvement", &IMPROVEMENT), office]})
}

pub struct Studios {
    pub engine: Engine,
    pub model: Arc<ScriptedModel>,
    pub session: SessionId,
    pub home: Home,
    _folder: tempfile::TempDir,
}

impl Studios {
    pub async fn new() -> Self {
        Self::with(PlannerProfile::Full, &pack()).await
    }

    pub async fn with(planner: PlannerProfile, pack: &Value) -> Self {
        Self::made(planner, pack, |model| model).await
    }

    /// The same on a model that was changed before.
    pub async fn made(
        planner: PlannerProfile,
        pack: &Value,
        made: impl FnOnce(ScriptedModel) -> ScriptedModel,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        let packs = home.packs().join("studio");
        std::fs::create_dir_all(&packs).unwrap();
        std::fs::write(packs.join("specialists.json"), pack.to_string()).unwrap();
        let (engine, model) = open(&home, planner, made);
        let workspace = folder.path().join("workspace");
        std::fs::create_dir(&workspace).unwrap();
        let session = engine.sessions().create(&workspace).await.unwrap();
        Self { engine, model, session, home, _folder: folder }
    }

    /// The same folders, opened by another process.
    pub fn reopen(&mut self) {
        (self.engine, self.model) = open(&self.home, PlannerProfile::Full, |model| model);
    }

    /// The same folders, opened by another process beside this one.
    pub fn elsewhere(&self) -> Engine {
        open(&self.home, PlannerProfile::Full, |model| model).0
    }

    pub fn says(&self, purpose: Purpose, text: &str) {
        self.model.push(purpose, Scripted::text(text));
    }

    pub fn calls(&self, tool: &str, arguments: Value) {
        self.model.push(Purpose::Step, Scripted::call(tool, arguments));
    }

    pub async fn send(&self, text: &str) -> TurnEnd {
        let policy = Some(ApprovalPolicy::NeverAsk);
        let message = Message { session: self.session.clone(), text: text.to_owned(), policy, answers: None };
        self.engine.turns().send(message, &CancellationToken::new()).await.unwrap()
    }

    /// Carries out a plan of these steps.
    pub async fn carry_out(&self, steps: Value, limits: Value) -> TurnEnd {
        self.carry_out_noted(steps, limits, None).await
    }

    /// The same, approved with a note.
    pub async fn carry_out_noted(&self, steps: Value, limits: Value, note: Option<&str>) -> TurnEnd {
        let plan = self.proposed(steps, limits).await;
        let note = note.map(str::to_owned);
        self.engine.turns().approve(&plan, Decider::User, note, &CancellationToken::new()).await.unwrap()
    }

    /// The same, approved after a person has said this of its steps, or of all of it.
    pub async fn carry_out_said(&self, steps: Value, said: &[(Option<&str>, &str)]) -> TurnEnd {
        let plan = self.proposed(steps, json!({})).await;
        let document = self.engine.plans().get(plan.id.as_str(), None).unwrap();
        for (step, text) in said {
            self.engine.plans().comment(&document, step.map(StepId::from), text).await.unwrap();
        }
        self.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await.unwrap()
    }

    async fn proposed(&self, steps: Value, limits: Value) -> PlanRef {
        let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": self.session.as_str(),
            "title": "A plan", "userMessage": "Do what is to be done.", "limits": limits,
            "defaults": {"toolValidationMode": "strict"}, "instructions": {"office": "Politely.", "workflow": "Weekly."},
            "steps": steps});
        self.engine.plans().import(import(&document.to_string()).unwrap(), &self.session).await.unwrap()
    }

    pub fn events(&self) -> Vec<Event> {
        self.engine.sessions().events(&self.session, 0).unwrap()
    }

    pub fn expanded(&self) -> Vec<(String, Expanded)> {
        let events = self.events().into_iter();
        let expanded = events.filter_map(|event| match event.kind {
            EventKind::StepExpanded { expanded } => Some((event.place.step?.to_string(), *expanded)),
            _ => None,
        });
        expanded.collect()
    }

    /// The tools that were called with success, in order.
    pub fn called(&self) -> Vec<String> {
        let events = self.events();
        let started = |call: &assent_core::ids::CallId| {
            events.iter().find_map(|event| match &event.kind {
                EventKind::CallStarted { call: one, tool, .. } if one == call => Some(tool.clone()),
                _ => None,
            })
        };
        let ended = events.iter().filter_map(|event| match &event.kind {
            EventKind::CallEnded { call, status: CallStatus::Success, .. } => started(call),
            _ => None,
        });
        ended.collect()
    }

    pub fn ended(&self) -> Vec<(String, StepStatus)> {
        let events = self.events().into_iter();
        let ended = events.filter_map(|event| match event.kind {
            EventKind::StepEnded { status, .. } => Some((event.place.step?.to_string(), status)),
            _ => None,
        });
        ended.collect()
    }

    pub fn purposes(&self) -> Vec<Purpose> {
        self.model.requests().iter().map(|request| request.purpose).collect()
    }

    pub fn of(&self, purpose: Purpose) -> Vec<Request> {
        self.model.requests().into_iter().filter(|request| request.purpose == purpose).collect()
    }
}

fn open(
    home: &Home,
    planner: PlannerProfile,
    made: impl FnOnce(ScriptedModel) -> ScriptedModel,
) -> (Engine, Arc<ScriptedModel>) {
    let profile =
        ModelProfile { id: "scripted/test".to_owned(), context_tokens: 32_768, planner, parallel: 4, local: false };
    let model = Arc::new(made(ScriptedModel::new(profile)));
    let store = Store::open(home, Arc::new(SystemClock)).unwrap();
    let models = Arc::new(Only(Wire::of_this_program().lead_to(model.clone())));
    (engine_with(store, home, models, tools(), Arc::new(Unwatched)), model)
}

pub fn said(request: &Request) -> String {
    let texts = request.messages.iter().map(|message| match message {
        Said::System { text } | Said::User { text } | Said::Tool { text, .. } | Said::Assistant { text, .. } => text,
    });
    texts.cloned().collect::<Vec<_>>().join("\n")
}

pub fn names(request: &Request) -> Vec<&str> {
    request.tools.iter().map(|tool| tool.name.as_str()).collect()
}

pub fn step(id: &str, specialist: &str, required: &[&str], after: &[&str]) -> Value {
    json!({"id": id, "description": format!("The task of {id}"), "stepType": "tool", "requiredTools": required,
        "dependencies": after, "executor": {"kind": "specialist", "id": specialist}})
}

pub fn handed_over(id: &str, specialist: &str, after: &[&str]) -> Value {
    json!({"id": id, "description": format!("The task of {id}"), "origin": "route", "dependencies": after,
        "executor": {"kind": "specialist", "id": specialist}})
}

pub fn decision(parent: &str, chosen: &str, by: Settled) -> Decision {
    Decision { parent: parent.to_owned(), chosen: chosen.to_owned(), by }
}
