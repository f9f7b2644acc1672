//! What the store costs: CPU and bytes of a step in a run of 1,000 steps, lists, search, a synced commit.
//!
//! Run with `cargo run --release -p assent-tests --example bench-store`; prints one JSON object. With `-- --fill HOME N`, only
//! writes N sessions into a data folder.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result};
use assent_core::contract::Risk;
use assent_core::ids::{Digest, RunId, SessionId, StepId, TurnId};
use assent_core::plan::Plan;
use assent_core::run::{
    Batch, CallStatus, Content, Decider, Draft, Durability, EventKind, Journal as _, Place, PlanRef, PlannedCall,
    Purpose, RunStatus, SessionKind, StepStatus, Usage, ValidationStatus,
};
use assent_engine::clock::{IdSource as _, RandomIds, SystemClock};
use assent_engine::store::{Home, ListFilter, Sessions as _, Store};
use serde_json::{Value, json};

const STEPS: usize = 1000;
const RUNS: usize = 10;

/// How the events of a step are appended.
#[derive(Clone, Copy)]
enum Style {
    /// Nobody waits; the last one is awaited.
    Shared,
    /// Each step is one batch that is awaited.
    StepAwaited,
    /// Each event is a batch that is awaited.
    EventAwaited,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, home, number] = arguments.as_slice()
        && flag == "--fill"
    {
        return fill(&Store::open(&Home::at(home)?, Arc::new(SystemClock))?, number.parse()?);
    }
    let mut figures = serde_json::Map::new();
    for (name, style) in
        [("shared", Style::Shared), ("stepAwaited", Style::StepAwaited), ("eventAwaited", Style::EventAwaited)]
    {
        figures.insert(name.to_owned(), runs(style)?);
    }
    figures.insert("sessions".to_owned(), sessions()?);
    figures.insert("syncedCommitMs".to_owned(), synced()?);
    println!("{}", serde_json::to_string_pretty(&Value::Object(figures))?);
    Ok(())
}

fn open(folder: &tempfile::TempDir) -> Result<Store> {
    Ok(Store::open(&Home::at(folder.path())?, Arc::new(SystemClock))?)
}

fn bytes(folder: &tempfile::TempDir) -> Result<u64> {
    Ok(std::fs::metadata(folder.path().join("assent.db"))?.len())
}

fn runs(style: Style) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let ids = RandomIds::default();
    let store = open(&folder)?;
    let places: Vec<Place> = (0..RUNS).map(|number| begin(&store, &runtime, &ids, number)).collect::<Result<_>>()?;
    drop(store);
    let before = bytes(&folder)?;
    let store = open(&folder)?;
    let (clock, cpu) = (Instant::now(), cpu_ms()?);
    for place in &places {
        runtime.block_on(run(&store, place, style, &ids))?;
    }
    let (wall, cpu) = (clock.elapsed(), cpu_ms()? - cpu);
    drop(store);
    let written = bytes(&folder)? - before;
    let store = open(&folder)?;
    let clock = Instant::now();
    store.search("GPL", None, 20)?;
    let indexing = clock.elapsed();
    let clock = Instant::now();
    let hits = store.search("patents lines", None, 20)?.len();
    let searching = clock.elapsed();
    anyhow::ensure!(hits == 20, "the search found {hits} of 20 events");
    drop(store);
    let indexed = bytes(&folder)? - before;
    let steps = (RUNS * STEPS) as f64;
    Ok(json!({
        "cpuMicrosAStep": cpu as f64 * 1000.0 / steps,
        "wallMicrosAStep": wall.as_micros() as f64 / steps,
        "bytesAStep": written as f64 / steps,
        "bytesAStepWithSearch": indexed as f64 / steps,
        "indexingMicrosAStep": indexing.as_micros() as f64 / steps,
        "searchMs": searching.as_secs_f64() * 1000.0,
        "hits": hits,
    }))
}

/// A session with a plan of a thousand steps and a run that has begun.
fn begin(store: &Store, runtime: &tokio::runtime::Runtime, ids: &RandomIds, number: usize) -> Result<Place> {
    let session = SessionId::new(ids.fresh());
    let steps: Vec<Value> = (0..STEPS)
        .map(|at| {
            json!({"id": format!("s{at}"), "description": format!("Read file {at}"), "requiredTools": ["read"],
                   "dependencies": if at > 0 { vec![format!("s{}", at - 1)] } else { Vec::new() }})
        })
        .collect();
    let plan: Plan = serde_json::from_value(json!({
        "format": "assent.plan/1", "id": ids.fresh(), "version": 1, "sessionId": session, "steps": steps
    }))?;
    let reference = PlanRef { id: plan.id.clone(), version: 1, digest: Digest::of_bytes(&number.to_le_bytes()) };
    let place = Place { session, turn: Some(TurnId::new(ids.fresh())), run: None, step: None };
    let in_run = Place { run: Some(RunId::new(ids.fresh())), ..place.clone() };
    let created =
        EventKind::SessionCreated { title: "Bench".to_owned(), session_kind: SessionKind::Chat, workspace: None };
    let events = [
        (&place, created),
        (&place, EventKind::PlanProposed { plan: reference.clone(), faults: Vec::new() }),
        (&place, EventKind::PlanApproved { plan: reference.clone(), by: Decider::Policy, note: None, starts: false }),
        (&in_run, EventKind::RunQueued { plan: reference }),
        (&in_run, EventKind::RunStarted),
    ];
    let events = events.into_iter().map(|(place, kind)| Draft { place: place.clone(), at: 1, kind }).collect();
    runtime.block_on(store.append(Batch { events, plans: vec![plan], ..Batch::default() }, Durability::Committed))?;
    Ok(in_run)
}

