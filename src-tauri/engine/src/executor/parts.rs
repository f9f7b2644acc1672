//! What the executor needs from the rest of the engine, each as a narrow trait or value.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use assent_core::contract::{Fault, Risk, ToolSpec};
use assent_core::ids::{RunId, SessionId, StepId};
use assent_core::plan::{ApprovedPlan, Plan, PlanRef, Step};
use assent_core::run::{Journal, Purpose, RunState, SessionKind};
use async_trait::async_trait;
use serde_json::Value;

use super::ExecutorError;
use crate::clock::{Clock, IdSource};
use crate::heap::{Delegation, Heap};
use crate::live::Live;
use crate::memory::ToolUsage;
use crate::model::registry::ModelChoice;
use crate::model::{Model, ModelError, ModelProfile, PlannerProfile};
use crate::prompt::{Remark, StepStudio, Templates};
use crate::store::{Blobs, Changes, FileHistory, Requests, RunRow, Runs, Settings, StoreError};
use crate::tool::grounding::Seen;
use crate::tool::scope::ActiveSet;
use crate::tool::{Catalogue, Effects, Tool};
use crate::vault::Credentials;

/// Everything the executor works with.
pub struct ExecutorParts {
    /// Where events go.
    pub journal: Arc<dyn Journal>,
    /// Where runs are read.
    pub runs: Arc<dyn Runs>,
    /// Where requests are read.
    pub requests: Arc<dyn Requests>,
    /// Where large contents are read.
    pub blobs: Arc<dyn Blobs>,
    /// What other hands commit: answers, and the wish to stop.
    pub changes: Arc<dyn Changes>,
    /// Who may carry a run on.
    pub locks: Arc<dyn Locks>,
    /// What a stored run carries out.
    pub jobs: Arc<dyn Jobs>,
    /// Which model does what.
    pub models: Arc<dyn Models>,
    /// Every tool.
    pub catalogue: Arc<Catalogue>,
    /// What a step may call, and with which arguments.
    pub rules: Arc<dyn Rules>,
    /// What a step is told beside its plan.
    pub surroundings: Arc<dyn Surroundings>,
    /// The prompts.
    pub templates: Arc<Templates>,
    /// Is told of calls that worked.
    pub witness: Arc<dyn Witness>,
    /// Where pieces of replies and signs of life go.
    pub live: Arc<dyn Live>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn IdSource>,
    /// The specialists.
    pub heap: Arc<Heap>,
    /// What the person has chosen.
    pub settings: Arc<dyn Settings>,
    /// The person's credentials.
    pub vault: Arc<Credentials>,
    /// Folders that no tool may see, Assent's own data first.
    pub hidden: Vec<PathBuf>,
    /// How replies are drawn.
    pub sampling: Sampling,
}

impl ExecutorParts {
    /// How specialists with others below them find who does a step.
    pub(super) fn delegation(&self) -> Result<Delegation, StoreError> {
        Delegation::chosen(self.settings.as_ref())
    }

    /// What a run of this plan has come to.
    pub(super) fn folded(&self, run: &RunId, plan: &Plan) -> Result<RunState, ExecutorError> {
        Ok(RunState::folded(run.clone(), plan, self.runs.run_events(run)?)?)
    }

    /// What a stored run has come to, whether or not it could go on.
    pub(super) fn state_of(&self, run: &RunRow) -> Result<RunState, ExecutorError> {
        self.folded(&run.id, &self.jobs.plan(run)?)
    }
}

/// Is told of calls that worked. Returns at once, whatever becomes of it.
pub trait Witness: Send + Sync {
    /// A call has done what its tool is for.
    fn worked(&self, usage: ToolUsage);
}

/// Nobody is told.
impl Witness for () {
    fn worked(&self, _usage: ToolUsage) {}
}

/// How replies are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// 0 for the most likely text.
    pub temperature: f32,
    /// For the same reply again, where the endpoint allows it.
    pub seed: Option<u64>,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { temperature: 0.0, seed: Some(1) }
    }
}

