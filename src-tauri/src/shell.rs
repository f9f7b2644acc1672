//! What every command works with: the engine, what goes on in this process, and the page that listens.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assent_core::ids::SessionId;
use assent_engine::Engine;
use assent_engine::engine::{Opened, Opening};
use assent_engine::live::{Sign, Watched};
use assent_engine::model::registry::Registry;
use assent_engine::store::{Home, StoreError};
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use crate::stream::{Sources, pump};
use crate::wire::{Failure, Packet, Signal};
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
    pulls: Mutex<HashMap<String, CancellationToken>>,
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
            pulls: Mutex::default(),
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

    /// The engine.
    ///
    /// # Errors
    /// Why the data folder could not be opened.
    pub fn engine(&self) -> Result<&Engine, Failure> {
        self.opened.as_ref().map(|opened| &opened.engine).map_err(Failure::clone)
    }

    /// All models.
    ///
    /// # Errors
    /// Why the data folder could not be opened.
    pub fn models(&self) -> Result<&Registry, Failure> {
        self.opened.as_ref().map(|opened| &*opened.models).map_err(Failure::clone)
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
        let sources = Sources { events: self.engine()?.changes(), signals: self.signals.subscribe(), taken: numbers };
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
    pub fn recover(&self) -> Result<(), Failure> {
        let opened = self.opened()?;
        let turns = opened.engine.turns().unended()?;
        for session in sessions(turns.iter().map(|turn| &turn.session)) {
            let (opened, only) = (opened.clone(), session.clone());
            self.work
                .begin(session, move |cancel| async move { opened.engine.turns().take_up(Some(&only), &cancel).await });
        }
        for run in opened.engine.runs().unended()?.into_iter().filter(|run| !run.status.is_waiting()) {
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

    /// The fetches that go on, by model.
    pub fn pulls(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.pulls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn page(&self) -> MutexGuard<'_, Option<Page>> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
