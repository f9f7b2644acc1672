import type { Answer, Content, EventKind, JsonValue, Place, Plan, PlanRef, Step } from '../bindings';
import { granted, planOf, referenceOf } from './plans';
import { argumentsOf, asked, outputOf } from './results';
import { think } from './think';
import type { TakenStep } from './taken';
import type { Script, World } from './world';

export const inline = (value: JsonValue): Content => ({ inline: value });

/** A message and what follows from it, up to the plan or the answer. */
export function* turnStory(world: World, place: TurnPlace, text: string, context = ''): Script {
  if (world.offline) {
    const error =
      'No model can be reached: the embedded one is not there, and the network is off. Fetch a model in the settings; plans can be read and edited without one.';
    world.commit(place, {
      kind: 'model_failed',
      purpose: 'plan',
      model: 'local/starter',
      error,
      retrying: false,
    });
    world.commit(place, { kind: 'turn_ended', status: 'failed', error });
    return;
  }
  const thought = think(`${text} ${context}`);
  if ('answer' in thought) {
    for (const piece of thought.answer.match(/[\s\S]{1,18}/g) ?? []) {
      world.tell({ type: 'planning', ...place, progress: { type: 'answer', text: piece } });
      yield;
    }
    world.commit(
      place,
      reply('plan', { text: inline(thought.answer) }),
      { kind: 'answered', text: inline(thought.answer) },
      { kind: 'turn_ended', status: 'answered' },
    );
    return;
  }
  world.tell({
    type: 'planning',
    ...place,
    progress: {
      type: 'thought',
      text: 'The folder holds licence texts; counting needs a search, and the table a file.',
    },
  });
  yield;
  world.tell({ type: 'planning', ...place, progress: { type: 'title', text: thought.plan.title } });
  yield;
  for (const [index, step] of thought.plan.steps.entries()) {
    world.tell({
      type: 'planning',
      ...place,
      progress: { type: 'step', index, description: step.do, tool: step.requiredTools?.[0] ?? null },
    });
    yield;
  }
  world.commit(place, reply('plan', { text: inline('(plan)') }));
  propose(
    world,
    place,
    planOf({
      id: world.id('plan'),
      sessionId: place.session,
      userMessage: text,
      title: thought.plan.title,
      refinedTask: thought.plan.task,
      extractedContext: thought.plan.context,
      steps: thought.plan.steps,
    }),
  );
}

/** Proposes a document as a plan of its own in a session, in a turn of its own as the engine does. */
export function proposeAnew(world: World, session: string, plan: Plan): PlanRef {
  const fresh = { ...plan, id: world.id('plan'), version: 1, supersedes: null, sessionId: session };
  return propose(world, { session, turn: world.id('turn') }, fresh);
}

/** Makes a document a proposed version and tells of it. */
export function propose(world: World, place: Place, plan: Plan) {
  const stored = granted({ ...plan, createdAt: world.now });
  const reference = referenceOf(stored);
  const versions = world.plans.get(plan.id) ?? [];
  world.plans.set(plan.id, [...versions, { plan: stored, reference, status: 'proposed' }]);
  world.commit(place, { kind: 'plan_proposed', plan: reference });
  return reference;
}

export function reply(purpose: 'plan' | 'choose' | 'step' | 'synthesis', more: object = {}): EventKind {
  return {
    kind: 'model_replied',
    purpose,
    model: 'Qwen2.5-Coder-1.5B',
    recipe: inline('(recipe)'),
    usage: { input: 940, cached: 812, output: purpose === 'plan' ? 148 : 61 },
    durationMs: purpose === 'plan' ? 9400 : 3200,
    ...more,
  };
}

export type TurnPlace = Required<Pick<Place, 'session' | 'turn'>>;
export type RunPlace = TurnPlace & { run: string };
export type StepPlace = RunPlace & { step: string };

/** Begins a run of a plan. */
export function beginRun(world: World, place: TurnPlace, plan: Plan): RunPlace {
  const run = world.id('run');
  const at = { ...place, run };
  world.runs.set(run, {
    id: run,
    session: place.session,
    turn: place.turn,
    plan: referenceOf(plan),
    status: 'running',
    steps: plan.steps.length,
    completed: 0,
    createdAt: world.now,
    updatedAt: world.now,
  });
  world.commit(at, { kind: 'run_queued', plan: referenceOf(plan) });
  world.commit(at, { kind: 'run_started' });
  return at;
}

