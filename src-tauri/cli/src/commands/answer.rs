//! `assent requests`, `assent answer` and `assent resume`.

use anyhow::bail;
use assent_core::ids::{Digest, RunId};
use assent_core::run::{Answer, InputKind, Reach, Request, RequestKind};
use assent_engine::Engine;
use assent_engine::executor::{CHANGE_PLAN, ExecutorError, literal, option_named};
use assent_engine::store::RequestRow;
use assent_engine::turn::{TurnEnd, TurnError};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::args::{AnswerArgs, AnswerChoice, Extent, RequestsArgs, ResumeArgs};
use crate::commands::ask::settle;
use crate::commands::follow::follow;
use crate::commands::vault;
use crate::exit::{Exit, Usage, json_argument};
use crate::show::{change, request, short};
use crate::terminal::{Style, Terminal};

/// Carries out `assent requests`.
pub fn requests(engine: &Engine, terminal: &Terminal, args: &RequestsArgs) -> anyhow::Result<Exit> {
    if let Some(id) = &args.revoke {
        let row = engine.requests().revoke(id)?;
        if terminal.json {
            terminal.value(&row)?;
        } else {
            terminal.note(&format!("taken back: {}", request::allowance(&row)));
        }
        return Ok(Exit::Done);
    }
    if !args.allowed {
        return list(engine, terminal);
    }
    let rows = engine.requests().allowed()?;
    for row in &rows {
        if terminal.json {
            terminal.value(row)?;
            continue;
        }
        terminal.line(&format!("{}  {}", terminal.paint(Style::Name, short(row.id.as_str())), request::allowance(row)));
    }
    if rows.is_empty() && !terminal.json {
        terminal.note("nothing is allowed beyond approved plans");
    }
    Ok(Exit::Done)
}

/// A request as it is listed as a value.
#[derive(serde::Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    row: &'a RequestRow,
    /// Names the file that an approval lets be changed, as it is now, for `--seen`.
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<Digest>,
}

/// Lists what waits for a person.
pub fn list(engine: &Engine, terminal: &Terminal) -> anyhow::Result<Exit> {
    let open = engine.requests().open()?;
    for row in &open {
        if terminal.json {
            let look = engine.requests().look(&row.request.id, None).ok();
            let seen = look.filter(|look| look.file.is_some()).map(|look| look.digest);
            terminal.value(&Listed { row, seen })?;
            continue;
        }
        terminal.line(&format!(
            "{}  {}",
            terminal.paint(Style::Name, short(row.request.id.as_str())),
            terminal.paint(Style::Quiet, &format!("session {}", short(row.session.as_str())))
        ));
        terminal.line(&request::card(engine, terminal, &row.request));
        terminal.line(&terminal.paint(Style::Quiet, &format!("  {}", request::how_to_answer(&row.request))));
    }
    if open.is_empty() && !terminal.json {
        terminal.note("nothing waits for you");
    }
    Ok(Exit::Done)
}

/// Carries out `assent answer`.
pub async fn answer(engine: &Engine, terminal: &Terminal, args: AnswerArgs) -> anyhow::Result<Exit> {
    let row = engine.requests().get(&args.id)?;
    let choice = with_credential(engine, args.answer)?;
    let answer = match chosen(&row.request, choice, args.reason)? {
        Answer::Approve { arguments, note, .. } => Answer::Approve { arguments, note, reach: reach(args.extent) },
        other => other,
    };
    let seen = args.seen.as_deref().map(|named| as_named(engine, &row, named)).transpose()?;
    if args.record_only {
        let turns = engine.turns();
        let work = turns.record_answer(&row.request.id, answer, seen.as_ref());
        follow(engine, terminal, Some(&row.session), &CancellationToken::new(), work).await?;
        if !terminal.json {
            terminal.note("written down; assent resume carries the run on");
        }
        return Ok(Exit::Done);
    }
    match given(engine, terminal, &row, answer, seen.as_ref()).await? {
        Some(end) => settle(engine, terminal, end).await,
        None => Ok(Exit::Done),
    }
}

