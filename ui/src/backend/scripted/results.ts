import type { JsonValue, Plan, Request } from '../bindings';

/** What scripted steps call their tools with, what the tools give, and what they ask. */

const TABLE = '| licence | lines |\n| --- | ---: |\n| GPL-3 | 57 |\n| MPL-2.0 | 21 |\n| Apache-2.0 | 8 |\n';

export function argumentsOf(tool: string, plan: Plan): JsonValue {
  switch (tool) {
    case 'grep':
      return { pattern: 'patent', path: '.', case_sensitive: false };
    case 'create_file':
      return { path: String(plan.extractedContext['output'] ?? 'notes.md'), content: TABLE };
    case 'glob':
      return { pattern: '**/*' };
    case 'displayConfirmation':
      return { action: 'Write patents.md', details: 'A table of 5 licences, 9 lines.' };
    case 'ask_user':
      return { question: 'Should the table also list licences without a mention?' };
    case 'bash':
      return { command: 'ls -la' };
    case 'edit_file':
      return {
        path: 'notes/patents.md',
        old_string: '| GPL-3 | 55 |',
        new_string: '| GPL-3 | 57 |\n| AGPL-3 | 31 |',
      };
    case 'delete_file':
      return { path: 'old/patents.md' };
    case 'tool_search':
      return { query: 'fetch a web page as text' };
    case 'tool_explain':
      return { tool_id: 'fetch_page' };
    case 'fetch_page':
      return { url: 'https://example.org/licences' };
    default:
      return {};
  }
}

export function outputOf(tool: string): JsonValue {
  if (tool === 'grep')
    return {
      pattern: 'patent',
      lines_per_file: {
        'GPL-3': 57,
        'MPL-2.0': 21,
        'Apache-2.0': 8,
        'LGPL-2.1': 7,
        'GPL-2': 6,
        BSD: 0,
        Artistic: 0,
      },
      files_searched: 17,
      truncated: false,
    };
  if (tool === 'tool_search')
    return {
      results: [
        {
          name: 'fetch_page',
          summary: 'Fetch a web page as text.',
          source: 'core',
          owner: 'web',
          risk: 'network',
          callable: false,
        },
        {
          name: 'grep',
          summary: 'Search the text of files.',
          source: 'core',
          owner: 'files',
          risk: 'read',
          callable: true,
        },
        {
          name: 'mcp.github.create_issue',
          summary: 'Open an issue in a repository on GitHub.',
          source: 'mcp',
          risk: 'network',
          callable: false,
        },
      ],
      items_found: 3,
      by_meaning: false,
    };
  if (tool === 'tool_explain') return { tool_id: 'fetch_page', description: 'Fetch a web page as text.' };
  if (tool === 'create_file') return { success: true, path: 'patents.md', bytes_written: 112 };
  return { success: true };
}

export function asked(
  tool: string,
  base: Pick<Request, 'id' | 'path' | 'call' | 'askedBy' | 'arguments'>,
): Request | null {
  if (tool === 'ask_user') {
    const options = [
      { label: 'Only those with mentions', consequence: 'shorter, what you asked for' },
      { label: 'All 17, with zeros', consequence: 'complete' },
    ];
    return {
      ...base,
      kind: 'question',
      prompt: 'Should the table also list licences without a mention?',
      reason: 'Twelve of the seventeen have none.',
      stepIndex: 1,
      stepTotal: 1,
      input: { kind: 'select', options, allowEdit: false, allowText: true },
      tool,
    };
  }
  if (tool === 'displayConfirmation') {
    return {
      ...base,
      kind: 'confirm',
      prompt: 'Write patents.md?',
      reason: 'A table of 5 licences, 9 lines. The file does not exist yet.',
      input: { kind: 'decision', allowEdit: true, allowText: true },
      tool,
    };
  }
  if (tool === 'edit_file') {
    return {
      ...base,
      kind: 'permit',
      prompt: 'Allow edit_file?',
      reason: 'The approved plan does not name notes/patents.md.',
      input: { kind: 'decision', allowEdit: true, allowText: true },
      tool,
      risk: 'write',
      reaches: ['step', 'run', 'workspace'],
    };
  }
  if (tool === 'delete_file' || tool === 'bash') {
    return {
      ...base,
      kind: 'permit',
      prompt: `Allow ${tool}?`,
      reason: tool === 'bash' ? 'Commands ask, because no sandbox is there.' : 'It cannot be undone.',
      input: { kind: 'decision', allowEdit: true, allowText: true },
      tool,
      ...(tool === 'bash'
        ? { risk: 'execute', reaches: ['step', 'run', 'workspace'] }
        : { risk: 'destructive' }),
    };
  }
  return null;
}
