//! `assent chat`: a conversation in the terminal.

use assent_core::ids::SessionId;
use assent_engine::Engine;
use rustyline::error::ReadlineError;

use crate::args::{ChatArgs, TurnArgs};
use crate::commands::{answer, ask, sessions};
use crate::exit::Exit;
use crate::show::short;
use crate::terminal::{Style, Terminal};

const HELP: &str = "\
  /new        begin a new session
  /sessions   the latest sessions
  /requests   what waits for you
  /model      the model in use
  /quit       leave (also Ctrl-D)
  Ctrl-C stops what is running; everything else you type is a message.";

/// Carries out `assent chat`.
pub async fn run(engine: &Engine, terminal: &Terminal, args: ChatArgs) -> anyhow::Result<Exit> {
    let mut turn = args.turn;
    let mut session = match &turn.session {
        Some(id) => Some(engine.sessions().get(id)?.id),
        None => None,
    };
    let workspace = ask::workspace(turn.workspace.as_ref())?;
    welcome(engine, terminal, &workspace).await;
    turn.workspace = Some(workspace);
    let resumed = answer::resume(engine, terminal, crate::args::ResumeArgs { run: None }).await;
    if let Err(problem) = resumed {
        terminal.note(&format!("what was interrupted could not be carried on: {problem:#}"));
    }
    let mut editor = rustyline::DefaultEditor::new()?;
    loop {
        let line = match editor.readline("› ") {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return Ok(Exit::Done),
            Err(problem) => return Err(problem.into()),
        };
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        // A line that cannot be remembered can still be sent.
        let _unremembered = editor.add_history_entry(text);
        match text {
            "/quit" | "/exit" | "/q" => return Ok(Exit::Done),
            "/help" | "/?" => terminal.line(HELP),
            "/new" => session = None,
            "/model" => terminal.line(&engine.model_name().await),
            "/requests" => {
                answer::list(engine, terminal)?;
            }
            "/sessions" => {
                let all = crate::args::SessionsArgs { command: None, archived: false, all: false };
                sessions::run(engine, terminal, all).await?;
            }
            unknown if unknown.starts_with('/') && !unknown.contains(' ') => {
                terminal.note(&format!("there is no {unknown}; /help lists what there is"));
            }
            message => {
                if let Err(problem) = say(engine, terminal, &mut session, message, &turn).await {
                    terminal.note(&format!("{} {problem:#}", terminal.paint(Style::Bad, "✗")));
                }
            }
        }
    }
}

async fn say(
    engine: &Engine,
    terminal: &Terminal,
    session: &mut Option<SessionId>,
    text: &str,
    turn: &TurnArgs,
) -> anyhow::Result<()> {
    let id = match session {
        Some(id) => id.clone(),
        None => {
            let id = ask::session(engine, turn).await?;
            *session = Some(id.clone());
            id
        }
    };
    let end = ask::send(engine, terminal, &id, text, turn).await?;
    ask::settle(engine, terminal, end).await?;
    Ok(())
}

async fn welcome(engine: &Engine, terminal: &Terminal, workspace: &std::path::Path) {
    let model = engine.model_name().await;
    terminal.line(&format!(
        "{}  {}",
        terminal.paint(Style::Strong, "Assent"),
        terminal.paint(Style::Quiet, &format!("{} · {model} · /help", workspace.display()))
    ));
    let open = engine.requests().open().map_or(0, |open| open.len());
    if open > 0 {
        terminal.line(&terminal.paint(Style::Warn, &format!("{open} waiting for your answer: /requests")));
    }
    if let Ok(rows) = engine.sessions().list(&assent_engine::store::ListFilter { limit: 1, ..Default::default() })
        && let Some(row) = rows.first()
    {
        let last = format!("last: {} ({})", crate::terminal::clip(&row.title, 60), short(row.id.as_str()));
        terminal.line(&terminal.paint(Style::Quiet, &last));
    }
}
