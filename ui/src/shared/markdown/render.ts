import MarkdownIt, { type Token } from 'markdown-it';

/**
 * Markdown of a model as nodes that can do nothing. No HTML is made of it anywhere, and none is read: each element is
 * made by its name from a short list, each text is a text, and links lead to `http`, `https` and `mailto` only. Raw HTML
 * is shown as text, images as their descriptions.
 */

const ELEMENTS: ReadonlySet<string> = new Set([
  ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'ul', 'ol', 'li'],
  ...['pre', 'code', 'em', 'strong', 's', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
]);
const SAFE_LINK = /^(https?:|mailto:)/i;

/** Longer texts are shown as they are: a parser would take seconds, and nobody reads them. */
const MOST_LETTERS = 200_000;
/** So many cells of tables are laid out. A parser fills up what short rows leave out. */
const MOST_CELLS = 6000;
/** Quotes and lists in one another: beyond a hundred the parser leaves out what they hold. */
const DEEP = /^(?:[ \t]*(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){50}/m;
/** Elements of one text and how deep they stand in one another: what is beyond is there as text. */
const MOST_ELEMENTS = 3000;
const MOST_DEPTH = 50;

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.validateLink = (address: string) => SAFE_LINK.test(address.trim());

/** Texts of this length and less are kept as nodes, so many of them: rows of a long list come and go as it is scrolled. */
const KEPT_LENGTH = 8000;
const KEPT = 300;
const kept = new Map<string, DocumentFragment>();

/** Whether a text is shown as it was written, because laying it out would take too long. */
export function isTooMuch(text: string): boolean {
  if (text.length > MOST_LETTERS || DEEP.test(text)) return true;
  let cells = 0;
  for (const block of text.split(/\n\s*\n/)) {
    const rows = block.split('\n').map((row) => row.split('|').length - 1);
    cells +=
      rows.filter((pipes) => pipes > 0).length * rows.reduce((most, pipes) => Math.max(most, pipes), 0);
    if (cells > MOST_CELLS) return true;
  }
  return false;
}

/** The text as nodes, which are the caller's own. */
export function markdownNodes(text: string): DocumentFragment {
  const known = kept.get(text);
  if (known) return known.cloneNode(true) as DocumentFragment;
  const nodes = growingNodes(text);
  if (text.length <= KEPT_LENGTH) {
    if (kept.size >= KEPT) kept.delete(kept.keys().next().value ?? '');
    kept.set(text, nodes.cloneNode(true) as DocumentFragment);
  }
  return nodes;
}

/** The same, kept nowhere: for a text that will be another one in a moment. */
export function growingNodes(text: string): DocumentFragment {
  const root = document.createDocumentFragment();
  build([root], markdown.parse(text, {}), { elements: MOST_ELEMENTS });
  return root;
}

/** Has the parser made ready, which takes as long as several texts, before there is one to wait for. */
export function warm(): void {
  growingNodes(
    '# a\n\n- *b* **c** `d` https://example.org/e\n\n1. f\n\n> g\n\n| h |\n| - |\n| i |\n\n```\nj\n```',
  );
}

/**
 * Appends what tokens say to the last of the nodes that are open. Tokens nest properly, as the parser closes whatever it
 * opens. Where there is no room for another element, what it holds stands in the one around it.
 */
function build(open: Node[], tokens: readonly Token[], room: { elements: number }): void {
  for (const token of tokens) {
    const parent = open.at(-1);
    if (!parent) return;
    const fits = room.elements > 0 && open.length <= MOST_DEPTH;
    // The paragraph of a tight list stands there without an element of its own.
    if (token.hidden) continue;
    if (token.type === 'inline') build([...open], token.children ?? [], room);
    else if (token.nesting < 0) {
      const closed = open.pop();
      if (closed instanceof HTMLAnchorElement && closed !== open.at(-1)) tellLead(closed);
      else if (!fits && token.block) parent.appendChild(document.createTextNode('\n'));
    } else if (token.nesting > 0) {
      if (fits) room.elements -= 1;
      open.push(fits ? parent.appendChild(directed(element(token), open.length === 1)) : parent);
    } else if (token.type === 'text' || fits) {
      if (token.type !== 'text') room.elements -= 1;
      parent.appendChild(leaf(token));
    } else parent.appendChild(document.createTextNode(token.content || '\n'));
  }
}

/** Says beside a link that reads like an address where it leads, if that is somewhere else. */
function tellLead(link: HTMLAnchorElement): void {
  const said = /^(?:https?:\/\/|www\.)?(?:[^\s/@]*@)?([\w-]+(?:\.[\w-]+)+)(?:[/?#:]\S*)?$/i.exec(
    link.textContent.trim(),
  );
  const bare = (host: string) => host.toLowerCase().replace(/^www\./, '');
  if (!said?.[1] || !link.host || bare(said[1]) === bare(link.hostname)) return;
  link.append(document.createTextNode(` (${link.hostname})`));
}

/**
 * A block that stands in no other one goes in the direction of its own first letter, and so do the marks of its items and
 * the line beside a quote. What stands in it has no such word of its own: it would not be asked for the direction then.
 */
function directed(made: HTMLElement, isOutermost: boolean): HTMLElement {
  if (isOutermost) made.dir = 'auto';
  return made;
}

function element(token: Token): HTMLElement {
  // An element that is not on the list is none that could do anything.
  const made = document.createElement(ELEMENTS.has(token.tag) ? token.tag : 'span');
  const link = token.attrGet('href');
  if (token.tag === 'a' && link !== null && SAFE_LINK.test(String(link).trim()))
    made.setAttribute('href', String(link));
  // What a link says of itself is the model's word: where it leads is what is told.
  if (made.hasAttribute('href')) made.title = String(link);
  const start = token.attrGet('start');
  if (start !== null) made.setAttribute('start', String(start));
  // Alignment comes as a style, which the content security policy refuses.
  const style = String(token.attrGet('style') ?? '');
  if (/right/.test(style)) made.className = 'right';
  else if (/center/.test(style)) made.className = 'centre';
  return made;
}

function leaf(token: Token): Node {
  switch (token.type) {
    case 'softbreak':
      return document.createTextNode('\n');
    case 'hardbreak':
      return document.createElement('br');
    case 'hr':
      return document.createElement('hr');
    case 'code_inline':
      return leftToRight(filled('code', token.content));
    case 'code_block':
    case 'fence': {
      const block = document.createElement('pre');
      const language = token.info.trim().split(/\s+/)[0];
      if (language) block.dataset['language'] = language;
      block.append(filled('code', token.content));
      return leftToRight(block);
    }
    case 'image': {
      const picture = filled('span', token.content || '…');
      picture.className = 'picture';
      return picture;
    }
    default:
      return document.createTextNode(token.content);
  }
}

/** Code is read from the left, and says nothing of the direction of the words around it. */
function leftToRight(code: HTMLElement): HTMLElement {
  code.dir = 'ltr';
  return code;
}

function filled(name: string, content: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = content;
  return made;
}

/** How much of a growing text will not change any more: up to its last blank line outside of a block of code. */
export function settled(text: string): number {
  const at = text.lastIndexOf('\n\n');
  if (at < 0) return 0;
  const fences = [...text.slice(0, at).matchAll(/^[ \t]*(```|~~~)/gm)];
  // An odd number leaves the last one open.
  return fences.length % 2 === 0 ? at + 2 : (fences.at(-1)?.index ?? 0);
}
