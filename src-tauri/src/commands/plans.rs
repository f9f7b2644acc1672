//! Plans: reading, changing, deciding.

use assent_core::ids::{PlanId, SessionId, StepId};
use assent_core::plan::{Plan, PlanDiff, PlanEdit, PlanRef, import, to_markdown, to_mermaid};
use assent_core::run::{Decider, EventKind};
use assent_engine::engine::PlanHandle;
use assent_engine::store::{Comment, PlanDraft, PlanStanding, PlanStatus, SessionRow, VersionRow};
use assent_engine::turn::TurnEnd;

use super::exact::exact_plan;
use super::messages::{begun, said};
use super::settings::folder;
use super::{Answered, Here};
use crate::aside::{Aside, aside};
use crate::shell::Shell;
use crate::wire::{ErrorCode, ExportFormat, Failure, PlanEdited, PlanView};

pub fn plan_list(shell: Here<'_>, session: Option<SessionId>) -> Aside<Vec<Plan>> {
    shell.ask(move |engine| Ok(engine.plans().list(session.as_ref())?))
}

pub fn plan_standings(shell: Here<'_>) -> Aside<Vec<PlanStanding>> {
    shell.ask(|engine| Ok(engine.plans().standings()?))
}

pub fn plan_get(shell: Here<'_>, id: PlanId, version: Option<u32>) -> Aside<PlanView> {
    shell.ask(move |engine| {
        let plans = engine.plans();
        let plan = plans.get(id.as_str(), version)?;
        let status = status(&plans, &plan)?;
        Ok(PlanView::new(plans.check(plan), status))
    })
}

pub fn plan_history(shell: Here<'_>, id: PlanId) -> Aside<Vec<VersionRow>> {
    shell.ask(move |engine| Ok(engine.plans().history(&id)?))
}

pub fn plan_comments(shell: Here<'_>, id: PlanId) -> Aside<Vec<Comment>> {
    shell.ask(move |engine| Ok(engine.plans().comments(&id)?))
}

pub async fn plan_comment(
    shell: Here<'_>,
    id: PlanId,
    version: u32,
    text: String,
    step: Option<StepId>,
) -> Answered<()> {
    let plan = version_of(&shell, id, version).await?;
    Ok(shell.opened()?.engine.plans().comment(&plan, step, &text).await?)
}

pub fn plan_diff(shell: Here<'_>, before: Plan, after: Plan) -> Aside<PlanDiff> {
    shell.ask(move |engine| {
        let plans = engine.plans();
        Ok(plans.diff(&exact_plan(&plans, before)?, &exact_plan(&plans, after)?))
    })
}

/// Changes a document and writes nothing. All that is to be known of it comes in one answer: documents are large, and each
/// way through the bridge copies them.
pub fn plan_apply(shell: Here<'_>, document: Plan, edits: Vec<PlanEdit>, against: u32) -> Aside<PlanEdited> {
    shell.ask(move |engine| {
        let plans = engine.plans();
        Ok(plans.edited(exact_plan(&plans, document)?, edits, against)?.into())
    })
}

pub async fn plan_edit(shell: Here<'_>, id: PlanId, version: u32, edits: Vec<PlanEdit>) -> Answered<PlanRef> {
    let plan = version_of(&shell, id, version).await?;
    Ok(shell.opened()?.engine.plans().edit(&plan, &edits).await?)
}

pub async fn plan_save(shell: Here<'_>, document: Plan) -> Answered<PlanRef> {
    let document = shell.ask(move |engine| Ok(exact_plan(&engine.plans(), document)?)).await?;
    Ok(shell.opened()?.engine.plans().save(document).await?)
}

pub fn plan_draft(shell: Here<'_>, id: PlanId) -> Aside<Option<PlanDraft>> {
    shell.ask(move |engine| Ok(engine.plans().draft(&id)?))
}

pub fn plan_keep_draft(shell: Here<'_>, id: PlanId, document: Option<Plan>) -> Aside<()> {
    shell.ask(move |engine| {
        let plans = engine.plans();
        let document = document.map(|document| exact_plan(&plans, document)).transpose()?;
        Ok(plans.keep_draft(&id, document)?)
    })
}

/// Whether a text is a plan that could be taken into a folder; writes nothing.
pub fn plan_look(shell: Here<'_>, workspace: String, text: String) -> Aside<()> {
    shell.ask(move |engine| {
        let document = read(&text)?;
        let looked = engine.plans().look(document, &folder(&workspace)?);
        Ok(looked.map_err(|error| error.placed_in(&text))?)
    })
}

fn read(text: &str) -> Answered<Plan> {
    import(text).map_err(|faults| {
        Failure::with_faults(ErrorCode::PlanFaults, "this is no usable plan; nothing was saved", faults)
    })
}

