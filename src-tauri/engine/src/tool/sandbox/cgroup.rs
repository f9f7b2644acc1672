//! A bound on tasks that the system itself keeps for the administrator's commands.
//!
//! For everybody else `ulimit -u` does it; the kernel does not count an administrator's processes there. Watching alone
//! is not enough: a fork bomb grows faster than a watcher wakes.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::MAX_TASKS;

/// A control group with a bound; removed when it is dropped, which is after its processes are gone.
pub(super) struct Group {
    folder: PathBuf,
}

impl Group {
    /// A group for one command; `None` where there are no control groups that this process may make.
    pub(super) fn new(name: &str) -> Option<Self> {
        if !cfg!(target_os = "linux") || !rustix::process::geteuid().is_root() {
            return None;
        }
        let folder = parent()?.join(format!("assent-{name}"));
        std::fs::create_dir(&folder).ok()?;
        let group = Self { folder };
        std::fs::write(group.folder.join("pids.max"), MAX_TASKS.to_string()).ok()?;
        Some(group)
    }

    /// The same command, which enters the group before it begins.
    pub(super) fn entered_by(&self, command: &Command) -> Command {
        let mut entering = Command::new("/bin/sh");
        entering.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(self.folder.join("cgroup.procs"));
        entering.arg(command.get_program()).args(command.get_args());
        if let Some(folder) = command.get_current_dir() {
            entering.current_dir(folder);
        }
        entering.env_clear();
        entering.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        entering
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The last tasks leave a moment after they ended. What is left then is an empty folder and no harm.
        for _ in 0..50 {
            if std::fs::remove_dir(&self.folder).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    }
}

/// Where groups that bound tasks are made: by the first version of control groups, or by the second.
fn parent() -> Option<PathBuf> {
    let first = Path::new("/sys/fs/cgroup/pids");
    if first.join("cgroup.procs").exists() {
        return Some(first.to_path_buf());
    }
    let second = Path::new("/sys/fs/cgroup");
    let bounded = std::fs::read_to_string(second.join("cgroup.subtree_control")).ok()?;
    bounded.split_ascii_whitespace().any(|controller| controller == "pids").then(|| second.to_path_buf())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::Group;

    /// Only an administrator's process may make groups; for others `ulimit -u` holds.
    #[test]
    fn a_command_runs_inside_its_bounded_group_and_the_group_goes_with_it() {
        let name = format!("test-{}", std::process::id());
        let Some(group) = Group::new(&name) else { return };
        let mut command = Command::new("/bin/cat");
        command.arg("/proc/self/cgroup").current_dir("/");
        let output = group.entered_by(&command).output().unwrap();
        let lines = String::from_utf8(output.stdout).unwrap();
        assert!(lines.contains(&format!("/assent-{name}")), "{lines}");
        assert_eq!(std::fs::read_to_string(group.folder.join("pids.max")).unwrap().trim(), "2048");
        let folder = group.folder.clone();
        drop(group);
        assert!(!folder.exists());
    }
}
