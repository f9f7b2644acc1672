//! What every command works with: the engine, what goes on in this process, and the page that listens.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assent_core::ids::SessionId;
use assent_engine::Engine;
use assent_engine::engine::{Opened, Opening};
use assent_engine::live::{Sign, Watched};
use assent_engine::store::{Home, StoreError};
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use crate::pulls::Pulls;
use crate::stream::{Sources, pump};
use crate::wire::{ErrorCode, Failure, Packet, Signal};
use crate::work::Work;

/// Signals that may wait for the pump; it takes them at once.
const ROOM: usize = 4096;

/// The state of the window's process. Where the data folder cannot be opened, the window still says why.
pub struct Shell {
    home: Result<Home, StoreError>,
    opened: Result<Arc<Opened>, Failure>,
    signals: broadcast::Sender<Signal>,
    work: Arc<Work>,
    page: Mutex<Option<Page>>,
    pulls: Arc<Pulls>,
}

/// The page that listens.
struct Page {
    taken: mpsc::UnboundedSender<u64>,
    stop: CancellationToken,
}

impl Shell {
    /// Opens the engine on a data folder. `guard` is the program that becomes the guard of the model server.
    pub fn open(home: Result<Home, StoreError>, guard: PathBuf) -> Self {
        let (live, signs) = Watched::new();
        let opened = home.as_ref().map_err(|error| Failure::from(error.clone())).and_then(|home| {
            let notice = Some(live.notice());
            Ok(Engine::at(home, Opening { guard, model: None, live: Arc::new(live), notice })?)
        });
        Self::with(home, opened, signs)
    }

    /// As [`Shell::open`], with an engine that is open already and the signs of life that it gives.
    pub fn with(
        home: Result<Home, StoreError>,
        opened: Result<Opened, Failure>,
        mut signs: mpsc::UnboundedReceiver<Sign>,
    ) -> Self {
        let signals = broadcast::Sender::new(ROOM);
        let all = signals.clone();
        tauri::async_runtime::spawn(async move {
            while let Some(sign) = signs.recv().await {
                // Signs that nobody sees are gone.
                let _nobody_listens = all.send(sign.into());
            }
        });
        Self {
            home,
            opened: opened.map(Arc::new),
            work: Arc::new(Work::new(signals.clone())),
            signals,
            page: Mutex::default(),
            pulls: Arc::default(),
        }
    }

    /// The data folder.
    pub fn home(&self) -> Result<Home, StoreError> {
        self.home.clone()
    }

    /// The engine with its models, for work that outlives a command.
    ///
    /// # Errors
    /// Why the data folder could not be opened.
    pub fn opened(&self) -> Result<Arc<Opened>, Failure> {
        self.opened.clone()
    }

    /// Asks the engine for something that it reads or works out, [`aside`] from everything else.
    ///
    /// # Errors
    /// Why the data folder could not be opened, or what `question` says.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Engine) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let opened = self.opened()?;
        aside(move || question(&opened.engine)).await
    }

    /// What goes on in this process.
    pub fn work(&self) -> &Arc<Work> {
        &self.work
    }

    /// Tells the page something.
    pub fn tell(&self, signal: Signal) {
        // A page that comes later reads how things stand.
        let _nobody_listens = self.signals.send(signal);
    }

    /// Where the page is told things, for work that outlives a command.
    pub fn signals(&self) -> broadcast::Sender<Signal> {
        self.signals.clone()
    }

    /// Sends everything that happens from now on to a page, in the place of the one before.
    ///
    /// # Errors
    /// Why the data folder could not be opened.
    pub fn listen(&self, send: impl Fn(Packet) -> bool + Send + 'static) -> Result<(), Failure> {
        let (taken, numbers) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        let sources =
            Sources { events: self.opened()?.engine.changes(), signals: self.signals.subscribe(), taken: numbers };
        let before = self.page().replace(Page { taken, stop: stop.clone() });
        if let Some(before) = before {
            before.stop.cancel();
        }
        tauri::async_runtime::spawn(pump(sources, send, stop));
        Ok(())
    }

    /// Notes that the page has taken a packet.
    pub fn taken(&self, number: u64) {
        if let Some(page) = &*self.page() {
            // A pump that has ended needs no numbers.
            let _ended = page.taken.send(number);
        }
    }

    /// Carries on what was interrupted: turns without a plan, and runs that wait for nobody.
    ///
    /// # Errors
    /// What there is could not be read.
    pub async fn recover(&self) -> Result<(), Failure> {
        let opened = self.opened()?;
        let (turns, runs) = self.ask(|engine| Ok((engine.turns().unended()?, engine.runs().unended()?))).await?;
        for session in sessions(turns.iter().map(|turn| &turn.session)) {
            let (opened, only) = (opened.clone(), session.clone());
            self.work
                .begin(session, move |cancel| async move { opened.engine.turns().take_up(Some(&only), &cancel).await });
        }
        for run in runs.into_iter().filter(|run| !run.status.is_waiting()) {
            self.resume(run.session, run.id.to_string())?;
        }
        Ok(())
    }

    /// Carries one run on.
    ///
    /// # Errors
    /// Why the data folder could not be opened.
    pub fn resume(&self, session: SessionId, run: String) -> Result<(), Failure> {
        let opened = self.opened()?;
        self.work.begin(session, move |cancel| async move { opened.engine.turns().resume(Some(&run), &cancel).await });
        Ok(())
    }

    /// The fetches of models that go on.
    pub fn pulls(&self) -> &Arc<Pulls> {
        &self.pulls
    }

    /// Whether anything goes on that closing the window would break off.
    pub fn is_busy(&self) -> bool {
        !self.work.active().is_empty() || self.pulls.any()
    }

    /// Stops everything, and returns when it has ended. What a fetch has brought is kept.
    pub async fn stop_all(&self) {
        tokio::join!(self.work.stop_all(), self.pulls.stop_all());
    }

    fn page(&self) -> MutexGuard<'_, Option<Page>> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does what takes the time of a disk, a database or another program beside the threads on which everything waits for
/// everything: a slow disk must not keep a button from answering.
///
/// # Errors
/// What `act` says; [`ErrorCode::Internal`] when it panics.
pub async fn aside<T: Send + 'static>(act: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Result<T, Failure> {
    let done = tauri::async_runtime::spawn_blocking(act).await;
    done.unwrap_or_else(|error| Err(Failure::new(ErrorCode::Internal, error.to_string())))
}

/// Each session once, in order.
fn sessions<'a>(named: impl Iterator<Item = &'a SessionId>) -> Vec<SessionId> {
    let mut all: Vec<SessionId> = Vec::new();
    for session in named {
        if !all.contains(session) {
            all.push(session.clone());
        }
    }
    all
}
