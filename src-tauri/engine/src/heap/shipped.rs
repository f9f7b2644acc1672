//! Packs that Assent brings along for those who ask for them. Until somebody adds one it is nowhere: no planner is shown
//! it and no search finds it. Once added, its files are a person's own, to be read, changed and deleted.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{fs, io};

use assent_core::contract::{Fault, listed};
use serde::Serialize;
use thiserror::Error;

use crate::texts;

/// A pack that can be added.
#[derive(Debug)]
pub struct ShippedPack {
    /// Its name, which is that of its folder.
    pub name: &'static str,
    /// What it is for, in one line.
    pub description: &'static str,
}

/// How a pack stands in the folder of packs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It was not added.
    Absent,
    /// It is there as it is brought along.
    Added,
    /// It is there, and differs from what this version brings along.
    Changed,
}

/// What may go when a pack is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// Only a pack whose files are as they were brought along.
    Untouched,
    /// Also what a person has changed in it or put beside it.
    WithChanges,
}

/// Why a pack was not removed.
#[derive(Debug, Error)]
pub enum RemoveError {
    /// There is no such pack.
    #[error("there is no pack {0:?} that Assent brings along")]
    Unknown(String),
    /// It is not there.
    #[error("the pack {0:?} was not added")]
    Absent(String),
    /// It holds what somebody else wrote.
    #[error("{} differs from what Assent brings along: say that your changes may go too, or move them elsewhere first", .0.display())]
    Changed(PathBuf),
    /// It is a person's own, and that it may go was not said.
    #[error("{} is a pack of your own: say that its files may go, or move them elsewhere first", .0.display())]
    Own(PathBuf),
    /// It could not be deleted.
    #[error("{} could not be deleted: {reason}", folder.display())]
    Delete {
        /// Its folder.
        folder: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
}

/// Why a pack was not added.
#[derive(Debug, Error)]
pub enum AddError {
    /// There is no such pack.
    #[error("there is no pack {name:?} to be added; there are: {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// What a person may have changed is not overwritten.
    #[error("{} is there already; rename or delete that folder to have the pack as it is brought along", .0.display())]
    IsThere(PathBuf),
    /// No pack of a person's own can be called so.
    #[error("{0:?} is no name of a pack: small letters, digits, - and _, a letter first")]
    Name(String),
    /// One that Assent brings along is called so.
    #[error("Assent brings a pack {0:?} along; give yours another name")]
    Shipped(String),
    /// The folder cannot be read.
    #[error("the folder {} cannot be read: {reason}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// What is wrong with it has to be mended first.
    #[error("nothing was added; in {}:\n{}", folder.display(), listed(faults))]
    Faulty {
        /// The folder.
        folder: PathBuf,
        /// What is wrong, each at its file.
        faults: Vec<Fault>,
    },
    /// Nothing is kept between runs, packs included.
    #[error("there is no folder for packs")]
    NoFolder,
    /// It could not be written.
    #[error("{} could not be written: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
}

/// All of them.
pub const PACKS: &[ShippedPack] =
    &[ShippedPack { name: "crawl", description: "makes the crawl plan of a web site, and tests it" }];

impl ShippedPack {
    /// Its files by their paths in the pack; what makes it a pack comes last.
    fn files(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let folder = format!("packs/{}", self.name);
        let (below, top): (Vec<_>, Vec<_>) = texts::below(&folder).partition(|(file, _)| file.contains('/'));
        below.into_iter().chain(top)
    }

    /// How it stands in a folder of packs.
    pub fn standing(&self, packs: &Path) -> Standing {
        let folder = packs.join(self.name);
        if !folder.exists() {
            return Standing::Absent;
        }
        let is_same = |(file, text): (&str, &str)| fs::read_to_string(folder.join(file)).is_ok_and(|own| own == text);
        if self.files().all(is_same) { Standing::Added } else { Standing::Changed }
    }

