//! Credentials of the vault, as a person reads them: never a secret.

use assent_core::contract::{Fault, Stage};
use assent_engine::vault::{Credential, VaultError};
use serde::Serialize;

use super::{ErrorCode, Failure, KeyView};

/// What a credential is for.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CredentialView {
    /// Its name, by which models know it.
    pub name: String,
    /// The hosts that it goes to.
    pub hosts: Vec<String>,
    /// The only tools whose calls it goes into; none: every tool that talks to its hosts and to no other.
    pub tools: Vec<String>,
    /// What is answered to a question for it.
    pub told: String,
}

/// A credential that was kept just now.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct KeptCredential {
    /// What it is for.
    pub credential: CredentialView,
    /// Where its secret is.
    pub key: KeyView,
}

impl From<Credential> for CredentialView {
    fn from(one: Credential) -> Self {
        Self { told: one.told(), name: one.name, hosts: one.hosts, tools: one.tools }
    }
}

impl From<VaultError> for Failure {
    fn from(error: VaultError) -> Self {
        let place = match error {
            VaultError::Store(inner) => return inner.into(),
            VaultError::Keyring(inner) => return inner.into(),
            VaultError::Missing(_) => return Self::new(ErrorCode::NotFound, error.to_string()),
            VaultError::Taken { .. } => return Self::new(ErrorCode::NameTaken, error.to_string()),
            VaultError::Name(_) => "name",
            VaultError::Nowhere | VaultError::Host(_) => "hosts",
            VaultError::Secret => "secret",
        };
        let message = error.to_string();
        let fault = Fault::new(Stage::ToolArguments, message.clone()).at([place]);
        Self::with_faults(ErrorCode::Invalid, message, vec![fault])
    }
}
