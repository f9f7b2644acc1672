import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';

/**
 * Markdown of a model as HTML that can do nothing: raw HTML is shown as text, images as their descriptions, links lead
 * to `http`, `https` and `mailto` only, and what is left goes through a sanitiser that knows a short list of elements.
 */

const TAGS = [
  ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'ul', 'ol', 'li'],
  ...['pre', 'code', 'em', 'strong', 's', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'span'],
];
const CLEAN = {
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: ['href', 'title', 'start', 'class', 'data-language'],
  ADD_URI_SAFE_ATTR: ['start', 'data-language'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(https?:|mailto:)/i,
};

/** Longer texts are shown as they are: a parser would take seconds, and nobody reads them. */
export const MARKDOWN_LIMIT = 200_000;

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.validateLink = (address: string) => /^(https?:|mailto:)/i.test(address.trim());
markdown.renderer.rules['image'] = (tokens, at) => {
  const description = markdown.utils.escapeHtml(tokens[at]?.content ?? '');
  return `<span class="picture">${description || '…'}</span>`;
};
markdown.renderer.rules['fence'] = (tokens, at) => {
  const token = tokens[at];
  const language = markdown.utils.escapeHtml((token?.info ?? '').trim().split(/\s+/)[0] ?? '');
  return `<pre data-language="${language}"><code>${markdown.utils.escapeHtml(token?.content ?? '')}</code></pre>\n`;
};
// Alignment would come as a style attribute, which the content security policy refuses.
for (const rule of ['th_open', 'td_open']) {
  markdown.renderer.rules[rule] = (tokens, at, options, _env, self) => {
    const token = tokens[at];
    const style = String(token?.attrGet('style') ?? '');
    if (token)
      token.attrs = /right/.test(style)
        ? [['class', 'right']]
        : /center/.test(style)
          ? [['class', 'centre']]
          : null;
    return self.renderToken(tokens, at, options);
  };
}

const CLEAN_NODES = { ...CLEAN, RETURN_DOM_FRAGMENT: true as const };

/** Texts of this length and less are kept as HTML, so many of them: rows of a long list come and go as it is scrolled. */
const KEPT_LENGTH = 8000;
const KEPT = 300;
const kept = new Map<string, string>();

/** The text as HTML. */
export function renderMarkdown(text: string): string {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const html = sanitised(text);
  if (text.length <= KEPT_LENGTH) {
    if (kept.size >= KEPT) kept.delete(kept.keys().next().value ?? '');
    kept.set(text, html);
  }
  return html;
}

/** The same as nodes, kept nowhere: for a text that will be another one in a moment. */
export function markdownNodes(text: string): DocumentFragment {
  return DOMPurify.sanitize(markdown.render(text), CLEAN_NODES);
}

function sanitised(text: string): string {
  return DOMPurify.sanitize(markdown.render(text), CLEAN);
}

/** How much of a growing text will not change any more: up to its last blank line outside of a block of code. */
export function settled(text: string): number {
  const at = text.lastIndexOf('\n\n');
  if (at < 0) return 0;
  const fences = [...text.slice(0, at).matchAll(/^[ \t]*(```|~~~)/gm)];
  // An odd number leaves the last one open.
  return fences.length % 2 === 0 ? at + 2 : (fences.at(-1)?.index ?? 0);
}
