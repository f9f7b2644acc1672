//! `assent ask`: one message to its end, or to the point where a person has to say something.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use assent_core::ids::SessionId;
use assent_core::run::{Decider, PlanRef};
use assent_engine::Engine;
use assent_engine::executor::ExecutorError;
use assent_engine::turn::{ApprovalPolicy, Floor, Message, TurnEnd, TurnError};
use tokio_util::sync::CancellationToken;

use crate::args::{Approve, AskArgs, TurnArgs};
use crate::commands::answer::{ask_for_answers, left_to_another};
use crate::commands::follow::follow;
use crate::commands::library::Chosen;
use crate::commands::{edit, library};
use crate::exit::{Exit, Usage};
use crate::input;
use crate::interrupt;
use crate::show::{request, short};
use crate::terminal::Terminal;

/// How often it is looked whether a session is free again.
const OFTEN: Duration = Duration::from_millis(200);

/// Carries out `assent ask`.
pub async fn run(engine: &Engine, terminal: &Terminal, args: AskArgs) -> anyhow::Result<Exit> {
    let text = message_text(args.message)?;
    let chosen = match args.from.plan_from {
        Some(name) => {
            // Before there is a session, so that none is left behind.
            engine.library().get(&name)?;
            Some(if args.from.adapt { Chosen::Adapt(name) } else { Chosen::Use(name) })
        }
        // What goes on in a session is answered, or gone on with: nobody is asked about another plan first.
        None if args.turn.of.session.is_some() => {
            library::note(engine, terminal, &text);
            None
        }
        None => library::offer(engine, terminal, &text)?,
    };
    let session = session(engine, &args.turn).await?;
    let end = match chosen {
        Some(chosen) => library::propose(engine, terminal, &session, &chosen, Some(&text), &args.turn).await?,
        None => send(engine, terminal, &session, &text, &args.turn).await?,
    };
    settle(engine, terminal, end).await
}

/// The session a turn goes on in: the named one, or a new one in the workspace.
pub async fn session(engine: &Engine, args: &TurnArgs) -> anyhow::Result<SessionId> {
    if let Some(id) = &args.of.session {
        return Ok(engine.sessions().get(id)?.id);
    }
    let workspace = workspace(args.of.workspace.as_ref())?;
    Ok(engine.sessions().create(&workspace).await?)
}

/// The folder to work in, absolute.
pub fn workspace(named: Option<&PathBuf>) -> anyhow::Result<PathBuf> {
    let folder = match named {
        Some(folder) => folder.clone(),
        None => std::env::current_dir().context("this folder cannot be read: name another with --workspace")?,
    };
    let unusable = |reason: &dyn std::fmt::Display| {
        anyhow!("the workspace {} cannot be used: {reason}; name a folder that can be read", folder.display())
    };
    let absolute = std::fs::canonicalize(&folder).map_err(|error| unusable(&error))?;
    std::fs::read_dir(&absolute).map_err(|error| unusable(&error))?;
    // The history names folders as text, and would not find this one again.
    if absolute.to_str().is_none() {
        return Err(unusable(&"its name is not UTF-8"));
    }
    Ok(absolute)
}

/// Sends a message and shows what happens.
pub async fn send(
    engine: &Engine,
    terminal: &Terminal,
    session: &SessionId,
    text: &str,
    args: &TurnArgs,
) -> anyhow::Result<TurnEnd> {
    let _floor = floor(engine, terminal, session).await?;
    let cancel = CancellationToken::new();
    let message =
        Message { session: session.clone(), text: text.to_owned(), policy: args.approve.map(policy), answers: None };
    let work = engine.turns().send(message, &cancel);
    match follow(engine, terminal, Some(session), &cancel, work).await {
        // It was the answer to a question, and is written down.
        Err(TurnError::Run(ExecutorError::Busy(run))) => {
            left_to_another(terminal, &run);
            Ok(TurnEnd::Answered { session: session.clone() })
        }
        end => Ok(end?),
    }
}

/// Waits until nobody else works in the session; Ctrl-C takes the message back.
pub async fn floor(engine: &Engine, terminal: &Terminal, session: &SessionId) -> anyhow::Result<Floor> {
    let taken_back = CancellationToken::new();
    let mut stoppable = None;
    loop {
        if let Some(floor) = engine.turns().floor(session)? {
            return Ok(floor);
        }
        if stoppable.is_none() {
            stoppable = Some(interrupt::stops(&taken_back));
            let session = short(session.as_str());
            terminal
                .note(&format!("{session} is at work elsewhere: this is sent when that is over; Ctrl-C takes it back"));
        }
        tokio::select! {
            () = taken_back.cancelled() => bail!("the message was taken back; nothing was sent"),
            () = tokio::time::sleep(OFTEN) => {}
        }
    }
}