async fn run(store: &Store, place: &Place, style: Style, ids: &RandomIds) -> Result<()> {
    for step in 0..STEPS {
        let place = Place { step: Some(StepId::new(format!("s{step}"))), ..place.clone() };
        let drafts = one_step(&ids.fresh()).map(|kind| Draft {
            place: place.clone(),
            at: 1_790_000_000_000 + step as i64 * 37,
            kind,
        });
        match style {
            Style::Shared => {
                for draft in drafts {
                    store.append(batch(vec![draft]), Durability::Queued).await?;
                }
            }
            Style::StepAwaited => store.append(batch(drafts.into()), Durability::Committed).await?,
            Style::EventAwaited => {
                for draft in drafts {
                    store.append(batch(vec![draft]), Durability::Committed).await?;
                }
            }
        }
    }
    let end = Draft { place: place.clone(), at: 2, kind: EventKind::RunEnded { status: RunStatus::Completed } };
    Ok(store.append(batch(vec![end]), Durability::Committed).await?)
}

fn batch(events: Vec<Draft>) -> Batch {
    Batch { events, ..Batch::default() }
}

/// The five events of a step with one call.
fn one_step(call: &str) -> [EventKind; 5] {
    let arguments = Content::inline(json!({"path": "licences/GPL-3"}));
    [
        EventKind::StepStarted { attempt: 1 },
        EventKind::ModelReplied {
            purpose: Purpose::Step,
            model: "scripted".to_owned(),
            recipe: None,
            text: None,
            thoughts: None,
            calls: vec![PlannedCall { id: call.into(), tool: "read".to_owned(), arguments }],
            faults: Vec::new(),
            before: 0,
            usage: Usage { input: 1200, cached: 1100, output: 24 },
            duration_ms: 1,
        },
        EventKind::CallStarted {
            call: call.into(),
            tool: "read".to_owned(),
            arguments: None,
            risk: Risk::Read,
            repeats: None,
        },
        EventKind::CallEnded {
            call: call.into(),
            status: CallStatus::Success,
            output: Content::inline("patents: 12 lines"),
            error: None,
            satisfied: true,
            missed: None,
            met: false,
            by: None,
            duration_ms: 0,
        },
        EventKind::StepEnded {
            status: StepStatus::Completed,
            validation: ValidationStatus::Passed,
            result: Some(Content::inline("patents: 12 lines")),
            reason: None,
            because: None,
            carried_from: None,
        },
    ]
}

/// Listing 10,000 sessions in a store that was just opened.
/// Writes so many sessions.
fn fill(store: &Store, number: i64) -> Result<()> {
    let ids = RandomIds::default();
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let events = (0..number)
        .map(|number| Draft {
            place: Place { session: SessionId::new(ids.fresh()), turn: None, run: None, step: None },
            at: number,
            kind: EventKind::SessionCreated {
                title: format!("Count the lines that mention patents, number {number}"),
                session_kind: SessionKind::Chat,
                workspace: Some("/home/user/documents".to_owned()),
            },
        })
        .collect();
    Ok(runtime.block_on(store.append(batch(events), Durability::Committed))?)
}

fn sessions() -> Result<Value> {
    let folder = tempfile::tempdir()?;
    fill(&open(&folder)?, 10_000)?;
    let mut all = Vec::new();
    for _ in 0..10 {
        let clock = Instant::now();
        let store = open(&folder)?;
        let opened = clock.elapsed();
        let listed = store.sessions(&ListFilter::default())?.len();
        anyhow::ensure!(listed == 10_000, "{listed} sessions");
        let listing = clock.elapsed() - opened;
        let page = Instant::now();
        store.sessions(&ListFilter { limit: 50, ..ListFilter::default() })?;
        all.push((opened, listing, page.elapsed()));
    }
    all.sort_by_key(|(_, listing, _)| *listing);
    let (opened, listing, page) = all[all.len() / 2];
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1000.0;
    Ok(json!({"openMs": ms(opened), "list10000Ms": ms(listing), "first50Ms": ms(page)}))
}

fn synced() -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let store = open(&folder)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let place = Place { session: SessionId::new("c"), turn: None, run: None, step: None };
    let create = EventKind::SessionCreated { title: String::new(), session_kind: SessionKind::Chat, workspace: None };
    let say = EventKind::MessageReceived { text: "hello".to_owned(), answers: None, replans: None };
    let draft = |kind: &EventKind| batch(vec![Draft { place: place.clone(), at: 1, kind: kind.clone() }]);
    runtime.block_on(store.append(draft(&create), Durability::Synced))?;
    let clock = Instant::now();
    for _ in 0..100 {
        runtime.block_on(store.append(draft(&say), Durability::Synced))?;
    }
    Ok(json!(clock.elapsed().as_secs_f64() * 10.0))
}

/// CPU time of this process so far, in milliseconds, all threads.
fn cpu_ms() -> Result<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").context("CPU time is read from /proc, on Linux alone")?;
    let (_, fields) = stat.rsplit_once(')').context("/proc/self/stat has no name")?;
    let ticks: Vec<u64> = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    // A tick is 10 ms on every Linux that Rust runs on.
    Ok(ticks.iter().sum::<u64>() * 10)
}
