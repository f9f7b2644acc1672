import { expect, test } from 'vitest';
import type { Content } from '../backend/bindings';
import { appOn } from './mounted.test-data';

const content = (at: number, bytes: number): Content => ({ blob: `sha ${at}`, bytes, preview: '' });

/** So many values of a size, read one after the other, and how many of them are kept. */
async function kept(count: number, bytes: number): Promise<number> {
  const { app, backend } = await appOn('empty');
  backend.contents.read = async () => 'the whole';
  const all = Array.from({ length: count }, (_, at) => content(at, bytes));
  for (const one of all) await app.contents.read(one);
  expect(app.contents.of(all.at(-1)), 'what was read last').toBe('the whole');
  return all.filter((one) => app.contents.of(one) !== undefined).length;
}

test('of what was read as much is kept as there is room for, and never less than is in sight together', async () => {
  expect(await kept(200, 4000)).toBe(200);
  expect(await kept(60, 400_000)).toBe(40);
  expect(await kept(60, 40_000_000)).toBe(20);
});

test('a value that is asked for twice at once is read once, and one that could not be read is read anew', async () => {
  const { app, backend } = await appOn('empty');
  let reads = 0;
  backend.contents.read = async () => {
    reads += 1;
    if (reads === 1) throw new Error('the disk is away');
    return 'the whole';
  };
  const one = content(0, 4000);
  await expect(app.contents.read(one)).rejects.toThrow('the disk is away');
  expect(await Promise.all([app.contents.read(one), app.contents.read(one)])).toEqual([
    'the whole',
    'the whole',
  ]);
  expect(reads).toBe(2);
});