/// An approved plan and what it works in.
#[derive(Clone)]
pub struct Job {
    /// What is carried out.
    pub plan: Arc<ApprovedPlan>,
    /// In what it runs: a chat and a workflow ask a person through different tools.
    pub kind: SessionKind,
    /// Absolute, symbolic links resolved.
    pub workspace: PathBuf,
    /// Earlier contents of the session's files.
    pub history: Arc<dyn FileHistory>,
    /// Models of its own; those of the engine when absent.
    pub models: Option<Arc<dyn Models>>,
}

/// What a stored run carries out, checked again against the tools of this moment.
pub trait Jobs: Send + Sync {
    /// The approved plan of a run and its folder.
    ///
    /// # Errors
    /// [`ExecutorError::Plan`] when the plan, its grants or its tools are not what was approved.
    fn job(&self, run: &RunRow) -> Result<Job, ExecutorError>;

    /// The version that a run carries out, whether or not it could be carried out now.
    ///
    /// # Errors
    /// It cannot be read.
    fn plan(&self, run: &RunRow) -> Result<Plan, ExecutorError>;

    /// The folder that a run works in: absolute, symbolic links resolved.
    ///
    /// # Errors
    /// It has none, or the folder is gone or cannot be read.
    fn folder(&self, run: &RunRow) -> Result<PathBuf, ExecutorError>;
}

/// Locks that exclude every other process, and every other holder in this one, until they are dropped.
pub trait Locks: Send + Sync {
    /// The lock of a run; `None` while another holds it.
    ///
    /// # Errors
    /// The data folder cannot be used.
    fn try_lock(&self, run: &RunId) -> Result<Option<Box<dyn Send>>, StoreError>;

    /// Whether anybody holds the lock of a run; to look keeps nobody from taking it.
    ///
    /// # Errors
    /// The data folder cannot be used.
    fn is_held(&self, run: &RunId) -> Result<bool, StoreError>;
}

/// Which model does what.
#[async_trait]
pub trait Models: Send + Sync {
    /// The model for a purpose, started if need be.
    ///
    /// # Errors
    /// Why there is none.
    async fn model(&self, purpose: Purpose) -> Result<Arc<dyn Model>, ModelError>;

    /// The model that an agent asks for, for its own steps; where one model does everything, that one.
    ///
    /// # Errors
    /// Why there is none.
    async fn named(&self, choice: &ModelChoice) -> Result<Arc<dyn Model>, ModelError> {
        let _ = choice;
        self.model(Purpose::Step).await
    }

    /// Whether there is what an agent asks for. Nothing is started.
    ///
    /// # Errors
    /// [`ModelError::NoSuchModel`]
    fn knows(&self, choice: &ModelChoice) -> Result<(), ModelError> {
        let _ = choice;
        Ok(())
    }

    /// The models that a person has chosen for some part of the work, by their ids: an agent can ask for any of them.
    fn chosen(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A call that a reply asks for, with everything a rule may look at.
pub struct Proposal<'a> {
    /// The run.
    pub run: &'a RunId,
    /// The plan.
    pub plan: &'a Plan,
    /// The step.
    pub step: &'a Step,
    /// The tool.
    pub tool: &'a dyn Tool,
    /// The arguments with defaults filled in; they fit the parameters.
    pub arguments: &'a Value,
    /// What the call would touch.
    pub effects: &'a Effects,
    /// The folder that it works in.
    pub workspace: &'a Path,
    /// Whether the step was refused a call of this tool before, by the rules, and told why.
    pub told: bool,
}

/// What a person has to know who is to allow a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    /// Why it is not allowed already, in a sentence.
    pub reason: String,
    /// The worst that this call can do, which may be worse than what its tool usually does.
    pub risk: Risk,
    /// Whether a kept permission would have been enough, so that one may be given now.
    pub standing: bool,
}

