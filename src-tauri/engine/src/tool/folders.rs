//! Whether folders answer. One on a server that is away answers late or never, and whoever asks it waits as long: so it is
//! asked aside, and nobody else has to wait with it.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// So long a folder has, from when it was asked first.
const PATIENCE: Duration = Duration::from_secs(1);

static ASKED: LazyLock<Asked> = LazyLock::new(Asked::default);

/// Which of these are folders; nothing is said of one that does not answer.
pub fn are_there(folders: &[PathBuf]) -> Vec<Option<bool>> {
    ASKED.answers(folders, Path::is_dir, PATIENCE)
}

/// Asks a folder for a sign of life before it is worked with.
///
/// # Errors
/// [`io::ErrorKind::TimedOut`] when it does not answer. One that is not there does.
pub fn answers(folder: &Path) -> io::Result<()> {
    let answer = are_there(&[folder.to_owned()]).pop().flatten();
    answer
        .map(drop)
        .ok_or_else(|| io::Error::new(io::ErrorKind::TimedOut, "it does not answer; its server may be away"))
}

/// The folders that were asked and have not answered. None is asked once more meanwhile: who comes later waits for the
/// same answer, and for no answer at all once the patience with it has ended.
#[derive(Default)]
struct Asked(Mutex<HashMap<PathBuf, Arc<Question>>>);

/// What a folder was asked.
struct Question {
    since: Instant,
    answer: Mutex<Option<bool>>,
    told: Condvar,
}

impl Asked {
    fn answers(
        &'static self,
        folders: &[PathBuf],
        is_there: fn(&Path) -> bool,
        patience: Duration,
    ) -> Vec<Option<bool>> {
        let asked: Vec<_> = folders.iter().map(|folder| self.ask(folder, is_there)).collect();
        asked.iter().map(|question| question.wait(patience)).collect()
    }

    fn ask(&'static self, folder: &Path, is_there: fn(&Path) -> bool) -> Arc<Question> {
        let mut open = self.open();
        if let Some(question) = open.get(folder) {
            return question.clone();
        }
        let (since, answer, told) = (Instant::now(), Mutex::default(), Condvar::new());
        let question = Arc::new(Question { since, answer, told });
        open.insert(folder.to_owned(), question.clone());
        drop(open);
        let (asked, told) = (folder.to_owned(), question.clone());
        let ask = move || {
            let answer = is_there(&asked);
            self.open().remove(&asked);
            told.tell(answer);
        };
        if thread::Builder::new().spawn(ask).is_err() {
            self.open().remove(folder);
        }
        question
    }

    fn open(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Question>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Question {
    fn tell(&self, answer: bool) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        self.told.notify_all();
    }

    fn wait(&self, patience: Duration) -> Option<bool> {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        let left = patience.saturating_sub(self.since.elapsed());
        let (answer, _) = self
            .told
            .wait_timeout_while(answer, left, |answer| answer.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        *answer
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_folder_is_there_and_a_file_or_nothing_is_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let asked = ["", "file", "nothing"].map(|name| folder.path().join(name));
        assert_eq!(are_there(&asked), [Some(true), Some(false), Some(false)]);
        assert_eq!(are_there(&asked[..1]), [Some(true)], "what has answered is asked again");
        assert_eq!(are_there(&[]), []);
        assert!(answers(&asked[2]).is_ok(), "that it is not there is an answer");
    }

    #[test]
    fn nothing_is_said_of_a_folder_that_never_answers_and_it_keeps_no_other_from_answering() {
        static ASKED: LazyLock<Asked> = LazyLock::new(Asked::default);
        static TIMES: AtomicUsize = AtomicUsize::new(0);
        fn is_there(folder: &Path) -> bool {
            while folder.ends_with("away") {
                TIMES.fetch_add(1, Ordering::SeqCst);
                thread::park();
            }
            true
        }
        let [here, away, there] = ["here", "away", "there"].map(PathBuf::from);
        let asked = ASKED.ask(&away, is_there);
        while TIMES.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
        assert_eq!(ASKED.answers(&[here, there], is_there, Duration::from_secs(3600)), [Some(true), Some(true)]);
        let patience = Duration::from_millis(50);
        assert_eq!(asked.wait(patience), None);
        // Whoever comes now has no patience left with it.
        assert_eq!(ASKED.answers(&[away], is_there, patience), [None]);
        assert_eq!(TIMES.load(Ordering::SeqCst), 1, "it is asked once");
    }

    #[test]
    fn who_asks_while_a_folder_is_being_asked_has_the_same_answer() {
        static ASKED: LazyLock<Asked> = LazyLock::new(Asked::default);
        static BEGUN: LazyLock<Barrier> = LazyLock::new(|| Barrier::new(2));
        static GOES_ON: LazyLock<Barrier> = LazyLock::new(|| Barrier::new(2));
        fn is_there(_: &Path) -> bool {
            BEGUN.wait();
            GOES_ON.wait();
            true
        }
        let folders = [PathBuf::from("slow")];
        let one = ASKED.ask(&folders[0], is_there);
        BEGUN.wait();
        let other = ASKED.ask(&folders[0], |_| false);
        GOES_ON.wait();
        let patience = Duration::from_secs(3600);
        assert_eq!((one.wait(patience), other.wait(patience)), (Some(true), Some(true)));
    }
}
