//! Walls by bubblewrap: namespaces of its own for processes, mounts, network and the rest.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use assent_core::order::sort;

use super::{Order, Unavailable, later};
use crate::tool::secrets::at_home;

/// Only where a system installs it: a `bwrap` that a workspace brings along must not be found.
const PLACES: [&str; 3] = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];

/// Folders in memory that a command has for itself, and how many bytes each may hold.
const MEMORY: [(&str, &str); 4] =
    [("/tmp", "1073741824"), ("/var/tmp", "268435456"), ("/dev/shm", "268435456"), ("/run", "16777216")];

/// So many files of a hidden folder are covered one by one.
const MOST_COVERED: usize = 500;

/// A command line behind walls.
pub(super) fn command(order: &Order, words: &[String]) -> Command {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    // A command without network could still print them into a model's context.
    let secrets = home.iter().flat_map(|home| at_home(home));
    let unseen = order.hidden.iter().cloned().chain(secrets).filter_map(|path| path.canonicalize().ok());
    let unseen = outermost(unseen.collect(), &order.workspace);
    let mut command = Command::new(program().unwrap_or(PLACES[0]));
    command.args(["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
    if order.network {
        command.arg("--share-net");
    }
    command.args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    // Sockets of other programs lie in /run, and a socket can be used through a read-only mount.
    for (path, size) in MEMORY {
        if has_size() {
            command.args(["--size", size]);
        }
        command.args(["--tmpfs", path]);
    }
    // It is memory too, and without a bound of its own.
    command.args(["--remount-ro", "/dev"]);
    if order.network {
        command.args(["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"]);
    }
    let around = |path: &&PathBuf| order.workspace.starts_with(path);
    for path in unseen.iter().filter(around) {
        command.arg("--tmpfs").arg(path);
    }
    command.arg("--bind").arg(&order.workspace).arg(&order.workspace);
    let later = later::in_workspace(&order.workspace);
    for path in &later.fixed {
        command.arg("--bind-try").arg(path).arg(path);
    }
    for path in &later.read_only {
        command.arg("--ro-bind-try").arg(path).arg(path);
    }
    for path in unseen.iter().filter(|path| !around(path)) {
        hide(&mut command, path, &order.workspace);
    }
    for path in unseen.iter().filter(around) {
        command.arg("--remount-ro").arg(path);
    }
    command.arg("--chdir").arg(&order.folder).arg("--").args(words);
    command
}

/// Without what lies in another one that is hidden whole.
fn outermost(mut paths: Vec<PathBuf>, workspace: &Path) -> Vec<PathBuf> {
    sort(&mut paths);
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in paths {
        let is_inside = |above: &PathBuf| path == *above || path.starts_with(above) && !workspace.starts_with(above);
        if !kept.last().is_some_and(is_inside) {
            kept.push(path);
        }
    }
    kept
}

fn hide(command: &mut Command, path: &Path, workspace: &Path) {
    if !path.is_dir() {
        command.args(["--ro-bind", "/dev/null"]).arg(path);
        return;
    }
    command.arg("--tmpfs").arg(path);
    // For git a file that is not there is deleted, and a commit would delete it: one that is no file it leaves alone, and
    // tells.
    if let Some(git) = repository_of(path, workspace) {
        match files_below(path) {
            Some(files) => files.iter().for_each(|file| {
                command.args(["--ro-bind", "/dev/null"]).arg(file);
            }),
            None => {
                command.arg("--ro-bind").arg(&git).arg(&git);
            }
        }
    }
    command.arg("--remount-ro").arg(path);
}

/// The repository in the workspace that may keep what is in a folder.
fn repository_of(folder: &Path, workspace: &Path) -> Option<PathBuf> {
    let above = folder.ancestors().skip(1).take_while(|above| above.starts_with(workspace));
    above.map(|above| above.join(".git")).find(|git| git.exists())
}

/// What is in a folder and below it and is no folder; `None` where that is more than can be covered one by one.
fn files_below(folder: &Path) -> Option<Vec<PathBuf>> {
    let (mut files, mut open) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder { &mut open } else { &mut files }.push(entry.path());
            if files.len() + open.len() > MOST_COVERED {
                return None;
            }
        }
    }
    Some(files)
}

/// Whether folders in memory can be bounded: since bubblewrap 0.7.
fn has_size() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let said = Command::new(program().unwrap_or(PLACES[0])).arg("--help").stdin(Stdio::null()).output();
        said.is_ok_and(|said| knows_size(&String::from_utf8_lossy(&[said.stdout, said.stderr].concat())))
    })
}

fn knows_size(help: &str) -> bool {
    help.lines().any(|line| line.trim_start().starts_with("--size "))
}

/// What these walls leave open.
pub(super) fn gaps() -> Vec<String> {
    let unbounded = "what a command writes to /tmp is only bounded by the machine's memory: bubblewrap 0.7 or later \
                     would bound it";
    if has_size() { Vec::new() } else { vec![unbounded.to_owned()] }
}

fn program() -> Option<&'static str> {
    PLACES.into_iter().find(|path| Path::new(path).exists())
}

/// Tries the same walls around a command that does nothing.
pub(super) fn try_out() -> Result<(), Unavailable> {
    if program().is_none() {
        let reason = "bubblewrap is not installed; install the package `bubblewrap`".to_owned();
        return Err(Unavailable { reason });
    }
    let order = Order {
        command: String::new(),
        folder: PathBuf::from("/"),
        workspace: std::env::temp_dir(),
        hidden: Vec::new(),
        network: false,
        timeout: std::time::Duration::ZERO,
        mask: std::sync::Arc::default(),
    };
    let mut trial = command(&order, &["/bin/true".to_owned()]);
    let done = trial.stdin(Stdio::null()).output();
    match done {
        Ok(done) if done.status.success() => Ok(()),
        Ok(done) => {
            let said = String::from_utf8_lossy(&done.stderr);
            let said = said.trim().trim_start_matches("bwrap: ");
            let reason = format!("bubblewrap does not work here ({said}); user namespaces may be switched off");
            Err(Unavailable { reason })
        }
        Err(error) => Err(Unavailable { reason: format!("bubblewrap could not be started: {error}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::knows_size;

    #[test]
    fn a_bound_on_memory_is_only_asked_for_where_it_is_known() {
        let known = "    --perms OCTAL                Set permissions of next argument\n    --size BYTES                 Set size of next argument (only for --tmpfs)\n";
        assert!(knows_size(known));
        assert!(!knows_size("    --tmpfs DEST                 Mount new tmpfs on DEST, see also --sizes\n"));
    }
}
