//! The files of the embedded model: which there are, where they lie, whether they are what they should be.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::model::ModelError;
use crate::texts::text;

/// A model that the application runs itself: a known one, pinned by size and hash, or a file of the person's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelFile {
    /// The short name: `starter`.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// The file's name; of a person's own file its whole path.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256 in lower-case hexadecimal; empty for a person's own file, of which nothing is pinned.
    pub sha256: String,
    /// The licence of the weights; empty where nobody said.
    pub licence: String,
    /// The repository on the hub from which it can be pulled.
    pub hub: Option<String>,
    /// Tokens of one request and its reply.
    pub context_tokens: u32,
    /// What it is for.
    #[serde(default, rename = "use")]
    pub purpose: FileUse,
    /// The files of the hub that are joined to it; none where it is one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<HubFile>,
}

/// What a model's file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FileUse {
    /// Plans, steps and answers.
    #[default]
    Chat,
    /// Comparing texts by meaning, in searches for tools.
    Search,
}

/// A file on the hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubFile {
    /// Its name.
    pub file: String,
    /// Its size.
    pub bytes: u64,
}

#[derive(Deserialize)]
struct Manifest {
    models: Vec<ModelFile>,
}

/// The models that the application knows.
pub fn manifest() -> &'static [ModelFile] {
    static MODELS: LazyLock<Vec<ModelFile>> = LazyLock::new(|| {
        let text = text!("data/models.json");
        serde_json::from_str::<Manifest>(text).map(|manifest| manifest.models).unwrap_or_default()
    });
    &MODELS
}

/// The file that texts are compared with by meaning.
pub fn search_file() -> Option<&'static ModelFile> {
    manifest().iter().find(|file| file.purpose == FileUse::Search)
}

impl ModelFile {
    /// The model as the user picks it: `local/starter`.
    pub fn model_id(&self) -> String {
        format!("local/{}", self.id)
    }

    /// Whether a person added it.
    pub fn is_own(&self) -> bool {
        self.sha256.is_empty()
    }

    /// What to do about a file that is missing or damaged.
    fn remedy(&self, anew: &str) -> String {
        if self.is_own() {
            "put it back, or add it again from where it is now".to_owned()
        } else {
            format!("fetch it{anew} in the settings, or with `assent model pull {}`", self.id)
        }
    }

    fn unusable(&self, reason: String) -> ModelError {
        ModelError::NoSuchModel { model: self.model_id(), reason }
    }
}

/// Whether a model's file can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// It is there and of the right size.
    Ready(PathBuf),
    /// It is nowhere.
    Missing,
    /// It is there but not what it should be.
    Corrupt {
        /// Where.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// Where files are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Assent's data folder: state of the running server lies there.
    pub data: PathBuf,
    /// Folders with model files, best first; new files go into the first.
    pub models: Vec<PathBuf>,
    /// Candidates for the server's binary, best first.
    pub servers: Vec<PathBuf>,
    /// The binary that the user named: if it is not there, nothing else is taken instead.
    pub named_server: Option<PathBuf>,
}

impl Places {
    /// The usual places: `ASSENT_MODELS`, the data folder, the user's own folder; `ASSENT_LLAMA_SERVER`, where this
    /// program's package keeps it or beside this program, the user's own folder, the path. `variable` looks up the
    /// environment. Only absolute folders are searched for a program: in others lies whatever the folder of the moment
    /// holds.
    pub fn usual(data: &Path, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let own = own_folder(&variable);
        let mut models: Vec<PathBuf> = variable("ASSENT_MODELS").map(PathBuf::from).into_iter().collect();
        models.push(data.join("models"));
        models.extend(own.iter().map(|own| own.join("models")));
        let name = format!("llama-server{}", std::env::consts::EXE_SUFFIX);
        let beside = std::env::current_exe().ok().and_then(|program| program.parent().map(Path::to_owned));
        // A package of a system has one folder of programs for everybody: there ours lies in `../lib/assent`, and what
        // lies beside the program is another one's.
        let packaged = beside.as_ref().and_then(|folder| Some(folder.parent()?.join("lib/assent")));
        let mut folders: Vec<PathBuf> = packaged.into_iter().chain(beside).collect();
        folders.extend(own.iter().map(|own| own.join("bin")));
        folders.extend(variable("PATH").iter().flat_map(std::env::split_paths));
        Self {
            data: data.to_owned(),
            models,
            servers: folders
                .into_iter()
                .filter(|folder| folder.is_absolute())
                .map(|folder| folder.join(&name))
                .collect(),
            named_server: variable("ASSENT_LLAMA_SERVER").map(PathBuf::from),
        }
    }

    /// The server's binary.
    ///
    /// # Errors
    /// [`ModelError::NoSuchModel`] that says where it was looked for and how to get it.
    pub fn server(&self) -> Result<PathBuf, ModelError> {
        let missing = |reason: String| ModelError::NoSuchModel { model: "the embedded model".to_owned(), reason };
        if let Some(named) = &self.named_server {
            return if named.is_file() {
                Ok(named.clone())
            } else {
                Err(missing(format!(
                    "ASSENT_LLAMA_SERVER names {}, which is no file; correct or unset it",
                    named.display()
                )))
            };
        }
        self.servers.iter().find(|path| path.is_file()).cloned().ok_or_else(|| {
            missing(
                "the program llama-server is not there; install Assent again, or where it was built from its sources run \
                 scripts/build-llama-server, or put one on the path, or name it in ASSENT_LLAMA_SERVER"
                    .to_owned(),
            )
        })
    }

