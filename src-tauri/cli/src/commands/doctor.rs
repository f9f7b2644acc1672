//! `assent doctor`: what is in place, and what to do where something is not.

use assent_engine::engine::examine;
use assent_engine::store::Home;

use crate::exit::Exit;
use crate::terminal::{Style, Terminal};

/// Carries out `assent doctor`.
pub fn run(terminal: &Terminal) -> anyhow::Result<Exit> {
    let findings = examine(Home::from_environment());
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
