//! The folder that tools may touch, as a handle that cannot be left.
//!
//! Every path is resolved beneath an open directory (on Linux by the kernel itself, `openat2` with `RESOLVE_BENEATH`),
//! so that `..`, absolute paths and symbolic links, also ones made between a check and its use, never lead out.
//! Only regular files are opened: a pipe or a device would block or have effects of its own.

mod fault;
mod near;
mod walk;

use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use assent_core::order::sort;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

pub use fault::PlaceError;
pub use walk::{Aside, Met, Survey, Visit, Walk, is_made_by_tools};

use super::{CallContext, ToolStop};

/// The largest file that is edited, overwritten or read whole: 16 MiB.
pub const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// The open folder.
pub struct Workspace {
    root: PathBuf,
    dir: Dir,
    /// Folders nobody may see, as real paths.
    hidden: Vec<PathBuf>,
}

/// Something inside the workspace, with every symbolic link of its path resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    relative: PathBuf,
    absolute: PathBuf,
}

impl Place {
    /// The path from the workspace, with `/`; `.` for the workspace itself.
    pub fn shown(&self) -> String {
        shown(&self.relative)
    }

    /// The path on this machine.
    pub fn absolute(&self) -> &Path {
        &self.absolute
    }

    /// The path from the workspace; empty for the workspace itself.
    pub fn relative(&self) -> &Path {
        &self.relative
    }
}

/// What lies at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file of so many bytes.
    File(u64),
    /// A folder.
    Folder,
    /// A pipe, a device, a socket.
    Other,
}

impl Workspace {
    /// Opens the workspace of a call.
    ///
    /// # Errors
    /// [`ToolStop::Workspace`] when the folder is not there or may not be entered.
    pub fn open(context: &CallContext) -> Result<Self, ToolStop> {
        Self::at(&context.workspace, &context.hidden).map_err(|reason| ToolStop::Workspace {
            path: context.workspace.display().to_string(),
            reason: reason.to_string(),
        })
    }

    /// Opens a folder as a workspace without the hidden folders that lie in it, which are given by their real paths.
    ///
    /// # Errors
    /// What the system says.
    pub fn at(folder: &Path, hidden: &[PathBuf]) -> std::io::Result<Self> {
        let root = folder.canonicalize()?;
        let dir = Dir::open_ambient_dir(&root, ambient_authority())?;
        Ok(Self { root, dir, hidden: hidden.to_vec() })
    }

    /// The folder's real path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a path on this machine lies in a folder that nobody may see.
    pub fn is_hidden(&self, absolute: &Path) -> bool {
        self.hidden.iter().any(|folder| absolute.starts_with(folder))
    }

    /// Something that is there.
    ///
    /// # Errors
    /// [`PlaceError`] when it is not, or is not inside.
    pub fn existing(&self, written: &str) -> Result<Place, PlaceError> {
        let relative = self.beneath(written)?;
        let found = self.dir.canonicalize(&relative).map_err(|error| PlaceError::of(written, &error))?;
        self.place(found, written)
    }

    /// Where something is or would be. Parents need not be there.
    ///
    /// # Errors
    /// [`PlaceError`] when the place is not inside, or is a link that leads nowhere.
    pub fn target(&self, written: &str) -> Result<Place, PlaceError> {
        let relative = self.beneath(written)?;
        let mut known = relative.as_path();
        let mut rest: Vec<Component<'_>> = Vec::new();
        loop {
            let start = if known.as_os_str().is_empty() { Path::new(".") } else { known };
            match self.dir.canonicalize(start) {
                Ok(found) => {
                    let mut whole = found;
                    whole.extend(rest.iter().rev());
                    return self.place(whole, written);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    let link = self.dir.symlink_metadata(start).is_ok();
                    let step = known.components().next_back();
                    match (link, step, known.parent()) {
                        (false, Some(name @ Component::Normal(_)), Some(parent)) => {
                            rest.push(name);
                            known = parent;
                        }
                        _ => return Err(PlaceError::NotFound { path: written.to_owned() }),
                    }
                }
                Err(error) => return Err(PlaceError::of(written, &error)),
            }
        }
    }

