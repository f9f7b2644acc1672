//! What carrying out a plan costs beside its work.
//!
//! `cargo run --release -p assent-tests --example bench-plan -- parallel`: the time of eight independent steps of one
//! second each. `-- barriers`: a plan of reads and writes, a confirmation, a permission and a call that is made once more,
//! between the lines `begin` and `end` on standard error, for counting what is forced to the disk meanwhile. `-- events`:
//! the CPU for each event of a run of reads and writes by turns. Each prints one JSON object.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::ids::SessionId;
use assent_core::plan::{PlanRef, import};
use assent_core::run::{Answer, Decider, Purpose, Reach, RequestKind};
use assent_engine::Engine;
use assent_engine::clock::SystemClock;
use assent_engine::executor::AGAIN;
use assent_engine::live::Unwatched;
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::model::{ModelProfile, PlannerProfile};
use assent_engine::store::{Home, Store};
use assent_engine::tool::{CallContext, Effects, Outcome, Tool, ToolStop};
use assent_engine::turn::TurnEnd;
use assent_tests::desk::{Desk, Only, engine_with};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const PARALLEL: usize = 8;
const SECOND: Duration = Duration::from_secs(1);
/// Steps of each kind in the plan whose barriers are counted.
const EACH: usize = 10;
/// Steps of the plan whose events are counted.
const WRITTEN_DOWN: usize = 500;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let part = std::env::args().nth(1).unwrap_or_default();
    let figures = match part.as_str() {
        "parallel" => parallel().await?,
        "barriers" => barriers().await?,
        "events" => events().await?,
        _ => anyhow::bail!("bench-plan parallel|barriers|events"),
    };
    println!("{figures}");
    Ok(())
}

/// A tool that takes a second.
struct Wait(ToolSpec);

#[async_trait]
impl Tool for Wait {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(Risk::Read)
    }

    async fn call(&self, _: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        tokio::time::sleep(SECOND).await;
        Ok(Outcome::Success(json!("waited")))
    }
}

fn spec(name: &str, description: &str, risk: Risk) -> ToolSpec {
    ToolSpec::new(name, description, json!({"type": "object"}), Source::Core, risk)
}

async fn imported(engine: &Engine, session: &SessionId, steps: Vec<Value>) -> Result<PlanRef> {
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": "Measure", "userMessage": "Work on note.txt and out.txt.", "limits": {"maxParallelSteps": PARALLEL},
        "defaults": {"toolValidationMode": "strict"}, "steps": steps});
    let plan = import(&document.to_string()).map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
    Ok(engine.plans().import(plan, session).await?)
}

fn step(number: usize, tool: &str, after: Option<usize>) -> Value {
    let after: Vec<String> = after.map(|before| format!("s{before}")).into_iter().collect();
    json!({"id": format!("s{number}"), "description": "Work on note.txt", "stepType": "tool", "requiredTools": [tool],
        "dependencies": after, "executor": {"kind": "self", "id": ""}})
}

async fn parallel() -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let home = Home::at(folder.path().join("home"))?;
    let profile = ModelProfile {
        id: "scripted/test".to_owned(),
        context_tokens: 8192,
        planner: PlannerProfile::Compact,
        parallel: u32::try_from(PARALLEL)?,
        local: true,
    };
    let model = Arc::new(ScriptedModel::new(profile));
    for _ in 0..PARALLEL {
        model.push(Purpose::Step, Scripted::call("wait", json!({})));
    }
    for _ in 0..PARALLEL {
        model.push(Purpose::Step, Scripted::text("It was waited for."));
    }
    model.push(Purpose::Synthesis, Scripted::text("All of them waited."));
    let wait = Wait(spec("wait", "Waits for a second.", Risk::Read));
    let store = Store::open(&home, Arc::new(SystemClock))?;
    let engine = engine_with(store, &home, Arc::new(Only(model)), vec![Arc::new(wait)], Arc::new(Unwatched));
    let session = engine.sessions().create(folder.path()).await?;
    let steps = (0..PARALLEL).map(|number| step(number, "wait", None)).collect();
    let plan = imported(&engine, &session, steps).await?;
    let clock = Instant::now();
    let end = engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await?;
    let took = clock.elapsed();
    anyhow::ensure!(end == TurnEnd::Answered { session }, "{end:?}");
    Ok(json!({"steps": PARALLEL, "wallMs": took.as_secs_f64() * 1000.0}))
}

/// A tool with effects that breaks the first time it is called, so that nobody knows what became of that call.
struct Breaks(ToolSpec, AtomicBool);

#[async_trait]
impl Tool for Breaks {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(Risk::Write)
    }

    async fn call(&self, _: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        assert!(self.1.swap(true, Ordering::SeqCst), "it breaks the first time");
        Ok(Outcome::Success(json!("it worked")))
    }
}

