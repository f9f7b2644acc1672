//! The guard: a process of its own that owns one `llama-server`.
//!
//! It survives the commands that use the server, restarts the server after a crash, ends it when nobody has held the
//! shared lock for the grace time, and takes it along when it dies: on Linux the kernel ends the server with its
//! parent; elsewhere a watcher in between ends it when the guard's pipe closes.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::nest::{Nest, Phase, State};

/// The hidden name under which a program becomes the guard.
pub(super) const GUARD: &str = "model-guard";

/// The hidden name under which it becomes the server, or the watcher over it.
const SERVER: &str = "model-guard-server";

const TICK: Duration = Duration::from_millis(100);

/// Crashes within this time that are answered by another start.
const CRASH_WINDOW: Duration = Duration::from_secs(60);
const MAX_CRASHES: usize = 3;

/// What a guard has to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) nest: Nest,
    pub(super) server: PathBuf,
    pub(super) model: PathBuf,
    pub(super) context: u32,
    pub(super) slots: u32,
    pub(super) threads: Option<u32>,
    pub(super) cache_ram: u32,
    pub(super) grace_ms: u64,
    pub(super) ready_within_ms: u64,
}

/// Becomes the guard, when the arguments (the program's name first) say so: `Some` exit status then, `None` for every
/// ordinary call. A program that can start the embedded model calls this before anything else.
pub fn guard_main(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.into_iter().skip(1);
    let name = arguments.next()?;
    if name == GUARD {
        let task = arguments.next().and_then(|text| serde_json::from_str(text.to_str()?).ok());
        return Some(task.map_or(64, |task| Guard::run(&task)));
    }
    if name == SERVER {
        let parent = arguments.next().and_then(|text| text.to_str()?.parse().ok());
        let program = arguments.next();
        return Some(match (parent, program) {
            (Some(parent), Some(program)) => become_server(parent, program, arguments.collect()),
            _ => 64,
        });
    }
    None
}

/// Turns this process into the server, tied to the life of the guard.
#[cfg(target_os = "linux")]
fn become_server(parent: u32, program: OsString, arguments: Vec<OsString>) -> u8 {
    use std::os::unix::process::CommandExt;

    use rustix::process::{Signal, getppid, set_parent_process_death_signal};

    if set_parent_process_death_signal(Some(Signal::KILL)).is_err() {
        return 71;
    }
    // A guard that died before the line above is no parent any more.
    let alive = getppid().is_some_and(|pid| u32::try_from(pid.as_raw_nonzero().get()) == Ok(parent));
    if !alive {
        return 71;
    }
    let _ = Command::new(program).args(arguments).exec();
    127
}

/// Starts the server and ends it when the guard is gone: the guard holds the other end of the standard input.
#[cfg(not(target_os = "linux"))]
fn become_server(_parent: u32, program: OsString, arguments: Vec<OsString>) -> u8 {
    let Ok(mut child) = Command::new(program).args(arguments).stdin(Stdio::null()).spawn() else {
        return 127;
    };
    let gone = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = gone.clone();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        seen.store(true, std::sync::atomic::Ordering::SeqCst);
    });
    loop {
        if gone.load(std::sync::atomic::Ordering::SeqCst) {
            let _ = child.kill();
        }
        if let Ok(Some(status)) = child.try_wait() {
            return status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
        }
        sleep(TICK);
    }
}

struct Guard<'a> {
    task: &'a Task,
    id: String,
    key: String,
    /// Since when nobody holds the shared lock.
    free_since: Option<Instant>,
}

/// Why a server's life ended.
enum End {
    /// Nobody wants it; the lock keeps new users out until it is gone.
    Unwanted(Option<File>),
    /// It ended by itself.
    Died { was_ready: bool, reason: String },
}

