//! A keyring in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use assent_engine::model::{NoVault, Secret, Vault};

/// What is kept, which clones share; a closed one gives and takes nothing.
#[derive(Default, Clone)]
pub struct Keyring {
    /// Whether it waits for a person to unlock it.
    pub is_closed: bool,
    /// The secrets by their names.
    pub kept: Arc<Mutex<BTreeMap<String, Secret>>>,
}

impl Keyring {
    fn open(&self) -> Result<MutexGuard<'_, BTreeMap<String, Secret>>, NoVault> {
        if self.is_closed { Err(NoVault { reason: "it is locked".to_owned() }) } else { Ok(self.kept.lock().unwrap()) }
    }
}

impl Vault for Keyring {
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
