//! Whether the tools that packs name are there. One that nobody has is a fault at the place that names it. One that is
//! there at other times, while its source is connected or the studio is open, is no fault of the pack and is told too.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use assent_core::contract::{Fault, PathPart, Source, Stage};
use assent_core::heap::{Merged, Registry, SpecialistSpec};
use indexmap::{IndexMap, IndexSet};

use super::agents::Agent;
use super::{packs, sources, studio};
use crate::tool::Catalogue;
use crate::tool::crawl::CRAWL_TOOLS;

/// So many tools that are not there are told of each place; of further ones, how many there are.
const MOST_TOLD: usize = 20;

/// The tools that are there while the studio is open.
static OF_STUDIO: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let (name, text) = studio();
    let specs = packs::parse(name, text).unwrap_or_default();
    specs.iter().flat_map(tools_of).cloned().collect()
});

/// What is told of packs.
#[derive(Default)]
pub(super) struct Told {
    /// What cannot be as it was written.
    pub(super) faults: Vec<Fault>,
    /// What can, and is not what one might think.
    pub(super) notes: Vec<Fault>,
}

/// What is told of the tools that agents and the specialists of packs name.
pub(super) fn tools(
    merged: &Merged,
    registry: &Registry,
    agents: &IndexMap<String, Arc<Agent>>,
    catalogue: &Catalogue,
) -> Told {
    let known = Known { catalogue, agents, sources: OnceCell::new() };
    let mut told = Told::default();
    for agent in agents.values() {
        let place = ["packs", &agent.pack, &agent.file, "tools"].map(PathPart::from);
        known.tell(&mut told, &place, agent.tools.iter());
    }
    // What stands for an agent was told of its file.
    let stands = |spec: &SpecialistSpec| {
        agents.get(&spec.id).is_some_and(|agent| agent.name == agent.pack && packs::stands_for(agent) == *spec)
    };
    let own = |spec: &&SpecialistSpec| merged.from.contains_key(&spec.id) && registry.runs(&spec.id) && !stands(spec);
    for spec in merged.specs.iter().filter(own) {
        let place = ["specialists", &spec.id, "toolNames"].map(PathPart::from);
        known.tell(&mut told, &place, tools_of(spec));
    }
    told
}

/// What is told of agents that call each other in a circle, each circle once: nobody in it ever comes to an end but by
/// how deep calls may go.
pub(super) fn circles(agents: &IndexMap<String, Arc<Agent>>) -> Vec<Fault> {
    let (mut over, mut faults) = (HashSet::new(), Vec::new());
    for start in agents.values() {
        // From an agent to those that it calls, and back up: where a call leads to one on the way, the way is a circle.
        let mut way: Vec<(&Agent, usize)> = vec![(start, 0)];
        while let Some((agent, next)) = way.last_mut() {
            let called = agent.tools.get(*next).map(|tool| Agent::named_by(tool).and_then(|name| agents.get(name)));
            *next += 1;
            let name = agent.name.clone();
            match called {
                None => {
                    over.insert(name);
                    way.pop();
                }
                Some(Some(called)) if !over.contains(&called.name) => {
                    match way.iter().position(|(one, _)| one.name == called.name) {
                        Some(at) => faults.push(circle(&way[at..])),
                        None => way.push((called, 0)),
                    }
                }
                Some(_) => {}
            }
        }
    }
    let more = faults.len().saturating_sub(MOST_TOLD);
    faults.truncate(MOST_TOLD);
    faults.extend((more > 0).then(|| Fault::new(Stage::Route, format!("{more} further circles of agents"))));
    faults
}

fn circle(way: &[(&Agent, usize)]) -> Fault {
    let names = way.iter().chain(way.first()).map(|(agent, _)| agent.name.as_str());
    let message = format!("agents call each other in a circle: {}", names.collect::<Vec<_>>().join(", "));
    let last = way.last().map(|(agent, _)| *agent);
    let place = last.map(|agent| ["packs", &agent.pack, &agent.file, "tools"].map(PathPart::from).to_vec());
    let fault = Fault::new(Stage::Route, message).at(place.unwrap_or_default());
    fault.hint("Such calls end only where they may go no deeper; take one of the calls out.")
}

fn tools_of(spec: &SpecialistSpec) -> impl Iterator<Item = &String> {
    spec.tool_names.iter().chain(&spec.shared_tools).chain(spec.parts.iter().flat_map(|part| &part.tool_names))
}

/// Who has tools.
struct Known<'a> {
    catalogue: &'a Catalogue,
    agents: &'a IndexMap<String, Arc<Agent>>,
    /// The sources that are connected.
    sources: OnceCell<HashSet<&'a str>>,
}

/// How it stands with a tool that is not there.
enum Missing {
    Unknown,
    /// Until then.
    Until(&'static str),
}

impl Known<'_> {
    fn tell<'t>(&self, told: &mut Told, place: &[PathPart], tools: impl Iterator<Item = &'t String>) {
        let missing = tools.collect::<IndexSet<_>>().into_iter().filter_map(|tool| Some((tool, self.missing(tool)?)));
        let (mut unknown, mut later) = (Vec::new(), Vec::new());
        for (tool, why) in missing {
            match why {
                Missing::Unknown => {
                    let fault = Fault::new(Stage::Route, format!("there is no tool {tool:?}"));
                    unknown.push(fault.hint("The list of tools names those that there are."));
                }
                Missing::Until(when) => {
                    later.push(Fault::new(Stage::Route, format!("the tool {tool:?} is not there {when}")));
                }
            }
        }
        for (list, missing) in [(&mut told.faults, unknown), (&mut told.notes, later)] {
            let more = missing.len().saturating_sub(MOST_TOLD);
            list.extend(missing.into_iter().take(MOST_TOLD).map(|fault| fault.at(place.to_vec())));
            let further = || Fault::new(Stage::Route, format!("{more} further tools are not there")).at(place.to_vec());
            list.extend((more > 0).then(further));
        }
    }

    fn missing(&self, tool: &str) -> Option<Missing> {
        let is_agent = || Agent::named_by(tool).is_some_and(|name| self.agents.contains_key(name));
        // Those of crawls come with the first agent that names them.
        if self.catalogue.get(tool).is_some() || is_agent() || CRAWL_TOOLS.contains(&tool) {
            return None;
        }
        if OF_STUDIO.contains(tool) {
            return Some(Missing::Until("while the studio is closed"));
        }
        let connected = || {
            let specs = self.catalogue.specs().filter(|spec| matches!(spec.source, Source::Mcp | Source::Catalogue));
            specs.filter_map(|spec| sources::source_of(&spec.name)).collect()
        };
        Some(match sources::source_of(tool) {
            Some(source) if !self.sources.get_or_init(connected).contains(source) => {
                Missing::Until("until its source is connected")
            }
            _ => Missing::Unknown,
        })
    }
}
