import type { ExportFormat, PlanId } from '../backend/bindings';
import type { App } from './app.svelte';

const ENDINGS: Record<ExportFormat, string> = { json: 'json', markdown: 'md', mermaid: 'mmd' };

/** A version of a plan that is to be written somewhere. */
export interface Exported {
  id: PlanId;
  version: number;
  title: string;
}

/**
 * Has the person choose a file for a version and writes it there; the path, or null when they did not or it could not be
 * written, which the window tells. The name that is proposed may say which version it is.
 */
export function writePlan(
  app: App,
  { id, version, title }: Exported,
  format: ExportFormat,
  suffix = '',
): Promise<string | null> {
  return saveDocument(app, title, format, () => app.backend.plans.export(id, version, format), suffix);
}

/** The same for any document that is called something. */
export async function saveDocument(
  app: App,
  title: string,
  format: ExportFormat,
  document: () => Promise<string>,
  suffix = '',
): Promise<string | null> {
  let path: string | null = null;
  await app.try(async () => {
    const content = await document();
    const name = (title || 'plan')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 60);
    path = await app.backend.desktop.saveText(`${name}${suffix}.${ENDINGS[format]}`, content);
  });
  return path;
}
