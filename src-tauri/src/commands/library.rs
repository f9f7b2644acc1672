//! Saved plans: keeping, finding, using again.

use assent_core::ids::{PlanId, SavedPlanId, SessionId};
use assent_engine::library::{Proposal, SaveAs, SavedPlan, Suggestion, Wanted};
use assent_engine::store::SavedPlanRow;

use super::messages::{begun, said};
use super::plans::exported;
use super::{Answered, Here};
use crate::aside::Aside;
use crate::wire::ExportFormat;

pub fn library_list(shell: Here<'_>) -> Aside<Vec<SavedPlanRow>> {
    shell.ask(|engine| Ok(engine.library().list(&Wanted::default())?))
}

pub fn library_get(shell: Here<'_>, id: SavedPlanId) -> Aside<SavedPlan> {
    shell.ask(move |engine| Ok(engine.library().get(id.as_str())?))
}

pub fn library_save(shell: Here<'_>, plan: PlanId, version: u32, how: SaveAs) -> Aside<SavedPlanRow> {
    shell.ask(move |engine| {
        let document = engine.plans().get(plan.as_str(), Some(version))?;
        Ok(engine.library().save(document, how)?)
    })
}

pub fn library_rename(shell: Here<'_>, id: SavedPlanId, name: String) -> Aside<SavedPlanRow> {
    shell.ask(move |engine| Ok(engine.library().rename(id.as_str(), &name)?))
}

pub fn library_tag(shell: Here<'_>, id: SavedPlanId, tags: Vec<String>) -> Aside<SavedPlanRow> {
    shell.ask(move |engine| Ok(engine.library().tag(id.as_str(), &tags)?))
}

pub fn library_remove(shell: Here<'_>, id: SavedPlanId) -> Aside<()> {
    shell.ask(move |engine| Ok(engine.library().remove(id.as_str()).map(drop)?))
}

pub fn library_suggest(shell: Here<'_>, message: String) -> Aside<Vec<Suggestion>> {
    shell.ask(move |engine| Ok(engine.library().suggest(&message)?))
}

/// Proposes a saved plan as it is; returns once the message that its turn begins with is written down.
pub async fn library_use(
    shell: Here<'_>,
    session: SessionId,
    id: SavedPlanId,
    message: Option<String>,
) -> Answered<()> {
    let opened = shell.opened()?;
    let events = opened.engine.changes();
    let place = session.clone();
    let outcome = shell.work().begin_watched(session.clone(), move |cancel| async move {
        let proposal = Proposal { session: &place, message: message.as_deref(), policy: None };
        opened.engine.library().reuse(id.as_str(), proposal, &cancel).await.map(|end| vec![end])
    });
    begun(&session, said, events, outcome).await
}

/// The same with the message's values in the place of the plan's own.
pub async fn library_adapt(shell: Here<'_>, session: SessionId, id: SavedPlanId, message: String) -> Answered<()> {
    let opened = shell.opened()?;
    let events = opened.engine.changes();
    let place = session.clone();
    let outcome = shell.work().begin_watched(session.clone(), move |cancel| async move {
        let proposal = Proposal { session: &place, message: Some(&message), policy: None };
        opened.engine.library().adapt(id.as_str(), proposal, &cancel).await.map(|end| vec![end])
    });
    begun(&session, said, events, outcome).await
}

pub fn library_export(shell: Here<'_>, id: SavedPlanId, format: ExportFormat) -> Aside<String> {
    shell.ask(move |engine| {
        let plans = engine.plans();
        // What it would be allowed is known once it is checked.
        let plan = plans.check(engine.library().get(id.as_str())?.plan).plan;
        exported(&plans, &plan, format)
    })
}
