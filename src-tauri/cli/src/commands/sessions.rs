//! `assent sessions …` and `assent search`.

use std::collections::HashMap;

use assent_core::ids::{RunId, SessionId};
use assent_core::run::RunStatus;
use assent_engine::Engine;
use assent_engine::store::{HitKind, ListFilter, MOST_SEARCHED, SessionRow};

use crate::args::{SearchArgs, SessionsArgs, SessionsCommand};
use crate::exit::{Exit, Usage};
use crate::show::costs::Costs;
use crate::show::published::{self, Length};
use crate::show::{ago, event, short};
use crate::terminal::{Style, Terminal, clip};

/// How many sessions are listed when nothing is said.
const LATEST: usize = 50;

/// Carries out `assent sessions …`.
pub async fn run(engine: &Engine, terminal: &Terminal, args: SessionsArgs) -> anyhow::Result<Exit> {
    match args.command {
        None => list(engine, terminal, args.archived, args.all),
        Some(SessionsCommand::Show { id, whole }) => {
            show(engine, terminal, &id, if whole { Length::Whole } else { Length::Usual })
        }
        Some(SessionsCommand::Rename { id, title }) => {
            let session = engine.sessions().get(&id)?.id;
            if title.trim().is_empty() {
                return Err(Usage("the name is empty: give the session a name".to_owned()).into());
            }
            engine.sessions().rename(&session, &title).await?;
            let text = format!("{} is now named {}", short(session.as_str()), clip(&title, 60));
            done(terminal, &engine.sessions().get(session.as_str())?, &text)
        }
        Some(SessionsCommand::Archive { id, undo }) => {
            let session = engine.sessions().get(&id)?.id;
            engine.sessions().archive(&session, !undo).await?;
            let what = if undo { "is back in the list" } else { "is put away" };
            let text = format!("{} {what}", short(session.as_str()));
            done(terminal, &engine.sessions().get(session.as_str())?, &text)
        }
        Some(SessionsCommand::Delete { id, yes }) => delete(engine, terminal, &id, yes).await,
    }
}

/// Carries out `assent search`.
pub fn search(engine: &Engine, terminal: &Terminal, args: &SearchArgs) -> anyhow::Result<Exit> {
    let sessions = engine.sessions();
    let within = args.session.as_deref().map(|id| sessions.get(id)).transpose()?.map(|row| row.id);
    let hits = sessions.search(&args.text.join(" "), within.as_ref(), args.limit.get())?;
    if terminal.json {
        for hit in &hits {
            terminal.value(hit)?;
        }
        return Ok(Exit::Done);
    }
    for hit in &hits {
        let kind = match hit.kind {
            HitKind::Title => "title",
            HitKind::Message => "message",
            HitKind::Question => "question",
            HitKind::Comment => "comment",
            HitKind::Answer => "answer",
            HitKind::Plan => "plan",
            HitKind::Call => "call",
            HitKind::Result => "result",
        };
        let place = terminal.paint(Style::Name, short(hit.session.as_str()));
        terminal.line(&format!("{place}  {kind:<8} {}", clip(&hit.title, terminal.width.saturating_sub(26))));
        let snippet = clip(&hit.snippet, terminal.width.saturating_sub(2)).replace('⟦', "[").replace('⟧', "]");
        terminal.line(&format!("  {}", terminal.paint(Style::Quiet, &snippet)));
    }
    if hits.is_empty() {
        terminal.note(&format!(
            "nothing found: every word has to occur in one message, plan, call or result; the first {} MB of each is \
             searched",
            MOST_SEARCHED / 1_000_000
        ));
    }
    Ok(Exit::Done)
}