/** An approved plan carried out, without the steps that are taken over: each step asks what its tools ask. */
export function* runStory(
  world: World,
  place: TurnPlace,
  plan: Plan,
  taken: ReadonlyMap<string, TakenStep> = new Map(),
): Script {
  const at = beginRun(world, place, plan);
  yield;
  const done: string[] = [];
  let refused = false;
  for (const step of plan.steps) {
    const here = { ...goingOn(world, at), step: step.id };
    const before = taken.get(step.id);
    if (before) {
      world.commit(here, { kind: 'step_ended', status: 'completed', ...before });
      done.push(step.id);
      continue;
    }
    if (
      refused ||
      step.dependencies.some((need) => !done.includes(need) && plan.steps.some((one) => one.id === need))
    ) {
      const because = step.dependencies.find((need) => !done.includes(need));
      world.commit(here, {
        kind: 'step_ended',
        status: 'skipped',
        validation: 'skipped',
        reason: 'an earlier step was not completed',
        ...(because && { because }),
      });
      refused = refused || Boolean(because);
      continue;
    }
    world.commit(here, { kind: 'step_started', attempt: 1 });
    yield;
    if (yield* stepStory(world, here, plan, step)) done.push(step.id);
    else refused = true;
  }
  yield* endRun(
    world,
    at,
    answerOf(plan, done.length === plan.steps.length),
    done.length === plan.steps.length,
  );
}

/** A place of a run in the turn in which that goes on: another one once a question was answered. */
export function goingOn<P extends RunPlace>(world: World, place: P): P {
  return { ...place, turn: world.runs.get(place.run)?.turn ?? place.turn };
}

/** Ends a run with an answer. */
export function* endRun(world: World, begun: RunPlace, text: string, complete: boolean): Script {
  const at = goingOn(world, begun);
  for (const piece of text.match(/[\s\S]{1,24}/g) ?? []) {
    world.tell({ type: 'text', ...at, kind: 'text', text: piece });
    yield;
  }
  world.commit(at, reply('synthesis', { text: inline(text) }), {
    kind: 'run_ended',
    status: complete ? 'completed' : 'completed_with_warnings',
  });
  const { run: _, ...place } = at;
  world.commit(place, { kind: 'answered', text: inline(text) }, { kind: 'turn_ended', status: 'answered' });
}

/** One step planned once more: the next version of the plan. */
export function* reworkStory(world: World, place: TurnPlace, next: Plan): Script {
  yield;
  if (world.offline) world.fail('plan_state', 'the step was not planned anew: no model can be reached');
  world.commit(place, reply('plan', { text: inline('(step)') }));
  const [before] = world.versions(next.id).slice(-1);
  if (before?.status === 'proposed')
    world.commit(place, { kind: 'plan_superseded', plan: before.reference, byVersion: next.version });
  propose(world, place, next);
}

/** A settled step done once more in its run; what was completed on top of it is out of date. */
export function* retryStory(world: World, here: StepPlace, plan: Plan, step: Step, attempt: number): Script {
  world.commit(here, { kind: 'step_started', attempt });
  yield;
  const complete = yield* stepStory(world, here, plan, step);
  const { step: _, ...at } = goingOn(world, here);
  world.commit(at, { kind: 'run_ended', status: complete ? 'completed' : 'completed_with_warnings' });
}

/** A step and what builds on it. */
export function downstream(plan: Plan, from: string): string[] {
  const found = [from];
  for (const step of plan.steps)
    if (step.dependencies.some((need) => found.includes(need))) found.push(step.id);
  return found;
}

function answerOf(plan: Plan, complete: boolean): string {
  if (!complete) return 'I stopped where you said no. Nothing was written.';
  if (!/patent/i.test(plan.title)) return `Done: ${plan.refinedTask}`;
  return '`patents.md` is written: 5 of 17 licences mention patents.\n\n| licence | lines |\n| --- | ---: |\n| GPL-3 | 57 |\n| MPL-2.0 | 21 |\n| Apache-2.0 | 8 |\n| LGPL-2.1 | 7 |\n| GPL-2 | 6 |\n\nThe other twelve have no mention and are left out, as you asked.';
}

