//! Locks between processes that the death of their holder releases.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use assent_core::ids::{Digest, RunId};

use super::home::open_private;
use super::{Home, StoreError};

/// A held lock on a file; released when it is dropped, and by the system when the process ends in whatever way.
///
/// Two holders in one process exclude each other as two processes do. Child processes do not inherit it.
#[derive(Debug)]
pub struct FileLock {
    file: File,
    path: PathBuf,
}

/// With whom a lock can be shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// With other shared holders.
    Shared,
    /// With nobody.
    Exclusive,
}

impl FileLock {
    /// Takes a lock, or says with `None` that another holds it.
    ///
    /// # Errors
    /// [`StoreError::Folder`] when the file cannot be made or locked.
    pub fn try_take(path: &Path, hold: Hold) -> Result<Option<Self>, StoreError> {
        Self::attempt(path, hold).map_err(|error| unusable(path, &error))
    }

    /// Takes a lock, waiting for it as long as it takes.
    ///
    /// # Errors
    /// [`StoreError::Folder`] when the file cannot be made or locked.
    pub fn take(path: &Path, hold: Hold) -> Result<Self, StoreError> {
        let taken = || -> io::Result<Self> {
            loop {
                let file = open_private(path)?;
                match hold {
                    Hold::Shared => file.lock_shared()?,
                    Hold::Exclusive => file.lock()?,
                }
                if is_still(&file, path)? {
                    return Ok(Self { file, path: path.to_owned() });
                }
            }
        };
        taken().map_err(|error| unusable(path, &error))
    }

    fn attempt(path: &Path, hold: Hold) -> io::Result<Option<Self>> {
        loop {
            let file = open_private(path)?;
            let tried = match hold {
                Hold::Shared => file.try_lock_shared(),
                Hold::Exclusive => file.try_lock(),
            };
            match tried {
                Ok(()) if is_still(&file, path)? => return Ok(Some(Self { file, path: path.to_owned() })),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// The locked file, for what the holder wants to say in it.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Releases an exclusive lock and removes its file, where the system can do so without a gap.
    pub fn remove(self) {
        if cfg!(unix) {
            // Removed while it is held: whoever opened it before finds another file, or none, at the path.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn unusable(path: &Path, error: &io::Error) -> StoreError {
    StoreError::Folder { path: path.display().to_string(), reason: error.to_string() }
}

/// Whether the path still leads to the locked file, and not to one that was made after a removal.
#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let held = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok(held.dev() == there.dev() && held.ino() == there.ino()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_still(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Who carries a run on: one process at a time.
#[derive(Debug, Clone)]
pub struct RunLocks {
    folder: PathBuf,
}

impl RunLocks {
    /// The locks of a data folder.
    pub fn new(home: &Home) -> Self {
        Self { folder: home.locks() }
    }

    /// The right to carry a run on, or `None` while another has it.
    ///
    /// # Errors
    /// [`StoreError::Folder`] when the lock file cannot be made.
    pub fn try_lock(&self, run: &RunId) -> Result<Option<RunGuard>, StoreError> {
        let path = self.path(run);
        let mut lock = FileLock::try_take(&path, Hold::Exclusive)?;
        if lock.is_none() {
            // It may be somebody who only looks: while this lock is held, nobody does.
            let nobody_looks = FileLock::take(&self.looking(), Hold::Exclusive)?;
            lock = FileLock::try_take(&path, Hold::Exclusive)?;
            nobody_looks.remove();
        }
        Ok(lock.map(|lock| RunGuard { lock: Some(lock) }))
    }

    /// Whether anybody carries a run on. Whoever looks is never taken for one who does.
    ///
    /// # Errors
    /// [`StoreError::Folder`] when the lock file cannot be read.
    pub fn is_held(&self, run: &RunId) -> Result<bool, StoreError> {
        let path = self.path(run);
        // Held until the look is over, also by several at a time.
        let _looking = FileLock::take(&self.looking(), Hold::Shared)?;
        let looked = || match File::open(&path) {
            Ok(file) => match file.try_lock_shared() {
                Ok(()) => Ok(false),
                Err(TryLockError::WouldBlock) => Ok(true),
                Err(TryLockError::Error(error)) => Err(error),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        };
        looked().map_err(|error| unusable(&path, &error))
    }

    fn looking(&self) -> PathBuf {
        self.folder.join("looking.lock")
    }

    fn path(&self, run: &RunId) -> PathBuf {
        let plain = run.as_str().bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let name = if plain && (1..=64).contains(&run.as_str().len()) {
            run.as_str().to_owned()
        } else {
            // An id from elsewhere may hold anything, path separators included.
            format!("x-{}", Digest::of_bytes(run.as_str().as_bytes()))
        };
        self.folder.join(format!("run-{name}.lock"))
    }
}

/// The right to carry a run on, until it is dropped.
#[derive(Debug)]
pub struct RunGuard {
    lock: Option<FileLock>,
}

impl Drop for RunGuard {
    fn drop(&mut self) {
        if let Some(lock) = self.lock.take() {
            lock.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use assent_core::ids::RunId;

    use super::{FileLock, Hold, RunLocks};
    use crate::store::Home;

    #[test]
    fn one_holder_at_a_time_and_no_file_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path()).unwrap();
        let locks = RunLocks::new(&home);
        for id in ["abc", "../../etc/passwd", "", "Ä b"] {
            let run = RunId::from(id);
            let held = locks.try_lock(&run).unwrap();
            assert!(held.is_some());
            assert!(locks.try_lock(&run).unwrap().is_none());
            assert!(locks.try_lock(&RunId::from("other")).unwrap().is_some());
            drop(held);
            assert!(locks.try_lock(&run).unwrap().is_some());
        }
        if cfg!(unix) {
            assert_eq!(std::fs::read_dir(home.locks()).unwrap().count(), 0);
        }
    }

    #[test]
    fn whoever_looks_is_never_taken_for_one_who_carries_on() {
        let folder = tempfile::tempdir().unwrap();
        let locks = RunLocks::new(&Home::at(folder.path()).unwrap());
        let run = RunId::from("abc");
        assert!(!locks.is_held(&run).unwrap(), "nobody ever had it");
        let held = locks.try_lock(&run).unwrap();
        assert!(locks.is_held(&run).unwrap());
        drop(held);
        assert!(!locks.is_held(&run).unwrap());
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !over.load(Ordering::Relaxed) {
                        locks.is_held(&run).unwrap();
                    }
                });
            }
            let taken = (0..500).filter(|_| locks.try_lock(&run).unwrap().is_some()).count();
            over.store(true, Ordering::Relaxed);
            assert_eq!(taken, 500, "nobody else wanted it");
        });
    }

    #[test]
    fn shared_holders_keep_an_exclusive_one_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.lock");
        let first = FileLock::try_take(&path, Hold::Shared).unwrap();
        let second = FileLock::try_take(&path, Hold::Shared).unwrap();
        assert!(first.is_some() && second.is_some());
        drop(first);
        assert!(FileLock::try_take(&path, Hold::Exclusive).unwrap().is_none());
        drop(second);
        assert!(FileLock::try_take(&path, Hold::Exclusive).unwrap().is_some());
    }
}
