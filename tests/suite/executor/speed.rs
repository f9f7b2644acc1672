//! What a step costs.

use std::time::Instant;

use assent_core::run::RunStatus;
use serde_json::json;

use super::support::{Rig, TestModel, tool};

/// Processor time of this process in milliseconds.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    let main: f64 = stat.split_whitespace().next().unwrap().parse().unwrap();
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let all: f64 = tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok())
        .filter_map(|stat| stat.split_whitespace().next()?.parse::<f64>().ok())
        .sum();
    all.max(main) / 1e6
}

#[tokio::test]
#[ignore = "a measurement: run with --release --run-ignored"]
async fn a_thousand_steps() {
    let steps: Vec<_> = (0..1000).map(|at| tool(&format!("s{at}"), "look x", &["look"], &[])).collect();
    let rig = Rig::new(json!(steps)).await;
    let executor = rig.executor(&TestModel::obedient());
    let run = rig.start(&executor).await.unwrap();
    let before = std::fs::metadata(rig.store.path()).unwrap().len();
    let (begun, cpu_before) = (Instant::now(), cpu());
    let outcome = executor.carry_on(&run, None).await.unwrap();
    let (took, used) = (begun.elapsed(), cpu() - cpu_before);
    assert_eq!(outcome.status, RunStatus::Completed);
    let events = rig.events(&run);
    let size: usize = events.iter().map(|event| serde_json::to_string(&event.kind).unwrap().len()).sum();
    eprintln!(
        "{:.3} ms CPU and {:.3} ms a step; {} events, {size} bytes of them; database began with {before}",
        used / 1000.0,
        took.as_secs_f64(),
        events.len(),
    );
}