/// What the rules say of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It may be made.
    Allowed,
    /// A person has to allow it.
    Permit(Permit),
    /// It may not be made; the model is told why.
    Refused(Box<Fault>),
}

impl Locks for crate::store::RunLocks {
    fn try_lock(&self, run: &RunId) -> Result<Option<Box<dyn Send>>, StoreError> {
        let guard = crate::store::RunLocks::try_lock(self, run)?;
        Ok(guard.map(|guard| Box::new(guard) as Box<dyn Send>))
    }

    fn is_held(&self, run: &RunId) -> Result<bool, StoreError> {
        crate::store::RunLocks::is_held(self, run)
    }
}

/// For whom an active set is made.
#[derive(Clone, Copy)]
pub struct Asker<'a> {
    /// What kind of model does the step.
    pub profile: PlannerProfile,
    /// The tools that were explained in this run, the latest last; they count only where the step may look for tools.
    pub discovered: &'a [String],
    /// The leaf that the step was brought to, where it is not what the step names.
    pub leaf: Option<&'a str>,
    /// How many tokens of the budget a tool takes.
    pub tokens: &'a dyn Fn(&ToolSpec) -> usize,
}

impl Asker<'_> {
    /// A model of this kind, before anything was discovered; tokens are estimated.
    pub fn of(profile: PlannerProfile) -> Self {
        Self { profile, discovered: &[], leaf: None, tokens: &ToolSpec::estimated_tokens }
    }
}

/// What a step may call, and with which arguments.
pub trait Rules: Send + Sync {
    /// Whether a step of this job may look for tools that it is not shown, when a model of this profile does it.
    fn discovers(&self, job: &Job, step: &Step, profile: PlannerProfile) -> bool;

    /// The active set of a step of this job, within the budget of its plan. Steps of a plan that have the same type,
    /// executor, required and discovered tools have the same set.
    fn active(&self, job: &Job, step: &Step, asker: &Asker<'_>) -> ActiveSet;

    /// The arguments with defaults filled in.
    ///
    /// # Errors
    /// They do not fit the parameters.
    fn arguments(&self, spec: &ToolSpec, arguments: Value) -> Result<Value, Box<Fault>>;

    /// Whether the values of a call occur in what the step has seen.
    ///
    /// # Errors
    /// One that does not.
    fn grounded(&self, proposal: &Proposal<'_>, seen: &Seen) -> Result<(), Box<Fault>>;

    /// Whether the approval of the plan, or a standing permission, covers a call.
    fn permitted(&self, proposal: &Proposal<'_>, seen: &Seen) -> Verdict;
}

/// Who carries out a step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Role {
    /// The specialist.
    pub specialist: String,
    /// What it does, in a sentence or two.
    pub does: String,
}

/// What a step is told beside its plan: as of the moment in which it starts, recorded with its requests.
pub trait Surroundings: Send + Sync {
    /// The specialist that carries a step out; `None` where it names none.
    fn role(&self, step: &Step) -> Option<Role>;

    /// Whether a step is shown files of the workspace.
    fn shows_files(&self, step: &Step) -> bool;

    /// Files of the workspace, as far as a step on this model is shown them.
    fn files(&self, workspace: &Path, model: &ModelProfile) -> Vec<String>;

    /// The texts of the files that a step is to change, as they are now, as far as it is shown them on this model.
    fn texts(&self, workspace: &Path, step: &Step, model: &ModelProfile) -> Vec<String>;

    /// The conversation, as far as a step of a plan is shown it: who said what.
    fn conversation(&self, session: &SessionId, plan: &Plan, step: &Step) -> Vec<(String, String)>;

    /// What a person has said of a version of a plan and of the last of these steps, or of one that it is a part of:
    /// oldest first.
    fn remarks(&self, plan: &PlanRef, path: &[StepId]) -> Vec<Remark>;

    /// What there is in the studio, as far as a step on this model is told; `None` where nothing is told.
    fn studio(&self, step: &Step, model: &ModelProfile) -> Option<StepStudio>;
}
