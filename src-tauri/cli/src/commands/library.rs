//! `assent library …`, and the offer of a saved plan for a message that resembles an old one.

use anyhow::bail;
use assent_core::ids::SessionId;
use assent_core::plan::{to_markdown, to_mermaid};
use assent_engine::Engine;
use assent_engine::library::{Proposal, SaveAs, SavedPlan, Suggestion, Wanted};
use assent_engine::store::SavedPlanRow;
use assent_engine::turn::TurnEnd;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{ask, plan};
use crate::args::{ExportFormat, LibraryCommand, SaveArgs, TurnArgs};
use crate::commands::follow::follow;
use crate::exit::Exit;
use crate::show;
use crate::terminal::{Style, Terminal, clip, plain};

/// Carries out `assent library …`.
pub async fn run(engine: &Engine, terminal: &Terminal, command: LibraryCommand) -> anyhow::Result<Exit> {
    let library = engine.library();
    match command {
        LibraryCommand::Save(args) => save(engine, terminal, args)?,
        LibraryCommand::List { tag } => {
            let rows = library.list(&Wanted { tag, ..Wanted::default() })?;
            if rows.is_empty() && !terminal.json {
                terminal.note("there are no saved plans here: assent library save ID keeps one");
            }
            rows.iter().try_for_each(|row| line(terminal, engine.now(), row))?;
        }
        LibraryCommand::Search { words } => {
            let rows = library.list(&Wanted { text: words.join(" "), tag: None })?;
            if rows.is_empty() && !terminal.json {
                terminal.note("no saved plan has all of these words");
            }
            rows.iter().try_for_each(|row| line(terminal, engine.now(), row))?;
        }
        LibraryCommand::Show { name } => shown(engine, terminal, &library.get(&name)?)?,
        LibraryCommand::Rename { name, to } => changed(terminal, &library.rename(&name, &to)?)?,
        LibraryCommand::Tag { name, tags } => changed(terminal, &library.tag(&name, &tags)?)?,
        LibraryCommand::Remove { name, yes } => return remove(engine, terminal, &name, yes),
        LibraryCommand::Export { name, to, format } => {
            let checked = engine.plans().check(library.get(&name)?.plan);
            let text = match format {
                ExportFormat::Json => serde_json::to_string_pretty(&checked.plan)?,
                ExportFormat::Markdown => to_markdown(&checked.plan, Some(&checked.found.effects)),
                ExportFormat::Mermaid => to_mermaid(&checked.plan),
            };
            plan::written(terminal, text, to.as_deref())?;
            if let Some(file) = to.filter(|_| terminal.json) {
                terminal.value(&json!({"saved": name, "path": file}))?;
            }
        }
        LibraryCommand::Suggest { message } => {
            let text = ask::message_text(message)?;
            let found = library.suggest(&text)?;
            if found.is_empty() && !terminal.json {
                terminal.note("this resembles no saved plan");
            }
            for one in &found {
                if terminal.json {
                    terminal.value(one)?;
                } else {
                    terminal.line(&format!("{:>3} %  {}", percent(one), heading(terminal, &one.saved)));
                }
            }
        }
        LibraryCommand::Use { turn, name } => {
            // Before there is a session, so that none is left behind.
            library.get(&name)?;
            let session = ask::session(engine, &turn).await?;
            let end = propose(engine, terminal, &session, &Chosen::Use(name), None, &turn).await?;
            return ask::settle(engine, terminal, end).await;
        }
    }
    Ok(Exit::Done)
}

/// What is done with a saved plan for a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// It is proposed as it is.
    Use(String),
    /// It is proposed with the message's values.
    Adapt(String),
}

/// Proposes a saved plan in a session, and shows what happens.
pub async fn propose(
    engine: &Engine,
    terminal: &Terminal,
    session: &SessionId,
    chosen: &Chosen,
    message: Option<&str>,
    args: &TurnArgs,
) -> anyhow::Result<TurnEnd> {
    let _floor = ask::floor(engine, terminal, session).await?;
    let cancel = CancellationToken::new();
    let proposal = Proposal { session, message, policy: args.approve.map(ask::policy) };
    let library = engine.library();
    let work = async {
        match chosen {
            Chosen::Use(name) => library.reuse(name, proposal, &cancel).await,
            Chosen::Adapt(name) => library.adapt(name, proposal, &cancel).await,
        }
    };
    Ok(follow(engine, terminal, Some(session), &cancel, work).await?)
}

