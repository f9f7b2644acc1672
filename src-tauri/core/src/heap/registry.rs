//! The registry and what can be asked of it. Ids are looked up as own keys only.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::spec::{Caps, Specialist};
use crate::contract::{Fault, Stage};
use crate::plan::{Executor, ExecutorKind, KnownSpecialist, PLANNER, Plan, Step};

/// Tools that an approval of a task for one specialist grants at most.
const GRANTED: usize = 40;

/// The specialists of this moment. Cheap to ask, immutable: a change builds another one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Registry {
    specialists: IndexMap<String, Specialist>,
    top_level: Vec<String>,
    roots: HashMap<String, String>,
    /// The leaves that have a tool, in the registry's order.
    owners: HashMap<String, Vec<String>>,
    /// Tools that others may call and that only this specialist has, if it has them.
    reserved: HashMap<String, String>,
    /// Tools that whoever works has, whatever its own are.
    of_all: HashSet<String>,
    caps: Caps,
}

/// Whose a tool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owned {
    /// Specialists have it, or nobody does.
    BySpecialists,
    /// Every step may have it, whoever does it.
    ByAll,
}

/// A registry as it is shown and exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeapSnapshot {
    /// What the planner is shown.
    pub top_level_ids: Vec<String>,
    /// The top-level ones first, each with its descendants behind it.
    pub specialists: Vec<Specialist>,
    /// Those that an overlay added or changed.
    pub overlay_ids: Vec<String>,
}

impl Registry {
    /// Takes entries that are a forest but for their parents, which are written here. `gathering` are entries that only
    /// hold what found no room on top: nobody's root.
    pub(super) fn of(
        mut specialists: IndexMap<String, Specialist>,
        top_level: Vec<String>,
        gathering: &HashSet<String>,
        caps: Caps,
    ) -> Self {
        let edges: Vec<(String, String)> = specialists
            .values()
            .flat_map(|entry| entry.delegate_targets.iter().map(|child| (child.clone(), entry.id.clone())))
            .collect();
        for (child, parent) in edges {
            if let Some(entry) = specialists.get_mut(&child) {
                entry.parent = Some(parent);
            }
        }
        let mut owners: HashMap<String, Vec<String>> = HashMap::new();
        for entry in specialists.values().filter(|entry| entry.id != PLANNER) {
            for tool in &entry.tool_names {
                owners.entry(tool.clone()).or_default().push(entry.id.clone());
            }
        }
        let mut registry = Self {
            specialists,
            top_level,
            roots: HashMap::new(),
            owners,
            reserved: HashMap::new(),
            of_all: HashSet::new(),
            caps,
        };
        registry.roots =
            registry.specialists.keys().map(|id| (id.clone(), registry.find_root(id, gathering))).collect();
        registry
    }

    fn find_root(&self, id: &str, gathering: &HashSet<String>) -> String {
        let mut root = id;
        let parent = |id: &str| self.specialists.get(id).and_then(|entry| entry.parent.as_deref());
        while let Some(above) = parent(root).filter(|above| !gathering.contains(*above)) {
            root = above;
        }
        root.to_owned()
    }

    /// An entry by its id.
    pub fn get(&self, id: &str) -> Option<&Specialist> {
        self.specialists.get(id)
    }

    /// All entries, the planner included.
    pub fn specialists(&self) -> impl Iterator<Item = &Specialist> {
        self.specialists.values()
    }

    /// What the planner is shown.
    pub fn top_level_ids(&self) -> &[String] {
        &self.top_level
    }

    /// The sizes that hold for every node.
    pub fn caps(&self) -> Caps {
        self.caps
    }

    /// The children of a node; of the root (`None`) the top-level specialists. Empty for a leaf or an unknown id.
    pub fn children_of(&self, node: Option<&str>) -> &[String] {
        match node {
            None => &self.top_level,
            Some(id) => self.specialists.get(id).map_or(&[], |entry| entry.delegate_targets.as_slice()),
        }
    }

    /// What a chooser may choose from at a node: its children, at most `cap` of them and never more than the caps allow.
    pub fn options_at_node(&self, node: Option<&str>, cap: Option<usize>) -> &[String] {
        let children = self.children_of(node);
        &children[..children.len().min(cap.unwrap_or(usize::MAX)).min(self.caps.options)]
    }

