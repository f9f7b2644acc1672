//! `assent plan retry`: a step of the latest run once more, in the same run.

use anyhow::{anyhow, bail};
use assent_core::ids::StepId;
use assent_engine::Engine;
use assent_engine::executor::ExecutorError;
use assent_engine::turn::TurnError;
use tokio_util::sync::CancellationToken;

use crate::args::PlanArgs;
use crate::commands::answer::left_to_another;
use crate::commands::ask::settle;
use crate::commands::follow::follow;
use crate::exit::Exit;
use crate::terminal::{Terminal, plain};

/// Does a step again with what was skipped because of it; what builds on it and is done already is told to be stale.
pub async fn run(engine: &Engine, terminal: &Terminal, args: &PlanArgs, step: String) -> anyhow::Result<Exit> {
    let plan = engine.plans().get(&args.id, args.version)?;
    let of_plan = |version: u32| args.version.is_none_or(|wanted| wanted == version);
    let mut runs = engine.runs().list(&plan.session_id)?.into_iter();
    let latest = runs.rfind(|row| row.plan.id == plan.id && of_plan(row.plan.version));
    let row = latest.ok_or_else(|| anyhow!("nothing of the plan was carried out yet, so no step can be retried"))?;
    let step = StepId::from(step);
    if !engine.runs().get(&row.id)?.plan.steps.iter().any(|known| known.id == step) {
        bail!("there is no step {} in the plan", plain(step.as_str()));
    }
    let cancel = CancellationToken::new();
    let work = async {
        engine.runs().retry(&row.id, &step).await?;
        match engine.turns().carry_on(&row.id, None, &cancel).await {
            Err(TurnError::Run(ExecutorError::Busy(_))) => Ok::<_, anyhow::Error>(None),
            end => Ok(Some(end?)),
        }
    };
    match follow(engine, terminal, Some(&row.session), &cancel, work).await {
        Ok(Some(end)) => settle(engine, terminal, end).await,
        Ok(None) => {
            left_to_another(terminal, &row.id);
            Ok(Exit::Done)
        }
        Err(problem) => match problem.downcast_ref::<ExecutorError>() {
            Some(ExecutorError::Conflict(_)) => {
                bail!("step {} cannot be done again: {problem}", plain(step.as_str()))
            }
            _ => Err(problem),
        },
    }
}
