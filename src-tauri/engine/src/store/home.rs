//! The data folder: where everything lies, and that only its owner can look inside.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::StoreError;

/// A data folder that exists and can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// The folder that `ASSENT_HOME` names, else the platform's own, made if it is not there.
    ///
    /// # Errors
    /// [`StoreError::Folder`] when there is none or it cannot be used.
    pub fn from_environment() -> Result<Self, StoreError> {
        let variable = |name: &str| std::env::var_os(name);
        let root = locate(variable).ok_or_else(|| StoreError::Folder {
            path: "the data folder".to_owned(),
            reason: "neither ASSENT_HOME nor HOME is set; set ASSENT_HOME to a folder".to_owned(),
        })?;
        let home = Self::at(&root)?;
        // Who else may look into a folder of a person's choice is theirs to say.
        if Some(root) == own(variable) {
            home.close_to_others();
        }
        Ok(home)
    }

    /// Leaves the folder to its owner alone: what set Assent up may have made it as folders usually are.
    fn close_to_others(&self) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let Ok(permissions) = fs::metadata(&self.root).map(|folder| folder.permissions()) else { return };
            if permissions.mode() & 0o077 != 0
                && let Err(error) = fs::set_permissions(&self.root, fs::Permissions::from_mode(0o700))
            {
                tracing::warn!("others can look into {}: {error}", self.root.display());
            }
        }
    }

    /// A folder of choice, made if it is not there.
    ///
    /// # Errors
    /// [`StoreError::Folder`] when it cannot be made or is not a folder.
    pub fn at(root: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let root: PathBuf = root.into();
        let unusable = |error: io::Error| StoreError::Folder {
            path: root.display().to_string(),
            reason: format!("{error}; choose another folder with ASSENT_HOME"),
        };
        let absolute = std::path::absolute(&root).map_err(unusable)?;
        make_private_folder(&absolute).map_err(unusable)?;
        let home = Self { root: absolute };
        make_private_folder(&home.locks()).map_err(unusable)?;
        Ok(home)
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The database.
    pub fn database(&self) -> PathBuf {
        self.root.join("assent.db")
    }

    /// Where lock files lie.
    pub fn locks(&self) -> PathBuf {
        self.root.join("locks")
    }

    /// Held shared by whoever uses the embedded model, so that its server knows when nobody does.
    pub fn model_lock(&self) -> PathBuf {
        self.locks().join("model.lock")
    }

    /// Vectors of tools, by which they are compared with requests. It can be thrown away.
    pub fn vectors(&self) -> PathBuf {
        self.root.join("tools.vectors")
    }

    /// Where downloaded model files lie.
    pub fn models(&self) -> PathBuf {
        self.root.join("models")
    }

    /// Prompts that replace the built-in ones, by file name.
    pub fn prompts(&self) -> PathBuf {
        self.root.join("prompts")
    }

    /// Packs that a person has put there, a folder each.
    pub fn packs(&self) -> PathBuf {
        self.root.join("packs")
    }

    /// Where the page of a window keeps what it keeps, made if it is not there.
    ///
    /// # Errors
    /// [`StoreError::Folder`] when it cannot be made.
    pub fn page(&self) -> Result<PathBuf, StoreError> {
        let path = self.root.join("page");
        let unusable =
            |error: io::Error| StoreError::Folder { path: path.display().to_string(), reason: error.to_string() };
        make_private_folder(&path).map_err(unusable)?;
        Ok(path)
    }

    /// Writes a file that only its owner can read, whole or not at all.
    ///
    /// # Errors
    /// [`StoreError::Folder`] with the file's path.
    pub fn write_private(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, StoreError> {
        let path = self.root.join(name);
        let write = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&self.root)?;
            file.write_all(bytes)?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|error| StoreError::Folder { path: path.display().to_string(), reason: error.to_string() })?;
        Ok(path)
    }
}

/// Opens a file for reading and writing, made for its owner alone if it is not there.
pub(super) fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn make_private_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn set(variable: impl Fn(&str) -> Option<OsString>, name: &str) -> Option<PathBuf> {
    variable(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn locate(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    set(&variable, "ASSENT_HOME").or_else(|| own(variable))
}

/// The platform's own.
fn own(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| set(&variable, name);
    if cfg!(target_os = "macos") {
        Some(set("HOME")?.join("Library/Application Support/Assent"))
    } else if cfg!(windows) {
        Some(set("LOCALAPPDATA").or_else(|| set("APPDATA"))?.join("Assent"))
    } else {
        // The specification of base directories has relative paths ignored.
        let data = set("XDG_DATA_HOME").filter(|path| path.is_absolute());
        Some(data.or_else(|| Some(set("HOME")?.join(".local/share")))?.join("assent"))
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use super::{Home, locate};
    use crate::store::StoreError;

    fn with(variables: &[(&str, &str)]) -> Option<PathBuf> {
        locate(|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value)))
    }

    #[test]
    fn the_variable_wins_over_the_platforms_own_folder_unless_it_is_empty() {
        assert_eq!(with(&[("ASSENT_HOME", "/x"), ("HOME", "/h")]), Some(PathBuf::from("/x")));
        assert_eq!(with(&[]), None);
        if cfg!(target_os = "linux") {
            assert_eq!(with(&[("ASSENT_HOME", ""), ("HOME", "/h")]), Some(PathBuf::from("/h/.local/share/assent")));
            assert_eq!(with(&[("XDG_DATA_HOME", "/d"), ("HOME", "/h")]), Some(PathBuf::from("/d/assent")));
            assert_eq!(with(&[("XDG_DATA_HOME", "d"), ("HOME", "/h")]), Some(PathBuf::from("/h/.local/share/assent")));
        }
    }

    #[cfg(unix)]
    #[test]
    fn folders_and_private_files_are_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("deep/home")).unwrap();
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let file = home.write_private("server.json", b"{}").unwrap();
        assert_eq!((mode(home.root()), mode(&home.locks()), mode(&file)), (0o700, 0o700, 0o600));
        assert_eq!(std::fs::read(&file).unwrap(), b"{}");
        assert_eq!(mode(&home.page().unwrap()), 0o700);
        // As a script makes it.
        std::fs::set_permissions(home.root(), std::fs::Permissions::from_mode(0o755)).unwrap();
        home.close_to_others();
        assert_eq!(mode(home.root()), 0o700);
    }

    #[test]
    fn a_file_where_the_folder_should_be_is_named_in_the_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "mine").unwrap();
        let error = Home::at(file.join("home")).unwrap_err();
        assert!(matches!(&error, StoreError::Folder { path, .. } if path.contains("file")), "{error}");
        assert_eq!(std::fs::read(&file).unwrap(), b"mine");
    }
}