    /// Whether a step or a route may name it.
    pub fn runs(&self, id: &str) -> bool {
        id != PLANNER && self.specialists.contains_key(id)
    }

    /// The specialist that a leaf or group is a part of, whose instructions and scope it falls back to; itself on top.
    pub fn root_of(&self, id: &str) -> Option<&str> {
        self.roots.get(id).map(String::as_str)
    }

    /// The leaves below a node, in order; a leaf is its own only one. Ends on any registry, and goes only as far as it
    /// is asked to.
    pub fn leaves_below<'r>(&'r self, node: &'r str) -> impl Iterator<Item = &'r Specialist> {
        let mut seen = HashSet::new();
        let mut open = vec![node];
        std::iter::from_fn(move || {
            while let Some(id) = open.pop() {
                let Some(entry) = self.specialists.get(id).filter(|_| seen.insert(id)) else { continue };
                open.extend(entry.delegate_targets.iter().rev().map(String::as_str));
                if entry.is_leaf() {
                    return Some(entry);
                }
            }
            None
        })
    }

    /// The tools of all leaves below a node, each once: to describe it, never to be sent to a model as its tools.
    pub fn tools_below<'r>(&'r self, node: &'r str) -> impl Iterator<Item = &'r str> {
        let mut seen = HashSet::new();
        let tools = self.leaves_below(node).flat_map(|leaf| &leaf.tool_names);
        tools.map(String::as_str).filter(move |tool| seen.insert(*tool))
    }

    /// The one leaf below a node that has all of these tools; none when there are no tools, they span leaves, or several
    /// leaves share them.
    pub fn leaf_for(&self, node: &str, tools: &[String]) -> Option<&str> {
        let mut having = self.leaves_having(node, tools);
        having.next().filter(|_| having.next().is_none())
    }

