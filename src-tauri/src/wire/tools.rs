//! Tools and where they come from, as the page shows them.

use assent_core::contract::{Fields, ToolSpec};
use assent_engine::engine::{ContractLine, ContractView, HeapView, SourceState};
use assent_engine::heap::AgentLimits;
use assent_engine::model::Keys;
use assent_engine::tool::described::key_name;
use serde::Serialize;

use super::{KeyView, PackView, SpecialistOption};

/// All tools, with what their descriptions take in a request.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ToolsView {
    /// The tools.
    pub tools: Vec<ToolSpec>,
    /// About how many tokens their descriptions take, in the same order.
    pub tokens: Vec<usize>,
    /// The specialists on top that have them, themselves or by one below them, in the same order.
    pub owners: Vec<Option<String>>,
    /// Who may do a step: tools that come and go change that, too.
    pub specialists: Vec<SpecialistOption>,
    /// All specialists, those below others too.
    pub heap: HeapTree,
    /// The packs that can be added, and a person's own.
    pub packs: Vec<PackView>,
    /// The folders that a person has added.
    pub sources: Vec<SourceView>,
    /// Whether agents are made in chats.
    pub studio: bool,
    /// Tokens of all descriptions in one request, at most.
    pub budget: u32,
}

/// All specialists as a forest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HeapTree {
    /// Each right behind the one that it stands below.
    pub specialists: Vec<HeapEntry>,
    /// Tools of one, beside those that ask a person, at most.
    pub most_tools: usize,
    /// How many stand on top at most.
    pub most_on_top: usize,
    /// How many stand below one at most.
    pub most_below: usize,
    /// How many one is chosen from at most.
    pub most_options: usize,
    /// How many levels stand below the top one at most.
    pub most_levels: usize,
    /// What could not be as it was written.
    pub faults: Vec<String>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct HeapEntry {
    /// Its name.
    pub id: String,
    /// What it is for.
    pub description: String,
    /// Its own tools; none where it hands on.
    pub tools: Vec<String>,
    /// Whom it stands below.
    pub parent: Option<String>,
    /// The pack that has added or changed it.
    pub from: Option<String>,
    /// Which model it asks, where it is an agent that says so.
    pub model: Option<String>,
    /// Where it ends, where it is an agent that says so.
    pub limits: OwnLimits,
}

/// Where an agent ends, as its file says; none where that is as a plan has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OwnLimits {
    /// Replies of one attempt.
    pub replies: Option<u32>,
    /// Tokens, before a person is asked.
    pub tokens: Option<u32>,
    /// Seconds of one call.
    pub seconds: Option<u32>,
}

impl From<HeapView> for HeapTree {
    fn from(view: HeapView) -> Self {
        let HeapView { heap, caps, from, agents, faults } = view;
        let agent_of = |id: &str| agents.iter().find(|agent| agent.name == id && agent.pack == id);
        let specialists = heap.specialists.into_iter().map(|one| HeapEntry {
            from: from.get(&one.id).cloned(),
            model: agent_of(&one.id).and_then(|agent| agent.model.clone()),
            limits: agent_of(&one.id).map(|agent| agent.limits.into()).unwrap_or_default(),
            id: one.id,
            description: one.description,
            tools: one.tool_names,
            parent: one.parent,
        });
        Self {
            specialists: specialists.collect(),
            most_tools: caps.tools,
            most_on_top: caps.top_level,
            most_below: caps.children,
            most_options: caps.options,
            most_levels: caps.depth,
            faults: faults.iter().map(ToString::to_string).collect(),
        }
    }
}

impl From<AgentLimits> for OwnLimits {
    fn from(limits: AgentLimits) -> Self {
        Self { replies: limits.step_iterations, tokens: limits.branch_tokens, seconds: limits.call_seconds }
    }
}

/// One who has contracts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ContractEntry {
    /// Its name.
    pub name: String,
    /// Whether it is an agent; else it is a tool.
    pub is_agent: bool,
    /// The pack of an agent.
    pub pack: Option<String>,
    /// What it is for.
    pub description: String,
}

/// The contracts of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ContractPage {
    /// Whose they are.
    pub entry: ContractEntry,
    /// Which model it asks, where it is an agent that says so.
    pub model: Option<String>,
    /// Where it ends, where it is an agent that says so.
    pub limits: OwnLimits,
    /// What goes in; none where anything does.
    pub input: Option<Fields>,
    /// What comes out; none where nothing is said of that.
    pub output: Option<Fields>,
    /// A value that goes in, as JSON.
    pub example: Option<String>,
    /// What an agent is told that was given the example.
    pub prompt: Option<String>,
}

impl From<ContractLine> for ContractEntry {
    fn from(line: ContractLine) -> Self {
        let ContractLine { name, is_agent, pack, description } = line;
        Self { name, is_agent, pack, description }
    }
}

impl From<ContractView> for ContractPage {
    fn from(view: ContractView) -> Self {
        let ContractView { line, model, limits, input, output, example, prompt } = view;
        Self { entry: line.into(), model, limits: limits.into(), input, output, example, prompt }
    }
}

/// A folder of tool descriptions.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SourceView {
    /// What its tools' names begin with.
    pub name: String,
    /// Where it is.
    pub folder: String,
    /// The names of its tools that can be used.
    pub tools: Vec<String>,
    /// What it has that cannot be used.
    pub faults: Vec<SourceFault>,
    /// The hosts to which its tools send a key.
    pub hosts: Vec<String>,
    /// Why there is nothing of it.
    pub problem: Option<String>,
}

/// A key that the tools of a folder send to one host.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SourceKey {
    /// The host, to which alone it goes.
    pub host: String,
    /// Where it is.
    pub key: KeyView,
}

/// What cannot be used of a folder.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SourceFault {
    /// The file.
    pub file: String,
    /// The name of the tool in it, as far as it has one.
    pub name: Option<String>,
    /// What is wrong.
    pub reason: String,
}

impl SourceKey {
    /// The keys of a source; that asks the keyring, which may take its time.
    pub fn all(source: SourceState, keys: &Keys) -> Vec<Self> {
        let name = source.source.name;
        let of_host = |host: String| Self { key: KeyView::of(keys, &key_name(&name, &host)), host };
        source.hosts.into_iter().map(of_host).collect()
    }
}

impl From<SourceState> for SourceView {
    fn from(SourceState { source, tools, left_out, hosts, problem }: SourceState) -> Self {
        let faults = left_out.into_iter().map(|one| SourceFault { file: one.file, name: one.name, reason: one.reason });
        Self {
            hosts,
            name: source.name.clone(),
            folder: source.folder.display().to_string(),
            tools,
            faults: faults.collect(),
            problem,
        }
    }
}
