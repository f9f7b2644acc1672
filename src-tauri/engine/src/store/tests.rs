//! The store through its public doors, with builders for histories.

mod faults;
mod journal;
mod processes;
mod removal;
mod rows;
mod saved;
mod searching;

use std::sync::Arc;

use assent_core::contract::Risk;
use assent_core::ids::{Digest, RunId, SessionId, StepId, TurnId};
use assent_core::plan::Plan;
use assent_core::run::{
    Answer, Batch, Blob, CallStatus, Content, Decider, Draft, Durability, EventKind, Input, InputKind, Journal as _,
    JournalError, Line, Place, PlanRef, PlannedCall, Purpose, Request, RequestKind, RunStatus, SessionKind, StepStatus,
    TurnStatus, Usage, ValidationStatus,
};
use futures::executor::block_on;
use serde_json::json;

use super::{Home, Store};
use crate::clock::FakeClock;

/// A data folder that goes with the test.
struct Folder {
    home: Home,
    _folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { home: Home::at(folder.path().join("home")).unwrap(), _folder: folder }
    }

    fn open(&self) -> Arc<Store> {
        open(&self.home)
    }
}

fn open(home: &Home) -> Arc<Store> {
    Arc::new(Store::open(home, Arc::new(FakeClock::at(1_000))).unwrap())
}

fn place(session: &str) -> Place {
    Place { session: SessionId::from(session), turn: None, run: None, step: None }
}

/// A run's place: session `c`, turn `t`, run `r`, unless the names say otherwise.
fn in_run(session: &str, run: &str, step: Option<usize>) -> Place {
    Place {
        turn: Some(TurnId::from("t")),
        run: Some(RunId::from(run)),
        step: step.map(|step| StepId::new(format!("s{step}"))),
        ..place(session)
    }
}

fn draft(place: Place, at: i64, kind: EventKind) -> Draft {
    Draft { place, at, kind }
}

fn events(events: Vec<Draft>) -> Batch {
    Batch { events, ..Batch::default() }
}

fn append(store: &Store, batch: Batch) -> Result<(), JournalError> {
    block_on(store.append(batch, Durability::Committed))
}

fn one(store: &Store, place: Place, at: i64, kind: EventKind) {
    append(store, events(vec![draft(place, at, kind)])).unwrap();
}

fn created(title: &str) -> EventKind {
    EventKind::SessionCreated { title: title.into(), session_kind: SessionKind::Chat, workspace: Some("/w".into()) }
}

fn message(text: &str) -> EventKind {
    EventKind::MessageReceived { text: text.into(), answers: None, replans: None }
}

fn answered(text: &str) -> EventKind {
    EventKind::Answered { text: Content::inline(text) }
}

fn plan(session: &str, id: &str, version: u32, steps: usize) -> Plan {
    let steps: Vec<_> =
        (0..steps).map(|at| json!({"id": format!("s{at}"), "description": format!("Count file {at}")})).collect();
    serde_json::from_value(json!({
        "format": "assent.plan/1", "id": id, "version": version, "sessionId": session, "title": "Patents",
        "steps": steps
    }))
    .unwrap()
}

fn reference(plan: &Plan) -> PlanRef {
    PlanRef {
        id: plan.id.clone(),
        version: plan.version,
        digest: Digest::of_json(&serde_json::to_value(plan).unwrap()),
    }
}

fn proposed(session: &str, at: i64, plan: &Plan) -> Batch {
    let kind = EventKind::PlanProposed { plan: reference(plan), faults: Vec::new() };
    Batch { plans: vec![plan.clone()], ..events(vec![draft(place(session), at, kind)]) }
}

fn approved(plan: &Plan) -> EventKind {
    EventKind::PlanApproved { plan: reference(plan), by: Decider::User, note: None, starts: false }
}

/// A session with an approved plan of so many steps and a started run.
fn started(store: &Store, session: &str, run: &str, steps: usize) {
    one(store, place(session), 10, created("Licences"));
    let plan = plan(session, &format!("p-{session}"), 1, steps);
    append(store, proposed(session, 11, &plan)).unwrap();
    let at = in_run(session, run, None);
    let begin = vec![
        draft(place(session), 12, approved(&plan)),
        draft(at.clone(), 13, EventKind::RunQueued { plan: reference(&plan) }),
        draft(at, 14, EventKind::RunStarted),
    ];
    append(store, events(begin)).unwrap();
}

fn step_started(attempt: u32) -> EventKind {
    EventKind::StepStarted { attempt }
}

fn replied(call: &str) -> EventKind {
    let arguments = Content::inline(json!({"path": "GPL-3"}));
    EventKind::ModelReplied {
        purpose: Purpose::Step,
        model: "scripted".into(),
        recipe: None,
        text: None,
        thoughts: None,
        calls: vec![PlannedCall { id: call.into(), tool: "read".into(), arguments }],
        faults: Vec::new(),
        before: 0,
        usage: Usage { input: 900, cached: 800, output: 20 },
        duration_ms: 12,
    }
}

fn call_started(call: &str) -> EventKind {
    EventKind::CallStarted { call: call.into(), tool: "read".into(), arguments: None, risk: Risk::Read, repeats: None }
}

fn call_ended(call: &str, output: Content) -> EventKind {
    EventKind::CallEnded {
        call: call.into(),
        status: CallStatus::Success,
        output,
        error: None,
        satisfied: true,
        missed: None,
        met: false,
        by: None,
        duration_ms: 1,
    }
}

fn step_ended(status: StepStatus) -> EventKind {
    EventKind::StepEnded {
        status,
        validation: ValidationStatus::Passed,
        result: Some(Content::inline("ok")),
        reason: None,
        because: None,
        carried_from: None,
    }
}

/// The five events of a step with one call.
fn whole_step(session: &str, run: &str, step: usize, at: i64) -> Vec<Draft> {
    let call = format!("call-{run}-{step}");
    [
        step_started(1),
        replied(&call),
        call_started(&call),
        call_ended(&call, Content::inline("ok")),
        step_ended(StepStatus::Completed),
    ]
    .into_iter()
    .map(|kind| draft(in_run(session, run, Some(step)), at, kind))
    .collect()
}

fn asked(id: &str, kind: RequestKind) -> EventKind {
    let input = Input { kind: InputKind::Text, options: Vec::new(), allow_edit: false, allow_text: true };
    let request = Request { asked_by: "general".into(), ..Request::new(id.into(), kind, "Which folder?", input) };
    EventKind::RequestOpened { request: Box::new(request) }
}

fn said(id: &str, text: &str) -> EventKind {
    EventKind::RequestAnswered { request: id.into(), answer: Answer::Value { value: json!(text) }, file: None }
}

fn run_ended(status: RunStatus) -> EventKind {
    EventKind::RunEnded { status }
}

fn turn_ended() -> EventKind {
    EventKind::TurnEnded { status: TurnStatus::Answered, error: None }
}

fn blob(text: &str) -> (Blob, Content) {
    let digest = Digest::of_bytes(text.as_bytes());
    let content =
        Content::Blob { blob: digest.clone(), bytes: text.len() as u64, preview: text.chars().take(20).collect() };
    (Blob { digest, bytes: text.as_bytes().to_vec() }, content)
}
