//! The edits of steps.

use std::collections::{HashMap, HashSet};

use super::{EditRefused, NewStep, PlanEdit};
use crate::ids::StepId;
use crate::plan::{Grants, Origin, Plan, Step, StepType, graph};

pub(super) fn add(draft: &mut Plan, new: NewStep, earlier: &[StepId]) -> Result<(), EditRefused> {
    if let Some(unknown) = new.dependencies.iter().find(|id| draft.step(id).is_none()) {
        return Err(EditRefused::NoSuchStep(unknown.clone()));
    }
    let step = to_step(free_id(draft, earlier), new)?;
    draft.steps.push(step);
    Ok(())
}

pub(super) fn insert_after(
    draft: &mut Plan,
    after: &StepId,
    new: NewStep,
    earlier: &[StepId],
) -> Result<(), EditRefused> {
    let at = place(draft, after)?;
    let mut step = to_step(free_id(draft, earlier), new)?;
    for later in &mut draft.steps {
        for needed in later.dependencies.iter_mut().filter(|needed| *needed == after) {
            *needed = step.id.clone();
        }
    }
    step.dependencies = vec![after.clone()];
    draft.steps.insert(at + 1, step);
    Ok(())
}

pub(super) fn remove(draft: &mut Plan, id: &StepId) -> Result<(), EditRefused> {
    let at = place(draft, id)?;
    if draft.steps.len() == 1 {
        return Err(EditRefused::OnlyStep);
    }
    let gone = draft.steps.remove(at);
    for step in &mut draft.steps {
        if let Some(slot) = step.dependencies.iter().position(|needed| *needed == gone.id) {
            step.dependencies.remove(slot);
            let inherited = gone.dependencies.iter().filter(|needed| **needed != step.id);
            let missing: Vec<StepId> =
                inherited.filter(|needed| !step.dependencies.contains(needed)).cloned().collect();
            step.dependencies.splice(slot..slot, missing);
        }
        if step.parent_id.as_ref() == Some(&gone.id) {
            step.parent_id.clone_from(&gone.parent_id);
        }
    }
    Ok(())
}

pub(super) fn put_in_place(draft: &mut Plan, of: &StepId, mut with: Vec<Step>) -> Result<(), EditRefused> {
    let at = place(draft, of)?;
    let Some(last) = with.last() else { return Err(EditRefused::NoDescription) };
    let mut ids = HashMap::from([(last.id.clone(), of.clone())]);
    let mut number = draft.steps.len();
    for step in &with[..with.len() - 1] {
        let free = std::iter::from_fn(|| {
            number += 1;
            Some(StepId::new(format!("s{number}")))
        });
        let free = free.into_iter().find(|id| draft.step(id).is_none());
        ids.insert(step.id.clone(), free.unwrap_or_else(|| step.id.clone()));
    }
    let old = draft.steps.remove(at);
    for step in &mut with {
        let own = step.dependencies.iter().filter_map(|id| ids.get(id).cloned()).collect();
        step.dependencies = if step.dependencies.is_empty() { old.dependencies.clone() } else { own };
        step.id = ids.get(&step.id).unwrap_or(&step.id).clone();
        step.parent_id.clone_from(&old.parent_id);
        step.grants = Grants::default();
    }
    // Whoever is not waited for by another of them is waited for by the last one, which stands for all.
    let waited: HashSet<StepId> = with.iter().flat_map(|step| step.dependencies.clone()).collect();
    let loose: Vec<StepId> =
        with[..with.len() - 1].iter().filter(|step| !waited.contains(&step.id)).map(|step| step.id.clone()).collect();
    if let Some(last) = with.last_mut() {
        if !loose.is_empty() {
            last.dependencies.retain(|id| !old.dependencies.contains(id));
        }
        last.dependencies.extend(loose);
    }
    draft.steps.splice(at..at, with);
    Ok(())
}

/// Moves a step in the list. What a person reads from top to bottom is the order of work: a step may not come to stand
/// before one that it waits for.
pub(super) fn move_to(draft: &mut Plan, id: &StepId, to: usize) -> Result<(), EditRefused> {
    let from = place(draft, id)?;
    let last = draft.steps.len() - 1;
    if to > last {
        return Err(EditRefused::NoSuchPlace { to, last });
    }
    let breaks = |step: &Step, needed: &Step| step.dependencies.contains(&needed.id);
    let moving = &draft.steps[from];
    let broken = if to < from {
        draft.steps[to..from].iter().find(|passed| breaks(moving, passed)).map(|needed| (moving, needed))
    } else {
        draft.steps[from + 1..=to].iter().find(|passed| breaks(passed, moving)).map(|step| (step, moving))
    };
    if let Some((step, needed)) = broken {
        return Err(EditRefused::BreaksDependency { step: step.id.clone(), needed: needed.id.clone() });
    }
    let step = draft.steps.remove(from);
    draft.steps.insert(to, step);
    Ok(())
}

