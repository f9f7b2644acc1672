//! The specialists of this moment: those that Assent brings along, one for each source of connected tools, and those of
//! the packs in the data folder, which may be added, changed and removed while the program runs.
//!
//! Whoever asks gets a whole that does not change any more; a run keeps in its events what it was brought to.

mod agent_tools;
mod agents;
mod check;
mod limits;
mod lying;
pub mod own;
mod packs;
mod phases;
pub mod shipped;
mod sources;
#[cfg(test)]
mod tests;
mod written;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use assent_core::contract::{Fault, PathPart, Source, Stage, ToolSpec};
use assent_core::heap::{Caps, HeapSnapshot, Owned, Registry, Specialist, SpecialistSpec, build, merge, told_in_part};
use assent_core::plan::KnownSpecialist;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::json;

pub use self::agents::{Agent, UserPrompt};
pub(crate) use self::agents::{AgentFile, one_line};
pub use self::limits::AgentLimits;
use self::lying::Stamp;
use self::packs::Read;
pub(crate) use self::packs::{AGENT, NAME_CHARS, has_others, is_name, text as file_text};
pub(crate) use self::phases::left_to_say;
pub use self::phases::{Phase, Places, ResultParts};
pub(crate) use self::written::Written;
use crate::prompt::{Group, SpecialistLine};
use crate::store::{Settings, StoreError};
use crate::texts::text;
use crate::tool::human::{ASK_USER, DISPLAY_CONFIRMATION};
use crate::tool::scope::SPECIALIST_CAP;
use crate::tool::{Catalogue, Tool};

/// Every step of a chat may ask a person and have something confirmed: so many tools of a specialist's own are fewer.
const HUMAN: [&str; 2] = [ASK_USER, DISPLAY_CONFIRMATION];

/// The packs that Assent brings along.
fn shipped() -> [(&'static str, &'static str); 2] {
    [("general", text!("packs/general/specialists.json")), ("workspace", text!("packs/workspace/specialists.json"))]
}

/// The pack of those who make things in the application; there while the studio is open.
fn studio() -> (&'static str, &'static str) {
    ("studio", text!("packs/studio/specialists.json"))
}

/// How a step on a specialist with others below it finds who does it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Delegation {
    /// Before anything runs, it is brought to one leaf.
    #[default]
    Expand,
    /// While it runs, it hands its task on to one or more of those below it.
    Runtime,
}

impl Delegation {
    const SETTING: &'static str = "delegation";

    /// What the person has chosen; the default where nothing usable is set.
    ///
    /// # Errors
    /// The settings cannot be read.
    pub fn chosen(settings: &dyn Settings) -> Result<Self, StoreError> {
        let value = settings.setting(Self::SETTING)?;
        Ok(value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    /// Makes it the person's choice.
    ///
    /// # Errors
    /// The settings cannot be written.
    pub fn choose(self, settings: &dyn Settings) -> Result<(), StoreError> {
        settings.set_setting(Self::SETTING, Some(&json!(self)))
    }
}

/// All specialists as they are at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Specialists {
    /// The forest.
    pub registry: Registry,
    /// What a plan's check has to know of them.
    pub known: IndexMap<String, KnownSpecialist>,
    /// The top level as a planner is shown it.
    pub lines: Vec<SpecialistLine>,
    /// Which pack added or changed which, those among them that were refused.
    pub from: IndexMap<String, String>,
    /// The agents of packs, by name.
    pub agents: IndexMap<String, Arc<Agent>>,
    /// What could not be as it was written.
    pub faults: Vec<Fault>,
    /// What is as it was written, and not what one might think.
    pub notes: Vec<Fault>,
}

impl Specialists {
    /// The specialist of the top level that has a tool, itself or by one below it.
    pub fn owner_of(&self, tool: &str) -> Option<&str> {
        self.registry.root_of(self.registry.owner_of(tool)?)
    }

    /// The tools of agents by whom the agent of their pack has its work done.
    pub(crate) fn parts(&self) -> HashSet<String> {
        let calls = |main: &Arc<Agent>, tool: &String| {
            let named = Agent::named_by(tool).and_then(|name| self.agents.get(name));
            main.name == main.pack && named.is_some_and(|other| other.pack == main.pack)
        };
        let of = |main: &Arc<Agent>| main.tools.iter().filter(|tool| calls(main, tool)).cloned().collect::<Vec<_>>();
        self.agents.values().flat_map(of).collect()
    }

