//! What a planner is given, and what it gives back.

use assent_core::contract::Fault;
use assent_core::heap::Registry;
use assent_core::ids::StepId;
use assent_core::plan::{CheckedPlan, Header, Known, Limits, Plan};
use assent_core::run::{Blob, EventKind, StepStatus, Usage};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Library, Said};
use crate::discovery::Directory;
use crate::model::ModelError;
use crate::prompt::{PromptError, Remark, SpecialistLine};
use crate::store::{Settings, StoreError};
use crate::vault::Credentials;

/// A message that wants a plan or an answer, and everything the planner may know.
#[derive(Clone)]
pub struct PlanningRequest<'a> {
    /// What the plan document is given; its `user_message` is the message, byte for byte. A plan that goes on from an
    /// earlier one is a version of that one instead.
    pub header: Header,
    /// What was said before, oldest first, the message not included. All of it: what is shown is decided here.
    pub conversation: &'a [Said],
    /// The files of the workspace, one line each, as far as they are shown.
    pub files: &'a [String],
    /// The top level of the heap; empty in a chat without it.
    pub specialists: &'a [SpecialistLine],
    /// The heap, to find who has the tools of a step that names nobody.
    pub registry: Option<&'a Registry>,
    /// The specialists that packs have added, agents among them, and by which pack: what can be improved.
    pub there: &'a IndexMap<String, String>,
    /// Names of the tools that are always shown, in their order.
    pub core: &'a [&'a str],
    /// What a plan may refer to.
    pub known: &'a Known,
    /// The known tools, to find the others by the message.
    pub tools: &'a Directory,
    /// Example plans.
    pub library: &'a Library,
    /// The person's credentials, of which names and hosts are told.
    pub vault: Option<&'a Credentials>,
    /// What the message replies to.
    pub after: After<'a>,
    /// Which full template; the compact profile has only one.
    pub template: FullTemplate,
    /// Where repetition ends; written into the plan.
    pub limits: Limits,
}

impl PlanningRequest<'_> {
    /// With only what was said last and few files, for a model that cannot take all of it.
    pub(super) fn shortened(&self) -> Self {
        const SAID_LEFT: usize = 2;
        const FILES_LEFT: usize = 10;
        let said = self.conversation.len().saturating_sub(SAID_LEFT);
        Self {
            conversation: &self.conversation[said..],
            files: &self.files[..self.files.len().min(FILES_LEFT)],
            ..self.clone()
        }
    }
}

/// What a message replies to.
#[derive(Debug, Clone, Copy, Default)]
pub enum After<'a> {
    /// Nothing that has a plan.
    #[default]
    Nothing,
    /// A comment on one step, which is planned anew: it says nothing of what a whole message wants.
    Comment,
    /// A plan of which a step waits for an answer: a changed mind makes a new version.
    Question {
        /// The plan as it stands.
        plan: &'a Progress<'a>,
        /// What was asked.
        question: &'a str,
    },
    /// A finished plan that is to be refined; its completed steps stay.
    Finished(&'a Progress<'a>),
}

/// A plan with how far it got.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The version that was carried out.
    pub plan: &'a Plan,
    /// The number of the version that goes on from it.
    pub next: u32,
    /// Its settled steps.
    pub settled: &'a [Settled<'a>],
    /// What the person said of it, oldest first.
    pub remarks: &'a [Remark],
}

/// A step that is over.
#[derive(Debug, Clone, Copy)]
pub struct Settled<'a> {
    /// The step.
    pub step: &'a StepId,
    /// How it ended.
    pub status: StepStatus,
    /// What it gave.
    pub result: &'a str,
}

/// The two templates of the full profile. A route is one of specialists: without any, steps are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FullTemplate {
    /// Steps between markers.
    #[default]
    Steps,
    /// A route of specialists as a bare object.
    Route,
}

impl FullTemplate {
    /// The setting that holds the choice: `"steps"` or `"route"`.
    const SETTING: &'static str = "plannerTemplate";

    /// The template that the person has chosen; the default where nothing usable is set.
    ///
    /// # Errors
    /// The settings cannot be read.
    pub fn chosen(settings: &dyn Settings) -> Result<Self, StoreError> {
        let value = settings.setting(Self::SETTING)?;
        Ok(value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }
}

/// What came of it, and what is to be written down.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// The answer or the plan.
    pub outcome: PlanningOutcome,
    /// What happened on the way.
    pub trace: Trace,
}

/// What has to be journaled of a planning, whether or not it came to something.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// Every model call, in order.
    pub events: Vec<EventKind>,
    /// What the events name.
    pub blobs: Vec<Blob>,
    /// Tokens of all calls together.
    pub usage: Usage,
    /// How many calls there were.
    pub calls: u32,
}

impl Trace {
    /// What happened after it.
    pub fn add(&mut self, later: Self) {
        self.events.extend(later.events);
        self.blobs.extend(later.blobs);
        self.usage.input += later.usage.input;
        self.usage.cached += later.usage.cached;
        self.usage.output += later.usage.output;
        self.calls += later.calls;
    }
}

/// What a planner decided.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanningOutcome {
    /// The message needs no plan.
    Answer {
        /// The answer, in Markdown.
        text: String,
    },
    /// A plan that can be approved.
    Plan {
        /// The plan.
        plan: Box<CheckedPlan>,
        /// What was mended or left out of what the planner wrote.
        notes: Vec<Fault>,
    },
    /// A plan that cannot run as it is; a person may mend it.
    Faulty {
        /// The plan.
        plan: Box<Plan>,
        /// What does not hold.
        faults: Vec<Fault>,
        /// What was mended or left out of what the planner wrote.
        notes: Vec<Fault>,
    },
}

/// A sign of life while a plan is written. Streamed, never stored, and not yet checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanningProgress {
    /// What the planner thinks aloud.
    Thought(String),
    /// The plan's title.
    Title(String),
    /// A step, as soon as it is complete.
    Step {
        /// From 0.
        index: usize,
        /// What to do.
        description: String,
        /// The first required tool.
        tool: Option<String>,
    },
    /// A piece of a direct answer.
    Answer(String),
    /// What came so far is void: the planner is asked again.
    Again,
}

/// Why there is neither a plan nor an answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlanningError {
    /// There is nothing to plan.
    #[error("the message is empty: write what you want done")]
    EmptyMessage,
    /// The model could not be asked.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A prompt template cannot be used.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// The example plans cannot be read.
    #[error("the example plans are damaged: {0}")]
    Examples(String),
    /// The folder of the session has gone since the message was taken.
    #[error("{0}")]
    Workspace(String),
}

/// A planning that came to nothing, with what is to be written down nevertheless.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{error}")]
pub struct Unplanned {
    /// Why.
    #[source]
    pub error: PlanningError,
    /// What happened on the way.
    pub trace: Trace,
}
