//! `assent heap …`

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use assent_core::contract::Fault;
use assent_core::heap::{Caps, Expanded, Specialist};
use assent_core::ids::{RunId, StepId};
use assent_core::plan::{ExecutorKind, RouteStep};
use assent_core::run::StepStatus;
use assent_engine::Engine;
use assent_engine::engine::{AgentView, Carried, HeapView};
use assent_engine::heap::Delegation;
use assent_engine::heap::own::OwnPack;
use assent_engine::heap::shipped::{Removal, Standing};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::args::{HeapCommand, StudioState, When};
use crate::exit::Exit;
use crate::show::heap::why;
use crate::show::short;
use crate::terminal::{Style, Terminal, clip, plain};

/// The steps that are at work, by specialist.
type AtWork = BTreeMap<String, BTreeSet<(RunId, StepId)>>;

/// Carries out `assent heap …`.
pub async fn run(engine: &Engine, terminal: &Terminal, command: HeapCommand) -> anyhow::Result<Exit> {
    let cancel = CancellationToken::new();
    match command {
        HeapCommand::Show => show(terminal, &engine.heap().show(), &at_work(engine, terminal)?),
        HeapCommand::Search { task, from } => {
            let way = engine.heap().search(&task.join(" "), from.as_deref(), &cancel).await?;
            if terminal.json {
                terminal.value(&way)?;
            } else {
                terminal.line(&plain(&way.path.join(" › ")));
                terminal.note(&format!("{} model calls", way.calls));
            }
            Ok(if way.path.is_empty() { Exit::Failed } else { Exit::Done })
        }
        HeapCommand::Expand { ids, task } => {
            let route: Vec<RouteStep> = ids.into_iter().map(RouteStep::One).collect();
            let expansion = engine.heap().expand(&route, &task, &cancel).await;
            if terminal.json {
                terminal.value(&json!({
                    "route": expansion.route, "steps": expansion.steps, "faults": expansion.faults,
                }))?;
            } else {
                expansion.steps.iter().for_each(|step| terminal.line(&line(terminal, step)));
                expansion.faults.iter().for_each(|fault| terminal.problem("assent:", &plain(&fault.to_string())));
            }
            Ok(if expansion.faults.is_empty() { Exit::Done } else { Exit::Failed })
        }
        HeapCommand::Delegation { when } => delegation(engine, terminal, when),
        HeapCommand::Packs => packs(engine, terminal),
        HeapCommand::Check { folder, name } => check(engine, terminal, &folder, name),
        HeapCommand::Add { pack, from } => {
            let folder = match from {
                Some(from) => {
                    let (folder, noted) = engine.heap().add_own_pack(&pack, &from)?;
                    notes(terminal, &noted);
                    folder
                }
                None => engine.heap().add_pack(&pack)?,
            };
            if terminal.json {
                terminal.value(&json!({"pack": pack, "folder": folder}))?;
            } else {
                terminal.line(&format!("{pack} is added: its agents are in {}", folder.display()));
            }
            Ok(Exit::Done)
        }
        HeapCommand::Remove { pack, changed } => {
            engine.heap().remove_pack(&pack, if changed { Removal::WithChanges } else { Removal::Untouched })?;
            if terminal.json {
                terminal.value(&json!({"pack": pack, "removed": true}))?;
            } else {
                terminal.line(&format!("{pack} is removed, with its agents"));
            }
            Ok(Exit::Done)
        }
        HeapCommand::Studio { state } => studio(engine, terminal, state),
    }
}

fn delegation(engine: &Engine, terminal: &Terminal, when: Option<When>) -> anyhow::Result<Exit> {
    if let Some(when) = when {
        let chosen = match when {
            When::Expand => Delegation::Expand,
            When::Runtime => Delegation::Runtime,
        };
        chosen.choose(engine.settings())?;
    }
    let now = Delegation::chosen(engine.settings())?;
    if terminal.json {
        terminal.value(&json!({"delegation": now}))?;
    } else {
        let words = match now {
            Delegation::Expand => "expand: before anything runs, a step is brought to one specialist with tools",
            Delegation::Runtime => "runtime: a specialist without tools hands its step on while it runs",
        };
        terminal.line(words);
    }
    Ok(Exit::Done)
}