    /// The registry as it is shown.
    pub fn snapshot(&self) -> HeapSnapshot {
        self.registry.snapshot(self.packed().into_keys().collect())
    }

    /// Which pack added or changed which of those that are there.
    pub fn packed(&self) -> IndexMap<String, String> {
        let mut from = self.from.clone();
        from.retain(|id, _| self.registry.runs(id));
        from
    }
}

/// What specialists were made from: how the packs stood, which revision the catalogue had, whether the studio was open.
type Made = (Stamp, usize, bool);

/// Where specialists come from.
pub struct Heap {
    catalogue: Arc<Catalogue>,
    packs: Option<PathBuf>,
    studio: AtomicBool,
    kept: Mutex<Option<Kept>>,
}

/// Specialists as they were made last.
struct Kept {
    from: Made,
    specialists: Arc<Specialists>,
    /// What the packs had then: it is read again only when one of their files was changed.
    read: Arc<Read>,
}

impl Heap {
    /// The specialists over these tools, with those of the packs in a folder, which need not be there.
    pub fn new(catalogue: Arc<Catalogue>, packs: Option<PathBuf>) -> Self {
        Self { catalogue, packs, studio: AtomicBool::new(false), kept: Mutex::default() }
    }

    /// The folder of a person's packs, which need not be there.
    pub fn packs(&self) -> Option<&Path> {
        self.packs.as_deref()
    }

    /// Has those who make things in the application here, or not.
    pub fn open_studio(&self, open: bool) {
        self.studio.store(open, Ordering::Release);
    }

    /// Whether those who make things in the application are here.
    pub fn has_studio(&self) -> bool {
        self.studio.load(Ordering::Acquire)
    }

    /// The tools that specialists are made over.
    pub(crate) fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    /// A tool that a specialist may have.
    pub fn tool(&self, name: &str) -> Option<&ToolSpec> {
        self.tools().find(|spec| spec.name == name)
    }

    /// The tools that a specialist may have.
    pub fn tools(&self) -> impl Iterator<Item = &ToolSpec> {
        self.catalogue.specs()
    }

    /// The agents of now as tools.
    pub fn agent_tools(&self) -> Vec<Arc<dyn Tool>> {
        agent_tools::as_tools(&self.now().agents, &self.catalogue)
    }

    /// The tool of an agent of these specialists, as the files of the agent and of all whom it may call are.
    pub fn agent_spec(&self, Specialists { agents, .. }: &Specialists, tool: &str) -> Option<ToolSpec> {
        Some(agent_tools::spec(agents.get(Agent::named_by(tool)?)?, agents, &self.catalogue))
    }

    /// The agent that a tool calls.
    pub fn agent_of(&self, tool: &str) -> Option<Arc<Agent>> {
        self.now().agents.get(Agent::named_by(tool)?).cloned()
    }

    /// The agent by whom a specialist does its steps: the one of a pack, where it is planned with as itself.
    pub fn stands_for(&self, specialist: &str) -> Option<Arc<Agent>> {
        self.now().agents.get(specialist).filter(|agent| agent.name == agent.pack && agent.is_specialist()).cloned()
    }

    /// The specialist of the top level that has a tool, itself or by one below it.
    pub fn owner_of(&self, tool: &str) -> Option<String> {
        self.now().owner_of(tool).map(str::to_owned)
    }

    /// The specialists of now: made anew when a file of a pack was changed, or tools have come or gone.
    pub fn now(&self) -> Arc<Specialists> {
        let from =
            (self.packs.as_deref().map(lying::stamp).unwrap_or_default(), self.catalogue.revision(), self.has_studio());
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let read = match kept.as_ref() {
            Some(kept) if kept.from == from => return kept.specialists.clone(),
            Some(kept) if kept.from.0 == from.0 => kept.read.clone(),
            _ => Arc::new(self.packs.as_deref().map(packs::read).unwrap_or_default()),
        };
        let specialists = Arc::new(self.made(&read));
        *kept = Some(Kept { from, specialists: specialists.clone(), read });
        specialists
    }

