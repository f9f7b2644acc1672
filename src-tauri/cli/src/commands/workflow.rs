//! `assent workflow …`

use std::path::PathBuf;

use anyhow::bail;
use assent_core::plan::Plan;
use assent_core::run::{Decider, RunStatus};
use assent_engine::Engine;
use assent_engine::store::{PlanStatus, RunRow};
use assent_engine::turn::TurnEnd;
use assent_engine::workflow::{Begun, Workflow, timed};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{ask, plan};
use crate::args::{DocumentArgs, WorkflowCommand};
use crate::commands::follow::follow;
use crate::exit::{Exit, Usage};
use crate::interrupt;
use crate::show::short;
use crate::terminal::{Style, Terminal, clip, plain};

/// Carries out `assent workflow …`.
pub async fn run(engine: &Engine, terminal: &Terminal, command: WorkflowCommand) -> anyhow::Result<Exit> {
    let workflows = engine.workflows();
    match command {
        WorkflowCommand::List => {
            let all = workflows.list()?;
            if all.is_empty() && !terminal.json {
                terminal.note("there are no workflows yet: assent workflow create NAME --plan ID makes one");
            }
            all.iter().try_for_each(|one| line(terminal, one))?;
        }
        WorkflowCommand::Show { name, version } => plan::print(engine, terminal, &workflows.plan(&name, version)?)?,
        WorkflowCommand::Create { name, document, workspace } => {
            let (plan, folder) = match read(engine, &document)? {
                Some((plan, folder)) => (timed(plan, document.when.as_deref())?, workspace.or(folder)),
                None => return Err(Usage("name a plan with --plan, or a file with --file".to_owned()).into()),
            };
            let folder = ask::workspace(folder.as_ref())?;
            let made = workflows.create(&name, plan, &folder).await?;
            saved(engine, terminal, &made)?;
        }
        WorkflowCommand::Update { name, document } => {
            let plan = match (read(engine, &document)?, &document.when) {
                (None, None) => None,
                (read, when) => {
                    let plan = read.map_or_else(|| workflows.plan(&name, None), |(plan, _)| Ok(plan))?;
                    Some(timed(plan, when.as_deref())?)
                }
            };
            let made = workflows.update(&name, plan).await?;
            saved(engine, terminal, &made)?;
        }
        WorkflowCommand::Run { name, version, approve } => {
            return begin(engine, terminal, &name, version, approve).await;
        }
        WorkflowCommand::Runs { name, limit } => {
            workflows.runs(&name, limit.get())?.iter().try_for_each(|run| run_line(terminal, run))?;
        }
        WorkflowCommand::Respond { name, text, request } => {
            let begun = workflows.reply(&name, request.as_deref(), &text).await?;
            return carry_on(engine, terminal, &begun).await;
        }
        WorkflowCommand::Stop { name } => {
            let stopped = workflows.stop(&name).await?;
            if terminal.json {
                terminal.value(&json!({"stopped": stopped}))?;
            } else {
                terminal.line(if stopped { "stopped" } else { "nothing of it was running" });
            }
        }
        WorkflowCommand::Delete { name, yes } => return delete(engine, terminal, &name, yes).await,
    }
    Ok(Exit::Done)
}

/// The plan that is named, and the folder of its chat.
fn read(engine: &Engine, document: &DocumentArgs) -> anyhow::Result<Option<(Plan, Option<PathBuf>)>> {
    if let Some(id) = &document.plan {
        let plan = engine.plans().get(id, None)?;
        let folder = engine.sessions().get(plan.session_id.as_str())?.workspace.map(PathBuf::from);
        return Ok(Some((plan, folder)));
    }
    document.file.as_deref().map(|file| Ok((plan::read(file)?, None))).transpose()
}

fn saved(engine: &Engine, terminal: &Terminal, made: &Workflow) -> anyhow::Result<()> {
    if terminal.json {
        return terminal.value(made);
    }
    plan::print(engine, terminal, &engine.workflows().plan(&made.name, None)?)?;
    terminal.note(&format!("saved; assent workflow run {} carries it out", made.name));
    Ok(())
}