/// A credential that is named, in the words in which a question for it is answered.
fn with_credential(engine: &Engine, choice: AnswerChoice) -> anyhow::Result<AnswerChoice> {
    let Some(name) = choice.credential else { return Ok(choice) };
    let Some(one) = engine.vault().list()?.into_iter().find(|one| one.name == name) else {
        bail!("there is no credential {name:?} in the vault: assent vault add {name} --host HOST");
    };
    Ok(AnswerChoice { text: Some(one.told()), ..nothing() })
}

/// What a person has seen of the file that is to be changed, where it is still as they name it.
fn as_named(engine: &Engine, row: &RequestRow, named: &str) -> anyhow::Result<Digest> {
    let now = engine.requests().look(&row.request.id, None)?.digest;
    match change::is_named(&now, named) {
        Some(true) => Ok(now),
        Some(false) => Err(ExecutorError::FileChanged.into()),
        None => {
            Err(Usage(format!("--seen names too little: give what assent requests shows, {named:?} is shorter")).into())
        }
    }
}

/// Gives an answer and carries its run on; `None` where another process carries it on. An approval counts only for the
/// file that was `seen`.
async fn given(
    engine: &Engine,
    terminal: &Terminal,
    row: &RequestRow,
    answer: Answer,
    seen: Option<&Digest>,
) -> anyhow::Result<Option<TurnEnd>> {
    let cancel = CancellationToken::new();
    let changes = matches!(&answer, Answer::Value { value } if value == CHANGE_PLAN);
    let work = engine.turns().answer_as_seen(&row.request.id, answer, seen, &cancel);
    let end = match follow(engine, terminal, Some(&row.session), &cancel, work).await {
        Err(TurnError::Run(ExecutorError::Busy(run))) => {
            left_to_another(terminal, &run);
            return Ok(None);
        }
        end => end?,
    };
    if let (true, false, Some(run)) = (changes, terminal.json, &row.run) {
        let plan = engine.runs().get(run)?.plan.id;
        terminal.note(&format!("change the plan with: assent plan edit {}", short(plan.as_str())));
    }
    Ok(Some(end))
}

/// The answer is written down, and whoever carries the run on goes on with it.
pub(super) fn left_to_another(terminal: &Terminal, run: &RunId) {
    if !terminal.json {
        let run = short(run.as_str());
        terminal.note(&format!("written down; another window or command carries run {run} on and takes it up"));
    }
}

/// Carries out `assent resume`.
pub async fn resume(engine: &Engine, terminal: &Terminal, args: ResumeArgs) -> anyhow::Result<Exit> {
    if let Some(named) = args.run.as_deref() {
        let unended = engine.runs().unended()?;
        match unended.iter().filter(|row| row.id.as_str().starts_with(named)).count() {
            0 => bail!("no run that begins with {named:?} can be carried on: there is none, or it is over"),
            1 => {}
            several => bail!("{several} runs begin with {named:?}: write more of the one that is meant"),
        }
    }
    let carried = carry_on(engine, terminal, &args).await?;
    if carried.is_none() && !terminal.json {
        // Each was tried just now: what is left of them, another process has in hand.
        let named = |run: &RunId| args.run.as_deref().is_none_or(|named| run.as_str().starts_with(named));
        let left = engine.runs().unended()?.into_iter().filter(|row| !row.status.is_waiting() && named(&row.id));
        let elsewhere: Vec<RunId> = left.map(|row| row.id).collect();
        for run in &elsewhere {
            terminal.note(&format!("another window or command carries run {} on", short(run.as_str())));
        }
        if elsewhere.is_empty() {
            terminal.note("nothing was interrupted");
        }
        let open = engine.requests().open()?.len();
        if open > 0 {
            terminal.note(&format!("{open} waiting for your answer: assent requests"));
        }
    }
    Ok(carried.unwrap_or(Exit::Done))
}

/// Carries on what was interrupted; `None` where nothing was.
pub async fn carry_on(engine: &Engine, terminal: &Terminal, args: &ResumeArgs) -> anyhow::Result<Option<Exit>> {
    let cancel = CancellationToken::new();
    let only = args.run.as_deref();
    let ends = follow(engine, terminal, None, &cancel, engine.turns().resume(only, &cancel)).await?;
    if ends.is_empty() {
        return Ok(None);
    }
    worst(engine, terminal, ends).await.map(Some)
}

