//! A run in hand: its state, and the one way in which anything is added to it.
//!
//! An event is taken into the state and put into the journal's queue under one lock, so that both have the same order.
//! The lock is never held across a wait.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assent_core::ids::{Digest, RunId, StepId};
use assent_core::plan::{Plan, Step};
use assent_core::run::{Batch, Blob, Content, Draft, Durability, EventKind, Line, Place, RunState};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::ExecutorParts;
use super::error::Stop;
use super::parts::{Job, Models};
use super::recipe::Base;
use crate::store::StoreError;

/// Contents of this size in all are kept in memory, the newest first.
const KEPT_BYTES: usize = 32 << 20;

/// An event about a step, or about the run.
pub(super) type Happened = (Option<usize>, EventKind);

/// A run in hand.
pub(super) struct Carrier {
    pub(super) parts: Arc<ExecutorParts>,
    pub(super) job: Job,
    pub(super) place: Place,
    /// The run.
    pub(super) run: RunId,
    /// Triggered when a person stops the run.
    pub(super) cancel: CancellationToken,
    /// Static parts of requests, by the names of their tools and their executor.
    pub(super) bases: Mutex<HashMap<String, Arc<Base>>>,
    state: Mutex<RunState>,
    /// What is written relies on what was written before.
    line: Line,
    contents: Mutex<Contents>,
}

#[derive(Default)]
struct Contents {
    /// Not yet in the journal's queue.
    unwritten: Vec<Blob>,
    kept: HashMap<Digest, Arc<Value>>,
    order: VecDeque<(Digest, usize)>,
    bytes: usize,
}

impl Carrier {
    pub(super) fn new(
        parts: Arc<ExecutorParts>,
        job: Job,
        place: Place,
        state: RunState,
        cancel: CancellationToken,
    ) -> Self {
        let (bases, contents) = (Mutex::default(), Mutex::default());
        let run = state.run().clone();
        let (state, line) = (Mutex::new(state), Line::default());
        Self { parts, job, place, run, cancel, bases, state, line, contents }
    }

    /// Which model does what in this run.
    pub(super) fn models(&self) -> &dyn Models {
        self.job.models.as_ref().unwrap_or(&self.parts.models).as_ref()
    }

    pub(super) fn plan(&self) -> &Plan {
        self.job.plan.plan()
    }

    pub(super) fn step(&self, step: usize) -> &Step {
        &self.plan().steps[step]
    }

    pub(super) fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn place_of(&self, step: Option<usize>) -> Place {
        let step: Option<StepId> = step.map(|step| self.step(step).id.clone());
        Place { step, ..self.place.clone() }
    }

    /// Adds to the run, in one transaction, and waits until it is as safe as asked for.
    pub(super) async fn write(&self, events: Vec<Happened>, durability: Durability) -> Result<(), Stop> {
        let appended = {
            let mut state = self.state();
            let at = self.parts.clock.now();
            let mut drafts = Vec::with_capacity(events.len());
            for (step, kind) in events {
                let place = self.place_of(step);
                state.apply(&place, at, &kind)?;
                drafts.push(Draft { place, at, kind });
            }
            let blobs = std::mem::take(&mut self.contents().unwritten);
            let batch = Batch { events: drafts, blobs, line: self.line.clone(), ..Batch::default() };
            self.parts.journal.append(batch, durability)
        };
        Ok(appended.await?)
    }

    /// Takes in what another hand has already committed.
    pub(super) fn take_in(&self, place: &Place, at: i64, kind: &EventKind) {
        // What does not fit was overtaken by what this run did meanwhile.
        let _ = self.state().apply(place, at, kind);
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A value as events hold it. A large one is written with the next event.
    pub(super) fn content(&self, value: Value) -> Content {
        let (content, blob) = Content::keep(value);
        if let Some(blob) = blob {
            let mut contents = self.contents();
            // It may be read before the journal has it.
            contents.keep(blob.digest.clone(), Arc::new(Content::decode(&blob.bytes)), blob.bytes.len());
            contents.unwritten.push(blob);
        }
        content
    }

    /// Writes a JSON value as a blob with the next event, and names it.
    pub(super) fn blob(&self, value: &Value) -> Digest {
        let bytes = value.to_string().into_bytes();
        let digest = Digest::of_bytes(&bytes);
        self.contents().unwritten.push(Blob { digest: digest.clone(), bytes });
        digest
    }

    /// A text, when there is one.
    pub(super) fn text(&self, text: &str) -> Option<Content> {
        (!text.trim().is_empty()).then(|| self.content(Value::String(text.to_owned())))
    }

    /// The whole of a content.
    pub(super) fn value(&self, content: &Content) -> Result<Arc<Value>, StoreError> {
        match content {
            Content::Inline { inline } => Ok(Arc::new(inline.clone())),
            Content::Blob { blob, .. } => {
                if let Some(kept) = self.contents().kept.get(blob) {
                    return Ok(kept.clone());
                }
                let bytes = self.parts.blobs.blob(blob)?;
                let size = bytes.len();
                let value = Arc::new(Content::decode(&bytes));
                self.contents().keep(blob.clone(), value.clone(), size);
                Ok(value)
            }
        }
    }
}

impl Contents {
    fn keep(&mut self, digest: Digest, value: Arc<Value>, size: usize) {
        if self.kept.insert(digest.clone(), value).is_some() {
            return;
        }
        self.bytes += size;
        self.order.push_back((digest, size));
        while self.bytes > KEPT_BYTES && self.order.len() > 1 {
            if let Some((oldest, size)) = self.order.pop_front() {
                self.kept.remove(&oldest);
                self.bytes -= size;
            }
        }
    }
}
