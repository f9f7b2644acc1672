//! Specialists: who there is, and who would do a task.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use assent_core::contract::{Fault, PathPart, Stage};
use assent_core::heap::{
    Caps, Chooser, ChooserFailed, Choosing, Expansion, HeapSnapshot, PathEnd, Question, Search, expand_to_leaves,
    search_from_node, search_heap_path,
};
use assent_core::order;
use assent_core::plan::{Limits, RouteStep};
use assent_core::run::Purpose;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::Engine;
use crate::heap::own::{self, FoundPack, OwnPack};
use crate::heap::shipped::{AddError, PACKS, Removal, RemoveError, ShippedPack, Standing, add, is_shipped, remove};
use crate::heap::{Agent, AgentLimits};
use crate::model::ModelError;
use crate::planner::{Asking, Beside, Silence};

/// Nobody waits longer for a choice.
const CHOICE: Duration = Duration::from_secs(60);

/// Specialists.
pub struct HeapHandle<'e>(pub(super) &'e Engine);

/// All specialists, as they are shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeapView {
    /// The forest.
    #[serde(flatten)]
    pub heap: HeapSnapshot,
    /// The sizes that hold for every specialist.
    pub caps: Caps,
    /// Which pack added or changed which.
    pub from: BTreeMap<String, String>,
    /// The agents of packs, those for others to call among them.
    pub agents: Vec<AgentView>,
    /// What could not be as it was written.
    pub faults: Vec<Fault>,
}

/// An agent, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentView {
    /// Its name.
    pub name: String,
    /// The pack that it stands in.
    pub pack: String,
    /// What it is for.
    pub description: String,
    /// Which model it asks, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where it ends, where it says so.
    #[serde(skip_serializing_if = "AgentLimits::is_none")]
    pub limits: AgentLimits,
}

/// The way to whoever would do a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Way {
    /// From the first choice on; it ends at a leaf, or where nobody was chosen.
    pub path: Vec<String>,
    /// How often a model was asked.
    pub calls: usize,
}

