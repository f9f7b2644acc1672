import type { Content, JsonValue } from '../backend/bindings';
import { jsonWords } from './longNumbers';

/** The text of a content that stands in its event, or the beginning of one that does not. */
export function textOf(content: Content | null | undefined): string {
  if (!content) return '';
  if ('preview' in content) return content.preview;
  return asText(content.inline);
}

/** Whether more belongs to a content than `textOf` gives. */
export function isCut(content: Content | null | undefined): boolean {
  return Boolean(content && 'blob' in content);
}

/** A value as a person reads it: texts as they are, everything else as JSON, with a sign at what is not known exactly. */
export function asText(value: JsonValue | null | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : jsonWords(value, 2);
}

/** The value of a content that stands in its event. */
export function inlineOf(content: Content | null | undefined): JsonValue | undefined {
  return content && 'inline' in content ? content.inline : undefined;
}

/** A call in one line, `grep "patent" *`: the values of its arguments, names only where there are several. */
export function callLine(args: Content | null | undefined): string {
  const value = inlineOf(args);
  if (value === undefined) return textOf(args);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return asText(value);
  const entries = Object.entries(value).filter(([, one]) => one !== null && one !== '' && one !== false);
  return entries.map(([name, one], at) => (at === 0 ? brief(one) : `${name}=${brief(one)}`)).join(' ');
}

function brief(value: JsonValue | undefined): string {
  const text = value === undefined ? '' : jsonWords(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
