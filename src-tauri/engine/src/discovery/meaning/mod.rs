//! Tools compared with requests by meaning, where the file of an encoder is there. Without it, and while something is not
//! ready, searches go on without this reason.
//!
//! One thread does what takes its time: it loads the encoder when a search first wants it, works out the vectors of tools
//! that have none, and lets the encoder go when nobody has searched for a while. Only who wakes it waits for it, and not
//! for long. Requests are worked out where they are asked.

mod kept;

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use assent_core::contract::ToolSpec;
use assent_core::discovery::Likeness;
use assent_meaning::{Encoder, Vector};
use sha2::{Digest as _, Sha256};

use self::kept::{Kept, Key};
use super::words::cut;

/// Pieces of a request that count: so many take about 10 ms. Of a longer one, the likeness counts by the share of it that
/// was read.
const REQUEST_PIECES: usize = 32;
/// Pieces of a tool's text that count.
const TOOL_PIECES: usize = 64;
/// Characters of a tool's text that are looked at.
const TOOL_CHARACTERS: usize = 2_000;

/// So long the search that has the encoder loaded waits for it.
const PATIENCE: Duration = Duration::from_millis(500);
/// So long the encoder stays without a search.
const IDLE: Duration = Duration::from_secs(120);
/// A file that could not be used is looked at again after this time.
const AGAIN: Duration = Duration::from_secs(10);

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

#[derive(Default)]
struct State {
    phase: Phase,
    tools: HashMap<String, Tool>,
    /// Names of tools that may have no vector yet.
    waiting: VecDeque<String>,
    /// Searches so far.
    uses: u64,
    /// Whether nobody will search any more.
    closed: bool,
}

#[derive(Default)]
enum Phase {
    /// Nothing is loaded.
    #[default]
    Resting,
    Loading,
    Ready(Arc<Encoder<File>>),
    Failed {
        why: String,
        at: Instant,
    },
}

struct Tool {
    key: Key,
    said: Said,
}

/// What a tool says of itself.
enum Said {
    Text(String),
    Meant(Vector),
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

    /// Why nothing is compared by meaning, where a search has found that out.
    pub fn problem(&self) -> Option<String> {
        match &self.0.state().phase {
            Phase::Failed { why, .. } => Some(why.clone()),
            _ => None,
        }
    }

