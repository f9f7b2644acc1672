//! Ctrl-C, or a word of the system to end: it stops what is being done, which then ends in a definite state; where nothing
//! is being done, or for the second time, it ends the program.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[cfg(unix)]
use tokio::signal::unix::Signal;
#[cfg(windows)]
use tokio::signal::windows::CtrlC as Signal;
use tokio_util::sync::CancellationToken;

/// What the shell is told of a program that Ctrl-C has ended.
const INTERRUPTED: i32 = 130;
/// The same of one that was told to end, as at the end of a session or by `timeout`.
const TERMINATED: i32 = 143;

/// What is being done.
static CURRENT: Mutex<Option<CancellationToken>> = Mutex::new(None);
/// Whether another program has the terminal, and with it Ctrl-C.
static TERMINAL: Mutex<Holder> = Mutex::new(Holder::Assent);
/// How long after the other program's end a Ctrl-C may still have been for that one: it is told a moment later.
const LATE: Duration = Duration::from_millis(500);

/// Who has the terminal.
enum Holder {
    Assent,
    Other,
    /// Assent again, since then.
    Back(Instant),
}

/// Begins to listen. From here on Ctrl-C does not end the program by itself.
pub fn listen() {
    // Before anything else is done: who presses Ctrl-C after the first line of output is to be heard.
    let mut signals = Signals::new();
    tokio::spawn(async move {
        loop {
            let code = tokio::select! {
                () = signals.interrupt.told() => {
                    if is_for_another() {
                        continue;
                    }
                    INTERRUPTED
                }
                () = signals.terminate.told() => TERMINATED,
            };
            match current().as_ref() {
                Some(work) if !work.is_cancelled() => work.cancel(),
                _ => std::process::exit(code),
            }
        }
    });
}

/// What the system tells this program, from the moment that this is made.
struct Signals {
    interrupt: Told,
    /// The word to end; there is none but on Unix.
    terminate: Told,
}

impl Signals {
    #[cfg(unix)]
    fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let told = |kind: SignalKind| Told(signal(kind).ok());
        Self { interrupt: told(SignalKind::interrupt()), terminate: told(SignalKind::terminate()) }
    }

    #[cfg(windows)]
    fn new() -> Self {
        Self { interrupt: Told(tokio::signal::windows::ctrl_c().ok()), terminate: Told(None) }
    }
}

/// A signal, where the system lets it be listened for.
struct Told(Option<Signal>);

impl Told {
    async fn told(&mut self) {
        let told = match &mut self.0 {
            Some(signal) => signal.recv().await,
            None => None,
        };
        if told.is_none() {
            std::future::pending().await
        }
    }
}

/// Has Ctrl-C trigger a token until what is returned is dropped.
pub fn stops(work: &CancellationToken) -> Stoppable {
    *current() = Some(work.clone());
    Stoppable
}

/// Work that Ctrl-C stops.
pub struct Stoppable;

impl Drop for Stoppable {
    fn drop(&mut self) {
        *current() = None;
    }
}

/// Leaves Ctrl-C to the program that has the terminal, an editor, until what is returned is dropped: there it ends what is
/// typed or searched for, and the text in it would be lost with this program.
pub fn handed_over() -> HandedOver {
    *holder() = Holder::Other;
    HandedOver
}

/// The time in which another program has the terminal.
pub struct HandedOver;

impl Drop for HandedOver {
    fn drop(&mut self) {
        *holder() = Holder::Back(Instant::now());
    }
}

fn is_for_another() -> bool {
    match *holder() {
        Holder::Assent => false,
        Holder::Other => true,
        Holder::Back(since) => since.elapsed() < LATE,
    }
}

fn holder() -> MutexGuard<'static, Holder> {
    TERMINAL.lock().unwrap_or_else(PoisonError::into_inner)
}

fn current() -> MutexGuard<'static, Option<CancellationToken>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}
