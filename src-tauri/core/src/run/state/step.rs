//! A step as the fold keeps it.

use std::collections::BTreeSet;

use super::{Exchange, ReplyRecord};
use crate::heap::Expanded;
use crate::ids::{Digest, RunId, StepId};
use crate::run::{Content, StepStatus, Usage, ValidationStatus};

/// A step as it stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepState {
    /// Names it in the plan.
    pub id: StepId,
    /// How it stands.
    pub status: StepStatus,
    /// The current attempt, from 1; 0 before the first.
    pub attempt: u32,
    /// What was said in the current attempt, in order.
    pub exchange: Vec<Exchange>,
    /// The calls of the current attempt: indexes into [`RunState::ledger`].
    pub calls: Vec<usize>,
    /// What the requests of the current attempt share: named by its recipes, or in force in the run before them.
    pub base: Option<Digest>,
    /// Model replies in the current attempt.
    pub iterations: u32,
    /// The limits at which a person has said "go on" in the current attempt, once for each time.
    pub extended: Vec<String>,
    /// The limit that it has reached last in the current attempt, by its name in the plan.
    pub limit: Option<String>,
    /// The request at a limit to which a person has not said "go on", in the current attempt.
    pub cap_refused: Option<usize>,
    /// The loop guard counts calls from this place of `calls` on.
    pub guard_from: usize,
    /// What the ledger said when the step ended.
    pub validation: Option<ValidationStatus>,
    /// What it gave.
    pub result: Option<Content>,
    /// Why it did not complete, or the warning with which it did.
    pub reason: Option<String>,
    /// Whether it completed on something that was done again since.
    pub stale: bool,
    /// The earlier run whose completed step this is.
    pub carried_from: Option<RunId>,
    /// When the current attempt began.
    pub started_at: Option<i64>,
    /// When it was settled.
    pub ended_at: Option<i64>,
    /// Tokens of all attempts.
    pub usage: Usage,
    /// Those of them that earlier attempts have used.
    pub used_before: Usage,
    /// The leaf that does it, where the plan names a specialist with others below it, or a part of one.
    pub expanded: Option<Box<Expanded>>,
    /// The step that has delegated it.
    pub(super) parent: Option<usize>,
    /// The steps that it has delegated in its current attempt.
    pub(super) children: Vec<usize>,
    /// How many it has delegated in all attempts.
    pub(super) delegated: usize,
    pub(super) dependencies: Vec<usize>,
    pub(super) dependents: Vec<usize>,
    /// Dependencies that are not completed.
    pub(super) unmet: usize,
    /// Dependencies that are settled and not completed, unknown ones included.
    pub(super) lost: usize,
    /// The step because of which it ended.
    pub(super) because: Option<usize>,
    /// The steps that ended because of this one; some may have been done again since.
    pub(super) brought_down: Vec<usize>,
    /// Requests that have to be settled before it goes on: its own, and those that hold its calls.
    pub(super) waits_for: BTreeSet<usize>,
    /// The template of its user message, where it is an agent's that has one.
    pub(super) prompt: Option<Content>,
    /// All that the files of an agent said of it when it began, where it is an agent's.
    pub(super) does: Option<Digest>,
    /// Whether how it ended counts no more, because whoever called it was told or has begun anew.
    pub(super) discounted: bool,
    /// Whether its end carries a warning.
    pub(super) warned: bool,
}

impl StepState {
    /// The steps that must be completed first, by their places in the plan's order.
    pub fn dependencies(&self) -> &[usize] {
        &self.dependencies
    }

    /// The steps that wait for this one.
    pub fn dependents(&self) -> &[usize] {
        &self.dependents
    }

    /// The step that has delegated this one.
    pub fn parent(&self) -> Option<usize> {
        self.parent
    }

    /// The steps that it has delegated in its current attempt.
    pub fn children(&self) -> &[usize] {
        &self.children
    }

    /// How many steps it has delegated in all attempts.
    pub fn delegated(&self) -> usize {
        self.delegated
    }

    /// The template of its user message, where it is an agent's that has one.
    pub fn prompt(&self) -> Option<&Content> {
        self.prompt.as_ref()
    }

    /// All that the files of an agent said of it when it began, where it is an agent's.
    pub fn does(&self) -> Option<&Digest> {
        self.does.as_ref()
    }

    /// How often a person has said "go on" at a limit, in the current attempt.
    pub fn extensions(&self, limit: &str) -> u32 {
        let times = self.extended.iter().filter(|extended| *extended == limit).count();
        u32::try_from(times).unwrap_or(u32::MAX)
    }

    /// Whether it completed with a warning.
    pub fn has_warning(&self) -> bool {
        self.warned
    }

    /// The latest reply of the current attempt, if nothing was said to the model since.
    pub fn latest_reply(&self) -> Option<&ReplyRecord> {
        match self.exchange.last() {
            Some(Exchange::Reply(reply)) => Some(reply),
            _ => None,
        }
    }
}
