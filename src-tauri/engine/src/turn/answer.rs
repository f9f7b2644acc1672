//! What a person answers to what waits for them.

use assent_core::ids::{Digest, RequestId, TurnId};
use assent_core::run::{Answer, RequestKind};
use serde_json::Value;
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
        let recorded = self.record_answer(request, answer, seen).await?;
        self.go_on(recorded, cancel).await
    }

    /// The same for an answer that a person has typed as a message, which stands in the chat as it was typed.
    pub(super) async fn answer_in_words(
        &self,
        request: &RequestId,
        answer: Answer,
        words: &str,
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
        let recorded = self.record(request, answer, Some(words), None).await?;
        self.go_on(recorded, cancel).await
    }

    async fn go_on(
        &self,
        (row, turn): (RequestRow, Option<TurnId>),
        cancel: &CancellationToken,
    ) -> Result<TurnEnd, TurnError> {
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
        self.record(request, answer, None, seen).await
    }

    async fn record(
        &self,
        request: &RequestId,
        answer: Answer,
        words: Option<&str>,
        seen: Option<&Digest>,
    ) -> Result<(RequestRow, Option<TurnId>), TurnError> {
        let row = self.parts.requests.request(request.as_str())?;
        let id = row.request.id.clone();
        let turn = match &answer {
            Answer::Value { value } if row.request.kind == RequestKind::Question => {
                let next = TurnId::new(self.parts.ids.fresh());
                let text = words.map_or_else(|| in_words(value), str::to_owned);
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

/// What a person has chosen on a card, as they would say it.
fn in_words(value: &Value) -> String {
    match value {
        Value::Bool(true) => "Yes".to_owned(),
        Value::Bool(false) => "No".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(in_words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::in_words;

    #[test]
    fn an_answer_on_a_card_stands_in_the_chat_as_a_person_would_say_it() {
        let said = [json!(true), json!(false), json!(["Berlin", "Hamburg"]), json!("2027-01-31"), json!(7.5)];
        assert_eq!(said.each_ref().map(in_words), ["Yes", "No", "Berlin, Hamburg", "2027-01-31", "7.5"]);
    }
}