/** The steps from the root down to one. */
function pathTo(plan: Plan, step: Step): string[] {
  const parent = plan.steps.find((one) => one.id === step.parentId);
  return [...(parent ? pathTo(plan, parent) : []), step.id];
}

/** Whether a permission that was given before reaches to a call. */
function isAllowed(world: World, here: StepPlace, tool: string): boolean {
  const { workspace } = world.session(here.session);
  return world.allowances.some(
    (one) =>
      one.tool === tool &&
      one.workspace === workspace &&
      (one.run ?? here.run) === here.run &&
      (one.step ?? here.step) === here.step,
  );
}

/** A step with its calls; whether it completed. */
export function* stepStory(
  world: World,
  begun: StepPlace,
  plan: Plan,
  step: Step,
): Generator<{ waitFor: string } | undefined, boolean, undefined> {
  let here = begun;
  // Where no tool is named, one is looked for.
  const looks = step.requiredTools.length === 0 && step.stepType === 'tool';
  const wanted = looks ? ['tool_search', 'tool_explain', 'fetch_page'] : step.requiredTools;
  const says =
    wanted.length === 0
      ? 'GPL-3 leads with 57 lines, then MPL-2.0 with 21. The table is sorted, highest first.'
      : `I will use ${wanted.join(', ')}.`;
  for (const piece of says.match(/[\s\S]{1,20}/g) ?? []) {
    world.tell({ type: 'text', ...here, kind: 'text', text: piece });
    yield;
  }
  const calls = wanted.map((tool) => ({
    id: world.id('call'),
    tool,
    arguments: inline(argumentsOf(tool, plan)),
  }));
  const thinks =
    wanted.length === 0
      ? { thoughts: inline('Sort by the number of lines; leave out what has none.') }
      : { calls };
  world.commit(here, reply('step', { text: inline(says), ...thinks }));
  for (const { id: call, tool, arguments: args } of calls) {
    const asks = asked(tool, {
      id: world.id('request'),
      path: pathTo(plan, step),
      call,
      askedBy: step.executor.id || 'single agent',
      arguments: (args as { inline: JsonValue }).inline,
    });
    if (!asks || (asks.kind === 'permit' && isAllowed(world, here, tool))) {
      world.commit(here, {
        kind: 'call_started',
        call,
        tool,
        risk: tool === 'create_file' || tool === 'edit_file' ? 'write' : 'read',
      });
      yield;
      world.commit(here, {
        kind: 'call_ended',
        call,
        status: 'success',
        output: inline(outputOf(tool)),
        satisfied: true,
        durationMs: tool === 'grep' ? 184 : 12,
      });
      continue;
    }
    world.commit(
      here,
      { kind: 'call_started', call, tool, ...(asks.risk && { risk: asks.risk }) },
      { kind: 'call_suspended', call, request: asks.id },
      { kind: 'request_opened', request: asks },
    );
    if (asks.kind === 'question')
      world.commit({ session: here.session, turn: here.turn }, { kind: 'turn_ended', status: 'asked' });
    yield { waitFor: asks.id };
    here = goingOn(world, begun);
    const answer = world.requests.get(asks.id)?.answer as Answer;
    if (answer.type === 'reject') {
      world.commit(here, {
        kind: 'call_ended',
        call,
        status: 'error',
        output: inline({ approved: false }),
        error: answer.reason ?? 'refused',
        satisfied: false,
        by: 'user',
        durationMs: 0,
      });
      world.commit(here, {
        kind: 'step_ended',
        status: 'cancelled',
        validation: 'failed',
        reason: answer.reason ?? 'you said no',
      });
      return false;
    }
    world.commit(here, {
      kind: 'call_ended',
      call,
      status: 'success',
      output: inline(answer.type === 'value' ? answer.value : { approved: true }),
      satisfied: true,
      by: 'user',
      durationMs: 0,
    });
    yield;
  }
  world.commit(here, {
    kind: 'step_ended',
    status: 'completed',
    validation: step.requiredTools.length > 0 ? 'passed' : 'skipped',
    result: inline(calls.length > 0 ? outputOf(wanted.at(-1) ?? '') : says),
  });
  return true;
}
