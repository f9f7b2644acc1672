//! Runs: how they stand, and what a person may do to them.

use assent_core::ids::{RunId, SessionId, StepId};
use assent_engine::store::RunRow;

use super::{Answered, Here};
use crate::wire::{RunView, SentRequest};

#[tauri::command]
pub async fn run_list(shell: Here<'_>, session: SessionId) -> Answered<Vec<RunRow>> {
    Ok(shell.engine()?.runs().list(&session)?)
}

#[tauri::command]
pub async fn run_get(shell: Here<'_>, id: RunId) -> Answered<RunView> {
    Ok(shell.engine()?.runs().get(&id)?.into())
}

#[tauri::command]
pub async fn run_cancel(shell: Here<'_>, id: RunId) -> Answered<()> {
    Ok(shell.engine()?.runs().cancel(&id).await?)
}

#[tauri::command]
pub async fn run_resume(shell: Here<'_>, id: Option<RunId>) -> Answered<()> {
    match id {
        None => shell.recover(),
        Some(id) => {
            let session = shell.engine()?.runs().get(&id)?.row.session;
            shell.resume(session, id.to_string())
        }
    }
}

#[tauri::command]
pub async fn run_retry(shell: Here<'_>, id: RunId, step: StepId) -> Answered<()> {
    let runs = shell.engine()?.runs();
    runs.retry(&id, &step).await?;
    let session = runs.get(&id)?.row.session;
    shell.resume(session, id.to_string())
}

#[tauri::command]
pub async fn run_sent(shell: Here<'_>, session: SessionId, seq: u64) -> Answered<SentRequest> {
    Ok(shell.engine()?.runs().sent(&session, seq)?.into())
}
