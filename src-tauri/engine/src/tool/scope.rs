//! Which tools a step may call.
//!
//! A step's active set is small whatever the catalogue holds: a cap in a specialist's scope, a token budget everywhere.
//! What is not in the set is refused by name; no name stands for another.

use std::cmp::Reverse;

use assent_core::contract::{Fault, Source, Stage, ToolSpec};
use assent_core::run::SessionKind;

use super::human::{ASK_USER, REQUEST_USER_HELP};
use super::{CORE_TOOLS, Catalogue};

/// The most tools of a specialist's step.
pub const SPECIALIST_CAP: usize = 10;
/// The tools about tools.
const META_TOOLS: [&str; 2] = ["tool_search", "tool_explain"];

/// Who does the step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope<'a> {
    /// The single agent: core tools, and what was discovered in this run.
    Single {
        /// Names that were found and explained, oldest first.
        discovered: &'a [String],
    },
    /// A specialist: its own tools and those of people.
    Specialist {
        /// Its id.
        id: &'a str,
        /// Its own tools.
        tools: &'a [String],
        /// Whether it may look for further tools, and what it found.
        discovery: Option<&'a [String]>,
    },
}

/// What an active set is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// Tools that the step has to call.
    pub required: &'a [String],
    /// Who does it.
    pub scope: Scope<'a>,
    /// In what it runs, which decides how it asks a person.
    pub channel: SessionKind,
    /// Tokens of all descriptions together.
    pub budget: usize,
}

/// Why a tool is not in a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// There is none of that name.
    Unknown,
    /// The set was full.
    Cap,
    /// The budget was used up.
    Budget,
}

/// The tools that a step is shown and may call.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveSet {
    /// Their descriptions, in a stable order.
    pub specs: Vec<ToolSpec>,
    /// What would have belonged to it.
    pub left_out: Vec<(String, LeftOut)>,
    /// About how many tokens the descriptions take.
    pub tokens: usize,
    specialist: Option<String>,
}

/// The higher stays longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Discovered,
    Declared,
    Human,
    Core,
    Required,
}

/// Makes a step's active set. `estimate` says how many tokens a description takes.
///
/// # Errors
/// A required tool that does not exist or is of the other channel, or required tools that alone are too many.
pub fn active_set(
    wanted: &Wanted<'_>,
    catalogue: &Catalogue,
    estimate: impl Fn(&ToolSpec) -> usize,
) -> Result<ActiveSet, Box<Fault>> {
    let mut left_out = Vec::new();
    let mut candidates: Vec<(Rank, &ToolSpec)> = Vec::new();
    for (rank, name) in names(wanted, catalogue) {
        if candidates.iter().any(|(_, spec)| spec.name == name) || left_out.iter().any(|(known, _)| *known == name) {
            continue;
        }
        match catalogue.get(&name) {
            _ if is_of_the_other_channel(&name, wanted.channel) && rank != Rank::Required => {}
            Some(tool) if !is_of_the_other_channel(&name, wanted.channel) => candidates.push((rank, tool.spec())),
            _ if rank == Rank::Required => return Err(Box::new(unusable(&name))),
            _ => left_out.push((name, LeftOut::Unknown)),
        }
    }
    let cap = match wanted.scope {
        Scope::Specialist { .. } => SPECIALIST_CAP,
        Scope::Single { .. } => usize::MAX,
    };
    let mut by_rank: Vec<(Rank, &ToolSpec)> = candidates.clone();
    by_rank.sort_by_key(|(rank, _)| Reverse(*rank));
    let mut kept: Vec<&str> = Vec::new();
    let mut tokens = 0;
    let mut full = None;
    for (rank, spec) in by_rank {
        let cost = estimate(spec);
        let reason = match full {
            Some(reason) => Some(reason),
            None if kept.len() == cap => Some(LeftOut::Cap),
            None if tokens + cost > wanted.budget => Some(LeftOut::Budget),
            None => None,
        };
        match reason {
            Some(reason) if rank == Rank::Required => return Err(Box::new(too_many(wanted, reason))),
            Some(reason) => {
                full = Some(reason);
                left_out.push((spec.name.clone(), reason));
            }
            None => {
                tokens += cost;
                kept.push(&spec.name);
            }
        }
    }
    let specs = candidates.iter().filter(|(_, spec)| kept.contains(&spec.name.as_str()));
    let specs = specs.map(|(_, spec)| (*spec).clone()).collect();
    let specialist = match wanted.scope {
        Scope::Specialist { id, .. } => Some(id.to_owned()),
        Scope::Single { .. } => None,
    };
    Ok(ActiveSet { specs, left_out, tokens, specialist })
}

