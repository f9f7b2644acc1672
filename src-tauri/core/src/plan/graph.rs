//! Steps as a graph: ids to places, a stable order in which dependencies come first, levels, and cycles by name.

use std::collections::{BTreeSet, HashMap};

use super::Step;
use crate::ids::StepId;

/// The first place of every id.
pub(super) fn index_of(steps: &[Step]) -> HashMap<&StepId, usize> {
    let mut index = HashMap::with_capacity(steps.len());
    for (at, step) in steps.iter().enumerate() {
        index.entry(&step.id).or_insert(at);
    }
    index
}

/// The places of each step's dependencies; unknown ids are left out.
pub(super) fn dependencies(steps: &[Step]) -> Vec<Vec<usize>> {
    let index = index_of(steps);
    steps.iter().map(|step| step.dependencies.iter().filter_map(|id| index.get(id).copied()).collect()).collect()
}

/// The reverse of [`dependencies`].
pub(super) fn dependents(dependencies: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut dependents = vec![Vec::new(); dependencies.len()];
    for (step, needed) in dependencies.iter().enumerate() {
        for needed in needed {
            dependents[*needed].push(step);
        }
    }
    dependents
}

/// All places, dependencies first, else as written (Kahn 1962). Shorter than the steps where there is a cycle.
pub(super) fn order(dependencies: &[Vec<usize>]) -> Vec<usize> {
    let dependents = dependents(dependencies);
    let mut open: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    let mut ready: BTreeSet<usize> = (0..open.len()).filter(|step| open[*step] == 0).collect();
    let mut order = Vec::with_capacity(open.len());
    while let Some(step) = ready.pop_first() {
        order.push(step);
        for dependent in &dependents[step] {
            open[*dependent] -= 1;
            if open[*dependent] == 0 {
                ready.insert(*dependent);
            }
        }
    }
    order
}

/// The level of each step: the length of the longest path of dependencies to it. Steps of a cycle are at level 0.
pub(super) fn levels(dependencies: &[Vec<usize>]) -> Vec<usize> {
    let mut level = vec![0; dependencies.len()];
    for step in order(dependencies) {
        level[step] = dependencies[step].iter().map(|needed| level[*needed] + 1).max().unwrap_or(0);
    }
    level
}

/// One cycle, each place depending on the next and the last on the first.
pub(super) fn cycle(dependencies: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut in_cycle = vec![true; dependencies.len()];
    order(dependencies).into_iter().for_each(|step| in_cycle[step] = false);
    let start = in_cycle.iter().position(|stuck| *stuck)?;
    let mut path = vec![start];
    let mut seen = HashMap::from([(start, 0)]);
    loop {
        let last = *path.last()?;
        let next = dependencies[last].iter().copied().find(|needed| in_cycle[*needed])?;
        if let Some(begin) = seen.get(&next) {
            return Some(path.split_off(*begin));
        }
        seen.insert(next, path.len());
        path.push(next);
    }
}
