import type { ToolCalls } from '../backend';
import type {
  Event,
  FoundBy,
  FoundPackView,
  HeapTree,
  KeyView,
  Purpose,
  Risk,
  RunId,
  SentRequest,
  SessionId,
  Source,
  SourceKey,
  SourceView,
  StepId,
  ToolFilter,
  ToolSearch,
  ToolSpec,
  ToolsView,
} from '../bindings';
import { contractOf, contractsOf } from './contracts';
import { createAgent, maker, metaTools, specialists, tools } from './tools';
import type { World } from './world';

/** About as many tokens as the engine would count. */
export function tokensOf(tool: ToolSpec): number {
  return Math.ceil(JSON.stringify([tool.name, tool.description, tool.parameters]).length / 4);
}

const issue: ToolSpec = {
  name: 'tickets.create',
  description: 'Opens a ticket in the tracker of the company.',
  parameters: {
    type: 'object',
    properties: {
      title: { type: 'string', description: 'Its title.' },
      priority: { enum: ['low', 'normal', 'high'], default: 'normal' },
      labels: { type: 'array', items: { type: 'string' } },
      reporter: { type: 'object', properties: { name: { type: 'string' } } },
    },
    required: ['title'],
  },
  source: 'catalogue',
  risk: 'network',
  mode: 'functional',
  success: 'status',
};

/** What folders hold that may be added here, by the last part of their path. */
const folders: Record<string, { tools: ToolSpec[]; faults: SourceView['faults'] }> = {
  tickets: {
    tools: [issue, { ...issue, name: 'tickets.list', description: 'Lists open tickets.', risk: 'read' }],
    faults: [
      {
        file: 'old.json',
        name: 'close ticket',
        reason: 'its name has a space in it; use letters, digits, - and _',
      },
      {
        file: 'broken.json',
        name: null,
        reason: 'it is no JSON: EOF while parsing an object at line 1 column 1',
      },
    ],
  },
};

/** The specialists with tools as they are, and one whose parts hold what it has too much. */
function heapOf(world: World): HeapTree {
  const own = [...specialists, ...(world.studio ? [maker] : [])].filter(
    (one) => one.executor.kind !== 'self',
  );
  const entry = (id: string, description: string, tools: string[], parent: string | null = null) => ({
    id,
    description,
    tools,
    parent,
    from: id === 'archive' ? 'mine' : null,
    model: id === 'archive' ? 'local/starter' : null,
    limits: { replies: id === 'archive' ? 12 : null, tokens: null, seconds: null },
  });
  return {
    specialists: [
      ...own.map((one) => entry(one.executor.id, one.description, one.tools)),
      ...(world.pack === 'absent'
        ? []
        : [entry('crawl', 'Makes the crawl plan of a web site.', ['run_crawl'])]),
      entry('archive', 'Keeps old texts in order.', []),
      entry('archive__part1', 'Keeps old texts in order (part 1)', ['grep', 'read'], 'archive'),
      entry('archive__part2', 'Keeps old texts in order (part 2)', ['create_file'], 'archive'),
    ],
    mostTools: 8,
    mostOnTop: 8,
    mostBelow: 7,
    mostOptions: 10,
    mostLevels: 5,
    faults: [],
  };
}

/** The specialist that has a tool; one that asks is nobody's, and each folder and server has one of its own. */
function ownerOf(world: World, { name, source }: ToolSpec): string | null {
  if (source === 'human') return null;
  if (source === 'catalogue' || source === 'mcp') return serverOf(name, source);
  return heapOf(world).specialists.find((one) => one.tools.includes(name))?.id ?? null;
}

function serverOf(name: string, source: Source): string | null {
  const parts = name.split('.');
  return (source === 'mcp' ? parts[1] : source === 'catalogue' ? parts[0] : null) ?? null;
}

export function catalogueOf(world: World): ToolsView {
  const all = [
    ...tools,
    ...(world.studio ? [createAgent] : []),
    ...world.sources.flatMap((source) => folders[source.name]?.tools ?? []),
  ];
  return {
    tools: all,
    tokens: all.map(tokensOf),
    owners: all.map((tool) => ownerOf(world, tool)),
    specialists: [...specialists, ...(world.studio ? [maker] : [])],
    heap: heapOf(world),
    packs: [
      {
        name: 'crawl',
        description: 'makes the crawl plan of a web site, and tests it',
        standing: world.pack,
        files: [],
      },
      ...world.ownPacks,
    ],
    sources: world.sources,
    studio: world.studio,
    budget: 3800,
  };
}

