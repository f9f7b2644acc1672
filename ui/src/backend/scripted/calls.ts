import { catalogueOf, shownIn } from './catalogue';
import type { ContentCalls, PlanCalls, RunCalls } from '../backend';
import type { Content, EventKind, Fault, JsonValue, Plan, PlanEdit, PlanRef, RunRow } from '../bindings';
import { applyEdit, diffOf } from './edit';
import { checkOf, granted, planOf } from './plans';
import { downstream, propose, proposeAnew, retryStory, reworkStory, runStory, turnStory } from './stories';
import { takenOver } from './taken';
import type { Script, World } from './world';

export function planCalls(world: World): PlanCalls {
  const check = (plan: Plan) => checkOf(plan, catalogueOf(world).tools);
  const held = (plan: Plan): Plan => {
    const { faults } = check(plan);
    if (faults.length > 0) world.fail('plan_faults', 'the plan cannot run as it is', faults);
    return plan;
  };
  const usable = (text: string) => held(readPlan(world, text));
  const save = async (document: Plan): Promise<PlanRef> => {
    held(document);
    const before = world.version({ id: document.id });
    world.drafts.delete(document.id);
    const next = { ...document, version: before.plan.version + 1, supersedes: document.version };
    return propose(world, { session: before.plan.sessionId }, next);
  };
  const approve = (reference: PlanRef, note: string | undefined) => {
    const stored = world.version(reference);
    if (stored.reference.digest !== reference.digest)
      world.fail('plan_changed', 'the plan has changed since it was shown; look at it again');
    if (stored.status !== 'proposed')
      world.fail('plan_state', `version ${reference.version} is ${stored.status}`);
    for (const run of world.runs.values())
      if (run.plan.id === reference.id && !isFinal(run)) cancelled(world, run);
    const place = { session: stored.plan.sessionId, turn: turnOf(world, stored.plan) };
    const byVersion = reference.version;
    const open = world
      .versions(reference.id)
      .filter(({ plan, status }) => plan.version < byVersion && /^(proposed|approved)$/.test(status));
    world.commit(
      place,
      ...open.map((earlier): EventKind => ({ kind: 'plan_superseded', plan: earlier.reference, byVersion })),
      { kind: 'plan_approved', plan: reference, by: 'user', ...(note && { note }) },
    );
    return { stored, place };
  };
  const edited = (plan: Plan, edits: PlanEdit[]) => {
    const earlier = (world.plans.get(plan.id) ?? []).flatMap((one) => one.plan.steps.map((step) => step.id));
    return edits.reduce((changed, edit) => applyEdit(changed, edit, earlier), plan);
  };
  return {
    list: async (session) =>
      [...world.plans.values()]
        .map((all) => all.at(-1)?.plan as Plan)
        .filter((plan) => !session || plan.sessionId === session)
        .sort((one, other) => other.createdAt - one.createdAt),
    standings: async () =>
      [...world.plans.values()].flatMap((all) => {
        const last = all.at(-1);
        if (!last) return [];
        const { id, version, sessionId } = last.plan;
        const own = [...world.runs.values()].filter(({ plan }) => plan.id === id && plan.version === version);
        return [
          { plan: id, version, session: sessionId, status: last.status, run: own.at(-1)?.status ?? null },
        ];
      }),
    get: async (id, version) => {
      const { plan, reference, status } = world.version({ id, version });
      return { plan, reference, status, check: check(plan) };
    },
    history: async (id) =>
      world
        .versions(id)
        .map(({ plan, reference, status }) => ({ plan: reference, status, proposedAt: plan.createdAt })),
    comments: async (id) =>
      [...(world.events.get(world.version({ id }).plan.sessionId) ?? [])].flatMap((event) =>
        event.kind === 'commented' && event.plan.id === id
          ? [{ plan: event.plan, step: event.on ?? null, text: event.text, at: event.at }]
          : [],
      ),
    comment: async (id, version, text, step) => {
      const { plan, reference } = world.version({ id, version });
      world.commit(
        { session: plan.sessionId },
        { kind: 'commented', plan: reference, text, ...(step && { on: step }) },
      );
    },
    diff: async (before, after) => diffOf(granted(before), granted(after)),
    apply: async (document, edits, against) => {
      const plan = edited(document, edits);
      const before = world.version({ id: plan.id, version: against }).plan;
      return { plan, check: check(plan), diff: diffOf(granted(before), granted(plan)) };
    },
    edit: async (id, version, edits) => save(edited(world.version({ id, version }).plan, edits)),
    save,
    draft: async (id) => world.drafts.get(id) ?? null,
    keepDraft: async (id, document) => {
      if (document) world.drafts.set(id, { plan: document, updatedAt: world.now });
      else world.drafts.delete(id);
    },
    look: async (_, text) => void usable(text),
    import: async (folder, text) => {
      const plan = usable(text);
      const { id } = world.begun(folder, plan.title);
      proposeAnew(world, id, plan);
      return { ...world.session(id) };
    },
    export: async (id, version, format) => exported(world.version({ id, version }).plan, format),
    approve: async (reference, note) => {
      const { stored, place } = approve(reference, note);
      world.begin(place.session, runStory(world, place, stored.plan, takenOver(world, stored.plan)));
    },
    approveForLater: async (reference, note) => void approve(reference, note),
    run: async (reference, from) => {
      const { plan, status } = world.version(reference);
      if (status !== 'approved') world.fail('plan_state', `version ${reference.version} is ${status}`);
      const place = { session: plan.sessionId, turn: turnOf(world, plan) };
      const runs = [...world.runs.values()].filter((run) => run.plan.id === plan.id);
      if (runs.some((run) => !isFinal(run)))
        world.fail('plan_state', `version ${reference.version} of the plan is already being carried out`);
      world.begin(place.session, runStory(world, place, plan, takenOver(world, plan, from)));
    },
    rework: async (reference, step, comment) => {
      const { plan } = world.version(reference);
      const old = plan.steps.find((one) => one.id === step) ?? world.fail('not_found', `there is no ${step}`);
      const place = { session: plan.sessionId, turn: turnOf(world, plan) };
      world.commit(place, { kind: 'commented', plan: reference, on: step, text: comment });
      const steps = plan.steps.map((one) =>
        one.id === step ? { ...old, description: `${old.description}: ${comment}` } : one,
      );
      const next = { ...plan, steps, version: plan.version + 1, supersedes: plan.version };
      world.begin(place.session, reworkStory(world, place, next));
    },
    reject: async (reference, reason) => {
      const { plan } = world.version(reference);
      const place = { session: plan.sessionId, turn: turnOf(world, plan) };
      world.commit(
        place,
        { kind: 'plan_rejected', plan: reference, ...(reason && { reason }) },
        { kind: 'turn_ended', status: 'cancelled' },
      );
    },
    again: async (reference, note) => {
      const { plan } = world.version(reference);
      const place = { session: plan.sessionId, turn: world.id('turn') };
      const text = note ? `${plan.userMessage}\n\n${note}` : plan.userMessage;
      world.commit(place, { kind: 'message_received', text });
      world.begin(plan.sessionId, againStory(world, place, text, { plan, reference, note }));
    },
  };
}

