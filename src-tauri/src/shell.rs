//! What every command works with: the engine, what goes on in this process, and the page that listens.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use assent_core::ids::SessionId;
use assent_core::run::Event;
use assent_engine::Engine;
use assent_engine::engine::{Opened, Opening};
use assent_engine::live::{Sign, Watched};
use assent_engine::store::{Home, StoreError};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::aside::{Aside, aside};
use crate::pulls::Pulls;
use crate::signals::Signals;
use crate::stream::{Sources, pump};
use crate::wire::{ErrorCode, Failure, Packet, Signal};
use crate::work::Work;

/// Signals that may wait for the pump; it takes them at once.
const ROOM: usize = 4096;

/// How long the page may take to write down what it holds before the window goes.
const WRITES: Duration = Duration::from_secs(3);

/// The state of the window's process. Where the data folder cannot be opened, the window still says why.
pub struct Shell {
    folder: Mutex<Folder>,
    /// Held while the data folder is opened.
    opening: Mutex<()>,
    guard: PathBuf,
    signals: Signals,
    work: Arc<Work>,
    page: Mutex<Option<Page>>,
    /// Told when the page has written down what it held.
    written: Notify,
    pulls: Arc<Pulls>,
}

/// The data folder, and the engine on it.
struct Folder {
    home: Result<Home, StoreError>,
    opened: Result<Arc<Opened>, Failure>,
}

/// The page that listens.
struct Page {
    taken: mpsc::UnboundedSender<u64>,
    stop: CancellationToken,
}

impl Shell {
    /// A shell whose engine is to be opened on a data folder. `guard` is the program that becomes the guard of the model
    /// server.
    pub fn new(home: Result<Home, StoreError>, guard: PathBuf) -> Self {
        let unopened = Failure::new(ErrorCode::Busy, "the data folder is just being opened: try again in a moment");
        Self { guard, ..Self::with(home, Err(unopened), mpsc::unbounded_channel().1) }
    }

