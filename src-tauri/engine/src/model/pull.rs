//! Fetching a model's file from the hub: resumed where it was interrupted, checked by hash before it is used.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::StreamExt;
use reqwest::header::{CONTENT_RANGE, RANGE};
use reqwest::{Response, StatusCode};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use super::local::{HubFile, ModelFile, Places, hash_file, stamp_file};

/// Where models come from.
pub const HUB: &str = "https://huggingface.co";

/// Where this person has them from: `HF_ENDPOINT` names a mirror of the hub, as it does for the hub's own tools. What
/// comes from it has to be the pinned file all the same. `variable` looks up the environment.
pub fn hub(variable: impl Fn(&str) -> Option<OsString>) -> String {
    let mirror =
        variable("HF_ENDPOINT").and_then(|mirror| mirror.into_string().ok()).filter(|mirror| !mirror.is_empty());
    mirror.map_or_else(|| HUB.to_owned(), |mirror| mirror.trim_end_matches('/').to_owned())
}

/// How far a fetch is, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fetched {
    /// What is there already.
    pub done: u64,
    /// What there will be.
    pub total: u64,
}

/// Why a file could not be fetched.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PullError {
    /// There is no such model.
    #[error("there is no embedded model {name:?}; there are {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The model is not on the hub.
    #[error("{0} is not on the hub; it can only be put into the models folder by hand")]
    NotOnHub(String),
    /// Somebody fetches the same file.
    #[error("{0} is being fetched by another process; wait for it")]
    Busy(String),
    /// The hub cannot be reached, or the connection broke: what came is kept.
    #[error("{address} cannot be reached or broke off: {reason}; run it again, it goes on where it stopped")]
    Offline {
        /// Whom.
        address: String,
        /// What the connection said.
        reason: String,
    },
    /// The hub does not give it.
    #[error("{address} does not give the file: {status}")]
    Refused {
        /// Whom.
        address: String,
        /// The status.
        status: String,
    },
    /// The file cannot be written.
    #[error("{path} cannot be written: {reason}; make room or choose another folder with ASSENT_MODELS")]
    Disk {
        /// Where.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// What came is not the pinned file; nothing was kept.
    #[error("what {address} gave is not the file it should be ({reason}); nothing was kept")]
    Wrong {
        /// Whom.
        address: String,
        /// What differs.
        reason: String,
    },
    /// A person stopped it: what came is kept.
    #[error("stopped; run it again, it goes on where it stopped")]
    Cancelled,
}

/// Fetches a model's file into the first of the models folders, unless a good one is there.
///
/// # Errors
/// [`PullError`] by meaning. After all but [`PullError::Wrong`] the next call goes on where this one stopped.
pub async fn pull(
    model: &ModelFile,
    places: &Places,
    hub: &str,
    progress: &(dyn Fn(Fetched) + Send + Sync),
    cancel: &CancellationToken,
) -> Result<PathBuf, PullError> {
    let repository = model.hub.as_ref().ok_or_else(|| PullError::NotOnHub(model.model_id()))?;
    let folder = places.models.first().cloned().unwrap_or_else(|| places.data.join("models"));
    let target = folder.join(&model.file);
    let (checked, places_copy) = (model.clone(), places.clone());
    let there = tokio::task::spawn_blocking(move || places_copy.check(&checked).is_ok()).await.unwrap_or(false);
    if there {
        return Ok(target);
    }
    std::fs::create_dir_all(&folder).map_err(|error| disk(&folder, &error))?;
    let partial = folder.join(format!("{}.partial", model.file));
    let mut file = open(&partial, model)?;
    if file.metadata().map_err(|error| disk(&partial, &error))?.len() > model.bytes {
        file.set_len(0).map_err(|error| disk(&partial, &error))?;
    }
    let mut address = String::new();
    let mut begin = 0;
    for part in parts(model) {
        address = format!("{hub}/{repository}/resolve/main/{}", part.file);
        let place = Place { begin, bytes: part.bytes, total: model.bytes };
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(PullError::Cancelled),
            fetched = fetch(&address, &mut file, place, &partial, progress) => fetched?,
        }
        begin += part.bytes;
    }
    finish(file, &partial, &target, model, &address).await
}

