//! API keys: in the platform's keyring, or for this process only. Never in a file, a database, an event or a log.
//!
//! Looked up in this order: what was set in this process, the keyring, `ASSENT_KEY_<PROVIDER>`, the provider's own
//! variable (`OPENAI_API_KEY`).

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::{Mutex, MutexGuard, PoisonError};

use keyring_core::{Entry, Error};

use super::Secret;

/// Where keys are kept.
const SERVICE: &str = "assent";

/// A place for secrets that outlives the process.
pub trait Vault: Send + Sync {
    /// The secret of a name; `None` without one.
    ///
    /// # Errors
    /// [`NoVault`] when there is no such place, or it stays closed.
    fn get(&self, name: &str) -> Result<Option<Secret>, NoVault>;
    /// Keeps a secret.
    ///
    /// # Errors
    /// As [`Vault::get`].
    fn set(&self, name: &str, secret: &Secret) -> Result<(), NoVault>;
    /// Forgets a secret; there may be none.
    ///
    /// # Errors
    /// As [`Vault::get`].
    fn remove(&self, name: &str) -> Result<(), NoVault>;
}

/// There is no keyring, or it cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this machine's keyring cannot be used: {reason}")]
pub struct NoVault {
    /// What the keyring said, without any secret.
    pub reason: String,
}

impl NoVault {
    /// Whether there is a keyring, which may have what it does not say.
    pub fn may_hold(&self) -> bool {
        self.reason != NONE
    }
}

/// The platform's keyring: Secret Service, Keychain, Credential Manager.
#[derive(Debug, Default, Clone, Copy)]
pub struct Keyring;

impl Keyring {
    fn entry(name: &str) -> Result<Entry, NoVault> {
        opened()
            .map_err(|_| Error::NoDefaultStore)
            .and_then(|()| Entry::new(SERVICE, name))
            .map_err(|error| no_vault(&error))
    }
}

/// Opens the platform's keyring, once for all entries. One that did not run may do so the next time.
fn opened() -> Result<(), Error> {
    static OPENED: Mutex<bool> = Mutex::new(false);
    let mut is_open = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if !*is_open {
        #[cfg(all(unix, not(target_os = "macos")))]
        keyring_core::set_default_store(dbus_secret_service_keyring_store::Store::new()?);
        #[cfg(target_os = "macos")]
        keyring_core::set_default_store(apple_native_keyring_store::keychain::Store::new()?);
        #[cfg(windows)]
        keyring_core::set_default_store(windows_native_keyring_store::Store::new()?);
        *is_open = true;
    }
    Ok(())
}

/// Errors of the keyring can carry what was read; only their kind is told.
/// What is said where there is no keyring.
const NONE: &str = "there is none, or it does not run";

fn no_vault(error: &Error) -> NoVault {
    let reason = match error {
        Error::NoDefaultStore => NONE,
        Error::NoStorageAccess(_) => "it is locked",
        Error::PlatformFailure(_) => "it does not answer",
        Error::TooLong(..) => "the key is too long for it",
        Error::Ambiguous(_) => "it has several entries of that name",
        _ => "it refused",
    };
    NoVault { reason: reason.to_owned() }
}

impl Vault for Keyring {
    fn get(&self, name: &str) -> Result<Option<Secret>, NoVault> {
        match Self::entry(name)?.get_password() {
            Ok(text) => Ok(Some(Secret::new(&text))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(no_vault(&error)),
        }
    }

    fn set(&self, name: &str, secret: &Secret) -> Result<(), NoVault> {
        Self::entry(name)?.set_password(secret.expose()).map_err(|error| no_vault(&error))
    }

    fn remove(&self, name: &str) -> Result<(), NoVault> {
        match Self::entry(name)?.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(no_vault(&error)),
        }
    }
}

/// Where a key comes from or was put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The platform's keyring: it is there tomorrow.
    Keyring,
    /// An environment variable of this name.
    Environment(String),
    /// This process only: it is gone when Assent ends, because the keyring cannot be used.
    Process(NoVault),
}

type Variable = dyn Fn(&str) -> Option<OsString> + Send + Sync;