    /// The specialists of now, and as they would be with another pack.
    fn with(&self, pack: &str, folder: &Path) -> (Arc<Specialists>, Specialists) {
        let now = self.now();
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut read = kept.as_ref().map(|kept| Read::clone(&kept.read)).unwrap_or_default();
        drop(kept);
        read.add(pack, folder);
        (now, self.made(&read))
    }

    fn made(&self, read: &Read) -> Specialists {
        let mut faults = Vec::new();
        let mut specs: Vec<SpecialistSpec> = Vec::new();
        let studio = self.has_studio().then(studio);
        for (name, text) in shipped().into_iter().chain(studio) {
            match packs::parse(name, text) {
                Ok(own) => specs.extend(own),
                Err(fault) => faults.push(*fault),
            }
        }
        let is_there = |tool: &String| self.catalogue.get(tool).is_some();
        for spec in &mut specs {
            spec.tool_names.retain(is_there);
            spec.option_groups.values_mut().for_each(|group| group.tool_ids.retain(is_there));
        }
        specs.extend(sources::specialists(&self.catalogue, &specs, &read.overlays));
        let agents = read.agents.clone();
        faults.extend(read.faults.iter().cloned());
        let mut merged = merge(&specs, &read.overlays);
        faults.append(&mut merged.faults);
        let mut notes: Vec<Fault> = agents.values().filter_map(|agent| cut_short(agent)).collect();
        notes.append(&mut merged.notes);
        let caps = Caps { tools: SPECIALIST_CAP - HUMAN.len(), ..Caps::default() };
        let (mut registry, unbuilt) = build(&merged.specs, caps);
        registry.give_to_all(HUMAN.map(str::to_owned));
        for agent in agents.values().filter(|agent| agent.name == agent.pack) {
            registry.reserve(agent.tool_name(), agent.name.clone());
        }
        let (only_told, wrong): (Vec<Fault>, Vec<Fault>) = unbuilt.into_iter().partition(is_only_told);
        let named = check::tools(&merged, &registry, &agents, &self.catalogue);
        faults.extend(wrong.into_iter().chain(named.faults).chain(check::circles(&agents)));
        notes.extend(only_told.into_iter().chain(named.notes));
        let of_agents = |spec: &ToolSpec| agents.values().any(|agent| agent.tools.contains(&spec.name));
        let owned = |spec: &ToolSpec| {
            let is_of_all = matches!(spec.source, Source::Human | Source::Agent) || of_agents(spec);
            if is_of_all { Owned::ByAll } else { Owned::BySpecialists }
        };
        let specs = self.catalogue.specs().map(|spec| (spec.name.as_str(), owned(spec)));
        notes.extend(registry.unowned(specs));
        let known = registry.known_specialists();
        let lines = registry.top_level_ids().iter().map(|id| line(&registry, id)).collect();
        Specialists { registry, known, lines, from: merged.from, agents, faults, notes }
    }
}

/// Whether what was told of a specialist leaves it as it is: there are many on top, or it says much of itself.
fn is_only_told(fault: &Fault) -> bool {
    matches!(fault.path.last(), Some(PathPart::Key(field)) if field == "topLevelIds" || field == "description")
}

/// What is said of an agent for others to call whose description is told in part. Of one for which a specialist stands,
/// that says it.
fn cut_short(agent: &Agent) -> Option<Fault> {
    let message = told_in_part(&agent.description).filter(|_| agent.name != agent.pack)?;
    Some(Fault::new(Stage::Route, message).at(packs::place_of(&agent.pack, &agent.file)))
}

/// What a planner is shown of a specialist: no name of a tool.
fn line(registry: &Registry, id: &str) -> SpecialistLine {
    let entry = registry.get(id);
    let intents = entry.into_iter().flat_map(Specialist::intents);
    let mut groups: Vec<Group> = intents.map(|(label, count)| Group { label, count }).collect();
    if groups.is_empty() {
        let count = registry.tools_below(id).count();
        groups.extend((count > 0).then(|| Group { label: "tools".to_owned(), count }));
    }
    SpecialistLine { id: id.to_owned(), description: entry.map(Specialist::brief).unwrap_or_default(), groups }
}
