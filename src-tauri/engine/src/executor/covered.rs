//! What a person has allowed for longer than once is the answer to what else was asked about the same meanwhile.

use std::collections::BTreeSet;

use assent_core::run::{Answer, CallState, EventKind, Reach, RequestKind, RequestState, RequestStatus, RunState};

use super::carrier::{Carrier, Happened};
use super::error::Stop;
use super::parts::Verdict;
use super::step::Worker;

/// Permissions that were weighed against what is kept, by their places: each once for each permission that is kept, and
/// once more where another answer was quicker than what follows.
#[derive(Default)]
pub(super) struct Weighed(BTreeSet<(usize, usize)>);

/// Settles the open permissions that one covers which was given since for a step, the run or the folder.
pub(super) async fn settle_covered(carrier: &Carrier, weighed: &mut Weighed) -> Result<(), Stop> {
    let asked: Vec<Asked> = {
        let state = carrier.state();
        asked(&state).into_iter().filter(|one| weighed.0.insert((one.request, one.kept))).collect()
    };
    for Asked { at, entry, request, kept } in asked {
        let mut worker = Worker::resting(carrier, at);
        worker.base = Some(worker.known_base(None).await?);
        let Ok(ready) = worker.fit(entry)? else { continue };
        if matches!(worker.permitted(&ready, &worker.seen()?), Verdict::Allowed) {
            let id = carrier.state().requests()[request].request.id.clone();
            let answer = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
            let settled: Happened = (Some(at), EventKind::RequestAnswered { request: id, answer, file: None });
            if !carrier.write_unless_overtaken(vec![settled]).await? {
                weighed.0.remove(&(request, kept));
            }
        }
    }
    Ok(())
}

/// A permission that is open, and the kept one that may cover it.
struct Asked {
    at: usize,
    entry: usize,
    request: usize,
    kept: usize,
}

fn asked(state: &RunState) -> Vec<Asked> {
    let requests = || state.requests().iter().enumerate();
    let kept: Vec<_> = requests().filter(|(_, one)| one.allows_more()).collect();
    let is_open = |one: &RequestState| one.status == RequestStatus::Open && one.request.kind == RequestKind::Permit;
    let open = requests().filter(|(_, one)| is_open(one) && !one.request.reaches.is_empty());
    open.filter_map(|(request, one)| {
        let at = one.step?;
        let kept = kept.iter().rev().find(|(_, kept)| kept.request.tool == one.request.tool)?.0;
        let is_it = |entry: &&usize| {
            let entry = &state.ledger()[**entry];
            entry.request == Some(request) && matches!(entry.state, CallState::Suspended)
        };
        let entry = *state.step(at).calls.iter().find(is_it)?;
        Some(Asked { at, entry, request, kept })
    })
    .collect()
}
