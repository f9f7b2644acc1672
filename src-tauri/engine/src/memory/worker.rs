//! The thread that writes memories, so that nobody waits for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use assent_core::ids::Digest;

use crate::store::{Memories, MemoryDraft, StoreError};

/// So much may wait to be written; what comes then is lost.
const ROOM: usize = 1024;
/// So long nothing has to come before what waits is written, so that one commit does for many calls and none of them
/// shares the disk with it.
const QUIET: Duration = Duration::from_millis(200);
/// So much is written at once.
const ENOUGH: usize = 256;
/// So long the end of the program waits for what is being written.
const PATIENCE: Duration = Duration::from_secs(5);

/// Something for the thread to do.
pub(super) enum Work {
    /// Remember this.
    Remember(MemoryDraft),
    /// Remember those of these that are not there yet.
    Register(Vec<MemoryDraft>),
    /// Say when everything before this is done.
    Settle(SyncSender<()>),
}

/// The thread, started when there is something to do.
pub(super) struct Worker {
    store: Arc<dyn Memories>,
    line: Mutex<Option<Line>>,
    /// The program ends: what can be done at the next start is left.
    closing: Arc<AtomicBool>,
}

struct Line {
    work: SyncSender<Work>,
    /// Closed when the thread has ended.
    ended: Receiver<()>,
}

impl Worker {
    pub(super) fn new(store: Arc<dyn Memories>) -> Self {
        Self { store, line: Mutex::default(), closing: Arc::default() }
    }

    /// Puts something into the queue, or loses it. Never waits for the store.
    pub(super) fn push(&self, work: Work) {
        let mut line = self.line();
        if line.is_none() {
            *line = start(self.store.clone(), self.closing.clone());
        }
        let Some(Line { work: sender, .. }) = line.as_ref() else { return };
        match sender.try_send(work) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => tracing::debug!("a memory is lost: the store is slower than what happens"),
            Err(TrySendError::Disconnected(_)) => tracing::debug!("a memory is lost: its thread has ended"),
        }
    }

    pub(super) fn settle(&self) {
        let (done, told) = sync_channel(1);
        self.push(Work::Settle(done));
        // Ends at once where the queue is full or the thread is gone.
        let _ = told.recv_timeout(PATIENCE);
    }

    fn line(&self) -> MutexGuard<'_, Option<Line>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        if let Some(Line { work, ended }) = self.line().take() {
            drop(work);
            // The store is closed only after the last who uses it; one that hangs must not hold the program.
            let _ = ended.recv_timeout(PATIENCE);
        }
    }
}

fn start(store: Arc<dyn Memories>, closing: Arc<AtomicBool>) -> Option<Line> {
    let (work, queue) = sync_channel(ROOM);
    let (alive, ended) = sync_channel::<()>(1);
    let thread = std::thread::Builder::new().name("memory".to_owned()).spawn(move || {
        run(store.as_ref(), &queue, &closing);
        // Before the thread says that it has ended it lets go of the store.
        drop(store);
        drop(alive);
    });
    match thread {
        Ok(_) => Some(Line { work, ended }),
        Err(error) => {
            tracing::warn!("nothing is remembered: {error}");
            None
        }
    }
}

fn run(store: &dyn Memories, queue: &Receiver<Work>, closing: &AtomicBool) {
    let mut waiting: Vec<MemoryDraft> = Vec::new();
    loop {
        let next = if waiting.is_empty() {
            queue.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            queue.recv_timeout(QUIET)
        };
        match next {
            Ok(Work::Remember(draft)) => {
                add(&mut waiting, draft);
                if waiting.len() >= ENOUGH {
                    write(store, &mut waiting);
                }
            }
            Ok(Work::Register(drafts)) => {
                if !closing.load(Ordering::Relaxed) {
                    waiting.extend(changed(store, drafts));
                }
            }
            Ok(Work::Settle(done)) => {
                write(store, &mut waiting);
                // Whoever has stopped waiting does not want to know.
                let _ = done.send(());
            }
            Err(RecvTimeoutError::Timeout) => write(store, &mut waiting),
            Err(RecvTimeoutError::Disconnected) => return write(store, &mut waiting),
        }
    }
}

/// Puts a memory beside those that wait, or in the place of the one that it would replace.
fn add(waiting: &mut Vec<MemoryDraft>, draft: MemoryDraft) {
    let same = |other: &&mut MemoryDraft| {
        draft.slot.is_some() && (&other.slot, &other.context) == (&draft.slot, &draft.context)
    };
    match waiting.iter_mut().rev().find(same) {
        Some(earlier) => *earlier = MemoryDraft { times: earlier.times.saturating_add(draft.times), ..draft },
        None => waiting.push(draft),
    }
}

fn write(store: &dyn Memories, waiting: &mut Vec<MemoryDraft>) {
    if waiting.is_empty() {
        return;
    }
    if let Err(error) = store.remember(std::mem::take(waiting)) {
        tracing::warn!("memories are lost: {error}");
    }
}

/// Those that are not there, or not as they are now.
fn changed(store: &dyn Memories, mut drafts: Vec<MemoryDraft>) -> Vec<MemoryDraft> {
    let known = drafts.iter().find_map(|draft| draft.slot.as_deref()).map(|slot| store.slots(slot));
    match known.transpose() {
        Ok(known) => {
            let known = known.unwrap_or_default();
            let is_new = |draft: &MemoryDraft| {
                let version = Digest::of_bytes(draft.payload.to_string().as_bytes());
                known.get(&draft.context).map(String::as_str) != Some(version.as_str())
            };
            drafts.retain(is_new);
            drafts
        }
        Err::<_, StoreError>(error) => {
            tracing::warn!("tools are not remembered: {error}");
            Vec::new()
        }
    }
}
