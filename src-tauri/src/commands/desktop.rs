//! What only a desktop has: pickers, links, and a look at what works here.

use assent_engine::engine::{Finding, examine};
use tauri::{AppHandle, Runtime};

use super::settings::within;
use super::{Answered, Here};
use crate::aside::{Aside, aside};
use crate::desktop::{clipboard, links, pick, window};
use crate::wire::{About, ErrorCode, Failure, TextFile};

/// A longer file is no plan.
const LONGEST_TEXT: u64 = 16 << 20;

pub async fn desktop_about<R: Runtime>(app: AppHandle<R>, shell: Here<'_>) -> Answered<About> {
    Ok(About {
        version: app.package_info().version.to_string(),
        data_folder: shell.home()?.root().display().to_string(),
        platform: std::env::consts::OS.to_owned(),
    })
}

pub async fn desktop_doctor(shell: Here<'_>) -> Answered<Vec<Finding>> {
    let home = shell.home();
    aside(move || Ok(examine(home))).await
}

pub async fn desktop_pick_folder<R: Runtime>(app: AppHandle<R>) -> Answered<Option<String>> {
    Ok(pick::folder(&app).await.map(|folder| folder.display().to_string()))
}

pub async fn desktop_open_text<R: Runtime>(app: AppHandle<R>) -> Answered<Option<TextFile>> {
    let Some(path) = pick::file(&app).await else { return Ok(None) };
    aside(move || {
        let unusable = |reason: String| {
            Failure::new(ErrorCode::FolderUnusable, format!("{} cannot be read: {reason}", path.display()))
        };
        let length = std::fs::metadata(&path).map_err(|error| unusable(error.to_string()))?.len();
        if length > LONGEST_TEXT {
            return Err(unusable(format!("it is longer than {LONGEST_TEXT} bytes")));
        }
        let text = std::fs::read_to_string(&path).map_err(|error| unusable(error.to_string()))?;
        Ok(Some(TextFile { path: path.display().to_string(), text }))
    })
    .await
}

pub async fn desktop_save_text<R: Runtime>(app: AppHandle<R>, name: String, text: String) -> Answered<Option<String>> {
    let Some(path) = pick::new_file(&app, &name).await else { return Ok(None) };
    aside(move || {
        std::fs::write(&path, text).map_err(|error| {
            Failure::new(ErrorCode::FolderUnusable, format!("{} cannot be written: {error}", path.display()))
        })?;
        Ok(Some(path.display().to_string()))
    })
    .await
}

pub fn desktop_open_link(address: String) -> Aside<()> {
    aside(move || links::open_outside(&address))
}

pub async fn desktop_copy<R: Runtime>(app: AppHandle<R>, text: String) -> Answered<()> {
    clipboard::write(&app, text).await
}

/// Shows everything in the window so large, in percent.
pub async fn desktop_zoom<R: Runtime>(app: AppHandle<R>, percent: u16) -> Answered<()> {
    window::zoom(&app, within(percent))
        .map_err(|error| Failure::new(ErrorCode::Internal, format!("the window could not be zoomed: {error}")))
}

/// Shows the data folder in the person's file manager.
pub async fn desktop_open_data(shell: Here<'_>) -> Answered<()> {
    let folder = shell.home()?.root().to_owned();
    open::that_detached(&folder).map_err(|error| {
        let problem = format!("the file manager could not be opened: {error}; the folder is {}", folder.display());
        Failure::new(ErrorCode::Internal, problem)
    })
}
