import { expect, test } from 'vitest';
import { holdsKey } from './keyShape';

test('a key of a service is told by its shape, and other words are not taken for one', () => {
  for (const key of [
    `sk-proj-${'a1'.repeat(12)}`,
    `ghp_${'Ab1'.repeat(12)}`,
    `github_pat_${'Ab1'.repeat(12)}`,
    'AKIAIOSFODNN7EXAMPLE',
    `AIza${'Sy-_1'.repeat(7)}`,
    'xoxb-123456789012-abcdef',
    `eyJhbGciOiJIUzI1NiIs.${'abc-'.repeat(6)}.sig`,
    '-----BEGIN OPENSSH PRIVATE KEY-----',
  ])
    expect([key, holdsKey(`Use ${key} for it`)]).toEqual([key, true]);
  for (const text of [
    '',
    'Ask sk-learn about it',
    'the skin-deep risk-averse approach of 2026',
    'AKIA',
    'ghp_x',
  ])
    expect([text, holdsKey(text)]).toEqual([text, false]);
  expect(holdsKey(`${'x '.repeat(60_000)}AKIAIOSFODNN7EXAMPLE`)).toBe(false);
});
