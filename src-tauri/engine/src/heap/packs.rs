//! Packs as they lie in a folder: `NAME/specialists.json` has specialists, `NAME/agent.toml` is the agent of that name, for
//! which a specialist of that name stands, `NAME/agents/*.toml` are agents for others to call. Nothing of a pack is
//! trusted: what cannot be read is told and leaves the others as they are.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use assent_core::contract::{Fault, PathPart, Stage};
use assent_core::heap::{Overlay, SpecialistSpec};
use assent_core::order::sort;
use indexmap::IndexMap;
use serde::Deserialize;

use super::agents::Agent;

/// The file of a pack that holds its specialists.
pub(super) const SPECIALISTS: &str = "specialists.json";
/// The file of a pack that is an agent.
pub(crate) const AGENT: &str = "agent.toml";
/// The folder of a pack with several agents.
pub(super) const AGENTS: &str = "agents";
/// Characters of an agent's name.
pub(crate) const NAME_CHARS: usize = 40;

/// A larger file is none of a pack.
pub(super) const MOST_BYTES: u64 = 1 << 20;
/// Files of a pack that are looked at for changes, and folders inside one another.
pub(super) const MOST_FILES: usize = 200;
pub(super) const MOST_LEVELS: usize = 4;

/// What tells whether packs have changed: each file with its time and size.
pub(super) type Stamp = Vec<(PathBuf, Option<SystemTime>, u64)>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pack {
    specialists: Vec<SpecialistSpec>,
}

/// What the packs of a folder have.
#[derive(Default)]
pub(super) struct Read {
    /// Specialists by pack, those that stand for agents among them.
    pub(super) overlays: Vec<Overlay>,
    /// Agents by name.
    pub(super) agents: IndexMap<String, Arc<Agent>>,
    /// Why something is not there.
    pub(super) faults: Vec<Fault>,
}

/// How the packs of a folder stand.
pub(super) fn stamp(folder: &Path) -> Stamp {
    let mut stamp = Vec::new();
    for (_, pack) in packs(folder).unwrap_or_default() {
        let (mut open, mut left) = (vec![(pack, MOST_LEVELS)], MOST_FILES);
        while let Some((folder, levels)) = open.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).take(left) {
                let Ok(found) = std::fs::metadata(entry.path()) else { continue };
                match found.is_dir() {
                    // A link to a folder may lead anywhere.
                    true if levels > 0 && entry.file_type().is_ok_and(|kind| kind.is_dir()) => {
                        open.push((entry.path(), levels - 1));
                    }
                    true => {}
                    false => {
                        left -= 1;
                        stamp.push((entry.path(), found.modified().ok(), found.len()));
                    }
                }
            }
        }
    }
    sort(&mut stamp);
    stamp
}

/// The packs of a folder, by their names.
pub(super) fn read(folder: &Path) -> Read {
    let mut read = Read::default();
    match packs(folder) {
        Ok(found) => found.into_iter().for_each(|(name, pack)| read.add(&name, &pack)),
        Err(error) => read.faults.push(Fault::new(Stage::Route, format!("packs cannot be read: {error}"))),
    }
    read
}

impl Read {
    /// Adds what the pack of a name has in this folder.
    pub(super) fn add(&mut self, pack: &str, folder: &Path) {
        let own = folder.join(AGENT);
        if own.is_file()
            && let Some(agent) = self.agent(pack, folder, pack, AGENT)
        {
            self.overlays.push(Overlay { source: pack.to_owned(), specialists: vec![stands_for(&agent)] });
        }
        for name in several(folder) {
            self.agent(pack, folder, &name, &format!("{AGENTS}/{name}.toml"));
        }
        let specialists = folder.join(SPECIALISTS);
        if specialists.is_file() {
            let parsed = text(&specialists).map_err(|reason| fault(pack, SPECIALISTS, reason));
            match parsed.and_then(|text| parse(pack, &text)) {
                Ok(specialists) => self.overlays.push(Overlay { source: pack.to_owned(), specialists }),
                Err(fault) => self.faults.push(*fault),
            }
        }
    }

