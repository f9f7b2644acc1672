import type { NewStep, Plan, PlanDiff, PlanEdit, Step } from '../bindings';
import { BackendError } from '../errors';

/** The edits of a draft with the refusals of the engine, in its words. */

function refuse(reason: string): never {
  throw new BackendError({ code: 'edit_refused', message: reason });
}

function place(plan: Plan, id: string): number {
  const at = plan.steps.findIndex((step) => step.id === id);
  return at < 0 ? refuse(`there is no step ${id}`) : at;
}

/** A document after one change; the one given stays as it is. */
export function applyEdit(plan: Plan, edit: PlanEdit, earlier: readonly string[] = []): Plan {
  switch (edit.op) {
    case 'set_title':
      return { ...plan, title: edit.title };
    case 'set_task':
      return { ...plan, refinedTask: edit.refinedTask };
    case 'set_context': {
      const { key, value } = edit;
      const { [key]: _, ...rest } = plan.extractedContext;
      // One that was there keeps its place.
      return {
        ...plan,
        extractedContext: value === null ? rest : { ...plan.extractedContext, [key]: value },
      };
    }
    case 'set_read_only':
      return { ...plan, readOnly: edit.readOnly };
    case 'add_step':
      edit.step.dependencies.forEach((id) => place(plan, id));
      return { ...plan, steps: [...plan.steps, made(plan, edit.step, earlier)] };
    case 'insert_after':
      return insert(plan, edit.after, edit.step, earlier);
    case 'remove_step':
      return remove(plan, edit.step);
    case 'move_step':
      return move(plan, edit.step, edit.to);
    default:
      return set(plan, edit);
  }
}

/** A step that is added has an id that no other of the plan has, or had in an earlier version. */
function made(plan: Plan, words: NewStep, earlier: readonly string[]): Step {
  if (words.description.trim() === '') refuse('a step has to say what to do');
  const ids = [...plan.steps.map((step) => step.id), ...earlier];
  const numbers = ids.map((id) => Number(/^s(\d+)$/.exec(id)?.[1] ?? 0));
  return {
    ...words,
    stepType: words.requiredTools.length > 0 ? 'tool' : (words.stepType ?? 'reasoning'),
    id: `s${Math.max(0, ...numbers) + 1}`,
    parentId: null,
    origin: 'user',
    input: { context: {} },
    grants: { tools: [], paths: [], hosts: [] },
    contracts: { input: null, output: null },
  };
}

function insert(plan: Plan, after: string, words: NewStep, earlier: readonly string[]): Plan {
  const at = place(plan, after);
  const step = { ...made(plan, words, earlier), dependencies: [after] };
  const later = plan.steps.map((one) => ({
    ...one,
    dependencies: one.dependencies.map((need) => (need === after ? step.id : need)),
  }));
  return { ...plan, steps: later.toSpliced(at + 1, 0, step) };
}

function remove(plan: Plan, id: string): Plan {
  const at = place(plan, id);
  if (plan.steps.length === 1) refuse('this is the only step; reject the plan instead');
  const gone = plan.steps[at] as Step;
  const steps = plan.steps.toSpliced(at, 1).map((step) =>
    step.dependencies.includes(id)
      ? {
          ...step,
          dependencies: [
            ...new Set(step.dependencies.flatMap((need) => (need === id ? gone.dependencies : [need]))),
          ].filter((need) => need !== step.id),
        }
      : step,
  );
  return { ...plan, steps };
}

function move(plan: Plan, id: string, to: number): Plan {
  const from = place(plan, id);
  const last = plan.steps.length - 1;
  if (to < 0 || to > last) refuse(`the list has places 1 to ${last + 1}, not ${to + 1}`);
  const moving = plan.steps[from] as Step;
  const breaks = (step: Step, needed: Step) =>
    step.dependencies.includes(needed.id) &&
    refuse(`${step.id} needs ${needed.id}, which would come after it; remove that dependency first`);
  if (to < from) plan.steps.slice(to, from).forEach((passed) => breaks(moving, passed));
  else plan.steps.slice(from + 1, to + 1).forEach((passed) => breaks(passed, moving));
  return { ...plan, steps: plan.steps.toSpliced(from, 1).toSpliced(to, 0, moving) };
}

type FieldEdit = Exclude<
  PlanEdit,
  {
    op:
      | 'set_title'
      | 'set_task'
      | 'set_context'
      | 'set_read_only'
      | 'add_step'
      | 'insert_after'
      | 'remove_step'
      | 'move_step';
  }