/** The old plan is rejected when the new one is there, and stays when it is not. */
function* againStory(
  world: World,
  place: { session: string; turn: string },
  text: string,
  old: { plan: Plan; reference: PlanRef; note: string | undefined },
): Script {
  const plans = world.plans.size;
  yield* turnStory(world, place, text);
  if (world.plans.size === plans || world.version(old.reference).status !== 'proposed') return;
  world.commit(
    { session: place.session, turn: turnOf(world, old.plan) },
    { kind: 'plan_rejected', plan: old.reference, ...(old.note && { reason: old.note }) },
    { kind: 'turn_ended', status: 'cancelled' },
  );
}

function turnOf(world: World, plan: Plan): string {
  // Each run of a workflow has a turn of its own.
  if (world.session(plan.sessionId).kind === 'workflow') return world.id('turn');
  const events = world.events.get(plan.sessionId) ?? [];
  const own = events.find(
    (event) => event.kind === 'plan_proposed' && event.plan.id === plan.id && event.turn,
  );
  return own?.turn ?? events.findLast((event) => event.turn)?.turn ?? world.id('turn');
}

function readPlan(world: World, text: string): Plan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    world.fail('plan_faults', 'the text is no JSON', [
      {
        stage: 'parse',
        message: `this is no JSON: ${String(error).slice(0, 120)}`,
        path: [],
        hint: 'export a plan to see what one looks like',
      },
    ]);
  }
  const faults: Fault[] = [];
  const document = value as Partial<Plan>;
  if (document.format !== 'assent.plan/1')
    faults.push({ stage: 'plan', message: 'the format has to be assent.plan/1', path: ['format'] });
  if (!Array.isArray(document.steps) || document.steps.length === 0)
    faults.push({ stage: 'plan', message: 'a plan has at least one step', path: ['steps'] });
  (document.steps ?? []).forEach((step, at) => {
    if (typeof step.description !== 'string')
      faults.push({
        stage: 'plan',
        message: 'a step has to say what to do',
        path: ['steps', at, 'description'],
        hint: 'add a text named description',
      });
  });
  if (faults.length > 0) world.fail('plan_faults', 'the plan cannot be read', faults);
  return planOf({
    ...document,
    steps: (document.steps ?? []).map(({ description, ...step }) => ({ ...step, do: description })),
  });
}

