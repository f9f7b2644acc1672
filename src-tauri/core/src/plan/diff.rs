//! What has changed between two versions of a plan, and what a newer one is allowed beyond an older one.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Grants, Plan, Step};
use crate::ids::StepId;

/// Fields of the document that every version has of its own.
const OF_THE_VERSION: &[&str] = &["version", "supersedes", "createdAt", "steps"];

/// The difference between two versions. Times do not count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PlanDiff {
    /// Changed fields of the document, the steps left out.
    pub header: Vec<FieldChange>,
    /// Steps that only the newer version has.
    pub added: Vec<Step>,
    /// Steps that only the older version has.
    pub removed: Vec<Step>,
    /// Steps whose fields differ, grants left out.
    pub changed: Vec<StepChange>,
    /// Steps that stand elsewhere among the others; as few as explain the new order.
    pub moved: Vec<StepMove>,
    /// What steps may do beyond the older version: what a person agrees to by saving and approving.
    pub grants_added: Vec<GrantChange>,
    /// What steps may no longer do.
    pub grants_removed: Vec<GrantChange>,
}

impl PlanDiff {
    /// Whether the versions say the same.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A field with another value; null where it is not there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// The field's name in the document.
    pub field: String,
    /// In the older version.
    pub before: Value,
    /// In the newer version.
    pub after: Value,
}

/// The changed fields of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepChange {
    /// The step.
    pub id: StepId,
    /// Its fields.
    pub fields: Vec<FieldChange>,
}

/// A step at another place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepMove {
    /// The step.
    pub id: StepId,
    /// Its index in the older version.
    pub from: usize,
    /// Its index in the newer version.
    pub to: usize,
}

/// What a step may do that it may not do in the other version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct GrantChange {
    /// The step.
    pub id: StepId,
    /// Tools, paths and hosts.
    pub grants: Grants,
}

/// The difference from `before` to `after`. Both should be checked, so that their grants are what they would be.
pub fn diff(before: &Plan, after: &Plan) -> PlanDiff {
    let old: HashMap<&StepId, (usize, &Step)> = by_id(&before.steps);
    let new: HashMap<&StepId, (usize, &Step)> = by_id(&after.steps);
    let none = Grants::default();
    let mut found = PlanDiff { header: header_changes(before, after), ..PlanDiff::default() };
    let mut common: Vec<(usize, usize, &Step)> = Vec::new();
    for (to, step) in after.steps.iter().enumerate() {
        let previous = old.get(&step.id);
        found.grants_added.extend(beyond(step, previous.map_or(&none, |(_, old)| &old.grants)));
        match previous {
            None => found.added.push(step.clone()),
            Some((from, previous)) => {
                common.push((*from, to, step));
                // Of a large plan most steps are what they were, and are quick to compare.
                let fields = (*previous != step).then(|| field_changes(&object(previous), &object(step), &["grants"]));
                if let Some(fields) = fields.filter(|fields| !fields.is_empty()) {
                    found.changed.push(StepChange { id: step.id.clone(), fields });
                }
            }
        }
    }
    for step in &before.steps {
        let next = new.get(&step.id);
        found.grants_removed.extend(beyond(step, next.map_or(&none, |(_, new)| &new.grants)));
        if next.is_none() {
            found.removed.push(step.clone());
        }
    }
    let stay = longest_rising(&common.iter().map(|(from, _, _)| *from).collect::<Vec<_>>());
    let moves = common.iter().enumerate().filter(|(at, _)| !stay.contains(at));
    found.moved = moves.map(|(_, (from, to, step))| StepMove { id: step.id.clone(), from: *from, to: *to }).collect();
    found
}

fn by_id(steps: &[Step]) -> HashMap<&StepId, (usize, &Step)> {
    steps.iter().enumerate().map(|(at, step)| (&step.id, (at, step))).collect()
}

fn header_changes(before: &Plan, after: &Plan) -> Vec<FieldChange> {
    let header = |plan: &Plan| object(&Plan { steps: Vec::new(), ..plan.clone() });
    field_changes(&header(before), &header(after), OF_THE_VERSION)
}

fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

fn field_changes(before: &Map<String, Value>, after: &Map<String, Value>, without: &[&str]) -> Vec<FieldChange> {
    let mut names: Vec<&String> = after.keys().chain(before.keys().filter(|name| !after.contains_key(*name))).collect();
    names.retain(|name| !without.contains(&name.as_str()));
    let value = |fields: &Map<String, Value>, name: &String| fields.get(name).cloned().unwrap_or(Value::Null);
    names
        .into_iter()
        .map(|name| FieldChange { field: name.clone(), before: value(before, name), after: value(after, name) })
        .filter(|change| change.before != change.after)
        .collect()
}

/// What a step may do beyond other grants; a path inside a granted folder is not beyond it.
fn beyond(step: &Step, other: &Grants) -> Option<GrantChange> {
    let covered = |path: &String| {
        other.paths.iter().any(|granted| {
            granted == "."
                || path == granted
                || path.strip_prefix(granted.as_str()).is_some_and(|rest| rest.starts_with('/'))
        })
    };
    let mut grants = step.grants.clone();
    grants.tools.retain(|tool| !other.tools.contains(tool));
    grants.hosts.retain(|host| !other.hosts.contains(host));
    grants.paths.retain(|path| !covered(path));
    (grants != Grants::default()).then(|| GrantChange { id: step.id.clone(), grants })
}

/// The indices of one longest rising subsequence (patience sorting): the elements that need not move.
fn longest_rising(values: &[usize]) -> HashSet<usize> {
    let mut piles: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        let pile = piles.partition_point(|top| values[*top] < *value);
        before.push(pile.checked_sub(1).map(|left| piles[left]));
        if pile == piles.len() {
            piles.push(at);
        } else {
            piles[pile] = at;
        }
    }
    let mut stay = HashSet::new();
    let mut next = piles.last().copied();
    while let Some(at) = next {
        stay.insert(at);
        next = before[at];
    }
    stay
}
