//! From specifications to a registry: too many tools become parts, too many children become groups, and everything that
//! cannot be as it was written is reported.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use indexmap::{IndexMap, IndexSet};

use super::empty::take_empty;
use super::registry::Registry;
use super::spec::{
    Caps, EMIT_PLAN, ID_CHARS, OptionGroup, Specialist, SpecialistSpec, first, label, told_in_part, told_of,
};
use crate::contract::{Fault, PathPart, Stage};
use crate::plan::PLANNER;

/// Takes the top-level specialists beyond the cap, so that none is lost.
const MORE: &str = "more";
/// Characters of the names of those that are gathered.
const GATHERED_CHARS: usize = 160;
/// Specialists one below the other, as they are written.
const MOST_LEVELS: usize = 64;
/// Marks the entries that the registry makes.
const MADE: &str = "__";

/// Builds a registry. Total: what is wrong in a specification is a fault and the rest is built.
pub fn build(specs: &[SpecialistSpec], caps: Caps) -> (Registry, Vec<Fault>) {
    let caps = usable(caps);
    let mut builder = Builder { caps, ..Builder::default() };
    let specs = builder.bounded(specs);
    let mut specs = builder.usable(&specs);
    builder.named = specs.keys().map(|id| (*id).to_owned()).collect();
    let mut children = builder.forest(&specs);
    for id in take_empty(&mut specs, &mut children) {
        builder.fault(&id, "toolNames", "it has neither tools nor anybody below it; the specialist was left out");
    }
    for (id, spec) in &specs {
        builder.add(spec, children.get(*id).map(Vec::as_slice).unwrap_or_default());
    }
    let top_level = builder.top_level(&specs, &children);
    let planner = Specialist {
        id: PLANNER.to_owned(),
        description: "Turns a message into a plan; it changes nothing and runs in no plan.".to_owned(),
        tool_names: vec![EMIT_PLAN.to_owned()],
        ..Specialist::default()
    };
    builder.entries.insert(PLANNER.to_owned(), planner);
    let registry = Registry::of(builder.entries, top_level, &builder.gathering, caps);
    builder.faults.extend(registry.unreached());
    builder.faults.extend(registry.too_deep());
    (registry, builder.faults)
}

/// Caps that hold something, and under which every child is an option.
fn usable(caps: Caps) -> Caps {
    let options = caps.options.max(2);
    Caps {
        tools: caps.tools.max(2),
        top_level: caps.top_level.clamp(2, options),
        children: caps.children.clamp(2, options),
        options,
        depth: caps.depth.max(1),
    }
}

#[derive(Default)]
struct Builder {
    caps: Caps,
    /// The ids of all specifications: no part takes one of them.
    named: HashSet<String>,
    entries: IndexMap<String, Specialist>,
    /// Entries that only hold top-level specialists beyond the cap.
    gathering: HashSet<String>,
    faults: Vec<Fault>,
}

impl Builder {
    fn fault(&mut self, id: &str, field: &str, message: impl Into<String>) {
        let path = [PathPart::from("specialists"), id.into(), field.into()];
        self.faults.push(Fault::new(Stage::Route, message).at(path));
    }