export function catalogueCalls(world: World): Omit<ToolCalls, 'call'> {
  return {
    list: async () => catalogueOf(world),
    find: async (text, limit, filter) => found(world, text, limit, filter),
    contracts: async () => contractsOf(catalogueOf(world).tools),
    contract: async (name) =>
      contractOf(catalogueOf(world).tools, name) ??
      world.fail('not_found', `there is no agent and no tool "${name}" any more`),
    addSource: async (name, folder) => {
      if (!/^[a-z][a-z0-9_-]{0,31}$/.test(name))
        world.fail(
          'invalid',
          `"${name}" is no name for a source: use up to 32 small letters, digits, - and _`,
        );
      if (world.sources.some((one) => one.name === name))
        world.fail(
          'invalid',
          `there is already a source named ${name}; remove it first, or use another name`,
        );
      if (!folder.startsWith('/'))
        world.fail('folder_unusable', `the folder ${folder} cannot be read: No such file or directory`);
      const has = folders[name] ?? { tools: [], faults: [] };
      const source = {
        name,
        folder,
        tools: has.tools.map((tool) => tool.name),
        faults: has.faults,
        hosts: has.tools.length > 0 ? ['tickets.example.com'] : [],
        problem: null,
      };
      world.sources = [...world.sources, source];
      return catalogueOf(world);
    },
    keys: async (source) => keysOf(world, source),
    setKey: async (source, host, key) => {
      if (!key.trim()) world.fail('invalid', 'there is no key in it: paste the key of the service');
      return keyed(world, source, host, { place: 'keyring' });
    },
    forgetKey: async (source, host) => keyed(world, source, host, { place: 'none' }),
    setStudio: async (open) => {
      world.studio = open;
      return catalogueOf(world);
    },
    addPack: async (name) => {
      if (world.pack !== 'absent') world.fail('conflict', `/home/you/packs/${name} is there already`);
      world.pack = 'added';
      return catalogueOf(world);
    },
    checkPack: async (name, folder) => foundPack(world, name, folder),
    addOwnPack: async (name, folder) => {
      const { files, faults } = foundPack(world, name, folder);
      if (faults.length > 0)
        world.fail('invalid', `nothing was added; in ${folder}: ${faults.length} faults`);
      world.ownPacks = [...world.ownPacks, { name, description: '', standing: 'own', files }];
      return catalogueOf(world);
    },
    removePack: async (name, changed) => {
      const own = world.ownPacks.some((one) => one.name === name);
      if (own && !changed) world.fail('conflict', `/home/you/packs/${name} is a pack of your own`);
      if (own) {
        world.ownPacks = world.ownPacks.filter((one) => one.name !== name);
        return catalogueOf(world);
      }
      if (world.pack === 'changed' && !changed)
        world.fail('conflict', `/home/you/packs/${name} differs from what Assent brings along`);
      world.pack = 'absent';
      return catalogueOf(world);
    },
    removeSource: async (name) => {
      world.sources = world.sources.filter((one) => one.name !== name);
      return catalogueOf(world);
    },
  };
}

/** What a folder has that could be a pack: one whose path ends in `broken` has faults, one in `instead` a note. */
function foundPack(world: World, name: string, folder: string): FoundPackView {
  if (!/^[a-z][a-z0-9_-]{0,39}$/.test(name)) world.fail('invalid', `"${name}" is no name of a pack`);
  if (!folder.startsWith('/'))
    world.fail('folder_unusable', `the folder ${folder} cannot be read: No such file or directory`);
  const faults = [
    {
      file: 'agents/writer.toml',
      reason: 'the agent "writer" was left out: line 3, models: unknown field `models`',
    },
    { file: 'contracts/in.json', reason: 'the agent "reader" was left out: it is no JSON' },
  ];
  return {
    name,
    files: ['agents/reader.toml', 'agents/writer.toml', 'contracts/in.json'],
    agents: folder.endsWith('broken') ? [] : ['reader', 'writer'],
    specialists: [],
    faults: folder.endsWith('broken') ? faults : [],
    notes: folder.endsWith('instead')
      ? [
          {
            file: 'specialists.json',
            reason: 'general: "general" comes from "instead" now, no longer from Assent',
          },
        ]
      : [],
  };
}

function keysOf(world: World, name: string): SourceKey[] {
  const source = world.sources.find((one) => one.name === name);
  if (!source) world.fail('not_found', `there is no source named ${name}`);
  return source.hosts.map((host) => ({
    host,
    key: world.sourceKeys.get(`${name} ${host}`) ?? { place: 'none' },
  }));
}

