//! `review_runs`: how the latest runs went, for whoever proposes changes.

use std::sync::Arc;

use assent_core::contract::{Risk, ToolSpec};
use assent_core::order::sort_by_key;
use assent_core::run::{EventKind, StepStatus};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::spec;
use crate::store::{ListFilter, RunRow, Runs, Sessions, StoreError};
use crate::tool::{CallContext, Effects, Outcome, Tool, ToolStop};

/// Sessions that are looked through, and runs that are told.
const SESSIONS: usize = 50;
const MOST_RUNS: usize = 50;
const USUAL_RUNS: usize = 10;

/// Tells how the latest runs went.
pub struct ReviewRuns {
    spec: ToolSpec,
    sessions: Arc<dyn Sessions>,
    runs: Arc<dyn Runs>,
}

impl ReviewRuns {
    /// Over the runs of a store.
    pub fn new(sessions: Arc<dyn Sessions>, runs: Arc<dyn Runs>) -> Self {
        let limit = json!({"type": "integer", "minimum": 1, "maximum": MOST_RUNS, "default": USUAL_RUNS});
        let parameters = json!({"type": "object", "properties": {"limit": limit}, "additionalProperties": false});
        let description = "Tells how the latest runs went: what failed in which step, and why.";
        Self { spec: spec("review_runs", Risk::Read, description, parameters), sessions, runs }
    }

    fn review(&self, limit: usize) -> Result<Value, StoreError> {
        let filter = ListFilter { archived: true, limit: SESSIONS, offset: 0 };
        let mut runs: Vec<(String, RunRow)> = Vec::new();
        for session in self.sessions.sessions(&filter)? {
            runs.extend(self.runs.latest_runs(&session.id, limit)?.into_iter().map(|run| (session.title.clone(), run)));
        }
        sort_by_key(&mut runs, |(_, run)| std::cmp::Reverse(run.updated_at));
        runs.truncate(limit);
        let told: Result<Vec<Value>, StoreError> = runs
            .into_iter()
            .map(|(title, run)| {
                Ok(json!({"run": run.id, "session": title, "status": run.status, "failed": self.failed(&run)?}))
            })
            .collect();
        Ok(json!({"runs": told?}))
    }

    fn failed(&self, run: &RunRow) -> Result<Vec<Value>, StoreError> {
        let ended = self.runs.run_events(&run.id)?.into_iter().filter_map(|event| match event.kind {
            EventKind::StepEnded { status: StepStatus::Failed, reason, .. } => {
                Some(json!({"step": event.place.step, "reason": reason}))
            }
            _ => None,
        });
        Ok(ended.collect())
    }
}

#[async_trait]
impl Tool for ReviewRuns {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effects(&self, _: &Value) -> Effects {
        Effects::none(Risk::Read)
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Result<Outcome, ToolStop> {
        let limit = arguments["limit"].as_u64().and_then(|limit| usize::try_from(limit).ok()).unwrap_or(USUAL_RUNS);
        Ok(match self.review(limit.min(MOST_RUNS)) {
            Ok(output) => Outcome::Success(output),
            Err(error) => Outcome::Error { message: error.to_string(), output: Value::Null },
        })
    }
}