impl Guard<'_> {
    fn run(task: &Task) -> u8 {
        let (Ok(id), Ok(key)) = (random_hex(), random_hex()) else {
            return 71;
        };
        let Some(_lock) = take_guard_lock(&task.nest) else {
            // Another guard does it already.
            return 0;
        };
        let mut guard = Guard { task, id, key, free_since: None };
        let mut crashes: Vec<Instant> = Vec::new();
        let mut failures = 0;
        loop {
            guard.say(Phase::Loading);
            match guard.one_life() {
                End::Unwanted(_lock) => {
                    let _ = std::fs::remove_file(task.nest.0.join("server.json"));
                    return 0;
                }
                End::Died { was_ready, reason } => {
                    crashes.retain(|crash| crash.elapsed() < CRASH_WINDOW);
                    crashes.push(Instant::now());
                    // One more try without ever being ready: another program may have taken the port in between.
                    failures = if was_ready { 0 } else { failures + 1 };
                    if failures > 1 || crashes.len() > MAX_CRASHES {
                        guard.say(Phase::Failed { reason });
                        return 1;
                    }
                }
            }
        }
    }

    fn say(&self, phase: Phase) {
        let state = State { guard: self.id.clone(), guard_pid: std::process::id(), phase };
        // Who waits sees the guard end and reports that; there is nobody else to tell.
        let _ = self.task.nest.say(&state);
    }

    /// One server from its start to its end.
    fn one_life(&mut self) -> End {
        let (mut child, port) = match self.start() {
            Ok(started) => started,
            Err(error) => {
                let reason = format!("{} cannot be started: {error}", self.task.server.display());
                return End::Died { was_ready: false, reason };
            }
        };
        let started = Instant::now();
        let ready_within = Duration::from_millis(self.task.ready_within_ms);
        let mut was_ready = false;
        loop {
            if let Ok(Some(status)) = child.try_wait() {
                return End::Died { was_ready, reason: self.reason_of(&status) };
            }
            if !was_ready && is_healthy(port) {
                was_ready = true;
                self.say(Phase::Ready { port, key: self.key.clone(), pid: child.id() });
            }
            if !was_ready && started.elapsed() > ready_within {
                end(&mut child);
                let reason = format!(
                    "the model was not loaded within {} seconds; the machine may be too busy or short of memory, see {}",
                    ready_within.as_secs(),
                    self.task.nest.log().display()
                );
                return End::Died { was_ready, reason };
            }
            if let Some(lock) = self.unwanted() {
                end(&mut child);
                return End::Unwanted(lock);
            }
            sleep(TICK);
        }
    }

    /// The exclusive lock, once nobody has held the shared one for the grace time; or when the data folder is gone.
    fn unwanted(&mut self) -> Option<Option<File>> {
        let Ok(lock) = self.task.nest.use_lock() else {
            return Some(None);
        };
        if lock.try_lock().is_err() {
            self.free_since = None;
            return None;
        }
        let since = *self.free_since.get_or_insert_with(Instant::now);
        (since.elapsed() >= Duration::from_millis(self.task.grace_ms)).then_some(Some(lock))
    }

    fn start(&self) -> std::io::Result<(Child, u16)> {
        let task = self.task;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let log = File::create(task.nest.log())?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(SERVER).arg(std::process::id().to_string()).arg(&task.server);
        command.arg("-m").arg(&task.model);
        for (name, value) in [
            ("--host", "127.0.0.1".to_owned()),
            ("--port", port.to_string()),
            // Of all slots together.
            ("-c", task.context.saturating_mul(task.slots.max(1)).to_string()),
            ("-np", task.slots.max(1).to_string()),
            ("--cache-ram", task.cache_ram.to_string()),
            // Errors and warnings; nothing of what is asked or answered.
            ("--log-verbosity", "2".to_owned()),
        ] {
            command.arg(name).arg(value);
        }
        if let Some(threads) = task.threads {
            command.arg("-t").arg(threads.to_string());
        }
        command.args(["--no-kv-unified", "--no-webui", "--no-slots", "--offline"]);
        for (name, _) in std::env::vars_os() {
            let upper = name.to_string_lossy().to_uppercase();
            if ["KEY", "TOKEN", "SECRET", "PASSWORD", "LLAMA_ARG"].iter().any(|part| upper.contains(part)) {
                command.env_remove(&name);
            }
        }
        command.env("LLAMA_API_KEY", &self.key).current_dir(&task.nest.0);
        // The pipe is what the watcher listens to where the kernel does not end the server.
        let input = if cfg!(target_os = "linux") { Stdio::null() } else { Stdio::piped() };
        let child = command.stdin(input).stdout(log.try_clone()?).stderr(log).spawn()?;
        Ok((child, port))
    }

    /// What the server's end means for a person.
    fn reason_of(&self, status: &std::process::ExitStatus) -> String {
        let said = last_lines(&self.task.nest.log());
        let lower = said.to_lowercase();
        let killed = killed(status);
        let memory = ["failed to allocate", "unable to allocate", "out of memory", "bad_alloc", "cannot allocate"];
        if killed || memory.iter().any(|words| lower.contains(words)) {
            return format!(
                "the model server ended for lack of memory or was killed ({status}); close other programs or choose a smaller model"
            );
        }
        if ["failed to load model", "invalid magic", "error loading model"].iter().any(|words| lower.contains(words)) {
            return format!(
                "the model server cannot read {}; trying the model in the settings, or `assent model test`, checks the file. It said: {said}",
                self.task.model.display()
            );
        }
        format!("the model server ended by itself ({status}). It said: {said}")
    }
}

#[cfg(unix)]
fn killed(status: &std::process::ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(9)
}

#[cfg(not(unix))]
fn killed(_status: &std::process::ExitStatus) -> bool {
    false
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// The guard's lock. Others only look at it for a moment, so it is tried more than once.
fn take_guard_lock(nest: &Nest) -> Option<File> {
    let file = nest.guard_lock().ok()?;
    for _ in 0..10 {
        if file.try_lock().is_ok() {
            return Some(file);
        }
        sleep(TICK / 4);
    }
    None
}

fn random_hex() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 24];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether the server says that it is ready; while it loads it answers with another status.
fn is_healthy(port: u16) -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let Ok(mut stream) = TcpStream::connect_timeout(&address, Duration::from_millis(500)) else {
        return false;
    };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
    let asked = stream.write_all(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    let mut head = [0_u8; 12];
    asked.is_ok() && stream.read_exact(&mut head).is_ok() && head.ends_with(b" 200")
}

/// The end of the server's log on one line.
fn last_lines(path: &std::path::Path) -> String {
    let mut text = String::new();
    if let Ok(mut file) = File::open(path) {
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        let _ = file.seek(SeekFrom::Start(length.saturating_sub(2000)));
        let mut bytes = Vec::new();
        let _ = file.take(2000).read_to_end(&mut bytes);
        text = String::from_utf8_lossy(&bytes).into_owned();
    }
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(4)..];
    if last.is_empty() { "nothing".to_owned() } else { last.join(" / ") }
}