/// Shows how turns ended; the worst of them is how the command ends.
pub async fn worst(engine: &Engine, terminal: &Terminal, ends: Vec<TurnEnd>) -> anyhow::Result<Exit> {
    let mut worst = Exit::Done;
    for end in ends {
        worst = match (worst, settle(engine, terminal, end).await?) {
            (Exit::Failed, _) | (_, Exit::Failed) => Exit::Failed,
            (Exit::Waiting, _) | (_, Exit::Waiting) => Exit::Waiting,
            _ => Exit::Done,
        };
    }
    Ok(worst)
}

/// Answers a request with a typed line and carries its run on; `None` where the line says nothing, or another process
/// carries the run on.
pub async fn by_line(
    engine: &Engine,
    terminal: &Terminal,
    row: &RequestRow,
    line: &str,
) -> anyhow::Result<Option<TurnEnd>> {
    let keeps = row.request.credential.as_ref().filter(|_| line == KEEP);
    let answer = match keeps {
        Some(asked) => Some(Answer::Value { value: vault::kept(engine, terminal, asked)?.told().into() }),
        None => said(&row.request, line)?,
    };
    let Some(answer) = answer else { return Ok(None) };
    let seen = change::shown(&row.request.id);
    let given = given(engine, terminal, row, answer, seen.as_ref()).await;
    let another = |problem: &anyhow::Error| {
        matches!(problem.downcast_ref::<TurnError>(), Some(TurnError::Run(ExecutorError::FileChanged)))
    };
    if given.as_ref().is_err_and(another) {
        terminal.line(&request::card(engine, terminal, &row.request));
    }
    given
}

/// Typed to a question for a secret, it keeps one in the vault.
const KEEP: &str = "/vault";

/// Asks for the answer to one request after another, in the terminal, until nothing waits or the person leaves.
pub async fn ask_for_answers(engine: &Engine, terminal: &Terminal, end: TurnEnd) -> anyhow::Result<TurnEnd> {
    let mut end = end;
    while let TurnEnd::Waiting { session, .. } = &end {
        let open = engine.requests().open()?;
        let Some(row) = open.into_iter().find(|row| row.session == *session) else { return Ok(end) };
        let Some(line) = terminal.ask(&prompt(&row.request)) else { return Ok(end) };
        match by_line(engine, terminal, &row, line.trim()).await {
            Ok(Some(next)) => end = next,
            Ok(None) => return Ok(end),
            // The request is still open, and is asked once more.
            Err(problem) => terminal.note(&format!("{problem:#}")),
        }
    }
    Ok(end)
}

fn prompt(request: &Request) -> String {
    if request.credential.is_some() {
        return format!("[{KEEP} keeps a secret in the vault; words are kept in the history; empty to leave it open] ");
    }
    match (request.kind, request.input.kind) {
        (RequestKind::UnknownOutcome, _) => "[number, empty to leave it open] ".to_owned(),
        (RequestKind::Permit, _) if !request.reaches.is_empty() => {
            "[y]es, yes for this whole [r]un, [n]o and why, empty to leave it open: ".to_owned()
        }
        (_, InputKind::Decision) => "[y]es, [n]o and why, empty to leave it open: ".to_owned(),
        (_, InputKind::Boolean) => "[y]es or [n]o, empty to leave it open: ".to_owned(),
        (_, InputKind::Select) if !request.input.options.is_empty() => {
            "[number or text, empty to leave it open] ".to_owned()
        }
        (_, InputKind::Multiselect) => "[numbers with commas between, empty to leave it open] ".to_owned(),
        (_, InputKind::Number) => "[a number, empty to leave it open] ".to_owned(),
        (_, InputKind::Date) => "[a day as YYYY-MM-DD, empty to leave it open] ".to_owned(),
        (_, InputKind::File) => "[a path inside the workspace, empty to leave it open] ".to_owned(),
        _ => "[your answer, empty to leave it open] ".to_owned(),
    }
}

