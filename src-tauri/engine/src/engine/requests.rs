//! What waits for a person.

use assent_core::ids::RequestId;
use assent_core::run::{Answer, AnswerDraft};
use serde_json::Value;

use super::Engine;
use crate::store::{AllowanceRow, Allowances, RequestRow, Requests, Sessions, StoreError};
use crate::tool::preview::{NoPreview, Preview};
use crate::tool::workspace::{PlaceError, Workspace};
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
        self.0.turns.record_answer(id, answer).await.map(drop)
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
    /// There is no such request, or the database cannot be read; inside, why there is nothing to compare.
    pub fn preview(&self, id: &RequestId, arguments: Option<Value>) -> Result<Result<Preview, NoPreview>, StoreError> {
        let row = self.get(id.as_str())?;
        let tool = row.request.tool.as_ref().and_then(|name| self.0.catalogue.get(name));
        let (Some(tool), Some(arguments)) = (tool, arguments.or(row.request.arguments)) else {
            return Ok(Err(NoPreview::Nothing));
        };
        let Some(folder) = self.0.store.session(row.session.as_str())?.workspace else {
            return Ok(Err(NoPreview::Nothing));
        };
        let opened = Workspace::at(folder.as_ref(), &self.0.hidden);
        let refused = |error: std::io::Error| PlaceError::Refused { path: folder, reason: error.to_string() };
        Ok(opened.map_err(|error| refused(error).into()).and_then(|workspace| tool.preview(&arguments, &workspace)))
    }
}
