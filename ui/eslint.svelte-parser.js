import * as svelte from 'svelte-eslint-parser';
import ts from 'typescript-eslint';

export { meta } from 'svelte-eslint-parser';

/**
 * What the import rules see of a Svelte component: the statements of its scripts, as if it were a module. They ask
 * for no tokens to be quicker, and the Svelte parser cannot do without them.
 */
export function parseForESLint(code, options) {
  const parsed = svelte.parseForESLint(code, { ...options, tokens: true, comment: true, parser: ts.parser });
  const body = parsed.ast.body.flatMap((node) => (node.type === 'SvelteScriptElement' ? node.body : []));
  return { ...parsed, ast: { ...parsed.ast, body } };
}
