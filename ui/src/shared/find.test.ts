import { expect, test } from 'vitest';
import { hasWords } from './find';

test('every word has to occur, in any text, in any case and order', () => {
  expect(hasWords('  table WRITE ', 'Write it', 'as a table')).toBe(true);
  expect(hasWords('table graph', 'Write it', 'as a table')).toBe(false);
  expect(hasWords('', 'anything')).toBe(true);
  expect(hasWords('   ')).toBe(true);
});
