import type { Plan } from '../bindings';
import { working } from './samples';
import { think } from './think';
import { brokenOffStory, cappedStory } from './trouble';
import type { World } from './world';

/** Sessions that wait for a person, one for each way of asking. */

const files = { kind: 'specialist', id: 'files' } as const;
const general = { kind: 'specialist', id: 'general' } as const;

/** A plan with a question in its second step, waiting. */
export function askingQuestion(world: World): { session: string; plan: Plan } {
  const words = think('patents');
  if (!('plan' in words)) throw new Error('the story of the patents has a plan');
  const [find, rank, , write] = words.plan.steps;
  const steps = [
    find,
    {
      do: 'Ask which licences to list',
      requiredTools: ['ask_user'],
      executor: general,
    },
    { ...rank, do: 'Rank the files and draft the table' },
    write,
  ].filter((step) => step !== undefined);
  return working(
    world,
    'Patents with a question',
    'Which licences mention patents? Write the table to patents.md.',
    {
      title: words.plan.title,
      refinedTask: words.plan.task,
      extractedContext: words.plan.context,
      steps,
    },
  );
}

/** A plan whose calls its approval does not cover: two commands, and something that cannot be undone. */
export function askingPermission(world: World): { session: string; plan: Plan } {
  return working(world, 'Tidy the old tables', 'Show me what is in old, then throw the table away.', {
    title: 'Look into old, then delete its table',
    refinedTask: 'List the folder old with its sizes and delete old/patents.md.',
    extractedContext: {},
    steps: [
      { do: 'List the files of old', requiredTools: ['bash'], executor: files },
      { do: 'Show how large they are', requiredTools: ['bash'], executor: files },
      { do: 'Delete old/patents.md', requiredTools: ['delete_file'], executor: files },
    ],
  });
}

/** A plan that wants to change a file which its approval does not name. */
export function askingChange(world: World): { session: string; plan: Plan } {
  return working(world, 'Bring the notes up to date', 'Bring my notes on patents up to date.', {
    title: 'Count anew, then change the notes',
    refinedTask: 'Count the lines that mention patents and change the notes accordingly.',
    extractedContext: {},
    steps: [
      { do: 'Find every mention of “patent” in the folder', requiredTools: ['grep'], executor: files },
      { do: 'Change the numbers in the notes', requiredTools: ['edit_file'], executor: files },
    ],
  });
}

/** A plan in which a step of a step of a step asks. */
export function askingDeeply(world: World): { session: string; plan: Plan } {
  return working(world, 'Sort the archive', 'Sort the archive of the licences by year.', {
    title: 'Sort the archive by year',
    refinedTask: 'Sort the archive of the licences by year.',
    extractedContext: {},
    steps: [
      { do: 'List what the archive holds', requiredTools: ['glob'], executor: files },
      { do: 'Find the year of each text', executor: files },
      { do: 'Look at the texts without a year', parentId: 's2', executor: files },
      {
        do: 'Ask for the year of “Artistic”',
        parentId: 's3',
        requiredTools: ['ask_user'],
        executor: general,
      },
    ],
  });
}

/** A run that was broken off in the middle of an effect. */
export function askingWhatBecame(world: World): { session: string; plan: Plan } {
  return working(
    world,
    'Copy the notes',
    'Copy my notes to the backup.',
    {
      title: 'Copy the notes to the backup',
      refinedTask: 'Copy the notes to the backup.',
      extractedContext: {},
      steps: [{ do: 'Copy the notes to /backup', requiredTools: ['bash'], executor: files }],
    },
    brokenOffStory,
  );
}

/** A run that goes in a circle. */
export function askingToKeepGoing(world: World): { session: string; plan: Plan } {
  return working(
    world,
    'Find the patnets',
    'Which licences mention patnets?',
    {
      title: 'Find the patnets',
      refinedTask: 'Find the licences that mention patnets.',
      extractedContext: {},
      steps: [
        { do: 'Find every mention of “patnet” in the folder', requiredTools: ['grep'], executor: files },
      ],
    },
    cappedStory,
  );
}

/** A step that looks for its tool by itself, and asks before the next one. */
export function lookingForTools(world: World): { session: string; plan: Plan } {
  return working(
    world,
    'The list on the web',
    'Fetch the list of licences from example.org as text, and show me before you keep it.',
    {
      title: 'Fetch the list, then keep it',
      refinedTask: 'Fetch the list of licences from example.org and keep it in list.md.',
      extractedContext: { output: 'list.md' },
      steps: [
        { do: 'Fetch https://example.org/licences as text', stepType: 'tool' },
        { do: 'Look at the folder', requiredTools: ['glob'], executor: files, dependencies: ['s1'] },
      ],
    },
  );
}
