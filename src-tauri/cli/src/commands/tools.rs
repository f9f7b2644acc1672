//! `assent tools …`

use std::time::Duration;

use assent_core::contract::{Risk, Source, ToolSpec};
use assent_core::discovery::{Filter, Query, Reason, ToolMatch};
use assent_engine::Engine;
use assent_engine::discovery::Lack;
use assent_engine::tool::meta::is_meta;
use assent_engine::turn::TurnError;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::args::ToolsCommand;
use crate::commands::ask::{settle, workspace};
use crate::commands::follow::follow;
use crate::commands::sources;
use crate::exit::{Exit, json_argument};
use crate::terminal::{Style, Terminal, clip, plain};

/// So long a search waits for the vectors of tools that have none yet; those that were made by then are kept.
const COMPARED: Duration = Duration::from_secs(2);

/// Carries out `assent tools …`.
pub async fn run(engine: &Engine, terminal: &Terminal, command: ToolsCommand) -> anyhow::Result<Exit> {
    match command {
        ToolsCommand::List => list(engine, terminal),
        ToolsCommand::Search { words, limit, risk, source, server, why } => {
            let filter = Filter { sources: source, servers: server, risks: risk, without: Vec::new() };
            search(engine, terminal, &Query { text: &words.join(" "), limit: limit.get(), filter: &filter }, why)
        }
        ToolsCommand::Source(command) => sources::run(engine, terminal, command),
        ToolsCommand::Budget { tokens, usual } => sources::budget(engine, terminal, tokens, usual),
        // This was carried out without an engine.
        ToolsCommand::Eval { .. } => Ok(Exit::Done),
        ToolsCommand::Explain { name } => explain(engine, terminal, &name),
        ToolsCommand::Call { name, arguments, workspace: folder } => {
            let wanted = "the arguments have to be one JSON object, such as '{\"path\": \"notes.txt\"}'";
            let arguments = json_argument(&arguments, wanted)?;
            if is_meta(&name) {
                anyhow::bail!(
                    "{name} is for models; look for tools yourself: assent tools search, assent tools explain"
                );
            }
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
        let risk = worst(spec.source, spec.risk);
        terminal.line(&format!(
            "{:<20} {:<14} {}",
            terminal.paint(Style::Name, &plain(&spec.name)),
            risk,
            clip(spec.summary(), terminal.width.saturating_sub(38))
        ));
    }
    Ok(Exit::Done)
}

fn worst(source: Source, risk: Risk) -> &'static str {
    match risk {
        _ if source == Source::Human => "asks you",
        Risk::Read => "reads",
        Risk::Write => "writes",
        Risk::Execute => "runs commands",
        Risk::Network => "network",
        Risk::Destructive => "destroys",
    }
}

fn search(engine: &Engine, terminal: &Terminal, query: &Query<'_>, why: bool) -> anyhow::Result<Exit> {
    // In the window the vectors of tools are worked out beside other things; here nothing comes after.
    engine.tools().settle_within(COMPARED);
    let found = engine.tools().find(query);
    if let Some(nothing) = found.nothing {
        terminal.note(&nothing.to_string());
    }
    // Most people have no file for meanings, and miss nothing: that is told to who asks why.
    for lack in engine.tools().lacks().into_iter().filter(|lack| why || *lack == Lack::Past) {
        terminal.note(&lack.to_string());
    }
    for tool in &found.tools {
        if terminal.json {
            terminal.value(tool)?;
            continue;
        }
        terminal.line(&format!(
            "{:<20} {:<14} {}",
            terminal.paint(Style::Name, &plain(&tool.name)),
            worst(tool.source, tool.risk),
            clip(&tool.summary, terminal.width.saturating_sub(38))
        ));
        if why {
            let owner = tool.owner.as_ref().map(|owner| format!("; of the specialist {}", plain(owner)));
            terminal.line(&format!("  {:.2} = {}{}", tool.score, reasons(tool), owner.unwrap_or_default()));
        }
    }
    Ok(Exit::Done)
}

/// What a score is made of, without what adds nothing.
fn reasons(tool: &ToolMatch) -> String {
    let named = tool.exact.then(|| "named exactly".to_owned());
    let parts = tool.reasons.iter().filter(|(_, value, _)| *value > 0.0).map(|(reason, _, adds)| {
        let words = match reason {
            Reason::Words => "words",
            Reason::Whole => "words of the whole",
            Reason::Neighbours => "words beside each other",
            Reason::Name => "its name",
            Reason::Description => "its description",
            Reason::Values => "values for its parameters",
            Reason::Required => "parameters it requires",
            Reason::LackingNumbers => "numbers it lacks",
            Reason::Taught => "past runs",
            Reason::Meaning => "its meaning",
        };
        format!("{adds:+.2} {words}")
    });
    parts.chain(named).collect::<Vec<_>>().join(", ")
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
    terminal.line(&plain(&serde_json::to_string_pretty(&spec.parameters)?));
    Ok(Exit::Done)
}
