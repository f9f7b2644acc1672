//! What a request names tools by, beside definitions of them, and what that takes of the budget.

use serde::{Deserialize, Serialize};

/// The tools that a request tells of, as far as the budget goes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolsTold {
    /// Their names, each once, with the tokens of all that is told of it, as they were counted for it.
    pub tools: Vec<(String, u32)>,
    /// Those for which there were no tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The tokens that there were in all.
    pub budget: u32,
    /// Where they were looked for: whether they were compared with the message by meaning, or by words alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_meaning: Option<bool>,
}

impl ToolsTold {
    /// None yet, of so many tokens.
    pub(super) fn within(budget: u32) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Whether nothing is said of tools.
    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.left_out.is_empty()
    }

    /// Takes in what is told of a tool where there are the tokens for it; whether there are.
    pub(super) fn takes(&mut self, name: &str, tokens: u32) -> bool {
        let taken = self.tools.iter().fold(0_u32, |sum, (_, tokens)| sum.saturating_add(*tokens));
        let fits = taken.checked_add(tokens).is_some_and(|taken| taken <= self.budget);
        match self.tools.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) if fits => *sum += tokens,
            None if fits => self.tools.push((name.to_owned(), tokens)),
            // It stands somewhere else already.
            Some(_) => {}
            None if self.left_out.iter().any(|known| known == name) => {}
            None => self.left_out.push(name.to_owned()),
        }
        fits
    }
}