/// The keys of all providers.
pub struct Keys {
    vault: Box<dyn Vault>,
    variable: Box<Variable>,
    process: Mutex<HashMap<String, (Secret, NoVault)>>,
}

impl Keys {
    /// Keys in a vault; `variable` looks up the environment.
    pub fn new(vault: Box<dyn Vault>, variable: Box<Variable>) -> Self {
        Self { vault, variable, process: Mutex::default() }
    }

    /// Keys in the platform's keyring and the real environment.
    pub fn usual() -> Self {
        Self::new(Box::new(Keyring), Box::new(|name| std::env::var_os(name)))
    }

    /// The key of a provider and where it is from, as far as it is known.
    pub fn key(&self, provider: &str) -> Option<(Secret, KeySource)> {
        self.find(provider).ok().flatten()
    }

    /// The key of a provider and where it is from.
    ///
    /// # Errors
    /// [`NoVault`] where there is none but perhaps one in the keyring, which does not say.
    pub fn find(&self, provider: &str) -> Result<Option<(Secret, KeySource)>, NoVault> {
        if let Some((key, why)) = self.lock().get(provider) {
            return Ok(Some((key.clone(), KeySource::Process(why.clone()))));
        }
        let kept = self.vault.get(provider);
        if let Ok(Some(key)) = kept {
            return Ok(Some((key, KeySource::Keyring)));
        }
        let from_environment = variables(provider).into_iter().find_map(|name| {
            let key = Secret::new((self.variable)(&name)?.to_str()?);
            (!key.is_empty()).then_some((key, KeySource::Environment(name)))
        });
        match kept {
            Err(no_vault) if from_environment.is_none() && no_vault.may_hold() => Err(no_vault),
            _ => Ok(from_environment),
        }
    }

    /// Whether there is a key of a provider, or may be one: a keyring that is there and does not say may have it.
    pub fn may_have(&self, provider: &str) -> bool {
        self.find(provider).map_or(true, |found| found.is_some())
    }

    /// Keeps a key, and says where: in the keyring, or without one in this process only.
    pub fn set(&self, provider: &str, key: Secret) -> KeySource {
        match self.vault.set(provider, &key) {
            Ok(()) => {
                self.lock().remove(provider);
                KeySource::Keyring
            }
            Err(why) => {
                self.lock().insert(provider.to_owned(), (key, why.clone()));
                KeySource::Process(why)
            }
        }
    }

