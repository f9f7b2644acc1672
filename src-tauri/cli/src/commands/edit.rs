//! `assent plan edit`: a plan in the person's editor or by flags; saving makes a new version.

use std::num::NonZeroUsize;
use std::str::FromStr;

use anyhow::{anyhow, bail};
use assent_core::contract::listed;
use assent_core::ids::StepId;
use assent_core::plan::{NewStep, Plan, PlanEdit, PlanRef};
use assent_engine::Engine;

use crate::args::PlanEditArgs;
use crate::commands::plan::shown;
use crate::editor::Draft;
use crate::exit::{Exit, Usage};
use crate::show::short;
use crate::terminal::Terminal;

/// Carries out `assent plan edit`.
pub async fn run(engine: &Engine, terminal: &Terminal, args: PlanEditArgs) -> anyhow::Result<Exit> {
    let plan = engine.plans().get(&args.plan.id, args.plan.version)?;
    let edits = edits(&args)?;
    let saved = if edits.is_empty() {
        if !terminal.interactive {
            bail!(
                "there is no terminal to open an editor in: say what to change by flags, see assent plan edit --help"
            );
        }
        edited(engine, terminal, &plan).await?
    } else {
        engine.plans().edit(&plan, &edits).await?
    };
    show(engine, terminal, &plan, &saved)?;
    Ok(Exit::Done)
}

/// Opens a plan in the person's editor and saves what comes out as the next version.
pub async fn in_editor(engine: &Engine, terminal: &Terminal, plan: &PlanRef) -> anyhow::Result<PlanRef> {
    let plan = engine.plans().get(plan.id.as_str(), Some(plan.version))?;
    let saved = edited(engine, terminal, &plan).await?;
    show(engine, terminal, &plan, &saved)?;
    Ok(saved)
}

fn show(engine: &Engine, terminal: &Terminal, from: &Plan, saved: &PlanRef) -> anyhow::Result<()> {
    let plan = engine.plans().get(saved.id.as_str(), Some(saved.version))?;
    if terminal.json {
        return terminal.value(&plan);
    }
    terminal.line(&shown(engine, terminal, &plan));
    // A version that came up in the meantime is kept, but what it changed is not in this one.
    if from.version + 1 < saved.version {
        let (id, before) = (short(saved.id.as_str()), saved.version - 1);
        terminal.note(&format!(
            "this was made from v{}, and v{before} is newer: assent plan diff {id} {before} {} shows what it leaves out",
            from.version, saved.version
        ));
    }
    Ok(())
}

/// The next version, as the editor left it. Faults open the editor again with the person's text untouched; who gives up
/// finds the text in a file.
async fn edited(engine: &Engine, terminal: &Terminal, plan: &Plan) -> anyhow::Result<PlanRef> {
    let before = serde_json::to_string_pretty(plan)?;
    let draft = Draft::new(&before, ".json")?;
    let mut last = before.clone();
    loop {
        let problem = match draft.open() {
            Ok(text) if text == before => bail!("nothing was changed"),
            Ok(text) => {
                last = text;
                match saved(engine, plan, &last).await {
                    Ok(saved) => return Ok(saved),
                    Err(problem) => problem,
                }
            }
            Err(problem) => problem,
        };
        // An editor may end with an error after the text was saved.
        if last == before && draft.is(&before) {
            return Err(problem.context("nothing was changed"));
        }
        terminal.note(&format!("{problem:#}"));
        if !matches!(terminal.ask("Edit again? [Y/n] ").as_deref(), Some("" | "y" | "Y" | "yes")) {
            bail!("nothing was saved; your text is kept in {}", draft.keep()?.display());
        }
    }
}

async fn saved(engine: &Engine, plan: &Plan, text: &str) -> anyhow::Result<PlanRef> {
    let document = assent_core::plan::import(text).map_err(|faults| anyhow!("{}", listed(&faults)))?;
    let saved = engine.plans().save(Plan { id: plan.id.clone(), ..document }).await;
    Ok(saved.map_err(|error| error.placed_in(text))?)
}

fn edits(args: &PlanEditArgs) -> anyhow::Result<Vec<PlanEdit>> {
    let mut edits = Vec::new();
    for (step, description) in pairs(&args.describe) {
        edits.push(PlanEdit::SetDescription { step, description });
    }
    for (step, tools) in pairs(&args.tools) {
        edits.push(PlanEdit::SetRequiredTools { step, required_tools: words(&tools) });
    }
    for (step, after) in pairs(&args.after) {
        let dependencies = words(&after).into_iter().map(StepId::from).collect();
        edits.push(PlanEdit::SetDependencies { step, dependencies });
    }
    for (step, outcome) in pairs(&args.outcome) {
        edits.push(PlanEdit::SetExpectedOutcome {
            step,
            expected_outcome: Some(outcome).filter(|text| !text.is_empty()),
        });
    }
    for (step, place) in pairs(&args.place) {
        let place =
            NonZeroUsize::from_str(&place).map_err(|_| Usage("--place takes a step and a number from 1".to_owned()))?;
        edits.push(PlanEdit::MoveStep { step, to: place.get() - 1 });
    }
    edits.extend(args.remove.iter().map(|step| PlanEdit::RemoveStep { step: step.as_str().into() }));
    edits.extend(
        args.add
            .iter()
            .map(|text| PlanEdit::AddStep { step: NewStep { description: text.clone(), ..NewStep::default() } }),
    );
    Ok(edits)
}

fn pairs(values: &[String]) -> impl Iterator<Item = (StepId, String)> + '_ {
    values.chunks_exact(2).map(|pair| (StepId::from(pair[0].as_str()), pair[1].clone()))
}

fn words(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