    /// The specifications with no longer descriptions than steps are told: whoever writes a pack fills no prompt with it.
    fn bounded<'a>(&mut self, specs: &'a [SpecialistSpec]) -> Cow<'a, [SpecialistSpec]> {
        let mut bounded = Cow::Borrowed(specs);
        for (at, spec) in specs.iter().enumerate() {
            let parts = || spec.parts.iter().map(|part| part.description.as_str());
            let long: Vec<String> =
                [spec.description.as_str()].into_iter().chain(parts()).filter_map(told_in_part).collect();
            if !long.is_empty() {
                let own = &mut bounded.to_mut()[at];
                own.description = told_of(&own.description);
                own.parts.iter_mut().for_each(|part| part.description = told_of(&part.description));
            }
            for message in long {
                self.fault(&first(&spec.id, ID_CHARS), "description", message);
            }
        }
        bounded
    }

    /// The specifications that have an id of their own.
    fn usable<'a>(&mut self, specs: &'a [SpecialistSpec]) -> IndexMap<&'a str, &'a SpecialistSpec> {
        let mut usable = IndexMap::new();
        for spec in specs {
            let id = spec.id.as_str();
            if id.trim().is_empty() || id.contains(MADE) {
                self.fault(id, "id", "an id is not empty and holds no \"__\"; the specialist was left out");
            } else if !fits(id) {
                let message =
                    format!("an id has at most {ID_CHARS} characters, all on one line; the specialist was left out");
                self.fault(&first(id, ID_CHARS), "id", message);
            } else if id == PLANNER {
                self.fault(id, "id", "the planner cannot be replaced; the specialist was left out");
            } else if usable.contains_key(id) {
                self.fault(id, "id", "the id is taken; the later specialist was left out");
            } else {
                usable.insert(id, spec);
            }
        }
        usable
    }

    /// The children that each specialist really gets: known, not another's already, and never an ancestor.
    fn forest(&mut self, specs: &IndexMap<&str, &SpecialistSpec>) -> HashMap<String, Vec<String>> {
        let mut parent_of: HashMap<String, String> = HashMap::new();
        let mut children: HashMap<String, Vec<String>> = HashMap::new();
        for (id, spec) in specs {
            for child in &spec.children {
                let above = std::iter::successors(Some(*id), |node| parent_of.get(*node).map(String::as_str));
                let above: Vec<&str> = above.take(MOST_LEVELS).collect();
                let (cycle, is_deep) = (above.contains(&child.as_str()), above.len() == MOST_LEVELS);
                if !specs.contains_key(child.as_str()) {
                    self.fault(id, "children", format!("there is no specialist {child:?}; it was left out"));
                } else if cycle {
                    self.fault(id, "children", format!("{child:?} is above itself; this child was left out"));
                } else if is_deep {
                    let message =
                        format!("{child:?} would be more than {MOST_LEVELS} levels deep; this child was left out");
                    self.fault(id, "children", message);
                } else if let Some(other) = parent_of.get(child) {
                    let message = format!("{child:?} is a child of {other:?} already; it stays there");
                    self.fault(id, "children", message);
                } else {
                    parent_of.insert(child.clone(), (*id).to_owned());
                    children.entry((*id).to_owned()).or_default().push(child.clone());
                }
            }
        }
        self.shorten(&mut children, specs.keys().copied().filter(|id| !parent_of.contains_key(*id)));
        children
    }

    /// Cuts chains that grew too long from below.
    fn shorten<'a>(&mut self, children: &mut HashMap<String, Vec<String>>, roots: impl Iterator<Item = &'a str>) {
        let mut open: Vec<(&str, usize)> = roots.map(|root| (root, 1)).collect();
        let mut cut = Vec::new();
        while let Some((id, level)) = open.pop() {
            let Some(below) = children.get(id) else { continue };
            let is_deep = level >= MOST_LEVELS;
            cut.extend(is_deep.then(|| id.to_owned()));
            open.extend(below.iter().map(|child| (child.as_str(), if is_deep { 1 } else { level + 1 })));
        }
        for id in cut {
            children.remove(&id);
            let message = format!("those below it would be more than {MOST_LEVELS} levels deep; they were left out");
            self.fault(&id, "children", message);
        }
    }

    fn add(&mut self, spec: &SpecialistSpec, children: &[String]) {
        let option_groups = self.option_groups(spec);
        let mut entry = Specialist {
            id: spec.id.clone(),
            description: spec.description.clone(),
            option_groups,
            ..Specialist::default()
        };
        let mut leaves = self.leaves(spec);
        if leaves.len() == 1 && children.is_empty() {
            entry.tool_names = leaves.pop().map(|leaf| leaf.tool_names).unwrap_or_default();
        } else {
            let mut below = children.to_vec();
            for leaf in leaves {
                below.push(leaf.id.clone());
                self.entries.insert(leaf.id.clone(), leaf);
            }
            entry.delegate_targets = self.grouped(&spec.id, &spec.description, below);
        }
        self.entries.insert(spec.id.clone(), entry);
    }

    fn option_groups(&mut self, spec: &SpecialistSpec) -> IndexMap<String, OptionGroup> {
        let mut groups = spec.option_groups.clone();
        let in_parts = spec.parts.iter().flat_map(|part| &part.tool_names);
        let own: HashSet<&String> = spec.tool_names.iter().chain(&spec.shared_tools).chain(in_parts).collect();
        for (key, group) in &mut groups {
            let known = |tool: &String| own.contains(tool) || !spec.children.is_empty();
            let (known, unknown) = std::mem::take(&mut group.tool_ids).into_iter().partition::<Vec<_>, _>(known);
            group.tool_ids = known;
            for tool in unknown {
                self.fault(&spec.id, "optionGroups", format!("{key:?} names {tool:?}, which is none of its tools"));
            }
        }
        groups
    }

    /// The leaves that hold a specialist's tools, each within the cap, the shared ones in every one.
    fn leaves(&mut self, spec: &SpecialistSpec) -> Vec<Specialist> {
        let mut shared: IndexSet<String> = spec.shared_tools.iter().cloned().collect();
        if shared.len() >= self.caps.tools {
            self.fault(
                &spec.id,
                "sharedTools",
                "so many shared tools leave no room for others; they are split like those",
            );
            shared.clear();
        }
        let all: IndexSet<String> = spec.tool_names.iter().chain(&spec.shared_tools).cloned().collect();
        let named: HashSet<&String> = spec.parts.iter().flat_map(|part| &part.tool_names).collect();
        let total = all.iter().chain(named.iter().copied()).collect::<HashSet<_>>().len();
        let rest: Vec<String> =
            all.iter().filter(|tool| !named.contains(tool) && !shared.contains(*tool)).cloned().collect();
        if total <= self.caps.tools && spec.parts.is_empty() {
            if all.is_empty() {
                return Vec::new();
            }
            let whole = vec![(String::new(), String::new(), all.into_iter().collect())];
            return self.cut(spec, &IndexSet::new(), whole);
        }
        let mut wanted: Vec<(String, String, Vec<String>)> = Vec::new();
        for part in &spec.parts {
            let own: IndexSet<String> =
                part.tool_names.iter().filter(|tool| !shared.contains(*tool)).cloned().collect();
            if own.is_empty() && shared.is_empty() {
                self.fault(&spec.id, "parts", format!("the part {:?} has no tools; it was left out", part.id));
                continue;
            }
            wanted.push((part.id.clone(), part.description.clone(), own.into_iter().collect()));
        }
        wanted.extend(by_intent(spec, rest, self.caps.tools - shared.len()));
        self.cut(spec, &shared, wanted)
    }

    fn cut(
        &mut self,
        spec: &SpecialistSpec,
        shared: &IndexSet<String>,
        wanted: Vec<(String, String, Vec<String>)>,
    ) -> Vec<Specialist> {
        let room = self.caps.tools - shared.len();
        let mut leaves: Vec<Specialist> = Vec::new();
        for (id, description, tools) in wanted {
            // A part that has the shared tools alone is one nevertheless.
            let chunks = tools.chunks(room).chain(tools.is_empty().then_some(&[][..]));
            for (index, chunk) in chunks.enumerate() {
                let number = leaves.len() + 1;
                let name = self.part_name(spec, &id, index, number, &leaves);
                let described = if description.is_empty() { &spec.description } else { &description };
                let tool_names = chunk.iter().chain(shared).cloned().collect();
                let description = format!("{described} (part {number})").trim_start().to_owned();
                leaves.push(Specialist { id: name, description, tool_names, ..Specialist::default() });
            }
        }
        leaves
    }

    fn part_name(
        &mut self,
        spec: &SpecialistSpec,
        wanted: &str,
        index: usize,
        number: usize,
        made: &[Specialist],
    ) -> String {
        let default = format!("{}__part{number}", spec.id);
        if wanted.is_empty() || index > 0 {
            return default;
        }
        let taken = self.named.contains(wanted)
            || self.entries.contains_key(wanted)
            || made.iter().any(|leaf| leaf.id == wanted);
        if taken || !wanted.starts_with(&format!("{}_", spec.id)) || wanted.contains(MADE) || !fits(wanted) {
            let wanted = first(wanted, ID_CHARS);
            self.fault(&spec.id, "parts", format!("a part cannot be called {wanted:?}; it is {default}"));
            return default;
        }
        wanted.to_owned()
    }

    /// At most the cap of children: groups of them, and groups of groups.
    fn grouped(&mut self, id: &str, description: &str, mut below: Vec<String>) -> Vec<String> {
        let mut level = 1;
        while below.len() > self.caps.children {
            let mut groups = Vec::new();
            for (index, members) in below.chunks(self.caps.children).enumerate() {
                let group = Specialist {
                    id: format!("{id}__lvl{level}_group{}", index + 1),
                    description: format!("{description} (group {})", index + 1).trim_start().to_owned(),
                    delegate_targets: members.to_vec(),
                    ..Specialist::default()
                };
                groups.push(group.id.clone());
                self.entries.insert(group.id.clone(), group);
            }
            below = groups;
            level += 1;
        }
        below
    }

    fn top_level(
        &mut self,
        specs: &IndexMap<&str, &SpecialistSpec>,
        children: &HashMap<String, Vec<String>>,
    ) -> Vec<String> {
        let below: HashSet<&String> = children.values().flatten().collect();
        let wanted = specs.iter().filter(|(id, spec)| spec.top_level && !below.contains(&(**id).to_owned()));
        let mut top: Vec<String> = wanted.map(|(id, _)| (*id).to_owned()).collect();
        let cap = self.caps.top_level;
        if top.len() <= cap {
            return top;
        }
        let rest = top.split_off(cap - 1);
        let id = if specs.contains_key(MORE) { format!("{MORE}{MADE}1") } else { MORE.to_owned() };
        let message = format!("only {cap} specialists can be on top; these are below {id:?}: {}", rest.join(", "));
        self.fault(&id, "topLevelIds", message);
        let before = self.entries.len();
        let delegate_targets = self.grouped(&id, "", rest);
        self.gathering.extend(self.entries.keys().skip(before).chain([&id]).cloned());
        self.entries.insert(id.clone(), Specialist { id: id.clone(), delegate_targets, ..Specialist::default() });
        for gathering in self.gathering.clone() {
            let description = further(&self.gathered(&gathering));
            if let Some(entry) = self.entries.get_mut(&gathering) {
                entry.description = description;
            }
        }
        top.push(id);
        top
    }

    /// The top-level specialists that found room below an entry which only gathers them.
    fn gathered(&self, gathering: &str) -> Vec<&str> {
        let below = self.entries.get(gathering).into_iter().flat_map(|entry| &entry.delegate_targets);
        let own = |id| if self.gathering.contains(id) { self.gathered(id) } else { vec![id] };
        below.map(String::as_str).flat_map(own).collect()
    }
}

