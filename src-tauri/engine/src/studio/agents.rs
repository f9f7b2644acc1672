//! Agents as folders: `NAME/agent.toml` in the folder of packs. Other packs are left alone, whatever they hold.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use assent_core::contract::Source;
use assent_core::heap::TOLD_CHARS;
use assent_core::order::sort_by;
use indexmap::IndexSet;
use serde::Serialize;
use thiserror::Error;

use crate::heap::shipped::is_shipped;
use crate::heap::{AGENT, AgentFile, Heap, NAME_CHARS, Written, file_text, has_others, is_name, one_line};

/// Characters of a description: all of one that is made here is told.
const DESCRIPTION_CHARS: usize = TOLD_CHARS;

/// An agent that was made here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// The name of its folder and of its specialist.
    pub name: String,
    /// What it is for and how it works: models choose it by this and work by it.
    pub description: String,
    /// What it may call beside asking a person.
    pub tools: Vec<String>,
}

impl Agent {
    /// As its file keeps it: what it is for in one line, each tool once.
    pub(super) fn of(name: String, description: &str, tools: Vec<String>) -> Self {
        let tools = tools.into_iter().collect::<IndexSet<_>>().into_iter().collect();
        Self { name, description: one_line(description), tools }
    }
}

/// The agents of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// By name.
    pub agents: Vec<Agent>,
    /// Those that are there and cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
}

/// An agent that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// Its name.
    pub name: String,
    /// Why not.
    pub reason: String,
}

/// Why an agent cannot be had, made or changed. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AgentError {
    /// It cannot be called so.
    #[error(
        "{0:?} is no name of an agent: use small letters, digits and -, a letter first, at most {NAME_CHARS} in all"
    )]
    Name(String),
    /// There is something of that name.
    #[error("there is already {0:?}; change it with update_agent, or use another name")]
    Taken(String),
    /// There is no such agent.
    #[error("there is no agent {0:?} that was made here; list_agents names those that are")]
    Missing(String),
    /// It belongs to a pack that Assent brings along.
    #[error(
        "{0:?} is the agent of a pack that Assent brings along, and is not changed or removed in a chat: tell the person that its files are theirs to change, and that `assent heap remove {0}` or the window's list of packs removes it"
    )]
    Shipped(String),
    /// Others of its pack would be left without it.
    #[error(
        "{0:?} is the agent of a pack that has other agents or specialists, which would stay without it: tell the person that the pack goes when they delete its folder"
    )]
    HasOthers(String),
    /// Nothing says what it is for, or too much.
    #[error("the description has to say in 1 to {DESCRIPTION_CHARS} characters what the agent is for and how it works")]
    Description,
    /// It would have nothing to work with.
    #[error("an agent needs at least one tool in tools")]
    NoTools,
    /// Tools that are not there.
    #[error("an agent cannot be given {}; use names of tools that are there and make no agents", .0.join(", "))]
    Tools(Vec<String>),
    /// The folder cannot be read or written.
    #[error("the folder of packs cannot be used: {0}")]
    Folder(String),
}

impl From<std::io::Error> for AgentError {
    fn from(error: std::io::Error) -> Self {
        Self::Folder(error.to_string())
    }
}

/// The agents of a folder of packs.
#[derive(Debug, Clone)]
pub struct Agents {
    folder: PathBuf,
}

