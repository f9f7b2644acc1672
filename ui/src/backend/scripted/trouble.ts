import type { Answer, EventKind, Plan, Request } from '../bindings';
import { beginRun, endRun, inline, reply, type RunPlace, type StepPlace, type TurnPlace } from './stories';
import type { Script, World } from './world';

/** Runs in which something goes wrong that only a person can settle. */

interface Begun {
  at: RunPlace;
  here: StepPlace;
  call: string;
  tool: string;
}

/** The first step of a plan while it is carried out, and the id of its call. */
function begun(world: World, place: TurnPlace, plan: Plan): Begun {
  const at = beginRun(world, place, plan);
  const step = plan.steps[0];
  if (!step) throw new Error('a plan has at least one step');
  return { at, here: { ...at, step: step.id }, call: world.id('call'), tool: step.requiredTools[0] ?? '' };
}

const ended = (call: string, more: object): EventKind => ({
  kind: 'call_ended',
  call,
  status: 'success',
  output: inline({ exit_code: 0 }),
  satisfied: true,
  durationMs: 2100,
  ...more,
});

const completed = (status: 'completed' | 'failed' | 'skipped', reason?: string): EventKind => ({
  kind: 'step_ended',
  status,
  validation: status === 'completed' ? 'passed' : 'failed',
  ...(reason && { reason }),
});

function answerTo(world: World, request: Request): Answer | null {
  return world.requests.get(request.id)?.answer ?? null;
}

/** A command was under way when the application ended: nobody knows whether it did its work. */
export function* brokenOffStory(world: World, place: TurnPlace, plan: Plan): Script {
  const { at, here, call, tool } = begun(world, place, plan);
  const args = { command: 'rsync -a notes/ /backup/notes/' };
  world.commit(
    here,
    { kind: 'step_started', attempt: 1 },
    reply('step', { calls: [{ id: call, tool, arguments: inline(args) }] }),
    { kind: 'call_started', call, tool, risk: 'execute' },
  );
  yield;
  const request: Request = {
    id: world.id('request'),
    kind: 'unknown_outcome',
    path: [here.step],
    call,
    askedBy: 'files',
    prompt: `${tool} was under way when Assent ended. Did it do its work?`,
    reason: 'It is not made again without your word, because it may already have had its effect.',
    input: {
      kind: 'select',
      options: [
        { label: 'done', consequence: 'The step goes on as if the call had succeeded.' },
        { label: 'run again', consequence: 'The call is made once more with the same arguments.' },
        { label: 'skip', consequence: 'The step is left out, and the steps that build on it too.' },
      ],
      allowEdit: false,
      allowText: false,
    },
    tool,
    arguments: args,
    risk: 'execute',
  };
  world.commit(here, { kind: 'request_opened', request });
  yield { waitFor: request.id };
  const answer = answerTo(world, request);
  const said = answer?.type === 'value' ? answer.value : 'skip';
  if (said === 'run again') {
    const again = world.id('call');
    world.commit(here, { kind: 'call_started', call: again, tool, risk: 'execute', repeats: call });
    yield;
    world.commit(here, ended(again, {}), completed('completed'));
  } else if (said === 'done') {
    const output = inline('A person says that this was done.');
    world.commit(here, ended(call, { output, by: 'user', durationMs: 0 }), completed('completed'));
  } else world.commit(here, completed('skipped', 'left out by a person, its outcome being unknown'));
  yield* endRun(
    world,
    at,
    said === 'skip' ? 'The notes were not copied.' : 'The notes are copied.',
    said !== 'skip',
  );
}

/** The same call came back with the same result until a person has to say whether to keep going. */
export function* cappedStory(world: World, place: TurnPlace, plan: Plan): Script {
  const { at, here, tool } = begun(world, place, plan);
  world.commit(
    here,
    { kind: 'step_started', attempt: 1 },
    {
      kind: 'model_failed',
      purpose: 'step',
      model: 'Qwen2.5-Coder-1.5B',
      error: 'The request is too long for the model: 9120 tokens, at most 8192.',
      retrying: true,
    },
  );
  const args = inline({ pattern: 'patnet', path: '.' });
  for (const thought of ['Look for it.', 'Look once more.', 'It has to be there.']) {
    const call = world.id('call');
    world.commit(
      here,
      reply('step', { thoughts: inline(thought), calls: [{ id: call, tool, arguments: args }] }),
      { kind: 'call_started', call, tool },
      ended(call, { output: inline({ lines_per_file: {} }), durationMs: 40 }),
    );
    yield;
  }
  const request: Request = {
    id: world.id('request'),
    kind: 'cap',
    path: [here.step],
    askedBy: 'files',
    prompt: `Keep going with step ${here.step}?`,
    reason: `${tool} was called three times with the same arguments and gave the same result.`,
    input: {
      kind: 'select',
      options: [
        { label: 'keep going', consequence: 'The step goes on, with as much again.' },
        {
          label: 'stop here',
          consequence: 'The step ends as failed, and the steps that build on it are left out.',
        },
        {
          label: 'change the plan',
          consequence: 'The step ends. Another version of the plan takes over what is done.',
        },
      ],
      allowEdit: false,
      allowText: false,
    },
    tool,
    arguments: { pattern: 'patnet', path: '.' },
    risk: 'read',
  };
  world.commit(here, { kind: 'limit_reached', limit: 'loop', value: 3 }, { kind: 'request_opened', request });
  yield { waitFor: request.id };
  const answer = answerTo(world, request);
  const goes = answer?.type === 'value' && answer.value === 'keep going';
  world.commit(
    here,
    goes
      ? completed('completed')
      : completed('failed', 'stopped at a limit: the same call gave the same result three times'),
  );
  yield* endRun(world, at, goes ? 'Nothing mentions “patnet”.' : 'I stopped at a limit.', goes);
}