    /// What lies at a place; `None`: nothing.
    ///
    /// # Errors
    /// What the system says.
    pub fn kind(&self, place: &Place) -> Result<Option<Kind>, PlaceError> {
        match self.dir.symlink_metadata(local(&place.relative)) {
            Ok(found) => Ok(Some(kind_of(&found))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(PlaceError::of(&place.shown(), &error)),
        }
    }

    /// Opens a regular file for reading. Never blocks, and follows no link.
    ///
    /// # Errors
    /// [`PlaceError`] when it is not a regular file, or cannot be opened.
    pub fn open_file(&self, place: &Place) -> Result<(File, u64), PlaceError> {
        let path = place.shown();
        match self.kind(place)? {
            Some(Kind::File(_)) => {}
            Some(Kind::Folder) => return Err(PlaceError::IsFolder { path }),
            Some(Kind::Other) => return Err(PlaceError::NotRegular { path }),
            None => return Err(PlaceError::NotFound { path }),
        }
        let mut options = OpenOptions::new();
        options.read(true);
        without_waiting(&mut options);
        let file = self.dir.open_with(&place.relative, &options).map_err(|error| PlaceError::of(&path, &error))?;
        // What was checked above may have been replaced since; what is open cannot.
        let found = file.metadata().map_err(|error| PlaceError::of(&path, &error))?;
        match kind_of(&found) {
            Kind::File(size) => Ok((file, size)),
            _ => Err(PlaceError::NotRegular { path }),
        }
    }

    /// The beginning of a file, at most `limit` bytes, and the size of the whole.
    ///
    /// # Errors
    /// [`PlaceError`] when it cannot be read.
    pub fn read(&self, place: &Place, limit: u64) -> Result<(Vec<u8>, u64), PlaceError> {
        self.read_from(place, 0, limit)
    }

    /// A part of a file from a byte on, at most `limit` bytes, and the size of the whole. Behind the end there is nothing.
    ///
    /// # Errors
    /// [`PlaceError`] when it cannot be read.
    pub fn read_from(&self, place: &Place, from: u64, limit: u64) -> Result<(Vec<u8>, u64), PlaceError> {
        let wrong = |error: std::io::Error| PlaceError::of(&place.shown(), &error);
        let (mut file, size) = self.open_file(place)?;
        if from > 0 {
            file.seek(SeekFrom::Start(from)).map_err(wrong)?;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size.saturating_sub(from).min(limit)).unwrap_or(0));
        file.take(limit).read_to_end(&mut bytes).map_err(wrong)?;
        let whole = size.max(from.min(size) + bytes.len() as u64);
        Ok((bytes, whole))
    }

    /// A whole file of at most [`MAX_FILE_BYTES`].
    ///
    /// # Errors
    /// [`PlaceError`] when it is larger, or cannot be read.
    pub fn read_whole(&self, place: &Place) -> Result<Vec<u8>, PlaceError> {
        let (bytes, size) = self.read(place, MAX_FILE_BYTES + 1)?;
        if size.max(bytes.len() as u64) > MAX_FILE_BYTES {
            return Err(PlaceError::TooLarge { path: place.shown(), bytes: size, limit: MAX_FILE_BYTES });
        }
        Ok(bytes)
    }

