//! From events to rows: what each kind of event changes, and what it demands of the state.

use assent_core::ids::{Digest, RequestId, RunId};
use assent_core::run::{
    Answer, Batch, Content, Draft, Durability, EventKind, PlanRef, PlannedCall, RequestKind, RequestStatus,
};

use super::Writer;
use crate::store::PlanStatus;
use crate::store::failure::Failure;
use crate::store::table::event::Keys;
use crate::store::table::{allowance, blob, counter, plan, request, run, session, turn, word};

/// Milliseconds within which the events of a run count as one use of its session.
const SECOND: i64 = 1000;

impl Writer {
    /// Writes a batch whose first event gets a sequence number.
    pub(super) fn write(&mut self, batch: &Batch, durability: Durability, first: u64) -> Result<(), Failure> {
        let mut proposed = 0;
        for (seq, draft) in (first..).zip(&batch.events) {
            if let EventKind::PlanProposed { .. } = draft.kind {
                proposed += 1;
            }
            self.write_event(batch, durability, seq, draft)?;
        }
        if proposed < batch.plans.len() {
            return Err(Failure::Misuse("a batch holds a plan that none of its events proposes".to_owned()));
        }
        Ok(())
    }

    fn write_event(&mut self, batch: &Batch, durability: Durability, seq: u64, draft: &Draft) -> Result<(), Failure> {
        if let EventKind::SessionCreated { title, session_kind, workspace } = &draft.kind {
            let id = &draft.place.session;
            if session::entry(&self.connection, id)?.is_some() {
                return Err(Failure::Conflict(format!("there is already a session {id}")));
            }
            session::insert(&self.connection, id, title, *session_kind, workspace.as_deref(), draft.at)?;
        }
        let owner = self.memory.session(&self.connection, &draft.place.session)?;
        // The row and an index over the times would else be written with every event of a run.
        if draft.place.run.is_none() || draft.at.saturating_sub(owner.updated_at) >= SECOND {
            owner.updated_at = owner.updated_at.max(draft.at);
        }
        let session = owner.key;
        let turn = match &draft.place.turn {
            Some(id) => Some(self.memory.turn(&self.connection, session, id, draft.at)?),
            None => None,
        };
        self.write_blobs(batch, session, draft)?;
        let mut keys = Keys { session, turn, run: None, step: None };
        if let EventKind::RunQueued { plan } = &draft.kind {
            self.queue_run(seq, draft, &keys, plan)?;
        }
        if draft.place.run.is_some() {
            self.fold(durability, seq, draft, &mut keys)?;
        }
        self.encoder.insert(&self.connection, seq, &keys, draft.at, &draft.kind)?;
        self.project(batch, seq, draft, &keys)
    }

    fn project(&mut self, batch: &Batch, seq: u64, draft: &Draft, keys: &Keys) -> Result<(), Failure> {
        if let Some(key) = keys.turn {
            turn::advance(&self.connection, key, &draft.kind)?;
        }
        match &draft.kind {
            EventKind::SessionRenamed { title } => {
                self.memory.session(&self.connection, &draft.place.session)?.title.clone_from(title);
            }
            EventKind::SessionArchived { archived } => {
                self.memory.session(&self.connection, &draft.place.session)?.archived = *archived;
            }
            EventKind::PlanProposed { plan, .. } => {
                let named =
                    |document: &&assent_core::plan::Plan| document.id == plan.id && document.version == plan.version;
                let document = batch.plans.iter().find(named).ok_or_else(|| {
                    Failure::Misuse(format!("version {} of plan {} is not in its batch", plan.version, plan.id))
                })?;
                plan::propose(&self.connection, keys.session, plan, document, seq)?;
            }
            EventKind::PlanApproved { plan, .. } => plan::settle(&self.connection, plan, PlanStatus::Approved)?,
            EventKind::PlanRejected { plan, .. } => plan::settle(&self.connection, plan, PlanStatus::Rejected)?,
            EventKind::PlanSuperseded { plan, .. } => plan::settle(&self.connection, plan, PlanStatus::Superseded)?,
            EventKind::Commented { plan, .. } => plan::comment(&self.connection, plan, seq)?,
            EventKind::StepReset { .. } => self.begin_again(draft, keys)?,
            EventKind::RequestOpened { request } => {
                request::insert(&self.connection, &request.id, keys.session, seq)?;
                self.memory.session(&self.connection, &draft.place.session)?.open_requests += 1;
            }
            EventKind::RequestAnswered { request, answer, .. } => {
                self.settle(draft, request, RequestStatus::Answered, seq)?;
                if let Answer::Approve { reach, .. } = answer
                    && !reach.is_once()
                {
                    let row = request::find(&self.connection, request.as_str())?;
                    // A yes to anything else says nothing of the calls to come.
                    if row.request.kind == RequestKind::Permit {
                        allowance::insert(&self.connection, &row, *reach, keys.run, draft.at)?;
                    }
                }
            }
            EventKind::RequestCancelled { request, .. } => {
                self.settle(draft, request, RequestStatus::Cancelled, seq)?
            }
            _ => {}
        }
        Ok(())
    }

