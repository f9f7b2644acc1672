// @vitest-environment node
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');

const colours = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(
    ([, name, light, dark]) => [name as string, { light: light as string, dark: dark as string }],
  ),
);

/** Relative luminance, WCAG 2.2. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const surfaces = ['rail', 'paper', 'sheet', 'raised', 'sunken', 'bubble'];
const washes = { accent: 'accent-wash', run: 'run-wash', warn: 'warn-wash', stop: 'stop-wash' };

/** Text needs 4.5 to 1; the edges of what can be used, 3 to 1. */
const pairs: [string, string, number][] = [
  ...surfaces.flatMap((under): [string, string, number][] =>
    ['ink', 'ink-soft', 'ink-faint', 'accent', 'run', 'warn', 'stop'].map((over) => [over, under, 4.5]),
  ),
  ...Object.entries(washes).flatMap(([over, under]): [string, string, number][] => [
    [over, under, 4.5],
    ['ink', under, 4.5],
    ['ink-soft', under, 4.5],
  ]),
  ['accent-strong', 'accent-wash', 4.5],
  ['ink-on-accent', 'accent', 4.5],
  ['ink', 'mark-wash', 4.5],
  ...surfaces.map((under): [string, string, number] => ['edge', under, 3]),
];

test('every pair of colours has its contrast in both themes', () => {
  const weak = pairs.flatMap(([over, under, least]) => {
    const [top, ground] = [colours.get(over), colours.get(under)];
    if (!top || !ground) return [`tokens.css has no colour ${top ? under : over}`];
    const found = { light: contrast(top.light, ground.light), dark: contrast(top.dark, ground.dark) };
    return Object.entries(found)
      .filter(([, ratio]) => ratio < least)
      .map(([theme, ratio]) => `${theme}: ${over} on ${under} ${ratio.toFixed(2)} < ${least}`);
  });
  expect(weak).toEqual([]);
});
