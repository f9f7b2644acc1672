//! What steps have written that may be at work at the same time: it proves nothing of this one.

use assent_core::run::{CallState, LedgerEntry, RunState};

use super::same_name;
use crate::executor::step::Worker;

impl Worker<'_> {
    /// Whether a step that neither builds on this one nor is built on by it has written a file, by its own word or by a
    /// look at what it has changed.
    pub(super) fn is_written_beside(&self, state: &RunState, file: &str) -> bool {
        let (plan, at) = (self.carrier.job.plan.checked(), self.at);
        let planned = self.carrier.plan().steps.len();
        // A part of a step is one with it.
        if at >= planned {
            return false;
        }
        let related: Vec<usize> = self.carrier.branches.with(at).chain(plan.downstream(at)).collect();
        let is_beside =
            |other: usize| other < planned && !related.contains(&other) && !plan.downstream(other).contains(&at);
        state.ledger().iter().any(|entry| is_beside(entry.step) && self.writes(entry, file))
    }

    fn writes(&self, entry: &LedgerEntry, file: &str) -> bool {
        let Some(tool) = self.carrier.parts.catalogue.get(&entry.tool) else { return false };
        let Ok(arguments) = self.carrier.value(&entry.arguments) else { return false };
        let mut paths = tool.effects(&arguments).writes;
        match &entry.state {
            CallState::Open => {}
            CallState::Ended(end) if end.satisfied => {
                let output = self.carrier.value(&end.output).ok();
                let changed = output.and_then(|output| tool.changed(&arguments, &output));
                paths.extend(changed.into_iter().flat_map(|changed| changed.paths));
            }
            CallState::Ended(_) | CallState::Planned | CallState::Suspended | CallState::Refused(_) => return false,
        }
        paths.iter().any(|path| same_name(path, file))
    }
}
