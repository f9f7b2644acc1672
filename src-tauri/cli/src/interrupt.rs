//! Ctrl-C: it stops what is being done, which then ends in a definite state; where nothing is being done, or for the
//! second time, it ends the program.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// What the shell is told of a program that Ctrl-C has ended.
const INTERRUPTED: i32 = 130;

/// What is being done.
static CURRENT: Mutex<Option<CancellationToken>> = Mutex::new(None);

/// Begins to listen. From here on Ctrl-C does not end the program by itself.
pub fn listen() {
    tokio::spawn(async {
        while tokio::signal::ctrl_c().await.is_ok() {
            match current().as_ref() {
                Some(work) if !work.is_cancelled() => work.cancel(),
                _ => std::process::exit(INTERRUPTED),
            }
        }
    });
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
