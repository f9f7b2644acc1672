//! The files that hold keys and passwords, by their names: the one list of them.
//!
//! Nobody shows what is in them to a model unasked: reading and writing one asks a person, a search leaves them out, a
//! command does not see them that was not allowed to, and the overview does not name them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ignore::WalkBuilder;

use super::workspace::is_made_by_tools;

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

/// So many entries of a workspace are looked at for such files, and so long.
const LOOKED_AT: usize = 50_000;
const LONGEST_LOOK: Duration = Duration::from_millis(500);
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

/// Those that are in a workspace, of a folder the folder alone; none that a link leads to.
pub(crate) fn in_workspace(workspace: &Path) -> Vec<PathBuf> {
    let begun = Instant::now();
    let root = workspace.to_path_buf();
    let is_secret =
        move |path: &Path| path.strip_prefix(&root).is_ok_and(|inside| holds_secrets(&inside.to_string_lossy()));
    let counts = is_secret.clone();
    let walk = WalkBuilder::new(workspace)
        .standard_filters(false)
        .follow_links(false)
        .filter_entry(move |entry| {
            // What lies in such a folder goes with it; git keeps nothing of a person's in its own.
            let in_secret = entry.path().parent().is_some_and(&counts);
            let name = entry.file_name().to_string_lossy();
            entry.depth() == 0 || !(in_secret || is_made_by_tools(&name) || name == ".git")
        })
        .build();
    let entries = walk.take(LOOKED_AT).take_while(|_| begun.elapsed() < LONGEST_LOOK).flatten();
    let is_itself = |entry: &ignore::DirEntry| entry.depth() > 0 && !entry.path_is_symlink();
    entries
        .filter(|entry| is_itself(entry) && is_secret(entry.path()))
        .map(|entry| entry.into_path())
        .take(MOST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::Bench;

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
        let mut found = in_workspace(&bench.context.workspace);
        found.sort();
        assert_eq!(found, [".env", ".ssh", "app/tls.key"].map(|name| bench.path(name)));
    }
}
