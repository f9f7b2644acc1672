//! Plans and their versions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assent_core::contract::Fault;
use assent_core::ids::{PlanId, SessionId, StepId, TurnId};
use assent_core::plan::{
    CheckedPlan, Effects, Known, Plan, PlanDiff, PlanEdit, PlanRef, StepType, apply, check, diff, effects, grant, save,
    step_effects,
};
use assent_core::run::{Batch, Draft, Durability, EventKind, Place, SessionKind};

use super::Engine;
use crate::store::{Comment, PlanDraft, PlanStanding, Plans, Sessions, StoreError, VersionRow};
use crate::turn::{TurnError, named_after, title_after};

/// What a document would be as a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// With its grants, where it holds.
    pub plan: Plan,
    /// What decisions about exactly this content name.
    pub reference: PlanRef,
    /// What was found of it.
    pub found: Found,
}

/// What a document that was changed would be.
#[derive(Debug, Clone, PartialEq)]
pub struct Edited {
    /// As it was changed.
    pub plan: Plan,
    /// What was found of it.
    pub found: Found,
    /// From the version that it was compared with, both with the grants that they have where they hold: what a change allows
    /// is known of those only.
    pub diff: PlanDiff,
}

/// What is found of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What does not hold, each at its place.
    pub faults: Vec<Fault>,
    /// What approving it would allow.
    pub effects: Effects,
    /// What it would allow each step, in the plan's order.
    pub step_effects: Vec<Effects>,
    /// How often a model is asked at least when it runs.
    pub model_calls: u32,
}

/// Plans and their versions.
pub struct PlanHandle<'e>(pub(super) &'e Engine);

