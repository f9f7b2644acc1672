//! Plans: reading, changing, deciding.

use assent_core::ids::{PlanId, SessionId, StepId};
use assent_core::plan::{Effects, Plan, PlanDiff, PlanEdit, PlanRef, import, to_markdown, to_mermaid};
use assent_core::run::Decider;
use assent_engine::engine::PlanHandle;
use assent_engine::store::{Comment, PlanDraft, PlanStatus, VersionRow};

use super::messages::begun;
use super::{Answered, Here};
use crate::shell::Shell;
use crate::wire::{ErrorCode, ExportFormat, Failure, PlanCheck, PlanView};

#[tauri::command]
pub async fn plan_list(shell: Here<'_>, session: Option<SessionId>) -> Answered<Vec<Plan>> {
    Ok(shell.engine()?.plans().list(session.as_ref())?)
}

#[tauri::command]
pub async fn plan_get(shell: Here<'_>, id: PlanId, version: Option<u32>) -> Answered<PlanView> {
    let plans = shell.engine()?.plans();
    let plan = plans.get(id.as_str(), version)?;
    let status = status(&plans, &plan)?;
    Ok(PlanView::new(plans.check(plan), status))
}

#[tauri::command]
pub async fn plan_history(shell: Here<'_>, id: PlanId) -> Answered<Vec<VersionRow>> {
    Ok(shell.engine()?.plans().history(&id)?)
}

#[tauri::command]
pub async fn plan_comments(shell: Here<'_>, id: PlanId) -> Answered<Vec<Comment>> {
    Ok(shell.engine()?.plans().comments(&id)?)
}

#[tauri::command]
pub async fn plan_comment(
    shell: Here<'_>,
    id: PlanId,
    version: u32,
    text: String,
    step: Option<StepId>,
) -> Answered<()> {
    let plans = shell.engine()?.plans();
    let plan = plans.get(id.as_str(), Some(version))?;
    Ok(plans.comment(&plan, step, &text).await?)
}

#[tauri::command]
pub async fn plan_diff(shell: Here<'_>, before: Plan, after: Plan) -> Answered<PlanDiff> {
    Ok(shell.engine()?.plans().diff(&before, &after))
}

#[tauri::command]
pub async fn plan_apply(shell: Here<'_>, document: Plan, edits: Vec<PlanEdit>) -> Answered<Plan> {
    Ok(shell.engine()?.plans().applied(document, edits)?)
}

#[tauri::command]
pub async fn plan_check(shell: Here<'_>, document: Plan) -> Answered<PlanCheck> {
    Ok(shell.engine()?.plans().check(document).into())
}

#[tauri::command]
pub async fn plan_effects(shell: Here<'_>, document: Plan) -> Answered<Effects> {
    Ok(shell.engine()?.plans().check(document).effects)
}

#[tauri::command]
pub async fn plan_edit(shell: Here<'_>, id: PlanId, version: u32, edits: Vec<PlanEdit>) -> Answered<PlanRef> {
    let plans = shell.engine()?.plans();
    let plan = plans.get(id.as_str(), Some(version))?;
    Ok(plans.edit(&plan, &edits).await?)
}

#[tauri::command]
pub async fn plan_save(shell: Here<'_>, document: Plan) -> Answered<PlanRef> {
    Ok(shell.engine()?.plans().save(document).await?)
}

#[tauri::command]
pub async fn plan_draft(shell: Here<'_>, id: PlanId) -> Answered<Option<PlanDraft>> {
    Ok(shell.engine()?.plans().draft(&id)?)
}

#[tauri::command]
pub async fn plan_keep_draft(shell: Here<'_>, id: PlanId, document: Option<Plan>) -> Answered<()> {
    Ok(shell.engine()?.plans().keep_draft(&id, document)?)
}

#[tauri::command]
pub async fn plan_import(shell: Here<'_>, session: SessionId, text: String) -> Answered<PlanRef> {
    let document = import(&text).map_err(|faults| {
        Failure::with_faults(ErrorCode::PlanFaults, "this is no usable plan; nothing was saved", faults)
    })?;
    Ok(shell.engine()?.plans().import(document, &session).await?)
}

#[tauri::command]
pub async fn plan_export(shell: Here<'_>, id: PlanId, version: u32, format: ExportFormat) -> Answered<String> {
    let plans = shell.engine()?.plans();
    let plan = plans.get(id.as_str(), Some(version))?;
    Ok(match format {
        ExportFormat::Json => {
            serde_json::to_string_pretty(&plan).map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?
        }
        ExportFormat::Markdown => to_markdown(&plan, Some(&plans.effects(&plan))),
        ExportFormat::Mermaid => to_mermaid(&plan),
    })
}

#[tauri::command]
pub async fn plan_approve(shell: Here<'_>, plan: PlanRef, note: Option<String>) -> Answered<()> {
    shell.engine()?.turns().approve_for_later(&plan, Decider::User, note).await?;
    carry_out(&shell, plan)
}

#[tauri::command]
pub async fn plan_approve_for_later(shell: Here<'_>, plan: PlanRef, note: Option<String>) -> Answered<()> {
    Ok(shell.engine()?.turns().approve_for_later(&plan, Decider::User, note).await?)
}

#[tauri::command]
pub async fn plan_run(shell: Here<'_>, plan: PlanRef) -> Answered<()> {
    let plans = shell.engine()?.plans();
    let document = plans.get(plan.id.as_str(), Some(plan.version))?;
    if status(&plans, &document)? != PlanStatus::Approved {
        let problem = format!("version {} of the plan is not approved: approve it first", plan.version);
        return Err(Failure::new(ErrorCode::PlanState, problem));
    }
    carry_out(&shell, plan)
}

#[tauri::command]
pub async fn plan_reject(shell: Here<'_>, plan: PlanRef, reason: Option<String>) -> Answered<()> {
    shell.engine()?.turns().reject(&plan, reason).await?;
    Ok(())
}

#[tauri::command]
pub async fn plan_again(shell: Here<'_>, plan: PlanRef, note: Option<String>) -> Answered<()> {
    let opened = shell.opened()?;
    let session = opened.engine.plans().get(plan.id.as_str(), Some(plan.version))?.session_id;
    let events = opened.engine.changes();
    let outcome = shell.work().begin_watched(session.clone(), move |cancel| async move {
        opened.engine.turns().again(&plan, note, &cancel).await.map(|end| vec![end])
    });
    begun(&session, events, outcome).await
}

fn carry_out(shell: &Shell, plan: PlanRef) -> Answered<()> {
    let opened = shell.opened()?;
    let session = opened.engine.plans().get(plan.id.as_str(), Some(plan.version))?.session_id;
    shell.work().begin(session, move |cancel| async move {
        opened.engine.turns().run(&plan, &cancel).await.map(|end| vec![end])
    });
    Ok(())
}

fn status(plans: &PlanHandle<'_>, plan: &Plan) -> Answered<PlanStatus> {
    let history = plans.history(&plan.id)?;
    let row = history.into_iter().find(|row| row.plan.version == plan.version);
    Ok(row.map_or(PlanStatus::Proposed, |row| row.status))
}
