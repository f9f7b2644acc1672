//! Packs of a person's own. A folder is looked at before anything of it is added, with all that is wrong with it; what is
//! added is a copy, which counts like any other pack.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assent_core::contract::{Fault, PathPart, Stage};
use assent_core::order::{sort, sort_by_key};
use serde::Serialize;

use super::agents::Agent;
use super::lying;
use super::packs::{AGENT, AGENTS, MOST_BYTES, MOST_FILES, MOST_LEVELS, SPECIALISTS, is_name, place_of};
use super::shipped::{AddError, RemoveError, delete, is_shipped, room_for, write};
use super::{Heap, Specialists};

/// What a folder has that could be a pack.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundPack {
    /// The name that it would have.
    pub name: String,
    /// What would be copied, by the paths in the folder.
    pub files: Vec<String>,
    /// The agents in it that can be read.
    pub agents: Vec<String>,
    /// The specialists in it, those that stand for agents among them.
    pub specialists: Vec<String>,
    /// What is wrong, each at its file. It is added only where nothing is.
    pub faults: Vec<Fault>,
    /// What is not wrong and good to know before: whose place it takes, which of its tools are not there now.
    pub notes: Vec<Fault>,
}

/// A pack that a person has put there, or has had made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OwnPack {
    /// Its name.
    pub name: String,
    /// Its files by their paths in it.
    pub files: Vec<String>,
}

/// The packs of a folder that Assent does not bring along.
pub fn list(packs: &Path) -> Vec<OwnPack> {
    let found = lying::packs(packs).unwrap_or_default().found.into_iter();
    let own = found.filter(|(name, _)| !is_shipped(name));
    own.map(|(name, folder)| OwnPack { files: Files::of(&folder).found, name }).collect()
}

/// Looks at a folder as the pack of a name beside all that is there, and says what would be told of it then. Of each of
/// its agents it is asked what is to be noted. Nothing is written.
///
/// # Errors
/// [`AddError`] where it could be no pack whatever is in it: the name cannot be one or is taken, or the folder cannot be
/// read.
pub fn look(
    heap: &Heap,
    name: &str,
    folder: &Path,
    note: impl Fn(&Agent) -> Option<Fault>,
) -> Result<FoundPack, AddError> {
    if !is_name(name) {
        return Err(AddError::Name(name.to_owned()));
    }
    if is_shipped(name) {
        return Err(AddError::Shipped(name.to_owned()));
    }
    room_for(heap.packs().ok_or(AddError::NoFolder)?, name)?;
    let unreadable = |reason| AddError::Folder { folder: folder.to_owned(), reason };
    fs::read_dir(folder).map_err(unreadable)?;
    let files = Files::of(folder);
    let (now, with) = heap.with(name, folder);
    let agents: Vec<&Arc<Agent>> = with.agents.values().filter(|agent| agent.pack == name).collect();
    let is_own = |(id, from): &(&String, &String)| *from == name && with.registry.runs(id);
    let specialists = with.from.iter().filter(is_own).map(|(id, _)| id.clone()).collect();
    let odd = |(file, why): &(String, String)| Fault::new(Stage::Route, why.as_str()).at(place_of(name, file));
    let mut faults: Vec<Fault> = files.odd.iter().map(odd).collect();
    // What is told of the others is no matter of this one.
    let newly = |with: &[Fault], now: &[Fault]| -> Vec<Fault> {
        with.iter().filter(|fault| !now.contains(fault)).cloned().collect()
    };
    faults.extend(newly(&with.faults, &now.faults));
    let mut notes = newly(&with.notes, &now.notes);
    notes.extend(agents.iter().filter_map(|agent| note(agent)));
    faults.iter_mut().chain(&mut notes).for_each(|fault| in_its_file(name, &with, fault));
    let agents = agents.into_iter().map(|agent| agent.name.clone()).collect();
    Ok(FoundPack { name: name.to_owned(), files: files.found, agents, specialists, faults, notes })
}

