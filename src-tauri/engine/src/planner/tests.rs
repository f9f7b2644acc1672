use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::ids::StepId;
use assent_core::plan::{ExecutorKind, Header, Known, KnownSpecialist, Limits, Step, StepType};
use assent_core::run::{Content, EventKind, Purpose, StepStatus};
use indexmap::IndexMap;
use serde_json::{Value, json};

use super::*;
use crate::clock::FakeClock;
use crate::discovery::Directory;
use crate::model::Message;
use crate::model::scripted::{Scripted, ScriptedModel};
use crate::model::{ModelProfile, OutputFormat, PlannerProfile, Request};
use crate::prompt::{Group, SpecialistLine};

mod compact_tests;
mod fallback_tests;
mod full_tests;
mod going_on_tests;

const CORE: &[&str] = &["bash", "grep", "read", "create_file", "ask_user", "displayConfirmation"];

/// A small world: core tools, some others, a heap.
struct World {
    known: Known,
    tools: Directory,
    library: Library,
    specialists: Vec<SpecialistLine>,
    there: IndexMap<String, String>,
    conversation: Vec<Said>,
    files: Vec<String>,
}

fn tool(name: &str, description: &str, risk: Risk) -> ToolSpec {
    ToolSpec::new(name, description, json!({"type": "object"}), Source::Core, risk)
}

impl World {
    fn new() -> Self {
        let mut specs = vec![
            tool("bash", "Runs a command. For sums.", Risk::Execute),
            tool("grep", "Finds and counts lines. In all files.", Risk::Read),
            tool("read", "Reads a file.", Risk::Read),
            tool("create_file", "Writes a new file.", Risk::Write),
            tool("ask_user", "Asks the user.", Risk::Read),
            tool("displayConfirmation", "Asks for approval.", Risk::Read),
        ];
        for (name, description) in [
            ("send_invoice", "Sends an invoice to a customer."),
            ("list_invoices", "Lists invoices of a customer."),
            ("get_weather", "Tells the weather of a city."),
        ] {
            specs.push(tool(name, description, Risk::Network));
        }
        for at in 0..300 {
            specs.push(tool(&format!("std-native-{at}"), &format!("Does the native thing number {at}."), Risk::Read));
        }
        let tools = Directory::of(&specs);
        let known = Known {
            tools: specs.into_iter().map(|spec| (spec.name.clone(), spec)).collect(),
            workspace: Some("/work".to_owned()),
            ..Known::default()
        };
        let library = Library::shipped().unwrap();
        Self { known, tools, library, specialists: vec![], there: IndexMap::new(), conversation: vec![], files: vec![] }
    }

    fn with_heap(mut self, ids: &[&str]) -> Self {
        for id in ids {
            let groups = vec![Group { label: "all of it".to_owned(), count: 71 }];
            self.specialists.push(SpecialistLine { id: (*id).to_owned(), description: format!("Does {id}."), groups });
            self.known.specialists.insert((*id).to_owned(), KnownSpecialist::default());
        }
        self
    }

    fn said(mut self, by: Speaker, text: &str) -> Self {
        self.conversation.push(Said { by, text: text.to_owned() });
        self
    }

    fn request(&self, message: &str) -> PlanningRequest<'_> {
        PlanningRequest {
            header: Header {
                id: "p1".into(),
                version: 1,
                supersedes: None,
                session_id: "s".into(),
                user_message: message.to_owned(),
                created_at: 7,
            },
            conversation: &self.conversation,
            files: &self.files,
            specialists: &self.specialists,
            registry: None,
            there: &self.there,
            core: CORE,
            known: &self.known,
            tools: &self.tools,
            library: &self.library,
            vault: None,
            after: After::Nothing,
            template: FullTemplate::Steps,
            limits: Limits::default(),
        }
    }
}

fn model(planner: PlannerProfile, replies: impl IntoIterator<Item = Scripted>) -> ScriptedModel {
    called("scripted/test", planner, replies)
}

/// A model of this name.
fn called(id: &str, planner: PlannerProfile, replies: impl IntoIterator<Item = Scripted>) -> ScriptedModel {
    let profile = ModelProfile { id: id.to_owned(), context_tokens: 8192, planner, parallel: 1, local: true };
    let model = ScriptedModel::new(profile);
    for reply in replies {
        model.push(Purpose::Plan, reply);
    }
    model
}

async fn run(
    model: &ScriptedModel,
    request: &PlanningRequest<'_>,
) -> (Result<Planned, Unplanned>, Vec<PlanningProgress>) {
    let planner = Planner::new(Arc::new(Templates::shipped().unwrap()), Arc::new(FakeClock::at(1_000)));
    let (progress, mut seen) = unbounded_channel();
    let planned = planner.plan(model, request, &progress, &CancellationToken::new()).await;
    let mut all = Vec::new();
    while let Ok(one) = seen.try_recv() {
        all.push(one);
    }
    (planned, all)
}

async fn planned(model: &ScriptedModel, request: &PlanningRequest<'_>) -> Planned {
    run(model, request).await.0.unwrap_or_else(|unplanned| panic!("{unplanned}"))
}

fn the_plan(planned: &Planned) -> &Plan {
    match &planned.outcome {
        PlanningOutcome::Plan { plan, .. } => plan.plan(),
        other => panic!("{other:?}"),
    }
}

fn notes(planned: &Planned) -> String {
    match &planned.outcome {
        PlanningOutcome::Plan { notes, .. } | PlanningOutcome::Faulty { notes, .. } => {
            notes.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n")
        }
        PlanningOutcome::Answer { .. } => String::new(),
    }
}

fn texts(request: &Request) -> Vec<&str> {
    request
        .messages
        .iter()
        .map(|message| match message {
            Message::System { text } | Message::User { text } | Message::Assistant { text, .. } => text.as_str(),
            Message::Tool { text, .. } => text,
        })
        .collect()
}

/// (description, tools, type, dependencies) of every step.
fn outline(plan: &Plan) -> Vec<(&str, Vec<&str>, StepType, Vec<&str>)> {
    plan.steps
        .iter()
        .map(|step| {
            (
                step.description.as_str(),
                step.required_tools.iter().map(String::as_str).collect(),
                step.effective_type(),
                step.dependencies.iter().map(StepId::as_str).collect(),
            )
        })
        .collect()
}
