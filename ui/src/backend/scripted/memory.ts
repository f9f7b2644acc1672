import type { MemoryCalls } from '../backend';
import type { MemoryView } from '../bindings';
import type { World } from './world';

/** What is remembered at first, the newest first. */
export function memories(): MemoryView[] {
  const done: [string, string, number, string | null][] = [
    ['create_file', 'Write the table to patents.md', 1, 's1'],
    ['grep', 'Find every mention of patents in the licence files', 3, 's1'],
    ['read', '', 2, null],
  ];
  return [
    ...done.map(([tool, words, times, session], at) => ({
      ...memory(9 - at, tool, words, Date.UTC(2023, 10, 9 - at, 12)),
      kind: 'action' as const,
      source: 'executor' as const,
      times,
      session,
    })),
    memory(
      2,
      'grep',
      'Search the text of files, and count the matching lines of each.',
      Date.UTC(2023, 10, 1),
    ),
  ];
}

/** What a tool says of itself. */
function memory(id: number, tool: string, words: string, at: number): MemoryView {
  const links: MemoryView['links'] = [{ relation: 'related_to', context: `tool:${tool}` }];
  return { id, about: tool, words, at, kind: 'fact', source: 'system', times: 1, session: null, links };
}

export function memoryCalls(world: World): MemoryCalls {
  return {
    recall: async ({ words, kinds, limit }) => {
      if (world.forgetful) return { rows: [], nothing: null, degraded: true, cut: null };
      const of = world.memories.filter(({ kind }) =>
        kinds.length > 0 ? kinds.includes(kind) : kind !== 'fact',
      );
      const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
      const rows = of.filter((one) =>
        wanted.every((word) => `${one.about} ${one.words}`.toLowerCase().includes(word)),
      );
      const why =
        of.length > 0
          ? `None of ${of.length} memories says anything like that.`
          : 'Nothing of that kind is remembered.';
      return {
        rows: rows.slice(0, limit),
        nothing: rows.length > 0 ? null : why,
        degraded: false,
        cut: null,
      };
    },
    forget: async (ids) =>
      void (world.memories = ids ? world.memories.filter((one) => !ids.includes(one.id)) : []),
  };
}
