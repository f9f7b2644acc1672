//! `bash`: a command line in the workspace, behind walls.

use std::time::Duration;

use assent_core::contract::{Mode, Risk, Source, SuccessRule, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{failed, text_of};
use crate::tool::sandbox::{self, End, Ended, Order};
use crate::tool::workspace::{Kind, PlaceError, Workspace};
use crate::tool::{CallContext, Effects, Outcome, Progress, Tool, ToolStop};

/// The longest time a command gets, in seconds.
const LONGEST: u64 = 3600;

/// Runs commands.
pub struct Bash(ToolSpec);

impl Default for Bash {
    fn default() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "minLength": 1},
                "timeout": {"type": "integer", "minimum": 1, "default": 60, "description": "seconds"},
                "working_dir": {"type": "string", "description": "folder; default: the workspace"}
            },
            "required": ["command"],
            "additionalProperties": false
        });
        let description = "Run a shell command or script in the workspace folder: counts, sums, CSV, JSON, databases, git, \
            moving and deleting files. The result is what it prints. There is no network.";
        Self(ToolSpec {
            name: "bash".to_owned(),
            description: description.to_owned(),
            parameters,
            source: Source::Core,
            risk: Risk::Execute,
            mode: Mode::Functional,
            success: SuccessRule::ExitZero,
        })
    }
}

#[derive(Deserialize)]
struct Arguments {
    command: String,
    #[serde(default = "default_timeout")]
    timeout: u64,
    working_dir: Option<String>,
}

fn default_timeout() -> u64 {
    60
}

#[async_trait]
impl Tool for Bash {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, arguments: &Value) -> Effects {
        Effects {
            reads: text_of(arguments, "working_dir").into_iter().collect(),
            command: text_of(arguments, "command"),
            ..Effects::none(Risk::Execute)
        }
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        let arguments: Arguments = match serde_json::from_value(arguments) {
            Ok(arguments) => arguments,
            Err(error) => return Ok(failed(format!("the arguments cannot be read: {error}"))),
        };
        let order = match order(&arguments, context)? {
            Ok(order) => order,
            Err(error) => return Ok(failed(error)),
        };
        run(order, context).await
    }

    fn present(&self, output: &Value) -> String {
        let text = |name: &str| output[name].as_str().unwrap_or_default().trim_end().to_owned();
        let (stdout, stderr) = (text("stdout"), text("stderr"));
        let mut parts = Vec::new();
        match output["exit_code"].as_i64() {
            Some(0) => {}
            Some(code) => parts.push(format!("exit code {code}")),
            None => parts.push("ended before it was done".to_owned()),
        }
        if parts.is_empty() {
            parts.push(stdout);
            parts.push(if stderr.is_empty() { stderr } else { format!("stderr: {stderr}") });
        } else {
            parts.extend([stderr, stdout]);
        }
        parts.push(text("note"));
        parts.retain(|part| !part.is_empty());
        if parts.is_empty() { "(done, no output)".to_owned() } else { parts.join("\n") }
    }
}

fn order(arguments: &Arguments, context: &CallContext) -> Result<Result<Order, PlaceError>, ToolStop> {
    let workspace = Workspace::open(context)?;
    let folder = workspace.existing(arguments.working_dir.as_deref().unwrap_or(".")).and_then(|place| match workspace
        .kind(&place)?
    {
        Some(Kind::Folder) => Ok(place.absolute().to_path_buf()),
        _ => Err(PlaceError::NotFolder { path: place.shown() }),
    });
    Ok(folder.map(|folder| Order {
        command: arguments.command.clone(),
        folder,
        workspace: workspace.root().to_path_buf(),
        hidden: context.hidden.clone(),
        // A sandbox cannot let single hosts through: only the grant of all of them opens it.
        network: context.hosts.iter().any(|host| host == "*"),
        timeout: Duration::from_secs(arguments.timeout.clamp(1, LONGEST)),
    }))
}

async fn run(order: Order, context: &CallContext) -> Result<Outcome, ToolStop> {
    let cancel = context.cancel.child_token();
    // Whoever stops waiting for the call also stops the command.
    let guard = cancel.clone().drop_guard();
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let progress = context.progress.clone();
    let (seconds, network) = (order.timeout.as_secs(), order.network);
    let started = std::thread::Builder::new().name("command".to_owned()).spawn(move || {
        let tell = move |text| {
            let _ = progress.send(Progress { text });
        };
        let _ = sender.send(sandbox::run(&order, &cancel, tell));
    });
    if let Err(error) = started {
        return Ok(failed(format!("the command could not be started: {error}")));
    }
    let ended = receiver.await;
    drop(guard.disarm());
    match ended {
        Ok(Ok(ended)) => outcome(&ended, seconds, network),
        Ok(Err(error)) => Ok(failed(error)),
        Err(_) => Ok(failed("the command broke off; this is a defect of Assent, not of the call")),
    }
}

fn outcome(ended: &Ended, seconds: u64, network: bool) -> Result<Outcome, ToolStop> {
    let output = output(ended, network);
    let message = match ended.end {
        End::Exited(_) => return Ok(Outcome::Success(output)),
        End::Cancelled => return Err(ToolStop::Cancelled),
        End::TimedOut => format!("timed out after {seconds} s; everything it had started was ended"),
        End::TooManyProcesses => format!("ended: more than {} processes at a time", sandbox::MAX_PROCESSES),
        End::TooMuchMemory => format!("ended: more than {} GiB of memory", sandbox::MAX_MEMORY_BYTES >> 30),
    };
    Ok(Outcome::Error { message, output })
}

fn output(ended: &Ended, network: bool) -> Value {
    let exit_code = match ended.end {
        End::Exited(code) => Some(code),
        _ => None,
    };
    let mut output = json!({
        "stdout": ended.stdout.text,
        "stderr": ended.stderr.text,
        "exit_code": exit_code,
        "duration_ms": u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX),
        "success": exit_code == Some(0),
        "truncated": ended.stdout.truncated || ended.stderr.truncated,
    });
    if exit_code != Some(0) && ended.walls && !network && misses_network(&ended.stderr.text) {
        output["note"] = "Commands have no network here.".into();
    } else if exit_code != Some(0) && ended.walls && ended.stderr.text.contains("Read-only file system") {
        output["note"] = "Only the workspace and /tmp can be written.".into();
    }
    output
}

fn misses_network(stderr: &str) -> bool {
    let signs = [
        "resolve host",
        "name resolution",
        "Network is unreachable",
        "network is unreachable",
        "ENOTFOUND",
        "EAI_AGAIN",
    ];
    signs.iter().any(|sign| stderr.contains(sign))
}