impl Agents {
    /// Those of a folder, which need not be there.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// All of them, by name.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn list(&self) -> Result<Listed, AgentError> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Listed::default()),
            entries => entries?,
        };
        let mut listed = Listed::default();
        for entry in entries {
            let name = entry?.file_name().to_string_lossy().into_owned();
            match self.get(&name) {
                Ok(agent) => listed.agents.push(agent),
                // Packs of another form, and what else lies there.
                Err(AgentError::Missing(_)) => {}
                Err(error) => listed.unread.push(Unread { name, reason: error.to_string() }),
            }
        }
        sort_by(&mut listed.agents, |one, other| one.name.cmp(&other.name));
        sort_by(&mut listed.unread, |one, other| one.name.cmp(&other.name));
        Ok(listed)
    }

    /// One of them.
    ///
    /// # Errors
    /// There is none of that name, or its file cannot be read.
    pub fn get(&self, name: &str) -> Result<Agent, AgentError> {
        let missing = || AgentError::Missing(name.chars().take(NAME_CHARS).collect());
        let folder = self.folder_of(name).map_err(|_| missing())?;
        // What a link leads to was not made here.
        let is_folder = fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir());
        let file = folder.join(AGENT);
        match fs::metadata(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(missing()),
            _ if !is_folder => return Err(missing()),
            _ => {}
        }
        let unread = |reason: String| AgentError::Folder(format!("packs.{name}.{AGENT}: {reason}"));
        let text = file_text(&file).map_err(unread)?;
        let agent = AgentFile::parse(&text).map_err(unread)?;
        Ok(Agent { name: name.to_owned(), description: agent.description, tools: agent.tools })
    }

    /// Makes an agent.
    ///
    /// # Errors
    /// It is not as it should be, or there is something of that name.
    pub fn create(&self, agent: &Agent, heap: &Heap) -> Result<(), AgentError> {
        let folder = self.folder_of(&agent.name)?;
        check(agent, &[], heap)?;
        let taken = || AgentError::Taken(agent.name.clone());
        let now = heap.now();
        if now.registry.get(&agent.name).is_some() || now.agents.contains_key(&agent.name) {
            return Err(taken());
        }
        fs::create_dir_all(&self.folder)?;
        // Of two that make it at once one comes first. What is left of an agent that was removed is none.
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && is_left_over(&folder) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(taken()),
            made => made?,
        }
        write(&folder, agent).map(drop).inspect_err(|_| drop(fs::remove_dir(&folder)))
    }

    /// Puts an agent in the place of the one of its name. What else a person has written in its file and is gone, in words.
    ///
    /// # Errors
    /// It is not as it should be, there is none, or it is one that Assent brings along.
    pub fn update(&self, agent: &Agent, heap: &Heap) -> Result<Vec<String>, AgentError> {
        let now = self.get(&agent.name)?;
        is_own(&agent.name)?;
        check(agent, &now.tools, heap)?;
        write(&self.folder_of(&agent.name)?, agent)
    }

    /// What else a person has written in an agent's file and would be gone, were this one put in its place.
    ///
    /// # Errors
    /// There is none, or its file cannot be read.
    pub fn loses(&self, agent: &Agent) -> Result<Vec<String>, AgentError> {
        self.get(&agent.name)?;
        Ok(written(&self.folder_of(&agent.name)?, agent)?.lost)
    }

    /// Removes an agent; what else lies in its folder stays.
    ///
    /// # Errors
    /// There is none, it stands for a whole pack, or it cannot be removed.
    pub fn delete(&self, name: &str) -> Result<(), AgentError> {
        self.get(name)?;
        is_own(name)?;
        let folder = self.folder_of(name)?;
        if has_others(&folder) {
            return Err(AgentError::HasOthers(name.to_owned()));
        }
        fs::remove_file(folder.join(AGENT))?;
        // A folder that holds more is no agent any more, and nobody's to remove.
        let _ = fs::remove_dir(&folder);
        Ok(())
    }

    fn folder_of(&self, name: &str) -> Result<PathBuf, AgentError> {
        if is_name(name) {
            Ok(self.folder.join(name))
        } else {
            Err(AgentError::Name(name.chars().take(NAME_CHARS).collect()))
        }
    }
}

/// Whether an agent is a person's or a chat's. That of a pack that Assent brings along changes and goes as a whole.
///
/// # Errors
/// It is not.
pub(super) fn is_own(name: &str) -> Result<(), AgentError> {
    if is_shipped(name) { Err(AgentError::Shipped(name.to_owned())) } else { Ok(()) }
}

/// Whether a folder has files, and nothing of an agent or a pack. An empty one may be somebody's who makes one just now.
fn is_left_over(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir())
        && fs::symlink_metadata(folder.join(AGENT)).is_err()
        && !has_others(folder)
        && fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// Whether it is as it should be. Tools that it has already may be away for now.
fn check(agent: &Agent, has: &[String], heap: &Heap) -> Result<(), AgentError> {
    let length = agent.description.chars().count();
    if agent.description.trim().is_empty() || length > DESCRIPTION_CHARS {
        return Err(AgentError::Description);
    }
    if agent.tools.is_empty() {
        return Err(AgentError::NoTools);
    }
    // What makes agents is for whoever a person told to, and handed on to none.
    let is_free = |tool: &String| heap.tool(tool).is_some_and(|spec| spec.source != Source::Studio);
    let unknown: Vec<String> =
        agent.tools.iter().filter(|tool| !has.contains(tool) && !is_free(tool)).cloned().collect();
    if unknown.is_empty() { Ok(()) } else { Err(AgentError::Tools(unknown)) }
}

/// The text of an agent's file, from the one that is there.
fn written(folder: &Path, agent: &Agent) -> Result<Written, AgentError> {
    let earlier = fs::read_to_string(folder.join(AGENT)).ok();
    AgentFile::written(earlier.as_deref(), &agent.description, &agent.tools).map_err(AgentError::Folder)
}

/// Writes the whole file in one step: whoever reads at that moment finds the earlier one. What else an earlier one had and
/// is gone.
fn write(folder: &Path, agent: &Agent) -> Result<Vec<String>, AgentError> {
    let Written { text, lost } = written(folder, agent)?;
    let next = folder.join(".agent.toml.new");
    let is_there = fs::write(&next, text).and_then(|()| fs::rename(&next, folder.join(AGENT)));
    is_there.inspect_err(|_| drop(fs::remove_file(&next)))?;
    Ok(lost)
}
