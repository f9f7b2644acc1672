//! What waits for a person.

use assent_core::ids::RequestId;
use assent_core::run::{Answer, AnswerDraft};
use serde_json::Value;

use super::Engine;
use crate::executor::ExecutorError;
use crate::store::{AllowanceRow, Allowances, RequestRow, Requests, StoreError};
use crate::tool::look::Look;
use crate::turn::TurnError;

/// What waits for a person.
pub struct RequestHandle<'e>(pub(super) &'e Engine);

impl RequestHandle<'_> {
    /// The open ones, oldest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn open(&self) -> Result<Vec<RequestRow>, StoreError> {
        self.0.store.open_requests()
    }

    /// One of them, whatever its status; an unambiguous beginning of its id is enough.
    ///
    /// # Errors
    /// There is none, or the database cannot be read.
    pub fn get(&self, id: &str) -> Result<RequestRow, StoreError> {
        self.0.store.request(id)
    }

    /// Commits an answer and carries nothing on.
    ///
    /// # Errors
    /// It does not fit, or the request is settled.
    pub async fn record(&self, id: &RequestId, answer: Answer) -> Result<(), TurnError> {
        self.0.turns.record_answer(id, answer, None).await.map(drop)
    }

    /// What was allowed for longer than one call and still counts, the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn allowed(&self) -> Result<Vec<AllowanceRow>, StoreError> {
        self.0.store.allowances()
    }

    /// Takes such a permission back; an unambiguous beginning of its id is enough. Calls that were made stay made.
    ///
    /// # Errors
    /// There is none, or it cannot be written.
    pub fn revoke(&self, id: &str) -> Result<AllowanceRow, StoreError> {
        self.0.store.revoke(id)
    }

    /// Keeps an unfinished answer; an empty one is forgotten.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep_draft(&self, id: &RequestId, draft: &AnswerDraft) -> Result<(), StoreError> {
        self.0.store.keep_answer_draft(id, draft)
    }

    /// What the call of a request would make of a file, as that is now; with other arguments where a person changes
    /// them.
    ///
    /// # Errors
    /// There is no such request, its folder is gone, or the database cannot be read.
    pub fn look(&self, id: &RequestId, arguments: Option<Value>) -> Result<Look, ExecutorError> {
        self.0.executor.look(&self.get(id.as_str())?, arguments)
    }
}