    fn settle(&mut self, draft: &Draft, id: &RequestId, status: RequestStatus, seq: u64) -> Result<(), Failure> {
        request::settle(&self.connection, id, status, seq)?;
        let owner = self.memory.session(&self.connection, &draft.place.session)?;
        owner.open_requests = owner.open_requests.saturating_sub(1);
        Ok(())
    }

    /// A step is to be done again: of a version that still counts, and beside no other run of it.
    fn begin_again(&mut self, draft: &Draft, keys: &Keys) -> Result<(), Failure> {
        let Some(id) = &draft.place.run else { return Ok(()) };
        let version = self.memory.run(&self.connection, id)?.place.plan_version;
        let status = plan::status(&self.connection, version)?;
        if status != PlanStatus::Approved {
            let stands = word(&status)?;
            return Err(Failure::Conflict(format!("the version of the plan that {id} carries out is {stands}")));
        }
        self.nobody_in_the_way(keys, version, id)
    }

    fn nobody_in_the_way(&self, keys: &Keys, version: i64, id: &RunId) -> Result<(), Failure> {
        let Some(other) = run::in_the_way(&self.connection, keys.session, version, id)? else { return Ok(()) };
        Err(Failure::Conflict(format!("{other} is being carried out: answer what it waits for, or end it")))
    }

    fn queue_run(&mut self, seq: u64, draft: &Draft, keys: &Keys, plan: &PlanRef) -> Result<(), Failure> {
        let id = draft.place.run.as_ref();
        let id = id.ok_or_else(|| Failure::Misuse("a run is queued without an id".to_owned()))?;
        if run::place(&self.connection, id)?.is_some() {
            return Err(Failure::Conflict(format!("there is already a run {id}")));
        }
        let version = plan::version(&self.connection, plan)?;
        if version.status != PlanStatus::Approved {
            return Err(Failure::Conflict(format!("version {} of plan {} is not approved", plan.version, plan.id)));
        }
        // Here and nowhere earlier is it sure: another process may have begun one since somebody looked.
        self.nobody_in_the_way(keys, version.key, id)?;
        let new =
            run::NewRun { id, session: keys.session, turn: keys.turn, plan_version: version.key, at: draft.at, seq };
        let key = run::insert(&self.connection, &new)?;
        let (first, last) = (counter::signed(seq), counter::signed(seq));
        let place =
            run::Place { key, session: keys.session, plan_version: version.key, first, last, updated_at: draft.at };
        let document = plan::document(&self.connection, version.key)?;
        self.memory.add_run(&self.connection, id, place, &document)?;
        let owner = self.memory.session(&self.connection, &draft.place.session)?;
        owner.run = Some(key);
        Ok(())
    }

