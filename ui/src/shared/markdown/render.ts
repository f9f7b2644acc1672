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
export const MARKDOWN_LIMIT = 200_000;

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.validateLink = (address: string) => SAFE_LINK.test(address.trim());

/** Texts of this length and less are kept as nodes, so many of them: rows of a long list come and go as it is scrolled. */
const KEPT_LENGTH = 8000;
const KEPT = 300;
const kept = new Map<string, DocumentFragment>();

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
  build(root, markdown.parse(text, {}));
  return root;
}

/** Has the parser made ready, which takes as long as several texts, before there is one to wait for. */
export function warm(): void {
  growingNodes(
    '# a\n\n- *b* **c** `d` https://example.org/e\n\n1. f\n\n> g\n\n| h |\n| - |\n| i |\n\n```\nj\n```',
  );
}

/** Appends what tokens say. They nest properly, as the parser closes whatever it opens. */
function build(root: Node, tokens: readonly Token[]): void {
  const open: Node[] = [root];
  for (const token of tokens) {
    const parent = open.at(-1) ?? root;
    if (token.nesting < 0) {
      if (!token.hidden && open.length > 1) open.pop();
    } else if (token.type === 'inline') build(parent, token.children ?? []);
    else if (token.nesting > 0) {
      // The paragraph of a tight list stands there without an element of its own.
      if (!token.hidden) open.push(parent.appendChild(element(token)));
    } else parent.appendChild(leaf(token));
  }
}

function element(token: Token): HTMLElement {
  // An element that is not on the list is none that could do anything.
  const made = document.createElement(ELEMENTS.has(token.tag) ? token.tag : 'span');
  const link = token.attrGet('href');
  if (token.tag === 'a' && link !== null && SAFE_LINK.test(String(link).trim()))
    made.setAttribute('href', String(link));
  for (const name of ['title', 'start']) {
    const value = token.attrGet(name);
    if (value !== null) made.setAttribute(name, String(value));
  }
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
      return filled('code', token.content);
    case 'code_block':
    case 'fence': {
      const block = document.createElement('pre');
      const language = token.info.trim().split(/\s+/)[0];
      if (language) block.dataset['language'] = language;
      block.append(filled('code', token.content));
      return block;
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
