import type { ContentCalls, PlanCalls, RequestCalls, RunCalls } from '../backend';
import type { Content, Fault, JsonValue, Plan, PlanRef } from '../bindings';
import { applyEdit, diffOf } from './edit';
import { checkOf, effectsOf, granted, planOf } from './plans';
import { propose, runStory, turnStory } from './stories';
import type { Script, World } from './world';

export function planCalls(world: World): PlanCalls {
  const save = async (document: Plan): Promise<PlanRef> => {
    const faults = checkOf(document).faults;
    if (faults.length > 0) world.fail('plan_faults', 'the plan cannot run as it is', faults);
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
    const session = stored.plan.sessionId;
    for (const older of world.versions(reference.id)) {
      if (older !== stored && older.status === 'approved') {
        world.commit(
          { session },
          { kind: 'plan_superseded', plan: older.reference, byVersion: reference.version },
        );
      }
    }
    const turn = turnOf(world, stored.plan);
    world.commit(
      { session, turn },
      { kind: 'plan_approved', plan: reference, by: 'user', ...(note && { note }) },
    );
    return { stored, place: { session, turn } };
  };
  return {
    list: async (session) =>
      [...world.plans.values()]
        .map((all) => all.at(-1)?.plan as Plan)
        .filter((plan) => !session || plan.sessionId === session)
        .sort((one, other) => other.createdAt - one.createdAt),
    get: async (id, version) => {
      const { plan, reference, status } = world.version({ id, version });
      return { plan, reference, status, check: checkOf(plan) };
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
    apply: async (document, edits) => edits.reduce(applyEdit, document),
    check: async (document) => checkOf(document),
    effects: async (document) => effectsOf(document),
    edit: async (id, version, edits) => save(edits.reduce(applyEdit, world.version({ id, version }).plan)),
    save,
    draft: async (id) => world.drafts.get(id) ?? null,
    keepDraft: async (id, document) => {
      if (document) world.drafts.set(id, { plan: document, updatedAt: world.now });
      else world.drafts.delete(id);
    },
    import: async (session, text) => {
      const plan = readPlan(world, text);
      const faults = checkOf(plan).faults;
      if (faults.length > 0) world.fail('plan_faults', 'the plan cannot run as it is', faults);
      return propose(
        world,
        { session },
        { ...plan, id: world.id('plan'), version: 1, supersedes: null, sessionId: session },
      );
    },
    export: async (id, version, format) => exported(world.version({ id, version }).plan, format),
    approve: async (reference, note) => {
      const { stored, place } = approve(reference, note);
      world.begin(place.session, runStory(world, place, stored.plan));
    },
    approveForLater: async (reference, note) => void approve(reference, note),
    run: async (reference) => {
      const { plan, status } = world.version(reference);
      if (status !== 'approved') world.fail('plan_state', `version ${reference.version} is ${status}`);
      const place = { session: plan.sessionId, turn: turnOf(world, plan) };
      world.begin(place.session, runStory(world, place, plan));
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

function exported(plan: Plan, format: 'json' | 'markdown' | 'mermaid'): string {
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

export function runCalls(world: World): RunCalls {
  return {
    list: async (session) => [...world.runs.values()].filter((run) => run.session === session),
    get: async () => world.fail('internal', 'the scripted engine tells runs by their events only'),
    cancel: async (id) => {
      const run = world.runs.get(id) ?? world.fail('not_found', `there is no run ${id}`);
      run.status = 'cancelled';
      world.halt(run.session);
      world.commit(
        { session: run.session, run: id, ...(run.turn && { turn: run.turn }) },
        { kind: 'run_stop_asked' },
        { kind: 'run_ended', status: 'cancelled' },
      );
      if (run.turn)
        world.commit({ session: run.session, turn: run.turn }, { kind: 'turn_ended', status: 'cancelled' });
    },
    resume: async () => undefined,
    retry: async (id, step) => {
      const run = world.runs.get(id) ?? world.fail('not_found', `there is no run ${id}`);
      world.commit(
        { session: run.session, run: id, step, ...(run.turn && { turn: run.turn }) },
        { kind: 'step_reset' },
        { kind: 'step_started', attempt: 2 },
        { kind: 'step_ended', status: 'completed', validation: 'passed' },
      );
    },
    sent: async (session, seq) => {
      const event = (world.events.get(session) ?? []).find((one) => one.seq === seq);
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
        tools: [],
        choice: 'grep',
        maxTokens: 512,
        temperature: 0.2,
      };
    },
  };
}

export function requestCalls(world: World): RequestCalls {
  const open = (id: string) => world.requests.get(id) ?? world.fail('not_found', `there is no request ${id}`);
  return {
    open: async () =>
      [...world.requests.values()].filter((row) => row.status === 'open').map((row) => ({ ...row })),
    get: async (id) => ({ ...open(id) }),
    answer: async (id, answer) => {
      const row = open(id);
      if (row.status !== 'open') world.fail('settled', `this is already ${row.status}`);
      const place = {
        session: row.session,
        ...(row.turn && { turn: row.turn }),
        ...(row.run && { run: row.run }),
        ...(row.step && { step: row.step }),
      };
      world.commit(place, { kind: 'request_answered', request: id, answer });
    },
    keepDraft: async (id, text) => {
      open(id).draft = text;
    },
    allowed: async () => [...world.allowances],
    revoke: async (id) => {
      if (!world.allowances.some((one) => one.id === id))
        world.fail('not_found', `there is no permission ${id}`);
      world.allowances = world.allowances.filter((one) => one.id !== id);
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
