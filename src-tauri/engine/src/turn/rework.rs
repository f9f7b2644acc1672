//! One step of a plan, planned anew on a person's comment: a version in which everything else is as it was.

use assent_core::ids::StepId;
use assent_core::plan::{CheckedPlan, Known, Plan, PlanRef, Step, check, put_in_place, save};
use assent_core::run::{Batch, Durability, EventKind, Place, Purpose};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::history::remarks_of;
use super::jobs::workspace_of;
use super::{TurnError, Turns};
use crate::planner::{After, FullTemplate, PlanningRequest, Reworked};

impl Turns {
    /// Writes a comment beside a step and has the step planned anew with it, as the next version of the plan, which
    /// waits for approval. Where the planner gives nothing that can take the step's place, the plan stays as it is; what
    /// it was asked and answered is in the history.
    ///
    /// # Errors
    /// There is no such step, no model can be asked, the planner gave no step, or it cannot be written down.
    pub async fn rework(
        &self,
        plan: &PlanRef,
        step: &StepId,
        comment: &str,
        cancel: &CancellationToken,
    ) -> Result<PlanRef, TurnError> {
        let document = self.parts.plans.plan(plan.id.as_str(), Some(plan.version))?;
        if document.step(step).is_none() {
            return Err(TurnError::PlanState(format!("there is no step {step} in the plan")));
        }
        if comment.trim().is_empty() {
            return Err(TurnError::EmptyMessage);
        }
        let session = self.parts.sessions.session(document.session_id.as_str())?;
        let workspace = workspace_of(&session)?;
        let turn = self.parts.plans.turn_of(plan)?;
        let place = Place { session: session.id.clone(), turn, run: None, step: None };
        // What is said now stands with what is asked.
        let remarks = remarks_of(self.parts.plans.said_of(plan)?);
        let commented = EventKind::Commented { plan: plan.clone(), on: Some(step.clone()), text: comment.to_owned() };
        self.write(&place, vec![commented], Vec::new(), Durability::Committed).await?;
        let unplanned = |error: String| TurnError::PlanState(format!("the step was not planned anew: {error}"));
        let model = self.parts.models.model(Purpose::Plan).await.map_err(|error| unplanned(error.to_string()))?;
        let known = self.parts.knowledge.known(&workspace, session.kind);
        let files = self.overview(workspace, model.profile()).await;
        let specialists = self.parts.knowledge.heap().now();
        let there = specialists.packed();
        let request = PlanningRequest {
            header: self.header(&session.id, comment),
            conversation: &[],
            files: &files,
            specialists: &specialists.lines,
            registry: Some(&specialists.registry),
            there: &there,
            core: self.parts.knowledge.shown(),
            known: &known,
            tools: self.parts.knowledge.tools(),
            library: self.parts.knowledge.library(),
            vault: Some(&self.parts.vault),
            after: After::Nothing,
            template: FullTemplate::chosen(self.parts.settings.as_ref())?,
            limits: document.limits.clone(),
        };
        let asked =
            self.parts.planner.rework(model.as_ref(), &request, (&document, step), (comment, &remarks), cancel).await;
        let Reworked { steps, values, notes, trace } = asked.unwrap_or_else(|failed| {
            let steps = Err(failed.error.to_string());
            Reworked { steps, values: Map::new(), notes: Vec::new(), trace: failed.trace }
        });
        let put = steps.map_err(&unplanned).and_then(|steps| self.put(&document, step, (steps, values), &known));
        let checked = match put {
            Ok(checked) => checked,
            Err(error) => {
                self.write(&place, trace.events, trace.blobs, Durability::Committed).await?;
                return Err(error);
            }
        };
        let reference = checked.plan_ref();
        let mut events = trace.events;
        events.extend(notes.into_iter().map(|note| EventKind::Warned { message: note.to_string() }));
        events.push(EventKind::PlanProposed { plan: reference.clone(), faults: Vec::new() });
        let plans: Vec<Plan> = vec![checked.plan().clone()];
        let batch = Batch { events: self.drafts(&place, events), blobs: trace.blobs, plans, ..Batch::default() };
        self.parts.journal.append(batch, Durability::Committed).await?;
        Ok(reference)
    }

    /// The next version, with these steps in the place of one, and these values beside those that it has.
    fn put(
        &self,
        plan: &Plan,
        step: &StepId,
        (with, values): (Vec<Step>, Map<String, Value>),
        known: &Known,
    ) -> Result<CheckedPlan, TurnError> {
        let mut draft = plan.clone();
        draft.extracted_context.extend(values);
        put_in_place(&mut draft, step, with)?;
        let latest = self.parts.plans.plan(plan.id.as_str(), None)?.version;
        check(save(draft, latest + 1, self.parts.clock.now()), known).map_err(TurnError::PlanFaults)
    }
}