>;

function set(plan: Plan, edit: FieldEdit): Plan {
  const at = place(plan, edit.step);
  const change = fields(plan, plan.steps[at] as Step, edit);
  const next = { ...plan, steps: plan.steps.with(at, { ...(plan.steps[at] as Step), ...change }) };
  const circle = edit.op === 'set_dependencies' && circleOf(next, edit.step);
  return circle ? refuse(`these steps would wait for each other: ${circle.join(' → ')}`) : next;
}

function fields(plan: Plan, step: Step, edit: FieldEdit): Partial<Step> {
  switch (edit.op) {
    case 'set_description':
      if (edit.description.trim() === '') refuse('a step has to say what to do');
      return { description: edit.description };
    case 'set_step_type':
      if (edit.stepType === 'reasoning' && step.requiredTools.length > 0) {
        refuse(`${step.id} requires tools; remove them before making it a reasoning step`);
      }
      return { stepType: edit.stepType };
    case 'set_required_tools':
      return {
        requiredTools: edit.requiredTools,
        ...(edit.requiredTools.length > 0 && { stepType: 'tool' }),
      };
    case 'set_dependencies':
      edit.dependencies.forEach((id) => place(plan, id));
      return { dependencies: [...new Set(edit.dependencies)] };
    case 'set_executor':
      return { executor: edit.executor };
    case 'set_expected_outcome':
      return { expectedOutcome: edit.expectedOutcome };
    case 'set_instructions':
      return { instructions: edit.instructions };
    case 'set_validation_mode':
      return { toolValidationMode: edit.toolValidationMode };
  }
}

/** A circle through a step, as ids from it back to itself. */
function circleOf(plan: Plan, start: string): string[] | null {
  const needs = new Map(plan.steps.map((step) => [step.id, step.dependencies]));
  const walk = (id: string, path: string[]): string[] | null => {
    for (const need of needs.get(id) ?? []) {
      if (need === start) return [...path, need];
      if (path.includes(need)) continue;
      const found = walk(need, [...path, need]);
      if (found) return found;
    }
    return null;
  };
  return walk(start, [start]);
}

/** What changed from one version to another. */
export function diffOf(before: Plan, after: Plan): PlanDiff {
  const valueOf = (of: object, field: string) => (of as Record<string, never>)[field] ?? null;
  const fieldsOf = (one: object, other: object, without: string[]) =>
    [...new Set([...Object.keys(other), ...Object.keys(one)])]
      // What is the same value needs no look inside: of hundreds of steps an edit changes one.
      .filter((name) => !without.includes(name) && valueOf(one, name) !== valueOf(other, name))
      .map((field) => ({ field, before: valueOf(one, field), after: valueOf(other, field) }))
      .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
  const old = new Map(before.steps.map((step, at) => [step.id, { step, at }]));
  const now = new Map(after.steps.map((step) => [step.id, step]));
  const common = after.steps.filter((step) => old.has(step.id));
  const kept = before.steps.filter((step) => now.has(step.id));
  const order = new Map(kept.map((step, at) => [step.id, at]));
  return {
    header: fieldsOf(before, after, ['version', 'supersedes', 'createdAt', 'steps']),
    added: after.steps.filter((step) => !old.has(step.id)),
    removed: before.steps.filter((step) => !now.has(step.id)),
    changed: common
      .map((step) => ({ id: step.id, fields: fieldsOf(old.get(step.id)?.step ?? {}, step, ['grants']) }))
      .filter((change) => change.fields.length > 0),
    moved: common
      .map((step, at) => ({ id: step.id, from: order.get(step.id) ?? at, to: at }))
      .filter((one) => one.from > one.to),
    grantsAdded: after.steps.flatMap((step) => beyond(step, old.get(step.id)?.step)),
    grantsRemoved: before.steps.flatMap((step) => beyond(step, now.get(step.id))),
  };
}

function beyond(step: Step, other: Step | undefined) {
  const without = (own: string[], others: string[] = []) => own.filter((one) => !others.includes(one));
  const grants = {
    tools: without(step.grants.tools, other?.grants.tools),
    paths: other?.grants.paths.includes('.') ? [] : without(step.grants.paths, other?.grants.paths),
    hosts: without(step.grants.hosts, other?.grants.hosts),
  };
  return Object.values(grants).some((list) => list.length > 0) ? [{ id: step.id, grants }] : [];
}
