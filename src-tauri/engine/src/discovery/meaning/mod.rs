//! Tools compared with requests by meaning, where the file of an encoder is there. Without it, and until all tools have
//! their vectors, searches go on without this reason: no search waits for anything here.
//!
//! One thread does what takes its time: it loads the encoder when a search first wants it, works out the vectors of tools
//! that have none, and lets the encoder go when nobody has searched for a while. It ends with what it works for, at the
//! latest when the text in its hands is done. Requests are worked out where they are asked.

mod kept;
mod state;

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use assent_core::contract::ToolSpec;
use assent_core::discovery::Likeness;
use assent_meaning::Encoder;
use sha2::{Digest as _, Sha256};

use self::kept::{Kept, Key};
use self::state::{Next, Phase, State};
use super::words::cut;

/// Pieces of a request that count: so many take about 10 ms. Of a longer one, the likeness counts by the share of it that
/// was read.
const REQUEST_PIECES: usize = 32;
/// Pieces of a tool's text that count.
const TOOL_PIECES: usize = 64;
/// Characters of a tool's text that are kept for it: more than its pieces have.
const TOOL_CHARACTERS: usize = 20 * TOOL_PIECES;

/// So long the encoder stays without a search.
const IDLE: Duration = Duration::from_secs(300);
/// A file that could not be used is looked at again after this time.
const AGAIN: Duration = Duration::from_secs(10);
/// So many tools are read as quickly as may be, since somebody searches; they take some seconds. What comes after them
/// takes minutes, and is less pressing than everything else.
const PRESSING: usize = 200;
/// How much less, from 0 to 19.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Where the encoder's file lies and what it is called by, such as its hash; or why it cannot be used.
type Finder = Box<dyn Fn() -> Result<(PathBuf, String), String> + Send + Sync>;

/// Tools by their meaning.
pub struct Meaning(Arc<Shared>);

struct Shared {
    find: Finder,
    /// Where vectors are kept.
    kept: PathBuf,
    state: Mutex<State>,
    changed: Condvar,
}

impl Meaning {
    /// The meaning of no tools yet. `find` tells where the encoder's file lies; it is asked when a search first wants it,
    /// and may take its time. Vectors are kept in the file `kept`.
    pub fn new(
        find: impl Fn() -> Result<(PathBuf, String), String> + Send + Sync + 'static,
        kept: impl Into<PathBuf>,
    ) -> Self {
        Self(Arc::new(Shared {
            find: Box::new(find),
            kept: kept.into(),
            state: Mutex::default(),
            changed: Condvar::new(),
        }))
    }

    /// Why the next search would compare nothing by meaning, once a search has found that out.
    pub fn problem(&self) -> Option<String> {
        self.0.state().problem()
    }

    /// How many tools have no vector yet.
    pub fn unread(&self) -> usize {
        self.0.state().unread()
    }

    /// Waits until the encoder is loaded, or it is clear that it cannot be; whether that came in time. It never is the
    /// search itself that waits.
    pub fn ready_within(&self, limit: Duration) -> bool {
        self.0.wait(limit, |state| matches!(state.phase, Phase::Loading))
    }

    /// Waits until all tools have their vectors, or it is clear that they get none; whether that came in time.
    pub fn settle_within(&self, limit: Duration) -> bool {
        self.0.wait(limit, |state| match state.phase {
            Phase::Loading => true,
            Phase::Ready(_) => state.is_waiting(),
            Phase::Resting | Phase::Failed { .. } => false,
        })
    }

    /// Takes in a tool, in the place of one of the same name.
    pub fn add(&self, spec: &ToolSpec) {
        let text = text_of(spec);
        if self.0.state().add(&spec.name, key_of(&text), text) {
            self.0.changed.notify_all();
        }
    }

    /// Lets a tool go.
    pub fn remove(&self, name: &str) {
        self.0.state().remove(name);
    }

    /// Has nothing kept of tools that are not there now.
    pub(super) fn forget_others(&self) {
        let mut state = self.0.state();
        if matches!(state.phase, Phase::Loading | Phase::Ready(_)) {
            // The thread has the file.
            state.forgets = true;
            self.0.changed.notify_all();
            return;
        }
        let wanted = state.keys();
        drop(state);
        kept::forget_others(&self.0.kept, &wanted);
    }

    /// How alike a request and the tools are; nothing is, while some of them have no vector.
    pub fn likeness(&self, request: &str) -> Likeness {
        let Some(encoder) = self.0.woken() else { return Likeness::default() };
        let vector = match encoder.vector(request, REQUEST_PIECES) {
            Ok(vector) => vector,
            Err(problem) => {
                self.0.fail(problem.to_string());
                return Likeness::default();
            }
        };
        let share = encoder.share(request, REQUEST_PIECES);
        self.0.state().likeness(&vector, share)
    }
}

