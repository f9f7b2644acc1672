//! `assent tools source …` and `assent tools budget`

use assent_engine::Engine;
use assent_engine::engine::{SourcesError, add_tool_source, choose_budget, note_source_key, tool_sources};
use assent_engine::tool::described::{ToolSource, key_name};
use assent_engine::tool::meta::is_meta;
use serde_json::json;

use super::model::{KeyOf, key};
use crate::args::SourceCommand;
use crate::exit::{Exit, Usage};
use crate::terminal::{Style, Terminal, plain};

/// Carries out `assent tools source …`.
pub fn run(engine: &Engine, terminal: &Terminal, command: SourceCommand) -> anyhow::Result<Exit> {
    match command {
        SourceCommand::Add { name, folder } => show(terminal, &add_tool_source(engine.settings(), &name, &folder)?)?,
        SourceCommand::List => {
            let sources = tool_sources(engine.settings())?;
            if sources.is_empty() {
                terminal.note("no folder of tools was added");
            }
            sources.iter().try_for_each(|source| show(terminal, source))?;
        }
        SourceCommand::Key { name, host, forget } => {
            if !tool_sources(engine.settings())?.iter().any(|source| source.name == name) {
                return Err(SourcesError::Missing(name).into());
            }
            let (kept, shown) = (key_name(&name, &host), format!("{name} for {host}"));
            let command = format!("assent tools source key {name} {host}");
            let of = KeyOf { name: &kept, kind: "source", shown: &shown, command };
            // Before it is kept, so that no key stays of which nobody knows.
            if !forget {
                note_source_key(engine.settings(), &name, &host, true)?;
            }
            let done = key(terminal, &of, forget);
            // One that could not be kept is not to be forgotten with the source either.
            if forget && done.is_ok() || !forget && !matches!(done, Ok(Exit::Done)) {
                note_source_key(engine.settings(), &name, &host, false)?;
            }
            return done;
        }
        SourceCommand::Remove { name } => {
            let source = engine.tools().remove_source(&name)?;
            if terminal.json {
                terminal.value(&source)?;
            } else {
                terminal.line(&format!("removed {}; {} stays as it is", source.name, source.folder.display()));
            }
        }
    }
    Ok(Exit::Done)
}

/// A source with what it has now.
fn show(terminal: &Terminal, source: &ToolSource) -> anyhow::Result<()> {
    let (tools, left_out, problem) = match source.read() {
        Ok(described) => (described.tools.len(), described.left_out, None),
        Err(error) => (0, Vec::new(), Some(error.to_string())),
    };
    if terminal.json {
        let (name, folder) = (&source.name, &source.folder);
        let shown = json!({"name": name, "folder": folder, "tools": tools, "leftOut": left_out, "problem": problem});
        return terminal.value(&shown);
    }
    let folder = plain(&source.folder.display().to_string());
    terminal.line(&format!("{:<20} {tools:>6} tools  {folder}", terminal.paint(Style::Name, &source.name)));
    for one in &left_out {
        let name = one.name.as_deref().map(|name| format!(" {}", plain(name))).unwrap_or_default();
        terminal.line(&format!("  left out: {}{name}: {}", plain(&one.file), plain(&one.reason)));
    }
    if let Some(problem) = problem {
        terminal.note(&plain(&problem));
    }
    Ok(())
}

/// Carries out `assent tools budget`.
pub fn budget(engine: &Engine, terminal: &Terminal, tokens: Option<u32>, usual: bool) -> anyhow::Result<Exit> {
    if (tokens.is_some() || usual) && !choose_budget(engine.settings(), tokens)? {
        return Err(Usage("the budget has to be a number of tokens from 100 to 200000".to_owned()).into());
    }
    let budget = engine.tool_budget()?;
    let beyond = engine.tools().beyond(budget);
    if terminal.json {
        terminal.value(&json!({"toolTokenBudget": budget, "leftOut": beyond}))?;
        return Ok(Exit::Done);
    }
    terminal.line(&format!("{budget} tokens of tool descriptions in one request, for plans that are made from now on"));
    if !beyond.is_empty() {
        let without = beyond.join(", ");
        terminal
            .note(&format!("too few for all core tools: where a step does not require them, {without} are left out"));
        if beyond.iter().any(|name| is_meta(name)) {
            terminal.note("tools that are not shown can then not be found in a run");
        }
    }
    Ok(Exit::Done)
}
