//! What carrying out a plan costs beside its work.
//!
//! `cargo run --release -p assent-tests --example bench-plan -- parallel`: the time of eight independent steps of one
//! second each. `-- barriers`: a plan of reads, writes and a confirmation, between the lines `begin` and `end` on standard
//! error, for counting what is forced to the disk meanwhile. Both print one JSON object.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use assent_core::contract::{Mode, Risk, Source, SuccessRule, ToolSpec};
use assent_core::ids::SessionId;
use assent_core::plan::{PlanRef, import};
use assent_core::run::{Answer, Decider, Purpose, Reach};
use assent_engine::Engine;
use assent_engine::clock::SystemClock;
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

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let part = std::env::args().nth(1).unwrap_or_default();
    let figures = match part.as_str() {
        "parallel" => parallel().await?,
        "barriers" => barriers().await?,
        _ => anyhow::bail!("bench-plan parallel|barriers"),
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
    let wait = Wait(ToolSpec {
        name: "wait".to_owned(),
        description: "Waits for a second.".to_owned(),
        parameters: json!({"type": "object"}),
        source: Source::Core,
        risk: Risk::Read,
        mode: Mode::Functional,
        success: SuccessRule::Status,
        template: None,
    });
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

/// Reads, then a confirmation, then writes, one after the other.
async fn barriers() -> Result<Value> {
    let desk = Desk::with(&[("note.txt", "hello\n")]);
    let session = desk.session().await;
    let mut steps = Vec::new();
    for number in 0..=2 * EACH {
        let (tool, arguments) = match number {
            EACH => ("displayConfirmation", json!({"action": "write out.txt"})),
            _ if number < EACH => ("read", json!({"path": "note.txt"})),
            _ => ("create_file", json!({"path": "out.txt", "content": format!("{number}\n")})),
        };
        desk.calls(tool, arguments);
        desk.says("done");
        steps.push(step(number, tool, number.checked_sub(1)));
    }
    let plan = imported(&desk.engine, &session, steps).await?;
    let cancel = CancellationToken::new();
    eprintln!("begin");
    desk.engine.turns().approve(&plan, Decider::User, None, &cancel).await?;
    let open = desk.engine.requests().open()?;
    let request = &open.first().context("the confirmation waits")?.request.id;
    let yes = Answer::Approve { arguments: None, note: None, reach: Reach::Once };
    let end = desk.engine.turns().answer(request, yes, &cancel).await?;
    eprintln!("end");
    anyhow::ensure!(end == TurnEnd::Answered { session }, "{end:?}");
    // One before each call with effects, one after the approval, one after the answer.
    Ok(json!({"effects": EACH, "askedFor": EACH + 2}))
}
