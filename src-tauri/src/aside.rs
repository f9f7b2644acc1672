//! What takes the time of a disk, a database or another program is done beside the threads on which everything waits for
//! everything: a slow disk must not keep a button from answering.

use std::any::Any;
use std::future::{Future, ready};
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::wire::{ErrorCode, Failure};

/// What came of something. Of one type for all, so that the program holds one task and one way to wait for it, and not a
/// hundred.
type Done = Result<Box<dyn Any + Send>, Failure>;

/// What is being done aside.
#[must_use]
pub struct Aside<T> {
    done: Pin<Box<dyn Future<Output = Done> + Send>>,
    gives: PhantomData<fn() -> T>,
}

/// Does something aside, from now on. It fails with what `act` says, or with [`ErrorCode::Internal`] when that panics.
pub fn aside<T: Send + 'static>(act: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Aside<T> {
    Aside { done: begin(Box::new(|| Ok(Box::new(act()?)))), gives: PhantomData }
}

impl<T> Aside<T> {
    /// What could not even begin.
    pub fn failed(failure: Failure) -> Self {
        Self { done: Box::pin(ready(Err(failure))), gives: PhantomData }
    }
}

impl<T: 'static> Future for Aside<T> {
    type Output = Result<T, Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.done.as_mut().poll(context).map(|done| match done?.downcast() {
            Ok(given) => Ok(*given),
            Err(_) => Err(internal("what was asked aside came back as something else")),
        })
    }
}

fn begin(act: Box<dyn FnOnce() -> Done + Send>) -> Pin<Box<dyn Future<Output = Done> + Send>> {
    let done = tauri::async_runtime::spawn_blocking(act);
    Box::pin(async move { done.await.map_err(|error| internal(&error.to_string()))? })
}

#[cold]
fn internal(error: &str) -> Failure {
    Failure::new(ErrorCode::Internal, error.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_aside_gives_what_it_gives_and_a_panic_is_told() {
        let run = |act: fn() -> Result<String, Failure>| tauri::async_runtime::block_on(aside(act));
        assert_eq!(run(|| Ok("done".to_owned())).unwrap(), "done");
        assert_eq!(run(|| Err(Failure::new(ErrorCode::Busy, "later"))).unwrap_err().code, ErrorCode::Busy);
        let broken = run(|| panic!("the disk is away")).unwrap_err();
        assert!(broken.code == ErrorCode::Internal && broken.message.contains("the disk is away"), "{broken:?}");
        let failed = Aside::<String>::failed(Failure::new(ErrorCode::Busy, "not now"));
        assert_eq!(tauri::async_runtime::block_on(failed).unwrap_err().message, "not now");
    }
}
