import type { Plan, Step } from '../bindings';
import { stepOf } from './plans';
import { working } from './samples';
import { beginRun, endRun, goingOn, inline, reply, stepStory, type TurnPlace } from './stories';
import type { Script, World } from './world';

/** A run in which a step is handed on to parts, one of them once more, and the last of them asks. */
export function handingOn(world: World): { session: string; plan: Plan } {
  const executor = { kind: 'specialist', id: 'archive' } as const;
  return working(
    world,
    'Bring the archive in order',
    'Bring the archive of the licences in order, and tell me what is in it.',
    {
      title: 'Bring the archive in order',
      refinedTask: 'Bring the archive of the licences in order.',
      extractedContext: {},
      steps: [
        {
          do: 'Bring the archive in order',
          requiredTools: ['grep'],
          expectedOutcome: 'every text has a year',
          executor,
        },
        { do: 'Tell what is in it' },
      ],
    },
    handedOnStory,
  );
}

function partsOf(above: Step, ...all: Parameters<typeof stepOf>[0][]): Step[] {
  return all.map((words, at) =>
    stepOf(
      {
        id: `${above.id}/${at + 1}`,
        parentId: above.id,
        origin: 'delegate',
        dependencies: at === 0 ? [] : [`${above.id}/${at}`],
        ...words,
      },
      at,
    ),
  );
}

function* handedOnStory(world: World, place: TurnPlace, plan: Plan): Script {
  const at = beginRun(world, place, plan);
  const [first, last] = plan.steps;
  if (!first || !last) return;
  const files = { kind: 'specialist', id: 'files' } as const;
  const general = { kind: 'specialist', id: 'general' } as const;
  const parts = partsOf(
    first,
    { do: 'Find every text that names a year', requiredTools: ['grep'], executor: files },
    { do: 'Ask for the years that no text names', executor: { kind: 'specialist', id: 'archive' } },
  );
  const [find, years] = parts;
  if (!find || !years) return;
  const ask = partsOf(years, {
    do: 'Ask for the year of “Artistic”',
    requiredTools: ['ask_user'],
    executor: general,
  });
  const all = { ...plan, steps: [...plan.steps, ...parts, ...ask] };
  const here = (step: Step) => ({ ...goingOn(world, at), step: step.id });
  const done = { kind: 'step_ended', status: 'completed', validation: 'passed' } as const;
  world.commit(here(first), { kind: 'step_started', attempt: 1 });
  yield;
  world.commit(
    here(first),
    reply('choose', {
      text: inline('{"summary":"First what is there.","delegateHeap":["files","archive"]}'),
    }),
    { kind: 'step_delegated', summary: 'First what is there.', steps: parts, by: 'chooser' },
  );
  world.commit(here(find), { kind: 'step_started', attempt: 1 });
  yield* stepStory(world, here(find), all, find);
  world.commit(here(years), { kind: 'step_started', attempt: 1 });
  world.commit(here(years), { kind: 'step_delegated', summary: '', steps: ask, by: 'only_option' });
  for (const step of ask) {
    world.commit(here(step), { kind: 'step_started', attempt: 1 });
    yield* stepStory(world, here(step), all, step);
  }
  world.commit(here(years), { ...done, validation: 'skipped' });
  world.commit(here(first), { ...done, result: inline('Every text has a year.') });
  // What it says it has done has no call behind it.
  const claim = 'I have saved the list to archive.md.';
  const reason = `it says "${claim.slice(0, -1)}", and no call stands behind that`;
  world.commit(
    here(last),
    { kind: 'step_started', attempt: 1 },
    reply('step', { text: inline(claim) }),
    { kind: 'warned', message: reason },
    { ...done, validation: 'skipped', reason, result: inline(claim) },
  );
  yield* endRun(world, at, claim, false);
}
