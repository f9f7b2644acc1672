//! `assent chat`: a conversation in the terminal, or line by line from a pipe.

use std::io::ErrorKind;

use assent_core::ids::SessionId;
use assent_core::plan::PlanRef;
use assent_core::run::{Decider, InputKind, Request, RequestKind};
use assent_engine::Engine;
use assent_engine::store::{PlanStatus, RequestRow};
use assent_engine::turn::TurnEnd;
use rustyline::error::ReadlineError;
use tokio_util::sync::CancellationToken;

use crate::args::{ChatArgs, ResumeArgs, SessionsArgs, TurnArgs};
use crate::commands::follow::follow;
use crate::commands::{answer, ask, library, plan, sessions};
use crate::exit::Exit;
use crate::show::short;
use crate::terminal::{Style, Terminal};

const HELP: &str = "  /plan             the latest plan of this session
  /approve [note]   approve the plan, or the action, that waits
  /reject [reason]  reject it
  /answer TEXT      answer what is asked: a number chooses an option
  /requests         everything that waits for you
  /resume           carry on what was interrupted
  /new              begin a new session
  /sessions         the latest sessions
  /model            the model in use
  /quit             leave (also Ctrl-D)
  Ctrl-C stops what is running; everything else you type is a message.";

/// A conversation.
struct Chat<'a> {
    engine: &'a Engine,
    terminal: &'a Terminal,
    turn: TurnArgs,
    /// None before the first message.
    session: Option<SessionId>,
}

/// Carries out `assent chat`.
pub async fn run(engine: &Engine, terminal: &Terminal, args: ChatArgs) -> anyhow::Result<Exit> {
    let mut turn = args.turn;
    // From here on the session of the chat is the one that counts: /new leaves it.
    let session = match turn.of.session.take() {
        Some(id) => Some(engine.sessions().get(&id)?),
        None => None,
    };
    let workspace = match session.as_ref().and_then(|row| row.workspace.as_ref()) {
        Some(folder) => folder.into(),
        None => ask::workspace(turn.of.workspace.as_ref())?,
    };
    if !terminal.json {
        welcome(engine, terminal, &workspace).await;
    }
    turn.of.workspace = Some(workspace);
    if let Err(problem) = answer::carry_on(engine, terminal, &ResumeArgs { run: None }).await {
        terminal.note(&format!("what was interrupted could not be carried on: {problem:#}"));
    }
    let mut chat = Chat { engine, terminal, turn, session: session.map(|row| row.id) };
    let mut editor = rustyline::DefaultEditor::new()?;
    loop {
        let line = match editor.readline("› ") {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return Ok(Exit::Done),
            // What cannot be read is not guessed at; the lines after it are as good as before.
            Err(ReadlineError::Io(problem)) if problem.kind() == ErrorKind::InvalidData => {
                terminal.problem("✗", "a line is no UTF-8 text: it was not taken");
                continue;
            }
            Err(problem) => return Err(problem.into()),
        };
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        // A line that cannot be remembered can still be sent.
        let _unremembered = editor.add_history_entry(text);
        if matches!(text, "/quit" | "/exit" | "/q") {
            return Ok(Exit::Done);
        }
        if let Err(problem) = chat.take(text).await {
            terminal.problem("✗", &format!("{problem:#}"));
        }
    }
}