    fn leaves_having<'r, 'q>(
        &'r self,
        node: &'q str,
        tools: &'q [String],
    ) -> impl Iterator<Item = &'r str> + use<'r, 'q> {
        let told_apart = self.told_apart(tools);
        let candidates = told_apart.first().and_then(|tool| self.owners.get(*tool)).into_iter().flatten();
        candidates.map(String::as_str).filter(move |leaf| {
            let entry = self.specialists.get(*leaf);
            self.is_below(leaf, node)
                && entry.is_some_and(|entry| told_apart.iter().all(|tool| entry.tool_names.contains(*tool)))
        })
    }

    /// Those tools by which specialists can be told apart, where there are some.
    fn told_apart<'q>(&self, tools: &'q [String]) -> Vec<&'q String> {
        let of_some: Vec<&String> = tools.iter().filter(|tool| !self.of_all.contains(*tool)).collect();
        if of_some.is_empty() { tools.iter().collect() } else { of_some }
    }

    /// Tools that whoever works has. Nobody is chosen by them who is chosen by others as well.
    pub fn give_to_all(&mut self, tools: impl IntoIterator<Item = String>) {
        self.of_all.extend(tools);
    }

    /// Whether whoever works has a tool.
    pub fn is_of_all(&self, tool: &str) -> bool {
        self.of_all.contains(tool)
    }

    fn is_below(&self, id: &str, node: &str) -> bool {
        let above = |id: &&str| self.specialists.get(*id).and_then(|entry| entry.parent.as_deref());
        std::iter::successors(Some(id), above).any(|id| id == node)
    }

    /// Makes a tool that of one specialist. Others may list it, to call it: they have it no more than whoever calls a
    /// person has the person.
    pub fn reserve(&mut self, tool: String, specialist: String) {
        self.reserved.insert(tool, specialist);
    }

    fn has_itself(&self, leaf: &str, tool: &str) -> bool {
        self.reserved.get(tool).is_none_or(|owner| self.is_below(leaf, owner))
    }

    /// The first leaf that has a tool.
    pub fn owner_of(&self, tool: &str) -> Option<&str> {
        self.owners.get(tool)?.iter().map(String::as_str).find(|leaf| self.has_itself(leaf, tool))
    }

    /// The first specialist under which a leaf has all of these tools: one of the top level, or one that is gathered below
    /// it with others.
    pub fn root_for(&self, tools: &[String]) -> Option<&str> {
        let is_whose = |leaf: &&str| tools.iter().all(|tool| self.has_itself(leaf, tool));
        let leaf = self.top_level.iter().find_map(|root| self.leaves_having(root, tools).find(is_whose))?;
        self.root_of(leaf)
    }

    /// Gives the specialist that has them those steps whose required tools the single agent does not have by itself and
    /// that name nobody. Steps whose tools span specialists, and those that think or look for a tool, stay with it.
    pub fn assign_owners(&self, plan: &mut Plan, has_itself: impl Fn(&str) -> bool) {
        let alone = |step: &&mut Step| step.executor.kind == ExecutorKind::Single;
        for step in plan.steps.iter_mut().filter(alone) {
            if step.required_tools.iter().all(|tool| has_itself(tool)) {
                continue;
            }
            if let Some(owner) = self.root_for(&step.required_tools) {
                step.executor = Executor { kind: ExecutorKind::Specialist, id: owner.to_owned() };
            }
        }
    }

    /// What a plan's check has to know. An approval grants the tools of the specialist that a task is handed to: of one
    /// with more tools than a person reads it grants none, and each call that needs permission is asked for.
    pub fn known_specialists(&self) -> IndexMap<String, KnownSpecialist> {
        let known = |id: &String| {
            let all: Vec<String> = self.tools_below(id).map(str::to_owned).collect();
            let (tools, many) = if all.len() > GRANTED { (Vec::new(), all) } else { (all, Vec::new()) };
            (id.clone(), KnownSpecialist { tools, many })
        };
        self.specialists.keys().map(known).collect()
    }

    /// What is told of tools that no specialist names.
    pub fn unowned<'t>(&self, tools: impl IntoIterator<Item = (&'t str, Owned)>) -> Vec<Fault> {
        let wanted = tools.into_iter().filter(|(_, owned)| *owned == Owned::BySpecialists).map(|(tool, _)| tool);
        let told = |tool| {
            let fault = Fault::new(Stage::Route, format!("no specialist has the tool {tool:?}")).at(["tools", tool]);
            fault.hint("It can be found by a search, and by the single agent.")
        };
        wanted.filter(|tool| !self.owners.contains_key(*tool)).map(told).collect()
    }

    /// Entries that stand neither on top nor below another one: no plan is shown a way to them.
    pub(super) fn unreached(&self) -> Vec<Fault> {
        let apart =
            |entry: &&Specialist| entry.id != PLANNER && entry.parent.is_none() && !self.top_level.contains(&entry.id);
        let told = |entry: &Specialist| {
            let message = "this is neither on top nor below another specialist; whoever plans is not shown it";
            let fault = Fault::new(Stage::Route, message).at(["specialists", entry.id.as_str()]);
            fault.hint("Say \"topLevel\": true, or name it among another's children.")
        };
        self.specialists.values().filter(apart).map(told).collect()
    }

    /// Entries further from the top than a search may go.
    pub(super) fn too_deep(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut level: Vec<&String> = self.top_level.iter().collect();
        for _ in 0..=self.caps.depth {
            level = level.into_iter().flat_map(|id| self.children_of(Some(id))).collect();
        }
        for id in level {
            let message = format!("this is more than {} levels down; a search does not reach it", self.caps.depth);
            faults.push(Fault::new(Stage::Route, message).at(["specialists", id.as_str()]));
        }
        faults
    }

    /// The registry as it is shown, `overlay_ids` being those that are not built in.
    pub fn snapshot(&self, overlay_ids: Vec<String>) -> HeapSnapshot {
        let mut order: Vec<&String> = Vec::new();
        let mut open: Vec<&String> = self.top_level.iter().rev().collect();
        while let Some(id) = open.pop() {
            order.push(id);
            open.extend(self.children_of(Some(id)).iter().rev());
        }
        let shown: HashSet<&String> = order.iter().copied().collect();
        order.extend(self.specialists.keys().filter(|id| !shown.contains(id)));
        let specialists = order.into_iter().filter_map(|id| self.get(id)).cloned().collect();
        HeapSnapshot { top_level_ids: self.top_level.clone(), specialists, overlay_ids }
    }
}
