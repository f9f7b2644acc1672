//! Specialists as packs write them: `NAME/specialists.json` in the folder of packs. Nothing of a pack is trusted: what
//! cannot be read is told and leaves the others as they are.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use assent_core::contract::{Fault, PathPart, Stage};
use assent_core::heap::{Overlay, SpecialistSpec};
use serde::Deserialize;

/// The file of a pack that holds its specialists.
pub(crate) const FILE: &str = "specialists.json";

/// A larger file is no list of specialists.
const MOST_BYTES: u64 = 1 << 20;

/// What tells whether packs have changed: each file with its time and size.
pub(super) type Stamp = Vec<(PathBuf, Option<SystemTime>, u64)>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pack {
    specialists: Vec<SpecialistSpec>,
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
        match text(&file).map_err(|reason| fault(&source, reason)).and_then(|text| parse(&source, &text)) {
            Ok(specialists) => overlays.push(Overlay { source, specialists }),
            Err(fault) => faults.push(*fault),
        }
    }
    (overlays, faults)
}

/// The specialists of a pack's file.
pub(crate) fn parse(source: &str, text: &str) -> Result<Vec<SpecialistSpec>, Box<Fault>> {
    let pack: Pack = serde_json::from_str(text).map_err(|error| fault(source, error.to_string()))?;
    Ok(pack.specialists)
}

fn fault(source: &str, reason: String) -> Box<Fault> {
    let message = format!("its specialists were left out: {reason}");
    Box::new(Fault::new(Stage::Route, message).at([PathPart::from("packs"), source.into(), FILE.into()]))
}

fn text(file: &Path) -> Result<String, String> {
    let size = std::fs::metadata(file).map_err(|error| error.to_string())?.len();
    if size > MOST_BYTES {
        return Err(format!("the file has {size} bytes, {MOST_BYTES} are allowed"));
    }
    std::fs::read_to_string(file).map_err(|error| error.to_string())
}

/// Each pack that has specialists, with its file; a folder that is not there has none.
fn files(folder: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found: Vec<(String, PathBuf)> = entries
        .filter_map(Result::ok)
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path().join(FILE)))
        .filter(|(_, file)| file.is_file())
        .collect();
    found.sort();
    Ok(found)
}
