//! What the executor and turns are made of, from one ground.

use std::path::PathBuf;
use std::sync::Arc;

use super::connected::Connected;
use super::memory::Remembering;
use crate::clock::{Clock, IdSource};
use crate::executor::{Executor, ExecutorParts, Locks, Models, Sampling};
use crate::heap::Heap;
use crate::library::LibraryParts;
use crate::live::Live;
use crate::memory::Memory;
use crate::planner::Planner;
use crate::prompt::Templates;
use crate::store::Store;
use crate::tool::Catalogue;
use crate::turn::{ChatSurroundings, Knowledge, PlanRules, RuleParts, RuntimeConfig, StoredJobs, TurnParts, Turns};
use crate::vault::Credentials;
use crate::workflow::WorkflowParts;

/// What both stand on.
pub(super) struct Ground {
    pub(super) store: Arc<Store>,
    pub(super) locks: Arc<dyn Locks>,
    pub(super) models: Arc<dyn Models>,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) heap: Arc<Heap>,
    pub(super) knowledge: Arc<Knowledge>,
    pub(super) jobs: Arc<StoredJobs>,
    pub(super) connected: Arc<Connected>,
    pub(super) vault: Arc<Credentials>,
    pub(super) memory: Arc<Memory>,
    pub(super) templates: Arc<Templates>,
    pub(super) live: Arc<dyn Live>,
    pub(super) hidden: Vec<PathBuf>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdSource>,
    pub(super) config: RuntimeConfig,
}

impl Ground {
    /// The parts of the executor, with what a step of a chat may call and is told beside its plan.
    pub(super) fn executor(&self) -> ExecutorParts {
        let (store, hidden) = (&self.store, &self.hidden);
        let rules = PlanRules::new(RuleParts {
            catalogue: self.catalogue.clone(),
            heap: self.heap.clone(),
            hidden: hidden.clone(),
            kept: store.clone(),
            vault: self.vault.clone(),
        });
        let (sessions, blobs) = (store.clone(), store.clone());
        let surroundings = ChatSurroundings {
            sessions,
            plans: store.clone(),
            blobs,
            heap: self.heap.clone(),
            models: self.models.clone(),
            hidden: hidden.clone(),
        };
        ExecutorParts {
            journal: store.clone(),
            runs: store.clone(),
            requests: store.clone(),
            blobs: store.clone(),
            changes: store.clone(),
            locks: self.locks.clone(),
            jobs: self.jobs.clone(),
            models: self.models.clone(),
            catalogue: self.catalogue.clone(),
            rules: Arc::new(rules),
            surroundings: Arc::new(surroundings),
            heap: self.heap.clone(),
            settings: store.clone(),
            vault: self.vault.clone(),
            witness: Arc::new(Remembering(self.memory.clone())),
            templates: self.templates.clone(),
            live: self.live.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            hidden: hidden.clone(),
            sampling: Sampling::default(),
        }
    }

    /// The parts of turns.
    pub(super) fn turns(&self, executor: Arc<Executor>) -> TurnParts {
        let store = &self.store;
        TurnParts {
            sources: self.connected.clone(),
            journal: store.clone(),
            sessions: store.clone(),
            plans: store.clone(),
            runs: store.clone(),
            requests: store.clone(),
            blobs: store.clone(),
            settings: store.clone(),
            vault: self.vault.clone(),
            config: self.config.clone(),
            locks: self.locks.clone(),
            planner: Planner::new(self.templates.clone(), self.clock.clone()),
            executor,
            jobs: self.jobs.clone(),
            models: self.models.clone(),
            knowledge: self.knowledge.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            live: self.live.clone(),
            hidden: self.hidden.clone(),
        }
    }

    /// The parts of the library.
    pub(super) fn library(&self, turns: Arc<Turns>) -> LibraryParts {
        LibraryParts {
            saved: self.store.clone(),
            turns,
            knowledge: self.knowledge.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
        }
    }

    /// The parts of workflows.
    pub(super) fn workflows(&self, executor: Arc<Executor>, turns: Arc<Turns>) -> WorkflowParts {
        let store = &self.store;
        WorkflowParts {
            journal: store.clone(),
            sessions: store.clone(),
            plans: store.clone(),
            runs: store.clone(),
            requests: store.clone(),
            knowledge: self.knowledge.clone(),
            turns,
            executor,
            clock: self.clock.clone(),
            ids: self.ids.clone(),
        }
    }
}