/// Reads, then a confirmation, then writes, one after the other; then a write that has to be allowed, and a call that is
/// made once more.
async fn barriers() -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let (home, workspace) = (Home::at(folder.path().join("home"))?, folder.path().join("workspace"));
    std::fs::create_dir(&workspace)?;
    std::fs::write(workspace.join("note.txt"), "hello\n")?;
    let model = Arc::new(ScriptedModel::default());
    let breaks = Breaks(spec("breaks", "Breaks the first time.", Risk::Write), AtomicBool::new(false));
    let store = Store::open(&home, Arc::new(SystemClock))?;
    let engine = engine_with(store, &home, Arc::new(Only(model.clone())), vec![Arc::new(breaks)], Arc::new(Unwatched));
    let session = engine.sessions().create(&workspace).await?;
    let mut steps = Vec::new();
    for number in 0..=2 * EACH + 2 {
        let write = |path: &str| ("create_file", json!({"path": path, "content": format!("{number}\n")}));
        let (tool, arguments) = match number {
            EACH => ("displayConfirmation", json!({"action": "write out.txt"})),
            _ if number < EACH => ("read", json!({"path": "note.txt"})),
            _ if number <= 2 * EACH => write("out.txt"),
            // The plan does not name it.
            _ if number == 2 * EACH + 1 => write("other.txt"),
            _ => ("breaks", json!({})),
        };
        model.push(Purpose::Step, Scripted::call(tool, arguments));
        model.push(Purpose::Step, Scripted::text("done"));
        steps.push(step(number, tool, number.checked_sub(1)));
    }
    let plan = imported(&engine, &session, steps).await?;
    let cancel = CancellationToken::new();
    let yes = || Answer::Approve { arguments: None, note: None, reach: Reach::Once };
    let answers = [
        (RequestKind::Confirm, yes()),
        (RequestKind::Permit, yes()),
        (RequestKind::UnknownOutcome, Answer::Value { value: json!(AGAIN) }),
    ];
    let asked_for = answers.len();
    eprintln!("begin");
    let mut end = engine.turns().approve(&plan, Decider::User, None, &cancel).await?;
    for (kind, answer) in answers {
        let open = engine.requests().open()?;
        let request = &open.first().context("a request waits")?.request;
        anyhow::ensure!(request.kind == kind, "{request:?}");
        end = engine.turns().answer(&request.id, answer, &cancel).await?;
    }
    eprintln!("end");
    anyhow::ensure!(end == TurnEnd::Answered { session }, "{end:?}");
    // The writes, the one that was allowed, the call that broke, and the same once more.
    let effects = EACH + 3;
    // One before each call with effects, one after the approval, one after each answer.
    Ok(json!({"effects": effects, "answers": asked_for, "askedFor": effects + 1 + asked_for}))
}

/// A run of reads and writes by turns: what its events cost the thread that writes them, and the whole program.
async fn events() -> Result<Value> {
    let desk = Desk::on(ScriptedModel::default().forgetting(), &[("note.txt", "hello\n")]);
    let session = desk.session().await;
    let mut steps = Vec::new();
    for number in 0..WRITTEN_DOWN {
        let (tool, arguments) = match number % 2 {
            0 => ("read", json!({"path": "note.txt"})),
            _ => ("create_file", json!({"path": "out.txt", "content": format!("{number}\n")})),
        };
        desk.calls(tool, arguments);
        desk.says("done");
        steps.push(step(number, tool, number.checked_sub(1)));
    }
    let plan = imported(&desk.engine, &session, steps).await?;
    let before = desk.events(&session).len();
    let (writer, program) = (cpu_ms(Some("store"))?, cpu_ms(None)?);
    let end = desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await?;
    let (writer, program) = (cpu_ms(Some("store"))? - writer, cpu_ms(None)? - program);
    anyhow::ensure!(end == TurnEnd::Answered { session: session.clone() }, "{end:?}");
    let events = desk.events(&session).len() - before;
    let each = |spent: f64| spent / events as f64;
    Ok(
        json!({"steps": WRITTEN_DOWN, "events": events, "writerMsAnEvent": each(writer), "programMsAnEvent": each(program)}),
    )
}

/// CPU so far of the threads of this name, or of all that are there, in milliseconds.
fn cpu_ms(name: Option<&str>) -> Result<f64> {
    let mut nanoseconds = 0.0;
    for thread in std::fs::read_dir("/proc/self/task").context("CPU time is read from /proc, on Linux alone")? {
        let thread = thread?.path();
        // One that has ended meanwhile counts no more.
        let Ok(called) = std::fs::read_to_string(thread.join("comm")) else { continue };
        let Ok(spent) = std::fs::read_to_string(thread.join("schedstat")) else { continue };
        if name.is_none_or(|name| name == called.trim()) {
            nanoseconds += spent.split_whitespace().next().context("schedstat is empty")?.parse::<f64>()?;
        }
    }
    Ok(nanoseconds / 1e6)
}
