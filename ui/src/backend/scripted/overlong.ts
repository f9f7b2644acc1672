import type { Plan, Request } from '../bindings';
import { working } from './samples';
import { beginRun, inline, reply, type TurnPlace } from './stories';
import type { Script, World } from './world';

/** Everything that may be longer than anybody thought: names without a space, texts of a megabyte in one line. */

const MEGABYTE = 1_000_000;
const long = (what: string) => `${what}_${'that_goes_on_and_on_without_a_space_'.repeat(7)}end`;
const line = (what: string) => `${what} ${'x'.repeat(MEGABYTE)}`;

/** A plan in which everything is too long, as far as a question. */
export function everythingTooLong(world: World): { session: string; plan: Plan } {
  const executor = { kind: 'specialist', id: long('specialist') } as const;
  return working(
    world,
    long('session'),
    line('A message of a megabyte:'),
    {
      title: long('title'),
      refinedTask: long('task'),
      extractedContext: { output: `${long('folder')}/${long('file')}.md`, [long('key')]: long('value') },
      steps: [
        {
          do: `Look for ${long('words')}`,
          requiredTools: ['grep'],
          expectedOutcome: long('outcome'),
          executor,
        },
        {
          do: `Use ${long('what')}`,
          requiredTools: [long('tool'), 'create_file', 'ask_user'],
          executor,
        },
      ],
    },
    overlongStory,
  );
}

function* overlongStory(world: World, place: TurnPlace, plan: Plan): Script {
  const at = beginRun(world, place, plan);
  const [first, second] = plan.steps;
  if (!first || !second) return;
  const here = { ...at, step: first.id };
  const call = world.id('call');
  const args = { pattern: line('A pattern of a megabyte:'), [long('argument')]: long('value') };
  world.commit(
    here,
    { kind: 'step_started', attempt: 1 },
    reply('step', { calls: [{ id: call, tool: 'grep', arguments: inline(args) }] }),
    { kind: 'call_started', call, tool: 'grep', risk: 'read' },
    {
      kind: 'call_ended',
      call,
      status: 'success',
      output: inline({ [long('result')]: line('A result of a megabyte:') }),
      satisfied: true,
      durationMs: 1200,
    },
    { kind: 'step_ended', status: 'completed', validation: 'passed' },
  );
  const request: Request = {
    id: world.id('request'),
    kind: 'question',
    path: [second.id],
    askedBy: long('specialist'),
    prompt: line('A question of a megabyte:'),
    reason: line('A reason of a megabyte:'),
    input: {
      kind: 'select',
      options: [
        { label: long('option'), consequence: long('consequence') },
        { label: 'Short', consequence: line('A consequence of a megabyte:') },
      ],
      allowEdit: false,
      allowText: true,
    },
    tool: 'ask_user',
    arguments: null,
    risk: 'read',
  };
  world.commit(
    { ...at, step: second.id },
    { kind: 'step_started', attempt: 1 },
    { kind: 'request_opened', request },
  );
  yield { waitFor: request.id };
}