fn list(engine: &Engine, terminal: &Terminal, archived: bool, all: bool) -> anyhow::Result<Exit> {
    let limit = if all || terminal.json { 0 } else { LATEST };
    let rows = engine.sessions().list(&ListFilter { archived, limit, offset: 0 })?;
    let halted = if terminal.json { HashMap::new() } else { interrupted(engine)? };
    let mut text = String::new();
    for row in &rows {
        if terminal.json {
            text.push_str(&serde_json::to_string(row)?);
        } else {
            text.push_str(&line(terminal, row, engine.now(), halted.contains_key(&row.id)));
        }
        text.push('\n');
    }
    terminal.write(&text);
    if rows.is_empty() && !terminal.json {
        terminal.note("there are no sessions yet: assent ask \"…\" begins one");
    } else if limit != 0 && rows.len() == limit {
        terminal.note(&format!("the latest {limit}; --all lists every one"));
    }
    for (row, run) in rows.iter().filter_map(|row| Some((row, halted.get(&row.id)?))) {
        let (session, run) = (short(row.id.as_str()), short(run.as_str()));
        terminal.note(&format!("{session} was interrupted: assent resume {run} goes on"));
    }
    Ok(Exit::Done)
}

/// The runs that wait for nobody and that no process carries on, by their sessions.
fn interrupted(engine: &Engine) -> anyhow::Result<HashMap<SessionId, RunId>> {
    let mut found = HashMap::new();
    for row in engine.runs().unended()?.into_iter().filter(|row| !row.status.is_waiting()) {
        if !engine.runs().is_carried_on(&row.id)? {
            found.insert(row.session, row.id);
        }
    }
    Ok(found)
}

fn line(terminal: &Terminal, row: &SessionRow, now: i64, interrupted: bool) -> String {
    let state = match (row.open_requests, row.run_status) {
        (0, _) if interrupted => "interrupted".to_owned(),
        (0, Some(RunStatus::Failed)) => "failed".to_owned(),
        (0, Some(RunStatus::Cancelled)) => "stopped".to_owned(),
        (0, Some(status)) if !status.is_final() => "under way".to_owned(),
        (0, _) => String::new(),
        (1, _) => "1 question".to_owned(),
        (open, _) => format!("{open} questions"),
    };
    format!(
        "{}  {:<11} {:<12} {}",
        terminal.paint(Style::Name, short(row.id.as_str())),
        ago(now, row.updated_at),
        terminal.paint(Style::Warn, &state),
        clip(&row.title, terminal.width.saturating_sub(42))
    )
}

fn show(engine: &Engine, terminal: &Terminal, id: &str, length: Length) -> anyhow::Result<Exit> {
    let row = engine.sessions().get(id)?;
    let mut costs = Costs::default();
    for event in engine.sessions().events(&row.id, 0)? {
        if terminal.json {
            terminal.line(&published::line(engine, &event, length)?);
            continue;
        }
        if let Some(text) = event::lines(engine, terminal, event.place.step.as_ref(), &event.kind) {
            terminal.line(&text);
        }
        if let Some(told) = costs.add(&event) {
            terminal.line(&terminal.paint(Style::Quiet, &told));
        }
    }
    Ok(Exit::Done)
}

async fn delete(engine: &Engine, terminal: &Terminal, id: &str, yes: bool) -> anyhow::Result<Exit> {
    let row = engine.sessions().get(id)?;
    if !yes {
        if !terminal.interactive {
            anyhow::bail!("deleting cannot be undone: say --yes to delete {:?}", row.title);
        }
        let question =
            format!("Delete {:?} with its plans, runs and results? This cannot be undone. [y/N] ", row.title);
        if !matches!(terminal.ask(&question).as_deref(), Some("y" | "Y" | "yes")) {
            return done(terminal, &row, "nothing was deleted");
        }
    }
    engine.sessions().delete(&row.id).await?;
    done(terminal, &row, &format!("{} is deleted", short(row.id.as_str())))
}

/// What was done, or the session that it was done to: as it is now, or as it was.
fn done(terminal: &Terminal, row: &SessionRow, text: &str) -> anyhow::Result<Exit> {
    if terminal.json {
        terminal.value(row)?;
    } else {
        terminal.line(text);
    }
    Ok(Exit::Done)
}
