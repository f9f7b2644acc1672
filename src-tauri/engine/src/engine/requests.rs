//! What waits for a person.

use assent_core::ids::{Digest, RequestId};
use assent_core::run::{Answer, AnswerDraft};
use serde_json::{Value, json};

use super::Engine;
use crate::store::{AllowanceRow, Allowances, RequestRow, Requests, Sessions, StoreError};
use crate::tool::preview::{NoPreview, Preview};
use crate::tool::workspace::{PlaceError, Workspace};
use crate::turn::TurnError;

/// What the call of a request would make of a file, as that was when somebody looked.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// The file before and after, or why there is nothing to compare.
    pub found: Result<Preview, NoPreview>,
    /// Another one where anything of it is different.
    pub digest: Digest,
}

impl Look {
    fn of(found: Result<Preview, NoPreview>) -> Self {
        let digest = match &found {
            Ok(Preview { path, before, after }) => Digest::of_json(&json!([path, before, after])),
            Err(why) => Digest::of_json(&json!(why.to_string())),
        };
        Self { found, digest }
    }
}

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
    /// There is no such request, or the database cannot be read.
    pub fn look(&self, id: &RequestId, arguments: Option<Value>) -> Result<Look, StoreError> {
        let row = self.get(id.as_str())?;
        let tool = row.request.tool.as_ref().and_then(|name| self.0.catalogue.get(name));
        let (Some(tool), Some(arguments)) = (tool, arguments.or(row.request.arguments)) else {
            return Ok(Look::of(Err(NoPreview::Nothing)));
        };
        let Some(folder) = self.0.store.session(row.session.as_str())?.workspace else {
            return Ok(Look::of(Err(NoPreview::Nothing)));
        };
        let opened = Workspace::at(folder.as_ref(), &self.0.hidden);
        let refused = |error: std::io::Error| PlaceError::Refused { path: folder, reason: error.to_string() };
        let found = opened.map_err(|error| refused(error).into());
        Ok(Look::of(found.and_then(|workspace| tool.preview(&arguments, &workspace))))
    }

    /// Whether what an approval lets happen is still what the person saw, who looked at `seen`.
    ///
    /// # Errors
    /// As [`RequestHandle::look`].
    pub fn is_as_seen(&self, id: &RequestId, answer: &Answer, seen: &Digest) -> Result<bool, StoreError> {
        match answer {
            Answer::Approve { arguments, .. } => Ok(self.look(id, arguments.clone())?.digest == *seen),
            Answer::Reject { .. } | Answer::Value { .. } => Ok(true),
        }
    }
}