    /// Reads an agent, unless there is one of that name.
    fn agent(&mut self, pack: &str, folder: &Path, name: &str, file: &str) -> Option<Arc<Agent>> {
        let read = text(&folder.join(file)).map_err(|reason| vec![*fault(pack, file, reason)]);
        let read = read.and_then(|text| Agent::read(pack, folder, name, file, &text));
        let taken = self.agents.get(name).map(|other| other.pack.clone());
        match (read, taken) {
            (Ok(agent), None) => {
                let agent = Arc::new(agent);
                self.agents.insert(name.to_owned(), agent.clone());
                Some(agent)
            }
            (Ok(_), Some(other)) => {
                let message = format!("the agent {name:?} was left out: the pack {other:?} has one of that name");
                let fault = Fault::new(Stage::Route, message).at(place_of(pack, file));
                self.faults.push(fault.hint("Give one of them another name."));
                None
            }
            (Err(faults), _) => {
                self.faults.extend(faults);
                None
            }
        }
    }
}

/// The specialist by which an agent is planned with: the agent itself where a specialist is all that it is; any other is
/// called by its tool, which keeps what its file says.
fn stands_for(agent: &Agent) -> SpecialistSpec {
    SpecialistSpec {
        id: agent.name.clone(),
        description: agent.description.clone(),
        tool_names: if agent.is_specialist() { agent.tools.clone() } else { vec![agent.tool_name()] },
        top_level: true,
        ..SpecialistSpec::default()
    }
}

/// The specialists of a pack's file.
pub(crate) fn parse(source: &str, text: &str) -> Result<Vec<SpecialistSpec>, Box<Fault>> {
    let pack: Pack = serde_json::from_str(text).map_err(|error| fault(source, SPECIALISTS, error.to_string()))?;
    Ok(pack.specialists)
}

/// Whether a pack has more than the agent of its name: agents for others to call, or specialists.
pub(crate) fn has_others(folder: &Path) -> bool {
    !several(folder).is_empty() || folder.join(SPECIALISTS).is_file()
}

/// Whether something that is made here can be called so.
pub(crate) fn is_name(name: &str) -> bool {
    name.len() <= NAME_CHARS
        && name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte))
        // That marks parts of a specialist.
        && !name.contains("__")
}

fn fault(source: &str, file: &str, reason: String) -> Box<Fault> {
    let message = format!("its specialists were left out: {reason}");
    Box::new(Fault::new(Stage::Route, message).at(place_of(source, file)))
}

/// Where a fault of a pack's file stands.
pub(super) fn place_of(pack: &str, file: &str) -> [PathPart; 3] {
    [PathPart::from("packs"), pack.into(), file.into()]
}

pub(super) fn text(file: &Path) -> Result<String, String> {
    let size = std::fs::metadata(file).map_err(|error| error.to_string())?.len();
    if size > MOST_BYTES {
        return Err(format!("the file has {size} bytes, {MOST_BYTES} are allowed"));
    }
    std::fs::read_to_string(file).map_err(|error| error.to_string())
}

/// The folders of packs with their names; a folder that is not there has none.
pub(super) fn packs(folder: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let named = |entry: std::fs::DirEntry| (entry.file_name().to_string_lossy().into_owned(), entry.path());
    let mut found: Vec<(String, PathBuf)> = entries.filter_map(Result::ok).map(named).collect();
    found.retain(|(_, pack)| pack.is_dir());
    sort(&mut found);
    Ok(found)
}

/// The names of the agents of a pack that has several.
fn several(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join(AGENTS)).into_iter().flatten().filter_map(Result::ok);
    let name = |path: PathBuf| {
        let is_file = path.extension().is_some_and(|ending| ending == "toml") && path.is_file();
        is_file.then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned())).flatten()
    };
    let mut names: Vec<String> = entries.filter_map(|entry| name(entry.path())).collect();
    names.sort();
    names
}
