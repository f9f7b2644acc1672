//! Running a command line behind walls: the workspace can be written but for what would later run by itself, the rest
//! only read, Assent's data and the user's keys not even seen, no network unless it is granted, nothing left running.
//!
//! Linux: bubblewrap. macOS: Seatbelt (written from its documentation, never run). Where neither works [`available`]
//! says why, and every command has to be allowed by a person.

mod bubblewrap;
mod census;
mod cgroup;
mod later;
mod process;
#[cfg(target_os = "macos")]
mod seatbelt;
mod stream;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use thiserror::Error;
use tokio_util::sync::CancellationToken;

pub use stream::Kept;

use crate::vault::Mask;

/// Why there are no walls on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("commands cannot be shut in: {reason}")]
pub struct Unavailable {
    /// What is missing, and how to get it.
    pub reason: String,
}

/// What is run, and inside what.
#[derive(Debug, Clone)]
pub struct Order {
    /// A command line for the shell.
    pub command: String,
    /// Where it runs; inside the workspace.
    pub folder: PathBuf,
    /// The folder it may write; a real path.
    pub workspace: PathBuf,
    /// Folders and files it may not see.
    pub hidden: Vec<PathBuf>,
    /// Whether it may use the network.
    pub network: bool,
    /// How long it may take.
    pub timeout: Duration,
    /// Hides the person's secrets in what it writes, before anything of it is cut or told.
    pub mask: Arc<Mask>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code; 128 + n when signal n ended it.
    Exited(i32),
    /// Its time was up.
    TimedOut,
    /// A person stopped it.
    Cancelled,
    /// It started more processes at a time than [`MAX_PROCESSES`].
    TooManyProcesses,
    /// It took more memory than [`MAX_MEMORY_BYTES`].
    TooMuchMemory,
}

/// A command that is over.
#[derive(Debug, Clone)]
pub struct Ended {
    /// How.
    pub end: End,
    /// What it wrote.
    pub stdout: Kept,
    /// What it complained about.
    pub stderr: Kept,
    /// How long it took.
    pub duration: Duration,
    /// Whether there were walls.
    pub walls: bool,
}

