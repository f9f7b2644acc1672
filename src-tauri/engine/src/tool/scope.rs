//! Which tools a step may call.
//!
//! A step's active set is small whatever the catalogue holds: a cap in a specialist's scope, a token budget everywhere.
//! What is not in the set is refused by name; no name stands for another.

use std::cmp::Reverse;

use assent_core::contract::{Source, ToolSpec};
use assent_core::order::sort_by_key;
use assent_core::run::SessionKind;
use serde::{Deserialize, Serialize};

use super::human::{ASK_USER, REQUEST_USER_HELP};
use super::meta::is_meta;
use super::{CORE_TOOLS, Catalogue};

/// The most tools of a specialist's step.
pub const SPECIALIST_CAP: usize = 10;

/// Who does the step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope<'a> {
    /// The single agent: core tools, and what was discovered in this run.
    Single {
        /// Tools beside the core tools.
        tools: &'a [String],
        /// Whether it may look for further tools, and the names that were found and explained, oldest first.
        discovery: Option<&'a [String]>,
    },
    /// A specialist: its own tools and those of people.
    Specialist {
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    /// There is none of that name.
    Unknown,
    /// The set was full.
    Cap,
    /// The budget was used up.
    Budget,
    /// It is not there in a run of this kind.
    Channel,
    /// The plan, or the model, may not have it.
    Forbidden,
    /// A required tool is not to be had, and nothing is shown without that.
    Required,
}

/// The tools that a step is shown and may call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ActiveSet {
    /// Their descriptions, in a stable order.
    pub specs: Vec<ToolSpec>,
    /// What would have belonged to it.
    pub left_out: Vec<(String, LeftOut)>,
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

/// Makes a step's active set of the tools that it `may` have. `cost` says how many tokens of the budget a tool takes.
///
/// Where a required tool does not exist or is of the other channel, or required tools alone are too many, there is
/// nothing in it: those are left out for this reason, and the others for want of them.
pub fn active_set(
    wanted: &Wanted<'_>,
    catalogue: &Catalogue,
    may: impl Fn(&ToolSpec) -> bool,
    cost: impl Fn(&ToolSpec) -> usize,
) -> ActiveSet {
    let (mut left_out, mut lacking) = (Vec::new(), None);
    let mut candidates: Vec<(Rank, &ToolSpec)> = Vec::new();
    for (rank, name) in names(wanted, catalogue) {
        if candidates.iter().any(|(_, spec)| spec.name == name) || left_out.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let reason = match catalogue.get(&name) {
            // What it may not have takes no room from what it may.
            Some(tool) if !may(tool.spec()) => LeftOut::Forbidden,
            Some(tool) if is_there(tool.spec(), wanted.channel) => {
                candidates.push((rank, tool.spec()));
                continue;
            }
            Some(_) => LeftOut::Channel,
            None => LeftOut::Unknown,
        };
        match rank {
            // Those of people come by themselves, of both channels: nobody misses the other one's.
            Rank::Human => {}
            Rank::Required if reason != LeftOut::Forbidden => {
                lacking.get_or_insert((name, reason));
            }
            _ => left_out.push((name, reason)),
        }
    }
    if let Some((name, reason)) = lacking {
        return ActiveSet::without(&[name], reason).beside(&candidates, left_out);
    }
    let cap = match wanted.scope {
        Scope::Specialist { .. } => SPECIALIST_CAP,
        Scope::Single { .. } => usize::MAX,
    };
    let mut kept: Vec<&str> = Vec::new();
    let mut tokens = 0_usize;
    for (rank, spec) in by_rank(&candidates) {
        let more = tokens.saturating_add(cost(spec));
        let reason = if kept.len() == cap {
            LeftOut::Cap
        } else if more > wanted.budget {
            LeftOut::Budget
        } else {
            tokens = more;
            kept.push(&spec.name);
            continue;
        };
        if rank == Rank::Required {
            return ActiveSet::without(wanted.required, reason).beside(&candidates, left_out);
        }
        // What is smaller and comes after it may still have room.
        left_out.push((spec.name.clone(), reason));
    }
    let specs = candidates.iter().filter(|(_, spec)| kept.contains(&spec.name.as_str()));
    let specs = specs.map(|(_, spec)| (*spec).clone()).collect();
    ActiveSet { specs, left_out }
}

