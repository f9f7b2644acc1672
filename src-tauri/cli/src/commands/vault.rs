//! `assent vault …`

use anyhow::{anyhow, bail};
use assent_core::run::CredentialAsked;
use assent_engine::Engine;
use assent_engine::model::{KeySource, key_variable};
use assent_engine::vault::{Credential, VaultError, kept_as};
use serde_json::json;

use super::model::{KeyOf, typed_key};
use crate::args::VaultCommand;
use crate::exit::{Exit, Usage};
use crate::terminal::{Style, Terminal, plain};

/// Carries out `assent vault …`.
pub fn run(engine: &Engine, terminal: &Terminal, command: VaultCommand) -> anyhow::Result<Exit> {
    let vault = engine.vault();
    match command {
        VaultCommand::Add { name, host, tool, replace } => {
            let credential = Credential { name, hosts: host, tools: tool, since: engine.now() };
            return add(engine, terminal, credential, replace);
        }
        VaultCommand::List => {
            let all = vault.list()?;
            if all.is_empty() && !terminal.json {
                terminal.note("the vault is empty: assent vault add NAME --host HOST keeps a credential");
            }
            all.iter().try_for_each(|one| line(terminal, one))?;
        }
        VaultCommand::Remove { name } => {
            vault.remove(&name)?;
            if terminal.json {
                terminal.value(&json!({"removed": name}))?;
            } else {
                terminal.line(&format!("{} is forgotten", plain(&name)));
            }
        }
    }
    Ok(Exit::Done)
}

fn add(engine: &Engine, terminal: &Terminal, credential: Credential, replaces: bool) -> anyhow::Result<Exit> {
    let Credential { name, .. } = keep(engine, terminal, credential, replaces)?;
    if terminal.json {
        terminal.value(&json!({"credential": name, "kept": "keyring"}))?;
    } else {
        terminal.line(&format!("{} is in the system's keyring", plain(&name)));
    }
    Ok(Exit::Done)
}

/// Asks for a secret that a question asks for, and where it may go, and keeps it.
pub fn kept(engine: &Engine, terminal: &Terminal, asked: &CredentialAsked) -> anyhow::Result<Credential> {
    let or = |typed: Option<String>, usual: &str| {
        let typed = typed.map(|typed| typed.trim().to_owned()).filter(|typed| !typed.is_empty());
        typed.unwrap_or_else(|| usual.to_owned())
    };
    // What is kept under that name for the same hosts may be to be renewed.
    let all = engine.vault().list()?;
    let is_same = |one: &Credential| asked.hosts.iter().all(|host| one.hosts.contains(host));
    let same = all.iter().any(|one| one.name == asked.name && !asked.hosts.is_empty() && is_same(one));
    let mut usual = if same { asked.name.clone() } else { engine.vault().free_name(&asked.name)? };
    let (name, before) = loop {
        let name = or(terminal.ask(&format!("its name [{}]: ", plain(&usual))), &usual);
        let Some(kept) = all.iter().find(|one| one.name == name) else { break (name, None) };
        let places = if kept.hosts.is_empty() { &kept.tools } else { &kept.hosts };
        let question =
            format!("{} for {} is kept already; replace it? [y/N]: ", plain(&name), plain(&places.join(", ")));
        let said = terminal.ask(&question);
        if said.is_some_and(|said| matches!(said.trim().to_lowercase().as_str(), "y" | "yes")) {
            break (name, Some(kept.clone()));
        }
        usual = engine.vault().free_name(&name)?;
    };
    let replaces = before.is_some();
    // One that is renewed goes where it went, and nowhere else.
    let (hosts, tools) = before.map_or_else(|| (asked.hosts.clone(), Vec::new()), |kept| (kept.hosts, kept.tools));
    let places = hosts.join(" ");
    let hosts = or(terminal.ask(&format!("the hosts that it goes to [{}]: ", plain(&places))), &places);
    let hosts = hosts.split([' ', ',']).filter(|host| !host.is_empty()).map(str::to_owned).collect();
    keep(engine, terminal, Credential { name, hosts, tools, since: engine.now() }, replaces)
}

fn keep(engine: &Engine, terminal: &Terminal, credential: Credential, replaces: bool) -> anyhow::Result<Credential> {
    // Before anybody types a secret for nothing.
    let credential = engine.vault().check(credential, replaces).map_err(|wrong| match wrong {
        VaultError::Taken { .. } => anyhow!("{wrong} (--replace)"),
        wrong => Usage(wrong.to_string()).into(),
    })?;
    let (name, shown) = (kept_as(&credential.name), credential.name.clone());
    let command = format!("assent vault add {shown}");
    let secret = typed_key(terminal, &KeyOf { name: &name, kind: "credential", shown: &shown, command })?;
    match engine.vault().replace(credential.clone(), secret) {
        Ok(KeySource::Process(why)) => {
            let variable = key_variable(&name);
            bail!("where {shown} may go is kept, but not its secret: {why}; set the environment variable {variable}")
        }
        Ok(KeySource::Keyring | KeySource::Environment(_)) => Ok(credential),
        Err(wrong @ VaultError::Secret) => Err(Usage(wrong.to_string()).into()),
        Err(error) => Err(error.into()),
    }
}

fn line(terminal: &Terminal, one: &Credential) -> anyhow::Result<()> {
    if terminal.json {
        return terminal.value(&json!({"name": one.name, "hosts": one.hosts, "tools": one.tools}));
    }
    let name = terminal.paint(Style::Name, &format!("{:<20}", plain(&one.name)));
    let tools = if one.tools.is_empty() { String::new() } else { format!("  only {}", one.tools.join(", ")) };
    terminal.line(&format!("{name} {}{}", plain(&one.hosts.join(", ")), plain(&tools)));
    Ok(())
}