    /// Opens the engine where it is not open; whether it did. Takes as long as a program that holds the database is waited
    /// for. Of several who want that at the same time one opens it, and the others have what it has.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub fn open(&self) -> Result<bool, Failure> {
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if self.opened().is_ok() {
            return Ok(false);
        }
        let home = self.home().or_else(|_| Home::from_environment());
        let (opened, signs) = open(&home, &self.guard);
        let opened = opened.map(Arc::new);
        let failure = opened.as_ref().err().cloned();
        *self.folder() = Folder { home, opened };
        failure.map_or_else(
            || {
                self.tell_signs(signs);
                Ok(true)
            },
            Err,
        )
    }

    /// As [`Shell::new`], with an engine that is open already and the signs of life that it gives.
    pub fn with(
        home: Result<Home, StoreError>,
        opened: Result<Opened, Failure>,
        signs: mpsc::UnboundedReceiver<Sign>,
    ) -> Self {
        let signals = Signals::new(ROOM);
        let shell = Self {
            folder: Mutex::new(Folder { home, opened: opened.map(Arc::new) }),
            opening: Mutex::default(),
            guard: PathBuf::new(),
            work: Arc::new(Work::new(signals.clone())),
            signals,
            page: Mutex::default(),
            written: Notify::new(),
            pulls: Arc::default(),
        };
        shell.tell_signs(signs);
        shell
    }

    /// The data folder.
    pub fn home(&self) -> Result<Home, StoreError> {
        self.folder().home.clone()
    }

    /// The engine with its models, for work that outlives a command.
    ///
    /// # Errors
    /// Why the data folder could not be opened.
    pub fn opened(&self) -> Result<Arc<Opened>, Failure> {
        self.folder().opened.clone()
    }

    /// Asks the engine for something that it reads or works out, [`aside`] from everything else. It fails with why the data
    /// folder could not be opened, or with what `question` says.
    pub fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Engine) -> Result<T, Failure> + Send + 'static,
    ) -> Aside<T> {
        match self.opened() {
            Ok(opened) => aside(move || question(&opened.engine)),
            Err(failure) => Aside::failed(failure),
        }
    }

    /// What goes on in this process.
    pub fn work(&self) -> &Arc<Work> {
        &self.work
    }

    /// Where the page is told things.
    pub fn signals(&self) -> &Signals {
        &self.signals
    }

    /// Sends everything that happens from now on to a page, in the place of the one before.
    ///
    /// # Errors
    /// Why the data folder could not be opened.
    pub fn listen(&self, send: impl Fn(Packet) -> bool + Send + 'static) -> Result<(), Failure> {
        let (taken, numbers) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        self.opened()?;
        let sources = Sources { signals: self.signals.subscribe(), taken: numbers };
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

    /// Has the page write down what it holds, and returns when it has said so, or has been silent for too long.
    pub async fn page_writes(&self) {
        if self.page().is_none() {
            return;
        }
        let written = self.written.notified();
        tokio::pin!(written);
        // Before it is asked, so that no answer is missed.
        written.as_mut().enable();
        self.signals.tell(Signal::Closing);
        if tokio::time::timeout(WRITES, written).await.is_err() {
            tracing::warn!("the page did not say that it has written down what it holds");
        }
    }

    /// Notes that the page has written down what it held.
    pub fn written(&self) {
        self.written.notify_waiters();
    }

    /// Carries on what was interrupted: turns without a plan, and runs that wait for nobody.
    ///
    /// # Errors
    /// What there is could not be read.
    pub async fn recover(&self) -> Result<(), Failure> {
        let opened = self.opened()?;
        let (turns, runs) = self.ask(|engine| Ok((engine.turns().unended()?, engine.runs().interrupted()?))).await?;
        for session in sessions(turns.iter().map(|turn| &turn.session)) {
            let (opened, only) = (opened.clone(), session.clone());
            self.work
                .begin(session, move |cancel| async move { opened.engine.turns().take_up(Some(&only), &cancel).await });
        }
        for run in runs {
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

    /// Tells of every sign of life from now on, and of nothing that has ended.
    fn tell_signs(&self, signs: mpsc::UnboundedReceiver<Sign>) {
        // Without an engine there are none.
        if let Ok(opened) = self.opened() {
            tauri::async_runtime::spawn(tell_signs(signs, opened.engine.changes(), self.signals.clone()));
        }
    }

    fn page(&self) -> MutexGuard<'_, Option<Page>> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn folder(&self) -> MutexGuard<'_, Folder> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The engine on a data folder, and its signs of life.
fn open(home: &Result<Home, StoreError>, guard: &Path) -> (Result<Opened, Failure>, mpsc::UnboundedReceiver<Sign>) {
    let (live, signs) = Watched::new();
    let opened = home.as_ref().map_err(|error| Failure::from(error.clone())).and_then(|home| {
        let notice = Some(live.notice());
        Ok(Engine::at(home, Opening { guard: guard.to_owned(), model: None, live: Arc::new(live), notice })?)
    });
    (opened, signs)
}

/// Tells of signs of life until there are no more. What has ended comes first: a page is told of both in that order.
async fn tell_signs(
    mut signs: mpsc::UnboundedReceiver<Sign>,
    mut events: broadcast::Receiver<Arc<Event>>,
    signals: Signals,
) {
    loop {
        tokio::select! {
            biased;
            event = events.recv() => match event {
                Ok(event) => signals.committed(event),
                Err(RecvError::Lagged(_)) => signals.missed(),
                Err(RecvError::Closed) => return,
            },
            sign = signs.recv() => match sign {
                Some(sign) => signals.tell(sign.into()),
                None => return,
            },
        }
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

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::{fs, thread};

    use super::*;

    #[test]
    fn of_several_who_open_the_data_folder_one_does_and_all_have_the_same_engine() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("assent.db");
        fs::create_dir(&database).unwrap();
        let shell = Shell::new(Home::at(folder.path()), PathBuf::new());
        assert_eq!(shell.opened().err().map(|failure| failure.code), Some(ErrorCode::Busy), "nobody has opened it yet");
        assert!(shell.open().is_err(), "a folder stands in the place of the database");
        assert!(shell.opened().is_err_and(|failure| failure.code != ErrorCode::Busy), "why is known from then on");
        fs::remove_dir(&database).unwrap();
        let begin = Barrier::new(3);
        let open = || {
            begin.wait();
            let did = shell.open().unwrap();
            (did, Arc::as_ptr(&shell.opened().unwrap()) as usize)
        };
        let all: Vec<(bool, usize)> = thread::scope(|scope| {
            let all: Vec<_> = (0..3).map(|_| scope.spawn(open)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(all.iter().filter(|(did, _)| *did).count(), 1, "{all:?}");
        assert!(all.iter().all(|(_, engine)| *engine == all[0].1), "{all:?}");
    }
}
