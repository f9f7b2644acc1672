//! Who remembers calls that worked is told of each once, when its end is written.

use std::sync::{Arc, Mutex};

use assent_core::run::{Batch, CallStatus, EventKind, StepStatus};
use assent_engine::executor::Witness;
use assent_engine::memory::ToolUsage;
use serde_json::json;

use super::support::{Between, Rig, TestModel, call, text, tool};

#[derive(Default)]
struct Told(Mutex<Vec<ToolUsage>>);

impl Told {
    fn tools(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|usage| usage.tool.clone()).collect()
    }
}

impl Witness for Told {
    fn worked(&self, usage: ToolUsage) {
        self.0.lock().unwrap().push(usage);
    }
}

fn ends_a_call(batch: &Batch) -> bool {
    batch.events.iter().any(|draft| matches!(draft.kind, EventKind::CallEnded { .. }))
}

// covers: L49 L51
#[tokio::test]
async fn a_call_that_worked_is_told_once_and_not_before_its_end_is_written() {
    let mut rig = Rig::new(json!([tool("s1", "append it", &["append"], &[])])).await;
    let told = Arc::new(Told::default());
    rig.witness = told.clone();
    let model = TestModel::new(|_, _, replies| match replies {
        0 => call(&[("append", "a line")]),
        _ => text("appended"),
    });
    let end = Between::of(&rig.store, ends_a_call);
    let executor = rig.executor_on(&model, Arc::new(end.clone()));
    let run = rig.start(&executor).await.unwrap();
    let looks = async {
        end.reached().await;
        assert_eq!(rig.traces.all().len(), 1, "it was called");
        assert_eq!(told.tools(), Vec::<String>::new(), "its end is not written yet");
        end.open();
    };
    let (outcome, ()) = tokio::join!(executor.carry_on(&run, None), looks);
    drop(outcome);
    let ended = rig.events(&run).into_iter().find_map(|event| match event.kind {
        EventKind::CallEnded { status, duration_ms, .. } => Some((status, duration_ms)),
        _ => None,
    });
    let (status, duration_ms) = ended.unwrap();
    assert_eq!(status, CallStatus::Success);
    let told = told.0.lock().unwrap().clone();
    let expected = ToolUsage::new("append", "Do it with report 17.", duration_ms, &"chat".into());
    assert_eq!(told, [expected]);
}

// covers: L50
#[tokio::test]
async fn a_call_that_fails_or_is_refused_is_told_to_nobody() {
    let mut rig = Rig::new(json!([tool("s1", "try it", &["fail"], &[])])).await;
    let told = Arc::new(Told::default());
    rig.witness = told.clone();
    let model = TestModel::new(|_, _, replies| match replies {
        0 => call(&[("fail", "x")]),
        1 => call(&[("nothing", "x")]),
        _ => text("it did not work"),
    });
    let outcome = rig.run(&rig.executor(&model)).await;
    let state = rig.state(&outcome.run);
    assert_eq!(state.steps()[0].status, StepStatus::Failed);
    assert_eq!(told.tools(), Vec::<String>::new());
}
