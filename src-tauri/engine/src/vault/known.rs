//! Secrets as far as this process knows them: looked up in the keyring one at a time, hidden before they are lent.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::{Credential, Credentials, Mask, kept_as};
use crate::model::Secret;

/// So long a call waits for the keyring, so that what it gives can be masked. A keyring that waits for a person to unlock
/// it keeps nobody longer: what was never looked up was not lent here either.
const PATIENCE: Duration = Duration::from_secs(1);

/// What this process knows.
#[derive(Default)]
pub(super) struct Known {
    /// By name, with what each was for when it was looked up: a keyring is not asked at every call.
    secrets: HashMap<String, (i64, Secret)>,
    /// What hides them, and those that were removed or replaced since: what was sent with them may still come back.
    mask: Arc<Mask>,
    /// What the keyring was asked for so that it can be masked.
    asked: HashSet<(String, i64)>,
    /// The asking that began last.
    looking: Option<Looking>,
}

/// The keyring is being asked.
#[derive(Clone)]
struct Looking {
    until: Instant,
    over: watch::Receiver<()>,
}

impl Known {
    pub(super) fn of(&self, credential: &Credential) -> Option<Secret> {
        let (since, secret) = self.secrets.get(&credential.name)?;
        (*since == credential.since).then(|| secret.clone())
    }

    /// Knows one more, which is hidden from now on.
    pub(super) fn learn(&mut self, credential: &Credential, secret: Secret) {
        let mut mask = (*self.mask).clone();
        mask.learn(&secret);
        self.mask = Arc::new(mask);
        self.secrets.insert(credential.name.clone(), (credential.since, secret));
    }

    /// Lends it no more, and goes on to hide it.
    pub(super) fn retire(&mut self, name: &str) {
        self.secrets.remove(name);
    }

    pub(super) fn mask(&self) -> Arc<Mask> {
        self.mask.clone()
    }

    fn is_to_be_asked(&self, credential: &Credential) -> bool {
        self.of(credential).is_none() && !self.asked.contains(&(credential.name.clone(), credential.since))
    }
}

impl Credentials {
    /// What hides every secret of the vault that is known here, and all that were lent here. What is not known yet is
    /// looked up first; a locked keyring is not waited for, and is asked in the background.
    pub async fn mask(self: &Arc<Self>) -> Arc<Mask> {
        if let Some(Looking { until, mut over }) = self.look_up() {
            // Who looks drops the other end when it is over.
            let _ = tokio::time::timeout_at(until, over.changed()).await;
        }
        self.known().mask()
    }

    /// Has the keyring asked for what is not known, unless it was asked before.
    fn look_up(self: &Arc<Self>) -> Option<Looking> {
        let listed = self.listed();
        if listed.is_empty() {
            return None;
        }
        let mut known = self.known();
        let missing: Vec<Credential> = listed.iter().filter(|one| known.is_to_be_asked(one)).cloned().collect();
        if !missing.is_empty() {
            known.asked.extend(missing.iter().map(|one| (one.name.clone(), one.since)));
            let (over, looking) = watch::channel(());
            known.looking = Some(Looking { until: Instant::now() + PATIENCE, over: looking });
            let vault = self.clone();
            aside(move || {
                for one in missing.iter().filter(|one| vault.secret(one).is_none()) {
                    tracing::warn!("the keyring does not give the credential {}: it cannot be masked", one.name);
                }
                drop(over);
            });
        }
        known.looking.clone()
    }

    /// A secret that is about to be lent.
    pub(super) fn lendable(&self, credential: &Credential) -> Option<Secret> {
        let secret = self.secret(credential)?;
        // A keyring that gives one may have been unlocked, and gives the others too.
        self.known().asked.clear();
        Some(secret)
    }

    fn secret(&self, credential: &Credential) -> Option<Secret> {
        if let Some(secret) = self.known().of(credential) {
            return Some(secret);
        }
        // One at a time: a locked keyring opens one dialog and not one for each step.
        let _alone = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(secret) = self.known().of(credential) {
            return Some(secret);
        }
        let (secret, _) = self.keys.key(&kept_as(&credential.name))?;
        self.known().learn(credential, secret.clone());
        Some(secret)
    }

    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does what may wait for a person to unlock the keyring: on a thread of its own, which nothing waits for when the program
/// ends. Nothing is received where it breaks, or cannot begin.
pub fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> oneshot::Receiver<T> {
    let (done, told) = oneshot::channel();
    let begun = std::thread::Builder::new().name("keyring".to_owned()).spawn(move || {
        // Whoever waited may have been stopped.
        let _ = done.send(work());
    });
    if let Err(error) = begun {
        tracing::warn!("the keyring cannot be asked: {error}");
    }
    told
}
