//! Ctrl-C, or a word of the system to end: it stops what is being done, which then ends in a definite state; where nothing
//! is being done, or for the second time, it ends the program.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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
    tokio::spawn(async {
        let mut terminate = Terminate::new();
        loop {
            let code = tokio::select! {
                Ok(()) = tokio::signal::ctrl_c() => {
                    if is_for_another() {
                        continue;
                    }
                    INTERRUPTED
                }
                () = terminate.told() => TERMINATED,
                else => return,
            };
            match current().as_ref() {
                Some(work) if !work.is_cancelled() => work.cancel(),
                _ => std::process::exit(code),
            }
        }
    });
}

/// The system's word to end; there is none but on Unix.
#[cfg(unix)]
struct Terminate(Option<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl Terminate {
    fn new() -> Self {
        Self(tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).ok())
    }

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

#[cfg(not(unix))]
struct Terminate;

#[cfg(not(unix))]
impl Terminate {
    fn new() -> Self {
        Self
    }

    async fn told(&mut self) {
        std::future::pending().await
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
