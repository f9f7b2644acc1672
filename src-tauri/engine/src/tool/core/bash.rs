//! `bash`: a command line in the workspace, behind walls.

mod changes;

use std::time::Duration;

use assent_core::contract::{Mode, Risk, Source, SuccessRule, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{failed, text_of};
use crate::tool::permission::{changes_nothing, danger_of, runs_script};
use crate::tool::present::one_line;
use crate::tool::sandbox::{self, End, Ended, Order};
use crate::tool::secrets::{Gathered, names_secrets};
use crate::tool::workspace::{Kind, PlaceError, Workspace};
use crate::tool::{CallContext, Changed, Effects, Outcome, Progress, Tool, ToolStop};
use changes::{Changes, look};

/// The longest time a command gets, in seconds.
const LONGEST: u64 = 3600;
/// The time that it gets where none is named, in seconds.
const USUAL: u64 = 60;
/// So long it may take to look through the workspace before a command, and again after it.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// Runs commands.
pub struct Bash(ToolSpec);

impl Default for Bash {
    fn default() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "minLength": 1},
                "timeout": {"type": "integer", "minimum": 1, "maximum": LONGEST, "default": USUAL, "description": "seconds"},
                "working_dir": {"type": "string", "description": "folder; default: the workspace"}
            },
            "required": ["command"],
            "additionalProperties": false
        });
        let description = "Run a shell command or python3 script: sums, averages, counts, sorting, CSV, JSON, \
            sqlite3 databases, git, moving, renaming and deleting files. \
            It runs in the workspace folder without network; the result is what it prints and which files it wrote.";
        Self(ToolSpec {
            name: "bash".to_owned(),
            description: description.to_owned(),
            parameters,
            source: Source::Core,
            risk: Risk::Execute,
            mode: Mode::Functional,
            success: SuccessRule::ExitZero,
            template: None,
        })
    }
}

#[derive(Deserialize)]
struct Arguments {
    command: String,
    working_dir: Option<String>,
}

#[async_trait]
impl Tool for Bash {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn essentials(&self) -> &'static [&'static str] {
        &["command"]
    }

    fn effects(&self, arguments: &Value) -> Effects {
        let command = text_of(arguments, "command");
        let danger = command.as_deref().map(danger_of).unwrap_or_default();
        Effects {
            reads: text_of(arguments, "working_dir").into_iter().collect(),
            command,
            ..Effects::none(Risk::Execute.max(danger.risk()))
        }
    }

    fn own_limit(&self, arguments: &Value) -> Option<Duration> {
        let asked = arguments["timeout"].as_u64().unwrap_or(USUAL);
        Some(Duration::from_secs(asked.min(LONGEST)))
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Outcome, ToolStop> {
        let shortened = self.own_limit(&arguments).is_some_and(|own| own > context.limit);
        let arguments: Arguments = match serde_json::from_value(arguments) {
            Ok(arguments) => arguments,
            Err(error) => return Ok(failed(format!("the arguments cannot be read: {error}"))),
        };
        let workspace = Workspace::open(context)?;
        match order(&arguments, &workspace, context) {
            Ok(order) => run(order, shortened, workspace, context).await,
            Err(error) => Ok(failed(error)),
        }
    }

    fn changed(&self, arguments: &Value, output: &Value) -> Option<Changed> {
        // Walls or none.
        if text_of(arguments, "command").is_some_and(|command| changes_nothing(&command)) {
            return Some(Changed { paths: Vec::new(), is_all: true, reaches_out: false });
        }
        if output["changes_are_known"] != true {
            return None;
        }
        let lists = ["files_written", "files_gone", "other_changes"].map(|field| output[field].as_array());
        let names = lists.into_iter().flatten().flatten().filter_map(Value::as_str);
        let (is_all, reaches_out) = (output["changes_are_all"] == true, output["network"] == true);
        Some(Changed { paths: names.map(str::to_owned).collect(), is_all, reaches_out })
    }

    fn lost(&self, output: &Value) -> Vec<String> {
        names_of(&output["files_lost"])
    }

    fn rewritten(&self, output: &Value) -> Vec<String> {
        names_of(&output["files_rewritten"])
    }

    fn present(&self, output: &Value) -> String {
        let text = |name: &str| output[name].as_str().unwrap_or_default().trim_end().to_owned();
        let (stdout, stderr) = (text("stdout"), last_words(&text("stderr")));
        let code = output["exit_code"].as_i64();
        let mut parts = match code {
            Some(0) => vec![stdout, if stderr.is_empty() { stderr } else { format!("stderr: {stderr}") }],
            Some(code) => vec![format!("exit code {code}"), stderr, stdout],
            None => vec!["ended before it was done".to_owned(), stderr, stdout],
        };
        if code == Some(0) {
            parts.extend(changed(output));
        }
        parts.push(text("note"));
        parts.retain(|part| !part.is_empty());
        if parts.is_empty() { "exit code 0, no output, no file changed".to_owned() } else { parts.join("\n") }
    }
}

