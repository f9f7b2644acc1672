//! How plans stand, without their documents: what a list beside them shows.

use assent_core::ids::{PlanId, SessionId};
use assent_core::run::{PlanStatus, RunStatus};
use serde::{Deserialize, Serialize};

/// How the latest version of a plan stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PlanStanding {
    /// The plan.
    pub plan: PlanId,
    /// Its latest version.
    pub version: u32,
    /// Where it is.
    pub session: SessionId,
    /// What was decided about that version.
    pub status: PlanStatus,
    /// The status of the latest run of that version.
    pub run: Option<RunStatus>,
}
