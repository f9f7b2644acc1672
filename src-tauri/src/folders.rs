//! Whether folders are there. None can hold up the others, or the window: one on a server that is away answers late or
//! never.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// So long the answers are waited for, all of them together.
const PATIENCE: Duration = Duration::from_millis(500);

/// Which of these folders are there; one that does not answer is not.
pub fn there(folders: &[PathBuf]) -> Vec<bool> {
    static ASKED: LazyLock<Asked> = LazyLock::new(Asked::default);
    ASKED.there(folders, Path::is_dir, PATIENCE)
}

/// The folders that were asked for and have not answered. None is asked for a second time meanwhile.
#[derive(Default)]
struct Asked(Mutex<HashSet<PathBuf>>);

impl Asked {
    fn there(&'static self, folders: &[PathBuf], is_there: fn(&Path) -> bool, patience: Duration) -> Vec<bool> {
        let (tell, told) = mpsc::channel();
        for (at, folder) in folders.iter().enumerate() {
            if !self.open().insert(folder.clone()) {
                continue;
            }
            let (folder, tell) = (folder.clone(), tell.clone());
            let asked = folder.clone();
            let ask = move || {
                let answer = is_there(&folder);
                self.open().remove(&folder);
                // Nobody may wait for it any more.
                let _late = tell.send((at, answer));
            };
            if thread::Builder::new().spawn(ask).is_err() {
                self.open().remove(&asked);
            }
        }
        drop(tell);
        let until = Instant::now() + patience;
        let mut found = vec![false; folders.len()];
        while let Ok((at, answer)) = told.recv_timeout(until.saturating_duration_since(Instant::now())) {
            found[at] = answer;
        }
        found
    }

    fn open(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_folder_is_there_and_a_file_or_nothing_is_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let asked = ["", "file", "nothing"].map(|name| folder.path().join(name));
        assert_eq!(there(&asked), [true, false, false]);
        assert_eq!(there(&asked[..1]), [true], "what has answered is asked again");
        assert_eq!(there(&[]), [false; 0]);
    }

    #[test]
    fn a_folder_that_never_answers_is_not_there_is_waited_for_once_and_keeps_no_other_from_answering() {
        static ASKED: LazyLock<Asked> = LazyLock::new(Asked::default);
        static TIMES: AtomicUsize = AtomicUsize::new(0);
        fn is_there(folder: &Path) -> bool {
            if folder.ends_with("away") {
                TIMES.fetch_add(1, Ordering::SeqCst);
                loop {
                    thread::park();
                }
            }
            true
        }
        let folders = ["here", "away", "there"].map(PathBuf::from);
        let patience = Duration::from_millis(50);
        assert_eq!(ASKED.there(&folders, is_there, patience), [true, false, true]);
        // It is still asked: without it nobody has to wait at all.
        assert_eq!(ASKED.there(&folders, is_there, Duration::from_secs(3600)), [true, false, true]);
        assert_eq!(TIMES.load(Ordering::SeqCst), 1);
    }
}
