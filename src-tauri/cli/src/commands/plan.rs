//! `assent plan …`

use std::future::Future;
use std::path::Path;

use anyhow::{anyhow, bail};
use assent_core::contract::listed;
use assent_core::ids::StepId;
use assent_core::plan::{Plan, PlanDiff, to_markdown, to_mermaid};
use assent_core::run::Decider;
use assent_engine::Engine;
use assent_engine::store::PlanStatus;
use assent_engine::turn::{TurnEnd, TurnError};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::args::{Approve, ExportFormat, NewArgs, PlanArgs, PlanCommand, TurnArgs};
use crate::commands::follow::follow;
use crate::commands::{ask, edit, explain, retry};
use crate::exit::Exit;
use crate::input;
use crate::show::{self, short};
use crate::terminal::{Style, Terminal, clip, plain};

/// Carries out `assent plan …`.
pub async fn run(engine: &Engine, terminal: &Terminal, command: PlanCommand) -> anyhow::Result<Exit> {
    match command {
        PlanCommand::New { new: args, explain } => new(engine, terminal, args, explain).await,
        PlanCommand::Show { plan, explain } => show(engine, terminal, &plan, explain),
        PlanCommand::List { session } => list(engine, terminal, session.as_deref()),
        PlanCommand::Edit(args) => edit::run(engine, terminal, args).await,
        PlanCommand::Approve { plan, note, later } => approve(engine, terminal, &plan, note, later).await,
        PlanCommand::Reject { plan, reason } => {
            let plan = find(engine, &plan)?;
            let reference = engine.plans().reference(&plan);
            told(engine, terminal, &plan, engine.turns().reject(&reference, reason)).await
        }
        PlanCommand::Run { plan, from } => carry_out(engine, terminal, &plan, from).await,
        PlanCommand::Retry { plan, step } => retry::run(engine, terminal, &plan, step).await,
        PlanCommand::Export { plan, to, format } => export(engine, terminal, &plan, to.as_deref(), format),
        PlanCommand::Import { file, session, workspace } => {
            import(engine, terminal, &file, session, workspace.as_ref()).await
        }
        PlanCommand::Diff { id, from, to } => diff(engine, terminal, &id, from, to),
        PlanCommand::Comment { plan, step: Some(step), anew: true, text } => {
            let plan = find(engine, &plan)?;
            let (old, step, cancel) = (engine.plans().reference(&plan), step.into(), CancellationToken::new());
            let work = engine.turns().rework(&old, &step, &text, &cancel);
            let saved = follow(engine, terminal, Some(&plan.session_id), &cancel, work).await?;
            print(engine, terminal, &engine.plans().get(saved.id.as_str(), Some(saved.version))?)?;
            Ok(Exit::Done)
        }
        PlanCommand::Comment { plan, step, text, .. } => {
            let plan = find(engine, &plan)?;
            told(engine, terminal, &plan, engine.plans().comment(&plan, step.map(Into::into), &text)).await
        }
    }
}

/// A plan as a table, with its status and what approving it allows.
pub fn shown(engine: &Engine, terminal: &Terminal, plan: &Plan) -> String {
    let history = engine.plans().history(&plan.id).unwrap_or_default();
    let row = history.iter().find(|row| row.plan.version == plan.version);
    let status = match row.map(|row| row.status) {
        None | Some(PlanStatus::Proposed) => "proposed",
        Some(PlanStatus::Approved) => "approved",
        Some(PlanStatus::Rejected) => "rejected",
        Some(PlanStatus::Superseded) => "superseded",
    };
    show::plan::table(terminal, plan, status, &engine.plans().effects(plan))
}

/// Writes something down about a plan and shows its events.
async fn told<T>(
    engine: &Engine,
    terminal: &Terminal,
    plan: &Plan,
    work: impl Future<Output = Result<T, TurnError>>,
) -> anyhow::Result<Exit> {
    follow(engine, terminal, Some(&plan.session_id), &CancellationToken::new(), work).await?;
    Ok(Exit::Done)
}

fn find(engine: &Engine, args: &PlanArgs) -> anyhow::Result<Plan> {
    Ok(engine.plans().get(&args.id, args.version)?)
}

