//! The thread that writes memories, so that nobody waits for it.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use assent_core::ids::Digest;

use super::{ToolUsage, tool_context};
use crate::store::{Forget, Memories, MemoryDraft};

/// So much may wait to be written; what comes then is lost.
const ROOM: usize = 4096;
/// So long what happens is gathered before it is written, so that one commit does for many calls, and no call wakes the
/// thread but the first.
const GATHER: Duration = Duration::from_millis(200);
/// So much is written at once.
const ENOUGH: usize = 1024;
/// So long the end of the program waits for what is being written.
const PATIENCE: Duration = Duration::from_secs(5);

/// Something for the thread to do.
pub(super) enum Work {
    /// Remember this.
    Remember(MemoryDraft),
    /// Remember, at this time, that a tool was the right one.
    Used(ToolUsage, i64),
    /// Remember those of these that are not there yet.
    Register(Vec<MemoryDraft>),
    /// Forget the tools of this source.
    Forget(String),
    /// Say when everything before this is done.
    Settle(SyncSender<()>),
}

/// Learns from calls that worked.
pub(super) type Learner = Box<dyn Fn(&ToolUsage) + Send + Sync>;

/// The thread, started when there is something to do.
pub(super) struct Worker {
    shared: Arc<Shared>,
    /// Closed when the thread has ended.
    ended: Mutex<Option<Receiver<()>>>,
    store: Arc<dyn Memories>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
    learner: OnceLock<Learner>,
}

#[derive(Default)]
struct Queue {
    work: Vec<Work>,
    /// Somebody waits.
    urgent: bool,
    /// The program ends: what can be done at the next start is left.
    closed: bool,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        // The queue is whole between any two statements that change it.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What has gathered; `None` when nothing more comes. Whether the program ends with it.
    fn take(&self) -> Option<(Vec<Work>, bool)> {
        let idle = |queue: &mut Queue| queue.work.is_empty() && !queue.closed;
        let queue = self.wake.wait_while(self.queue(), idle).unwrap_or_else(PoisonError::into_inner);
        let gathers = |queue: &mut Queue| !queue.urgent && !queue.closed && queue.work.len() < ENOUGH;
        let waited = self.wake.wait_timeout_while(queue, GATHER, gathers);
        let mut queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        queue.urgent = false;
        let work = std::mem::take(&mut queue.work);
        (!work.is_empty()).then_some((work, queue.closed))
    }
}

impl Worker {
    pub(super) fn new(store: Arc<dyn Memories>) -> Self {
        Self { shared: Arc::default(), ended: Mutex::default(), store }
    }

    pub(super) fn teach(&self, learner: Learner) {
        // Who was named first stays.
        let _ = self.shared.learner.set(learner);
    }

    /// Puts something into the queue, or loses it where that is full. What a person wants forgotten is not lost, and
    /// neither is who waits. Never waits for the store.
    pub(super) fn push(&self, work: Work) {
        self.start();
        let mut queue = self.shared.queue();
        if queue.work.len() >= ROOM && !matches!(work, Work::Forget(_) | Work::Settle(_)) {
            tracing::debug!("a memory is lost: the store is slower than what happens");
            return;
        }
        queue.urgent |= matches!(work, Work::Settle(_));
        queue.work.push(work);
        let wakes = queue.work.len() == 1 || queue.urgent || queue.work.len() == ENOUGH;
        drop(queue);
        if wakes {
            self.shared.wake.notify_one();
        }
    }

    pub(super) fn settle(&self, patience: Duration) {
        let (done, told) = sync_channel(1);
        self.push(Work::Settle(done));
        // A store that hangs is waited for no longer.
        let _ = told.recv_timeout(patience);
    }

    fn start(&self) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if ended.is_some() {
            return;
        }
        let (shared, store) = (self.shared.clone(), self.store.clone());
        let (alive, end) = sync_channel::<()>(1);
        let thread = std::thread::Builder::new().name("memory".to_owned()).spawn(move || {
            while let Some((work, closed)) = shared.take() {
                carry_out(store.as_ref(), &shared, work, closed);
            }
            // Before the thread says that it has ended it lets go of the store.
            drop(store);
            drop(alive);
        });
        match thread {
            Ok(_) => *ended = Some(end),
            Err(error) => tracing::warn!("nothing is remembered: {error}"),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.queue().closed = true;
        self.shared.wake.notify_one();
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(ended) = ended {
            // The store is closed only after the last who uses it; one that hangs must not hold the program.
            let _ = ended.recv_timeout(PATIENCE);
        }
    }
}

fn carry_out(store: &dyn Memories, shared: &Shared, work: Vec<Work>, closed: bool) {
    let (mut drafts, mut told) = (Vec::new(), Vec::new());
    for work in work {
        match work {
            Work::Remember(draft) => drafts.push(draft),
            Work::Used(usage, at) => {
                if let Some(learner) = shared.learner.get() {
                    learner(&usage);
                }
                drafts.push(usage.draft(at));
            }
            Work::Register(tools) => {
                if !closed {
                    drafts.append(&mut changed(store, tools));
                }
            }
            Work::Forget(source) => {
                let tools = tool_context(&format!("{source}."));
                drafts.retain(|draft: &MemoryDraft| !draft.context.starts_with(&tools));
                if let Err(error) = store.forget(&Forget::Source(source)) {
                    tracing::warn!("what was to be forgotten is still remembered: {error}");
                }
            }
            Work::Settle(done) => told.push(done),
        }
    }
    let drafts = gathered(drafts);
    if !drafts.is_empty()
        && let Err(error) = store.remember(drafts)
    {
        tracing::warn!("memories are lost: {error}");
    }
    for done in told {
        // Whoever has stopped waiting does not want to know.
        let _ = done.send(());
    }
}

/// One memory for each slot, with how often it came.
fn gathered(drafts: Vec<MemoryDraft>) -> Vec<MemoryDraft> {
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    let mut gathered: Vec<MemoryDraft> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let slot = draft.slot.clone().map(|slot| (draft.context.clone(), slot));
        match slot.as_ref().and_then(|slot| places.get(slot)) {
            Some(place) => {
                let times = gathered[*place].times.saturating_add(draft.times);
                gathered[*place] = MemoryDraft { times, ..draft };
            }
            None => {
                places.extend(slot.map(|slot| (slot, gathered.len())));
                gathered.push(draft);
            }
        }
    }
    gathered
}

/// Those that are not there, or not as they are now.
fn changed(store: &dyn Memories, mut drafts: Vec<MemoryDraft>) -> Vec<MemoryDraft> {
    let Some(slot) = drafts.iter().find_map(|draft| draft.slot.clone()) else { return drafts };
    match store.slots(&slot) {
        Ok(known) => {
            let is_new = |draft: &MemoryDraft| {
                let version = Digest::of_bytes(draft.payload.to_string().as_bytes());
                known.get(&draft.context).map(String::as_str) != Some(version.as_str())
            };
            drafts.retain(is_new);
            drafts
        }
        Err(error) => {
            tracing::warn!("tools are not remembered: {error}");
            Vec::new()
        }
    }
}
