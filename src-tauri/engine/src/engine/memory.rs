//! What is remembered beside the history.

use std::sync::Arc;
use std::time::Duration;

use super::Engine;
use crate::clock::Clock;
use crate::discovery::{Directory, Untold};
use crate::executor::Witness;
use crate::memory::{Memory, Recall, Recalled, Recalls as _, ToolUsage};
use crate::store::{Forget, Memories, MemoryFilter, MemoryRow, StoreError};
use crate::tool::Catalogue;

/// So long a recall waits for what is being remembered.
const AWAITED: Duration = Duration::from_millis(500);

/// What is remembered.
pub struct MemoryHandle<'e>(pub(super) &'e Engine);

impl MemoryHandle<'_> {
    /// Memories, the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn list(&self, filter: &MemoryFilter) -> Result<Vec<MemoryRow>, StoreError> {
        self.0.memory.settle();
        self.0.memory.list(filter)
    }

    /// The memories that fit. Never an error: what cannot be asked is degraded.
    pub async fn recall(&self, recall: &Recall) -> Recalled {
        // What was done a moment ago counts too, unless the store hangs.
        let memory = self.0.memory.clone();
        let settled = tokio::task::spawn_blocking(move || memory.settle_within(AWAITED)).await;
        if let Err(error) = settled {
            tracing::warn!("the newest memories may be missing: {error}");
        }
        self.0.memory.recall(recall).await
    }

    /// Forgets, and says how much. Tools that are there are remembered again at the next start.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn forget(&self, what: &Forget) -> Result<usize, StoreError> {
        self.0.memory.settle();
        self.0.memory.forget(what)
    }
}

/// The memory of a store with all tools in it, and the tools as they are found by their texts and by what it teaches.
pub(super) fn remembered(
    store: Arc<dyn Memories>,
    clock: &Arc<dyn Clock>,
    tools: &Catalogue,
) -> (Arc<Memory>, Arc<Directory>) {
    let memory = Arc::new(Memory::new(store, clock.clone()));
    let directory = Directory::of(tools.specs());
    memory.register(directory.specs());
    let teacher = memory.clone();
    let directory = directory.taught_by(move |known| {
        teacher.lessons_since(known).map_err(|error| {
            tracing::warn!("past calls teach nothing now: {error}");
            Untold
        })
    });
    let directory = Arc::new(directory);
    // The directory keeps the memory, so that this must not keep the directory.
    let learner = Arc::downgrade(&directory);
    memory.teach(move |usage| {
        if let Some(directory) = learner.upgrade() {
            directory.teach(&usage.intent, &usage.tool);
        }
    });
    (memory, directory)
}

/// Remembers calls that worked.
pub(super) struct Remembering(pub(super) Arc<Memory>);

impl Witness for Remembering {
    fn worked(&self, usage: ToolUsage) {
        self.0.store_tool_usage(usage);
    }
}