/// Places a fault of a specialist of a pack in the file where it stands.
fn in_its_file(pack: &str, with: &Specialists, fault: &mut Fault) {
    let [PathPart::Key(top), PathPart::Key(id), field @ ..] = fault.path.as_slice() else { return };
    if top != "specialists" || with.from.get(id).is_none_or(|from| from != pack) {
        return;
    }
    let is_agent = with.agents.get(id).is_some_and(|agent| agent.pack == pack && agent.file == AGENT);
    let place = match is_agent {
        true => place_of(pack, AGENT).into_iter().chain(field.iter().cloned()).collect(),
        false => {
            let id = PathPart::Key(id.clone());
            place_of(pack, SPECIALISTS).into_iter().chain([id]).chain(field.iter().cloned()).collect()
        }
    };
    fault.path = place;
}

/// Copies a folder to the packs, if nothing is wrong with it, and says where it lies there and what is to be noted.
///
/// # Errors
/// [`AddError`]; nothing is left behind then.
pub fn add(
    heap: &Heap,
    name: &str,
    folder: &Path,
    note: impl Fn(&Agent) -> Option<Fault>,
) -> Result<(PathBuf, Vec<Fault>), AddError> {
    let found = look(heap, name, folder, note)?;
    if !found.faults.is_empty() {
        return Err(AddError::Faulty { folder: folder.to_owned(), faults: found.faults });
    }
    let mut files = found.files;
    // What makes it a pack comes last: whoever reads meanwhile finds no half of one.
    sort_by_key(&mut files, |file| is_head(file));
    let files = files.iter().map(|file| (file.as_str(), fs::read(folder.join(file)).map(Cow::Owned)));
    Ok((write(heap.packs().ok_or(AddError::NoFolder)?, name, files)?, found.notes))
}

/// Removes a pack of a person's own.
///
/// # Errors
/// [`RemoveError`]; a link in its place is removed, and what it leads to stays.
pub fn remove(packs: &Path, name: &str, may_go: bool) -> Result<(), RemoveError> {
    let lying = lying::packs(packs).unwrap_or_default();
    let mut names = lying.found.iter().map(|(own, _)| own).chain(lying.odd.iter().map(|(own, _)| own));
    if !names.any(|own| own == name) {
        return Err(RemoveError::Absent(name.to_owned()));
    }
    let folder = packs.join(name);
    if !may_go {
        return Err(RemoveError::Own(folder));
    }
    delete(folder)
}

/// Whether a file makes a folder a pack.
fn is_head(file: &str) -> bool {
    let of_agents = |file: &str| file.strip_prefix(AGENTS).is_some_and(|rest| rest.ends_with(".toml"));
    file == AGENT || file == SPECIALISTS || of_agents(file)
}

/// The files below a folder.
#[derive(Default)]
struct Files {
    found: Vec<String>,
    /// What cannot be part of a pack, and why.
    odd: Vec<(String, String)>,
}

impl Files {
    fn of(folder: &Path) -> Self {
        let mut files = Self::default();
        files.below(folder, folder, MOST_LEVELS);
        if files.found.len() > MOST_FILES {
            files.odd.push((String::new(), format!("it has more than {MOST_FILES} files")));
            files.found.truncate(MOST_FILES);
        }
        sort(&mut files.found);
        files
    }

    fn below(&mut self, folder: &Path, top: &Path, levels: usize) {
        for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            // What other programs keep beside it is none of it.
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if self.found.len().max(self.odd.len()) > MOST_FILES {
                return;
            }
            if is_hidden {
                continue;
            }
            let path = entry.path();
            let name = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let why = match entry.metadata() {
                Ok(kind) if kind.is_dir() && levels > 0 => {
                    self.below(&path, top, levels - 1);
                    continue;
                }
                Ok(kind) if kind.is_dir() => format!("it is more than {MOST_LEVELS} folders deep"),
                Ok(kind) if kind.is_symlink() => "it is a link: put the file itself there".to_owned(),
                Ok(kind) if !kind.is_file() => "it is no file".to_owned(),
                Ok(kind) if kind.len() > MOST_BYTES => {
                    format!("it has {} bytes, {MOST_BYTES} are allowed", kind.len())
                }
                Ok(_) => {
                    self.found.push(name);
                    continue;
                }
                Err(error) => error.to_string(),
            };
            self.odd.push((name, why));
        }
    }
}

#[cfg(test)]
mod tests;
