//! A message that wants data looked up and to be asked before going on: both tools are called, whatever the words of the
//! model, and nothing goes on without the person.

use std::sync::{Arc, Mutex};

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::run::{Answer, EventKind, Purpose, Reach, RequestKind, RunStatus, StepStatus, ValidationStatus};
use assent_engine::Engine;
use assent_engine::clock::SystemClock;
use assent_engine::live::Unwatched;
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{ModelProfile, PlannerProfile};
use assent_engine::store::{Home, Store};
use assent_engine::tool::{CallContext, Effects, Outcome, Tool, ToolStop};
use assent_engine::turn::{ApprovalPolicy, Message, TurnEnd};
use assent_tests::desk::{Only, engine_with};
use assent_tests::wire::Wire;
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A search that always finds the same, and remembers what it was asked.
struct WebSearch {
    spec: ToolSpec,
    asked: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Tool for WebSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(Risk::Read)
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        self.asked.lock().unwrap().push(arguments["query"].as_str().unwrap_or_default().to_owned());
        Ok(Outcome::Success(json!("India 1,450 million; China 1,420 million")))
    }
}

fn web_search(asked: &Arc<Mutex<Vec<String>>>) -> Arc<dyn Tool> {
    let parameters = json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]});
    let spec = ToolSpec::new("webSearch", "Searches the web.", parameters, Source::Core, Risk::Read);
    Arc::new(WebSearch { spec, asked: asked.clone() })
}

/// The plan of the seeds' example, as a model writes it.
const PLAN: &str = r#"I will look it up and ask.
---JSON_OUTPUT_START---
{"title": "Population", "refinedTask": "Compare populations after approval.", "todoList": [
  {"id": "step_1", "description": "Search for population statistics", "stepType": "tool", "requiredTools": ["webSearch"],
   "expectedOutcome": "Retrieved population data"},
  {"id": "step_2", "description": "Analyze the retrieved data", "stepType": "reasoning", "expectedOutcome": "A trend"},
  {"id": "step_3", "description": "Get user confirmation before proceeding", "stepType": "tool",
   "requiredTools": ["displayConfirmation"], "expectedOutcome": "User approval received"},
  {"id": "step_4", "description": "Synthesize findings into a summary", "stepType": "reasoning", "expectedOutcome": "A summary"}]}
---JSON_OUTPUT_END---"#;

const MESSAGE: &str = "Search for population data and ask me before proceeding.";

struct World {
    engine: Engine,
    model: Arc<ScriptedModel>,
    asked: Arc<Mutex<Vec<String>>>,
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("workspace")).unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        let store = Store::open(&home, Arc::new(SystemClock)).unwrap();
        let profile = ModelProfile {
            id: "scripted/test".to_owned(),
            context_tokens: 8192,
            planner: PlannerProfile::Full,
            parallel: 4,
            local: false,
        };
        let model = Arc::new(ScriptedModel::new(profile));
        let asked = Arc::default();
        let models = Arc::new(Only(Wire::of_this_program().lead_to(model.clone())));
        let engine = engine_with(store, &home, models, vec![web_search(&asked)], Arc::new(Unwatched));
        Self { engine, model, asked, folder }
    }

    fn says(&self, text: &str) {
        self.model.push(Purpose::Step, Scripted::text(text));
    }

    fn calls(&self, tool: &str, arguments: Value) {
        self.model.push(Purpose::Step, Scripted::call(tool, arguments));
    }

    /// The message, and what the model does until the person is asked: it talks where it should call, twice.
    async fn asked_first(&self) -> TurnEnd {
        self.model.push(Purpose::Plan, Scripted::text(PLAN));
        self.says("I need to search for population data.");
        self.calls("webSearch", json!({"query": "population of the largest countries"}));
        self.says("The data is there.");
        self.says("India has passed China.");
        self.says("I would now ask the user.");
        self.calls("displayConfirmation", json!({"action": "write the summary"}));
        let session = self.engine.sessions().create(&self.folder.path().join("workspace")).await.unwrap();
        let message =
            Message { session, text: MESSAGE.to_owned(), policy: Some(ApprovalPolicy::NeverAsk), answers: None };
        self.engine.turns().send(message, &CancellationToken::new()).await.unwrap()
    }

    async fn answer(&self, answer: Answer) -> TurnEnd {
        let open = self.engine.requests().open().unwrap();
        self.engine.turns().answer(&open[0].request.id, answer, &CancellationToken::new()).await.unwrap()
    }

    fn steps(&self, end: &TurnEnd) -> (RunStatus, Vec<(StepStatus, Option<ValidationStatus>)>) {
        let (TurnEnd::Answered { session } | TurnEnd::Waiting { session, .. }) = end else { panic!("{end:?}") };
        let run = self.engine.runs().list(session).unwrap().remove(0);
        let state = self.engine.runs().get(&run.id).unwrap().state;
        (run.status, state.steps().iter().map(|step| (step.status, step.validation)).collect())
    }
}

// covers: T3 T5 T13 T14 T65 T72 T73 T74
#[tokio::test]
async fn to_search_and_to_ask_before_going_on_calls_both_tools_and_waits_for_the_word() {
    use StepStatus::{Completed, Pending, Waiting};
    let (passed, skipped) = (Some(ValidationStatus::Passed), Some(ValidationStatus::Skipped));
    let world = World::new();
    let end = world.asked_first().await;
    let (status, steps) = world.steps(&end);
    assert_eq!(status, RunStatus::Suspended);
    assert_eq!(steps, [(Completed, passed), (Completed, skipped), (Waiting, None), (Pending, None)]);
    assert_eq!(*world.asked.lock().unwrap(), ["population of the largest countries"]);
    let open = world.engine.requests().open().unwrap();
    let request = &open[0].request;
    assert_eq!((request.kind, request.prompt.as_str()), (RequestKind::Confirm, "Please confirm: write the summary"));

    world.says("You said yes.");
    world.says("India is the largest now.");
    let end = world.answer(Answer::Approve { arguments: None, note: None, reach: Reach::Once }).await;
    let (status, steps) = world.steps(&end);
    assert_eq!(status, RunStatus::Completed);
    assert_eq!(steps, [(Completed, passed), (Completed, skipped), (Completed, passed), (Completed, skipped)]);
    assert_eq!(world.asked.lock().unwrap().len(), 1, "nothing is called twice");
}

// covers: T15 T65
#[tokio::test]
async fn a_no_ends_the_step_that_asked_and_what_builds_on_it() {
    let world = World::new();
    let first = world.asked_first().await;
    let end = world.answer(Answer::Reject { reason: Some("not now".to_owned()) }).await;
    let (status, steps) = world.steps(&end);
    assert_eq!(status, RunStatus::CompletedWithWarnings);
    use StepStatus::{Cancelled, Completed, Skipped};
    let statuses: Vec<StepStatus> = steps.iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [Completed, Completed, Cancelled, Skipped]);
    let TurnEnd::Waiting { session, .. } = first else { panic!("{first:?}") };
    let events = world.engine.sessions().events(&session, 0).unwrap();
    let calls = events.iter().filter(|event| matches!(event.kind, EventKind::CallStarted { .. })).count();
    assert_eq!(calls, 2, "nothing was called after the no");
}
