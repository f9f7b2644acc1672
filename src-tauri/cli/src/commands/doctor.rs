//! `assent doctor`: what is in place, and what to do where something is not.

use std::sync::Arc;

use assent_engine::clock::SystemClock;
use assent_engine::model::local::FileState;
use assent_engine::model::registry::ModelRole;
use assent_engine::store::{Home, Store};
use assent_engine::tool::sandbox;
use serde::Serialize;

use crate::exit::Exit;
use crate::models;
use crate::terminal::{Style, Terminal};

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    name: &'static str,
    ok: bool,
    detail: String,
}

/// Carries out `assent doctor`.
pub fn run(terminal: &Terminal) -> anyhow::Result<Exit> {
    let mut findings = Vec::new();
    match Home::from_environment() {
        Err(error) => findings.push(Finding { name: "data folder", ok: false, detail: error.to_string() }),
        Ok(home) => {
            let detail = home.root().display().to_string();
            findings.push(Finding { name: "data folder", ok: true, detail });
            findings.extend([database(&home), server(&home), model(&home)]);
        }
    }
    let commands = sandbox::available();
    let detail = match &commands {
        Ok(()) => "commands run in a sandbox without network".to_owned(),
        Err(reason) => format!("every command will ask: {reason}"),
    };
    findings.push(Finding { name: "sandbox", ok: commands.is_ok(), detail });
    for finding in &findings {
        if terminal.json {
            terminal.value(finding)?;
            continue;
        }
        let (style, sign) = if finding.ok { (Style::Good, "✓") } else { (Style::Bad, "✗") };
        terminal.line(&format!("{} {:<13} {}", terminal.paint(style, sign), finding.name, finding.detail));
    }
    Ok(if findings.iter().all(|finding| finding.ok) { Exit::Done } else { Exit::Failed })
}

fn database(home: &Home) -> Finding {
    let opened = Store::open(home, Arc::new(SystemClock));
    let detail = match &opened {
        Ok(store) => store.path().display().to_string(),
        Err(error) => error.to_string(),
    };
    Finding { name: "database", ok: opened.is_ok(), detail }
}

fn server(home: &Home) -> Finding {
    let found = models::places(home).server();
    let detail = match &found {
        Ok(path) => path.display().to_string(),
        Err(error) => error.to_string(),
    };
    Finding { name: "model server", ok: found.is_ok(), detail }
}

fn model(home: &Home) -> Finding {
    let found = Store::open(home, Arc::new(SystemClock)).map_err(anyhow::Error::from).and_then(|store| {
        let registry = models::registry(home, &Arc::new(store))?;
        Ok((registry.chosen(ModelRole::Default)?, registry.embedded()))
    });
    let (ok, detail) = match found {
        Err(error) => (false, error.to_string()),
        Ok((chosen, embedded)) => match embedded.into_iter().find(|model| model.id == chosen).map(|model| model.file) {
            None if chosen.provider == "local" => (false, format!("there is no model {chosen}: see assent model list")),
            None => (true, format!("{chosen}; assent model test tries it")),
            Some(FileState::Ready(path)) => (true, format!("{chosen} in {}", path.display())),
            Some(FileState::Missing) => (false, format!("{chosen} is missing: assent model pull {}", chosen.name)),
            Some(FileState::Corrupt { path, reason }) => (false, format!("{}: {reason}", path.display())),
        },
    };
    Finding { name: "model", ok, detail }
}
