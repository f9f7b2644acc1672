//! Packs as they lie in a folder: `NAME/specialists.json` has specialists, `NAME/agent.toml` is the agent of that name, for
//! which a specialist of that name stands, `NAME/agents/*.toml` are agents for others to call. Nothing of a pack is
//! trusted: what cannot be read is told and leaves the others as they are.

use std::path::Path;
use std::sync::Arc;

use assent_core::contract::{Fault, PathPart, Stage};
use assent_core::heap::{Overlay, SpecialistSpec};
use indexmap::IndexMap;
use serde::Deserialize;

use super::agents::Agent;
use super::lying;

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pack {
    specialists: Vec<SpecialistSpec>,
}

/// What the packs of a folder have.
#[derive(Clone, Default)]
pub(super) struct Read {
    /// Specialists by pack, those that stand for agents among them.
    pub(super) overlays: Vec<Overlay>,
    /// Agents by name.
    pub(super) agents: IndexMap<String, Arc<Agent>>,
    /// Why something is not there.
    pub(super) faults: Vec<Fault>,
}

/// The packs of a folder, by their names.
pub(super) fn read(folder: &Path) -> Read {
    let mut read = Read::default();
    match lying::packs(folder) {
        Ok(packs) => {
            packs.found.into_iter().for_each(|(name, pack)| read.add(&name, &pack));
            read.faults.extend(packs.odd.iter().map(|(name, reason)| unread(whole(name), reason)));
        }
        Err(error) => read.faults.push(Fault::new(Stage::Route, format!("packs cannot be read: {error}"))),
    }
    read
}

impl Read {
    /// Adds what the pack of a name has in this folder.
    pub(super) fn add(&mut self, pack: &str, folder: &Path) {
        if let Err(error) = std::fs::read_dir(folder) {
            return self.faults.push(unread(whole(pack), &error.to_string()));
        }
        let (own, several) = (lying::file(&folder.join(AGENT)), lying::agents(folder));
        let specialists = lying::file(&folder.join(SPECIALISTS));
        if own.is_none() && several.found.is_empty() && several.odd.is_empty() && specialists.is_none() {
            let message =
                format!("it is no pack: there is no {AGENT}, no {AGENTS}/NAME.toml and no {SPECIALISTS} in it");
            return self.faults.push(Fault::new(Stage::Route, message).at(whole(pack)));
        }
        match own {
            Some(Ok(())) => {
                if let Some(agent) = self.agent(pack, folder, pack, AGENT) {
                    self.overlays.push(Overlay { source: pack.to_owned(), specialists: vec![stands_for(&agent)] });
                }
            }
            Some(Err(reason)) => self.faults.push(unread(place_of(pack, AGENT), &reason)),
            None => {}
        }
        for (name, _) in several.found {
            self.agent(pack, folder, &name, &format!("{AGENTS}/{name}.toml"));
        }
        self.faults.extend(several.odd.iter().map(|(file, reason)| unread(place_of(pack, file), reason)));
        let Some(found) = specialists else { return };
        let parsed = found.and_then(|()| text(&folder.join(SPECIALISTS)));
        match parsed.map_err(|reason| fault(pack, SPECIALISTS, reason)).and_then(|text| parse(pack, &text)) {
            Ok(specialists) => self.overlays.push(Overlay { source: pack.to_owned(), specialists }),
            Err(fault) => self.faults.push(*fault),
        }
    }

    /// Reads an agent, unless there is one of that name.
    fn agent(&mut self, pack: &str, folder: &Path, name: &str, file: &str) -> Option<Arc<Agent>> {
        let read = text(&folder.join(file)).map_err(|reason| vec![unread(place_of(pack, file), &reason)]);
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
pub(super) fn stands_for(agent: &Agent) -> SpecialistSpec {
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
    let agents = lying::agents(folder);
    !agents.found.is_empty() || !agents.odd.is_empty() || lying::file(&folder.join(SPECIALISTS)).is_some()
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

/// What is there under the name of a pack or of its file and cannot be used.
fn unread(place: impl IntoIterator<Item = PathPart>, reason: &str) -> Fault {
    Fault::new(Stage::Route, format!("it cannot be read: {reason}")).at(place)
}

/// Where a fault of a pack as a whole stands.
fn whole(pack: &str) -> [PathPart; 2] {
    [PathPart::from("packs"), pack.into()]
}

/// Where a fault of a pack's file stands.
pub(super) fn place_of(pack: &str, file: &str) -> [PathPart; 3] {
    [PathPart::from("packs"), pack.into(), file.into()]
}

/// The text of a file of a pack, which is bounded.
pub(crate) fn text(file: &Path) -> Result<String, String> {
    let found = std::fs::metadata(file).map_err(|error| error.to_string())?;
    // What is read from a pipe has no end.
    if !found.is_file() {
        return Err("it is no file".to_owned());
    }
    let size = found.len();
    if size > MOST_BYTES {
        return Err(format!("the file has {size} bytes, {MOST_BYTES} are allowed"));
    }
    std::fs::read_to_string(file).map_err(|error| error.to_string())
}
