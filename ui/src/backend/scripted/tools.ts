import type { JsonValue, Risk, Source, SpecialistOption, ToolSpec } from '../bindings';

function tool(
  name: string,
  description: string,
  risk: Risk,
  parameters: Record<string, JsonValue>,
  required: string[],
  source: Source = 'core',
): ToolSpec {
  return {
    name,
    description,
    parameters: { type: 'object', properties: parameters, required, additionalProperties: false },
    source,
    risk,
    mode: source === 'human' ? 'blocking' : 'functional',
    success: name === 'bash' ? 'exit_zero' : 'status',
  };
}

const text = (description: string): JsonValue => ({ type: 'string', description });
const flag = (description: string): JsonValue => ({ type: 'boolean', description });
const count = (description: string): JsonValue => ({ type: 'integer', minimum: 0, description });

/** The tools of the scripted engine, with the risks of the real ones. */
export const tools: ToolSpec[] = [
  tool(
    'bash',
    'Run a shell command in the workspace.',
    'execute',
    { command: text('The command.'), timeout: count('Seconds.') },
    ['command'],
  ),
  tool(
    'create_file',
    'Create a file, or replace what is in it.',
    'write',
    { path: text('Where.'), content: text('The whole content.') },
    ['path', 'content'],
  ),
  tool(
    'edit_file',
    'Replace text in a file.',
    'write',
    {
      path: text('Which file.'),
      old_string: text('What to replace.'),
      new_string: text('By what.'),
      replace_all: flag('All of them.'),
    },
    ['path', 'old_string', 'new_string'],
  ),
  tool('undo_edit', 'Take the last change of a file back.', 'write', { path: text('Which file.') }, ['path']),
  tool(
    'glob',
    'List the files whose names match a pattern.',
    'read',
    {
      pattern: text('As in `**/*.md`.'),
      max_results: { type: 'integer', minimum: 1, default: 1000, description: 'At most so many.' },
    },
    ['pattern'],
  ),
  tool(
    'grep',
    'Search the text of files, and count the matching lines of each.',
    'read',
    {
      pattern: text('What to look for.'),
      path: text('Where.'),
      case_sensitive: flag('Whether case counts.'),
    },
    ['pattern'],
  ),
  tool(
    'finder',
    'Search files by kind and content.',
    'read',
    { query: text('What to look for.'), file_type: text('As in `python`.') },
    ['query'],
  ),
  tool('read', 'Read a file or list a folder.', 'read', { path: text('Which one.') }, ['path']),
  tool('fetch_page', 'Fetch a web page as text.', 'network', { url: text('Its address.') }, ['url']),
  tool('delete_file', 'Delete a file for good.', 'destructive', { path: text('Which file.') }, ['path']),
  tool(
    'ask_user',
    'Ask the person a question.',
    'read',
    { question: text('The question.') },
    ['question'],
    'human',
  ),
  tool(
    'displayConfirmation',
    'Ask the person to approve something.',
    'read',
    { action: text('What would be done.') },
    ['action'],
    'human',
  ),
  tool(
    'mcp.github.create_issue',
    'Open an issue in a repository on GitHub.',
    'network',
    { repository: text('owner/name'), title: text('Its title.'), body: text('Its text.') },
    ['repository', 'title'],
    'mcp',
  ),
];

/** What models look for tools with: found as well, and called by nobody else. */
export const metaTools: ToolSpec[] = [
  tool('tool_search', 'Find tools by what they do.', 'read', { query: text('What it should do.') }, [
    'query',
  ]),
  tool('tool_explain', 'Show how a tool is called.', 'read', { tool_id: text('Its name.') }, ['tool_id']),
];

/** Who may do a step. */
export const specialists: SpecialistOption[] = [
  {
    executor: { kind: 'self', id: '' },
    name: 'single agent',
    description: 'Core tools, and finds others.',
    tools: [],
  },
  {
    executor: { kind: 'specialist', id: 'files' },
    name: 'files',
    description: 'Reads, searches and writes files.',
    tools: ['grep', 'glob', 'read', 'create_file', 'edit_file'],
  },
  {
    executor: { kind: 'specialist', id: 'general' },
    name: 'general',
    description: 'Answers, asks and formats.',
    tools: ['ask_user', 'displayConfirmation'],
  },
  {
    executor: { kind: 'specialist', id: 'web' },
    name: 'web',
    description: 'Fetches pages.',
    tools: ['fetch_page'],
  },
];

/** What the studio brings. */
export const createAgent: ToolSpec = tool(
  'create_agent',
  'Make an agent.',
  'write',
  { name: text('Its name.') },
  ['name'],
  'studio',
);
export const maker: SpecialistOption = {
  executor: { kind: 'specialist', id: 'agent' },
  name: 'agent',
  description: 'Makes and changes agents.',
  tools: ['create_agent'],
};
