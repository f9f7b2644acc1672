//! Model files of the person's own: they stay where they are, and are run like the known ones.

use std::path::Path;

use serde_json::{Value, json};
use thiserror::Error;

use super::{ModelId, ModelRole, Registry};
use crate::model::local::{FileUse, ModelFile, head, manifest};
use crate::store::StoreError;

const FILES_SETTING: &str = "model.files";

/// Longer contexts cost memory that a small machine does not have.
const MOST_CONTEXT: u32 = 8192;
/// With less, neither a plan nor a step with its tools fits.
const LEAST_CONTEXT: u32 = 2048;

/// Why a file was not added.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FileError {
    /// It is no model that could be run.
    #[error("{path} cannot be used as a model: {reason}; choose a GGUF file of an instruction-tuned language model")]
    Unusable {
        /// Where it is.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Registry {
    /// Adds a GGUF file of the person's own where it lies. The same file once more changes what is known of it.
    ///
    /// # Errors
    /// [`FileError::Unusable`] for a file that cannot be read, is none of that format, or holds no language model.
    pub fn add_file(&self, path: &Path) -> Result<ModelId, FileError> {
        let unusable = |reason: String| FileError::Unusable { path: path.display().to_string(), reason };
        let path = path.canonicalize().map_err(|error| unusable(error.to_string()))?;
        let found = head(&path).map_err(|error| unusable(error.to_string()))?;
        let context = found.context_tokens.ok_or_else(|| unusable("it holds no language model".to_owned()))?;
        if context < LEAST_CONTEXT {
            return Err(unusable(format!("it takes {context} tokens at once, and {LEAST_CONTEXT} are needed")));
        }
        let bytes = path.metadata().map_err(|error| unusable(error.to_string()))?.len();
        let file = path.to_str().ok_or_else(|| unusable("its path is no Unicode text".to_owned()))?.to_owned();
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let mut own = self.own_files()?;
        own.retain(|other| other.file != file);
        let added = ModelFile {
            id: free_id(&stem, &own),
            name: found.name.unwrap_or(stem),
            file,
            bytes,
            sha256: String::new(),
            licence: String::new(),
            hub: None,
            context_tokens: context.min(MOST_CONTEXT),
            purpose: FileUse::Chat,
            parts: Vec::new(),
        };
        let id = ModelId { provider: "local".to_owned(), name: added.id.clone() };
        own.push(added);
        self.keep_files(&own)?;
        self.close(&id.name);
        Ok(id)
    }

    /// Forgets a file of the person's own; the file stays. Roles that it had go back to the default. Nothing happens
    /// for a name that is none.
    ///
    /// # Errors
    /// [`StoreError`] when the settings cannot be written.
    pub fn forget_file(&self, name: &str) -> Result<(), StoreError> {
        let mut own = self.own_files()?;
        let Some(at) = own.iter().position(|file| file.id == name) else { return Ok(()) };
        let gone = own.remove(at).model_id();
        self.keep_files(&own)?;
        self.close(name);
        for role in ModelRole::ALL {
            if self.choice(role)?.is_some_and(|id| id.to_string() == gone) {
                self.choose(role, None)?;
            }
        }
        Ok(())
    }

    /// Every model of the server that runs here: the known ones, then the person's own.
    pub(super) fn files(&self) -> Vec<ModelFile> {
        // A setting that cannot be read is as good as none: the known models still work.
        let known = manifest().iter().filter(|file| file.purpose == FileUse::Chat).cloned();
        known.chain(self.own_files().unwrap_or_default()).collect()
    }

    /// The file of a model by its short name.
    pub(super) fn file(&self, name: &str) -> Option<ModelFile> {
        self.files().into_iter().find(|file| file.id == name)
    }

    fn own_files(&self) -> Result<Vec<ModelFile>, StoreError> {
        let own = self.parts.settings.setting(FILES_SETTING)?;
        let own: Vec<ModelFile> = own.and_then(|own| serde_json::from_value(own).ok()).unwrap_or_default();
        // Whatever is written there, a known model stays what it is.
        Ok(own
            .into_iter()
            .filter(|file| file.is_own() && !is_known(&file.id) && file.purpose == FileUse::Chat)
            .collect())
    }

    fn keep_files(&self, own: &[ModelFile]) -> Result<(), StoreError> {
        let value: Value = json!(own);
        self.parts.settings.set_setting(FILES_SETTING, (!own.is_empty()).then_some(&value))
    }
}

fn is_known(id: &str) -> bool {
    manifest().iter().any(|file| file.id == id)
}

/// A short name from a file's: letters, digits, `-`, `_` and `.` only, and nobody else's.
fn free_id(stem: &str, own: &[ModelFile]) -> String {
    let sign = |sign: char| {
        if sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.') { sign.to_ascii_lowercase() } else { '-' }
    };
    let plain: String = stem.chars().take(80).map(sign).collect();
    let plain = plain.trim_matches(['-', '.']);
    let plain = if plain.is_empty() { "model" } else { plain };
    let taken = |id: &str| is_known(id) || own.iter().any(|file| file.id == id);
    let numbered = (2_u32..).map(|number| format!("{plain}-{number}"));
    std::iter::once(plain.to_owned()).chain(numbered).find(|id| !taken(id)).unwrap_or_default()
}