impl Drop for Meaning {
    fn drop(&mut self) {
        self.0.state().is_closed = true;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Whole between any two statements that change it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The encoder, where it is loaded and all tools have vectors. Has it loaded where it is not.
    fn woken(self: &Arc<Self>) -> Option<Arc<Encoder<File>>> {
        let mut state = self.state();
        state.used = Some(Instant::now());
        let wakes = match &state.phase {
            Phase::Ready(encoder) => return (!state.is_waiting()).then(|| Arc::clone(encoder)),
            Phase::Resting => true,
            Phase::Failed { at, .. } => at.elapsed() >= AGAIN,
            Phase::Loading => false,
        };
        if wakes {
            state.phase = Phase::Loading;
            let shared = Arc::clone(self);
            let begun = thread::Builder::new().name("meaning".to_owned()).spawn(move || work(&shared));
            if let Err(error) = begun {
                state.phase = Phase::failed(format!("no thread can be started: {error}"));
            }
        }
        None
    }

    fn wait(self: &Arc<Self>, limit: Duration, is_busy: impl Fn(&State) -> bool) -> bool {
        self.woken();
        let waited = self.changed.wait_timeout_while(self.state(), limit, |state| is_busy(state));
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Loads the encoder, and the vectors that are kept.
    fn load(&self) -> Result<(Arc<Encoder<File>>, Kept), String> {
        let (path, id) = (self.find)()?;
        let unusable = |problem: &dyn std::fmt::Display| format!("{} cannot be used: {problem}", path.display());
        let file = File::open(&path).map_err(|error| unusable(&error))?;
        let encoder = Arc::new(Encoder::read(file).map_err(|problem| unusable(&problem))?);
        let wanted = self.state().keys();
        let (kept, found) = Kept::open(&self.kept, &id, encoder.width(), &wanted);
        let mut state = self.state();
        state.take_in_all(&found);
        state.phase = Phase::Ready(Arc::clone(&encoder));
        self.changed.notify_all();
        Ok((encoder, kept))
    }

    /// What the thread with this encoder does next. Waits for it.
    fn next(&self, encoder: &Arc<Encoder<File>>) -> Next {
        let mut state = self.state();
        loop {
            let next = state.next(encoder, IDLE);
            match &next {
                Next::Wait(time) => {
                    self.changed.notify_all();
                    let rests = |state: &mut State| matches!(state.next(encoder, IDLE), Next::Wait(_));
                    let waited = self.changed.wait_timeout_while(state, *time, rests);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                    continue;
                }
                Next::Forget(_) => state.forgets = false,
                Next::End if state.has(encoder) => state.phase = Phase::Resting,
                Next::Embed { .. } | Next::End => {}
            }
            return next;
        }
    }

    fn fail(&self, why: String) {
        tracing::debug!("tools are not compared by meaning: {why}");
        self.state().phase = Phase::failed(why);
        self.changed.notify_all();
    }
}

/// Says that something went wrong where the thread ends by a panic: nobody waits for it any more.
struct Ending<'a>(&'a Shared);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.fail("it broke off".to_owned());
        }
    }
}

/// What the thread does.
fn work(shared: &Shared) {
    let _ending = Ending(shared);
    let (encoder, mut kept) = match shared.load() {
        Ok(loaded) => loaded,
        Err(why) => return shared.fail(why),
    };
    let mut read = 0;
    loop {
        match shared.next(&encoder) {
            Next::Embed { name, key, text } => match encoder.vector(&text, TOOL_PIECES) {
                Ok(vector) => {
                    kept.add(&key, &vector);
                    shared.state().take_in(&name, key, vector);
                    read += 1;
                    if read == PRESSING {
                        yield_to_others();
                    }
                }
                Err(problem) => return shared.fail(problem.to_string()),
            },
            Next::Forget(wanted) => kept.forget_others(&shared.kept, &wanted),
            Next::Wait(_) | Next::End => return,
        }
    }
}

/// A model that works meanwhile goes first. Elsewhere than on Linux, that would be said of the whole program.
fn yield_to_others() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!("vectors of tools are as pressing as all else: {error}");
    }
}

/// What of a tool is compared: the words of its name, and what is said of it.
fn text_of(spec: &ToolSpec) -> String {
    let mut text = String::new();
    cut(&spec.name, |word| {
        text.push_str(word);
        text.push(' ');
    });
    let mut text = format!("{}. {}", text.trim_end(), spec.description);
    if let Some((end, _)) = text.char_indices().nth(TOOL_CHARACTERS) {
        text.truncate(end);
    }
    text.shrink_to_fit();
    text
}

fn key_of(text: &str) -> Key {
    let mut key = Key::default();
    key.iter_mut().zip(Sha256::digest(text)).for_each(|(place, byte)| *place = byte);
    key
}
