//! One process with all that it starts: begun, watched, and ended whole.

use std::io::{Read, pipe};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::cgroup::Group;
use super::stream::{Kept, drain};
use super::{End, Ended, EndsWith, MAX_MEMORY_BYTES, MAX_PROCESSES, Order, StartError, census};
use crate::vault::{Mask, Veil};

/// Between two looks at whether it has ended, at most.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);
/// Between two counts of its processes.
const CENSUS_PAUSE: Duration = Duration::from_millis(150);
/// How long output is waited for after the end; what holds a stream open then is no longer of this command.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// The same behind walls, where nothing is left to hold it open: only a machine without a free core keeps it that long.
const LAST_WORDS_BEHIND_WALLS: Duration = Duration::from_secs(10);

/// Runs a command on this thread until it and everything that it started is gone.
///
/// The thread must live as long as the command: bubblewrap dies with the thread that started it, not only with the
/// process.
pub(super) fn run(
    command: Command,
    order: &Order,
    cancel: &CancellationToken,
    progress: impl Fn(String) + Send + Sync + 'static,
    (walls, ends): (bool, EndsWith),
) -> Result<Ended, StartError> {
    let mark = mark();
    let (name, value) = mark.split_once('=').unwrap_or(("", ""));
    // Dropped at the end of this function, when everything in it is gone.
    let group = Group::new(value);
    let mut command = match &group {
        Some(group) => group.entered_by(&command),
        None => command,
    };
    // Held until the end: whoever watches for this process at the other end sees it go.
    let (stdin, _held) = match ends {
        EndsWith::Namespace => (Stdio::null(), None),
        EndsWith::Group => {
            let (reader, writer) = pipe()?;
            (Stdio::from(reader), Some(writer))
        }
    };
    command.env(name, value).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    own_group(&mut command);
    let began = Instant::now();
    let mut child = command.spawn()?;
    // With it goes this process's own copy of the end that is read.
    drop(command);
    let progress = Arc::new(progress);
    let stdout = read(child.stdout.take(), &order.mask, Arc::clone(&progress));
    let stderr = read(child.stderr.take(), &order.mask, progress);
    let end = watch(&mut child, began, order.timeout, cancel)?;
    finish(&mut child, &mark, ends, matches!(end, End::Exited(_)));
    let awaited = if ends == EndsWith::Namespace { LAST_WORDS_BEHIND_WALLS } else { LAST_WORDS };
    let words = |stream: &Receiver<Kept>| stream.recv_timeout(awaited).unwrap_or_default();
    Ok(Ended { end, stdout: words(&stdout), stderr: words(&stderr), duration: began.elapsed(), walls })
}

fn watch(child: &mut Child, began: Instant, timeout: Duration, cancel: &CancellationToken) -> Result<End, StartError> {
    let root = i32::try_from(child.id()).unwrap_or(0);
    let mut pause = Duration::from_micros(500);
    let (mut counted, mut counting) = (began, CENSUS_PAUSE);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(End::Exited(code(status)));
        }
        if cancel.is_cancelled() {
            return Ok(End::Cancelled);
        }
        if began.elapsed() >= timeout {
            return Ok(End::TimedOut);
        }
        if counted.elapsed() >= counting {
            let census = census::of(root, MAX_PROCESSES);
            if census.processes() > MAX_PROCESSES {
                return Ok(End::TooManyProcesses);
            }
            if census.holds_more_than(MAX_MEMORY_BYTES) {
                return Ok(End::TooMuchMemory);
            }
            // What has grown is looked at again at once: it may go on growing.
            counting = if census.processes() > MAX_PROCESSES / 8 { LONGEST_PAUSE } else { CENSUS_PAUSE };
            counted = Instant::now();
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Ends what is left: a namespace by its first process; else the group, the descendants and what carries the mark, one by
/// one.
fn finish(child: &mut Child, mark: &str, ends: EndsWith, exited: bool) {
    let root = i32::try_from(child.id()).unwrap_or(0);
    match ends {
        EndsWith::Namespace if exited => {}
        EndsWith::Namespace => drop(child.kill()),
        EndsWith::Group => {
            end_group(root);
            census::end(root, mark);
        }
    }
    let _ = child.wait();
}

fn read(
    stream: Option<impl Read + Send + 'static>,
    mask: &Arc<Mask>,
    progress: Arc<impl Fn(String) + Send + Sync + 'static>,
) -> Receiver<Kept> {
    let (sender, receiver) = channel();
    if let Some(stream) = stream {
        let veil = Veil::new(mask.clone());
        std::thread::spawn(move || {
            // Nobody waits any more where the stream outlives the command.
            let _ = sender.send(drain(stream, veil, |text| progress(text)));
        });
    }
    receiver
}

/// Tells a command's processes from all others.
fn mark() -> String {
    let mut chance = [0_u8; 8];
    if getrandom::fill(&mut chance).is_err() {
        chance = u64::from(std::process::id()).to_le_bytes();
    }
    format!("ASSENT_COMMAND={:016x}", u64::from_le_bytes(chance))
}

#[cfg(unix)]
fn code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

#[cfg(not(unix))]
fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or(-1)
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

#[cfg(unix)]
fn end_group(root: i32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = Pid::from_raw(root) {
        // The whole group may be gone already.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_: i32) {}