fn names_of(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Names that are shown.
const NAMES_SHOWN: usize = 20;
/// Characters of complaints that are shown: the last ones tell the most.
const COMPLAINT: usize = 600;

fn last_words(stderr: &str) -> String {
    let lines =
        stderr.lines().filter(|line| line.trim().is_empty() || !line.trim().chars().all(|sign| "^~".contains(sign)));
    let text = lines.collect::<Vec<_>>().join("\n");
    let from = text.chars().count().saturating_sub(COMPLAINT);
    text.chars().skip(from).collect()
}

fn changed(output: &Value) -> Vec<String> {
    let names = |field: &str| -> Vec<String> {
        let names = output[field].as_array().into_iter().flatten().filter_map(Value::as_str);
        names.take(NAMES_SHOWN).map(one_line).collect()
    };
    let mut parts = Vec::new();
    for (title, field) in [("Files gone", "files_gone"), ("Files written", "files_written")] {
        let names = names(field);
        if !names.is_empty() {
            parts.push(format!("{title}: {}", names.join(", ")));
        }
    }
    for preview in output["previews"].as_array().into_iter().flatten() {
        let (name, text) =
            (preview["file"].as_str().unwrap_or_default(), preview["begins"].as_str().unwrap_or_default());
        parts.push(format!("{} ({} lines) begins:\n{text}", one_line(name), preview["lines"]));
    }
    parts
}

fn order(arguments: &Arguments, workspace: &Workspace, context: &CallContext) -> Result<Order, PlaceError> {
    let folder = workspace.existing(arguments.working_dir.as_deref().unwrap_or(".")).and_then(|place| match workspace
        .kind(&place)?
    {
        Some(Kind::Folder) => Ok(place.absolute().to_path_buf()),
        _ => Err(PlaceError::NotFolder { path: place.shown() }),
    });
    Ok(Order {
        command: arguments.command.clone(),
        folder: folder?,
        workspace: workspace.root().to_path_buf(),
        hidden: context.hidden.clone(),
        // A sandbox cannot let single hosts through: only the grant of all of them opens it.
        network: context.hosts.iter().any(|host| host == "*"),
        timeout: context.limit,
        mask: context.mask.clone(),
    })
}

async fn run(
    mut order: Order,
    shortened: bool,
    workspace: Workspace,
    context: &CallContext,
) -> Result<Outcome, ToolStop> {
    let cancel = context.cancel.child_token();
    // Whoever stops waiting for the call also stops the command.
    let guard = cancel.clone().drop_guard();
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let progress = context.progress.clone();
    let (network, looks) = (order.network, changes_nothing(&order.command));
    let why = if shortened { ", the longest that this plan gives a call" } else { "" };
    let limit = format!("{} s{why}", order.timeout.as_secs());
    // One that names them was asked about.
    let sees_secrets = context.granted && names_secrets(&order.command);
    let started = std::thread::Builder::new().name("command".to_owned()).spawn(move || {
        let tell = move |text| {
            let _ = progress.send(Progress { text });
        };
        let mut secrets = (!sees_secrets).then(Gathered::default);
        let before = look(&workspace, !looks, secrets.as_mut(), LONGEST_LOOK, &cancel);
        order.hidden.extend(secrets.into_iter().flat_map(|secrets| secrets.found));
        let ended = sandbox::run(&order, &cancel, tell).map(|ended| {
            let mut changes = match before {
                Some(before) => before.changes(&workspace, LONGEST_LOOK, &order.mask, &cancel),
                None => Changes { are_known: looks, are_all: looks, ..Changes::default() },
            };
            if !runs_script(&order.command) {
                changes.rewritten.clear();
            }
            (ended, changes)
        });
        let _ = sender.send(ended);
    });
    if let Err(error) = started {
        return Ok(failed(format!("the command could not be started: {error}")));
    }
    let ended = receiver.await;
    drop(guard.disarm());
    match ended {
        Ok(Ok((ended, changes))) => outcome(&ended, changes, &limit, (looks, network)),
        Ok(Err(error)) => Ok(failed(error)),
        Err(_) => Ok(failed("the command broke off; this is a defect of Assent, not of the call")),
    }
}

fn outcome(ended: &Ended, changes: Changes, limit: &str, (looks, network): (bool, bool)) -> Result<Outcome, ToolStop> {
    let is_known = looks || (changes.are_all && ended.walls && !network);
    let touched = [&changes.written[..], &changes.gone, &changes.other].concat();
    let output = output(ended, changes, network);
    let message = match ended.end {
        End::Exited(_) => return Ok(Outcome::Success(output)),
        End::Cancelled => return Err(ToolStop::Cancelled),
        End::TimedOut => format!("timed out after {limit}; everything it had started was ended"),
        End::TooManyProcesses => format!("was ended: more than {} processes at a time", sandbox::MAX_PROCESSES),
        End::TooMuchMemory => format!("was ended: more than {} GiB of memory", sandbox::MAX_MEMORY_BYTES >> 30),
    };
    if touched.is_empty() && is_known {
        return Ok(Outcome::Error { message, output });
    }
    // Half of it may be done, and the same line would do that half once more.
    let known = match touched.as_slice() {
        [] => "what it has done until then is not known".to_owned(),
        some => {
            let names: Vec<String> = some.iter().take(NAMES_SHOWN).map(|name| one_line(name)).collect();
            format!("until then it has changed {}", names.join(", "))
        }
    };
    Err(ToolStop::Unknown { event: format!("{message}; {known}") })
}

fn output(ended: &Ended, changes: Changes, network: bool) -> Value {
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
        "files_written": changes.written,
        "files_gone": changes.gone,
        "previews": changes.previews,
        "other_changes": changes.other,
        "changes_are_known": changes.are_known,
        // Behind walls nothing else can be another.
        "changes_are_all": changes.are_all && ended.walls,
        "network": network || !ended.walls,
    });
    for (field, names) in [("files_lost", changes.lost), ("files_rewritten", changes.rewritten)] {
        if !names.is_empty() {
            output[field] = names.into();
        }
    }
    if exit_code != Some(0) && ended.walls && !network && misses_network(&ended.stderr.text) {
        output["note"] = "Commands have no network here.".into();
    } else if exit_code != Some(0) && ended.walls && git_meets_a_secret(&ended.stderr.text) {
        output["note"] =
            "Files of keys and passwords are kept from commands, from git too, and nothing of this call was \
            taken in. Name the other files to git, each of them: git add FILE, git diff -- FILE."
                .into();
    } else if exit_code != Some(0) && ended.walls && ended.stderr.text.contains("Permission denied") {
        output["note"] =
            "Files of keys and passwords, such as .env, are kept from commands. A command that names such a \
            file asks the person."
                .into();
    } else if exit_code != Some(0) && ended.walls && meets_a_wall(&ended.stderr.text) {
        output["note"] = "Only the workspace and /tmp can be written, and of the workspace not what runs later by \
            itself: git's hooks and config, start files of shells, settings of editors."
            .into();
    } else if exit_code != Some(0)
        && let Some(module) = missing_module(&ended.stderr.text)
    {
        output["note"] = format!(
            "Python has no module {module} here. Write it anew with Python's own modules, like csv, json and sqlite3."
        )
        .into();
    } else if exit_code != Some(0)
        && let Some((_, note)) = KNOWN.iter().find(|(sign, _)| ended.stderr.text.contains(sign))
    {
        output["note"] = (*note).into();
    }
    output
}

