//! What the tests of this module share.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assent_core::ids::{CallId, RunId, SessionId, StepId};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

use crate::store::{StoreError, TakenBack};

use super::{CallContext, FileHistory, Outcome, Progress, Tool, ToolStop};

/// What a file held before a change, and what the change wrote.
type Change = (Option<Vec<u8>>, Vec<u8>);

/// A history in memory; fails on demand.
#[derive(Default)]
pub struct MemoryHistory {
    pub entries: Mutex<HashMap<PathBuf, Vec<Change>>>,
    /// Keeps nothing when set.
    pub full: bool,
}

impl FileHistory for MemoryHistory {
    fn remember(&self, path: &Path, before: Option<&[u8]>, written: &[u8]) -> Result<(), StoreError> {
        if self.full {
            return Err(StoreError::Other("the disk is full".to_owned()));
        }
        let entry = (before.map(<[u8]>::to_vec), written.to_vec());
        self.entries.lock().unwrap().entry(path.to_path_buf()).or_default().push(entry);
        Ok(())
    }

    fn take_back(&self, path: &Path, now: Option<&[u8]>) -> Result<TakenBack, StoreError> {
        let mut entries = self.entries.lock().unwrap();
        let pile = entries.entry(path.to_path_buf()).or_default();
        Ok(match pile.last() {
            None => TakenBack::Nothing,
            Some((_, written)) if now.is_some_and(|now| now != written) => TakenBack::ChangedSince,
            Some(_) => TakenBack::Content(pile.pop().and_then(|(before, _)| before)),
        })
    }
}

/// A real folder with a context around it.
pub struct Bench {
    /// The folder above: the workspace is `work` in it.
    pub outer: TempDir,
    /// What calls run in.
    pub context: CallContext,
    /// What calls say while they run.
    pub progress: UnboundedReceiver<Progress>,
}

impl Bench {
    pub fn new() -> Self {
        let outer = tempfile::tempdir().unwrap();
        let workspace = outer.path().join("work");
        std::fs::create_dir(&workspace).unwrap();
        let (sender, progress) = unbounded_channel();
        let context = CallContext {
            workspace: workspace.canonicalize().unwrap(),
            hidden: Vec::new(),
            hosts: Vec::new(),
            results: Default::default(),
            session: SessionId::new("session"),
            run: RunId::new("run"),
            step: StepId::new("s1"),
            call: CallId::new("call"),
            callable: Vec::new(),
            approved: None,
            granted: false,
            lends: false,
            mask: Arc::default(),
            history: Arc::new(MemoryHistory::default()),
            progress: sender,
            limit: Duration::from_secs(600),
            cancel: CancellationToken::new(),
        };
        Self { outer, context, progress }
    }

    /// A workspace that holds these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let bench = Self::new();
        for (name, content) in files {
            bench.write(name, content.as_bytes());
        }
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.context.workspace.join(name)
    }

    pub fn write(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub async fn call(&self, tool: &dyn Tool, arguments: Value) -> Result<Outcome, ToolStop> {
        let limit = tool.own_limit(&arguments).unwrap_or(self.context.limit).min(self.context.limit);
        tool.call(arguments, &CallContext { limit, ..self.context.clone() }).await
    }

    /// The output of a call that has to work.
    pub async fn output(&self, tool: &dyn Tool, arguments: Value) -> Value {
        match self.call(tool, arguments).await {
            Ok(Outcome::Success(output)) => output,
            other => panic!("{other:?}"),
        }
    }

    /// The message of a call that must not work.
    pub async fn refusal(&self, tool: &dyn Tool, arguments: Value) -> String {
        match self.call(tool, arguments).await {
            Ok(Outcome::Error { message, .. }) => message,
            other => panic!("{other:?}"),
        }
    }
}
