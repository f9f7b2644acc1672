//! Ctrl-C, or a word of the system to end: it stops what is being done, which then ends in a definite state; where nothing is being done, or for the
//! second time, it ends the program.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// What the shell is told of a program that Ctrl-C has ended.
const INTERRUPTED: i32 = 130;
/// The same of one that was told to end, as at the end of a session or by `timeout`.
const TERMINATED: i32 = 143;

/// What is being done.
static CURRENT: Mutex<Option<CancellationToken>> = Mutex::new(None);

/// Begins to listen. From here on Ctrl-C does not end the program by itself.
pub fn listen() {
    tokio::spawn(async {
        let mut terminate = Terminate::new();
        loop {
            let code = tokio::select! {
                Ok(()) = tokio::signal::ctrl_c() => INTERRUPTED,
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

fn current() -> MutexGuard<'static, Option<CancellationToken>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}
