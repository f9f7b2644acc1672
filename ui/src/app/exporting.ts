import type { ExportFormat, PlanId } from '../backend/bindings';
import type { App } from './app.svelte';

const ENDINGS: Record<ExportFormat, string> = { json: 'json', markdown: 'md', mermaid: 'mmd' };

/** So many letters of a title are enough for a name. */
const LONGEST = 60;

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
    path = await app.backend.desktop.saveText(`${fileName(title)}${suffix}.${ENDINGS[format]}`, content);
  });
  return path;
}

/** The letters and digits of a title; a title may have none. */
function fileName(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...words.join('-')].slice(0, LONGEST).join('').replace(/-$/, '') || 'plan';
}
