//! What the machinery around a model costs: a one-step turn, and a step of a plan of 1,000, with a model that answers
//! at once and everything else real.
//!
//! Run with `cargo run --release -p assent-tests --example bench-steps`, for a profile with `turns` or `steps` alone
//! behind it; prints one JSON object. CPU is that of the whole process, all threads, as the system counts it.

use std::time::Instant;

use anyhow::Result;
use assent_core::plan::import;
use assent_core::run::{Decider, Purpose};
use assent_engine::model::scripted::{Scripted, ScriptedModel};
use assent_engine::turn::ApprovalPolicy;
use assent_tests::desk::Desk;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const STEPS: usize = 1000;
const TURNS: usize = 50;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let alone = std::env::args().nth(1);
    let wanted = |part: &str| alone.as_deref().is_none_or(|alone| alone == part);
    let mut figures = json!({});
    if wanted("turns") {
        figures["oneStepTurn"] = turns().await?;
    }
    if wanted("steps") {
        figures["thousandSteps"] = steps().await?;
    }
    println!("{}", serde_json::to_string_pretty(&figures)?);
    Ok(())
}

async fn turns() -> Result<Value> {
    let desk = Desk::on(ScriptedModel::default().forgetting(), &[("note.txt", "hello\n")]);
    let session = desk.session().await;
    for _ in 0..TURNS {
        desk.plans(&json!({"title": "Read", "steps": [{"tool": "read", "do": "Read note.txt", "expect": "text"}]}));
        desk.calls("read", json!({"path": "note.txt"}));
        desk.says("It says hello.");
    }
    // What is written aside, too: none of the beginning is in the figure, and all of the turns is.
    desk.settle();
    let (cpu, clock) = (cpu_ms(), Instant::now());
    for _ in 0..TURNS {
        desk.send(&session, "What does note.txt say?", ApprovalPolicy::NeverAsk).await;
    }
    desk.settle();
    let turns = TURNS as f64;
    Ok(json!({"cpuMs": (cpu_ms() - cpu) / turns, "wallMs": clock.elapsed().as_secs_f64() * 1000.0 / turns}))
}

async fn steps() -> Result<Value> {
    let desk = Desk::on(ScriptedModel::default().forgetting(), &[("note.txt", "hello\n")]);
    let session = desk.session().await;
    let step = |number: usize| {
        let after: Vec<String> = number.checked_sub(1).map(|before| format!("s{before}")).into_iter().collect();
        json!({"id": format!("s{number}"), "description": "Read note.txt", "stepType": "tool",
            "requiredTools": ["read"], "dependencies": after, "executor": {"kind": "self", "id": ""}})
    };
    let document = json!({"format": "assent.plan/1", "id": "p", "version": 1, "sessionId": session.as_str(),
        "title": "Read often", "userMessage": "Read note.txt often", "steps": (0..STEPS).map(step).collect::<Vec<_>>()});
    let plan = import(&document.to_string()).map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
    let plan = desk.engine.plans().import(plan, &session).await?;
    for _ in 0..STEPS {
        desk.calls("read", json!({"path": "note.txt"}));
        desk.model.push(Purpose::Step, Scripted::text("done"));
    }
    desk.settle();
    let before = desk.database_bytes()?;
    let (cpu, clock) = (cpu_ms(), Instant::now());
    desk.engine.turns().approve(&plan, Decider::User, None, &CancellationToken::new()).await?;
    desk.settle();
    let steps = STEPS as f64;
    let spent = (cpu_ms() - cpu) / steps;
    let wall = clock.elapsed().as_secs_f64() * 1000.0 / steps;
    let bytes = desk.database_bytes()?.saturating_sub(before) as f64 / steps;
    Ok(json!({"cpuMsPerStep": spent, "wallMsPerStep": wall, "databaseBytesPerStep": bytes}))
}

/// CPU of this process so far, all threads, also those that have ended.
fn cpu_ms() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    spent.tv_sec as f64 * 1e3 + spent.tv_nsec as f64 / 1e6
}
