//! What a person sets, and the folders they work in.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use assent_engine::Engine;
use assent_engine::engine::choose_budget;
use assent_engine::heap::Delegation;
use assent_engine::tool::folders::{answers, are_there};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::{Answered, Here};
use crate::shell::Shell;
use crate::wire::{Appearance, Closing, ErrorCode, Failure, SettingsChange, SettingsView, Workspace};

const APPEARANCE: &str = "window.appearance";
const ZOOM: &str = "window.zoom";
const CLOSING: &str = "window.closing";
const NOTIFICATIONS: &str = "window.notifications";
const WORKSPACE: &str = "window.workspace";

/// How small and how large everything may be made, in percent.
pub const ZOOMS: RangeInclusive<u16> = 50..=300;

/// So many folders are offered.
const RECENT: usize = 12;

pub async fn settings_change(shell: Here<'_>, change: SettingsChange) -> Answered<SettingsView> {
    let data_folder = data_folder(&shell)?;
    shell
        .ask(move |engine| {
            if let Some(policy) = change.policy {
                engine.set_policy(policy)?;
            }
            if let Some(delegation) = change.delegation {
                delegation.choose(engine.settings())?;
            }
            if let Some(tokens) = change.tool_budget
                && !choose_budget(engine.settings(), (tokens > 0).then_some(tokens))?
            {
                let problem = format!("{tokens} is no budget of tool descriptions: choose 100 to 200000 tokens");
                return Err(Failure::new(ErrorCode::Invalid, problem));
            }
            keep(engine, APPEARANCE, change.appearance)?;
            keep(engine, ZOOM, change.zoom.map(within))?;
            keep(engine, CLOSING, change.closing)?;
            keep(engine, NOTIFICATIONS, change.notifications)?;
            if let Some(path) = change.workspace {
                let chosen = if path.is_empty() { None } else { Some(json!(folder(&path)?)) };
                engine.settings().set_setting(WORKSPACE, chosen.as_ref())?;
            }
            view(engine, data_folder)
        })
        .await
}

/// Folders of earlier sessions, last used first.
pub fn workspaces(engine: &Engine) -> Answered<Vec<Workspace>> {
    Ok(shown(engine.sessions().workspaces(RECENT)?))
}

/// What closing the window does while work goes on.
pub fn closing(engine: &Engine) -> Closing {
    chosen(engine, CLOSING).unwrap_or_default().unwrap_or_default()
}

/// Whether the system tells of questions.
pub fn notifies(engine: &Engine) -> bool {
    chosen(engine, NOTIFICATIONS).unwrap_or_default().unwrap_or(true)
}

/// A folder to work in, absolute and with symbolic links resolved.
///
/// # Errors
/// [`ErrorCode::FolderUnusable`] when it is none or cannot be read.
pub fn folder(path: &str) -> Answered<PathBuf> {
    let found = answers(Path::new(path)).and_then(|()| std::fs::canonicalize(path));
    let found = found.and_then(|folder| std::fs::read_dir(&folder).map(|_| folder));
    found.map_err(|error| {
        let problem = format!("the folder {path} cannot be used: {error}; choose another one");
        Failure::new(ErrorCode::FolderUnusable, problem)
    })
}

fn shown(folders: Vec<PathBuf>) -> Vec<Workspace> {
    let there = are_there(&folders);
    let workspace = |(folder, is_there): (PathBuf, Option<bool>)| Workspace {
        name: folder.file_name().map_or_else(|| folder.to_string_lossy(), |name| name.to_string_lossy()).into_owned(),
        path: folder.display().to_string(),
        // One that does not answer yet may be only slow.
        usable: is_there.unwrap_or(true),
    };
    folders.into_iter().zip(there).map(workspace).collect()
}

/// What is set.
pub fn view(engine: &Engine, data_folder: String) -> Answered<SettingsView> {
    Ok(SettingsView {
        policy: engine.policy()?,
        delegation: Delegation::chosen(engine.settings())?,
        appearance: chosen::<Appearance>(engine, APPEARANCE)?.unwrap_or_default(),
        zoom: within(chosen(engine, ZOOM)?.unwrap_or(100)),
        closing: chosen::<Closing>(engine, CLOSING)?.unwrap_or_default(),
        notifications: chosen(engine, NOTIFICATIONS)?.unwrap_or(true),
        workspace: chosen(engine, WORKSPACE)?.and_then(|folder| shown(vec![folder]).pop()),
        tool_budget: engine.tool_budget()?,
        data_folder,
    })
}

/// The nearest size that may be had.
pub fn within(percent: u16) -> u16 {
    percent.clamp(*ZOOMS.start(), *ZOOMS.end())
}

/// Where everything is kept.
pub fn data_folder(shell: &Shell) -> Answered<String> {
    Ok(shell.home()?.root().display().to_string())
}

/// What is set under a name; nothing where it makes no sense.
fn chosen<T: DeserializeOwned>(engine: &Engine, name: &str) -> Answered<Option<T>> {
    let value = engine.settings().setting(name)?;
    Ok(value.and_then(|value| serde_json::from_value(value).ok()))
}

fn keep(engine: &Engine, name: &str, value: Option<impl Serialize>) -> Answered<()> {
    match value {
        Some(value) => Ok(engine.settings().set_setting(name, Some(&json!(value)))?),
        None => Ok(()),
    }
}