/// Offers a saved plan for a message that resembles its own. Who sits in front of it says what is done; where nobody does,
/// it is told how it can be used, and the message is planned.
pub fn offer(engine: &Engine, terminal: &Terminal, text: &str) -> anyhow::Result<Option<Chosen>> {
    // A library that cannot be read keeps no message back.
    let Some(best) = engine.library().suggest(text).unwrap_or_default().into_iter().next() else { return Ok(None) };
    if !terminal.interactive || terminal.json {
        resembles(terminal, &best);
        return Ok(None);
    }
    terminal.note(&format!("This resembles a plan you saved: {}", heading(terminal, &best.saved)));
    loop {
        let line = terminal.ask("[u]se it as it is, [a]dapt it to this message, or [i]gnore it: ").unwrap_or_default();
        match line.trim().to_lowercase().as_str() {
            "u" | "use" => return Ok(Some(Chosen::Use(best.saved.id.to_string()))),
            "a" | "adapt" => return Ok(Some(Chosen::Adapt(best.saved.id.to_string()))),
            "i" | "ignore" | "" => return Ok(None),
            _ => terminal.note("u, a or i"),
        }
    }
}

/// Says which saved plan a message resembles, if any, and how it can be used.
pub fn note(engine: &Engine, terminal: &Terminal, text: &str) {
    if let Some(best) = engine.library().suggest(text).unwrap_or_default().first() {
        resembles(terminal, best);
    }
}

fn resembles(terminal: &Terminal, best: &Suggestion) {
    let name = plain(&best.saved.name);
    let how = format!("assent ask --plan-from {} --adapt", quoted(&name));
    terminal.note(&format!("this resembles the saved plan {name:?}: {how} uses it with the values of the message"));
}

/// A name as a shell takes it.
fn quoted(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if name.chars().all(is_plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', "'\\''")) }
}

fn save(engine: &Engine, terminal: &Terminal, args: SaveArgs) -> anyhow::Result<()> {
    let document = match (&args.id, &args.file) {
        (_, Some(file)) => plan::read(file)?,
        (id, None) => engine.plans().get(id.as_deref().unwrap_or_default(), args.version)?,
    };
    let how = SaveAs { name: args.name, tags: args.tags, replaces: args.replace };
    let row = engine.library().save(document, how)?;
    if terminal.json {
        return terminal.value(&row);
    }
    terminal.line(&format!("saved as {}", heading(terminal, &row)));
    Ok(())
}

fn remove(engine: &Engine, terminal: &Terminal, name: &str, yes: bool) -> anyhow::Result<Exit> {
    let row = engine.library().get(name)?.row;
    if !yes {
        let asked = terminal.ask(&format!("Remove the saved plan {}? [y/N] ", plain(&row.name)));
        match asked.as_deref().map(str::trim) {
            Some("y" | "yes") => {}
            Some(_) => return Ok(Exit::Done),
            None => bail!("to remove it without being asked, say --yes"),
        }
    }
    engine.library().remove(row.id.as_str())?;
    if terminal.json {
        terminal.value(&json!({"removed": row.id, "name": row.name}))?;
    } else {
        terminal.line(&format!("removed {}", plain(&row.name)));
    }
    Ok(Exit::Done)
}

fn changed(terminal: &Terminal, row: &SavedPlanRow) -> anyhow::Result<()> {
    if terminal.json {
        return terminal.value(row);
    }
    terminal.line(&heading(terminal, row));
    Ok(())
}

fn shown(engine: &Engine, terminal: &Terminal, saved: &SavedPlan) -> anyhow::Result<()> {
    if terminal.json {
        return terminal.value(saved);
    }
    // What it would be allowed is known once it is checked.
    let checked = engine.plans().check(saved.plan.clone());
    terminal.line(&show::plan::table(terminal, &checked.plan, "saved", &checked.found.effects));
    let row = &saved.row;
    let tags = if row.tags.is_empty() { "none".to_owned() } else { plain(&row.tags.join(", ")) };
    terminal.line(&format!("  saved as {}   tags: {tags}   used: {}", plain(&row.name), times(row.uses)));
    if !row.message.is_empty() {
        terminal.line(&format!("  for: {}", clip(&row.message, terminal.width.saturating_sub(8))));
    }
    let values: Vec<String> = saved.values.iter().map(|slot| plain(&slot.value)).collect();
    if !values.is_empty() {
        terminal.line(&format!("  another message may have others for: {}", values.join(", ")));
    }
    Ok(())
}

fn line(terminal: &Terminal, now: i64, row: &SavedPlanRow) -> anyhow::Result<()> {
    if terminal.json {
        return terminal.value(row);
    }
    let steps = if row.steps == 1 { "1 step".to_owned() } else { format!("{} steps", row.steps) };
    let since = show::ago(now, row.used_at.unwrap_or(row.saved_at).max(row.saved_at));
    terminal.line(&format!("{}  {steps}  {since}", heading(terminal, row)));
    Ok(())
}

/// Its name with its tags.
fn heading(terminal: &Terminal, row: &SavedPlanRow) -> String {
    let tags: String = row.tags.iter().map(|tag| format!("  #{}", plain(tag))).collect();
    format!("{}{}", terminal.paint(Style::Name, &plain(&row.name)), terminal.paint(Style::Quiet, &tags))
}

fn times(uses: u32) -> String {
    match uses {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        more => format!("{more} times"),
    }
}

fn percent(one: &Suggestion) -> String {
    format!("{:.0}", one.likeness * 100.0)
}
