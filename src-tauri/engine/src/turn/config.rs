//! What whoever starts the engine has decided for it.

use serde_json::{Value, json};

use crate::store::{Settings, StoreError};

/// The setting that holds the token budget of tools.
const SETTING: &str = "toolTokenBudget";
/// The variable that overrides it.
const TOOL_BUDGET_VARIABLE: &str = "ASSENT_TOOL_BUDGET";
/// The budgets that a plan may have.
const BOUNDS: std::ops::RangeInclusive<u32> = 100..=200_000;
const USUAL_TOOL_BUDGET: u32 = 3800;

/// What whoever starts the engine has decided for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeConfig {
    /// Maximum tokens to spend on tool schemas per LLM call. It becomes a limit of every plan that is made from then
    /// on; a plan that was agreed on keeps its own.
    pub tool_token_budget: u32,
    /// Whether it was said here, so that no setting counts.
    said: bool,
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        Self { tool_token_budget: USUAL_TOOL_BUDGET, said: false }
    }
}

impl RuntimeConfig {
    /// The same with another budget, whatever the settings say.
    #[must_use]
    pub fn with_tool_token_budget(self, budget: u32) -> Self {
        Self { tool_token_budget: budget, said: true }
    }

    /// The defaults with what the environment says, and why a variable was ignored.
    pub fn from_env(variable: impl Fn(&str) -> Option<String>) -> (Self, Option<String>) {
        let config = Self::default();
        let Some(text) = variable(TOOL_BUDGET_VARIABLE) else { return (config, None) };
        match text.trim().parse::<u32>() {
            Ok(budget) if BOUNDS.contains(&budget) => (config.with_tool_token_budget(budget), None),
            _ => {
                let (least, most) = (BOUNDS.start(), BOUNDS.end());
                let why = format!(
                    "{TOOL_BUDGET_VARIABLE} is ignored: {text:?} is no number of tokens from {least} to {most}"
                );
                (config, Some(why))
            }
        }
    }

    /// The budget of a plan that is made now: what was said at the start, else the person's choice, else the default.
    ///
    /// # Errors
    /// The settings cannot be read.
    pub fn budget(&self, settings: &dyn Settings) -> Result<u32, StoreError> {
        if self.said {
            return Ok(self.tool_token_budget);
        }
        let chosen = settings.setting(SETTING)?.and_then(|value| value.as_u64());
        let chosen = chosen.and_then(|value| u32::try_from(value).ok()).filter(|value| BOUNDS.contains(value));
        Ok(chosen.unwrap_or(self.tool_token_budget))
    }
}

/// Makes a budget the person's choice; `None` goes back to the default. Whether it is one that a plan may have.
///
/// # Errors
/// The settings cannot be written.
pub fn choose_budget(settings: &dyn Settings, budget: Option<u32>) -> Result<bool, StoreError> {
    if budget.is_some_and(|budget| !BOUNDS.contains(&budget)) {
        return Ok(false);
    }
    let value: Option<Value> = budget.map(|budget| json!(budget));
    settings.set_setting(SETTING, value.as_ref())?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(text: Option<&str>) -> (u32, Option<String>) {
        let (config, ignored) = RuntimeConfig::from_env(|name| {
            assert_eq!(name, "ASSENT_TOOL_BUDGET");
            text.map(str::to_owned)
        });
        (config.tool_token_budget, ignored)
    }

    // covers: L13 L14 L15 L16 L17
    #[test]
    fn the_budget_is_the_default_or_what_the_builder_or_the_environment_says() {
        assert_eq!(RuntimeConfig::default().tool_token_budget, 3800);
        assert_eq!(RuntimeConfig::default().with_tool_token_budget(2000).tool_token_budget, 2000);
        assert_eq!(from(None), (3800, None));
        assert_eq!(from(Some("1234")), (1234, None));
        for odd in ["many", "", "12.5", "-3", "0", "99999999999"] {
            let (budget, ignored) = from(Some(odd));
            assert_eq!(budget, 3800, "{odd}");
            let ignored = ignored.unwrap();
            assert!(ignored.starts_with("ASSENT_TOOL_BUDGET is ignored") && ignored.contains(odd), "{ignored}");
        }
    }
}