impl Chat<'_> {
    async fn take(&mut self, text: &str) -> anyhow::Result<()> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let words = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
        match word {
            "/help" | "/?" => self.terminal.line(HELP),
            "/new" => self.session = None,
            "/model" => self.terminal.line(&self.engine.model_name().await),
            "/plan" => self.show_plan()?,
            "/approve" => self.decide(true, words).await?,
            "/reject" => self.decide(false, words).await?,
            "/answer" => self.answer(rest.trim()).await?,
            "/resume" => self.resume().await?,
            "/requests" => drop(answer::list(self.engine, self.terminal)?),
            "/sessions" => {
                let latest = SessionsArgs { command: None, archived: false, all: false };
                sessions::run(self.engine, self.terminal, latest).await?;
            }
            unknown if unknown.starts_with('/') && rest.is_empty() && !unknown[1..].contains('/') => {
                self.terminal.note(&format!("there is no {unknown}; /help lists what there is"));
            }
            _ => self.say(text).await?,
        }
        Ok(())
    }

    async fn resume(&self) -> anyhow::Result<()> {
        if answer::carry_on(self.engine, self.terminal, &ResumeArgs { run: None }).await?.is_none() {
            self.terminal.note("nothing was interrupted");
        }
        Ok(())
    }

    async fn say(&mut self, text: &str) -> anyhow::Result<()> {
        let session = match &self.session {
            Some(session) => session.clone(),
            None => ask::session(self.engine, &self.turn).await?,
        };
        self.session = Some(session.clone());
        // What is asked in this session is answered by the message.
        let chosen = if self.waiting()?.is_some() { None } else { library::offer(self.engine, self.terminal, text)? };
        let (engine, terminal) = (self.engine, self.terminal);
        let end = match chosen {
            Some(chosen) => library::propose(engine, terminal, &session, &chosen, Some(text), &self.turn).await?,
            None => ask::send(engine, terminal, &session, text, &self.turn).await?,
        };
        self.settle(Some(end)).await
    }

    async fn answer(&self, line: &str) -> anyhow::Result<()> {
        let Some(row) = self.waiting()? else { return self.nothing() };
        self.settle(answer::by_line(self.engine, self.terminal, &row, line).await?).await
    }

    /// Approves or rejects: an action that waits for a yes or no, else the plan. A question is answered in words, and
    /// may well stay open while a new version of the plan waits.
    async fn decide(&self, yes: bool, words: Option<String>) -> anyhow::Result<()> {
        let is_decision = |row: &RequestRow| matches!(row.request.input.kind, InputKind::Decision | InputKind::Boolean);
        let waiting = self.open()?.into_iter().find(is_decision);
        if let Some(row) = waiting {
            let line = format!("{} {}", if yes { "y" } else { "n" }, words.unwrap_or_default());
            return self.settle(answer::by_line(self.engine, self.terminal, &row, line.trim()).await?).await;
        }
        let Some(plan) = self.proposed()? else {
            let Some(row) = self.waiting()? else { return self.nothing() };
            self.terminal.note(&format!("what waits is no yes or no: {}", in_chat(&row.request)));
            return Ok(());
        };
        let cancel = CancellationToken::new();
        let (engine, terminal, session) = (self.engine, self.terminal, self.session.as_ref());
        let end = if yes {
            let work = engine.turns().approve(&plan, Decider::User, words, &cancel);
            follow(engine, terminal, session, &cancel, work).await?
        } else {
            follow(engine, terminal, session, &cancel, engine.turns().reject(&plan, words)).await?
        };
        self.settle(Some(end)).await
    }

    fn nothing(&self) -> anyhow::Result<()> {
        self.terminal.note("nothing waits for you in this session; /requests lists what waits in others");
        Ok(())
    }

    async fn settle(&self, end: Option<TurnEnd>) -> anyhow::Result<()> {
        let Some(mut end) = end else { return Ok(()) };
        if self.terminal.interactive && !self.terminal.json {
            end = ask::decide(self.engine, self.terminal, end).await?;
        }
        match end {
            TurnEnd::AwaitingApproval { .. } => self.terminal.note("waits for your word: /approve or /reject"),
            TurnEnd::Waiting { .. } => {
                if let Some(row) = self.waiting()? {
                    self.terminal.note(&format!("waits for your answer: {}", in_chat(&row.request)));
                }
            }
            TurnEnd::Answered { .. } | TurnEnd::Failed { .. } | TurnEnd::Cancelled { .. } => {}
        }
        Ok(())
    }

    /// The oldest request of this session that is open.
    fn waiting(&self) -> anyhow::Result<Option<RequestRow>> {
        Ok(self.open()?.into_iter().next())
    }

    /// What is open in this session, oldest first.
    fn open(&self) -> anyhow::Result<Vec<RequestRow>> {
        let mut open = self.engine.requests().open()?;
        open.retain(|row| self.session.as_ref() == Some(&row.session));
        Ok(open)
    }

    /// The latest plan of this session, if its latest version waits for a decision.
    fn proposed(&self) -> anyhow::Result<Option<PlanRef>> {
        let Some(session) = &self.session else { return Ok(None) };
        let Some(latest) = self.engine.plans().list(Some(session))?.into_iter().next() else { return Ok(None) };
        let versions = self.engine.plans().history(&latest.id)?;
        Ok(versions.into_iter().next_back().filter(|row| row.status == PlanStatus::Proposed).map(|row| row.plan))
    }

    fn show_plan(&self) -> anyhow::Result<()> {
        let plans = match &self.session {
            Some(session) => self.engine.plans().list(Some(session))?,
            None => Vec::new(),
        };
        match plans.first() {
            Some(latest) => plan::print(self.engine, self.terminal, latest)?,
            None => self.terminal.note("there is no plan in this session yet"),
        }
        Ok(())
    }
}

/// How a request is answered in the chat.
fn in_chat(request: &Request) -> &'static str {
    match (request.kind, request.input.kind) {
        (RequestKind::Question, _) => "type it",
        (_, InputKind::Decision | InputKind::Boolean) => "/approve or /reject",
        _ => "/answer",
    }
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