/// A command that never began.
#[derive(Debug, Error)]
pub enum StartError {
    /// More text than a system takes.
    #[error("the command is too long: {length} bytes, at most {MAX_COMMAND_BYTES}; write it to a file and run that")]
    TooLong {
        /// Its length.
        length: usize,
    },
    /// No system takes that.
    #[error("the command holds a NUL character")]
    Nul,
    /// The system refuses.
    #[error("the command could not be started: {0}")]
    Refused(#[from] std::io::Error),
}

/// Processes at a time.
pub const MAX_PROCESSES: usize = 512;
/// Tasks at a time, threads included: what the system lets through at most, so that watching has time.
const MAX_TASKS: usize = 2048;
/// Memory of all processes together, what they share counted once: 4 GiB.
pub const MAX_MEMORY_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// The longest command line.
pub const MAX_COMMAND_BYTES: usize = 100 * 1024;

/// Whether commands can be shut in here; tried out once.
///
/// # Errors
/// [`Unavailable`] with the reason.
pub fn available() -> Result<(), Unavailable> {
    static FOUND: OnceLock<Result<(), Unavailable>> = OnceLock::new();
    FOUND.get_or_init(try_out).clone()
}

/// What the walls of this machine leave open, in sentences; nothing where there are none.
pub fn gaps() -> Vec<String> {
    if available().is_ok() { gaps_of_walls() } else { Vec::new() }
}

/// Runs a command to its end; blocks. It and all that it started are gone when this returns.
///
/// `progress` gets what is newest of its output, at most some ten times a second.
///
/// # Errors
/// [`StartError`] when nothing was run.
pub fn run(
    order: &Order,
    cancel: &CancellationToken,
    progress: impl Fn(String) + Send + Sync + 'static,
) -> Result<Ended, StartError> {
    if order.command.len() > MAX_COMMAND_BYTES {
        return Err(StartError::TooLong { length: order.command.len() });
    }
    if order.command.contains('\0') {
        return Err(StartError::Nul);
    }
    let walls = available().is_ok();
    let mut command = if walls { behind_walls(order) } else { shell() };
    set_surroundings(&mut command, order);
    let ends = if walls { end_behind_walls() } else { EndsWith::Group };
    process::run(command, order, cancel, progress, (walls, ends))
}

#[cfg(target_os = "linux")]
fn behind_walls(order: &Order) -> Command {
    bubblewrap::command(order, &shell_words())
}

#[cfg(target_os = "macos")]
fn behind_walls(order: &Order) -> Command {
    seatbelt::command(order, &watched(shell_words()))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn behind_walls(_: &Order) -> Command {
    shell()
}

/// With what all that a command has started ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndsWith {
    /// With its first process, which has a process namespace of its own, and which ends with this one.
    Namespace,
    /// With its group, and whatever else is found of it.
    Group,
}

/// Only bubblewrap's walls are around processes too.
fn end_behind_walls() -> EndsWith {
    if cfg!(target_os = "linux") { EndsWith::Namespace } else { EndsWith::Group }
}

#[cfg(target_os = "linux")]
fn gaps_of_walls() -> Vec<String> {
    bubblewrap::gaps()
}

#[cfg(not(target_os = "linux"))]
fn gaps_of_walls() -> Vec<String> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn try_out() -> Result<(), Unavailable> {
    bubblewrap::try_out()
}

#[cfg(target_os = "macos")]
fn try_out() -> Result<(), Unavailable> {
    seatbelt::try_out()
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn try_out() -> Result<(), Unavailable> {
    Err(Unavailable { reason: "there is no sandbox for this system".to_owned() })
}

fn shell() -> Command {
    let words = watched(shell_words());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// The shell with its limits: no core dumps, no file beyond 2 GiB, the first to go when memory runs out, and a bound on
/// processes that the system itself keeps for everybody but the administrator. What it runs stands in its environment,
/// which only the same user can read: the words of a process are there for everybody, and there may be a secret among them.
fn shell_words() -> [String; 3] {
    let shell = ["/bin/bash", "/usr/bin/bash"].into_iter().find(|path| Path::new(path).exists()).unwrap_or("/bin/sh");
    // A pipeline that fails anywhere fails: else `grep word missing | sort > list` would count as done.
    let tasks = task_limit();
    let options = if shell.ends_with("bash") { "-o pipefail " } else { "" };
    let limits = format!(
        "ulimit -c 0 2>/dev/null; ulimit -f 2097152 2>/dev/null; ulimit -u {tasks} 2>/dev/null; \
         (echo 900 >/proc/self/oom_score_adj) 2>/dev/null; \
         exec {shell} {options}-c 'eval \"unset {LINE}; ${LINE}\"'"
    );
    [shell.to_owned(), "-c".to_owned(), limits]
}

/// The same where nothing else ends it with this process: somebody of its group waits at its standard input, of which
/// this process holds the other end, and ends the group when that is gone.
fn watched([shell, option, limits]: [String; 3]) -> [String; 3] {
    let watch = "exec 3<&0 </dev/null; ( (exec <&3; read -r _; kill -KILL -- -$$) >/dev/null 2>&1 & ); exec 3<&-";
    [shell, option, format!("{watch}; {limits}")]
}

/// The variable in which a command line is handed to its shell; what it starts does not have it.
const LINE: &str = "ASSENT_LINE";

/// Since Linux 5.14 a namespace counts its own tasks; before, all of the user's count, also those of the desktop.
fn task_limit() -> usize {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version >= (5, 14) { MAX_TASKS } else { 4 * MAX_TASKS }
}

/// What of this process's environment a command gets: nothing that may be a secret.
const KEPT_VARIABLES: [&str; 16] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_NUMERIC",
    "LC_TIME",
    "TZ",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "JAVA_HOME",
    "GOPATH",
    "VIRTUAL_ENV",
];

fn set_surroundings(command: &mut Command, order: &Order) {
    command.env_clear();
    for name in KEPT_VARIABLES {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.env("TERM", "dumb").env("NO_COLOR", "1").env("PAGER", "cat").env("GIT_PAGER", "cat");
    command.env("GIT_TERMINAL_PROMPT", "0").env("TMPDIR", if cfg!(target_os = "linux") { "/tmp" } else { "" });
    command.env(LINE, &order.command);
    if order.folder.is_dir() {
        command.current_dir(&order.folder);
    }
}

#[cfg(test)]
mod tests;
