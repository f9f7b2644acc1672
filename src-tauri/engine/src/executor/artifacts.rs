//! Results that were too long for a request, by name: `result:s1` is what a step gave, `result:7` what the seventh call
//! of the run gave. A model that was shown a beginning reads on with `read`.

use std::collections::BTreeMap;

use assent_core::order;
use assent_core::run::CallState;

use super::context::View;
use super::result::presented;
use super::step::Worker;
use crate::model::PlannerProfile;
use crate::tool::core::RESULT;
use crate::tool::present::cut;

/// The tool that reads them.
pub(super) const READ: &str = "read";

/// A text that is cut, with the place where it goes on. A small model is only told how much is missing: what it may
/// call depends on its step.
pub(super) fn shortened(view: &View<'_>, text: &str, most: usize, before: usize, name: &str) -> String {
    let short = cut(text, most);
    let reads =
        view.base.shared.profile == PlannerProfile::Full && view.base.tools.iter().any(|tool| tool.name == READ);
    match short.rfind("\n[cut: ") {
        Some(kept) if reads && short.len() < text.len() && kept >= before => {
            let offset = kept - before;
            format!("{}; read {RESULT}{name} with offset {offset} for more]", short.trim_end_matches(']'))
        }
        _ => short,
    }
}

impl Worker<'_> {
    /// The results that a call reads. One that cannot be had is missing, which the tool tells.
    pub(super) fn results_named(&self, reads: &[String]) -> BTreeMap<String, String> {
        let named =
            reads.iter().filter_map(|path| Some((path.clone(), self.result_named(path.strip_prefix(RESULT)?)?)));
        order::map(named)
    }

    fn result_named(&self, name: &str) -> Option<String> {
        let (tool, output) = {
            let state = self.carrier.state();
            if let Some(at) = state.index_of(&name.into()) {
                let gave = super::takeover::gave(&state, at, &self.carrier.parts.catalogue, |content| {
                    self.carrier.value(content).map(|value| value.clone())
                });
                return gave.ok().map(|parts| parts.join("\n"));
            }
            let entry = state.ledger().get(name.parse::<usize>().ok()?.checked_sub(1)?)?;
            match &entry.state {
                CallState::Ended(end) => (entry.tool.clone(), end.output.clone()),
                _ => return None,
            }
        };
        let output = self.carrier.value(&output).ok()?;
        Some(presented(&self.carrier.parts.catalogue, &tool, &output))
    }
}
