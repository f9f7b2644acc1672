//! What lies in a folder of packs, before anything of it is read: packs, their files, and what is neither although it has
//! the name of one. Nothing here is passed over because the system would not show it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use assent_core::order::sort;

use super::packs::{AGENT, AGENTS, MOST_FILES, MOST_LEVELS, SPECIALISTS};

/// What of a pack is looked at before anything else of it.
const FIRST: [&str; 5] = [AGENT, SPECIALISTS, AGENTS, "contracts", "prompts"];
/// Names of a folder that are looked through.
const MOST_NAMES: usize = 10_000;

/// What tells whether packs have changed: each file and folder with its time, its size, and who may read it.
pub(super) type Stamp = Vec<(PathBuf, Option<SystemTime>, u64, u32)>;

/// What a folder has of one kind.
#[derive(Default)]
pub(super) struct Lying {
    /// By their names.
    pub(super) found: Vec<(String, PathBuf)>,
    /// What has the name of one and cannot be used, and why.
    pub(super) odd: Vec<(String, String)>,
}

/// The folders of packs; a folder that is not there has none.
pub(super) fn packs(folder: &Path) -> io::Result<Lying> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Lying::default()),
        entries => entries?,
    };
    let mut packs = Lying::default();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        match kind(&entry.path()) {
            // What other programs keep beside them, and files, are none.
            _ if name.starts_with('.') => {}
            Some(Ok(found)) if found.is_dir() => packs.found.push((name, entry.path())),
            Some(Err(reason)) => packs.odd.push((name, reason)),
            _ => {}
        }
    }
    Ok(packs.sorted())
}

/// The files of the agents of a pack that has several.
pub(super) fn agents(pack: &Path) -> Lying {
    let mut agents = Lying::default();
    let entries = match fs::read_dir(pack.join(AGENTS)) {
        Err(error) if error.kind() == ErrorKind::NotFound && is_nowhere(&pack.join(AGENTS)) => return agents,
        Err(error) => {
            agents.odd.push((AGENTS.to_owned(), error.to_string()));
            return agents;
        }
        Ok(entries) => entries,
    };
    for entry in entries {
        let path = match entry {
            Ok(entry) => entry.path(),
            Err(error) => {
                agents.odd.push((AGENTS.to_owned(), error.to_string()));
                continue;
            }
        };
        let stem = path.file_stem().filter(|_| path.extension().is_some_and(|ending| ending == "toml"));
        let Some(name) = stem.map(|stem| stem.to_string_lossy().into_owned()) else { continue };
        match file(&path) {
            Some(Err(reason)) => agents.odd.push((format!("{AGENTS}/{name}.toml"), reason)),
            Some(Ok(())) => agents.found.push((name, path)),
            None => {}
        }
    }
    agents.sorted()
}

/// Whether there is a file; `None`: there is nothing.
///
/// # Errors
/// What is there cannot be used, and why.
pub(super) fn file(path: &Path) -> Option<Result<(), String>> {
    let found = kind(path)?;
    Some(found.and_then(|found| if found.is_file() { Ok(()) } else { Err("it is no file".to_owned()) }))
}

fn kind(path: &Path) -> Option<Result<fs::Metadata, String>> {
    match fs::metadata(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Some(Err(error.to_string())),
        Err(_) if is_nowhere(path) => None,
        Err(_) => Some(Err("it is a link that leads nowhere".to_owned())),
        Ok(found) => Some(Ok(found)),
    }
}

fn is_nowhere(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// How the packs of a folder stand.
pub(super) fn stamp(folder: &Path) -> Stamp {
    let mut stamp = Vec::new();
    let packs = packs(folder).unwrap_or_default();
    stamp.extend(packs.odd.into_iter().map(|(name, _)| (folder.join(name), None, 0, 0)));
    for (_, pack) in packs.found {
        stamp.push((pack.clone(), None, 0, fs::metadata(&pack).map_or(0, |found| readers(&found))));
        let real = pack.canonicalize().unwrap_or_else(|_| pack.clone());
        let mut walk = Walk { pack: real, left: MOST_FILES, stamp: &mut stamp };
        // What says what a pack is comes first: of a large one not everything is looked at.
        let first = FIRST.map(|name| pack.join(name));
        first.iter().for_each(|path| walk.see(path, MOST_LEVELS));
        walk.below(&pack, MOST_LEVELS, &first);
    }
    sort(&mut stamp);
    stamp
}

/// Looks at the files of a pack.
struct Walk<'s> {
    /// Where the pack really is.
    pack: PathBuf,
    left: usize,
    stamp: &'s mut Stamp,
}

impl Walk<'_> {
    /// What is in a folder, by its names, beside what was seen.
    fn below(&mut self, folder: &Path, levels: usize, seen: &[PathBuf]) {
        // What other programs keep beside it is none of it, and may be much.
        let is_hidden = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with('.');
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).take(MOST_NAMES);
        let mut paths: Vec<PathBuf> = entries.filter(|entry| !is_hidden(entry)).map(|entry| entry.path()).collect();
        sort(&mut paths);
        paths.iter().filter(|path| !seen.contains(path)).for_each(|path| self.see(path, levels));
    }

    fn see(&mut self, path: &Path, levels: usize) {
        if self.left == 0 || is_nowhere(path) {
            return;
        }
        self.left -= 1;
        let Ok(found) = fs::metadata(path) else {
            self.stamp.push((path.to_owned(), None, 0, 0));
            return;
        };
        match found.is_dir() {
            true if levels > 0 && self.is_read(path) => {
                self.stamp.push((path.to_owned(), None, 0, readers(&found)));
                self.below(path, levels - 1, &[]);
            }
            true => {}
            false => self.stamp.push((path.to_owned(), found.modified().ok(), found.len(), readers(&found))),
        }
    }

    /// Whether what is in a folder may be read with the pack: a link may lead anywhere, and but for that of its agents it is
    /// followed no further than the pack goes.
    fn is_read(&self, folder: &Path) -> bool {
        let is_link = fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink());
        let is_inside = || folder.canonicalize().is_ok_and(|real| real.starts_with(&self.pack));
        !is_link || folder.ends_with(AGENTS) || is_inside()
    }
}

/// Who may read a file, as the system writes it.
#[cfg(unix)]
fn readers(found: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions())
}

#[cfg(not(unix))]
fn readers(_: &fs::Metadata) -> u32 {
    0
}

impl Lying {
    fn sorted(mut self) -> Self {
        sort(&mut self.found);
        sort(&mut self.odd);
        self
    }
}
