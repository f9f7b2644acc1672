//! Named credentials of a person: in the platform's keyring, lent to the calls that they were given for, and to no other.
//!
//! A model is told names and hosts. It writes `{$vault:NAME}` where the secret goes; the secret takes that place when the
//! call is made, after everything that is written down, and whatever a tool gives back is masked before it is. What was lent
//! in this process is hidden as long as it runs; what was not is hidden as soon as the keyring gives it. Kept beside the
//! keyring is only what a credential is for. Never here: a secret in a setting, an event, an error.

mod forms;
mod known;
mod lend;
mod mask;
mod serve;
#[cfg(test)]
pub(crate) mod tests;
mod veil;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assent_core::order::sort_by;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;

use known::Known;
pub use known::aside;
pub use lend::{Lending, NotLent, mentions, named_in, reference};
pub use mask::{HIDDEN, Mask};
pub use serve::{Asked, wanted_of};
pub use veil::Veil;

use crate::clock::Clock;
use crate::model::{KeySource, Keys, NoVault, Secret};
use crate::store::{Settings, StoreError};

/// The setting that says what each credential is for.
const SETTING: &str = "vault";
/// Characters of a name.
const NAME_CHARS: usize = 40;
/// A shorter secret would be masked in texts that only happen to hold it.
const LEAST_BYTES: usize = 8;
/// A longer one is a file and not a credential.
const MOST_BYTES: usize = 16 << 10;
/// A shorter number occurs by chance.
const LEAST_DIGITS: usize = 10;
/// So many milliseconds what the settings say is taken to be so still where every call of every tool asks: only another
/// process can have changed it. What is lent here is known here at once.
const SEEN_FOR: i64 = 250;

/// What a credential is for; the secret is elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credential {
    /// Small letters, digits and `-`.
    pub name: String,
    /// The hosts that it goes to; none: it goes to no host, but into calls of its tools.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// The only tools whose calls it goes into; none: every tool that talks to its hosts and to no other.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Another one whenever it was given anew.
    pub since: i64,
}

impl Credential {
    /// What is answered to a question for it: how it is named where it goes. No secret stands in it.
    pub fn told(&self) -> String {
        let places: Vec<&str> = self.hosts.iter().chain(&self.tools).map(String::as_str).collect();
        format!("It is in the vault, for {}: write {} where it goes.", places.join(", "), reference(&self.name))
    }
}