fn packs(engine: &Engine, terminal: &Terminal) -> anyhow::Result<Exit> {
    for (pack, standing) in engine.heap().packs() {
        if terminal.json {
            terminal.value(&json!({"pack": pack.name, "description": pack.description, "standing": standing}))?;
            continue;
        }
        let stands = match standing {
            Standing::Absent => "not added",
            Standing::Added => "added",
            Standing::Changed => "added, and other than this version brings it",
        };
        terminal.line(&format!("{}  {} ({stands})", terminal.paint(Style::Name, pack.name), pack.description));
    }
    for OwnPack { name, files } in engine.heap().own_packs() {
        if terminal.json {
            terminal.value(&json!({"pack": name, "standing": "own", "files": files}))?;
            continue;
        }
        let files = if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) };
        terminal.line(&format!("{}  your own ({files})", terminal.paint(Style::Name, &plain(&name))));
    }
    Ok(Exit::Done)
}

/// What a folder has, and what is wrong with it.
fn check(engine: &Engine, terminal: &Terminal, folder: &Path, name: Option<String>) -> anyhow::Result<Exit> {
    let own = || folder.canonicalize().ok()?.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.or_else(own).unwrap_or_default();
    let found = engine.heap().look_at_pack(&name, folder)?;
    if terminal.json {
        terminal.value(&found)?;
    } else {
        found.files.iter().for_each(|file| terminal.line(&plain(file)));
        for (what, names) in [("agents", &found.agents), ("specialists", &found.specialists)] {
            if !names.is_empty() {
                terminal.note(&format!("{what}: {}", plain(&names.join(", "))));
            }
        }
        found.faults.iter().for_each(|fault| terminal.problem("assent:", &plain(&fault.to_string())));
        notes(terminal, &found.notes);
        if found.faults.is_empty() {
            terminal.note(&format!("it can be added: assent heap add {name} --from {}", folder.display()));
        }
    }
    Ok(if found.faults.is_empty() { Exit::Done } else { Exit::Failed })
}

/// What is good to know of a pack, and is not wrong.
fn notes(terminal: &Terminal, noted: &[Fault]) {
    noted.iter().for_each(|note| terminal.problem("note:", &plain(&note.to_string())));
}

fn studio(engine: &Engine, terminal: &Terminal, state: Option<StudioState>) -> anyhow::Result<Exit> {
    match state {
        Some(StudioState::Open) => drop(engine.studio().open()?),
        Some(StudioState::Closed) => engine.studio().close()?,
        None => {}
    }
    let open = engine.studio().is_open();
    if terminal.json {
        terminal.value(&json!({"open": open}))?;
    } else {
        let words = if open { "open: agents can be made in chats" } else { "closed: no agents are made in chats" };
        terminal.line(words);
    }
    Ok(Exit::Done)
}

/// The steps that are at work or wait, by the specialists through whom they go: who was named, and everybody chosen below.
fn at_work(engine: &Engine, terminal: &Terminal) -> anyhow::Result<AtWork> {
    let mut all = AtWork::new();
    for run in engine.runs().unended()? {
        let Carried { plan, state, .. } = match engine.runs().get(&run.id) {
            Ok(carried) => carried,
            Err(error) => {
                let run = short(run.id.as_str());
                let told = format!("the run {run} cannot be read, and who is at work in it is not shown: {error}");
                terminal.problem("note:", &plain(&told));
                continue;
            }
        };
        let goes_on = |status| matches!(status, StepStatus::InProgress | StepStatus::Waiting);
        for (at, step) in state.steps().iter().enumerate().filter(|(_, step)| goes_on(step.status)) {
            let executor = &state.document(&plan, at).executor;
            let named = Some(&executor.id).filter(|_| executor.kind == ExecutorKind::Specialist);
            let chosen =
                step.expanded.iter().flat_map(|one| one.path.iter().map(|choice| &choice.chosen).chain([&one.leaf]));
            for id in named.into_iter().chain(chosen) {
                all.entry(id.clone()).or_default().insert((run.id.clone(), step.id.clone()));
            }
        }
    }
    Ok(all)
}