pub async fn plan_import(shell: Here<'_>, workspace: String, text: String) -> Answered<SessionRow> {
    let opened = shell.opened()?;
    let (workspace, document, text) = aside(move || Ok((folder(&workspace)?, read(&text)?, text))).await?;
    let imported = opened.engine.plans().import_into_new(document, &workspace).await;
    let (session, _) = imported.map_err(|error| error.placed_in(&text))?;
    shell.ask(move |engine| Ok(engine.sessions().get(session.as_str())?)).await
}

pub fn plan_export(shell: Here<'_>, id: PlanId, version: u32, format: ExportFormat) -> Aside<String> {
    shell.ask(move |engine| {
        let plans = engine.plans();
        exported(&plans, &plans.get(id.as_str(), Some(version))?, format)
    })
}

/// A document as it is written to a file.
pub(super) fn exported(plans: &PlanHandle<'_>, plan: &Plan, format: ExportFormat) -> Answered<String> {
    Ok(match format {
        ExportFormat::Json => {
            serde_json::to_string_pretty(plan).map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?
        }
        ExportFormat::Markdown => to_markdown(plan, Some(&plans.effects(plan))),
        ExportFormat::Mermaid => to_mermaid(plan),
    })
}

pub async fn plan_approve(shell: Here<'_>, plan: PlanRef, note: Option<String>) -> Answered<()> {
    let session = version_of(&shell, plan.id.clone(), plan.version).await?.session_id;
    let opened = shell.opened()?;
    let events = opened.engine.changes();
    let outcome = shell.work().begin_watched(session.clone(), move |cancel| async move {
        opened.engine.turns().approve(&plan, Decider::User, note, &cancel).await.map(|end| vec![end])
    });
    begun(&session, queued, events, outcome).await
}

pub async fn plan_approve_for_later(shell: Here<'_>, plan: PlanRef, note: Option<String>) -> Answered<()> {
    Ok(shell.opened()?.engine.turns().approve_for_later(&plan, Decider::User, note).await?)
}

pub async fn plan_run(shell: Here<'_>, plan: PlanRef, from: Option<StepId>) -> Answered<()> {
    carry_out(&shell, plan, from).await
}

pub async fn plan_reject(shell: Here<'_>, plan: PlanRef, reason: Option<String>) -> Answered<()> {
    shell.opened()?.engine.turns().reject(&plan, reason).await?;
    Ok(())
}

pub async fn plan_again(shell: Here<'_>, plan: PlanRef, note: Option<String>) -> Answered<()> {
    let session = version_of(&shell, plan.id.clone(), plan.version).await?.session_id;
    let opened = shell.opened()?;
    let events = opened.engine.changes();
    let outcome = shell.work().begin_watched(session.clone(), move |cancel| async move {
        opened.engine.turns().again(&plan, note, &cancel).await.map(|end| vec![end])
    });
    begun(&session, said, events, outcome).await
}

/// Has one step of a version planned once more with what the person says of it, which makes the next version.
pub async fn plan_rework(shell: Here<'_>, plan: PlanRef, step: StepId, comment: String) -> Answered<()> {
    let session = version_of(&shell, plan.id.clone(), plan.version).await?.session_id;
    let opened = shell.opened()?;
    let events = opened.engine.changes();
    let of = session.clone();
    let outcome = shell.work().begin_watched(session.clone(), move |cancel| async move {
        let plan = opened.engine.turns().rework(&plan, &step, &comment, &cancel).await?;
        Ok(vec![TurnEnd::AwaitingApproval { session: of, plan }])
    });
    begun(&session, said, events, outcome).await
}

async fn version_of(shell: &Shell, id: PlanId, version: u32) -> Answered<Plan> {
    shell.ask(move |engine| Ok(engine.plans().get(id.as_str(), Some(version))?)).await
}

/// All of it, or a step and what builds on it. What may not be carried out is refused by the engine, which looks when it begins.
async fn carry_out(shell: &Shell, plan: PlanRef, from: Option<StepId>) -> Answered<()> {
    let opened = shell.opened()?;
    let session = version_of(shell, plan.id.clone(), plan.version).await?.session_id;
    let events = opened.engine.changes();
    let outcome = shell.work().begin_watched(session.clone(), move |cancel| async move {
        let turns = opened.engine.turns();
        let end = match &from {
            Some(step) => turns.run_from(&plan, step, &cancel).await,
            None => turns.run(&plan, &cancel).await,
        };
        end.map(|end| vec![end])
    });
    begun(&session, queued, events, outcome).await
}

/// Whether an event is that a plan is being carried out from here on.
fn queued(kind: &EventKind) -> bool {
    matches!(kind, EventKind::RunQueued { .. })
}

fn status(plans: &PlanHandle<'_>, plan: &Plan) -> Answered<PlanStatus> {
    let history = plans.history(&plan.id)?;
    let row = history.into_iter().find(|row| row.plan.version == plan.version);
    Ok(row.map_or(PlanStatus::Proposed, |row| row.status))
}
