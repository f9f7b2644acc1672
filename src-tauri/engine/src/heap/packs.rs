//! Packs as they lie in a folder: `NAME/specialists.json` has specialists, `NAME/agent.toml` is the agent of that name, for
//! which a specialist of that name stands. Nothing of a pack is trusted: what cannot be read is told and leaves the others
//! as they are.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use assent_core::contract::{Fault, PathPart, Stage};
use assent_core::heap::{Overlay, SpecialistSpec};
use serde::{Deserialize, Serialize};

/// The file of a pack that holds its specialists.
const SPECIALISTS: &str = "specialists.json";
/// The file of a pack that is an agent.
pub(crate) const AGENT: &str = "agent.toml";
/// Characters of an agent's name.
pub(crate) const NAME_CHARS: usize = 40;

/// A larger file is no list of specialists.
const MOST_BYTES: u64 = 1 << 20;

/// What tells whether packs have changed: each file with its time and size.
pub(super) type Stamp = Vec<(PathBuf, Option<SystemTime>, u64)>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pack {
    specialists: Vec<SpecialistSpec>,
}

/// What `agent.toml` says.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentFile {
    /// What it is for and how it works.
    description: String,
    /// What it may call.
    tools: Vec<String>,
}

/// How the packs of a folder stand.
pub(super) fn stamp(folder: &Path) -> Stamp {
    let seen = |file: PathBuf| {
        let found = std::fs::metadata(&file).ok()?;
        Some((file, found.modified().ok(), found.len()))
    };
    files(folder).unwrap_or_default().into_iter().filter_map(|(_, file)| seen(file)).collect()
}

/// The packs of a folder by their names, and why some are not there.
pub(super) fn read(folder: &Path) -> (Vec<Overlay>, Vec<Fault>) {
    let (mut overlays, mut faults) = (Vec::new(), Vec::new());
    let found = match files(folder) {
        Ok(found) => found,
        Err(error) => return (overlays, vec![Fault::new(Stage::Route, format!("packs cannot be read: {error}"))]),
    };
    for (source, file) in found {
        let is_agent = file.ends_with(AGENT);
        let parsed = |text: String| match is_agent {
            true => parse_agent(&source, &text).map(|agent| vec![agent]),
            false => parse(&source, &text),
        };
        let name = if is_agent { AGENT } else { SPECIALISTS };
        match text(&file).map_err(|reason| fault(&source, name, reason)).and_then(parsed) {
            Ok(specialists) => overlays.push(Overlay { source, specialists }),
            Err(fault) => faults.push(*fault),
        }
    }
    (overlays, faults)
}

/// The specialists of a pack's file.
pub(crate) fn parse(source: &str, text: &str) -> Result<Vec<SpecialistSpec>, Box<Fault>> {
    let pack: Pack = serde_json::from_str(text).map_err(|error| fault(source, SPECIALISTS, error.to_string()))?;
    Ok(pack.specialists)
}

/// The specialist that stands for the agent of a file; it is called by its folder.
pub(crate) fn parse_agent(name: &str, text: &str) -> Result<SpecialistSpec, Box<Fault>> {
    if !is_name(name) {
        let reason = "the folder's name is none of an agent: small letters, digits and -, a letter first".to_owned();
        return Err(fault(name, AGENT, reason));
    }
    let agent: AgentFile = toml::from_str(text).map_err(|error| fault(name, AGENT, error.message().to_owned()))?;
    Ok(SpecialistSpec {
        id: name.to_owned(),
        // One line: it stands in lists and in system messages.
        description: one_line(&agent.description),
        tool_names: agent.tools,
        top_level: true,
        ..SpecialistSpec::default()
    })
}

/// The file of an agent.
///
/// # Errors
/// It cannot be written as such a file.
pub(crate) fn agent_file(description: &str, tools: &[String]) -> Result<String, String> {
    let agent = AgentFile { description: one_line(description), tools: tools.to_vec() };
    toml::to_string(&agent).map_err(|error| error.to_string())
}

/// Whether something that is made here can be called so.
pub(crate) fn is_name(name: &str) -> bool {
    name.len() <= NAME_CHARS
        && name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn fault(source: &str, file: &'static str, reason: String) -> Box<Fault> {
    let message = format!("its specialists were left out: {reason}");
    Box::new(Fault::new(Stage::Route, message).at([PathPart::from("packs"), source.into(), file.into()]))
}

fn text(file: &Path) -> Result<String, String> {
    let size = std::fs::metadata(file).map_err(|error| error.to_string())?.len();
    if size > MOST_BYTES {
        return Err(format!("the file has {size} bytes, {MOST_BYTES} are allowed"));
    }
    std::fs::read_to_string(file).map_err(|error| error.to_string())
}

/// Each file of specialists with the name of its pack; a folder that is not there has none.
fn files(folder: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found: Vec<(String, PathBuf)> = entries
        .filter_map(Result::ok)
        .flat_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            [AGENT, SPECIALISTS].map(|file| (name.clone(), entry.path().join(file)))
        })
        .filter(|(_, file)| file.is_file())
        .collect();
    found.sort();
    Ok(found)
}
