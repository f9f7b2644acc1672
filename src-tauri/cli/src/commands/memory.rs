//! `assent memory …`

use std::collections::BTreeMap;

use assent_engine::Engine;
use assent_engine::memory::{CONTEXT_TOOLS, Recall};
use assent_engine::store::{Forget, MemoryFilter, MemoryKind};
use serde_json::{Value, json};

use crate::args::MemoryCommand;
use crate::exit::Exit;
use crate::terminal::{Style, Terminal, clip, plain, wrap};

/// Columns before what a memory says, those before what it has to do with, and what is shown of either in any terminal.
const AROUND: usize = 60;
const LINKED: usize = 8;
const LEAST: usize = 20;

/// Carries out `assent memory …`.
pub async fn run(engine: &Engine, terminal: &Terminal, command: MemoryCommand) -> anyhow::Result<Exit> {
    match command {
        MemoryCommand::List { kind, context, limit } => {
            let filter =
                MemoryFilter { contexts: context, types: types(&kind), limit: limit.get(), ..MemoryFilter::default() };
            let rows = engine.memory().list(&filter)?;
            if rows.is_empty() {
                terminal.note("nothing of that kind is remembered");
            }
            rows.iter().try_for_each(|row| show(terminal, &json!(row)))?;
        }
        MemoryCommand::Recall { words, kind, context, limit } => {
            let about = Recall::about(&words.join(" ")).limit(limit.get());
            let recall = Recall { context_ids: context, context_types: types(&kind), ..about };
            let found = engine.memory().recall(&recall).await;
            if let Some(nothing) = &found.nothing {
                terminal.note(nothing);
            }
            found.memories.iter().try_for_each(|row| show(terminal, row))?;
            if let Some(most) = found.cut.filter(|_| found.nothing.is_none()) {
                terminal.note(&format!("only the newest {most} memories were looked through; there are more"));
            }
            if found.degraded {
                let problem = "the memory cannot be read now: the database is damaged, or another program holds it; \
                    `assent doctor` tells more";
                terminal.problem("assent:", problem);
                return Ok(Exit::Failed);
            }
        }
        MemoryCommand::Forget { ids, tool, all } => {
            let what = match tool {
                Some(tool) => Forget::Context(format!("tool:{tool}")),
                None if all => Forget::All,
                None => Forget::These(ids),
            };
            let forgotten = engine.memory().forget(&what)?;
            if terminal.json {
                terminal.value(&json!({"forgotten": forgotten}))?;
            } else {
                terminal.line(&format!("forgot {forgotten}"));
            }
        }
    }
    Ok(Exit::Done)
}

/// Memories of these kinds, whatever they belong to.
fn types(kinds: &[MemoryKind]) -> BTreeMap<String, Vec<String>> {
    let word = |kind: &MemoryKind| json!(kind).as_str().unwrap_or_default().to_owned();
    kinds.iter().map(|kind| (word(kind), Vec::new())).collect()
}

fn show(terminal: &Terminal, row: &Value) -> anyhow::Result<()> {
    if terminal.json {
        return terminal.value(row);
    }
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    terminal.line(&format!(
        "{:>6}  {} {:<7} {:<28} {}",
        text(&row["id"]),
        terminal.paint(Style::Name, &format!("{:<12}", text(&row["kind"]))),
        source(row),
        plain(&text(&row["context"])),
        clip(&plain(&said(row)), terminal.width.saturating_sub(AROUND).max(LEAST))
    ));
    for line in wrap(&links(row), terminal.width.saturating_sub(LINKED).max(LEAST)) {
        terminal.line(&format!("{:LINKED$}{}", "", terminal.paint(Style::Quiet, &line)));
    }
    Ok(())
}

/// On whose word a memory is kept, as short as a column has room for.
fn source(row: &Value) -> &'static str {
    match row["source"].as_str().unwrap_or_default() {
        "validator" => "check",
        "executor" => "call",
        "user" => "you",
        "agent" => "model",
        _ => "Assent",
    }
}

/// What a memory has to do with, in words. That one of a tool's has to do with that tool, or with tools, need not be said.
fn links(row: &Value) -> String {
    let own = row["context"].as_str().unwrap_or_default();
    let is_its = |to: &str| to == CONTEXT_TOOLS || own.strip_prefix(to).is_some_and(|rest| rest.starts_with(':'));
    let told = row["links"].as_array().into_iter().flatten().filter_map(|link| {
        let (relation, to) = (link[0].as_str()?, link[1].as_str().filter(|to| !is_its(to))?);
        let words = match relation {
            "extends" => "says more about",
            "reinforces" => "speaks for",
            "contradicts" => "speaks against",
            _ => "has to do with",
        };
        Some(format!("{words} {to}"))
    });
    told.collect::<Vec<_>>().join(", ")
}

/// What a memory says, in words where it has some: what a tool does, and what it was the right one for.
fn said(row: &Value) -> String {
    let payload = &row["payload"];
    let data = payload.get("data").unwrap_or(payload);
    match (payload["kind"].as_str(), data["description"].as_str(), data["intent"].as_str()) {
        (Some("tool_schema"), Some(description), _) => description.to_owned(),
        (Some("tool_usage"), _, Some(intent)) => {
            let times = row["times"].as_u64().filter(|times| *times > 1);
            let times = times.map(|times| format!("worked {times} times")).unwrap_or_else(|| "worked".to_owned());
            if intent.is_empty() { times } else { format!("{times} for: {intent}") }
        }
        _ => data.as_str().map_or_else(|| data.to_string(), str::to_owned),
    }
}
