//! What a person answers to what waits for them.

use assent_core::ids::{Digest, RequestId, TurnId};
use assent_core::run::{Answer, RequestKind};
use tokio_util::sync::CancellationToken;

use super::{TurnEnd, TurnError, Turns};
use crate::store::RequestRow;

impl Turns {
    /// Commits a person's answer and carries on what waited for it. The answer to a question is also the next message
    /// of the chat.
    ///
    /// # Errors
    /// It does not fit, the request is settled, or it cannot be written down: the request stays as it is.
    pub async fn answer(
        &self,
        request: &RequestId,
        answer: Answer,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        self.answer_as_seen(request, answer, None, cancel).await
    }

    /// The same for a person who has looked at what an approval lets happen to a file: it counts only for that file.
    ///
    /// # Errors
    /// As [`Turns::answer`], and [`ExecutorError::FileChanged`](crate::executor::ExecutorError::FileChanged).
    pub async fn answer_as_seen(
        &self,
        request: &RequestId,
        answer: Answer,
        seen: Option<&Digest>,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let (row, turn) = self.record_answer(request, answer, seen).await?;
        match row.run {
            Some(run) => self.carry_on(&run, turn, cancel).await,
            None => Ok(TurnEnd::Answered { session: row.session }),
        }
    }

    /// Commits a person's answer and carries nothing on. An approval counts only for the file that was `seen`, where
    /// that is said.
    ///
    /// # Errors
    /// As [`Turns::answer`].
    pub async fn record_answer(
        &self,
        request: &RequestId,
        answer: Answer,
        seen: Option<&Digest>,
    ) -> Result<(RequestRow, Option<TurnId>), TurnError> {
        let row = self.parts.requests.request(request.as_str())?;
        let id = row.request.id.clone();
        let turn = match &answer {
            Answer::Value { value } if row.request.kind == RequestKind::Question => {
                let next = TurnId::new(self.parts.ids.fresh());
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                self.parts.executor.answer_by_message(&id, answer, next.clone(), text).await?;
                Some(next)
            }
            _ => {
                self.parts.executor.answer_as_seen(&id, answer, row.turn.clone(), seen).await?;
                row.turn.clone()
            }
        };
        Ok((row, turn))
    }
}