    /// Whether a folder has nothing but files of the pack.
    fn holds_all_of(&self, folder: &Path, top: &Path) -> bool {
        let is_ours = |path: &Path| {
            let file = path.strip_prefix(top).unwrap_or(path).to_string_lossy().replace('\\', "/");
            self.files().any(|(own, _)| own == file)
        };
        let mut entries = fs::read_dir(folder).into_iter().flatten();
        entries.all(|entry| {
            entry.is_ok_and(|entry| match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.holds_all_of(&entry.path(), top),
                Ok(kind) => kind.is_file() && is_ours(&entry.path()),
                Err(_) => false,
            })
        })
    }
}

/// Whether a pack of this name is one that Assent brings along.
pub fn is_shipped(name: &str) -> bool {
    PACKS.iter().any(|pack| pack.name == name)
}

/// Where a pack of a name would lie, if nothing does.
///
/// # Errors
/// [`AddError::IsThere`], also where a link stands that leads nowhere.
pub(super) fn room_for(packs: &Path, name: &str) -> Result<PathBuf, AddError> {
    let folder = packs.join(name);
    if folder.symlink_metadata().is_ok() { Err(AddError::IsThere(folder)) } else { Ok(folder) }
}

/// Removes the folder of a pack; of a link only that itself, and what it leads to stays.
pub(super) fn delete(folder: PathBuf) -> Result<(), RemoveError> {
    let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    let gone = if is_folder { fs::remove_dir_all(&folder) } else { fs::remove_file(&folder) };
    gone.map_err(|reason| RemoveError::Delete { folder, reason })
}

/// Writes a pack into a folder of packs, and says where it is.
///
/// # Errors
/// [`AddError`]; nothing that is there is overwritten.
pub fn add(packs: &Path, name: &str) -> Result<PathBuf, AddError> {
    let Some(pack) = PACKS.iter().find(|pack| pack.name == name) else {
        let known: Vec<&str> = PACKS.iter().map(|pack| pack.name).collect();
        return Err(AddError::Unknown { name: name.to_owned(), known: known.join(", ") });
    };
    write(packs, pack.name, pack.files().map(|(file, text)| (file, Ok(text.as_bytes().into()))))
}

/// Writes files, in this order, as a pack that is not there yet, and says where it is.
///
/// # Errors
/// [`AddError`]; nothing is left behind then.
pub(super) fn write<'a>(
    packs: &Path,
    name: &str,
    files: impl IntoIterator<Item = (&'a str, io::Result<Cow<'a, [u8]>>)>,
) -> Result<PathBuf, AddError> {
    let folder = room_for(packs, name)?;
    let failed = |path: &Path, reason| AddError::Write { path: path.to_owned(), reason };
    fs::create_dir_all(packs).map_err(|reason| failed(packs, reason))?;
    fs::create_dir(&folder).map_err(|reason| failed(&folder, reason))?;
    for (file, content) in files {
        let path = folder.join(file);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        if let Err(reason) = made.and_then(|()| fs::write(&path, content?)) {
            // It was made a moment ago, and holds nothing else.
            let _ = fs::remove_dir_all(&folder);
            return Err(failed(&path, reason));
        }
    }
    Ok(folder)
}

/// Removes a pack from a folder of packs.
///
/// # Errors
/// [`RemoveError`]; a link in its place is removed, and what it leads to stays.
pub fn remove(packs: &Path, name: &str, removal: Removal) -> Result<(), RemoveError> {
    let pack = PACKS.iter().find(|pack| pack.name == name).ok_or_else(|| RemoveError::Unknown(name.to_owned()))?;
    let folder = packs.join(pack.name);
    if folder.symlink_metadata().is_err() {
        return Err(RemoveError::Absent(name.to_owned()));
    }
    let is_untouched = || pack.standing(packs) == Standing::Added && pack.holds_all_of(&folder, &folder);
    if removal == Removal::Untouched && !is_untouched() {
        return Err(RemoveError::Changed(folder));
    }
    delete(folder)
}