/// Complaints that do not say what to write instead, with what does: small models make these mistakes again and again.
const KNOWN: [(&str, &str); 6] = [
    ("' -> '", "The folder it goes to may not be there. Make it first: os.makedirs('FOLDER', exist_ok=True)."),
    (
        "dict contains fields not in fieldnames",
        "DictWriter writes only fields that it was given: csv.DictWriter(file, fieldnames=[...], extrasaction='ignore') \
         leaves the others out.",
    ),
    (
        "'NoneType' object has no attribute 'group'",
        "The pattern was not found there. Search the whole text of a file, text = open(path).read(), and not one line of \
         it; where nothing is found, skip it.",
    ),
    (
        "could not convert string to float",
        "A text is not yet a number: strip signs like € or %, and skip the heading and empty fields.",
    ),
    (
        "no such function:",
        "SQLite has no such function. Parts of a date: strftime('%Y', column), strftime('%m', column), strftime('%Y-%m', column).",
    ),
    (
        "string indices must be integers",
        "A loop over a JSON object gives its keys. Take the list inside of it: data['NAME'].",
    ),
];

/// The module that a Python script wanted and that is not installed.
fn missing_module(stderr: &str) -> Option<&str> {
    let (_, after) = stderr.rsplit_once("ModuleNotFoundError: No module named '")?;
    Some(after.split('\'').next().unwrap_or_default()).filter(|name| !name.is_empty())
}

fn meets_a_wall(stderr: &str) -> bool {
    ["Read-only file system", "Device or resource busy"].iter().any(|sign| stderr.contains(sign))
}

fn git_meets_a_secret(stderr: &str) -> bool {
    ["can only add regular files", "unsupported file type"].iter().any(|sign| stderr.contains(sign))
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
