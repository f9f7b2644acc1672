//! Which steps are parts of which: the way from the step that nobody delegated down to one, and what hangs together.

use std::collections::HashMap;

use super::{Plan, graph};
use crate::ids::StepId;

impl Plan {
    /// The ids from the outermost step down to this one, itself last. A plan that was not checked may hold parents in a
    /// circle: each is named once.
    pub fn path_to(&self, step: &StepId) -> Vec<StepId> {
        let parent = |id: &StepId| self.steps.iter().find(|one| one.id == *id)?.parent_id.clone();
        let mut path = vec![step.clone()];
        while let Some(above) = path.last().and_then(parent).filter(|above| !path.contains(above)) {
            path.push(above);
        }
        path.reverse();
        path
    }
}

/// The branches of a plan: an outermost step with all that is below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Branches {
    /// The outermost step of each step that is not alone in its branch.
    root: HashMap<usize, usize>,
    members: HashMap<usize, Vec<usize>>,
}

impl Branches {
    /// The branches of a plan.
    pub fn of(plan: &Plan) -> Self {
        let index = graph::index_of(&plan.steps);
        let mut branches = Self::default();
        for (at, step) in plan.steps.iter().enumerate().filter(|(_, step)| step.parent_id.is_some()) {
            let root = plan.path_to(&step.id).first().and_then(|root| index.get(root).copied()).unwrap_or(at);
            branches.root.insert(at, root);
            branches.root.insert(root, root);
            branches.members.entry(root).or_insert_with(|| vec![root]).push(at);
        }
        branches
    }

    /// The places of the steps that are in one branch with this one, itself among them.
    pub fn with(&self, step: usize) -> impl Iterator<Item = usize> + '_ {
        let together = self.root.get(&step).and_then(|root| self.members.get(root));
        let alone = together.is_none().then_some(step);
        together.into_iter().flatten().copied().chain(alone)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Branches;
    use crate::ids::StepId;
    use crate::plan::Plan;

    fn plan(parents: &[(&str, Option<&str>)]) -> Plan {
        let step = |(id, parent): &(&str, Option<&str>)| json!({"id": id, "parentId": parent, "description": "do it"});
        let steps: Vec<_> = parents.iter().map(step).collect();
        serde_json::from_value(json!({
            "format": "assent.plan/1", "id": "p", "version": 1, "sessionId": "c", "steps": steps
        }))
        .unwrap()
    }

    fn path(plan: &Plan, step: &str) -> Vec<String> {
        plan.path_to(&StepId::from(step)).iter().map(|id| id.as_str().to_owned()).collect()
    }

    #[test]
    fn a_path_leads_from_the_outermost_step_down_and_a_branch_is_all_below_it() {
        let plan = plan(&[("a", None), ("b", Some("a")), ("x", None), ("c", Some("b")), ("d", Some("a"))]);
        assert_eq!(path(&plan, "c"), ["a", "b", "c"]);
        assert_eq!(path(&plan, "x"), ["x"]);
        let branches = Branches::of(&plan);
        for member in [0, 1, 3, 4] {
            assert_eq!(branches.with(member).collect::<Vec<_>>(), [0, 1, 3, 4]);
        }
        assert_eq!(branches.with(2).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn parents_in_a_circle_or_nowhere_end() {
        let circle = plan(&[("a", Some("b")), ("b", Some("a")), ("c", Some("gone"))]);
        assert_eq!(path(&circle, "a"), ["b", "a"]);
        assert_eq!(path(&circle, "c"), ["gone", "c"]);
        assert!(Branches::of(&circle).with(2).any(|member| member == 2));
    }
}
