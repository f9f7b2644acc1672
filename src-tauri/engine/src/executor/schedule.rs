//! Which steps are worked on: as many at once as the plan and the model allow, each by itself, until nothing can go on.
//!
//! A step that fails ends alone: its dependents are skipped with the reason, the others go on.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use assent_core::run::{Durability, Event, EventKind, Purpose, StepStatus};
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::answer::end_refused;
use super::carrier::{Carrier, Happened};
use super::covered::{Weighed, settle_covered};
use super::ends::{cancelled, skip};
use super::error::Stop;
use super::expand::{ends_with_twin, expand, twin};
use super::held::{refused_before, rests, tie};
use super::step::work;
use super::synthesis::synthesize;

/// So long steps may take to end after a person has stopped the run, their tools' own time included.
const GRACE: Duration = super::work::GRACE.saturating_add(Duration::from_millis(200));

type Working<'a> = FuturesUnordered<BoxFuture<'a, (usize, Result<(), Stop>)>>;

/// What other hands commit, as seen by the one who carries the run on.
pub(super) struct Outside {
    pub(super) events: Receiver<Arc<Event>>,
}

/// Carries a run on until it is over or only a person can help.
pub(super) async fn carry_on(carrier: &Carrier, outside: &mut Outside) -> Result<(), Stop> {
    match drive(carrier, outside).await {
        Err(Stop::Cancelled) => end_cancelled(carrier).await,
        other => other,
    }
}

async fn drive(carrier: &Carrier, outside: &mut Outside) -> Result<(), Stop> {
    let limit = heard(carrier, outside, async {
        expand(carrier).await?;
        Ok(parallel(carrier).await)
    });
    let limit = limit.await?;
    let mut working: Working<'_> = FuturesUnordered::new();
    let result = drive_steps(carrier, outside, limit, &mut working).await;
    if result.is_err() {
        // Whatever keeps one step from going on here keeps all of them.
        carrier.cancel.cancel();
        let ends = async { while working.next().await.is_some() {} };
        // Whoever does not end in time is dropped.
        let _ = tokio::time::timeout(GRACE, ends).await;
    }
    result?;
    finish(carrier, outside).await
}

/// Puts steps to work, at most so many at once, until none can go on.
async fn drive_steps<'a>(
    carrier: &'a Carrier,
    outside: &mut Outside,
    limit: usize,
    working: &mut Working<'a>,
) -> Result<(), Stop> {
    let mut active: HashSet<usize> = HashSet::new();
    let mut weighed = Weighed::default();
    loop {
        outside.drain(carrier)?;
        if is_stopped(carrier) {
            return Err(Stop::Cancelled);
        }
        end_refused(carrier).await?;
        settle_covered(carrier, &mut weighed).await?;
        skip_doomed(carrier).await?;
        for at in startable(carrier, &active, limit) {
            if skip_after_refusal(carrier, at).await? || ends_with_twin(carrier, at).await? {
                continue;
            }
            active.insert(at);
            carrier.resting.wake(at);
            working.push(Box::pin(async move { (at, work(carrier, at).await) }));
        }
        if working.is_empty() {
            if carrier.state().doomed_steps().next().is_some() || !startable(carrier, &active, limit).is_empty() {
                continue;
            }
            if tie(carrier).await? {
                continue;
            }
            return Ok(());
        }
        tokio::select! {
            biased;
            () = carrier.cancel.cancelled() => return Err(Stop::Cancelled),
            ended = working.next() => {
                if let Some((at, outcome)) = ended {
                    active.remove(&at);
                    outcome?;
                }
            }
            event = outside.events.recv() => outside.take(carrier, event)?,
            () = carrier.resting.moved() => {}
        }
    }
}

/// Does what comes before the first step or after the last, while other hands are heard: a stop ends it.
async fn heard<T>(
    carrier: &Carrier,
    outside: &mut Outside,
    work: impl Future<Output = Result<T, Stop>>,
) -> Result<T, Stop> {
    tokio::pin!(work);
    while !is_stopped(carrier) {
        tokio::select! {
            biased;
            () = carrier.cancel.cancelled() => {}
            done = &mut work => return done,
            event = outside.events.recv() => outside.take(carrier, event)?,
        }
    }
    // Whatever does not end in time is dropped.
    let _ = tokio::time::timeout(GRACE, work).await;
    Err(Stop::Cancelled)
}

/// Whether a person has stopped the run, here or elsewhere.
fn is_stopped(carrier: &Carrier) -> bool {
    if carrier.state().stop_asked() {
        carrier.cancel.cancel();
    }
    carrier.cancel.is_cancelled()
}

/// How many steps at once: what the plan says, and what the model can take.
async fn parallel(carrier: &Carrier) -> usize {
    let of_plan = carrier.plan().limits.max_parallel_steps.max(1);
    let of_model = match carrier.models().model(Purpose::Step).await {
        Ok(model) => model.profile().parallel.max(1),
        // The steps will say what is wrong with the model.
        Err(_) => 1,
    };
    of_plan.min(of_model) as usize
}

