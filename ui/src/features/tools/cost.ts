import type { ToolSpec, ToolsView } from '../../backend/bindings';

/** How many tools there are of a kind, what they would take of a request together, and how many the newest one has. */
export function costOf(
  view: ToolsView,
  counts: (tool: ToolSpec) => boolean,
  newest: { has: (name: string) => boolean },
): { tools: number; tokens: number; loaded: number } {
  let [tools, tokens, loaded] = [0, 0, 0];
  view.tools.forEach((tool, at) => {
    if (!counts(tool)) return;
    tools += 1;
    tokens += view.tokens[at] ?? 0;
    if (newest.has(tool.name)) loaded += 1;
  });
  return { tools, tokens, loaded };
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