/// Has a person decide what waits, where there is one, and says how it stands where there is none.
pub async fn settle(engine: &Engine, terminal: &Terminal, end: TurnEnd) -> anyhow::Result<Exit> {
    let mut end = end;
    if terminal.interactive && !terminal.json {
        end = decide(engine, terminal, end).await?;
    }
    Ok(match end {
        TurnEnd::Answered { .. } => Exit::Done,
        TurnEnd::Failed { .. } | TurnEnd::Cancelled { .. } => Exit::Failed,
        TurnEnd::AwaitingApproval { plan, .. } => {
            let id = short(plan.id.as_str());
            terminal.note(&format!("waits for your word: assent plan approve {id}   (or edit, reject)"));
            Exit::Waiting
        }
        TurnEnd::Waiting { session, run } => {
            let mut open = engine.requests().open()?;
            open.retain(|row| row.session == session);
            if open.is_empty() {
                // Somebody has answered between the end and this look.
                left_to_another(terminal, &run);
                return Ok(Exit::Done);
            }
            for row in &open {
                terminal.note(&format!("waits for your answer: {}", request::how_to_answer(&row.request)));
            }
            Exit::Waiting
        }
    })
}

/// Goes on asking for approvals and answers until the turn is over or the person leaves something open.
pub async fn decide(engine: &Engine, terminal: &Terminal, end: TurnEnd) -> anyhow::Result<TurnEnd> {
    let mut end = end;
    loop {
        end = match end {
            TurnEnd::AwaitingApproval { session, plan } => match approval(engine, terminal, &session, plan).await? {
                Decision::Went(end) => end,
                Decision::Open(plan) => return Ok(TurnEnd::AwaitingApproval { session, plan }),
            },
            TurnEnd::Waiting { .. } => {
                let next = ask_for_answers(engine, terminal, end).await?;
                if matches!(next, TurnEnd::Waiting { .. }) {
                    return Ok(next);
                }
                next
            }
            over => return Ok(over),
        };
    }
}

enum Decision {
    Went(TurnEnd),
    Open(PlanRef),
}

async fn approval(
    engine: &Engine,
    terminal: &Terminal,
    session: &SessionId,
    plan: PlanRef,
) -> anyhow::Result<Decision> {
    let mut plan = plan;
    loop {
        let Some(line) = terminal.ask("\n[a]pprove, [e]dit, [r]eject, or leave it for [l]ater: ") else {
            return Ok(Decision::Open(plan));
        };
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let words = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
        match word.to_lowercase().as_str() {
            "a" | "approve" | "y" | "yes" => {
                let cancel = CancellationToken::new();
                let work = engine.turns().approve(&plan, Decider::User, words, &cancel);
                return Ok(Decision::Went(follow(engine, terminal, Some(session), &cancel, work).await?));
            }
            "e" | "edit" => match edit::in_editor(engine, terminal, &plan).await {
                Ok(edited) => plan = edited,
                Err(problem) => terminal.note(&format!("{problem:#}")),
            },
            "r" | "reject" | "n" | "no" => {
                return Ok(Decision::Went(engine.turns().reject(&plan, words).await?));
            }
            "l" | "later" | "" => return Ok(Decision::Open(plan)),
            _ => terminal.note("a, e, r or l; a note may follow a and r"),
        }
    }
}

/// The message itself, or for `-` what comes on standard input.
pub fn message_text(message: String) -> anyhow::Result<String> {
    let text = if message == "-" { input::text(Path::new("-")).map_err(anyhow::Error::msg)? } else { message };
    // Said before there is a session, so that none is left behind.
    if text.trim().is_empty() {
        return Err(Usage(TurnError::EmptyMessage.to_string()).into());
    }
    Ok(text)
}

/// The engine's word for a policy of the command line.
pub fn policy(approve: Approve) -> ApprovalPolicy {
    match approve {
        Approve::AlwaysAsk => ApprovalPolicy::AlwaysAsk,
        Approve::Effects => ApprovalPolicy::Effects,
        Approve::NeverAsk => ApprovalPolicy::NeverAsk,
    }
}

#[cfg(test)]
mod tests {
    use assent_core::ids::RunId;
    use assent_engine::turn::TurnEnd;
    use assent_tests::desk::Desk;

    use super::settle;
    use crate::args::Colour;
    use crate::exit::Exit;
    use crate::terminal::Terminal;

    #[tokio::test]
    async fn a_run_whose_question_somebody_else_has_answered_by_now_waits_for_nobody() {
        let desk = Desk::with(&[]);
        let session = desk.session().await;
        let mut terminal = Terminal::new(Colour::Never, false);
        terminal.interactive = false;
        let end = TurnEnd::Waiting { session, run: RunId::new("r1") };
        assert_eq!(settle(&desk.engine, &terminal, end).await.unwrap(), Exit::Done);
    }
}