fn show(terminal: &Terminal, view: &HeapView, at_work: &AtWork) -> anyhow::Result<Exit> {
    if terminal.json {
        let mut value = json!(view);
        let steps = |steps: &BTreeSet<(RunId, StepId)>| {
            steps.iter().map(|(run, step)| json!({"run": run, "step": step})).collect::<Vec<_>>()
        };
        value["atWork"] = at_work.iter().map(|(id, all)| (id.clone(), json!(steps(all)))).collect();
        terminal.value(&value)?;
        return Ok(Exit::Done);
    }
    let depth = |entry: &Specialist| {
        let above = |id: &str| view.heap.specialists.iter().find(|one| one.id == id).and_then(|one| one.parent.clone());
        std::iter::successors(entry.parent.clone(), |id| above(id)).count()
    };
    for entry in &view.heap.specialists {
        let indent = "  ".repeat(depth(entry));
        let from = view.from.get(&entry.id).map(|pack| format!(" [{}]", plain(pack))).unwrap_or_default();
        let name = terminal.paint(Style::Name, &plain(&entry.id));
        let room = terminal.width.saturating_sub(indent.len() + entry.id.chars().count() + from.len() + 2);
        terminal.line(&format!("{indent}{name}{from}  {}", clip(&plain(&entry.description), room)));
        if !entry.tool_names.is_empty() {
            let tools = clip(&plain(&entry.tool_names.join(", ")), terminal.width.saturating_sub(indent.len() + 4));
            terminal.line(&terminal.paint(Style::Quiet, &format!("{indent}    {tools}")));
        }
    }
    for (id, steps) in at_work {
        let steps = steps.iter().map(|(run, step)| format!("step {step} of run {}", short(run.as_str())));
        let steps = plain(&steps.collect::<Vec<_>>().join(", "));
        terminal.line(&format!("{} is at work: {steps}", terminal.paint(Style::Name, &plain(id))));
    }
    for agent in &view.agents {
        let own = own_of(agent);
        if !own.is_empty() {
            let name = terminal.paint(Style::Name, &plain(&agent.name));
            terminal.line(&format!("{name} [{}]: {own}", plain(&agent.pack)));
        }
    }
    let Caps { tools, top_level, children, options, depth } = view.caps;
    terminal.note(&format!(
        "at most {tools} tools a specialist beside those that ask, {top_level} on top, {children} below one, {options} to choose from, {depth} levels"
    ));
    view.faults.iter().for_each(|fault| terminal.problem("note:", &plain(&fault.to_string())));
    Ok(Exit::Done)
}

/// What an agent has of its own, in words; nothing where all is as the plan has it.
fn own_of(agent: &AgentView) -> String {
    let limits = &agent.limits;
    let said = [
        agent.model.as_ref().map(|model| format!("asks the model {}", plain(model))),
        limits.step_iterations.map(|most| format!("at most {most} replies")),
        limits.branch_tokens.map(|most| format!("at most {most} tokens")),
        limits.call_seconds.map(|most| format!("calls of at most {most} s")),
    ];
    said.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A specialist, who does its step, and how that was found.
fn line(terminal: &Terminal, step: &Expanded) -> String {
    let why = why(step);
    let way = if why.is_empty() { why } else { format!("  {why}") };
    let leaf = terminal.paint(Style::Name, &plain(&step.leaf));
    format!("{} › {leaf}{}", plain(&step.from), terminal.paint(Style::Quiet, &plain(&way)))
}
