import type { Event, Plan, SessionKind } from '../bindings';
import { granted, planOf, referenceOf } from './plans';
import { inline, propose, reply, runStory, turnStory, type TurnPlace } from './stories';
import type { Script, World } from './world';

const HOUR = 3_600_000;

/** A session with its events, written as if it had happened before. */
function session(
  world: World,
  title: string,
  workspace: string,
  hoursAgo: number,
  sessionKind: SessionKind = 'chat',
): string {
  const now = world.now;
  world.now = now - hoursAgo * HOUR;
  const id = world.id('session');
  world.write({ session: id }, { kind: 'session_created', title, sessionKind, workspace });
  world.now = now;
  return id;
}

/** A message that was answered. */
function talk(world: World, id: string, hoursAgo: number, message: string, answer: string): void {
  const now = world.now;
  world.now = now - hoursAgo * HOUR;
  const place = { session: id, turn: world.id('turn') };
  world.write(
    place,
    { kind: 'message_received', text: message },
    { kind: 'answered', text: { inline: answer } },
    { kind: 'turn_ended', status: 'answered' },
  );
  world.now = now;
}

/** The sessions of somebody who has worked with Assent for some days. */
export function sampleSessions(world: World): void {
  const older: [string, string, number, string, string][] = [
    [
      'Compare the two CSVs',
      '/home/ada/sales',
      31,
      'Compare march.csv with april.csv.',
      'Fourteen rows differ; all of them in **region**.',
    ],
    [
      'Group the TODOs by file',
      '/home/ada/assent',
      27,
      'Group the TODOs by file.',
      'There are 41 in 12 files.',
    ],
    ['Weekly invoice check', '/home/ada/invoices', 4, 'Check the invoices of this week.', 'All 23 add up.'],
    [
      'Crawl example.org news',
      '/home/ada/crawl',
      2,
      'How would you crawl example.org?',
      'By its listing pages, then each article.',
    ],
  ];
  for (const [title, workspace, hours, message, answer] of older) {
    talk(world, session(world, title, workspace, hours), hours, message, answer);
  }
}

/** The main job up to its plan. */
export function patentsProposed(world: World): { session: string; turn: string; plan: Plan } {
  const id = session(world, 'Patents in the licences', '/home/ada/common-licenses', 0.02);
  world.memories = world.memories.map((one) => (one.session ? { ...one, session: id } : one));
  const place = { session: id, turn: world.id('turn') };
  const text =
    'Which of these licences mention patents? Count the mentions per file and write the table to patents.md. Ask me before you write.';
  world.commit(place, { kind: 'message_received', text });
  world.begin(id, turnStory(world, place, text));
  world.settle();
  const plan = [...world.plans.values()].at(-1)?.at(-1)?.plan as Plan;
  return { ...place, plan };
}

/** The main job approved, `times` things later. */
export function patentsRunning(world: World, times: number): { session: string; turn: string; plan: Plan } {
  const job = patentsProposed(world);
  const version = world.version(job.plan);
  world.commit(
    { session: job.session, turn: job.turn },
    { kind: 'plan_approved', plan: version.reference, by: 'user' },
  );
  world.begin(job.session, runStory(world, { session: job.session, turn: job.turn }, job.plan));
  for (let at = 0; at < times; at += 1) world.advance();
  return job;
}

/** A plan that may change nothing, because its person said so. */
export function lookingOnly(world: World): void {
  const id = session(world, 'Only look', '/home/ada/common-licenses', 0.01);
  const place = { session: id, turn: world.id('turn') };
  const text = 'Which of these licences mention patents? Only look, change nothing.';
  world.write(place, { kind: 'message_received', text });
  const plan = planOf({
    id: world.id('plan'),
    sessionId: id,
    userMessage: text,
    title: 'Find the licences that mention patents',
    readOnly: true,
    steps: [
      {
        do: 'Find every mention of “patent” in the folder',
        requiredTools: ['grep'],
        expectedOutcome: 'a count for each licence file',
        executor: { kind: 'specialist', id: 'files' },
      },
      { do: 'Tell which licences those are', dependencies: ['s1'] },
    ],
  });
  propose(world, place, plan);
}

type Words = Pick<Parameters<typeof planOf>[0], 'title' | 'refinedTask' | 'extractedContext' | 'steps'>;
type Story = (world: World, place: TurnPlace, plan: Plan) => Script;

/** A plan that was approved and is carried out as far as that goes without a person. */
export function working(
  world: World,
  title: string,
  message: string,
  words: Words,
  story: Story = runStory,
): { session: string; plan: Plan } {
  const id = session(world, title, '/home/ada/common-licenses', 0.01);
  return { session: id, plan: carriedOut(world, id, message, words, story) };
}

/** A message of a session whose plan was approved and is carried out as far as that goes without a person. */
function carriedOut(
  world: World,
  session: string,
  message: string,
  words: Words,
  story: Story = runStory,
): Plan {
  const place = { session, turn: world.id('turn') };
  const plan = granted(
    planOf({
      id: world.id('plan'),
      createdAt: world.now,
      sessionId: session,
      userMessage: message,
      ...words,
    }),
  );
  world.write(place, { kind: 'message_received', text: message }, reply('plan', { text: inline('(plan)') }));
  world.plans.set(plan.id, [{ plan, reference: referenceOf(plan), status: 'proposed' }]);
  world.write(
    place,
    { kind: 'plan_proposed', plan: referenceOf(plan) },
    { kind: 'plan_approved', plan: referenceOf(plan), by: 'user' },
  );
  world.begin(session, story(world, place, plan));
  world.settle();
  return plan;
}

