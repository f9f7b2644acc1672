//! A run in hand: its state, and the one way in which anything is added to it.
//!
//! An event is taken into the state and put into the journal's queue under one lock, so that both have the same order.
//! The lock is never held across a wait.

use std::collections::{HashMap, VecDeque};
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use assent_core::ids::{Digest, RunId, StepId};
use assent_core::plan::{Branches, Plan, Step};
use assent_core::run::{Batch, Blob, Content, Draft, Durability, EventKind, JournalError, Line, Place, RunState};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::ExecutorParts;
use super::base::Kind;
use super::context::Unmade;
use super::error::Stop;
use super::held::Resting;
use super::parts::{Job, Models};
use super::recipe::Base;
use super::result_contract::ResultContract;
use super::whole::{Contents, Whole};
use crate::heap::Agent;
use crate::model::ModelProfile;
use crate::planner::Silence;
use crate::store::StoreError;

/// Contents of this size in all are kept in memory, the newest first.
const KEPT_BYTES: usize = 32 << 20;

/// What a step gave is remembered for the steps after it up to this size.
const GAVE_BYTES: usize = 4096;

/// So long what was seen of the workspace is shown to further steps, in milliseconds.
const FRESH_MS: i64 = 1000;

/// An event about a step, or about the run.
pub(super) type Happened = (Option<usize>, EventKind);

/// A run in hand.
pub(super) struct Carrier {
    pub(super) parts: Arc<ExecutorParts>,
    pub(super) job: Job,
    pub(super) place: Place,
    /// The run.
    pub(super) run: RunId,
    /// Which steps count against one another's limits.
    pub(super) branches: Branches,
    /// Triggered when a person stops the run.
    pub(super) cancel: CancellationToken,
    /// Static parts of requests.
    pub(super) bases: Mutex<HashMap<Kind, Arc<Base>>>,
    look: Mutex<Option<Look>>,
    /// What the results of steps have to fit.
    pub(super) results: Mutex<HashMap<usize, Arc<ResultContract>>>,
    /// The agents of steps, as this hand has found them: it goes on by them whatever becomes of their files.
    pub(super) agents: Mutex<Vec<(usize, Arc<Agent>)>>,
    /// Steps that wait until an earlier one has asked a person.
    pub(super) resting: Resting,
    /// Whether who chooses specialists was waited for in vain: then nobody waits for it again in this hand.
    pub(super) silence: Silence,
    /// Steps that were delegated, as the state has them.
    delegated: RwLock<Vec<Arc<Step>>>,
    state: Mutex<RunState>,
    /// What is written relies on what was written before.
    line: Line,
    contents: Mutex<Kept>,
    gave: Mutex<Gave>,
}

/// A step of the plan, or one that was delegated.
pub(super) enum StepOf<'a> {
    Planned(&'a Step),
    Delegated(Arc<Step>),
}

impl Deref for StepOf<'_> {
    type Target = Step;

    fn deref(&self) -> &Step {
        match self {
            Self::Planned(step) => step,
            Self::Delegated(step) => step,
        }
    }
}

/// The files of the workspace as they were looked at.
struct Look {
    at: i64,
    model: String,
    files: Vec<String>,
}

/// What steps gave, as the steps that build on them are told.
#[derive(Default)]
struct Gave(HashMap<usize, Arc<str>>);