    /// Takes an event into its run, and settles the requests that it ends without naming them.
    fn fold(&mut self, durability: Durability, seq: u64, draft: &Draft, keys: &mut Keys) -> Result<(), Failure> {
        let Some(id) = &draft.place.run else { return Ok(()) };
        let entry = self.memory.run(&self.connection, id)?;
        if entry.place.session != keys.session {
            return Err(Failure::Conflict(format!("run {id} belongs to another session")));
        }
        let step = match &draft.place.step {
            Some(step) => {
                let missing = || Failure::Conflict(format!("run {id} has no step {step}"));
                Some(entry.state.index_of(step).ok_or_else(missing)?)
            }
            None => None,
        };
        let names_its_request =
            matches!(draft.kind, EventKind::RequestAnswered { .. } | EventKind::RequestCancelled { .. });
        let open: Vec<RequestId> = if names_its_request {
            // The row decides: it is there for every request, and says what is wrong in the person's words.
            Vec::new()
        } else {
            entry.state.open_requests().map(|open| open.request.id.clone()).collect()
        };
        if names_its_request {
            check_open(&self.connection, &draft.kind)?;
        }
        // What is only queued has happened already; whoever waits until it is written has yet to begin.
        let admitted = if durability > Durability::Queued { entry.state.admits(&draft.kind) } else { Ok(()) };
        let applied = admitted.and_then(|()| entry.state.apply(&draft.place, draft.at, &draft.kind));
        applied.map_err(|conflict| Failure::Conflict(conflict.to_string()))?;
        entry.place.last = counter::signed(seq);
        entry.place.updated_at = entry.place.updated_at.max(draft.at);
        entry.touch(if only_touches_its_step(&draft.kind) { step } else { None });
        entry.add_rows(&self.connection)?;
        keys.run = Some(entry.place.key);
        keys.step = step.map(|step| step as i64);
        let status = |id: &RequestId| entry.state.request(id).map(|request| request.status);
        let settled: Vec<_> = open.into_iter().filter_map(|id| status(&id).map(|status| (id, status))).collect();
        for (request, status) in settled.into_iter().filter(|(_, status)| *status != RequestStatus::Open) {
            self.settle(draft, &request, status, seq)?;
        }
        Ok(())
    }

    /// Writes the blobs of a batch with its first event, and notes which ones the session names.
    fn write_blobs(&mut self, batch: &Batch, session: i64, draft: &Draft) -> Result<(), Failure> {
        for blob in &batch.blobs {
            if self.memory.first_use(session, &blob.digest) {
                let key = blob::put(&self.connection, &blob.digest, &blob.bytes)?;
                blob::used_by_session(&self.connection, session, key)?;
            }
        }
        for digest in blobs_of(&draft.kind) {
            if self.memory.first_use(session, digest) {
                let missing = || Failure::Misuse(format!("an event names blob {digest}, which is not there"));
                let key = blob::key(&self.connection, digest)?.ok_or_else(missing)?;
                blob::used_by_session(&self.connection, session, key)?;
            }
        }
        Ok(())
    }
}

fn check_open(connection: &rusqlite::Connection, kind: &EventKind) -> Result<(), Failure> {
    match kind {
        EventKind::RequestAnswered { request, .. } | EventKind::RequestCancelled { request, .. } => {
            request::check_open(connection, request)
        }
        _ => Ok(()),
    }
}

/// Whether an event of a step leaves all other steps of its run as they are.
fn only_touches_its_step(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::RunQueued { .. }
            | EventKind::ModelReplied { .. }
            | EventKind::ModelFailed { .. }
            | EventKind::StepStarted { .. }
            | EventKind::StepExpanded { .. }
            | EventKind::CallStarted { .. }
            | EventKind::CallEnded { .. }
            | EventKind::CallRefused { .. }
            | EventKind::Enforced { .. }
            | EventKind::Reprompted { .. }
            | EventKind::StepEnded { .. }
    )
}

/// The blobs that an event names.
fn blobs_of(kind: &EventKind) -> impl Iterator<Item = &Digest> {
    fn one(content: Option<&Content>) -> ([Option<&Content>; 3], &[PlannedCall]) {
        ([content, None, None], &[])
    }
    let (contents, calls) = match kind {
        EventKind::ModelReplied { recipe, text, thoughts, calls, .. } => {
            ([recipe.as_ref(), text.as_ref(), thoughts.as_ref()], calls.as_slice())
        }
        EventKind::CallStarted { arguments, .. } => one(arguments.as_ref()),
        EventKind::CallEnded { output, .. } => one(Some(output)),
        EventKind::StepEnded { result, .. } => one(result.as_ref()),
        EventKind::Answered { text } => one(Some(text)),
        _ => one(None),
    };
    let contents = contents.into_iter().flatten().chain(calls.iter().map(|call| &call.arguments));
    contents.filter_map(|content| match content {
        Content::Blob { blob, .. } => Some(blob),
        Content::Inline { .. } => None,
    })
}
