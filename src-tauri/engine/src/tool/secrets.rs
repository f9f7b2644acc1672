//! The files that hold keys and passwords, by their names: the one list of them.
//!
//! Nobody shows what is in them to a model unasked: reading and writing one asks a person, a search leaves them out, a
//! command does not see them that was not allowed to, and the overview does not name them.

use std::path::{Path, PathBuf};

use super::workspace::Met;

/// Whole names of files, in small letters.
const FILES: [&str; 12] = [
    ".env",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
    "id_rsa",
    "id_dsa",
    "id_ed25519",
    "id_ecdsa",
    "authorized_keys",
];
/// Ends of names.
const ENDINGS: [&str; 4] = [".pem", ".key", ".p12", ".pfx"];
/// What a name is before its first dot.
const STEMS: [&str; 2] = ["credentials", "secrets"];
/// Folders of which everything counts, wherever they are.
const FOLDERS: [&str; 6] = [".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store"];
/// Folders that count in the home folder, and are something else elsewhere.
const AT_HOME: [&str; 5] = [".docker", ".config/gcloud", ".config/gh", ".local/share/keyrings", ".mozilla"];

/// So many entries of a workspace are looked at for such files.
pub(crate) const LOOKED_AT: usize = 50_000;
/// More of them are not told apart.
const MOST: usize = 500;

/// Whether a path is that of a file or a folder of keys and passwords.
pub(crate) fn holds_secrets(path: &str) -> bool {
    let path = path.to_lowercase();
    let parts: Vec<&str> = path.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let name = parts.last().copied().unwrap_or_default();
    FILES.contains(&name)
        || name.starts_with(".env.")
        || ENDINGS.iter().any(|end| name.ends_with(end))
        || name.split('.').next().is_some_and(|stem| STEMS.contains(&stem))
        || parts.iter().any(|part| FOLDERS.contains(part))
}

/// Whether a command line names such a file.
pub(crate) fn names_secrets(command: &str) -> bool {
    let words = command.split(|sign: char| sign.is_whitespace() || "'\"`=<>|&;(){}[],:*?".contains(sign));
    words.filter(|word| !word.is_empty()).any(holds_secrets)
}

/// Where they are in a home folder, whether they are there or not.
pub(crate) fn at_home(home: &Path) -> impl Iterator<Item = PathBuf> + '_ {
    FILES.iter().chain(&FOLDERS).chain(&AT_HOME).map(|name| home.join(name))
}

/// Those of a workspace, gathered from a survey of it: of a folder the folder alone; none that a link leads to.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// Where they are.
    pub(crate) found: Vec<PathBuf>,
    looked_at: usize,
}

impl Gathered {
    /// Whether nothing more is looked at.
    pub(crate) fn is_over(&self) -> bool {
        self.looked_at >= LOOKED_AT || self.found.len() >= MOST
    }

    /// Takes in what a survey meets, in its order. Git keeps nothing of a person's in its own folder.
    pub(crate) fn meet(&mut self, met: &Met) {
        let is_inside = |folder: &PathBuf| met.place.absolute().starts_with(folder);
        if self.is_over() || met.is_of_git() || self.found.last().is_some_and(is_inside) {
            return;
        }
        self.looked_at += 1;
        if !met.is_link && holds_secrets(&met.place.relative().to_string_lossy()) {
            self.found.push(met.place.absolute().to_path_buf());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::tool::testing::Bench;
    use crate::tool::workspace::{Aside, Workspace};

    #[test]
    fn files_of_keys_and_passwords_are_told_by_their_names() {
        for path in [".env", "app/.env.local", "deep/ID_RSA", ".ssh", ".ssh/known_hosts", "a/tls.pem", "secrets.yaml"] {
            assert!(holds_secrets(path), "{path}");
        }
        for path in ["environment.md", "id_rsa.pub", "keys.md", ".envoy", "secretsanta.md", ".git/config", ""] {
            assert!(!holds_secrets(path), "{path}");
        }
        for command in ["cat .env", "cat app/.env|wc", "grep x <.netrc", "python3 -c \"open('.env')\"", "ls .ssh/"] {
            assert!(names_secrets(command), "{command}");
        }
        for command in ["cat a.txt", "ls", "echo environment"] {
            assert!(!names_secrets(command), "{command}");
        }
    }

    #[test]
    fn those_of_a_workspace_are_found_and_nothing_behind_a_link() {
        let bench = Bench::with(&[
            (".env", ""),
            ("app/tls.key", ""),
            (".ssh/config", ""),
            ("a.txt", ""),
            ("node_modules/x/.env", ""),
        ]);
        std::os::unix::fs::symlink(bench.path("a.txt"), bench.path("id_rsa")).unwrap();
        let mut gathered = Gathered::default();
        let workspace = Workspace::at(&bench.context.workspace, &[]).unwrap();
        workspace.survey(Aside { most: 0, beyond: LOOKED_AT }, &CancellationToken::new(), |met| {
            gathered.meet(&met);
            ControlFlow::Continue(())
        });
        gathered.found.sort();
        assert_eq!(gathered.found, [".env", ".ssh", "app/tls.key"].map(|name| bench.path(name)));
    }
}