/// Why a credential cannot be kept, found or removed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VaultError {
    /// It cannot be called so.
    #[error("{0:?} is no name of a credential: use small letters, digits and -, a letter first, at most {NAME_CHARS}")]
    Name(String),
    /// It would go anywhere.
    #[error("say where the credential may go: a host such as api.example.org, or a tool")]
    Nowhere,
    /// That is no host.
    #[error("{0:?} is no host: write it as in an address, such as api.example.org, without https://, port and path")]
    Host(String),
    /// There is nothing in it, or too much or too little.
    #[error(
        "a secret has {LEAST_BYTES} to {MOST_BYTES} bytes, a number at least {LEAST_DIGITS} digits: a shorter one could not be told from other text"
    )]
    Secret,
    /// There is one of that name.
    #[error(
        "a credential {name:?} for {hosts} is kept already: give this one another name, or say that it replaces that"
    )]
    Taken {
        /// What it is called.
        name: String,
        /// Where that one may go.
        hosts: String,
    },
    /// There is none of that name.
    #[error("there is no credential {0:?} in the vault")]
    Missing(String),
    /// The keyring.
    #[error(transparent)]
    Keyring(#[from] NoVault),
    /// The settings.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The credentials of a data folder.
pub struct Credentials {
    settings: Arc<dyn Settings>,
    keys: Arc<Keys>,
    clock: Arc<dyn Clock>,
    /// What the settings named when they were last looked at for what is to be hidden.
    seen: Mutex<Option<(i64, Arc<[Credential]>)>>,
    known: Mutex<Known>,
    /// Held while the keyring is asked.
    asking: Mutex<()>,
}

/// The list that the settings keep; none where nothing usable is set.
fn read(kept: Option<Value>) -> Vec<Credential> {
    kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default()
}

/// What the secret of a credential is kept under.
pub fn kept_as(name: &str) -> String {
    format!("vault {name}")
}

impl Credentials {
    /// What the settings name, with secrets in these keys.
    pub fn new(settings: Arc<dyn Settings>, keys: Arc<Keys>, clock: Arc<dyn Clock>) -> Self {
        let (seen, known, asking) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { settings, keys, clock, seen, known, asking }
    }

    /// What there is, by name. No secret is looked up.
    ///
    /// # Errors
    /// The settings cannot be read.
    pub fn list(&self) -> Result<Vec<Credential>, StoreError> {
        let kept = self.settings.setting(SETTING)?;
        Ok(read(kept))
    }

    /// A credential as it would be kept, as one more or in the place of the one of its name.
    ///
    /// # Errors
    /// Why it could not be.
    pub fn check(&self, credential: Credential, replaces: bool) -> Result<Credential, VaultError> {
        let credential = checked(credential)?;
        match self.named(&credential.name)? {
            Some(Credential { name, hosts, tools, .. }) if !replaces => {
                let places = if hosts.is_empty() { tools } else { hosts };
                Err(VaultError::Taken { name, hosts: places.join(", ") })
            }
            _ => Ok(credential),
        }
    }

    /// A name that no credential has: this one, or one after it.
    ///
    /// # Errors
    /// The settings cannot be read.
    pub fn free_name(&self, name: &str) -> Result<String, StoreError> {
        let all = self.list()?;
        let is_free = |name: &String| all.iter().all(|one| one.name != *name);
        let numbered = (2..).map(|number: u32| {
            let end = format!("-{number}");
            let begin: String = name.chars().take(NAME_CHARS.saturating_sub(end.len())).collect();
            begin + &end
        });
        Ok(std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default())
    }

    fn named(&self, name: &str) -> Result<Option<Credential>, StoreError> {
        Ok(self.list()?.into_iter().find(|one| one.name == name))
    }

    /// Keeps a secret under a name that no other has, and says where: without a keyring it is there for this process only.
    ///
    /// # Errors
    /// It cannot be kept as it is.
    pub fn add(&self, credential: Credential, secret: Secret) -> Result<KeySource, VaultError> {
        self.replace(self.check(credential, false)?, secret)
    }

    /// As [`Credentials::add`]; a credential of that name is gone, and its secret with it.
    ///
    /// # Errors
    /// It cannot be kept as it is. Where the settings cannot be written, there may be none of that name any more.
    pub fn replace(&self, credential: Credential, secret: Secret) -> Result<KeySource, VaultError> {
        if !can_be_told(secret.expose()) {
            return Err(VaultError::Secret);
        }
        let credential = checked(credential)?;
        let name = credential.name.clone();
        // For a moment there is none of that name: a new secret never meets the hosts of the one before it.
        self.change(|all| all.retain(|other| other.name != name))?;
        self.known().retire(&name);
        let kept = self.keys.set(&kept_as(&name), secret.clone());
        self.known().learn(&credential, secret);
        self.change(|all| {
            all.retain(|other| other.name != name);
            all.push(credential.clone());
            sort_by(all, |one, other| one.name.cmp(&other.name));
        })?;
        Ok(kept)
    }

    /// Forgets a credential and its secret.
    ///
    /// # Errors
    /// There is none of that name; or the keyring cannot be used, so that the secret may still be in it, but is lent to no
    /// call any more.
    pub fn remove(&self, name: &str) -> Result<(), VaultError> {
        if self.named(name)?.is_none() {
            return Err(VaultError::Missing(name.chars().take(NAME_CHARS).collect()));
        }
        self.change(|all| all.retain(|other| other.name != name))?;
        self.known().retire(name);
        Ok(self.keys.remove(&kept_as(name))?)
    }

    /// Changes the list as it is at that moment: while a person unlocks their keyring for one credential, another process may
    /// give or take others.
    fn change(&self, change: impl Fn(&mut Vec<Credential>)) -> Result<(), StoreError> {
        loop {
            let seen = self.settings.setting(SETTING)?;
            let mut all = read(seen.clone());
            change(&mut all);
            let value = (!all.is_empty()).then(|| json!(all));
            if self.settings.replace_setting(SETTING, seen.as_ref(), value.as_ref())? {
                *self.seen() = None;
                return Ok(());
            }
        }
    }

    /// What there is, as far as it matters for what is hidden. What another process has given counts within [`SEEN_FOR`],
    /// what is given here at once.
    fn listed(&self) -> Arc<[Credential]> {
        // Held while the settings are read, so that what is added meanwhile is not overlooked.
        let mut seen = self.seen();
        let now = self.clock.now();
        let fresh = |at: i64| (at..at + SEEN_FOR).contains(&now);
        if let Some((_, listed)) = seen.as_ref().filter(|(at, _)| fresh(*at)) {
            return listed.clone();
        }
        match self.list() {
            Ok(all) => {
                let all: Arc<[Credential]> = all.into();
                *seen = Some((now, all.clone()));
                all
            }
            // Nobody can be lent what cannot be read.
            Err(_) => seen.as_ref().map(|(_, listed)| listed.clone()).unwrap_or_default(),
        }
    }

    fn seen(&self) -> MutexGuard<'_, Option<(i64, Arc<[Credential]>)>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a secret is told from what happens to stand in a text: enough of it, and no small number.
fn can_be_told(secret: &str) -> bool {
    let is_number = secret.bytes().all(|byte| byte.is_ascii_digit());
    (LEAST_BYTES..=MOST_BYTES).contains(&secret.len()) && (!is_number || secret.len() >= LEAST_DIGITS)
}

/// A credential with plain names.
fn checked(credential: Credential) -> Result<Credential, VaultError> {
    let Credential { name, hosts, tools, since } = credential;
    let fits = name.len() <= NAME_CHARS
        && name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !fits {
        return Err(VaultError::Name(name.chars().take(NAME_CHARS).collect()));
    }
    if hosts.is_empty() && tools.is_empty() {
        return Err(VaultError::Nowhere);
    }
    let plain = |host: String| {
        let lower = host.trim().to_ascii_lowercase();
        // A port would never be compared: a call says to which host it goes, and no more.
        let (signs, more) = match lower.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(address) => (address, ":."),
            None => (lower.as_str(), "-._"),
        };
        let allowed = |sign: char| sign.is_ascii_alphanumeric() || more.contains(sign);
        let is_host = !signs.is_empty() && signs.chars().all(allowed);
        if is_host { Ok(lower) } else { Err(VaultError::Host(host.chars().take(80).collect())) }
    };
    let hosts = hosts.into_iter().map(plain).collect::<Result<_, _>>()?;
    Ok(Credential { name, hosts, tools, since })
}
