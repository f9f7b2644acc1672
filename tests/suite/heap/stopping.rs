//! A run is stopped from another process before its first step and after its last: while a specialist is chosen, and while
//! the answer is written.

use std::time::Duration;

use assent_core::run::{Purpose, RunStatus};
use assent_engine::model::scripted::{Gate, Scripted};
use assent_engine::turn::TurnEnd;
use serde_json::{Value, json};

use super::studio::{Studios, handed_over, step};

/// Carries these steps out, and stops them from another process once the model stands at the gate.
async fn stopped_at(studio: &Studios, gate: &Gate, steps: Value) {
    let elsewhere = studio.elsewhere();
    let stop = async {
        gate.reached().await;
        let run = elsewhere.runs().list(&studio.session).unwrap().remove(0);
        elsewhere.runs().cancel(&run.id).await.unwrap();
    };
    let both = async { tokio::join!(studio.carry_out(steps, json!({})), stop) };
    let (end, ()) = tokio::time::timeout(Duration::from_secs(20), both).await.expect("the stop was not heard");
    assert!(matches!(end, TurnEnd::Cancelled { .. }), "{end:?}");
    let runs = studio.engine.runs().list(&studio.session).unwrap();
    assert_eq!(runs.iter().map(|run| run.status).collect::<Vec<_>>(), [RunStatus::Cancelled]);
}

#[tokio::test]
async fn a_stop_from_elsewhere_is_heard_while_a_specialist_is_chosen() {
    let studio = Studios::new().await;
    let gate = Gate::default();
    studio.model.push(Purpose::Choose, Scripted::text("workflow").behind(&gate));
    stopped_at(&studio, &gate, json!([handed_over("s1", "office", &[])])).await;
    assert_eq!(studio.of(Purpose::Step).len(), 0, "nothing has begun");
}

#[tokio::test]
async fn a_stop_from_elsewhere_is_heard_while_the_answer_is_written() {
    let studio = Studios::new().await;
    let gate = Gate::default();
    for tool in ["list_agents", "get_agent"] {
        studio.calls(tool, json!({}));
        studio.says(Purpose::Step, "It is done.");
    }
    studio.model.push(Purpose::Synthesis, Scripted::text("All is done.").behind(&gate));
    let steps = json!([step("s1", "agent", &["list_agents"], &[]), step("s2", "agent", &["get_agent"], &["s1"])]);
    stopped_at(&studio, &gate, steps).await;
    assert_eq!(studio.called(), ["list_agents", "get_agent"]);
}
