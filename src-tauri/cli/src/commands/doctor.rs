//! `assent doctor`: what is in place, what to do where something is not, and what else answers on this machine.

use std::path::PathBuf;
use std::sync::Arc;

use assent_engine::clock::SystemClock;
use assent_engine::engine::{Finding, examine, registry};
use assent_engine::store::{Home, Store, StoreError};

use crate::commands::offer;
use crate::exit::Exit;
use crate::terminal::{Style, Terminal};

/// Carries out `assent doctor`.
pub async fn run(terminal: &Terminal) -> anyhow::Result<Exit> {
    let mut findings = examine(Home::from_environment());
    // A data folder that cannot be opened was found above.
    if let Ok(Some(detail)) = servers().await {
        findings.push(Finding { name: "local servers", ok: true, detail });
    }
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

/// What is to be said of the servers on this machine, if there are any.
async fn servers() -> Result<Option<String>, StoreError> {
    let home = Home::from_environment()?;
    let store = Arc::new(Store::open(&home, Arc::new(SystemClock))?);
    // No server is started here, so that no program has to become its guard.
    let registry = registry(&home, &store, PathBuf::new(), None);
    Ok(offer::words(&offer::found(&registry).await?))
}