    /// A quick look at a model's file: is there one of the right size, which no check has found to be another? A damaged
    /// one does not hide a good one. A whole path stays what it is, whatever folder it is joined to.
    pub fn state(&self, model: &ModelFile) -> FileState {
        match self.of_size(model) {
            FileState::Ready(path) if !model.is_own() && checked(&path, &model.sha256) == Some(false) => {
                FileState::Corrupt { path, reason: "it has the right size but other content".to_owned() }
            }
            state => state,
        }
    }

    /// As [`Places::state`], whatever was found in the file earlier.
    fn of_size(&self, model: &ModelFile) -> FileState {
        let mut damaged = FileState::Missing;
        for path in self.models.iter().map(|folder| folder.join(&model.file)) {
            let Some(size) = path.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len()) else {
                continue;
            };
            if size == model.bytes {
                return FileState::Ready(path);
            }
            if damaged == FileState::Missing {
                let reason = format!("it has {size} bytes instead of {}", model.bytes);
                damaged = FileState::Corrupt { path, reason };
            }
        }
        damaged
    }

    /// The file of a model, ready to be loaded. Without a stamp it is read and hashed once.
    ///
    /// # Errors
    /// [`ModelError::NoSuchModel`] that says what is wrong and what to do.
    pub fn model(&self, model: &ModelFile) -> Result<PathBuf, ModelError> {
        match self.state(model) {
            FileState::Missing => {
                let remedy = model.remedy("");
                Err(model.unusable(format!("its file {} is not there; {remedy}", model.file)))
            }
            FileState::Corrupt { path, reason } => {
                let (path, remedy) = (path.display(), model.remedy(" anew"));
                Err(model.unusable(format!("{path} is not the file it should be: {reason}; {remedy}")))
            }
            FileState::Ready(path) => {
                // What was checked and is another one is not ready.
                if !model.is_own() && checked(&path, &model.sha256).is_none() {
                    self.check(model)?;
                }
                Ok(path)
            }
        }
    }

    /// The full check of a model's file: every byte is hashed. What was found is written beside it.
    ///
    /// # Errors
    /// [`ModelError::NoSuchModel`] when the file is missing, cannot be read, or is another one.
    pub fn check(&self, model: &ModelFile) -> Result<(), ModelError> {
        let FileState::Ready(path) = self.of_size(model) else {
            return self.model(model).map(drop);
        };
        if model.is_own() {
            return Ok(());
        }
        let since = written(&path).ok();
        let found =
            hash_file(&path).map_err(|error| model.unusable(format!("{} cannot be read: {error}", path.display())))?;
        // A read-only folder only means that the next start checks again.
        if since.is_some() && since == written(&path).ok() {
            let _ = write_stamp(&path, &found, found == model.sha256);
        }
        if found == model.sha256 {
            return Ok(());
        }
        Err(model.unusable(format!(
            "{} has the right size but other content (SHA-256 {found}); {}",
            path.display(),
            model.remedy(" anew")
        )))
    }
}

/// The user's own folder, which the set-up scripts fill.
fn own_folder(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let home = variable("HOME").or_else(|| variable("USERPROFILE")).map(PathBuf::from);
    if cfg!(target_os = "macos") {
        return home.map(|home| home.join("Library/Application Support/assent"));
    }
    let data = variable("XDG_DATA_HOME").map(PathBuf::from).or_else(|| home.map(|home| home.join(".local/share")));
    data.map(|data| data.join("assent"))
}

pub(crate) fn stamp_file(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".sha256");
    PathBuf::from(name)
}

/// Writes down what a check of a file found: its hash, and of another one than it should be, its time as well. Whole or
/// not at all.
fn write_stamp(path: &Path, found: &str, is_right: bool) -> io::Result<()> {
    let stamp = stamp_file(path);
    let mut builder = tempfile::Builder::new();
    // For whoever may read the file that it is about.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(stamp.parent().unwrap_or(Path::new(".")))?;
    if is_right {
        writeln!(file, "{found}")?;
    } else {
        writeln!(file, "{found} {}", nanoseconds(written(path)?))?;
    }
    file.persist(stamp)?;
    Ok(())
}

/// Whether the last check of a file found it to be the one with this hash; nothing where the file is another one since, or
/// none was made.
fn checked(path: &Path, hash: &str) -> Option<bool> {
    let stamp = stamp_file(path);
    let text = std::fs::read_to_string(&stamp).ok()?;
    let mut words = text.split_whitespace();
    match (words.next()?, words.next()) {
        (found, _) if found == hash => (written(&stamp).ok()? >= written(path).ok()?).then_some(true),
        (_, Some(time)) => (time == nanoseconds(written(path).ok()?).to_string()).then_some(false),
        _ => None,
    }
}

fn written(path: &Path) -> io::Result<SystemTime> {
    path.metadata()?.modified()
}

fn nanoseconds(time: SystemTime) -> u128 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos()
}

/// The hash of a file's content.
pub(crate) fn hash_file(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut block = vec![0_u8; 1 << 20];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(format!("{:x}", hash.finalize())),
            read => hash.update(&block[..read]),
        }
    }
}

#[cfg(test)]
mod tests;