#[derive(Default)]
struct Kept {
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
        let (bases, look, results) = (Mutex::default(), Mutex::default(), Mutex::default());
        let (contents, gave, agents) = (Mutex::default(), Mutex::default(), Mutex::default());
        let run = state.run().clone();
        let delegated = RwLock::new(state.delegated().to_vec());
        let (state, line) = (Mutex::new(state), Line::default());
        let branches = Branches::of(job.plan.plan());
        Self {
            branches,
            parts,
            job,
            place,
            run,
            cancel,
            bases,
            look,
            results,
            agents,
            resting: Resting::default(),
            silence: Silence::default(),
            delegated,
            state,
            line,
            contents,
            gave,
        }
    }

    /// Which model does what in this run.
    pub(super) fn models(&self) -> &dyn Models {
        self.job.models.as_ref().unwrap_or(&self.parts.models).as_ref()
    }

    pub(super) fn plan(&self) -> &Plan {
        self.job.plan.plan()
    }

    pub(super) fn step(&self, step: usize) -> StepOf<'_> {
        let planned = &self.plan().steps;
        match planned.get(step) {
            Some(step) => StepOf::Planned(step),
            None => {
                let delegated = self.delegated.read().unwrap_or_else(PoisonError::into_inner);
                StepOf::Delegated(delegated[step - planned.len()].clone())
            }
        }
    }

    /// The ids from the outermost step down to this one, itself last.
    pub(super) fn path_to(&self, step: &Step) -> Vec<StepId> {
        let delegated = self.delegated.read().unwrap_or_else(PoisonError::into_inner);
        let mut below = vec![step.id.clone()];
        let mut parent = step.parent_id.as_ref();
        while let Some(above) = parent.and_then(|id| delegated.iter().find(|one| one.id == *id)) {
            below.push(above.id.clone());
            parent = above.parent_id.as_ref();
        }
        below.reverse();
        let mut path = parent.map(|id| self.plan().path_to(id)).unwrap_or_default();
        path.append(&mut below);
        path
    }

    /// The leaf that a step was brought to, where it is not what the step names.
    pub(super) fn leaf(&self, step: usize) -> Option<String> {
        self.state().step(step).expanded.as_ref().map(|expanded| expanded.leaf.clone())
    }

    /// Writes these with the next events.
    pub(super) fn keep(&self, blobs: Vec<Blob>) {
        self.contents().unwritten.extend(blobs);
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
                if matches!(kind, EventKind::StepDelegated { .. }) {
                    *self.delegated.write().unwrap_or_else(PoisonError::into_inner) = state.delegated().to_vec();
                }
                self.gave().forget(step, &kind);
                drafts.push(Draft { place, at, kind });
            }
            let blobs = std::mem::take(&mut self.contents().unwritten);
            let batch = Batch { events: drafts, blobs, line: self.line.clone(), ..Batch::default() };
            self.parts.journal.append(batch, durability)
        };
        self.resting.look();
        Ok(appended.await?)
    }

    /// Adds what follows from an answer, where another answer may have been quicker: nothing of it is written or taken in
    /// then, and what is under way goes on. Whether it was added.
    pub(super) async fn write_unless_overtaken(&self, events: Vec<Happened>) -> Result<bool, Stop> {
        let at = self.parts.clock.now();
        let draft = |(step, kind)| Draft { place: self.place_of(step), at, kind };
        let drafts: Vec<Draft> = events.into_iter().map(draft).collect();
        let blobs = std::mem::take(&mut self.contents().unwritten);
        let batch = Batch { events: drafts.clone(), blobs: blobs.clone(), line: self.line.clone(), ..Batch::default() };
        match self.parts.journal.append(batch, Durability::Committed).await {
            Ok(()) => {}
            Err(JournalError::Conflict(_)) => {
                self.contents().unwritten.extend(blobs);
                return Ok(false);
            }
            Err(error) => return Err(error.into()),
        }
        for Draft { place, at, kind } in drafts {
            self.take_in(&place, at, &kind);
        }
        self.resting.look();
        Ok(true)
    }

    /// Takes in what is committed already, by another hand too.
    pub(super) fn take_in(&self, place: &Place, at: i64, kind: &EventKind) {
        // What does not fit was overtaken by what this run did meanwhile.
        let mut state = self.state();
        let _ = state.apply(place, at, kind);
        let step = place.step.as_ref().and_then(|step| state.index_of(step));
        self.gave().forget(step, kind);
    }

    /// The files that a step on this model is shown: as they are, or were less than a second ago, and never as they
    /// were before a call that may have changed them.
    pub(super) fn files(&self, step: &Step, model: &ModelProfile) -> Vec<String> {
        let surroundings = &self.parts.surroundings;
        if !surroundings.shows_files(step) {
            return Vec::new();
        }
        let now = self.parts.clock.now();
        let mut look = self.look.lock().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = |look: &&Look| look.model == model.id && (0..FRESH_MS).contains(&(now - look.at));
        if let Some(fresh) = look.as_ref().filter(is_fresh) {
            return fresh.files.clone();
        }
        let files = surroundings.files(&self.job.workspace, model);
        *look = Some(Look { at: now, model: model.id.clone(), files: files.clone() });
        files
    }

    /// What was seen of the workspace no longer counts: a call with effects begins or ends.
    pub(super) fn look_again(&self) {
        *self.look.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Locked only while the state is.
    fn gave(&self) -> MutexGuard<'_, Gave> {
        self.gave.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn contents(&self) -> MutexGuard<'_, Kept> {
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
    pub(super) fn value<'c>(&self, content: &'c Content) -> Result<Whole<'c>, StoreError> {
        match content {
            Content::Inline { inline } => Ok(Whole::Here(inline)),
            Content::Blob { blob, .. } => {
                if let Some(kept) = self.contents().kept.get(blob) {
                    return Ok(Whole::Kept(kept.clone()));
                }
                let bytes = self.parts.blobs.blob(blob)?;
                let size = bytes.len();
                let value = Arc::new(Content::decode(&bytes));
                self.contents().keep(blob.clone(), value.clone(), size);
                Ok(Whole::Kept(value))
            }
        }
    }
}

impl Contents for Carrier {
    fn whole<'c>(&self, content: &'c Content) -> Result<Whole<'c>, StoreError> {
        self.value(content)
    }

    fn gave(&self, at: usize, make: &dyn Fn() -> Result<String, Unmade>) -> Result<Arc<str>, Unmade> {
        if let Some(known) = self.gave().0.get(&at) {
            return Ok(known.clone());
        }
        let made: Arc<str> = make()?.into();
        if made.len() <= GAVE_BYTES {
            self.gave().0.insert(at, made.clone());
        }
        Ok(made)
    }
}

impl Gave {
    /// What a step gave holds until something happens to it. What happens to the run, or a step that is taken back, may
    /// concern every step.
    fn forget(&mut self, step: Option<usize>, kind: &EventKind) {
        match step.filter(|_| !matches!(kind, EventKind::StepReset { .. })) {
            Some(step) => drop(self.0.remove(&step)),
            None => self.0.clear(),
        }
    }
}

impl Kept {
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
