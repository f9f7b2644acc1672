import type { FoundTool, Risk, Source, ToolFilter, ToolSpec } from '../../backend/bindings';
import { hasWords } from '../../shared/find';

/** A tool as it stands in the list. */
export interface Listed {
  name: string;
  /** What is known of it; null of what only models call. */
  tool: ToolSpec | null;
  /** What it does, in a sentence. */
  summary: string;
  source: Source;
  risk: Risk;
  tokens: number | undefined;
  /** The specialist on top that has it. */
  owner: string | null;
  /** Whether a person may call it. */
  callable: boolean;
}

/** What is chosen from: a source, or one server or folder of it. */
export interface Origin {
  value: string;
  source: Source;
  /** Null for all of the source. */
  server: string | null;
}

/** In the place of an origin: what the newest request was shown. No source has a name like that. */
export const NEWEST = ':newest';

/** All tools as they stand in the list, with what is known of them beside. */
export function listedOf(
  tools: readonly ToolSpec[],
  beside: { tokens: readonly number[]; owners: readonly (string | null)[] } | null,
): Listed[] {
  return tools.map((tool, at) => ({
    name: tool.name,
    tool,
    summary: briefOf(tool.description),
    source: tool.source,
    risk: tool.risk,
    tokens: beside?.tokens[at],
    owner: beside?.owners[at] ?? null,
    callable: true,
  }));
}

/** The first sentence says what a tool does; the rest when to use it. */
export function briefOf(description: string): string {
  return /^[\s\S]*?[.!?](?=\s|$)/.exec(description)?.[0] ?? description;
}

/** The server of an MCP tool, or the folder of a described one: `mcp.SERVER.TOOL`, `FOLDER.TOOL`. */
function serverOf(one: Listed): string | null {
  const place = { mcp: 1, catalogue: 0 }[one.source as string];
  return place === undefined ? null : (one.name.split('.')[place] ?? null);
}

/** From where there are tools: each source, and each server or folder of those that have some. */
export function originsOf(all: readonly Listed[]): Origin[] {
  const found = new Map<string, Origin>();
  for (const one of all) {
    const { source } = one;
    const server = serverOf(one);
    found.set(source, { value: source, source, server: null });
    if (server !== null) found.set(`${source}/${server}`, { value: `${source}/${server}`, source, server });
  }
  return [...found.values()];
}

/** The same as the engine is asked for it; what the newest request was shown is nothing that it knows. */
export function filterOf(from: string, risk: string): ToolFilter {
  const [source, ...server] = from === NEWEST ? [''] : from.split('/');
  return {
    sources: source ? [source as Source] : [],
    servers: server.length > 0 ? [server.join('/')] : [],
    risks: risk ? [risk as Risk] : [],
  };
}

/** The tools from somewhere that can do this at worst. */
export function narrowed(
  all: readonly Listed[],
  from: string,
  risk: string,
  newest: { has: (name: string) => boolean },
): Listed[] {
  const { sources, servers } = filterOf(from, risk);
  return all.filter(
    (one) =>
      (from !== NEWEST || newest.has(one.name)) &&
      (!sources[0] || one.source === sources[0]) &&
      (servers[0] === undefined || serverOf(one) === servers[0]) &&
      (!risk || one.risk === risk),
  );
}

/**
 * What a search found, the best first; behind it what only has the letters in it, as while a word is still being
 * written. `rest` are the tools that the search was narrowed down to.
 */
export function ranked(
  found: readonly FoundTool[],
  all: readonly Listed[],
  rest: readonly Listed[],
  query: string,
): Listed[] {
  const known = new Map(all.map((one) => [one.name, one]));
  const names = new Set(found.map((one) => one.name));
  const told = found.map(({ name, summary, source, risk, owner, callable }) => {
    const { tool, tokens } = known.get(name) ?? { tool: null, tokens: undefined };
    return { name, tool, summary, source, risk, tokens, owner, callable };
  });
  const lettered = rest.filter(
    (one) => !names.has(one.name) && hasWords(query, one.name, one.tool?.description ?? ''),
  );
  return [...told, ...lettered];
}