impl HeapHandle<'_> {
    /// Who there is now.
    pub fn show(&self) -> HeapView {
        let specialists = self.0.knowledge.heap().now();
        let from = order::map(specialists.packed());
        let caps = specialists.registry.caps();
        let agents = specialists.agents.values();
        let mut faults = [specialists.faults.as_slice(), specialists.notes.as_slice()].concat();
        faults.extend(agents.clone().filter_map(|agent| self.without_model(agent)));
        let shown = agents.map(|agent| AgentView {
            name: agent.name.clone(),
            pack: agent.pack.clone(),
            description: agent.description.clone(),
            model: agent.model.as_ref().map(ToString::to_string),
            limits: agent.limits,
        });
        HeapView { heap: specialists.snapshot(), caps, from, agents: shown.collect(), faults }
    }

    /// What is wrong with an agent that asks for a model that there is not. It stays: models come and go.
    fn without_model(&self, agent: &Agent) -> Option<Fault> {
        let choice = agent.model.as_ref()?;
        let error = self.0.models.knows(choice).err()?;
        let message = format!("the agent {:?} cannot run with the model that it asks for: {error}", agent.name);
        let place = ["packs", &agent.pack, &agent.file, "model"].map(PathPart::from);
        Some(Fault::new(Stage::Route, message).at(place))
    }

    /// The packs that can be added, and how each stands.
    pub fn packs(&self) -> Vec<(&'static ShippedPack, Standing)> {
        let folder = self.0.knowledge.heap().packs();
        let standing = |pack: &ShippedPack| folder.map_or(Standing::Absent, |folder| pack.standing(folder));
        PACKS.iter().map(|pack| (pack, standing(pack))).collect()
    }

    /// Adds a pack to those of the person, and says where it lies.
    ///
    /// # Errors
    /// [`AddError`]
    pub fn add_pack(&self, name: &str) -> Result<PathBuf, AddError> {
        add(self.0.knowledge.heap().packs().ok_or(AddError::NoFolder)?, name)
    }

    /// The packs that a person has put there, or has had made.
    pub fn own_packs(&self) -> Vec<OwnPack> {
        self.0.knowledge.heap().packs().map(own::list).unwrap_or_default()
    }

    /// Looks at a folder as the pack of a name, with all that is wrong with it. Nothing is written.
    ///
    /// # Errors
    /// [`AddError`] where it could be no pack whatever is in it.
    pub fn look_at_pack(&self, name: &str, folder: &Path) -> Result<FoundPack, AddError> {
        let heap = self.0.knowledge.heap();
        own::look(heap, name, folder, |agent| self.without_model(agent))
    }

    /// Adds a copy of a folder to the packs of the person, and says where it lies and what is to be noted.
    ///
    /// # Errors
    /// [`AddError`], also where anything is wrong with what is in it.
    pub fn add_own_pack(&self, name: &str, folder: &Path) -> Result<(PathBuf, Vec<Fault>), AddError> {
        own::add(self.0.knowledge.heap(), name, folder, |agent| self.without_model(agent))
    }

    /// Removes a pack that was added, one of a person's own only where it may go as it is.
    ///
    /// # Errors
    /// [`RemoveError`]
    pub fn remove_pack(&self, name: &str, removal: Removal) -> Result<(), RemoveError> {
        let packs = self.0.knowledge.heap().packs().ok_or_else(|| RemoveError::Absent(name.to_owned()))?;
        if is_shipped(name) {
            remove(packs, name, removal)
        } else {
            own::remove(packs, name, removal == Removal::WithChanges)
        }
    }

    /// Who would do a task, from the top or from a specialist on, as the model chooses.
    ///
    /// # Errors
    /// There is no model.
    pub async fn search(&self, task: &str, from: Option<&str>, cancel: &CancellationToken) -> Result<Way, ModelError> {
        self.0.models.model(Purpose::Choose).await?;
        let chooser = self.chooser(cancel);
        let specialists = self.0.knowledge.heap().now();
        let registry = &specialists.registry;
        let search = Search { end: PathEnd::FirstLeaf, ..Search::to(registry.caps().depth + 1) };
        let path = match from {
            Some(node) => search_from_node(registry, node, task, search, &chooser).await,
            None => search_heap_path(registry, task, search, &chooser).await,
        };
        Ok(Way { path, calls: chooser.calls.into_inner() })
    }

    /// What becomes of a route for a task: each specialist with others below it is brought to a leaf. Without a model the
    /// first below it is taken where there are several, and that is told.
    pub async fn expand(&self, route: &[RouteStep], task: &str, cancel: &CancellationToken) -> Expansion {
        let depth = Limits::default().depth as usize;
        let registry = &self.0.knowledge.heap().now().registry;
        expand_to_leaves(route, registry, task, &self.chooser(cancel), depth).await
    }

    fn chooser<'a>(&'a self, cancel: &'a CancellationToken) -> ModelChooser<'a> {
        // Where the settings cannot be read, nothing else can either, and what is usual will do.
        let tool_budget = self.0.tool_budget().unwrap_or(Limits::default().tool_token_budget);
        let (calls, silence) = (AtomicUsize::new(0), Silence::default());
        ModelChooser { engine: self.0, tool_budget, cancel, calls, silence }
    }
}

/// The model of steps, asked outside of any run.
struct ModelChooser<'a> {
    engine: &'a Engine,
    tool_budget: u32,
    cancel: &'a CancellationToken,
    calls: AtomicUsize,
    silence: Silence,
}

impl Chooser for ModelChooser<'_> {
    fn choose(&self, question: Question) -> Choosing<'_> {
        Box::pin(async move {
            let model = self.engine.models.model(Purpose::Choose).await.map_err(ChooserFailed::not_asked)?;
            let (templates, clock) = (self.engine.executor.templates(), self.engine.clock.as_ref());
            let (tool_budget, cancel) = (self.tool_budget, self.cancel);
            let asking = Asking { model: model.as_ref(), templates, clock, limit: CHOICE, tool_budget, cancel };
            let beside = Beside::default();
            let question = async {
                self.calls.fetch_add(1, Ordering::Relaxed);
                asking.choose(&question, &beside).await
            };
            self.silence.ask(question).await.0
        })
    }
}