    /// Waits until all tools have their vectors, or it is clear that they get none; whether that came in time.
    pub fn settle_within(&self, limit: Duration) -> bool {
        self.0.encoder();
        let is_busy = |state: &mut State| match state.phase {
            Phase::Loading => true,
            Phase::Ready(_) => !state.waiting.is_empty(),
            Phase::Resting | Phase::Failed { .. } => false,
        };
        let waited = self.0.changed.wait_timeout_while(self.0.state(), limit, is_busy);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Takes in a tool, in the place of one of the same name.
    pub(super) fn add(&self, spec: &ToolSpec) {
        let text = text_of(spec);
        let key = key_of(&text);
        let mut state = self.0.state();
        if state.tools.get(&spec.name).is_none_or(|tool| tool.key != key) {
            state.tools.insert(spec.name.clone(), Tool { key, said: Said::Text(text) });
            state.waiting.push_back(spec.name.clone());
            self.0.changed.notify_all();
        }
    }

    /// Lets a tool go.
    pub(super) fn remove(&self, name: &str) {
        self.0.state().tools.remove(name);
    }

    /// How alike a request and the tools are that have a vector.
    pub(super) fn likeness(&self, request: &str) -> Likeness {
        let Some(encoder) = self.0.encoder() else { return Likeness::default() };
        let vector = match encoder.vector(request, REQUEST_PIECES) {
            Ok(vector) => vector,
            Err(problem) => {
                self.0.fail(problem.to_string());
                return Likeness::default();
            }
        };
        let share = encoder.share(request, REQUEST_PIECES);
        let state = self.0.state();
        let meant = state.tools.iter().filter_map(|(name, tool)| match &tool.said {
            Said::Meant(other) => Some((name.clone(), share * vector.likeness(other))),
            Said::Text(_) => None,
        });
        Likeness::of(meant)
    }
}

impl Drop for Meaning {
    fn drop(&mut self) {
        self.0.state().closed = true;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Whole between any two statements that change it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The encoder, where it is loaded or soon is.
    fn encoder(self: &Arc<Self>) -> Option<Arc<Encoder<File>>> {
        let mut state = self.state();
        state.uses += 1;
        self.changed.notify_all();
        let wakes = match &state.phase {
            Phase::Resting => true,
            Phase::Failed { at, .. } => at.elapsed() >= AGAIN,
            Phase::Loading | Phase::Ready(_) => false,
        };
        if wakes {
            state.phase = Phase::Loading;
            let shared = Arc::clone(self);
            let begun = thread::Builder::new().name("meaning".to_owned()).spawn(move || work(&shared));
            if let Err(error) = begun {
                state.phase = Phase::Failed { why: format!("no thread can be started: {error}"), at: Instant::now() };
            }
            let is_loading = |state: &mut State| matches!(state.phase, Phase::Loading);
            let waited = self.changed.wait_timeout_while(state, PATIENCE, is_loading);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        match &state.phase {
            Phase::Ready(encoder) => Some(Arc::clone(encoder)),
            _ => None,
        }
    }

    /// Loads the encoder, and the vectors that are kept.
    fn load(&self) -> Result<(Arc<Encoder<File>>, Kept), String> {
        let (path, id) = (self.find)()?;
        let unusable = |problem: &dyn std::fmt::Display| format!("{} cannot be used: {problem}", path.display());
        let file = File::open(&path).map_err(|error| unusable(&error))?;
        let encoder = Arc::new(Encoder::read(file).map_err(|problem| unusable(&problem))?);
        let wanted: HashSet<Key> = self.state().tools.values().map(|tool| tool.key).collect();
        let (kept, found) = Kept::open(&self.kept, &id, encoder.width(), |key| wanted.contains(key));
        let mut state = self.state();
        for tool in state.tools.values_mut() {
            if let Some(vector) = found.get(&tool.key) {
                tool.said = Said::Meant(vector.clone());
            }
        }
        state.phase = Phase::Ready(Arc::clone(&encoder));
        self.changed.notify_all();
        Ok((encoder, kept))
    }

    /// The next tool without a vector. Waits for one, and gives none when it is time to rest.
    fn next_tool(&self) -> Option<(String, Key, String)> {
        let mut guard = self.state();
        loop {
            let state = &mut *guard;
            while let Some(name) = state.waiting.front() {
                if let Some(Tool { key, said: Said::Text(text) }) = state.tools.get(name) {
                    return Some((name.clone(), *key, text.clone()));
                }
                state.waiting.pop_front();
            }
            self.changed.notify_all();
            let uses = state.uses;
            let rests = |state: &mut State| state.uses == uses && state.waiting.is_empty() && !state.closed;
            let waited = self.changed.wait_timeout_while(guard, IDLE, rests);
            let (after, waited) = waited.unwrap_or_else(PoisonError::into_inner);
            guard = after;
            if waited.timed_out() || guard.closed {
                guard.phase = Phase::Resting;
                return None;
            }
        }
    }

    /// Takes in the vector of a tool, unless it says something else by now.
    fn take_in(&self, name: &str, key: Key, vector: Vector) {
        let mut state = self.state();
        if let Some(tool) = state.tools.get_mut(name).filter(|tool| tool.key == key) {
            tool.said = Said::Meant(vector);
        }
    }

    fn fail(&self, why: String) {
        tracing::debug!("tools are not compared by meaning: {why}");
        self.state().phase = Phase::Failed { why, at: Instant::now() };
        self.changed.notify_all();
    }
}

/// What the thread does.
fn work(shared: &Shared) {
    let (encoder, mut kept) = match shared.load() {
        Ok(loaded) => loaded,
        Err(why) => return shared.fail(why),
    };
    while let Some((name, key, text)) = shared.next_tool() {
        match encoder.vector(&text, TOOL_PIECES) {
            Ok(vector) => {
                kept.add(&key, &vector);
                shared.take_in(&name, key, vector);
            }
            Err(problem) => return shared.fail(problem.to_string()),
        }
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
    text
}

fn key_of(text: &str) -> Key {
    let mut key = Key::default();
    key.iter_mut().zip(Sha256::digest(text)).for_each(|(place, byte)| *place = byte);
    key
}
