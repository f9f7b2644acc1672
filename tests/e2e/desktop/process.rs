//! Programs that end with the test, and waiting for what cannot say when it is ready.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::{Context, Result, bail, ensure};

/// How long a program or a page may take to get somewhere.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks: short at first, longer for what takes long, because each look takes time from what is waited for.
const PAUSES: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(250)];

/// A process that ends with the value.
pub struct Running(pub Child);

impl Running {
    pub fn start(command: &mut Command) -> Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.stdin(Stdio::null()).spawn();
        Ok(Self(child.with_context(|| format!("{name} does not start; `scripts/setup test` installs it"))?))
    }

    /// What it has complained of until it ended, where that is kept.
    pub fn complaints(&mut self) -> Result<String> {
        let mut said = String::new();
        if let Some(mut kept) = self.0.stderr.take() {
            kept.read_to_string(&mut said)?;
        }
        Ok(said)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ended = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// Looks again and again until there is something to see.
pub fn until<T>(what: &str, look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    until_within(PATIENCE, what, look)
}

/// As [`until`], for what takes longer on a busy machine.
pub fn until_within<T>(patience: Duration, what: &str, mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let began = Instant::now();
    loop {
        if let Some(seen) = look()? {
            return Ok(seen);
        }
        let waited = began.elapsed();
        if waited > patience {
            bail!("{what}: not within {patience:?}");
        }
        let [short, long] = PAUSES;
        thread::sleep((waited / 20).clamp(short, long));
    }
}

/// The processes of a program that use a data folder.
pub fn processes(program: &str, data: &Path) -> Result<Vec<u32>> {
    let program = fs::canonicalize(program)?;
    let marked = format!("ASSENT_HOME={}", data.display());
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let is_program = fs::read_link(entry.path().join("exe")).is_ok_and(|path| path == program);
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if is_program && environment.split(|byte| *byte == 0).any(|one| one == marked.as_bytes()) {
            found.push(pid);
        }
    }
    Ok(found)
}

/// Ends a process as a crash or a loss of power would.
pub fn kill(pid: u32) -> Result<()> {
    let killed = Command::new("kill").args(["-KILL", &pid.to_string()]).status()?;
    ensure!(killed.success(), "{pid} was not killed");
    Ok(())
}