    /// Forgets a key; those in the environment stay.
    ///
    /// # Errors
    /// [`NoVault`] when the keyring cannot be used, so that a key may still be in it.
    pub fn remove(&self, provider: &str) -> Result<(), NoVault> {
        self.lock().remove(provider);
        self.vault.remove(provider)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, (Secret, NoVault)>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The environment variable by which a provider's key is given to Assent alone.
pub fn key_variable(provider: &str) -> String {
    variables(provider).swap_remove(0)
}

/// The variables that may hold a key: a provider's, or one that a source of tools has for a host. The latter's name
/// has several words and keeps each sign of them, so that it never stands for another host.
fn variables(of: &str) -> Vec<String> {
    if of.contains(' ') {
        let sign = |sign: char| match sign {
            ' ' => "__".to_owned(),
            plain if plain.is_ascii_alphanumeric() => plain.to_ascii_uppercase().to_string(),
            odd => format!("_{:X}_", u32::from(odd)),
        };
        return vec![format!("ASSENT_KEY_{}", of.chars().map(sign).collect::<String>())];
    }
    let sign = |sign: char| if sign.is_ascii_alphanumeric() { sign.to_ascii_uppercase() } else { '_' };
    let upper: String = of.chars().map(sign).collect();
    vec![format!("ASSENT_KEY_{upper}"), format!("{upper}_API_KEY")]
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use super::*;

    /// A keyring in memory; a closed one gives and takes nothing.
    #[derive(Default, Clone)]
    pub(crate) struct Mock {
        pub(crate) closed: bool,
        pub(crate) kept: Arc<Mutex<HashMap<String, Secret>>>,
    }

    impl Mock {
        fn open(&self) -> Result<MutexGuard<'_, HashMap<String, Secret>>, NoVault> {
            if self.closed { Err(NoVault { reason: "it is locked".into() }) } else { Ok(self.kept.lock().unwrap()) }
        }
    }

    impl Vault for Mock {
        fn get(&self, name: &str) -> Result<Option<Secret>, NoVault> {
            Ok(self.open()?.get(name).cloned())
        }
        fn set(&self, name: &str, secret: &Secret) -> Result<(), NoVault> {
            self.open()?.insert(name.to_owned(), secret.clone());
            Ok(())
        }
        fn remove(&self, name: &str) -> Result<(), NoVault> {
            self.open()?.remove(name);
            Ok(())
        }
    }

    fn keys(mock: &Mock) -> Keys {
        let variable = |name: &str| (name == "OPENAI_API_KEY").then(|| OsString::from("from-environment"));
        Keys::new(Box::new(mock.clone()), Box::new(variable))
    }

    #[test]
    fn a_key_in_the_keyring_comes_before_the_environment_and_is_there_for_the_next_process() {
        let mock = Mock::default();
        let environment = KeySource::Environment("OPENAI_API_KEY".into());
        assert_eq!(keys(&mock).key("openai"), Some((Secret::new("from-environment"), environment.clone())));
        assert_eq!(keys(&mock).set("openai", Secret::new("mine")), KeySource::Keyring);
        let next = keys(&mock);
        assert_eq!(next.key("openai"), Some((Secret::new("mine"), KeySource::Keyring)));
        next.remove("openai").unwrap();
        assert_eq!(next.key("openai").unwrap().1, environment);
        assert_eq!(next.key("anthropic"), None);
    }

    #[test]
    fn without_a_keyring_a_key_is_kept_by_this_process_only_and_that_is_said() {
        let mock = Mock { closed: true, ..Mock::default() };
        let first = keys(&mock);
        let why = NoVault { reason: "it is locked".into() };
        assert_eq!(first.set("anthropic", Secret::new("mine")), KeySource::Process(why.clone()));
        assert_eq!(first.key("anthropic"), Some((Secret::new("mine"), KeySource::Process(why.clone()))));
        assert_eq!(keys(&mock).key("anthropic"), None);
        assert_eq!(first.remove("anthropic"), Err(why));
        assert_eq!(first.key("anthropic"), None);
    }

    #[test]
    fn of_a_keyring_that_does_not_say_a_key_is_neither_there_nor_missing_unless_another_comes_first() {
        let locked = keys(&Mock { closed: true, ..Mock::default() });
        let why = NoVault { reason: "it is locked".into() };
        assert_eq!(locked.find("anthropic"), Err(why));
        assert_eq!((locked.key("anthropic"), locked.may_have("anthropic")), (None, true));
        assert_eq!(locked.find("openai").unwrap().unwrap().1, KeySource::Environment("OPENAI_API_KEY".into()));
        let open = keys(&Mock::default());
        assert_eq!((open.find("anthropic"), open.may_have("anthropic")), (Ok(None), false));
    }

    #[test]
    fn odd_provider_names_make_plain_variables() {
        assert_eq!(variables("my-vllm.2"), ["ASSENT_KEY_MY_VLLM_2", "MY_VLLM_2_API_KEY"]);
    }

    #[test]
    fn a_key_for_a_host_is_never_found_for_another_that_looks_alike() {
        let names = ["tools acme a.b", "tools acme a-b", "tools acme-a b", "tools acme_a b", "tools acme a_2e_b"];
        let variables: std::collections::HashSet<_> = names.into_iter().flat_map(variables).collect();
        assert_eq!(variables.len(), names.len(), "{variables:?}");
        let known = |name: &str| (name == "ASSENT_KEY_TOOLS__ACME__A_2E_B").then(|| OsString::from("for a.b"));
        let keys = Keys::new(Box::new(Mock::default()), Box::new(known));
        assert_eq!(keys.key(names[0]).map(|(key, _)| key), Some(Secret::new("for a.b")));
        assert!(names[1..].iter().all(|other| keys.key(other).is_none()));
    }
}
