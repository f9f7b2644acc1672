//! Runs: how they stand, and what a person may do to them.

use assent_core::ids::{RunId, SessionId, StepId};
use assent_engine::store::RunRow;

use super::{Answered, Here};
use crate::aside::Aside;
use crate::shell::Shell;
use crate::wire::{RunPlan, RunView, SentRequest};

pub fn run_list(shell: Here<'_>, session: SessionId) -> Aside<Vec<RunRow>> {
    shell.ask(move |engine| Ok(engine.runs().list(&session)?))
}

pub fn run_get(shell: Here<'_>, id: RunId) -> Aside<RunView> {
    shell.ask(move |engine| Ok(engine.runs().get(&id)?.into()))
}

/// What a run carries out, with the steps to which others are handed on.
pub fn run_plan(shell: Here<'_>, id: RunId) -> Aside<RunPlan> {
    shell.ask(move |engine| Ok(engine.runs().get(&id)?.into()))
}

/// Whether anybody carries a run on, in this process or another.
pub fn run_is_carried_on(shell: Here<'_>, id: RunId) -> Aside<bool> {
    shell.ask(move |engine| Ok(engine.runs().is_carried_on(&id)?))
}

pub async fn run_cancel(shell: Here<'_>, id: RunId) -> Answered<()> {
    Ok(shell.opened()?.engine.runs().cancel(&id).await?)
}

pub async fn run_resume(shell: Here<'_>, id: Option<RunId>) -> Answered<()> {
    match id {
        None => shell.recover().await,
        Some(id) => {
            let session = session_of(&shell, &id).await?;
            shell.resume(session, id.to_string())
        }
    }
}

pub async fn run_retry(shell: Here<'_>, id: RunId, step: StepId) -> Answered<()> {
    shell.opened()?.engine.runs().retry(&id, &step).await?;
    let session = session_of(&shell, &id).await?;
    shell.resume(session, id.to_string())
}

pub fn run_sent(shell: Here<'_>, session: SessionId, seq: u64) -> Aside<SentRequest> {
    shell.ask(move |engine| Ok(engine.runs().sent(&session, seq)?.into()))
}

async fn session_of(shell: &Shell, run: &RunId) -> Answered<SessionId> {
    let run = run.clone();
    shell.ask(move |engine| Ok(engine.runs().get(&run)?.row.session)).await
}
