//! What a step gave, as a text: what its calls gave, as a model reads it, and what it said where that adds something.
//!
//! A small model ends a tool step with a few empty words, or with dots. So what its calls gave is its result, and what
//! it says counts where it is the answer to the user or has a value that the results do not have.

use std::sync::Arc;

use assent_core::contract::Risk;
use assent_core::plan::StepType;
use assent_core::run::{CallState, CallStatus, Content, Exchange, LedgerEntry, StepStatus};
use serde_json::Value;

use super::artifacts::shortened;
use super::context::{Unmade, View};
use super::verify::{counts, worked};
use super::words;
use crate::model::PlannerProfile;
use crate::tool::Catalogue;
use crate::tool::present::cut;

/// Fewer characters than that say nothing of a change that was made.
const SAYING_CHARS: usize = 3;

impl View<'_> {
    /// What a step gives when it ends now.
    pub(super) fn result_of(&self, at: usize) -> Result<Option<String>, Unmade> {
        let step = self.step(at);
        let said = self.last_words(at)?.filter(|said| !words::is_filler(said));
        if let (Some(said), true) = (&said, self.counts_alone(at)) {
            return Ok(Some(said.clone()));
        }
        let last = self.is_last(at);
        let most = self.plan.limits.tool_result_max_length as usize;
        let changed = last && self.state.entries_of(at).any(|entry| worked(entry) && entry.has_effects());
        let results = match said {
            // What was changed is the answer, unless the model has put it into words.
            Some(said) if last && (!changed || said.trim().chars().count() >= SAYING_CHARS) => {
                return Ok(Some(self.with_what_it_points_to(at, said, most)?));
            }
            _ if changed => self.presented(at, LedgerEntry::has_effects)?,
            said => added(self.presented(at, |_| true)?, said),
        };
        let text = cut(&results.join("\n"), most);
        Ok(match words::is_filler(&text) {
            false => Some(text),
            true => last.then(|| words::done(&step.description)),
        })
    }

    /// The answer of a last step. "They are listed above" is none to a person who does not see what the model sees: what
    /// was looked up last stands below an answer that holds nothing of it, unless the step was there to change something.
    fn with_what_it_points_to(&self, at: usize, said: String, most: usize) -> Result<String, Unmade> {
        let writes = |entry: &LedgerEntry| entry.risk.is_some_and(Risk::writes);
        if self.state.entries_of(at).any(|entry| worked(entry) && writes(entry)) {
            return Ok(said);
        }
        let shown = self.presented(at, |_| true)?.pop().unwrap_or_default();
        Ok(match words::holds_nothing_of(&said, &shown) {
            true => cut(&format!("{}\n\n{shown}", said.trim_end()), most),
            false => said,
        })
    }

    /// Whether what a step says is its result, whatever its calls gave.
    fn counts_alone(&self, at: usize) -> bool {
        let step = self.step(at);
        self.base.shared.profile == PlannerProfile::Full
            || step.effective_type() == StepType::Reasoning
            || step.contracts.output.is_some()
    }

    /// The latest text of a step that came without calls.
    fn last_words(&self, at: usize) -> Result<Option<String>, Unmade> {
        let text = self.state.step(at).exchange.iter().rev().find_map(|item| match item {
            Exchange::Reply(reply) if reply.calls.is_empty() => reply.text.as_ref(),
            _ => None,
        });
        Ok(text.map(|text| self.contents.whole(text)).transpose()?.map(|text| words::plain(&text)))
    }

    /// What the calls of a step gave that did what they are for, each text once; where none did, what those gave that
    /// worked at all.
    fn presented(&self, at: usize, wanted: impl Fn(&LedgerEntry) -> bool) -> Result<Vec<String>, Unmade> {
        let mut texts = Vec::new();
        let any_did = self.state.entries_of(at).any(|entry| wanted(entry) && counts(entry));
        for entry in self.state.entries_of(at).filter(|entry| wanted(entry)) {
            if let CallState::Ended(end) = &entry.state
                && end.status == CallStatus::Success
                && (end.satisfied || !any_did)
            {
                let text = self.output(entry, &end.output)?;
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        Ok(texts)
    }

    /// What a step gave, as another step or the answer is told.
    pub(super) fn result_text(&self, at: usize, most: usize) -> Result<Arc<str>, Unmade> {
        let gave = self.contents.gave(at, &|| self.gave(at))?;
        if gave.len() <= most {
            return Ok(gave);
        }
        Ok(shortened(self, &gave, most, 0, self.state.step(at).id.as_str()).into())
    }

    /// What the calls of a step gave, what it said, why it did not complete.
    fn gave(&self, at: usize) -> Result<String, Unmade> {
        let step = self.state.step(at);
        let said = step.result.as_ref().map(|result| self.contents.whole(result)).transpose()?;
        let mut parts = told(self.presented(at, |_| true)?, said.map(|said| words::plain(&said)));
        if step.status != StepStatus::Completed
            && let Some(reason) = &step.reason
        {
            parts.push(reason.clone());
        }
        Ok(parts.join("\n"))
    }

    /// The output of a call as a model reads it.
    pub(super) fn output(&self, entry: &LedgerEntry, output: &Content) -> Result<String, Unmade> {
        Ok(presented(self.catalogue, &entry.tool, self.contents.whole(output)?.as_ref()))
    }
}

/// The output of a tool as a model reads it.
pub(super) fn presented(catalogue: &Catalogue, tool: &str, output: &Value) -> String {
    match catalogue.get(tool) {
        Some(tool) => tool.present(output),
        None => words::plain(output),
    }
}

/// What the calls of a step gave, then its result, which for a small model holds what they gave.
pub(super) fn told(mut gave: Vec<String>, result: Option<String>) -> Vec<String> {
    if let Some(result) = result {
        gave.retain(|part| !result.contains(part.as_str()));
        if gave.is_empty() || !words::is_filler(&result) {
            gave.push(result);
        }
    }
    gave
}

/// The results, and what was said of them where it has a value that they do not have.
fn added(mut results: Vec<String>, said: Option<String>) -> Vec<String> {
    let shown = results.join("\n");
    results.extend(said.filter(|said| shown.is_empty() || words::loses_values(said, &shown)));
    results
}
