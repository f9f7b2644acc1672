//! Packs, and a folder that could be one, as the page shows them.

use assent_core::contract::{Fault, PathPart};
use assent_engine::heap::own::{FoundPack, OwnPack};
use assent_engine::heap::shipped::{ShippedPack, Standing};
use serde::Serialize;

/// A pack that Assent brings along for those who ask for it, or one of a person's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PackView {
    /// Its name.
    pub name: String,
    /// What it is for; nothing where it is a person's own.
    pub description: String,
    /// Whether it was added.
    pub standing: PackStanding,
    /// The files of a person's own.
    pub files: Vec<String>,
}

/// How a pack stands among those of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum PackStanding {
    /// It was not added.
    Absent,
    /// It is there as it is brought along.
    Added,
    /// It is there, and differs from that.
    Changed,
    /// It is a person's own.
    Own,
}

/// What a folder has that could be a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FoundPackView {
    /// The name that it would have.
    pub name: String,
    /// What would be copied.
    pub files: Vec<String>,
    /// The agents in it that can be read.
    pub agents: Vec<String>,
    /// The specialists in it.
    pub specialists: Vec<String>,
    /// What is wrong; it is added only where nothing is.
    pub faults: Vec<PackFault>,
    /// What is good to know before it is added.
    pub notes: Vec<PackFault>,
}

/// What is to be said of one file of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PackFault {
    /// The file; none where it is about the whole folder.
    pub file: String,
    /// What is said, and what can be done.
    pub reason: String,
}

impl From<(&ShippedPack, Standing)> for PackView {
    fn from((pack, standing): (&ShippedPack, Standing)) -> Self {
        let standing = match standing {
            Standing::Absent => PackStanding::Absent,
            Standing::Added => PackStanding::Added,
            Standing::Changed => PackStanding::Changed,
        };
        Self { name: pack.name.to_owned(), description: pack.description.to_owned(), standing, files: Vec::new() }
    }
}

impl From<OwnPack> for PackView {
    fn from(OwnPack { name, files }: OwnPack) -> Self {
        Self { name, description: String::new(), standing: PackStanding::Own, files }
    }
}

impl From<FoundPack> for FoundPackView {
    fn from(FoundPack { name, files, agents, specialists, faults, notes }: FoundPack) -> Self {
        let shown = |told: Vec<Fault>| told.into_iter().map(PackFault::from).collect();
        Self { name, files, agents, specialists, faults: shown(faults), notes: shown(notes) }
    }
}

impl From<Fault> for PackFault {
    fn from(fault: Fault) -> Self {
        // `packs`, the name of the pack, the file, and the place in it.
        let (file, path) = match fault.path.as_slice() {
            [PathPart::Key(top), _, PathPart::Key(file), place @ ..] if top == "packs" => {
                (file.clone(), place.to_vec())
            }
            [PathPart::Key(top), ..] if top == "packs" => (String::new(), Vec::new()),
            _ => (String::new(), fault.path.clone()),
        };
        let reason = Fault { path, ..fault }.to_string();
        Self { file, reason }
    }
}
