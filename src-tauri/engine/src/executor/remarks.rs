//! What a person said of the plan, as the models of a run are told: with the step, never with the rules, so that the
//! beginning of a request stays the same for all steps.

use assent_core::ids::StepId;

use super::carrier::Carrier;
use super::context::{Unmade, View, room_of};
use crate::prompt::{Remark, Remarks, within};
use crate::tool::present::cut;

/// They take at most this part of the room for results.
const PART: usize = 4;

impl Carrier {
    /// What was said of the plan and of the steps of a path, in the room that a context of so many tokens has for it: for
    /// a model that is asked about a step before that has begun.
    pub(super) fn remarks_on(&self, path: &[StepId], context_tokens: u32) -> Vec<Remark> {
        let said = self.parts.surroundings.remarks(&self.job.plan.plan_ref(), path);
        within(&said, room_of(context_tokens) / PART, cut)
    }
}

/// What the plan says to whoever does a step, in the room that a context of so many tokens has for it beside the rest.
pub(super) fn instructions_within(text: &str, context_tokens: u32) -> String {
    cut(text, room_of(context_tokens) / PART)
}

impl View<'_> {
    /// What is told of them: as much as there is room for.
    pub(super) fn remarks(&self) -> Vec<Remark> {
        within(&self.base.shared.remarks, self.room() / PART, cut)
    }

    /// The same as a text of its own, below the task of an agent, whose template knows nothing of them.
    pub(super) fn told_remarks(&self) -> Result<Option<String>, Unmade> {
        let remarks = self.remarks();
        if remarks.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.templates.render(&Remarks { remarks: &remarks })?.text))
    }

    /// Characters of all results together beside what was said.
    pub(super) fn room_beside(&self, remarks: &[Remark]) -> usize {
        let said: usize = remarks.iter().map(|remark| remark.text.len()).sum();
        self.room().saturating_sub(said)
    }
}