async fn new(engine: &Engine, terminal: &Terminal, args: NewArgs, explain: bool) -> anyhow::Result<Exit> {
    let turn = TurnArgs { approve: Some(Approve::AlwaysAsk), of: args.of };
    let text = ask::message_text(args.message)?;
    let session = ask::session(engine, &turn).await?;
    let end = ask::send(engine, terminal, &session, &text, &turn).await?;
    if explain {
        match &end {
            TurnEnd::AwaitingApproval { plan, .. } => {
                explain::plan(engine, terminal, &engine.plans().get(plan.id.as_str(), Some(plan.version))?)?;
            }
            _ => explain::answer(engine, terminal, &session)?,
        }
    }
    // A plan that waits is what was asked for.
    Ok(match end {
        TurnEnd::AwaitingApproval { .. } | TurnEnd::Answered { .. } => Exit::Done,
        waiting @ TurnEnd::Waiting { .. } => ask::settle(engine, terminal, waiting).await?,
        TurnEnd::Failed { .. } | TurnEnd::Cancelled { .. } => Exit::Failed,
    })
}

fn show(engine: &Engine, terminal: &Terminal, args: &PlanArgs, explain: bool) -> anyhow::Result<Exit> {
    let plan = find(engine, args)?;
    print(engine, terminal, &plan)?;
    if explain {
        explain::plan(engine, terminal, &plan)?;
    }
    Ok(Exit::Done)
}

/// Shows a plan with the comments on it.
pub fn print(engine: &Engine, terminal: &Terminal, plan: &Plan) -> anyhow::Result<()> {
    if terminal.json {
        return terminal.value(plan);
    }
    terminal.line(&shown(engine, terminal, plan));
    for comment in engine.plans().comments(&plan.id)? {
        let on = comment.step.map(|step| format!(" on {step}")).unwrap_or_default();
        let head = terminal.paint(Style::Quiet, &format!("  comment{on}, v{}:", comment.plan.version));
        terminal.line(&format!("{head} {}", plain(&comment.text)));
    }
    Ok(())
}

fn list(engine: &Engine, terminal: &Terminal, session: Option<&str>) -> anyhow::Result<Exit> {
    let session = session.map(|id| engine.sessions().get(id)).transpose()?.map(|row| row.id);
    let plans = engine.plans().list(session.as_ref())?;
    for plan in &plans {
        if terminal.json {
            terminal.value(plan)?;
        } else {
            terminal.line(&show::plan::line(terminal, plan));
        }
    }
    if plans.is_empty() && !terminal.json {
        terminal.note("there are no plans yet: assent plan new \"…\" makes one");
    }
    Ok(Exit::Done)
}

async fn approve(
    engine: &Engine,
    terminal: &Terminal,
    args: &PlanArgs,
    note: Option<String>,
    later: bool,
) -> anyhow::Result<Exit> {
    let plan = find(engine, args)?;
    let reference = engine.plans().checked(plan.clone())?.plan_ref();
    if later {
        let work = engine.turns().approve_for_later(&reference, Decider::User, note);
        return told(engine, terminal, &plan, work).await;
    }
    let cancel = CancellationToken::new();
    let work = engine.turns().approve(&reference, Decider::User, note, &cancel);
    let end = follow(engine, terminal, Some(&plan.session_id), &cancel, work).await?;
    ask::settle(engine, terminal, end).await
}

async fn carry_out(
    engine: &Engine,
    terminal: &Terminal,
    args: &PlanArgs,
    from: Option<String>,
) -> anyhow::Result<Exit> {
    let plan = find(engine, args)?;
    let reference = engine.plans().checked(plan.clone())?.plan_ref();
    let cancel = CancellationToken::new();
    let work = async {
        match from.map(StepId::from) {
            Some(step) => engine.turns().run_from(&reference, &step, &cancel).await,
            None => engine.turns().run(&reference, &cancel).await,
        }
    };
    let end = follow(engine, terminal, Some(&plan.session_id), &cancel, work).await?;
    ask::settle(engine, terminal, end).await
}

fn export(
    engine: &Engine,
    terminal: &Terminal,
    args: &PlanArgs,
    to: Option<&Path>,
    format: ExportFormat,
) -> anyhow::Result<Exit> {
    let plan = find(engine, args)?;
    if terminal.json && to.is_none() && matches!(format, ExportFormat::Json) {
        terminal.value(&plan)?;
        return Ok(Exit::Done);
    }
    let text = match format {
        ExportFormat::Json => serde_json::to_string_pretty(&plan)?,
        ExportFormat::Markdown => to_markdown(&plan, Some(&engine.plans().effects(&plan))),
        ExportFormat::Mermaid => to_mermaid(&plan),
    };
    written(terminal, text, to)?;
    if let Some(file) = to.filter(|_| terminal.json) {
        terminal.value(&json!({"plan": plan.id, "version": plan.version, "path": file}))?;
    }
    Ok(Exit::Done)
}

