//! What is remembered beside the history.

use assent_engine::store::{Forget, MemoryFilter};

use super::{Answered, Here};
use crate::wire::MemoryView;

/// What came of a person's work. What tools say of themselves is remembered as well: that is shown where tools are.
const KINDS: [&str; 4] = ["action", "decision", "observation", "feedback"];

/// The newest of what is remembered, at most so many.
pub async fn memory_list(shell: Here<'_>, limit: usize) -> Answered<Vec<MemoryView>> {
    let types = KINDS.map(|kind| (kind.to_owned(), Vec::new())).into();
    let filter = MemoryFilter { types, limit, ..MemoryFilter::default() };
    shell.ask(move |engine| Ok(engine.memory().list(&filter)?.into_iter().map(MemoryView::from).collect())).await
}

/// Forgets these, by their numbers; without any, everything. How many are gone.
pub async fn memory_forget(shell: Here<'_>, ids: Option<Vec<i64>>) -> Answered<usize> {
    let what = ids.map_or(Forget::All, Forget::These);
    shell.ask(move |engine| Ok(engine.memory().forget(&what)?)).await
}