impl ActiveSet {
    /// The names, in the order in which they are shown.
    pub fn names(&self) -> Vec<&str> {
        self.specs.iter().map(|spec| spec.name.as_str()).collect()
    }

    /// Whether a tool of exactly this name may be called.
    ///
    /// # Errors
    /// A fault that names the tools that may.
    pub fn admits(&self, name: &str) -> Result<(), Box<Fault>> {
        if self.specs.iter().any(|spec| spec.name == name) {
            return Ok(());
        }
        let whom = self.specialist.as_deref().map_or_else(
            || "in this step".to_owned(),
            |specialist| format!("for this specialist (specialistId: {specialist})"),
        );
        let mut fault = Fault::new(Stage::Scope, format!("Tool not available {whom}: {name}"))
            .hint(format!("Allowed tools: {}", self.names().join(", ")));
        fault.provided = vec![name.to_owned()];
        Err(Box::new(fault))
    }
}

/// The names that belong to a set, in the order in which they are shown: what is the same in most requests first.
fn names(wanted: &Wanted<'_>, catalogue: &Catalogue) -> Vec<(Rank, String)> {
    let ranked = |rank: Rank, names: &[String]| -> Vec<(Rank, String)> {
        let rank_of = |name: &String| if wanted.required.contains(name) { Rank::Required } else { rank };
        names.iter().map(|name| (rank_of(name), name.clone())).collect()
    };
    let required = ranked(Rank::Required, wanted.required);
    match wanted.scope {
        Scope::Single { discovered } => {
            let core: Vec<String> =
                CORE_TOOLS.iter().filter(|name| catalogue.get(name).is_some()).map(|name| (*name).to_owned()).collect();
            [ranked(Rank::Core, &core), required, ranked(Rank::Discovered, discovered)].concat()
        }
        Scope::Specialist { tools, discovery, .. } => {
            let human = catalogue.specs().filter(|spec| spec.source == Source::Human);
            let human: Vec<String> = human.map(|spec| spec.name.clone()).collect();
            let is_meta = |name: &String| META_TOOLS.contains(&name.as_str());
            let own: Vec<String> = tools.iter().filter(|name| discovery.is_some() || !is_meta(name)).cloned().collect();
            let found = discovery.unwrap_or_default();
            [required, ranked(Rank::Human, &human), ranked(Rank::Declared, &own), ranked(Rank::Discovered, found)]
                .concat()
        }
    }
}

/// Whether a tool asks a person in a way that a session of this kind does not have: a chat asks questions, a workflow
/// asks for help.
pub fn is_of_the_other_channel(name: &str, kind: SessionKind) -> bool {
    match kind {
        SessionKind::Chat => name == REQUEST_USER_HELP,
        SessionKind::Workflow => name == ASK_USER,
    }
}

fn unusable(name: &str) -> Fault {
    let mut fault = Fault::new(Stage::Scope, format!("the required tool {name} is not available here"))
        .hint("Name another tool, or connect what provides it.");
    fault.required = vec![name.to_owned()];
    fault.missing = vec![name.to_owned()];
    fault
}

fn too_many(wanted: &Wanted<'_>, reason: LeftOut) -> Fault {
    let message = match reason {
        LeftOut::Cap => format!("a step may require at most {SPECIALIST_CAP} tools"),
        _ => format!("the required tools alone exceed the budget of {} tokens", wanted.budget),
    };
    let mut fault = Fault::new(Stage::Scope, message).hint("Split the step, or raise the budget.");
    fault.required = wanted.required.to_vec();
    fault
}

#[cfg(test)]
mod tests;