pub(super) fn depend(draft: &mut Plan, id: &StepId, dependencies: Vec<StepId>) -> Result<(), EditRefused> {
    let at = place(draft, id)?;
    if let Some(unknown) = dependencies.iter().find(|needed| draft.step(needed).is_none()) {
        return Err(EditRefused::NoSuchStep(unknown.clone()));
    }
    let before = std::mem::replace(&mut draft.steps[at].dependencies, distinct(dependencies));
    if let Some(cycle) = graph::cycle(&graph::dependencies(&draft.steps)) {
        let mut names: Vec<StepId> = cycle.iter().map(|at| draft.steps[*at].id.clone()).collect();
        names.push(names[0].clone());
        draft.steps[at].dependencies = before;
        return Err(EditRefused::Cycle(names));
    }
    Ok(())
}

/// The edits of one field of one step.
pub(super) fn set(draft: &mut Plan, edit: PlanEdit) -> Result<(), EditRefused> {
    match edit {
        PlanEdit::SetDescription { step, description } => {
            if description.trim().is_empty() {
                return Err(EditRefused::NoDescription);
            }
            step_mut(draft, &step)?.description = description;
        }
        PlanEdit::SetStepType { step: id, step_type } => {
            let step = step_mut(draft, &id)?;
            if step_type == StepType::Reasoning && !step.required_tools.is_empty() {
                return Err(EditRefused::RequiresTools(id));
            }
            step.step_type = Some(step_type);
        }
        PlanEdit::SetRequiredTools { step, required_tools } => {
            let step = step_mut(draft, &step)?;
            if !required_tools.is_empty() {
                step.step_type = Some(StepType::Tool);
            }
            step.required_tools = required_tools;
        }
        PlanEdit::SetExecutor { step, executor } => step_mut(draft, &step)?.executor = executor,
        PlanEdit::SetExpectedOutcome { step, expected_outcome } => {
            step_mut(draft, &step)?.expected_outcome = expected_outcome;
        }
        PlanEdit::SetInstructions { step, instructions } => step_mut(draft, &step)?.instructions = instructions,
        PlanEdit::SetValidationMode { step, tool_validation_mode } => {
            step_mut(draft, &step)?.tool_validation_mode = tool_validation_mode;
        }
        // The others change the list or the header and are applied there.
        PlanEdit::SetTitle { .. }
        | PlanEdit::SetTask { .. }
        | PlanEdit::SetContext { .. }
        | PlanEdit::SetReadOnly { .. }
        | PlanEdit::AddStep { .. }
        | PlanEdit::InsertAfter { .. }
        | PlanEdit::RemoveStep { .. }
        | PlanEdit::MoveStep { .. }
        | PlanEdit::SetDependencies { .. } => {}
    }
    Ok(())
}

fn place(draft: &Plan, id: &StepId) -> Result<usize, EditRefused> {
    draft.steps.iter().position(|step| step.id == *id).ok_or_else(|| EditRefused::NoSuchStep(id.clone()))
}

fn step_mut<'a>(draft: &'a mut Plan, id: &StepId) -> Result<&'a mut Step, EditRefused> {
    let at = place(draft, id)?;
    Ok(&mut draft.steps[at])
}

fn distinct(ids: Vec<StepId>) -> Vec<StepId> {
    let mut seen: Vec<StepId> = Vec::with_capacity(ids.len());
    for id in ids {
        if !seen.contains(&id) {
            seen.push(id);
        }
    }
    seen
}

/// The next `sN` behind all that are there, and were earlier.
fn free_id(draft: &Plan, earlier: &[StepId]) -> StepId {
    let ids = draft.steps.iter().map(|step| &step.id).chain(earlier);
    let numbers = ids.filter_map(|id| id.as_str().strip_prefix('s')?.parse::<u64>().ok());
    let mut next = numbers.max().unwrap_or(0).saturating_add(1);
    loop {
        let id = StepId::new(format!("s{next}"));
        if draft.step(&id).is_none() && !earlier.contains(&id) {
            return id;
        }
        next = next.wrapping_add(1);
    }
}

fn to_step(id: StepId, new: NewStep) -> Result<Step, EditRefused> {
    if new.description.trim().is_empty() {
        return Err(EditRefused::NoDescription);
    }
    if new.step_type == Some(StepType::Reasoning) && !new.required_tools.is_empty() {
        return Err(EditRefused::RequiresTools(id));
    }
    Ok(Step {
        origin: Origin::User,
        step_type: if new.required_tools.is_empty() { new.step_type } else { Some(StepType::Tool) },
        required_tools: new.required_tools,
        expected_outcome: new.expected_outcome,
        executor: new.executor,
        tool_validation_mode: new.tool_validation_mode,
        instructions: new.instructions,
        dependencies: distinct(new.dependencies),
        ..Step::new(id, new.description)
    })
}
