import type { Backend } from '../../backend/backend';
import type { SessionRow, SpecialistOption, ToolSpec } from '../../backend/bindings';
import { pathWords, type Mentionable } from '../../model/mention';
import { lastPart } from '../../shared/format';
import { text } from '../../shared/text';

/** What is known already. */
interface Known {
  /** The folder whose files can be named. */
  folder: string | null;
  sessions: readonly SessionRow[];
  tools: readonly ToolSpec[];
  specialists: readonly SpecialistOption[];
}

/** Everything that a message can name. What cannot be read is left out: the message is written all the same. */
export async function mentionableOf(backend: Backend, known: Known): Promise<readonly Mentionable[]> {
  const words = text.chat.mention;
  const [files, plans] = await Promise.all([
    known.folder ? backend.sessions.files(known.folder).catch(() => []) : [],
    backend.plans.list().catch(() => []),
  ]);
  return [
    ...files.map((path): Mentionable => ({
      kind: 'file',
      id: path,
      label: path,
      about: '',
      words: pathWords(path),
    })),
    ...plans
      .filter((plan) => plan.title)
      .map(({ id, title, steps }): Mentionable => ({
        kind: 'plan',
        id,
        label: title,
        about: words.steps(steps.length),
        words: words.words.plan(title),
      })),
    ...known.sessions
      .filter((row) => row.title && !row.archived)
      .map(({ id, title, workspace }): Mentionable => ({
        kind: 'session',
        id,
        label: title,
        about: lastPart(workspace ?? ''),
        words: words.words.session(title),
      })),
    ...known.tools.map(({ name, description }): Mentionable => ({
      kind: 'tool',
      id: name,
      label: name,
      about: description,
      words: name,
    })),
    ...known.specialists
      .filter(({ executor }) => executor.kind !== 'self')
      .map(({ executor, name, description }): Mentionable => ({
        kind: 'specialist',
        id: executor.id,
        label: name,
        about: description,
        words: words.words.specialist(name),
      })),
  ];
}