impl PlanHandle<'_> {
    /// A version; the latest when none is named. An unambiguous beginning of the id is enough.
    ///
    /// # Errors
    /// There is none, or the database cannot be read.
    pub fn get(&self, id: &str, version: Option<u32>) -> Result<Plan, StoreError> {
        self.0.store.plan(id, version)
    }

    /// The latest version of each plan, newest first, of a session or of all.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn list(&self, session: Option<&SessionId>) -> Result<Vec<Plan>, StoreError> {
        self.0.store.plans(session)
    }

    /// How the latest version of each plan stands, newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn standings(&self) -> Result<Vec<PlanStanding>, StoreError> {
        self.0.store.standings()
    }

    /// How each version of a plan stands, oldest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn history(&self, id: &PlanId) -> Result<Vec<VersionRow>, StoreError> {
        self.0.store.history(id)
    }

    /// The comments on a plan, oldest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn comments(&self, id: &PlanId) -> Result<Vec<Comment>, StoreError> {
        self.0.store.comments(id)
    }

    /// What changed from one version to another.
    pub fn diff(&self, old: &Plan, new: &Plan) -> PlanDiff {
        diff(old, new)
    }

    /// What approving a plan allows it to do.
    pub fn effects(&self, plan: &Plan) -> Effects {
        effects(plan, &self.known(plan))
    }

    /// The plan as it can be approved.
    ///
    /// # Errors
    /// [`TurnError::PlanFaults`] with everything that does not hold.
    pub fn checked(&self, plan: Plan) -> Result<CheckedPlan, TurnError> {
        let known = self.known(&plan);
        check(plan, &known).map_err(TurnError::PlanFaults)
    }

    /// What does not hold of a document, and what approving it would allow.
    pub fn check(&self, document: Plan) -> Check {
        let known = self.known(&document);
        let (plan, reference, faults) = match check(document.clone(), &known) {
            Ok(checked) => (checked.plan().clone(), checked.plan_ref(), Vec::new()),
            Err(faults) => {
                let reference = PlanRef::unchecked(&document);
                (document, reference, faults)
            }
        };
        Check { found: Found::of(&plan, faults, &known), plan, reference }
    }

    /// What a document would be with changes, against a version of its plan; nothing is saved.
    ///
    /// # Errors
    /// One of the changes is not possible, or a version cannot be read.
    pub fn edited(&self, document: Plan, edits: Vec<PlanEdit>, against: u32) -> Result<Edited, TurnError> {
        let known = self.known(&document);
        let mut before = self.get(document.id.as_str(), Some(against))?;
        // Where it does not hold any more it is compared as it stands.
        grant(&mut before, &known);
        let plan = self.applied(document, edits)?;
        let mut after = plan.clone();
        let faults = grant(&mut after, &known);
        Ok(Edited { diff: diff(&before, &after), found: Found::of(&after, faults, &known), plan })
    }

    /// A document with changes; nothing is saved.
    ///
    /// # Errors
    /// One of the changes is not possible, or the earlier versions cannot be read.
    pub fn applied(&self, document: Plan, edits: Vec<PlanEdit>) -> Result<Plan, TurnError> {
        let adds = edits.iter().any(|edit| matches!(edit, PlanEdit::AddStep { .. } | PlanEdit::InsertAfter { .. }));
        let earlier = if adds { self.ids_of(&document.id)? } else { Vec::new() };
        let mut draft = document;
        edits.into_iter().try_for_each(|edit| apply(&mut draft, edit, &earlier))?;
        Ok(draft)
    }

    /// The ids of all steps that any version of a plan has.
    fn ids_of(&self, plan: &PlanId) -> Result<Vec<StepId>, StoreError> {
        let mut ids = BTreeSet::new();
        for row in self.history(plan)? {
            let version = self.get(plan.as_str(), Some(row.plan.version))?;
            ids.extend(version.steps.into_iter().map(|step| step.id));
        }
        Ok(ids.into_iter().collect())
    }

    /// The unsaved document that was kept for a plan.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn draft(&self, id: &PlanId) -> Result<Option<PlanDraft>, StoreError> {
        self.0.store.draft(id)
    }

    /// Keeps an unsaved document of a plan, or throws it away.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep_draft(&self, id: &PlanId, document: Option<Plan>) -> Result<(), StoreError> {
        let draft = document.map(|plan| PlanDraft { plan, updated_at: self.0.now() });
        self.0.store.keep_draft(id, draft.as_ref())
    }

    /// Saves changes to a version as the next version, which needs its own approval.
    ///
    /// # Errors
    /// One of the changes is not possible, or the result does not hold; nothing is saved.
    pub async fn edit(&self, plan: &Plan, edits: &[PlanEdit]) -> Result<PlanRef, TurnError> {
        let draft = self.applied(plan.clone(), edits.to_vec())?;
        self.save(draft).await
    }

    /// Saves a document as the next version of its plan.
    ///
    /// # Errors
    /// It does not hold, or is no document of a plan that is there; nothing is saved.
    pub async fn save(&self, document: Plan) -> Result<PlanRef, TurnError> {
        let latest = self.get(document.id.as_str(), None)?;
        let based_on = Plan { session_id: latest.session_id, user_message: latest.user_message, ..document };
        let next = self.checked(save(based_on, latest.version + 1, self.0.now()))?;
        self.propose(next, None, None).await
    }

    /// Whether a document from elsewhere could be the proposal of a new session in a folder.
    ///
    /// # Errors
    /// [`TurnError::PlanFaults`] with everything that does not hold.
    pub fn look(&self, document: Plan, workspace: &Path) -> Result<(), TurnError> {
        self.looked_at(document, &SessionId::new(self.0.ids.fresh()), workspace).map(drop)
    }

    fn looked_at(&self, document: Plan, session: &SessionId, workspace: &Path) -> Result<CheckedPlan, TurnError> {
        let known = self.0.knowledge.known(workspace, SessionKind::Chat);
        check(self.brought(document, session), &known).map_err(TurnError::PlanFaults)
    }

    /// Takes a document from elsewhere as the proposal of a new session in a folder.
    ///
    /// # Errors
    /// It does not hold; nothing is saved, and there is no session.
    pub async fn import_into_new(&self, document: Plan, workspace: &Path) -> Result<(SessionId, PlanRef), TurnError> {
        let session = SessionId::new(self.0.ids.fresh());
        let checked = self.looked_at(document, &session, workspace)?;
        let created = EventKind::SessionCreated {
            title: title_after(name_of(checked.plan())),
            session_kind: SessionKind::Chat,
            workspace: Some(workspace.display().to_string()),
        };
        let plan = self.propose(checked, Some(created), Some(self.turn())).await?;
        Ok((session, plan))
    }

    /// Takes a document from elsewhere as a proposal of a session, which is called as the plan is where it has no name.
    ///
    /// # Errors
    /// It does not hold; nothing is saved.
    pub async fn import(&self, document: Plan, session: &SessionId) -> Result<PlanRef, TurnError> {
        let plan = self.brought(document, session);
        let session = self.0.store.session(session.as_str())?;
        let named = named_after(&session, name_of(&plan));
        // The runs of a workflow have turns of their own.
        let turn = (session.kind == SessionKind::Chat).then(|| self.turn());
        self.propose(self.checked(plan)?, named, turn).await
    }

    fn turn(&self) -> TurnId {
        TurnId::new(self.0.ids.fresh())
    }

    /// A document from elsewhere as the first version of a plan of a session.
    fn brought(&self, document: Plan, session: &SessionId) -> Plan {
        Plan {
            id: PlanId::new(self.0.ids.fresh()),
            version: 1,
            supersedes: None,
            session_id: session.clone(),
            created_at: self.0.now(),
            ..document.from_outside()
        }
    }

    /// Writes beside a plan or one of its steps.
    ///
    /// # Errors
    /// There is nothing to write, no such step, or it cannot be written.
    pub async fn comment(&self, plan: &Plan, on: Option<StepId>, text: &str) -> Result<(), TurnError> {
        if text.trim().is_empty() {
            return Err(TurnError::PlanState("the comment is empty: write what you want to say".to_owned()));
        }
        if let Some(step) = &on
            && !plan.steps.iter().any(|one| one.id == *step)
        {
            return Err(TurnError::PlanState(format!("there is no step {step} in the plan")));
        }
        let commented = EventKind::Commented { plan: self.reference(plan), on, text: text.to_owned() };
        self.write(&plan.session_id, [(None, commented)], Vec::new()).await
    }

    /// The version as decisions name it.
    pub fn reference(&self, plan: &Plan) -> PlanRef {
        self.checked(plan.clone()).map_or_else(|_| PlanRef::unchecked(plan), |checked| checked.plan_ref())
    }

    /// Writes a version down as a proposal, after what has to be written before it. One that no message asked for begins
    /// a turn of its own, in which it is carried out and answered.
    async fn propose(
        &self,
        checked: CheckedPlan,
        before: Option<EventKind>,
        turn: Option<TurnId>,
    ) -> Result<PlanRef, TurnError> {
        let reference = checked.plan_ref();
        let proposed = EventKind::PlanProposed { plan: reference.clone(), faults: Vec::<Fault>::new() };
        let plan = checked.plan().clone();
        let session = plan.session_id.clone();
        let events = before.into_iter().map(|kind| (None, kind)).chain([(turn, proposed)]);
        self.write(&session, events, vec![plan]).await?;
        Ok(reference)
    }

    async fn write(
        &self,
        session: &SessionId,
        events: impl IntoIterator<Item = (Option<TurnId>, EventKind)>,
        plans: Vec<Plan>,
    ) -> Result<(), TurnError> {
        let at = self.0.now();
        let place = |turn| Place { session: session.clone(), turn, run: None, step: None };
        let events = events.into_iter().map(|(turn, kind)| Draft { place: place(turn), at, kind }).collect();
        let batch = Batch { events, plans, ..Batch::default() };
        Ok(self.0.journal().append(batch, Durability::Committed).await?)
    }

    /// What the plan may refer to in the folder of its session, as far as that is known.
    fn known(&self, plan: &Plan) -> Known {
        let session = self.0.store.session(plan.session_id.as_str()).ok();
        let kind = session.as_ref().map(|session| session.kind).unwrap_or_default();
        let workspace = session.and_then(|session| session.workspace).map(PathBuf::from);
        self.0.knowledge.known(&workspace.unwrap_or_default(), kind)
    }
}

impl Found {
    fn of(plan: &Plan, faults: Vec<Fault>, known: &Known) -> Self {
        let step_effects = plan.steps.iter().map(|step| step_effects(plan, step, known)).collect();
        Self { faults, effects: effects(plan, known), step_effects, model_calls: model_calls(plan) }
    }
}

/// What a plan is called where it has no name of its own, as its session is.
fn name_of(plan: &Plan) -> &str {
    if plan.title.is_empty() { &plan.refined_task } else { &plan.title }
}

/// A reasoning step asks a model once; a tool step once for the call and once with its result. The answer is written
/// by one more call, unless the last step's text is the answer.
fn model_calls(plan: &Plan) -> u32 {
    let of = |kind: StepType| if kind == StepType::Tool { 2 } else { 1 };
    let steps: u32 = plan.steps.iter().map(|step| of(step.effective_type())).sum();
    let ends_with_text = plan.steps.last().is_some_and(|step| step.effective_type() == StepType::Reasoning);
    if ends_with_text || plan.steps.len() == 1 { steps } else { steps + 1 }
}