fn open(partial: &Path, model: &ModelFile) -> Result<File, PullError> {
    let file = OpenOptions::new().create(true).append(false).truncate(false).write(true).read(true).open(partial);
    let file = file.map_err(|error| disk(partial, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(PullError::Busy(model.model_id())),
        Err(TryLockError::Error(error)) => Err(disk(partial, &error)),
    }
}

/// What the file is joined of.
fn parts(model: &ModelFile) -> Vec<HubFile> {
    if model.parts.is_empty() {
        return vec![HubFile { file: model.file.clone(), bytes: model.bytes }];
    }
    model.parts.clone()
}

/// Where a part belongs in the file that it is a part of, in bytes.
#[derive(Clone, Copy)]
struct Place {
    begin: u64,
    bytes: u64,
    total: u64,
}

async fn fetch(
    address: &str,
    file: &mut File,
    place: Place,
    partial: &Path,
    progress: &(dyn Fn(Fetched) + Send + Sync),
) -> Result<(), PullError> {
    let io = |error: &std::io::Error| disk(partial, error);
    let mut done = file.metadata().map_err(|error| io(&error))?.len().saturating_sub(place.begin);
    if done >= place.bytes {
        return Ok(());
    }
    let response = ask(address, done).await?;
    let continues = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
    done = match response.status() {
        StatusCode::PARTIAL_CONTENT if continues.is_some_and(|range| range.starts_with(&format!("bytes {done}-"))) => {
            done
        }
        StatusCode::OK => 0,
        status => return Err(PullError::Refused { address: address.to_owned(), status: status.to_string() }),
    };
    let there = place.begin + done;
    file.set_len(there).and_then(|()| file.seek(SeekFrom::Start(there))).map_err(|error| io(&error))?;
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| offline(address, &error))?;
        done += chunk.len() as u64;
        if done > place.bytes {
            file.set_len(0).map_err(|error| io(&error))?;
            return Err(wrong(address, "it is longer"));
        }
        file.write_all(&chunk).map_err(|error| io(&error))?;
        progress(Fetched { done: place.begin + done, total: place.total });
    }
    if done < place.bytes {
        let reason = format!("only {done} of {} bytes came", place.bytes);
        return Err(PullError::Offline { address: address.to_owned(), reason });
    }
    Ok(())
}

/// Asks for a file from a byte on. The hub sends on to where the bytes lie; no key goes along.
async fn ask(address: &str, from: u64) -> Result<Response, PullError> {
    let client = assent_crawl::http::client()
        .connect_timeout(Duration::from_secs(15))
        .read_timeout(Duration::from_secs(60))
        .redirect(reqwest::redirect::Policy::limited(5))
        .build()
        .map_err(|error| offline(address, &error))?;
    let mut request = client.get(address);
    if from > 0 {
        request = request.header(RANGE, format!("bytes={from}-"));
    }
    request.send().await.map_err(|error| offline(address, &error))
}

fn offline(address: &str, error: &reqwest::Error) -> PullError {
    let reason = std::error::Error::source(error).map_or_else(|| "no connection".to_owned(), ToString::to_string);
    PullError::Offline { address: address.to_owned(), reason }
}

async fn finish(
    file: File,
    partial: &Path,
    target: &Path,
    model: &ModelFile,
    address: &str,
) -> Result<PathBuf, PullError> {
    file.sync_all().map_err(|error| disk(partial, &error))?;
    let path = partial.to_owned();
    let hashed = tokio::task::spawn_blocking(move || hash_file(&path)).await;
    let found = hashed.map_err(std::io::Error::other).and_then(|found| found).map_err(|error| disk(partial, &error))?;
    if found != model.sha256 {
        // What is wrong cannot be gone on with.
        let _ = std::fs::remove_file(partial);
        return Err(wrong(address, &format!("SHA-256 {found}")));
    }
    std::fs::rename(partial, target).map_err(|error| disk(target, &error))?;
    // Without the stamp the next start only checks once more.
    let _ = std::fs::write(stamp_file(target), format!("{found}\n"));
    Ok(target.to_owned())
}

fn disk(path: &Path, error: &std::io::Error) -> PullError {
    PullError::Disk { path: path.display().to_string(), reason: error.to_string() }
}

fn wrong(address: &str, reason: &str) -> PullError {
    PullError::Wrong { address: address.to_owned(), reason: reason.to_owned() }
}
