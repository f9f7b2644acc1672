//! What a plan may refer to: the tools, specialists and agents of this moment, and where the workspace is.

use indexmap::{IndexMap, IndexSet};

use super::{Executor, ExecutorKind};
use crate::contract::ToolSpec;

/// The id of the entry that makes plans and never runs in one.
pub const PLANNER: &str = "planner";

/// Everything that a plan is checked against. Names are looked up as own keys only.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// The tools by name.
    pub tools: IndexMap<String, ToolSpec>,
    /// The specialists by id, delegators too.
    pub specialists: IndexMap<String, KnownSpecialist>,
    /// The agents with contracts.
    pub agents: IndexSet<String>,
    /// The absolute path of the workspace; without one no path is granted.
    pub workspace: Option<String>,
}

/// What a check has to know of a specialist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownSpecialist {
    /// Its tools; of a delegator those of all leaves below it. An approval of its task grants them.
    pub tools: Vec<String>,
    /// The same where there are more than a person reads: an approval grants none of them.
    pub many: Vec<String>,
}

impl Known {
    /// Whether a step may name this specialist as its executor or a route may name it.
    pub fn runs(&self, specialist: &str) -> bool {
        specialist != PLANNER && self.specialists.contains_key(specialist)
    }

    /// Whether there is somebody who does a step that names this executor.
    pub fn has(&self, executor: &Executor) -> bool {
        match executor.kind {
            ExecutorKind::Specialist => self.runs(&executor.id),
            ExecutorKind::Agent => self.agents.contains(&executor.id),
            ExecutorKind::Single => true,
        }
    }

    /// The known name that a misspelled one most likely means, for a hint.
    pub(super) fn near<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> Option<&'a str> {
        let wanted = super::keys::bare(name);
        let limit = 1 + wanted.chars().count().min(24) / 5;
        let distance = |candidate: &&String| edit_distance(&wanted, &super::keys::bare(candidate), limit);
        known
            .filter_map(|name| distance(&name).map(|far| (far, name)))
            .min_by_key(|(far, _)| *far)
            .map(|(_, name)| name.as_str())
    }

    /// A hint that names the near name, or nothing.
    pub(super) fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> String {
        Self::near(name, known).map(|near| format!("Did you mean {near}?")).unwrap_or_default()
    }
}

/// The Levenshtein distance, when it is at most `limit`.
fn edit_distance(left: &str, right: &str, limit: usize) -> Option<usize> {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().take(80).collect(), right.chars().take(80).collect());
    if left.len().abs_diff(right.len()) > limit {
        return None;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let replaced = corner + usize::from(a != b);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row.last().copied().filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::{Known, edit_distance};

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["create_file", "edit_file", "grep"].map(str::to_owned);
        assert_eq!(Known::near("createFile", names.iter()), Some("create_file"));
        assert_eq!(Known::near("grp", names.iter()), Some("grep"));
        assert_eq!(Known::near("toString", names.iter()), None);
        assert_eq!(edit_distance("kitten", "sitting", 3), Some(3));
        assert_eq!(edit_distance("kitten", "sitting", 2), None);
    }
}
