//! What a person changes about models: endpoints of their own, files that are fetched, choices.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use super::{ModelId, ModelRole, PROVIDERS_SETTING, Provider, Registry};
use crate::model::local::{ModelFile, Places, manifest};
use crate::model::pull::{Fetched, PullError, pull};
use crate::model::{Keys, NoVault};
use crate::store::{StoreError, change_list};

/// Why a provider was not added, or not removed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProviderError {
    /// It could not work.
    #[error("{id:?} cannot be added: {reason}")]
    Unusable {
        /// What it was to be called.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is one of that id at another address, whose key would go to the new one.
    #[error(
        "an endpoint {id:?} at {address} is known already, and any key of it would go to the new address: give this one another name, or say that it replaces that"
    )]
    Taken {
        /// What it was to be called.
        id: String,
        /// Where the one that is known is.
        address: String,
    },
    /// Its key may still be in the keyring, and would be of the next one of that id.
    #[error("{id:?} stays because its key cannot be forgotten: {reason}; unlock the keyring, then remove it again")]
    KeyStays {
        /// What it is called.
        id: String,
        /// What the keyring said.
        reason: NoVault,
    },
    /// It could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How an endpoint went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removed {
    /// With its key, if it had one.
    WithKey,
    /// No keyring runs now; one that does later may have its key, which would be that of the next endpoint of that id.
    KeyMayStay(NoVault),
}

impl Registry {
    /// Where model files and the model server are looked for.
    pub fn places(&self) -> &Places {
        &self.parts.places
    }

    /// API keys.
    pub fn keys(&self) -> &Arc<Keys> {
        &self.parts.keys
    }

    /// The choice for exactly this role, if there is one.
    ///
    /// # Errors
    /// [`StoreError`] when the settings cannot be read.
    pub fn choice(&self, role: ModelRole) -> Result<Option<ModelId>, StoreError> {
        let chosen = self.parts.settings.setting(role.setting())?;
        Ok(chosen.as_ref().and_then(Value::as_str).and_then(|text| text.parse().ok()))
    }

    /// The person's own providers.
    ///
    /// # Errors
    /// [`StoreError`] when the settings cannot be read.
    pub fn own_providers(&self) -> Result<Vec<Provider>, StoreError> {
        let own = self.parts.settings.setting(PROVIDERS_SETTING)?;
        Ok(own.and_then(|own| serde_json::from_value(own).ok()).unwrap_or_default())
    }

    /// Adds a provider, or changes the one of the same id at the same address.
    ///
    /// # Errors
    /// [`ProviderError::Unusable`] for an id or an address that cannot work, [`ProviderError::Taken`] where the id is of one
    /// at another address that the person added or gave a key, or settings that cannot be written.
    pub fn add_provider(&self, added: Provider) -> Result<(), ProviderError> {
        check_provider(&added)?;
        let known = self.providers()?.into_iter().find(|known| known.id == added.id);
        if let Some(known) = known.filter(|known| known.base_url != added.base_url)
            && (self.own_providers()?.contains(&known) || self.keys().may_have(&known.id))
        {
            return Err(ProviderError::Taken { id: known.id, address: known.base_url });
        }
        self.replace_provider(added)
    }

    /// Adds a provider, or replaces the one of the same id: what key that has goes to this one.
    ///
    /// # Errors
    /// [`ProviderError::Unusable`] for an id or an address that cannot work, or settings that cannot be written.
    pub fn replace_provider(&self, added: Provider) -> Result<(), ProviderError> {
        check_provider(&added)?;
        change_list(&*self.parts.settings, PROVIDERS_SETTING, |own: &mut Vec<Provider>| {
            own.retain(|provider| provider.id != added.id);
            own.push(added.clone());
            Ok(())
        })
    }

    /// Removes one of the person's own providers with its key; `None` where there is none of that id. A known one of the
    /// same id is back then.
    ///
    /// # Errors
    /// [`ProviderError::KeyStays`] when the keyring does not let go of its key, or settings that cannot be written.
    pub fn remove_provider(&self, id: &str) -> Result<Option<Removed>, ProviderError> {
        if !self.own_providers()?.iter().any(|provider| provider.id == id) {
            return Ok(None);
        }
        // Before it is removed: a key of which nobody knows would be sent to whatever gets the name next.
        let removed = match self.keys().remove(id) {
            Err(reason) if reason.may_hold() => return Err(ProviderError::KeyStays { id: id.to_owned(), reason }),
            Err(reason) => Removed::KeyMayStay(reason),
            Ok(()) => Removed::WithKey,
        };
        change_list(&*self.parts.settings, PROVIDERS_SETTING, |own: &mut Vec<Provider>| {
            own.retain(|provider| provider.id != id);
            Ok(Some(removed.clone()))
        })
    }

    /// Fetches the file of an embedded model from the hub, named `starter` or `local/starter`.
    ///
    /// # Errors
    /// [`PullError`] by meaning.
    pub async fn pull(
        &self,
        name: &str,
        progress: &(dyn Fn(Fetched) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<(&'static ModelFile, PathBuf), PullError> {
        let file = embedded(name).ok_or_else(|| {
            let known: Vec<&str> = manifest().iter().map(|file| file.id.as_str()).collect();
            PullError::Unknown { name: name.to_owned(), known: known.join(", ") }
        })?;
        let path = pull(file, &self.parts.places, &self.parts.hub, progress, cancel).await?;
        Ok((file, path))
    }
}

/// Whether a provider could work as it is written.
fn check_provider(added: &Provider) -> Result<(), ProviderError> {
    let unusable = |reason: &str| ProviderError::Unusable { id: added.id.clone(), reason: reason.to_owned() };
    let plain = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.');
    if added.id.is_empty() || !added.id.chars().all(plain) {
        return Err(unusable("its name may hold letters, digits, '-', '_' and '.' only"));
    }
    if added.id == "local" {
        return Err(unusable("that is the name of the embedded models"));
    }
    let address = reqwest::Url::parse(&added.base_url).ok();
    let address = address.filter(|address| matches!(address.scheme(), "http" | "https") && address.has_host());
    let Some(address) = address else {
        return Err(unusable("its address has to begin with http:// or https://, such as http://127.0.0.1:8000/v1"));
    };
    if !address.username().is_empty() || address.password().is_some() || address.query().is_some() {
        return Err(unusable("its address must hold no key: keys go into the keyring"));
    }
    Ok(())
}

/// The embedded model of a name, written `starter` or `local/starter`.
pub fn embedded(name: &str) -> Option<&'static ModelFile> {
    let name = name.strip_prefix("local/").unwrap_or(name);
    manifest().iter().find(|file| file.id == name)
}
