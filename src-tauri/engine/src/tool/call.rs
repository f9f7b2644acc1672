//! One call of a tool.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use assent_core::contract::{Risk, ToolSpec};
use assent_core::ids::{CallId, Digest, RunId, SessionId, StepId};
use assent_core::run::{Input, RequestKind};
use async_trait::async_trait;
use serde_json::Value;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use super::preview::{NoPreview, Preview};
use super::workspace::{PlaceError, Workspace};
use crate::store::FileHistory;
use crate::vault::Mask;

/// Something that can be called.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What planners, steps and people are told about it.
    fn spec(&self) -> &ToolSpec;

    /// What a call with these arguments would touch. The arguments fit the parameters.
    fn effects(&self, arguments: &Value) -> Effects;

    /// Does it. The arguments fit the parameters, and everything in [`Tool::effects`] is allowed. A run calls it on a
    /// thread that it may block, and leaves it behind when it has not ended by its [limit](CallContext::limit).
    ///
    /// # Errors
    /// [`ToolStop`] where going on with the run makes no sense; what the model can mend is an [`Outcome::Error`].
    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop>;

    /// Whether every call is over in a moment: a look at one file, of which it reads no more than so much. Such a call is
    /// not worth a thread of its own.
    fn is_brief(&self) -> bool {
        false
    }

    /// So long a call with these arguments takes at most, by a limit that the tool itself keeps.
    fn own_limit(&self, _arguments: &Value) -> Option<Duration> {
        None
    }

    /// The parameters that a small model is shown; none named: all of them. What it is not shown it cannot misuse.
    fn essentials(&self) -> &'static [&'static str] {
        &[]
    }

    /// Makes the parameters that a small model is shown stricter: what it may leave out, it leaves out where it matters.
    fn hold_small(&self, _parameters: &mut Value) {}

    /// The files of the workspace that an output names by the tool's own word, and not by what stands in a file.
    fn listed(&self, _output: &Value) -> Vec<String> {
        Vec::new()
    }

    /// The text that a call with these arguments looks for in files.
    fn sought(&self, _arguments: &Value) -> Option<String> {
        None
    }

    /// What a call with these arguments and this output has changed in the workspace, by the tool's own look; `None` where
    /// nobody has looked at all of it.
    fn changed(&self, _arguments: &Value, _output: &Value) -> Option<Changed> {
        None
    }

    /// The files that a call with this output has deleted or emptied, by the tool's own look.
    fn lost(&self, _output: &Value) -> Vec<String> {
        Vec::new()
    }

    /// The files with something in them that a call with this output has written and that its arguments need not name, by
    /// the tool's own look.
    fn rewritten(&self, _output: &Value) -> Vec<String> {
        Vec::new()
    }

    /// What a call with these arguments would make of the text of a file, as that is now.
    ///
    /// # Errors
    /// [`NoPreview`] when it is no such call, or would fail.
    fn preview(&self, _arguments: &Value, _workspace: &Workspace) -> Result<Preview, NoPreview> {
        Err(NoPreview::Nothing)
    }

    /// The credentials of the vault that go with every call, beside those that its arguments name.
    fn credentials(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Whether the same call may be answered anew each time and changes nothing by being made again: a look at something far
    /// away. Such a call is never answered by what it gave before.
    fn looks_anew(&self) -> bool {
        false
    }

    /// Whether a call with these arguments that has worked leaves everything as it is when it is made once more: it writes
    /// the same text into the same file.
    fn can_be_repeated(&self, _arguments: &Value) -> bool {
        false
    }

    /// Why a call is not made, whatever a person says: nobody is asked about it then. By its arguments alone.
    fn refuses(&self, _arguments: &Value) -> Option<String> {
        None
    }

    /// What a person has to know before they let a call with these arguments be made, beside the arguments themselves.
    fn consequence(&self, _arguments: &Value) -> Option<String> {
        None
    }

    /// The output as a model reads it: short, the most useful first. The whole is kept apart from this.
    fn present(&self, output: &Value) -> String {
        match output {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// What a call touches, for permission and grounding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effects {
    /// The worst that these arguments can do; never below the tool's own risk.
    pub risk: Risk,
    /// Paths that must exist: relative to the workspace, as written in the arguments.
    pub reads: Vec<String>,
    /// Paths that are written.
    pub writes: Vec<String>,
    /// Hosts that are talked to.
    pub hosts: Vec<String>,
    /// The command line that is run.
    pub command: Option<String>,
}

impl Effects {
    /// Touches nothing.
    pub fn none(risk: Risk) -> Self {
        Self { risk, reads: Vec::new(), writes: Vec::new(), hosts: Vec::new(), command: None }
    }

    /// Whether every path can be used in a workspace. What is read need not be there yet: an earlier call may make it.
    ///
    /// # Errors
    /// [`PlaceError`] of the first path that leads out, or that nothing could be written at.
    pub fn stay_in(&self, workspace: &Workspace) -> Result<(), PlaceError> {
        for path in &self.writes {
            workspace.target(path)?;
        }
        for path in &self.reads {
            match workspace.existing(path) {
                Ok(_) | Err(PlaceError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// What a call has really changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Files and folders of the workspace that were made, written, moved or removed, by the call or by anybody else
    /// meanwhile, but for what lies in folders that nobody looks into.
    pub paths: Vec<String>,
    /// Whether it can have changed nothing else: there was no such folder, and walls around the call.
    pub is_all: bool,
    /// Whether it could talk to anybody outside of this machine.
    pub reaches_out: bool,
}

/// How a call came out.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It worked.
    Success(Value),
    /// It did not, and the model should know why.
    Error {
        /// What happened, why, what to do.
        message: String,
        /// What there is nevertheless.
        output: Value,
    },
    /// A person has to say something; the answer becomes the output.
    Suspended(Ask),
}

/// What a blocking tool asks.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// A question, a confirmation, or help for a workflow.
    pub kind: RequestKind,
    /// What is asked.
    pub prompt: String,
    /// Why, or what will happen.
    pub reason: Option<String>,
    /// What an answer looks like.
    pub input: Input,
    /// Step i of n of a series of questions.
    pub position: Option<(u32, u32)>,
    /// What the call gives at once, before anybody answers.
    pub output: Value,
}

/// Why a run cannot go on, or not without a person.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ToolStop {
    /// A person stopped it.
    #[error("stopped")]
    Cancelled,
    /// The workspace is gone or cannot be used.
    #[error("the workspace {path} cannot be used: {reason}")]
    Workspace {
        /// The folder.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// The call was broken off after it had begun, and nobody knows whether it has had its effect. A person is asked; a
    /// call without effects has failed.
    #[error("{event}")]
    Unknown {
        /// What came between, said of the tool: "was ended after 60 s".
        event: String,
    },
}

/// A sign of life of a long call, streamed and never stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// A piece of what it puts out.
    pub text: String,
}

/// What a call runs in.
#[derive(Clone)]
pub struct CallContext {
    /// The folder that it may touch; absolute, symbolic links resolved.
    pub workspace: PathBuf,
    /// Folders that no call may see, Assent's own data first.
    pub hidden: Vec<PathBuf>,
    /// Hosts that it may talk to.
    pub hosts: Vec<String>,
    /// Where it belongs.
    pub session: SessionId,
    /// The run.
    pub run: RunId,
    /// The step.
    pub step: StepId,
    /// The call.
    pub call: CallId,
    /// Earlier results that its arguments name, such as `result:s1`, whole and as a model reads them.
    pub results: BTreeMap<String, String>,
    /// Names of the tools that the step may call; known to tools about tools only.
    pub callable: Vec<String>,
    /// The file that it changes, as it was when a person approved the call: it changes no other.
    pub approved: Option<Digest>,
    /// Whether a person has allowed this very call.
    pub granted: bool,
    /// Whether there are credentials of the vault in its arguments.
    pub lends: bool,
    /// Hides the person's secrets. What a tool cuts it hides them in first: of what is cut in the middle of one nobody else
    /// would know it.
    pub mask: Arc<Mask>,
    /// Earlier contents of files.
    pub history: Arc<dyn FileHistory>,
    /// Signs of life go here; a full or closed receiver never stops a call.
    pub progress: tokio::sync::mpsc::UnboundedSender<Progress>,
    /// So long the call may take: what the plan gives it, or the tool's own limit where that is shorter.
    pub limit: Duration,
    /// Triggered when a person stops the run, or the time is up: the call ends within a second and leaves no process behind.
    pub cancel: CancellationToken,
}
