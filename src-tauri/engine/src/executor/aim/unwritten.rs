//! The files that a step names as what it writes and has not written: one of two is half a step.

use assent_core::plan::{Origin, StepType};
use assent_core::run::{LedgerEntry, RunState};
use serde_json::Value;

use super::named::leaves;
use super::{has_name, last, same_name};
use crate::executor::step::Worker;
use crate::store::StoreError;
use crate::tool::permission::grants_path;

/// What a step has not written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::executor) struct Unwritten {
    /// Files that are not there.
    pub(in crate::executor) absent: Vec<String>,
    /// Files that are as the step found them, while others that it names with them are not.
    pub(in crate::executor) untouched: Vec<String>,
}

impl Worker<'_> {
    /// The files that the step says it writes and that nobody has written. One whose name stands in a call may have been
    /// written elsewhere, one that the planner has invented may be called otherwise, and one that a later step makes is
    /// not yet due: none of them is told.
    pub(in crate::executor) fn unwritten(&self, state: &RunState) -> Result<Unwritten, StoreError> {
        let step = self.plan_step();
        let is_handed_on = !state.step(self.at).children().is_empty();
        let by_hand = matches!(step.origin, Origin::Call | Origin::AgentCall);
        let files = leaves(&step.description);
        if files.is_empty() || by_hand || is_handed_on || step.effective_type() != StepType::Tool {
            return Ok(Unwritten::default());
        }
        let Some(workspace) = self.workspace() else { return Ok(Unwritten::default()) };
        let mut calls = Vec::new();
        let is_of_it = |entry: &&LedgerEntry| entry.step == self.at || entry.has_effects();
        for entry in state.ledger().iter().filter(is_of_it) {
            let arguments = self.carrier.value(&entry.arguments)?;
            // Whoever has let it write another file than the plan and the step say wants that.
            if entry.step == self.at && self.writes_beyond(&files, &entry.tool, arguments.as_ref()) {
                return Ok(Unwritten::default());
            }
            calls.push(arguments.as_ref().to_string().to_lowercase());
        }
        let (later, is_meant) = (self.made_later(), self.named_by_person());
        let is_due = |file: &&String| {
            let name = last(file).to_lowercase();
            is_meant(file)
                && !later.iter().any(|other| same_name(other, file))
                && !calls.iter().any(|call| has_name(call, &name))
        };
        let (there, absent): (Vec<&String>, Vec<&String>) =
            files.iter().partition(|file| workspace.existing(file).is_ok());
        let is_as_found = |file: &&String| {
            self.before.as_ref().is_some_and(|before| before.is_touched(&workspace, file) == Some(false))
        };
        let is_all = there.iter().all(is_as_found);
        let untouched = there.into_iter().filter(|file| !is_all && is_as_found(file) && is_due(file));
        let absent = absent.into_iter().filter(is_due);
        Ok(Unwritten { absent: absent.cloned().collect(), untouched: untouched.cloned().collect() })
    }

    /// Whether a call writes what neither the plan lets it nor the step names.
    fn writes_beyond(&self, files: &[String], tool: &str, arguments: &Value) -> bool {
        let (grants, folder) = (&self.plan_step().grants, &self.carrier.job.workspace);
        let is_named = |path: &str| files.iter().any(|file| same_name(file, path));
        let Some(tool) = self.carrier.parts.catalogue.get(tool) else { return false };
        tool.effects(arguments).writes.iter().any(|path| !grants_path(grants, path, folder) && !is_named(path))
    }
}
