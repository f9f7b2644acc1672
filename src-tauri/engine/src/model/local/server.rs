//! The user's side of the shared server: hold the lock, find the server or have one started, let go when idle.

use std::fs::TryLockError;
use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::LocalParts;
use super::guard::{GUARD, Task};
use super::nest::{Nest, Phase, State};
use crate::model::openai::Line;
use crate::model::{Dialect, Endpoint, ModelError, Secret};

/// How loading goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loading {
    /// A server is being started.
    Starting,
    /// It loads the model, for so long already.
    Loading(Duration),
    /// It answers, after so long.
    Ready(Duration),
    /// It came to nothing, or nobody waits for it any more.
    Ended,
}

/// Is told how loading goes.
pub type Notice = Arc<dyn Fn(Loading) + Send + Sync>;

/// A server that answered.
pub(super) struct Link {
    pub(super) line: Line,
}

pub(super) struct Server {
    parts: LocalParts,
    shared: Arc<Mutex<Shared>>,
    /// One search for the server at a time.
    search: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Shared {
    link: Option<Arc<Link>>,
    hold: Option<std::fs::File>,
    last_used: Option<Instant>,
    watched: bool,
    /// A server is being looked for, however long it takes to load.
    searching: bool,
}

/// Marks the time of a search, also when it is given up.
struct Searching<'a>(&'a Mutex<Shared>);

impl<'a> Searching<'a> {
    fn begin(shared: &'a Mutex<Shared>) -> Self {
        lock(shared).searching = true;
        Self(shared)
    }
}

impl Drop for Searching<'_> {
    fn drop(&mut self) {
        let mut shared = lock(self.0);
        shared.searching = false;
        shared.last_used = Some(Instant::now());
    }
}

/// Tells of a loading, and of its end however it ends.
struct Telling<'a> {
    server: &'a Server,
    began: bool,
}

impl Telling<'_> {
    fn tell(&mut self, loading: Loading) {
        self.began = true;
        self.server.notice(loading);
    }

    fn end(&mut self, loading: Loading) {
        if std::mem::take(&mut self.began) {
            self.server.notice(loading);
        }
    }
}

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        self.end(Loading::Ended);
    }
}

const TICK: Duration = Duration::from_millis(50);

/// Guards that are started for one search: the first may lose against another process's, or against a stopping one.
const MAX_STARTS: u32 = 3;

impl Server {
    pub(super) fn new(parts: LocalParts) -> Self {
        Self { parts, shared: Arc::default(), search: tokio::sync::Mutex::default() }
    }