/// Writes an exported plan to a file, or to standard output.
pub fn written(terminal: &Terminal, mut text: String, to: Option<&Path>) -> anyhow::Result<()> {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    match to {
        None => terminal.write(&text),
        Some(file) => std::fs::write(file, text)
            .map_err(|error| anyhow!("{} could not be written: {error}; name another file", file.display()))?,
    }
    Ok(())
}

/// The plan of a file; `-` is standard input.
pub fn read(file: &Path) -> anyhow::Result<Plan> {
    plan_of(&text_of(file)?, file)
}

fn text_of(file: &Path) -> anyhow::Result<String> {
    input::text(file).map_err(|why| anyhow!("{why}; name a file with a plan"))
}

fn plan_of(text: &str, file: &Path) -> anyhow::Result<Plan> {
    assent_core::plan::import(text)
        .map_err(|faults| anyhow!("{} is no usable plan, nothing was saved:\n{}", file.display(), listed(&faults)))
}

async fn import(
    engine: &Engine,
    terminal: &Terminal,
    file: &Path,
    session: Option<String>,
    workspace: Option<&std::path::PathBuf>,
) -> anyhow::Result<Exit> {
    let text = text_of(file)?;
    let plan = plan_of(&text, file)?;
    let saved = match session {
        Some(id) => engine.plans().import(plan, &engine.sessions().get(&id)?.id).await,
        None => {
            let workspace = ask::workspace(workspace)?;
            engine.plans().import_into_new(plan, &workspace).await.map(|(_, saved)| saved)
        }
    };
    let saved = saved.map_err(|error| error.placed_in(&text))?;
    let plan = engine.plans().get(saved.id.as_str(), Some(saved.version))?;
    if terminal.json {
        terminal.value(&plan)?;
    } else {
        terminal.line(&shown(engine, terminal, &plan));
    }
    Ok(Exit::Done)
}

fn diff(engine: &Engine, terminal: &Terminal, id: &str, from: Option<u32>, to: Option<u32>) -> anyhow::Result<Exit> {
    let new = engine.plans().get(id, to)?;
    let from = from.or_else(|| new.version.checked_sub(1).filter(|version| *version > 0));
    let Some(from) = from else {
        bail!("{} has only one version", short(new.id.as_str()));
    };
    let old = engine.plans().get(id, Some(from))?;
    let found = engine.plans().diff(&old, &new);
    if terminal.json {
        terminal.value(&found)?;
    } else {
        terminal.line(&differences(terminal, &found, from, new.version));
    }
    Ok(Exit::Done)
}

/// A value of a plan's field as a person reads it.
fn value(value: &Value) -> String {
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Array(items) if items.is_empty() => "nothing".to_owned(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().map(word).collect::<Vec<_>>().join(", ")
        }
        other => word(other),
    }
}

fn differences(terminal: &Terminal, diff: &PlanDiff, from: u32, to: u32) -> String {
    let mut lines = vec![terminal.paint(Style::Strong, &format!("v{from} → v{to}"))];
    for field in &diff.header {
        let change = format!("{} → {}", clip(&value(&field.before), 60), clip(&value(&field.after), 60));
        lines.push(format!("~ {}: {change}", field.field));
    }
    for step in &diff.added {
        lines.push(terminal.paint(Style::Good, &format!("+ {} {}", step.id, clip(&step.description, 100))));
    }
    for step in &diff.removed {
        lines.push(terminal.paint(Style::Bad, &format!("- {} {}", step.id, clip(&step.description, 100))));
    }
    for step in &diff.changed {
        for field in &step.fields {
            let change = format!("{} → {}", clip(&value(&field.before), 60), clip(&value(&field.after), 60));
            lines.push(format!("~ {} {}: {change}", step.id, field.field));
        }
    }
    for step in &diff.moved {
        lines.push(format!("  {} moved from place {} to {}", step.id, step.from + 1, step.to + 1));
    }
    for grant in &diff.grants_added {
        let granted = [&grant.grants.tools, &grant.grants.paths, &grant.grants.hosts];
        let names: Vec<&str> = granted.into_iter().flatten().map(String::as_str).collect();
        lines.push(terminal.paint(Style::Warn, &format!("! {} may now use {}", grant.id, plain(&names.join(", ")))));
    }
    if diff.is_empty() {
        lines.push("no difference".to_owned());
    }
    lines.join("\n")
}