async fn begin(
    engine: &Engine,
    terminal: &Terminal,
    name: &str,
    version: Option<u32>,
    approve: bool,
) -> anyhow::Result<Exit> {
    let workflows = engine.workflows();
    if !approve && workflows.status(name, version)? == PlanStatus::Proposed {
        let document = workflows.plan(name, version)?;
        plan::print(engine, terminal, &document)?;
        let plan = engine.plans().checked(document)?.plan_ref();
        let session = workflows.get(name)?.session;
        return ask::settle(engine, terminal, TurnEnd::AwaitingApproval { session, plan }).await;
    }
    let begun = workflows.begin(name, version, approve.then_some(Decider::User)).await?;
    carry_on(engine, terminal, &begun).await
}

/// Waits for runs that a call has begun and that take longer than a call may, so that none ends in the middle with the
/// program.
pub async fn rest(engine: &Engine, terminal: &Terminal) {
    let workflows = engine.workflows();
    if !workflows.goes_on() {
        return;
    }
    let cancel = CancellationToken::new();
    let _stops = interrupt::stops(&cancel);
    // Only what is already true is told: who presses Ctrl-C at once stops the run, and not the program in its middle.
    terminal.note("the run of a workflow goes on; Ctrl-C stops it");
    workflows.rest(&cancel).await;
}

async fn carry_on(engine: &Engine, terminal: &Terminal, begun: &Begun) -> anyhow::Result<Exit> {
    let workflows = engine.workflows();
    let session = workflows.get(&begun.name)?.session;
    let cancel = CancellationToken::new();
    let end = follow(engine, terminal, Some(&session), &cancel, workflows.carry_on(begun, &cancel)).await?;
    ask::settle(engine, terminal, end).await
}

async fn delete(engine: &Engine, terminal: &Terminal, name: &str, yes: bool) -> anyhow::Result<Exit> {
    let workflow = engine.workflows().get(name)?;
    if !yes {
        let asked = terminal.ask(&format!("Delete the workflow {} with all its runs? [y/N] ", workflow.name));
        match asked.as_deref().map(str::trim) {
            Some("y" | "yes") => {}
            Some(_) => return Ok(Exit::Done),
            None => bail!("to delete it without being asked, say --yes"),
        }
    }
    engine.workflows().delete(name).await?;
    if terminal.json {
        terminal.value(&json!({"deleted": name}))?;
    } else {
        terminal.line(&format!("deleted {name}"));
    }
    Ok(Exit::Done)
}

fn line(terminal: &Terminal, one: &Workflow) -> anyhow::Result<()> {
    if terminal.json {
        return terminal.value(one);
    }
    let approval = if one.status == PlanStatus::Approved { "" } else { "  not approved" };
    let last = one.last_run.as_ref().map_or("never ran", |run| word(run.status));
    let name = terminal.paint(Style::Name, &format!("{:<24}", plain(&one.name)));
    let when = one.when.as_ref().map(|when| format!("  to run: {}", clip(when, 40))).unwrap_or_default();
    terminal.line(&format!("{name} v{}  {last:<16} {}{approval}{when}", one.plan.version, clip(&one.title, 60)));
    Ok(())
}

fn run_line(terminal: &Terminal, run: &RunRow) -> anyhow::Result<()> {
    if terminal.json {
        return terminal.value(run);
    }
    let id = terminal.paint(Style::Name, short(run.id.as_str()));
    terminal.line(&format!("{id}  v{}  {}", run.plan.version, word(run.status)));
    Ok(())
}

fn word(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Queued | RunStatus::Running | RunStatus::Synthesizing => "under way",
        RunStatus::WaitingForInput | RunStatus::Suspended | RunStatus::WaitingForUser => "waits for you",
        RunStatus::Completed => "done",
        RunStatus::CompletedWithWarnings => "done, warned",
        RunStatus::Failed => "failed",
        RunStatus::Cancelled => "stopped",
    }
}