/** A workflow that was carried out twice and may be again. */
export function repeated(world: World): void {
  const id = session(world, 'weekly-report', '/home/ada/invoices', 0.01, 'workflow');
  const plan = granted(
    planOf({
      id: world.id('plan'),
      createdAt: world.now,
      sessionId: id,
      title: 'Report the invoices of the week',
      refinedTask: 'the invoices of this week are in report.md.',
      steps: [
        {
          do: 'Find the invoices of this week',
          requiredTools: ['grep'],
          expectedOutcome: 'a list of invoices',
        },
        { do: 'Add up what is open', dependencies: ['s1'] },
      ],
    }),
  );
  const reference = referenceOf(plan);
  world.plans.set(plan.id, [{ plan, reference, status: 'proposed' }]);
  world.write(
    { session: id },
    { kind: 'plan_proposed', plan: reference },
    { kind: 'plan_approved', plan: reference, by: 'user' },
  );
  for (let times = 0; times < 2; times += 1) {
    world.begin(id, runStory(world, { session: id, turn: world.id('turn') }, plan));
    world.settle();
  }
}

/** The main job, done. */
export function patentsDone(world: World): void {
  patentsRunning(world, 200);
  for (const row of world.requests.values())
    if (row.status === 'open') {
      const { session: at, turn, run, step } = row;
      world.commit(
        { session: at, ...(turn && { turn }), ...(run && { run }), ...(step && { step }) },
        { kind: 'request_answered', request: row.request.id, answer: { type: 'approve' } },
      );
    }
  world.settle();
}

/** A plan of many steps, five in each layer. */
export function largePlan(world: World, count: number): { session: string; plan: Plan } {
  const id = session(world, `A plan of ${count} steps`, '/home/ada/large', 0.03);
  const turn = world.id('turn');
  const steps = Array.from({ length: count }, (_, at) => ({
    do: `Step ${at + 1}: look at part ${at + 1} of the archive and note what is there`,
    ...(at % 3 === 0 && { requiredTools: ['grep'] }),
    dependencies: at < 5 ? [] : [`s${at - 4}`, ...(at % 7 === 0 ? [`s${at - 3}`] : [])],
  }));
  const plan = granted(
    planOf({
      id: world.id('plan'),
      createdAt: world.now,
      sessionId: id,
      title: `Look through an archive of ${count} parts`,
      steps,
    }),
  );
  world.write({ session: id, turn }, { kind: 'message_received', text: 'Look through the whole archive.' });
  world.plans.set(plan.id, [{ plan, reference: referenceOf(plan), status: 'proposed' }]);
  world.write({ session: id, turn }, { kind: 'plan_proposed', plan: referenceOf(plan) });
  return { session: id, plan };
}

/** A session of many turns: short answers, long ones with all that an answer has, and plans that were carried out. */
export function longSession(world: World, turns: number): { session: string } {
  const id = session(world, `A session of ${turns} messages`, '/home/ada/long', 0.04);
  for (let at = 0; at < turns; at += 1) {
    const message = `Message ${at + 1}: what is ${at} times two?`;
    if (at % 50 === 7) carriedOut(world, id, message, counting);
    else
      talk(world, id, 0.04, message, [`It is **${at * 2}**.`, longer[at % 10]].filter(Boolean).join('\n\n'));
  }
  return { session: id };
}

/** What some answers go on with, by the last digit of their number. */
const longer: Readonly<Record<number, string>> = {
  0: '- one line\n- another line\n\nand some more text that makes it longer.',
  3: '```python\ndef twice(number: int) -> int:\n    """Two times a number."""\n    if number < 0:\n        raise ValueError("too small")\n    return number * 2\n\n\nprint([twice(at) for at in range(10)])\n```\n\nIt is in `twice.py`.',
  5: '| number | times two | times three |\n| ---: | ---: | ---: |\n| 1 | 2 | 3 |\n| 2 | 4 | 6 |\n| 3 | 6 | 9 |\n| 4 | 8 | 12 |',
  8: `### Why\n\n${'A number that is taken two times is as large as twice the number, which is *not* the same as its square. '.repeat(4)}\n\n1. Take the number.\n2. Take it [once more](https://example.org/twice).\n\n> It is the same the other way around.`,
};

const counting: Words = {
  title: 'Count, then say it',
  steps: [
    { do: 'Count what is in the folder', requiredTools: ['grep'], expectedOutcome: 'a number' },
    { do: 'Take it two times', dependencies: ['s1'] },
  ],
};

/** Everything that a model should not be able to do to the window. */
export function hostileSession(world: World): { session: string; events: Event[] } {
  const name = `${'an_extremely_long_name_without_any_space_'.repeat(8)}end`;
  const id = session(world, name, `/home/ada/${'deep/'.repeat(30)}folder`, 0.05);
  talk(
    world,
    id,
    0.05,
    '<script>window.broken = 1</script> and <img src=x onerror="window.broken = 2">',
    hostileText,
  );
  talk(world, id, 0.05, 'One line of a megabyte, please.', 'x'.repeat(1_000_000));
  return { session: id, events: world.events.get(id) ?? [] };
}

const hostileText = [
  '<script>window.broken = 3</script>',
  '<img src="https://example.org/track.png" onerror="window.broken = 4">',
  '![a picture](https://example.org/track.png)',
  '[a link](javascript:window.broken=5) and [another](data:text/html,<script>window.broken=6</script>)',
  '<a href="https://example.org" onclick="window.broken = 7">raw link</a>',
  '<style>body { display: none }</style>',
  '<form action="https://example.org"><input name="key"></form>',
  '[a real link](https://example.org/page)',
  '<svg><script>window.broken = 8</script></svg>',
  '```html\n<script>window.broken = 9</script>\n```',
  `| ${'wide | '.repeat(20)}\n| ${'--- | '.repeat(20)}\n| ${'a_rather_wide_cell | '.repeat(20)}`,
].join('\n\n');
