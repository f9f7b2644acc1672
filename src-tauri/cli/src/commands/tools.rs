//! `assent tools …`

use anyhow::Context;
use assent_core::contract::{Risk, Source};
use assent_engine::Engine;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::args::ToolsCommand;
use crate::commands::ask::{settle, workspace};
use crate::commands::follow::follow;
use crate::exit::Exit;
use crate::terminal::{Style, Terminal, clip, plain};

/// Carries out `assent tools …`.
pub async fn run(engine: &Engine, terminal: &Terminal, command: ToolsCommand) -> anyhow::Result<Exit> {
    match command {
        ToolsCommand::List => list(engine, terminal),
        ToolsCommand::Explain { name } => explain(engine, terminal, &name),
        ToolsCommand::Call { name, arguments, workspace: folder } => {
            let arguments: Value = serde_json::from_str(&arguments)
                .context("the arguments have to be one JSON object, such as '{\"path\": \"notes.txt\"}'")?;
            let folder = workspace(folder.as_ref())?;
            let session = engine.sessions().create(&folder).await?;
            let cancel = CancellationToken::new();
            let work = engine.turns().call(&session, &name, arguments, &cancel);
            let end = follow(engine, terminal, Some(&session), &cancel, work).await?;
            settle(engine, terminal, end).await
        }
    }
}

fn list(engine: &Engine, terminal: &Terminal) -> anyhow::Result<Exit> {
    let tools = engine.tools();
    for spec in tools.list() {
        if terminal.json {
            terminal.value(spec)?;
            continue;
        }
        let risk = match spec.risk {
            Risk::Read => "reads",
            Risk::Write => "writes",
            Risk::Execute => "runs commands",
            Risk::Network => "network",
            Risk::Destructive => "destroys",
        };
        let risk = if spec.source == Source::Human { "asks you" } else { risk };
        terminal.line(&format!(
            "{:<20} {:<14} {}",
            terminal.paint(Style::Name, &plain(&spec.name)),
            risk,
            clip(spec.summary(), terminal.width.saturating_sub(38))
        ));
    }
    Ok(Exit::Done)
}

fn explain(engine: &Engine, terminal: &Terminal, name: &str) -> anyhow::Result<Exit> {
    let tools = engine.tools();
    let Some(spec) = tools.get(name) else {
        anyhow::bail!("there is no tool {name:?}; see: assent tools list");
    };
    if terminal.json {
        let explained = json!({"tool_id": spec.name, "description": spec.description, "parameters": spec.parameters});
        terminal.value(&explained)?;
        return Ok(Exit::Done);
    }
    terminal.line(&terminal.paint(Style::Strong, &spec.name));
    terminal.line(&plain(&spec.description));
    terminal.line(&serde_json::to_string_pretty(&spec.parameters)?);
    Ok(Exit::Done)
}
