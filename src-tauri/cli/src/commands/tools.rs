//! `assent tools …`

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_engine::Engine;
use assent_engine::turn::TurnError;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::args::ToolsCommand;
use crate::commands::ask::{settle, workspace};
use crate::commands::follow::follow;
use crate::exit::{Exit, json_argument};
use crate::terminal::{Style, Terminal, clip, plain};

/// Carries out `assent tools …`.
pub async fn run(engine: &Engine, terminal: &Terminal, command: ToolsCommand) -> anyhow::Result<Exit> {
    match command {
        ToolsCommand::List => list(engine, terminal),
        ToolsCommand::Explain { name } => explain(engine, terminal, &name),
        ToolsCommand::Call { name, arguments, workspace: folder } => {
            let wanted = "the arguments have to be one JSON object, such as '{\"path\": \"notes.txt\"}'";
            let arguments = json_argument(&arguments, wanted)?;
            known(engine, &name)?;
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

fn known<'e>(engine: &'e Engine, name: &str) -> anyhow::Result<&'e ToolSpec> {
    engine.tools().get(name).ok_or_else(|| TurnError::NoTool(name.to_owned()).into())
}

fn explain(engine: &Engine, terminal: &Terminal, name: &str) -> anyhow::Result<Exit> {
    let spec = known(engine, name)?;
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
