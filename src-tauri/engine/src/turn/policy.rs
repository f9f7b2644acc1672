//! When a plan needs a person's word before it runs.

use serde::{Deserialize, Serialize};

use crate::store::{Settings, StoreError};

/// The setting that holds the policy.
const SETTING: &str = "approvalPolicy";

/// The approval policy that a person has set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalPolicy {
    /// Every plan.
    AlwaysAsk,
    /// Plans that may change something, run a command or use the network.
    #[default]
    Effects,
    /// No plan. What a plan does not grant is asked all the same, and so is what cannot be undone.
    NeverAsk,
}

impl ApprovalPolicy {
    /// The policy that the person has chosen; the default where nothing usable is set.
    ///
    /// # Errors
    /// The settings cannot be read.
    pub fn chosen(settings: &dyn Settings) -> Result<Self, StoreError> {
        let value = settings.setting(SETTING)?;
        Ok(value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    /// Makes it the person's choice.
    ///
    /// # Errors
    /// The settings cannot be written.
    pub fn choose(self, settings: &dyn Settings) -> Result<(), StoreError> {
        settings.set_setting(SETTING, Some(&serde_json::json!(self)))
    }

    /// Whether a plan has to wait for a person.
    pub fn asks(self, plan_has_effects: bool) -> bool {
        match self {
            Self::AlwaysAsk => true,
            Self::Effects => plan_has_effects,
            Self::NeverAsk => false,
        }
    }
}
