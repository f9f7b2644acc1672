//! The embedded model: upstream's own `llama-server`, started on demand, shared by all processes on one data folder.
//!
//! It is one more OpenAI-compatible endpoint, on a loopback port with a random key. A *guard* (this same program under
//! a hidden name, see [`guard_main`]) owns the server process: it restarts it after a crash, ends it when nobody has
//! held the shared lock for a while, and takes it along when it dies itself. Here it is only asked for.

mod files;
mod gguf;
mod guard;
mod nest;
mod server;
mod slots;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::structured::{Attempt, Patience};
use super::{Delta, ModelError, ModelProfile, PlannerProfile, RealPause, Reply, Request, RetryPolicy};

pub use files::{FileState, FileUse, HubFile, ModelFile, Places, manifest, search_file};
pub(crate) use files::{hash_file, stamp_file};
pub use gguf::{Head, head};
pub use guard::guard_main;
pub use server::{Loading, Notice};

use server::Server;
use slots::Slots;

/// How the server is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalSettings {
    /// Prompts side by side, each with memory for a whole context: as many as roles usually take turns in a chat.
    pub slots: u32,
    /// Threads that compute; without a number as many as the server finds good.
    pub threads: Option<u32>,
    /// Memory for prompts that lost their slot, in MiB.
    pub cache_ram: u32,
    /// How long after its last request a process still holds the server.
    pub idle: Duration,
    /// How long the guard keeps a server that nobody holds.
    pub grace: Duration,
    /// How long loading may take.
    pub ready_within: Duration,
}

impl Default for LocalSettings {
    fn default() -> Self {
        Self {
            slots: 4,
            threads: None,
            cache_ram: 384,
            idle: Duration::from_secs(600),
            grace: Duration::from_secs(60),
            ready_within: Duration::from_secs(180),
        }
    }
}

/// What the embedded model is made of.
#[derive(Clone)]
pub struct LocalParts {
    /// Which model.
    pub file: ModelFile,
    /// Where files are looked for, and the data folder.
    pub places: Places,
    /// The program that becomes the guard: one whose `main` calls [`guard_main`] first.
    pub guard: PathBuf,
    /// How the server is run.
    pub settings: LocalSettings,
    /// Is told how loading goes.
    pub notice: Option<Notice>,
}

/// The embedded model.
pub struct LocalModel {
    profile: ModelProfile,
    server: Server,
    slots: Slots,
    patience: Patience,
}

impl LocalModel {
    /// The model; nothing is started or looked for before the first request.
    pub fn new(parts: LocalParts) -> Self {
        let profile = ModelProfile {
            id: parts.file.model_id(),
            context_tokens: parts.file.context_tokens,
            planner: PlannerProfile::Compact,
            parallel: 1,
            local: true,
        };
        let policy = RetryPolicy { attempts: 3, first: Duration::from_millis(200), longest: Duration::from_secs(5) };
        let slots = Slots::new(parts.settings.slots);
        let patience = Patience { policy, pause: Arc::new(RealPause) };
        Self { profile, server: Server::new(parts), slots, patience }
    }

    /// Checks the files and has the server loaded, so that the first request does not wait for it.
    ///
    /// # Errors
    /// As [`Model::reply`](super::Model::reply).
    pub async fn warm_up(&self, cancel: &CancellationToken) -> Result<(), ModelError> {
        self.server.link(cancel).await.map(drop)
    }
}

#[async_trait]
impl Attempt for LocalModel {
    fn profile(&self) -> &ModelProfile {
        &self.profile
    }

    fn patience(&self) -> &Patience {
        &self.patience
    }

    async fn attempt(
        &self,
        request: &Request,
        deltas: &UnboundedSender<Delta>,
        cancel: &CancellationToken,
    ) -> Result<Reply, ModelError> {
        let link = self.server.link(cancel).await?;
        let slot = self.slots.of(request);
        let turn = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ModelError::Cancelled),
            turn = self.slots.turn(slot) => turn,
        };
        let outcome = link.line.exchange(request, Some(slot), deltas, cancel).await;
        drop(turn);
        if outcome.as_ref().is_err_and(ModelError::is_transient) {
            self.server.doubt(&link);
        }
        outcome
    }

    async fn count_tokens(&self, text: &str) -> Option<u32> {
        let link = self.server.link(&CancellationToken::new()).await.ok()?;
        link.line.count_tokens(text).await
    }

    fn spells_calls(&self) -> bool {
        true
    }
}