    /// The names in a folder with their kinds, sorted by name; without hidden folders.
    ///
    /// # Errors
    /// What the system says.
    pub fn list(&self, place: &Place) -> Result<Vec<(String, &'static str)>, PlaceError> {
        let wrong = |error: std::io::Error| PlaceError::of(&place.shown(), &error);
        let mut names = Vec::new();
        for entry in self.dir.read_dir(local(&place.relative)).map_err(wrong)? {
            let entry = entry.map_err(wrong)?;
            if self.is_hidden(&place.absolute.join(entry.file_name())) {
                continue;
            }
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_file() => "file",
                Ok(kind) if kind.is_dir() => "directory",
                Ok(kind) if kind.is_symlink() => "symlink",
                _ => "other",
            };
            names.push((entry.file_name().to_string_lossy().into_owned(), kind));
        }
        sort(&mut names);
        Ok(names)
    }

    /// Replaces a file by these bytes in one step, or makes it: nobody ever sees half of it. Keeps the permissions of
    /// what was there; a second name of it (a hard link) keeps the old content.
    ///
    /// # Errors
    /// [`PlaceError`] when the place is not a file or the system refuses; then nothing has changed.
    pub fn write(&self, place: &Place, bytes: &[u8], make_folders: bool) -> Result<(), PlaceError> {
        let path = place.shown();
        let wrong = |error: std::io::Error| PlaceError::of(&path, &error);
        let Some(name) = place.relative.file_name() else {
            return Err(PlaceError::IsFolder { path });
        };
        let parent = local(place.relative.parent().unwrap_or(Path::new("")));
        if make_folders {
            self.dir.create_dir_all(parent).map_err(wrong)?;
        }
        // From here on everything happens in one open folder, under single names.
        let folder = self.dir.open_dir(parent).map_err(wrong)?;
        let before = match folder.symlink_metadata(name) {
            Ok(found) if found.is_file() => Some(found),
            Ok(found) if found.is_dir() => return Err(PlaceError::IsFolder { path }),
            Ok(_) => return Err(PlaceError::NotRegular { path }),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(wrong(error)),
        };
        let (fresh, mut file) = fresh_file(&folder).map_err(wrong)?;
        let written = file
            .write_all(bytes)
            .and_then(|()| before.as_ref().map_or(Ok(()), |before| keep_owner(&file, before)))
            .and_then(|()| file.sync_all())
            .and_then(|()| folder.rename(&fresh, &folder, name));
        written.map_err(|error| {
            // The error that is told is the first one; the remains of the attempt are removed if that still works.
            let _ = folder.remove_file(&fresh);
            wrong(error)
        })
    }

    /// Removes a file.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(&self, place: &Place) -> Result<(), PlaceError> {
        self.dir.remove_file(&place.relative).map_err(|error| PlaceError::of(&place.shown(), &error))
    }

    /// The path from the workspace that was written, without looking whether its links stay inside.
    fn beneath(&self, written: &str) -> Result<PathBuf, PlaceError> {
        if written.is_empty() {
            return Err(PlaceError::Empty);
        }
        if written.contains('\0') {
            return Err(PlaceError::NotFound { path: written.replace('\0', "\u{fffd}") });
        }
        let path = Path::new(written);
        if !path.is_absolute() {
            return Ok(path.to_path_buf());
        }
        if let Ok(inside) = path.strip_prefix(&self.root) {
            return Ok(inside.to_path_buf())
                .map(|inside| if inside.as_os_str().is_empty() { ".".into() } else { inside });
        }
        // The same folder under another name, such as one that is reached through a link.
        let known = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
        known
            .and_then(|(above, real)| Some(real.join(path.strip_prefix(above).ok()?)))
            .and_then(|real| real.strip_prefix(&self.root).map(local_buf).ok())
            .ok_or_else(|| PlaceError::Outside { path: written.to_owned() })
    }

    fn place(&self, found: PathBuf, written: &str) -> Result<Place, PlaceError> {
        let relative: PathBuf = found.components().filter(|part| !matches!(part, Component::CurDir)).collect();
        let absolute = self.root.join(&relative);
        if self.is_hidden(&absolute) || !relative.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(PlaceError::Outside { path: written.to_owned() });
        }
        Ok(Place { relative, absolute })
    }
}

/// A path from the workspace as it is written for people and models.
pub fn shown(relative: &Path) -> String {
    let text = relative.to_string_lossy();
    match text.as_ref() {
        "" => ".".to_owned(),
        text if std::path::MAIN_SEPARATOR == '/' => text.to_owned(),
        text => text.replace(std::path::MAIN_SEPARATOR, "/"),
    }
}

fn local(relative: &Path) -> &Path {
    if relative.as_os_str().is_empty() { Path::new(".") } else { relative }
}

fn local_buf(relative: &Path) -> PathBuf {
    local(relative).to_path_buf()
}

fn kind_of(found: &Metadata) -> Kind {
    match found {
        found if found.is_file() => Kind::File(found.len()),
        found if found.is_dir() => Kind::Folder,
        _ => Kind::Other,
    }
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use cap_std::fs::OpenOptionsExt;
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_NOCTTY);
}

#[cfg(not(unix))]
fn without_waiting(_: &mut OpenOptions) {}

/// A new empty file of a name that nobody uses.
fn fresh_file(folder: &Dir) -> std::io::Result<(String, File)> {
    let mut chance = [0_u8; 8];
    getrandom::fill(&mut chance).map_err(|error| std::io::Error::other(error.to_string()))?;
    let name = format!(".assent-{:016x}.tmp", u64::from_le_bytes(chance));
    let file = folder.open_with(&name, OpenOptions::new().write(true).create_new(true))?;
    Ok((name, file))
}

#[cfg(unix)]
fn keep_owner(file: &File, before: &Metadata) -> std::io::Result<()> {
    use cap_std::fs::MetadataExt;
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (before.uid(), before.gid()) {
        // Only the administrator may give a file away; for everybody else it stays theirs.
        let _ = std::os::unix::fs::fchown(file, Some(before.uid()), Some(before.gid()));
    }
    file.set_permissions(before.permissions())
}

#[cfg(not(unix))]
fn keep_owner(file: &File, before: &Metadata) -> std::io::Result<()> {
    file.set_permissions(before.permissions())
}

#[cfg(test)]
mod tests;