/// Whether an id can stand in lists, which have a line for each.
fn fits(id: &str) -> bool {
    id.chars().nth(ID_CHARS).is_none() && !id.contains(char::is_control)
}

/// What is said of specialists that are gathered: the first names, and how many others there are. It is shown to whoever
/// plans, and does not grow with what is connected.
fn further(names: &[&str]) -> String {
    let mut told = String::from("Further specialists: ");
    for (at, name) in names.iter().enumerate() {
        if at > 0 && told.len() + name.len() > GATHERED_CHARS {
            return format!("{told} and {} others", names.len() - at);
        }
        if at > 0 {
            told.push_str(", ");
        }
        told.extend(name.chars().take(GATHERED_CHARS));
    }
    told
}

/// Tools as parts take them up, those of one intent together as far as there is room: each with no id, what it is for,
/// and its tools. Without intents, one in the order of the tools.
fn by_intent<'s>(spec: &'s SpecialistSpec, mut left: Vec<String>, room: usize) -> Vec<(String, String, Vec<String>)> {
    let mut parts: Vec<(Vec<&'s str>, Vec<String>)> = Vec::new();
    let mut add = |label: Option<&'s str>, tools: Vec<String>| match parts.last_mut() {
        _ if tools.is_empty() => {}
        Some((labels, held)) if held.len() + tools.len() <= room => {
            labels.extend(label);
            held.extend(tools);
        }
        _ => parts.push((label.into_iter().collect(), tools)),
    };
    for group in spec.option_groups.values() {
        let of_group: HashSet<&String> = group.tool_ids.iter().collect();
        let (taken, others) = left.into_iter().partition(|tool| of_group.contains(tool));
        left = others;
        add(Some(group.label.as_str()), taken);
    }
    add(None, left);
    let described = |labels: &[&str]| match labels {
        [] => String::new(),
        labels => {
            let labels: Vec<String> = labels.iter().map(|one| label(one)).collect();
            format!("{}: {}", spec.description, labels.join(", "))
        }
    };
    parts.into_iter().map(|(labels, tools)| (String::new(), described(&labels), tools)).collect()
}
