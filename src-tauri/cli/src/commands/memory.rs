//! `assent memory …`

use assent_engine::Engine;
use assent_engine::memory::Recall;
use assent_engine::store::{Forget, MemoryFilter};
use serde_json::{Value, json};

use crate::args::MemoryCommand;
use crate::exit::Exit;
use crate::terminal::{Style, Terminal, clip, plain};

/// Carries out `assent memory …`.
pub async fn run(engine: &Engine, terminal: &Terminal, command: MemoryCommand) -> anyhow::Result<Exit> {
    match command {
        MemoryCommand::List { kind, context, limit } => {
            let types = kind.into_iter().map(|kind| (kind, Vec::new())).collect();
            let filter = MemoryFilter { contexts: context, types, limit: limit.get(), ..MemoryFilter::default() };
            let rows = engine.memory().list(&filter)?;
            if rows.is_empty() {
                terminal.note("nothing of that kind is remembered");
            }
            rows.iter().try_for_each(|row| show(terminal, &json!(row)))?;
        }
        MemoryCommand::Recall { words, limit } => {
            let found = engine.memory().recall(&Recall::about(&words.join(" ")).limit(limit.get())).await;
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

fn show(terminal: &Terminal, row: &Value) -> anyhow::Result<()> {
    if terminal.json {
        return terminal.value(row);
    }
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let payload = row["payload"].get("data").unwrap_or(&row["payload"]);
    terminal.line(&format!(
        "{:>6}  {:<12} {:<28} {}",
        row["id"],
        terminal.paint(Style::Name, &text(&row["kind"])),
        plain(&text(&row["context"])),
        clip(&plain(&text(payload)), terminal.width.saturating_sub(52))
    ));
    Ok(())
}