    /// A server that is ready, started if need be. From here on this process holds it until it has been idle.
    pub(super) async fn link(&self, cancel: &CancellationToken) -> Result<Arc<Link>, ModelError> {
        if let Some(link) = self.known() {
            return Ok(link);
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ModelError::Cancelled),
            found = self.find() => found,
        }
    }

    /// The link did not hold: it is looked for again before the next request.
    pub(super) fn doubt(&self, link: &Arc<Link>) {
        let mut shared = lock(&self.shared);
        if shared.link.as_ref().is_some_and(|known| Arc::ptr_eq(known, link)) {
            shared.link = None;
        }
    }

    fn known(&self) -> Option<Arc<Link>> {
        let mut shared = lock(&self.shared);
        shared.last_used = Some(Instant::now());
        shared.link.clone()
    }

    async fn find(&self) -> Result<Arc<Link>, ModelError> {
        let _search = self.search.lock().await;
        if let Some(link) = self.known() {
            return Ok(link);
        }
        let (parts, id) = (&self.parts, self.parts.file.id.clone());
        let server = parts.places.server()?;
        let (places, file) = (parts.places.clone(), parts.file.clone());
        let checked = tokio::task::spawn_blocking(move || places.model(&file)).await;
        let model = checked.map_err(|_| self.unavailable("the model's file could not be checked"))??;
        let nest = Nest::create(&parts.places.data, &id).map_err(|error| self.io(&error))?;
        let _searching = Searching::begin(&self.shared);
        self.hold(&nest).await?;
        let task = Task {
            nest: nest.clone(),
            server,
            model,
            context: parts.file.context_tokens,
            slots: parts.settings.slots,
            threads: parts.settings.threads,
            cache_ram: parts.settings.cache_ram,
            grace_ms: millis(parts.settings.grace),
            ready_within_ms: millis(parts.settings.ready_within),
        };
        let link = Arc::new(self.wait(&nest, &task).await?);
        lock(&self.shared).link = Some(link.clone());
        Ok(link)
    }

    /// Holds the shared lock; a guard that is just stopping its server is waited for.
    async fn hold(&self, nest: &Nest) -> Result<(), ModelError> {
        if lock(&self.shared).hold.is_some() {
            return Ok(());
        }
        let file = nest.use_lock().map_err(|error| self.io(&error))?;
        for _ in 0..200 {
            match file.try_lock_shared() {
                Ok(()) => {
                    lock(&self.shared).hold = Some(file);
                    self.watch_idleness();
                    return Ok(());
                }
                Err(TryLockError::WouldBlock) => tokio::time::sleep(TICK).await,
                Err(TryLockError::Error(error)) => return Err(self.io(&error)),
            }
        }
        Err(self.unavailable("the server that is being stopped does not end"))
    }

    /// Lets go of lock and link when nothing has been asked for the idle time.
    fn watch_idleness(&self) {
        let idle = self.parts.settings.idle;
        let shared = Arc::downgrade(&self.shared);
        if std::mem::replace(&mut lock(&self.shared).watched, true) {
            return;
        }
        tokio::spawn(async move {
            let mut rest = idle;
            loop {
                tokio::time::sleep(rest).await;
                let Some(shared) = shared.upgrade() else { return };
                let mut shared = lock(&shared);
                let quiet = shared.last_used.map_or(idle, |used| used.elapsed());
                // A link in use is held by more than this place.
                let busy = shared.searching || shared.link.as_ref().is_some_and(|link| Arc::strong_count(link) > 1);
                rest = if busy { idle } else { idle.saturating_sub(quiet) };
                if rest.is_zero() {
                    *shared = Shared::default();
                    return;
                }
            }
        });
    }

    async fn wait(&self, nest: &Nest, task: &Task) -> Result<Link, ModelError> {
        let began = Instant::now();
        let longest = self.parts.settings.ready_within + Duration::from_secs(30);
        let mut starts = 0;
        let mut old = None;
        let mut telling = Telling { server: self, began: false };
        let mut told = Duration::ZERO;
        while began.elapsed() < longest {
            let guarded = nest.is_guarded().map_err(|error| self.io(&error))?;
            let state = nest.state();
            match state.as_ref().map(|state| &state.phase) {
                Some(Phase::Ready { port, key, .. }) if guarded => {
                    if let Some(link) = self.try_link(*port, key).await? {
                        telling.end(Loading::Ready(began.elapsed()));
                        return Ok(link);
                    }
                }
                Some(Phase::Failed { reason }) if !guarded && starts > 0 && guard_of(&state) != old => {
                    return Err(self.unavailable(reason));
                }
                _ if !guarded && starts < MAX_STARTS => {
                    starts += 1;
                    old = guard_of(&state);
                    telling.tell(Loading::Starting);
                    self.start_guard(task).await?;
                }
                _ if !guarded => {
                    return Err(self.unavailable(
                        "its guard ends at once; start Assent again, and see in a terminal what `assent doctor` finds",
                    ));
                }
                _ => {}
            }
            if began.elapsed() > told + Duration::from_secs(1) {
                told = began.elapsed();
                telling.tell(Loading::Loading(told));
            }
            tokio::time::sleep(TICK).await;
        }
        Err(self.unavailable("it did not become ready in time; the machine may be too busy or short of memory"))
    }

    /// Starts a guard in a process group of its own, so that it outlives this command, and waits until it has its lock
    /// or has ended.
    async fn start_guard(&self, task: &Task) -> Result<(), ModelError> {
        let text = serde_json::to_string(task).map_err(|error| self.unavailable(&error.to_string()))?;
        let mut command = tokio::process::Command::new(&self.parts.guard);
        command.arg(GUARD).arg(text).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| {
            self.unavailable(&format!("{} cannot be started as its guard: {error}", self.parts.guard.display()))
        })?;
        for _ in 0..40 {
            let ended = child.try_wait().map_err(|error| self.io(&error))?.is_some();
            if ended || task.nest.is_guarded().map_err(|error| self.io(&error))? {
                break;
            }
            tokio::time::sleep(TICK).await;
        }
        Ok(())
    }

    async fn try_link(&self, port: u16, key: &str) -> Result<Option<Link>, ModelError> {
        let endpoint = Endpoint {
            base_url: format!("http://127.0.0.1:{port}/v1"),
            model: self.parts.file.id.clone(),
            key: Some(Secret::new(key)),
            dialect: Dialect::LLAMA,
            // Reading a long prompt on a slow machine takes minutes in which nothing is said.
            silence: Duration::from_secs(600),
        };
        let line = Line::new(endpoint)?;
        Ok(line.is_healthy(Duration::from_secs(5)).await.then_some(Link { line }))
    }

    fn notice(&self, loading: Loading) {
        if let Some(notice) = &self.parts.notice {
            notice(loading);
        }
    }

    fn unavailable(&self, reason: &str) -> ModelError {
        let endpoint = self.parts.file.model_id();
        ModelError::Unavailable { endpoint, reason: reason.to_owned(), retry_after: None }
    }

    fn io(&self, error: &io::Error) -> ModelError {
        self.unavailable(&format!("the data folder {} cannot be used: {error}", self.parts.places.data.display()))
    }
}

fn guard_of(state: &Option<State>) -> Option<String> {
    state.as_ref().map(|state| state.guard.clone())
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
