//! What a person sets for the window, and small things of the desktop.

use assent_engine::heap::Delegation;
use assent_engine::turn::ApprovalPolicy;
use serde::{Deserialize, Serialize};

/// What is set at the moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SettingsView {
    /// When a plan needs the person's word.
    pub policy: ApprovalPolicy,
    /// How a step on a specialist with others below it finds who does it.
    pub delegation: Delegation,
    /// Light or dark.
    pub appearance: Appearance,
    /// How large everything is, in percent.
    pub zoom: u16,
    /// What closing the window does while work goes on.
    pub closing: Closing,
    /// Whether a question that comes while the window is not in front is told by the system.
    pub notifications: bool,
    /// The folder that new sessions begin in; without one the folder that was used last.
    pub workspace: Option<Workspace>,
    /// Tokens of tool descriptions in one request, for plans that are made from now on.
    pub tool_budget: u32,
    /// Where everything is kept.
    pub data_folder: String,
}

/// Light or dark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Appearance {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// What closing the window does while work goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Closing {
    /// It goes on in the tray.
    #[default]
    KeepRunning,
    /// It is stopped.
    Stop,
}

/// What is to be changed: only what is there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(default, deny_unknown_fields)]
pub struct SettingsChange {
    /// When a plan needs the person's word.
    pub policy: Option<ApprovalPolicy>,
    /// How a step on a specialist with others below it finds who does it, from the next run on.
    pub delegation: Option<Delegation>,
    /// Light or dark.
    pub appearance: Option<Appearance>,
    /// How large everything is, in percent; what is out of reach becomes the nearest that is not.
    pub zoom: Option<u16>,
    /// What closing the window does while work goes on.
    pub closing: Option<Closing>,
    /// Whether the system tells of questions.
    pub notifications: Option<bool>,
    /// The folder that new sessions begin in; empty for the one that was used last.
    pub workspace: Option<String>,
    /// Tokens of tool descriptions in one request, from 100 to 200000; 0 for as many as usual.
    #[serde(rename = "toolBudget")]
    pub tool_budget: Option<u32>,
}

/// A folder that was worked in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Workspace {
    /// Absolute.
    pub path: String,
    /// Its last part.
    pub name: String,
    /// Whether it is still there.
    pub usable: bool,
}

/// A text that a person picked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TextFile {
    /// Where it lies.
    pub path: String,
    /// What it holds.
    pub text: String,
}

/// What this program is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// Its version.
    pub version: String,
    /// Where everything is kept.
    pub data_folder: String,
    /// `linux`, `macos`, `windows`.
    pub platform: String,
}