function keyed(world: World, name: string, host: string, key: KeyView): SourceKey[] {
  if (!world.sources.some((one) => one.name === name && one.hosts.includes(host)))
    world.fail('not_found', `no tool of ${name} sends a key to ${host}`);
  world.sourceKeys.set(`${name} ${host}`, key);
  return keysOf(world, name);
}

/** A ranking that is like the engine's only in its form: how many words of the request a tool has. */
function found(world: World, text: string, limit: number, filter?: ToolFilter): ToolSearch {
  const all = [...catalogueOf(world).tools, ...metaTools];
  const wanted = new Set(
    text
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word.length > 3),
  );
  const share = (of: string) => {
    const words = of.toLowerCase().split(/[^a-z]+/);
    return [...wanted].filter((word) => words.includes(word)).length / Math.max(1, wanted.size);
  };
  const ranked = all
    .map((tool) => {
      const parts: [FoundBy, number][] = [
        ['words', share(`${tool.name} ${tool.description}`)],
        ['name', 0.3 * share(tool.name.replace(/[._]/g, ' '))],
        ['description', 0.1 * share(tool.description)],
      ];
      const { name, description: summary, source, risk } = tool;
      const reasons = parts.filter(([, adds]) => adds > 0).map(([of, adds]) => ({ of, adds }));
      const score = reasons.reduce((sum, reason) => sum + reason.adds, 0);
      const beside = { owner: ownerOf(world, tool), callable: !metaTools.includes(tool) };
      return { name, summary, source, risk, ...beside, exact: name === text, score, reasons };
    })
    .filter((one) => one.score > 0)
    .sort((one, other) => other.score - one.score);
  const tools = ranked.filter((one) => wants(one, filter)).slice(0, limit);
  const none =
    ranked.length > 0
      ? `${ranked.length} tools would fit, but the filter leaves them out.`
      : `None of ${all.length} tools says anything like that.`;
  return { tools, nothing: tools.length > 0 ? null : none, lacks: world.lacks };
}

function wants({ name, source, risk }: { name: string; source: Source; risk: Risk }, filter?: ToolFilter) {
  const has = <T>(all: readonly T[] | undefined, one: T | null) =>
    !all || all.length === 0 || (one !== null && all.includes(one));
  return (
    has(filter?.sources, source) && has(filter?.servers, serverOf(name, source)) && has(filter?.risks, risk)
  );
}

/** So many tools a planner is told of here. */
const PLANNED_WITH = 8;

/** What a request tells of tools, and what it leaves out. */
export function shownIn(
  world: World,
  session: SessionId,
  { purpose, run, step }: { purpose: Purpose; run?: RunId; step?: StepId },
): Pick<SentRequest, 'tools' | 'told' | 'studioTokens' | 'leftOut' | 'toolBudget' | 'byMeaning'> {
  const { tools, budget } = catalogueOf(world);
  const none = { tools: [], studioTokens: 0, leftOut: [], byMeaning: null };
  if (purpose === 'plan') {
    const told = tools.slice(0, PLANNED_WITH);
    // A line each, and no schema.
    const lines = told.map((tool) => ({ name: tool.name, tokens: Math.ceil(tokensOf(tool) / 4) }));
    return { ...none, told: lines, toolBudget: budget, byMeaning: false };
  }
  if (purpose !== 'step') return { ...none, told: [], toolBudget: 0 };
  const all: readonly Event[] = world.events.get(session) ?? [];
  const began = all.findLastIndex((event) => event.kind === 'run_queued' && event.run === run);
  const events = all.slice(Math.max(0, began));
  const own = events.flatMap((event) =>
    event.kind === 'call_started' && event.step === step ? [event.tool] : [],
  );
  const names = new Set(own.length > 0 ? [...own, 'read', 'grep'] : []);
  const shown = [...tools, ...metaTools].filter((tool) => names.has(tool.name));
  const discovers = events.some((event) => event.kind === 'call_started' && event.tool === 'tool_search');
  return {
    tools: shown,
    told: shown.map((tool) => ({ name: tool.name, tokens: tokensOf(tool) })),
    studioTokens: world.studio ? 120 : 0,
    leftOut: discovers ? [{ name: 'mcp.github.create_issue', why: 'budget' }] : [],
    toolBudget: budget,
    byMeaning: null,
  };
}
