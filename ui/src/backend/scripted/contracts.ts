import type { ContractEntry, ContractPage, Field, ToolSpec } from '../bindings';

const none = { replies: null, tokens: null, seconds: null };
const field = (name: string, takes: string, more: Partial<Field> = {}): Field => ({
  name,
  depth: 0,
  takes,
  required: false,
  default: null,
  example: null,
  description: '',
  ...more,
});

const planner: ContractPage = {
  entry: {
    name: 'plan_generator_agent',
    isAgent: true,
    pack: 'crawl',
    description: 'Writes the crawl plan of a web site from what others have found.',
  },
  model: 'step',
  limits: { ...none, replies: 12 },
  input: {
    fields: [
      field('target_url', 'text, format uri', {
        required: true,
        example: '"https://example.com"',
        description: 'The site.',
      }),
      field('task_name', 'text', { default: '"Generate Crawl Plan"' }),
      field('collected_information', 'list of objects, at least 1', {
        required: true,
        description: 'CRITICAL: Array of outputs from sub-agents.',
      }),
      field('agent_name', 'one of "discovery_agent", "selector_agent"', { depth: 1, required: true }),
      field('output', 'object', { depth: 1, required: true, description: 'The COMPLETE response.' }),
      field('pages', 'list of objects', { depth: 2 }),
      field('url', 'text', {
        depth: 3,
        example: '"https://example.com/a/very/long/path/of/an/article/in/it"',
      }),
    ],
    cut: true,
  },
  output: { fields: [field('plan_file_path', 'text', { required: true })], cut: false },
  example: '{\n  "target_url": "https://example.com"\n}',
  prompt: '# Collected Information for https://example.com\n\n(the task)',
};

/** All agents and tools that the window may show contracts of. */
export function contractsOf(tools: readonly ToolSpec[]): ContractEntry[] {
  return [
    planner.entry,
    ...tools.map(({ name, description }) => ({ name, isAgent: false, pack: null, description })),
  ];
}

/** The engine works out more of a schema than this. */
export function contractOf(tools: readonly ToolSpec[], name: string): ContractPage | null {
  if (name === planner.entry.name) return planner;
  const entry = contractsOf(tools).find((one) => one.name === name);
  const schema = tools.find((one) => one.name === name)?.parameters as
    { properties?: Record<string, { type?: string; description?: string }>; required?: string[] } | undefined;
  if (!entry) return null;
  const fields = Object.entries(schema?.properties ?? {}).map(([of, { type, description }]) =>
    field(of, type ?? 'any value', {
      required: schema?.required?.includes(of) ?? false,
      description: description ?? '',
    }),
  );
  const input = { fields, cut: false };
  return { entry, model: null, limits: none, input, output: null, example: null, prompt: null };
}
