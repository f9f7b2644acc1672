//! What only a desktop has: pickers, links, and a look at what works here.

use assent_engine::engine::{Finding, examine};
use tauri::{AppHandle, Runtime, Url};

use super::{Answered, Here};
use crate::desktop::pick;
use crate::wire::{About, ErrorCode, Failure, TextFile};

/// A longer file is no plan.
const LONGEST_TEXT: u64 = 16 << 20;

#[tauri::command]
pub async fn desktop_about<R: Runtime>(app: AppHandle<R>, shell: Here<'_>) -> Answered<About> {
    Ok(About {
        version: app.package_info().version.to_string(),
        data_folder: shell.home()?.root().display().to_string(),
        platform: std::env::consts::OS.to_owned(),
    })
}

#[tauri::command]
pub async fn desktop_doctor(shell: Here<'_>) -> Answered<Vec<Finding>> {
    let home = shell.home();
    let looked = tauri::async_runtime::spawn_blocking(move || examine(home)).await;
    looked.map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))
}

#[tauri::command]
pub async fn desktop_pick_folder<R: Runtime>(app: AppHandle<R>) -> Answered<Option<String>> {
    Ok(pick::folder(&app).await.map(|folder| folder.display().to_string()))
}

#[tauri::command]
pub async fn desktop_open_text<R: Runtime>(app: AppHandle<R>) -> Answered<Option<TextFile>> {
    let Some(path) = pick::file(&app).await else { return Ok(None) };
    let unusable = |reason: String| {
        Failure::new(ErrorCode::FolderUnusable, format!("{} cannot be read: {reason}", path.display()))
    };
    let length = std::fs::metadata(&path).map_err(|error| unusable(error.to_string()))?.len();
    if length > LONGEST_TEXT {
        return Err(unusable(format!("it is longer than {LONGEST_TEXT} bytes")));
    }
    let text = std::fs::read_to_string(&path).map_err(|error| unusable(error.to_string()))?;
    Ok(Some(TextFile { path: path.display().to_string(), text }))
}

#[tauri::command]
pub async fn desktop_save_text<R: Runtime>(app: AppHandle<R>, name: String, text: String) -> Answered<Option<String>> {
    let Some(path) = pick::new_file(&app, &name).await else { return Ok(None) };
    std::fs::write(&path, text).map_err(|error| {
        Failure::new(ErrorCode::FolderUnusable, format!("{} cannot be written: {error}", path.display()))
    })?;
    Ok(Some(path.display().to_string()))
}

#[tauri::command]
pub async fn desktop_open_link(address: String) -> Answered<()> {
    let refused = |reason: &str| Failure::new(ErrorCode::Invalid, format!("{address:?} is not opened: {reason}"));
    let parsed = Url::parse(&address).map_err(|_| refused("it is no address"))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(refused("only http and https addresses are"));
    }
    tauri_plugin_opener::open_url(parsed.as_str(), None::<&str>)
        .map_err(|error| Failure::new(ErrorCode::Internal, format!("the browser could not be opened: {error}")))
}

/// Shows the data folder in the person's file manager.
#[tauri::command]
pub async fn desktop_open_data(shell: Here<'_>) -> Answered<()> {
    let folder = shell.home()?.root().to_owned();
    tauri_plugin_opener::open_path(&folder, None::<&str>).map_err(|error| {
        let problem = format!("the file manager could not be opened: {error}; the folder is {}", folder.display());
        Failure::new(ErrorCode::Internal, problem)
    })
}
