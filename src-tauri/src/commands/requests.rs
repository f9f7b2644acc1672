//! What waits for a person.

use assent_core::ids::{Digest, RequestId};
use assent_core::run::{Answer, AnswerDraft};
use assent_engine::Engine;
use assent_engine::store::{AllowanceRow, RequestRow, StoreError};
use serde_json::Value;

use super::exact::exact;
use super::{Answered, Here};
use crate::aside::Aside;
use crate::wire::FileLook;

pub fn request_open(shell: Here<'_>) -> Aside<Vec<RequestRow>> {
    shell.ask(|engine| Ok(engine.requests().open()?))
}

pub fn request_get(shell: Here<'_>, id: RequestId) -> Aside<RequestRow> {
    shell.ask(move |engine| Ok(engine.requests().get(id.as_str())?))
}

pub async fn request_answer(shell: Here<'_>, id: RequestId, answer: Answer, seen: Option<Digest>) -> Answered<()> {
    let opened = shell.opened()?;
    let answer = match answer {
        Answer::Approve { arguments: Some(changed), note, reach } => {
            Answer::Approve { arguments: Some(with_long_numbers(&opened.engine, &id, changed)?), note, reach }
        }
        other => other,
    };
    let (row, turn) = opened.engine.turns().record_answer(&id, answer, seen.as_ref()).await?;
    if let Some(run) = row.run {
        shell.work().begin(row.session, move |cancel| async move {
            opened.engine.turns().carry_on(&run, turn, &cancel).await.map(|end| vec![end])
        });
    }
    Ok(())
}

pub fn request_keep_draft(shell: Here<'_>, id: RequestId, draft: AnswerDraft) -> Aside<()> {
    shell.ask(move |engine| Ok(engine.requests().keep_draft(&id, &draft)?))
}

pub fn request_change(shell: Here<'_>, id: RequestId, arguments: Option<Value>) -> Aside<FileLook> {
    shell.ask(move |engine| {
        let arguments = arguments.map(|changed| with_long_numbers(engine, &id, changed)).transpose()?;
        Ok(engine.requests().look(&id, arguments)?.into())
    })
}

pub fn request_allowed(shell: Here<'_>) -> Aside<Vec<AllowanceRow>> {
    shell.ask(|engine| Ok(engine.requests().allowed()?))
}

pub fn request_revoke(shell: Here<'_>, id: RequestId) -> Aside<AllowanceRow> {
    shell.ask(move |engine| Ok(engine.requests().revoke(id.as_str())?))
}

/// Changed arguments with the long numbers that were asked for.
fn with_long_numbers(engine: &Engine, id: &RequestId, changed: Value) -> Result<Value, StoreError> {
    let asked = engine.requests().get(id.as_str())?.request.arguments;
    Ok(exact(changed, asked.as_ref()))
}
