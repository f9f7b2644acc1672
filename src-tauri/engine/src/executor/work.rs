//! A tool at work: beside the run, and within its time, so that the run goes on whatever the tool does.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use assent_core::contract::Mode;
use futures::FutureExt as _;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::{JoinError, spawn_blocking};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::tool::{CallContext, Outcome, Tool, ToolStop};

/// So long a tool may take to end once it has been told to: a run that a person stops is to be over within a second.
pub(super) const GRACE: Duration = Duration::from_millis(500);

/// So long a tool that keeps a limit of its own may take beyond it, to end what it has started and say what it did.
const LATE: Duration = Duration::from_secs(10);

/// One brief call at a time holds a thread of the runtime, so that others are left whatever it does.
static ON_A_WORKER: Semaphore = Semaphore::const_new(1);

/// How the work of a tool came to its end.
#[derive(Debug)]
pub(super) enum Ended {
    /// As the tool says.
    Told(Result<Outcome, ToolStop>),
    /// The tool broke.
    Broke,
    /// It took longer than it may.
    OutOfTime(Duration),
    /// A person stopped the run, and the tool did not end by itself.
    Stopped,
}

/// Lets a tool do a call. A tool that neither ends nor listens is left behind; what it waits for is dropped, only a
/// thread that it blocks goes on until it lets go.
pub(super) async fn at_work(tool: Arc<dyn Tool>, arguments: Value, context: CallContext) -> Ended {
    let (limit, cancel) = (context.limit, context.cancel.clone());
    let wall = tool.own_limit(&arguments).map_or(limit, |_| limit.saturating_add(LATE));
    let mut working = if tool.spec().mode == Mode::Blocking {
        // It only says what it asks, and has done so before any later step is looked at: that one may have to wait.
        here(tool, arguments, context).boxed()
    } else if let Some(turn) = tool.is_brief().then(|| ON_A_WORKER.try_acquire().ok()).flatten() {
        on_a_worker(tool, arguments, context, turn).boxed()
    } else {
        on_a_thread(tool, arguments, context).boxed()
    };
    let late = tokio::select! {
        biased;
        ended = &mut working => return ended,
        () = cancel.cancelled() => false,
        () = tokio::time::sleep(wall) => true,
    };
    cancel.cancel();
    match tokio::time::timeout(GRACE, working).await {
        Ok(Ended::Told(told)) if told != Err(ToolStop::Cancelled) => Ended::Told(told),
        _ if late => Ended::OutOfTime(limit),
        _ => Ended::Stopped,
    }
}

async fn here(tool: Arc<dyn Tool>, arguments: Value, context: CallContext) -> Ended {
    let told = AssertUnwindSafe(tool.call(arguments, &context)).catch_unwind().await;
    told.map_or(Ended::Broke, Ended::Told)
}

/// On a thread of the runtime: to wake another one and to be woken by it costs more than all the rest of a brief call.
/// Should the call hang after all, the run goes on on another thread of the runtime.
async fn on_a_worker(
    tool: Arc<dyn Tool>,
    arguments: Value,
    context: CallContext,
    turn: SemaphorePermit<'static>,
) -> Ended {
    let working = tokio::spawn(async move {
        let _turn = turn;
        tool.call(arguments, &context).await
    });
    told(AbortOnDropHandle::new(working).await)
}

async fn on_a_thread(tool: Arc<dyn Tool>, arguments: Value, context: CallContext) -> Ended {
    let left_behind = CancellationToken::new();
    let _leave = left_behind.clone().drop_guard();
    let runtime = Handle::current();
    let working = spawn_blocking(move || {
        runtime.block_on(async {
            tokio::select! {
                biased;
                told = tool.call(arguments, &context) => told,
                () = left_behind.cancelled() => Err(ToolStop::Cancelled),
            }
        })
    });
    told(working.await)
}

fn told(worked: Result<Result<Outcome, ToolStop>, JoinError>) -> Ended {
    match worked {
        Ok(told) => Ended::Told(told),
        Err(error) if error.is_panic() => Ended::Broke,
        // The program ends.
        Err(_) => Ended::Stopped,
    }
}
