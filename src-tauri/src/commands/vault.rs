//! Credentials of the vault. A secret comes in, and never goes out.

use assent_engine::model::Secret;
use assent_engine::vault::Credential;

use super::{Answered, Here};
use crate::aside::{Aside, aside};
use crate::wire::{CredentialView, KeptCredential};

/// What there is, by name. The keyring is not asked.
pub fn vault_list(shell: Here<'_>) -> Aside<Vec<CredentialView>> {
    shell.ask(|engine| Ok(engine.vault().list()?.into_iter().map(CredentialView::from).collect()))
}

/// Keeps a credential; in the place of one of that name only where that is meant.
pub async fn vault_add(
    shell: Here<'_>,
    name: String,
    hosts: Vec<String>,
    tools: Vec<String>,
    secret: String,
    replaces: bool,
) -> Answered<KeptCredential> {
    let (opened, secret) = (shell.opened()?, Secret::new(&secret));
    // The keyring is another program, which may take its time.
    aside(move || {
        let vault = opened.engine.vault();
        let credential = vault.check(Credential { name, hosts, tools, since: opened.engine.now() }, replaces)?;
        let place = vault.replace(credential.clone(), secret)?;
        Ok(KeptCredential { credential: credential.into(), key: place.into() })
    })
    .await
}

/// Forgets a credential and its secret.
pub async fn vault_remove(shell: Here<'_>, name: String) -> Answered<()> {
    let opened = shell.opened()?;
    aside(move || Ok(opened.engine.vault().remove(&name)?)).await
}
