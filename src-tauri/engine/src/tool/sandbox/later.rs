//! What in a workspace runs later by itself, outside of the walls: hooks and configuration of git, of shells, of editors.
//!
//! A command that could write there would have its way the next time the person uses git or opens the folder. What they
//! start themselves, a script or a build, is theirs to look at and is not protected.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// So many entries of folders are looked at for repositories.
const LOOKED_AT: usize = 2000;
/// So many folders deep.
const DEPTH: usize = 3;

/// Read by a program without being asked for, where the workspace is a project or the home folder itself.
const BY_THEMSELVES: [&str; 24] = [
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".config/autostart",
    ".config/environment.d",
    ".config/fish",
    ".config/git",
    ".config/systemd",
    ".envrc",
    ".gitconfig",
    ".husky",
    ".idea",
    ".local/share/systemd",
    ".mcp.json",
    ".pam_environment",
    ".profile",
    ".vscode",
    ".xprofile",
    ".xsessionrc",
    ".zlogin",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// Of a repository: what git runs, and what tells it to run something. The rest of it can be written, so that commits
/// can be made.
const OF_GIT: [&str; 3] = ["hooks", "config", "config.worktree"];

/// Where a command may not write, as real paths.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Later {
    /// Folders that must stay where they are: else one of another content could be put in their place.
    pub(super) fixed: Vec<PathBuf>,
    /// Files and folders that can only be read.
    pub(super) read_only: Vec<PathBuf>,
}

/// Looks through a workspace; what it cannot read it leaves out.
pub(super) fn in_workspace(workspace: &Path) -> Later {
    let mut later = Later::default();
    let named = BY_THEMSELVES.iter().map(|name| workspace.join(name));
    later.read_only.extend(named.filter(|path| is_itself(path)));
    let mut left = LOOKED_AT;
    let mut open = VecDeque::from([(workspace.to_path_buf(), 0)]);
    while let Some((folder, depth)) = open.pop_front() {
        later.repository(&folder.join(".git"), workspace);
        if depth == DEPTH {
            continue;
        }
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten().take(left) {
            left -= 1;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_passed_over(&entry.file_name()) {
                open.push_back((entry.path(), depth + 1));
            }
        }
    }
    later
}

impl Later {
    fn repository(&mut self, git: &Path, workspace: &Path) {
        if !is_itself(git) {
            return;
        }
        if git.is_dir() {
            self.git_folder(git);
            return;
        }
        // A worktree or a submodule: a file that says where its repository is.
        self.read_only.push(git.to_path_buf());
        let told = std::fs::read_to_string(git).unwrap_or_default();
        let Some(place) = told.trim().strip_prefix("gitdir:") else { return };
        let place = git.parent().unwrap_or(workspace).join(place.trim()).canonicalize();
        if let Some(place) = place.ok().filter(|place| place.starts_with(workspace) && place != workspace) {
            self.git_folder(&place);
        }
    }

    fn git_folder(&mut self, git: &Path) {
        if self.fixed.iter().any(|known| known == git) {
            return;
        }
        self.fixed.push(git.to_path_buf());
        // An empty folder keeps a command from making one of its own; git itself makes it for every repository.
        let _ = std::fs::create_dir(git.join("hooks"));
        // The same for a configuration that is not there yet: an empty one says nothing, and cannot be written.
        let _ = std::fs::File::create_new(git.join("config"));
        if std::fs::read_to_string(git.join("config")).is_ok_and(|text| text.to_lowercase().contains("worktreeconfig"))
        {
            let _ = std::fs::File::create_new(git.join("config.worktree"));
        }
        self.read_only.extend(OF_GIT.iter().map(|name| git.join(name)).filter(|path| is_itself(path)));
        let modules = std::fs::read_dir(git.join("modules")).into_iter().flatten().flatten();
        for module in modules.take(100).map(|entry| entry.path()).filter(|path| path.join("config").is_file()) {
            self.git_folder(&module);
        }
    }
}

/// Whether something is there that is no link: to bind over a link would be to bind over what it leads to.
fn is_itself(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| !found.file_type().is_symlink())
}

fn is_passed_over(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') || ["node_modules", "target", "vendor", "venv"].contains(&name.as_ref())
}

#[cfg(test)]
mod tests {
    use super::{Later, in_workspace};
    use crate::tool::testing::Bench;

    #[test]
    fn repositories_worktrees_and_submodules_are_found_and_links_are_not_followed() {
        let bench = Bench::with(&[
            (".git/config", ""),
            (".git/modules/part/config", ""),
            (".git/modules/part/hooks/pre-commit", ""),
            ("part/.git", "gitdir: ../.git/modules/part\n"),
            ("deep/er/.git/config", ""),
            ("node_modules/x/.git/config", ""),
            ("elsewhere/.git", "gitdir: /nowhere/at/all\n"),
            (".envrc", "export A=1"),
            (".vscode/tasks.json", "{}"),
        ]);
        std::os::unix::fs::symlink(bench.path("deep"), bench.path(".idea")).unwrap();
        let Later { mut fixed, mut read_only } = in_workspace(&bench.context.workspace);
        fixed.sort();
        read_only.sort();
        let paths = |names: &[&str]| names.iter().map(|name| bench.path(name)).collect::<Vec<_>>();
        assert_eq!(fixed, paths(&[".git", ".git/modules/part", "deep/er/.git"]));
        let wanted = paths(&[
            ".envrc",
            ".git/config",
            ".git/hooks",
            ".git/modules/part/config",
            ".git/modules/part/hooks",
            ".vscode",
            "deep/er/.git/config",
            "deep/er/.git/hooks",
            "elsewhere/.git",
            "part/.git",
        ]);
        assert_eq!(read_only, wanted);
    }

    #[test]
    fn a_repository_that_a_command_has_begun_gets_no_configuration_from_the_next() {
        let bench = Bench::with(&[
            (".git/HEAD", "ref: refs/heads/main\n"),
            ("part/.git/config", "[extensions]\n\tworktreeConfig = true\n"),
        ]);
        let found = in_workspace(&bench.context.workspace);
        for name in [".git/config", ".git/hooks", "part/.git/config", "part/.git/config.worktree", "part/.git/hooks"] {
            assert!(found.read_only.contains(&bench.path(name)), "{name} can be written");
        }
        assert_eq!(std::fs::read_to_string(bench.path(".git/config")).unwrap(), "");
        assert!(!bench.path(".git/config.worktree").exists(), "what git would not read is not made");
    }

    #[test]
    fn a_folder_without_any_of_it_is_left_as_it_is() {
        let bench = Bench::with(&[("a.txt", "a")]);
        assert_eq!(in_workspace(&bench.context.workspace), Later::default());
        assert_eq!(std::fs::read_dir(&bench.context.workspace).unwrap().count(), 1);
    }
}
