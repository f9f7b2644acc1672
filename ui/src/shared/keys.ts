import { showsTaken } from './leaving';

/** A keyboard event as people write it: `Ctrl+Shift+Z`, `F2`, `/`. On a Mac, Command counts as Ctrl. */
export function keyName(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? (latin(event) ?? event.key.toUpperCase()) : event.key;
  const parts = [
    (event.ctrlKey || event.metaKey) && 'Ctrl',
    event.altKey && 'Alt',
    event.shiftKey && (event.key.length > 1 || /[a-z]/i.test(key)) && 'Shift',
    key,
  ];
  return parts.filter(Boolean).join('+');
}

/** The letter that a key has on other layouts, where its own is none of the alphabet of commands. */
function latin({ key, code, ctrlKey, metaKey }: KeyboardEvent): string | undefined {
  const isForeign = (ctrlKey || metaKey) && /\p{L}/u.test(key) && !/[a-z]/i.test(key);
  return isForeign ? /^Key([A-Z])$/.exec(code)?.[1] : undefined;
}

/** Whether the event comes from where a person writes, so that plain letters are not commands. */
export function isWriting(event: KeyboardEvent): boolean {
  const target = event.target;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}

/**
 * Whether a field holds words that nobody has taken yet, or is one whose words are taken nowhere: there the keys that undo
 * are its own. A field says in `data-taken` what was taken of it last.
 */
export function isBeingWritten(field: Element): boolean {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return false;
  if (/^(checkbox|radio)$/.test(field.type)) return false;
  return !showsTaken(field) && field.value.trim() !== field.dataset['taken'];
}

/** Acts on the first binding that fits and stops the event there. */
export function onKeys(bindings: Record<string, (event: KeyboardEvent) => void>) {
  return (event: KeyboardEvent): void => {
    const act = bindings[keyName(event)];
    if (!act || event.defaultPrevented || isComposing(event)) return;
    event.preventDefault();
    event.stopPropagation();
    act(event);
  };
}

/**
 * Whether a key belongs to an input method that is still composing a word: its Enter takes the word and sends nothing.
 * Some engines end the composition just before that Enter and tell it by the code 229 only.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}