impl ActiveSet {
    /// These tools, and nothing left out.
    pub fn of(specs: Vec<ToolSpec>) -> Self {
        Self { specs, ..Self::default() }
    }

    /// These tools, the first before the last, as far as the budget goes.
    pub fn within(budget: usize, specs: impl IntoIterator<Item = ToolSpec>, cost: impl Fn(&ToolSpec) -> usize) -> Self {
        let (mut set, mut left) = (Self::default(), budget);
        for spec in specs {
            match left.checked_sub(cost(&spec)) {
                Some(rest) => {
                    left = rest;
                    set.specs.push(spec);
                }
                None => set.left_out.push((spec.name, LeftOut::Budget)),
            }
        }
        set
    }

    /// None of these tools, although they should be there.
    pub fn without(names: &[String], reason: LeftOut) -> Self {
        Self { left_out: names.iter().map(|name| (name.clone(), reason)).collect(), ..Self::default() }
    }

    /// Nothing of the others either.
    fn beside(mut self, others: &[(Rank, &ToolSpec)], left_out: Vec<(String, LeftOut)>) -> Self {
        let others = others.iter().map(|(_, spec)| (spec.name.clone(), LeftOut::Required));
        for (name, reason) in left_out.into_iter().chain(others) {
            if !self.left_out.iter().any(|(known, _)| *known == name) {
                self.left_out.push((name, reason));
            }
        }
        self
    }

    /// The names, in the order in which they are shown.
    pub fn names(&self) -> Vec<&str> {
        self.specs.iter().map(|spec| spec.name.as_str()).collect()
    }
}

/// Candidates as they are taken in: the higher rank first. Of what was discovered the newest comes first: it is what the
/// model is about to call.
fn by_rank<'a>(candidates: &[(Rank, &'a ToolSpec)]) -> Vec<(Rank, &'a ToolSpec)> {
    let mut ordered: Vec<(usize, (Rank, &ToolSpec))> = candidates.iter().copied().enumerate().collect();
    sort_by_key(&mut ordered, |(place, (rank, _))| {
        let age = if *rank == Rank::Discovered { usize::MAX - place } else { *place };
        (Reverse(*rank), age)
    });
    ordered.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The names that belong to a set, in the order in which they are shown: what is the same in most requests first.
fn names(wanted: &Wanted<'_>, catalogue: &Catalogue) -> Vec<(Rank, String)> {
    let ranked = |rank: Rank, names: &[String]| -> Vec<(Rank, String)> {
        let rank_of = |name: &String| if wanted.required.contains(name) { Rank::Required } else { rank };
        names.iter().map(|name| (rank_of(name), name.clone())).collect()
    };
    let required = ranked(Rank::Required, wanted.required);
    match wanted.scope {
        Scope::Single { tools, discovery } => {
            let is_there = |name: &&str| catalogue.get(name).is_some() && (discovery.is_some() || !is_meta(name));
            let mut core: Vec<String> = CORE_TOOLS.into_iter().filter(is_there).map(|name| name.to_owned()).collect();
            sort_by_key(&mut core, |name| catalogue.position(name));
            let found = discovery.unwrap_or_default();
            let beside = [ranked(Rank::Declared, tools), ranked(Rank::Discovered, found)].concat();
            [ranked(Rank::Core, &core), required, beside].concat()
        }
        Scope::Specialist { tools, discovery } => {
            let human = catalogue.specs().filter(|spec| spec.source == Source::Human);
            let human: Vec<String> = human.map(|spec| spec.name.clone()).collect();
            let own: Vec<String> = tools.iter().filter(|name| discovery.is_some() || !is_meta(name)).cloned().collect();
            let found = discovery.unwrap_or_default();
            [required, ranked(Rank::Human, &human), ranked(Rank::Declared, &own), ranked(Rank::Discovered, found)]
                .concat()
        }
    }
}

/// Whether a tool can be called in a session of this kind. Each has its own way to ask a person: a chat asks questions, a
/// workflow asks for help. And what makes agents and workflows is for chats, in which a person sees what is made.
pub fn is_there(spec: &ToolSpec, kind: SessionKind) -> bool {
    match kind {
        SessionKind::Chat => spec.name != REQUEST_USER_HELP,
        SessionKind::Workflow => spec.name != ASK_USER && spec.source != Source::Studio,
    }
}

#[cfg(test)]
mod tests;
