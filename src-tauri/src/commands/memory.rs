//! What is remembered beside the history.

use assent_engine::store::Forget;

use super::{Answered, Here};
use crate::wire::{MemoryAsked, MemoryFound};

/// What is remembered of something, or the newest of everything. A memory that cannot be asked is no error: it is told.
pub async fn memory_recall(shell: Here<'_>, asked: MemoryAsked) -> Answered<MemoryFound> {
    Ok(shell.opened()?.engine.memory().recall(&asked.into()).await.into())
}

/// Forgets these, by their numbers; without any, everything. How many are gone.
pub async fn memory_forget(shell: Here<'_>, ids: Option<Vec<i64>>) -> Answered<usize> {
    let what = ids.map_or(Forget::All, Forget::These);
    shell.ask(move |engine| Ok(engine.memory().forget(&what)?)).await
}
