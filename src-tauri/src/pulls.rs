//! The fetches of model files that go on, by model, and how they are stopped.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// All fetches of this process.
#[derive(Default)]
pub struct Pulls {
    active: Mutex<HashMap<String, CancellationToken>>,
    changed: Notify,
}

/// A fetch while it goes on; also one that panics ends.
pub struct Pulling {
    pulls: Arc<Pulls>,
    model: String,
    /// Triggered when somebody stops it.
    pub cancel: CancellationToken,
}

impl Pulls {
    /// Begins the fetch of a model; `None` when it is being fetched already.
    pub fn begin(self: &Arc<Self>, model: &str) -> Option<Pulling> {
        let mut active = self.lock();
        if active.contains_key(model) {
            return None;
        }
        let cancel = CancellationToken::new();
        active.insert(model.to_owned(), cancel.clone());
        Some(Pulling { pulls: Arc::clone(self), model: model.to_owned(), cancel })
    }

    /// Stops the fetch of a model; what came is kept.
    pub fn stop(&self, model: &str) {
        if let Some(cancel) = self.lock().get(model) {
            cancel.cancel();
        }
    }

    /// Stops every fetch, and returns when they have ended.
    pub async fn stop_all(&self) {
        loop {
            let changed = self.changed.notified();
            {
                let active = self.lock();
                if active.is_empty() {
                    return;
                }
                active.values().for_each(CancellationToken::cancel);
            }
            changed.await;
        }
    }

    /// Whether something is being fetched.
    pub fn any(&self) -> bool {
        !self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pulling {
    fn drop(&mut self) {
        self.pulls.lock().remove(&self.model);
        self.pulls.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_fetched_once_at_a_time() {
        let pulls = Arc::new(Pulls::default());
        let first = pulls.begin("local/starter");
        assert!(first.is_some() && pulls.any());
        assert!(pulls.begin("local/starter").is_none());
        assert!(pulls.begin("local/other").is_some());
        drop(first);
        assert!(!pulls.any());
        assert!(pulls.begin("local/starter").is_some());
    }

    #[tokio::test]
    async fn stopping_ends_the_named_fetch_or_all_and_waits_for_them() {
        let pulls = Arc::new(Pulls::default());
        let all = ["a", "b"].map(|model| pulls.begin(model).unwrap());
        pulls.stop("b");
        pulls.stop("c");
        assert_eq!(all.each_ref().map(|pulling| pulling.cancel.is_cancelled()), [false, true]);
        let ended = all.map(|pulling| {
            tokio::spawn(async move {
                pulling.cancel.cancelled().await;
            })
        });
        pulls.stop_all().await;
        assert!(!pulls.any());
        for task in ended {
            task.await.unwrap();
        }
    }
}
