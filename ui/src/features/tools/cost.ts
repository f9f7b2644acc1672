import type { ToolSpec, ToolsView } from '../../backend/bindings';

/** How many tools there are of a kind, and what they would take of a request together. */
export function costOf(
  view: ToolsView,
  counts: (tool: ToolSpec) => boolean,
): { tools: number; tokens: number } {
  let [tools, tokens] = [0, 0];
  view.tools.forEach((tool, at) => {
    if (!counts(tool)) return;
    tools += 1;
    tokens += view.tokens[at] ?? 0;
  });
  return { tools, tokens };
}

/** The folder that a tool came from, or what else it comes from. */
export function sourceOf(tool: ToolSpec): string {
  return tool.source === 'catalogue' ? (tool.name.split('.')[0] ?? '') : tool.source;
}

/** A name for a folder, as the engine would take it. */
export function nameFor(folder: string): string {
  const last =
    folder
      .replace(/[/\\]+$/, '')
      .split(/[/\\]/)
      .pop() ?? '';
  const name = last
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 32);
  return name === 'mcp' ? 'mcp-tools' : name;
}