/// What a typed line means as an answer; `None` for an empty one.
fn said(request: &Request, line: &str) -> anyhow::Result<Option<Answer>> {
    if line.is_empty() {
        return Ok(None);
    }
    if request.input.kind == InputKind::Decision {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
        return match word.to_lowercase().as_str() {
            "y" | "yes" => Ok(Some(Answer::Approve { arguments: None, note: rest, reach: Reach::Once })),
            "r" | "run" if !request.reaches.is_empty() => {
                Ok(Some(Answer::Approve { arguments: None, note: rest, reach: Reach::Run }))
            }
            "n" | "no" => Ok(Some(Answer::Reject { reason: rest })),
            _ => bail!("say y or n; a reason may follow"),
        };
    }
    let names_one = option_named(&request.input.options, line).is_some();
    let choice = match request.input.kind {
        // A number that is none of theirs is told rather than taken for an answer in words.
        InputKind::Select if names_one || line.parse::<usize>().is_ok() => {
            AnswerChoice { option: vec![line.to_owned()], ..nothing() }
        }
        InputKind::Multiselect if names_one => AnswerChoice { option: vec![line.to_owned()], ..nothing() },
        InputKind::Multiselect => {
            AnswerChoice { option: line.split(',').map(|part| part.trim().to_owned()).collect(), ..nothing() }
        }
        _ => AnswerChoice { text: Some(line.to_owned()), ..nothing() },
    };
    chosen(request, choice, None).map(Some)
}

fn reach(extent: Extent) -> Reach {
    match extent {
        Extent::Once => Reach::Once,
        Extent::Step => Reach::Step,
        Extent::Run => Reach::Run,
        Extent::Workspace => Reach::Workspace,
    }
}

fn nothing() -> AnswerChoice {
    AnswerChoice { option: Vec::new(), text: None, approve: false, reject: false, credential: None, arguments: None }
}

/// What was chosen, as the request wants it; the engine says where it does not fit.
fn chosen(request: &Request, choice: AnswerChoice, reason: Option<String>) -> anyhow::Result<Answer> {
    let kind = request.input.kind;
    if (choice.approve || choice.reject) && kind == InputKind::Boolean {
        if reason.is_some() {
            return Err(Usage("this is answered with yes or no alone: leave --reason out".to_owned()).into());
        }
        return Ok(Answer::Value { value: choice.approve.into() });
    }
    if choice.approve {
        return Ok(Answer::Approve { arguments: None, note: None, reach: Reach::Once });
    }
    if choice.reject {
        return Ok(Answer::Reject { reason });
    }
    if let Some(arguments) = choice.arguments {
        let arguments = json_argument(&arguments, "--arguments has to be one JSON object")?;
        return Ok(Answer::Approve { arguments: Some(arguments), note: None, reach: Reach::Once });
    }
    let value = match choice.text {
        None => of_options(request, &choice.option)?,
        Some(text) => match kind {
            InputKind::Boolean | InputKind::Number | InputKind::Multiselect => {
                literal(request, &text).unwrap_or(Value::String(text))
            }
            _ => Value::String(text),
        },
    };
    Ok(Answer::Value { value })
}

/// The labels of options that are named by themselves or by their number.
fn of_options(request: &Request, named: &[String]) -> anyhow::Result<Value> {
    let options = &request.input.options;
    let mut labels = Vec::new();
    for name in named {
        let Some(option) = option_named(options, name) else {
            bail!(match options.len() {
                0 => "there are no options to choose from: answer with --text; see: assent requests".to_owned(),
                many => {
                    let there: Vec<String> = request::numbered(options)
                        .map(|option| option.join(" ").trim_start_matches("- ").to_owned())
                        .collect();
                    format!("there are {many} options, and {name:?} is none of them: {}", there.join(", "))
                }
            });
        };
        let label = Value::String(option.label.clone());
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    match (request.input.kind, labels.len()) {
        (InputKind::Multiselect, _) => Ok(Value::Array(labels)),
        (_, 1) => Ok(labels.remove(0)),
        _ => Err(Usage("only one option can be chosen here".to_owned()).into()),
    }
}

#[cfg(test)]
mod tests;
