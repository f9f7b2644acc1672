//! What a person has allowed for longer than one call.

use assent_core::ids::{Digest, RequestId, RunId, StepId};
use assent_core::run::Reach;
use serde::{Deserialize, Serialize};

use super::table::allowance;
use super::{Store, StoreError};

/// A permission that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AllowanceRow {
    /// The request whose answer gave it; also its name.
    pub id: RequestId,
    /// What may be called.
    pub tool: String,
    /// Of what that did when it was allowed, where it is written down beside its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "bindings", ts(skip))]
    pub template: Option<Digest>,
    /// For how long.
    pub reach: Reach,
    /// The folder that the calls work in.
    pub workspace: String,
    /// The run, where it ends with it.
    pub run: Option<RunId>,
    /// The step, where it ends with it.
    pub step: Option<StepId>,
    /// When it was given.
    pub at: i64,
}

/// Permissions that are kept. They are written with the answers that give them.
pub trait Allowances: Send + Sync {
    /// All that still count for something, the newest first: without those of runs that are over.
    ///
    /// # Errors
    /// The database cannot be read.
    fn allowances(&self) -> Result<Vec<AllowanceRow>, StoreError>;
    /// Takes one back; an unambiguous beginning of its id is enough.
    ///
    /// # Errors
    /// There is none, or it cannot be written.
    fn revoke(&self, id: &str) -> Result<AllowanceRow, StoreError>;
}

impl Allowances for Store {
    fn allowances(&self) -> Result<Vec<AllowanceRow>, StoreError> {
        self.read(allowance::standing)
    }

    fn revoke(&self, id: &str) -> Result<AllowanceRow, StoreError> {
        let id = id.to_owned();
        self.write(move |writer| writer.change(|tx| allowance::revoke(tx, &id)))
    }
}