/** A document as it is written to a file. */
export function exported(plan: Plan, format: 'json' | 'markdown' | 'mermaid'): string {
  if (format === 'json') return `${JSON.stringify(plan, null, 2)}\n`;
  if (format === 'mermaid') {
    const lines = plan.steps.flatMap((step) => [
      `  ${step.id}["${step.description}"]`,
      ...step.dependencies.map((need) => `  ${need} --> ${step.id}`),
    ]);
    return `flowchart TD\n${lines.join('\n')}\n`;
  }
  const steps = plan.steps.map(
    (step, at) =>
      `${at + 1}. ${step.description}${step.requiredTools.map((tool) => ` \`${tool}\``).join('')}`,
  );
  return `# ${plan.title}\n\n${plan.refinedTask}\n\n${steps.join('\n')}\n`;
}

const isFinal = (run: RunRow) => /^(completed|completed_with_warnings|failed|cancelled)$/.test(run.status);

/** Ends a run, and withdraws what it asks. */
function cancelled(world: World, run: RunRow): void {
  world.halt(run.session);
  const asked = [...world.requests.values()].filter((row) => row.run === run.id && row.status === 'open');
  world.commit(
    { session: run.session, run: run.id, ...(run.turn && { turn: run.turn }) },
    { kind: 'run_stop_asked' },
    ...asked.map(({ request }): EventKind => ({
      kind: 'request_cancelled',
      request: request.id,
      reason: 'the run was stopped',
    })),
    { kind: 'run_ended', status: 'cancelled' },
  );
}

export function runCalls(world: World): RunCalls {
  return {
    list: async (session) => [...world.runs.values()].filter((run) => run.session === session),
    get: async () => world.fail('internal', 'the scripted engine tells runs by their events only'),
    plan: async (id) => {
      const run = world.runs.get(id) ?? world.fail('not_found', `there is no run ${id}`);
      const events = (world.events.get(run.session) ?? []).filter((event) => event.run === id);
      const parts = events.flatMap((event) => (event.kind === 'step_delegated' ? event.steps : []));
      return { plan: world.version(run.plan).plan, parts };
    },
    cancel: async (id) => {
      const run = world.runs.get(id) ?? world.fail('not_found', `there is no run ${id}`);
      cancelled(world, run);
      if (run.turn)
        world.commit({ session: run.session, turn: run.turn }, { kind: 'turn_ended', status: 'cancelled' });
    },
    isCarriedOn: async (id) => {
      const session = world.runs.get(id)?.session;
      return world.elsewhere || (session !== undefined && world.active().includes(session));
    },
    resume: async (id) => {
      for (const run of world.runs.values())
        if (id === undefined || run.id === id) world.carryOn(run.session);
    },
    retry: async (id, step) => {
      const run = world.runs.get(id) ?? world.fail('not_found', `there is no run ${id}`);
      if (run.status === 'cancelled') world.fail('conflict', `run ${id} is over`);
      if (world.elsewhere || (/^(queued|running)$/.test(run.status) && world.active().includes(run.session)))
        world.fail('busy', `run ${id} is being carried on`);
      const { plan } = world.version(run.plan);
      const again =
        plan.steps.find((one) => one.id === step) ?? world.fail('not_found', `there is no ${step}`);
      const events = (world.events.get(run.session) ?? []).filter((event) => event.run === id);
      const attempts = events.filter((event) => event.kind === 'step_started' && event.step === step).length;
      const here = { session: run.session, turn: run.turn ?? '', run: id, step };
      world.commit(here, { kind: 'step_reset', stale: downstream(plan, step).filter((one) => one !== step) });
      run.status = 'running';
      world.begin(run.session, retryStory(world, here, plan, again, attempts + 1));
    },
    sent: async (session, seq) => {
      const event = (world.events.get(session) ?? []).findLast((one) => one.seq === seq);
      if (event?.kind !== 'model_replied') world.fail('request_not_rebuilt', 'there is no such reply');
      return {
        purpose: event.purpose,
        messages: [
          {
            role: 'system',
            text: 'You carry out one step of an approved plan.\n\nTools:\n- grep: Search the text of files.',
          },
          {
            role: 'user',
            text: `Step ${event.step ?? ''}.\n\nTask: Find every mention of “patent” in the folder.\nExpected outcome: a count for each licence file.`,
          },
        ],
        ...shownIn(world, session, event),
        choice: 'grep',
        maxTokens: 512,
        temperature: 0.2,
      };
    },
  };
}

export function contentCalls(world: World): ContentCalls {
  const read = async (content: Content): Promise<JsonValue> =>
    'inline' in content
      ? content.inline
      : (world.blobs.get(content.blob) ?? world.fail('not_found', 'the content is not there'));
  return {
    read,
    blob: async (digest) => world.blobs.get(digest) ?? world.fail('not_found', 'the content is not there'),
    call: async (run, call) => {
      const events = [...world.events.values()].flat();
      const ended = events.find(
        (event) => event.kind === 'call_ended' && event.call === call && event.run === run,
      );
      const planned = events
        .flatMap((event) => (event.kind === 'model_replied' ? (event.calls ?? []) : []))
        .find((one) => one.id === call);
      return {
        arguments: planned ? await read(planned.arguments) : {},
        output: ended?.kind === 'call_ended' ? await read(ended.output) : null,
      };
    },
  };
}