/// The steps that can go on: those in progress that nobody works on, then those that can start. None while the run
/// waits for a person's help.
fn startable(carrier: &Carrier, active: &HashSet<usize>, limit: usize) -> Vec<usize> {
    let room = limit.saturating_sub(active.len());
    if room == 0 {
        return Vec::new();
    }
    let state = carrier.state();
    if state.is_paused() {
        return Vec::new();
    }
    let mut found = Vec::new();
    if state.count(StepStatus::InProgress) > active.len() {
        let idle = |at: &usize| {
            let is_open = state.step(*at).status == StepStatus::InProgress && !active.contains(at);
            is_open && !state.is_delegating(*at) && !rests(carrier, &state, *at)
        };
        found.extend((0..state.steps().len()).filter(idle).take(room));
    }
    let left = room - found.len();
    // One whose part another step does ends with that one.
    let waits = |at: usize| twin(carrier.plan(), &state, at).is_some_and(|twin| !state.step(twin).status.is_settled());
    // A step that was just put to work is pending until its first event.
    found.extend(state.ready_steps().filter(|at| !active.contains(at) && !waits(*at)).take(left));
    found
}

async fn skip_doomed(carrier: &Carrier) -> Result<(), Stop> {
    loop {
        let skipped: Vec<Happened> = {
            let state = carrier.state();
            let reason = |cause: Option<usize>| match cause {
                Some(cause) => {
                    let step = state.step(cause);
                    let how = step.status.word();
                    let because = format!("step {} was {how}", step.id).replace("was failed", "failed");
                    (because, Some(step.id.clone()))
                }
                None => ("it builds on a step that is not in the plan".to_owned(), None),
            };
            state
                .doomed_steps()
                .map(|(at, cause)| {
                    let (reason, because) = reason(cause);
                    (Some(at), skip(reason, because))
                })
                .collect()
        };
        if skipped.is_empty() {
            return Ok(());
        }
        carrier.write(skipped, Durability::Queued).await?;
    }
}

/// After a refused confirmation a later step is not even begun when what it must call has effects.
async fn skip_after_refusal(carrier: &Carrier, at: usize) -> Result<bool, Stop> {
    let refused = {
        let state = carrier.state();
        let pending = state.step(at).status == StepStatus::Pending;
        refused_before(&state, at).filter(|_| pending)
    };
    let Some((refused, outermost)) = refused else {
        return Ok(false);
    };
    let has_effects =
        |name: &String| carrier.parts.catalogue.get(name).is_none_or(|tool| tool.spec().risk.has_effects());
    if !carrier.step(at).required_tools.iter().any(has_effects) {
        return Ok(false);
    }
    let reason = format!("a confirmation was refused in step {refused}");
    carrier.write(vec![(Some(at), skip(reason, Some(outermost)))], Durability::Queued).await?;
    Ok(true)
}

/// Writes the end of a run whose steps are all settled.
async fn finish(carrier: &Carrier, outside: &mut Outside) -> Result<(), Stop> {
    if !carrier.state().all_settled() || carrier.state().is_over() {
        return Ok(());
    }
    heard(carrier, outside, synthesize(carrier)).await?;
    outside.drain(carrier)?;
    if is_stopped(carrier) {
        return Err(Stop::Cancelled);
    }
    let status = carrier.state().final_status();
    carrier.write(vec![(None, EventKind::RunEnded { status })], Durability::Committed).await
}

/// Leaves a definite state behind.
async fn end_cancelled(carrier: &Carrier) -> Result<(), Stop> {
    let events = cancelled(&carrier.state());
    if events.is_empty() { Ok(()) } else { carrier.write(events, Durability::Committed).await }
}

impl Outside {
    fn drain(&mut self, carrier: &Carrier) -> Result<(), Stop> {
        loop {
            let event = match self.events.try_recv() {
                Ok(event) => Ok(event),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return Ok(()),
                Err(TryRecvError::Lagged(missed)) => Err(RecvError::Lagged(missed)),
            };
            self.take(carrier, event)?;
        }
    }

    fn take(&mut self, carrier: &Carrier, event: Result<Arc<Event>, RecvError>) -> Result<(), Stop> {
        match event {
            Ok(event) => take_in(carrier, &event),
            Err(RecvError::Closed) => {}
            Err(RecvError::Lagged(_)) => {
                let run = carrier.state().run().clone();
                for event in carrier.parts.runs.run_events(&run)? {
                    take_in(carrier, &event);
                }
            }
        }
        Ok(())
    }
}

/// Takes in an answer or the wish to stop; everything else in the history is this run's own.
fn take_in(carrier: &Carrier, event: &Event) {
    let from_outside = matches!(event.kind, EventKind::RequestAnswered { .. } | EventKind::RunStopAsked);
    if from_outside && event.place.run == carrier.place.run {
        carrier.take_in(&event.place, event.at, &event.kind);
    }
}
