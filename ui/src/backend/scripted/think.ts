import type { JsonValue } from '../bindings';
import type { StepWords } from './plans';

/** What the scripted planner answers to a message: a plan's words, or a plain answer. */
export type Thought =
  | { plan: { title: string; task: string; context: Record<string, JsonValue>; steps: StepWords[] } }
  | { answer: string };

const files = { kind: 'specialist', id: 'files' } as const;

/** Finds what to answer by a word of the message. */
export function think(message: string): Thought {
  if (/^(hello|hi|thanks|what can you)/i.test(message)) {
    return {
      answer:
        'Hello. Write what you want done, and I answer with a **plan** that you can read, change and approve.\n\n' +
        '| I can | with |\n| --- | --- |\n| search your files | `grep`, `glob` |\n| write files | `create_file`, `edit_file` |\n| run commands, without a network | `bash` |\n\n' +
        '```sh\ngrep -ci patent *\n```\n\nNothing with an effect happens before you have approved it.',
    };
  }
  if (/patent/i.test(message)) {
    return {
      plan: {
        title: 'Count patent mentions per licence, then write patents.md',
        task: 'Count the lines that mention patents in each licence and write the table to patents.md.',
        context: { output: 'patents.md', ask: 'before writing' },
        steps: [
          {
            do: 'Find every mention of “patent” in the folder',
            requiredTools: ['grep'],
            expectedOutcome: 'a count for each licence file',
            executor: files,
          },
          {
            do: 'Rank the files and draft the table',
            expectedOutcome: 'a Markdown table, highest first',
            executor: files,
          },
          {
            do: 'Ask whether to write the file',
            requiredTools: ['displayConfirmation'],
            executor: { kind: 'specialist', id: 'general' },
          },
          {
            do: 'Write the table to patents.md',
            requiredTools: ['create_file'],
            expectedOutcome: 'patents.md exists',
            executor: files,
          },
        ],
      },
    };
  }
  return {
    plan: {
      title: 'Look, think, tell',
      task: message.slice(0, 120),
      context: {},
      steps: [
        {
          do: 'List the files of the folder',
          requiredTools: ['glob'],
          expectedOutcome: 'the names of all files',
          executor: files,
        },
        { do: 'Answer from what was found', expectedOutcome: 'a short answer', dependencies: ['s1'] },
      ],
    },
  };
}
