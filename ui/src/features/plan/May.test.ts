import { fireEvent, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { appOn, mounted } from '../../app/mounted.test-data';
import type { Effects } from '../../backend/bindings';
import May from './May.svelte';

async function shown(effects: Partial<Effects>) {
  const { app, backend } = await appOn('proposed');
  const [plan] = await backend.plans.list();
  if (!plan) throw new Error('the scene has no plan');
  const { check } = await backend.plans.get(plan.id);
  mounted(May, { plan, check: { ...check, effects: { ...check.effects, ...effects } } }, app);
}
const said = () => screen.getByTestId('may').textContent.replace(/\s+/g, ' ').trim();
const paths = () => [...screen.getByTestId('may').querySelectorAll('code')].map((one) => one.textContent);

test('of many files the first are named, and all of them once that is asked for, also by key', async () => {
  const writes = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.md`);
  await shown({ reads: [], writes });
  expect(said()).toMatch(/^May write a\.md, b\.md, c\.md, d\.md and 2 more\. /);
  const more = screen.getByRole('button', { name: 'and 2 more that may be written' });
  more.focus();
  expect(document.activeElement).toBe(more);
  await fireEvent.click(more);
  expect(paths()).toEqual(writes);
  await fireEvent.click(screen.getByRole('button', { name: 'show fewer' }));
  expect(paths()).toEqual(writes.slice(0, 4));
});

test('nothing hides in the names of files, hosts and tools', async () => {
  await shown({
    reads: [],
    writes: ['notes/\u202edm.sh'],
    network: true,
    hosts: ['exam\u200bple.org'],
    destructive: ['delete\u2066_file'],
  });
  expect(paths()).toEqual(['notes/⟨U+202E⟩dm.sh']);
  expect(said()).toContain('Uses the network: exam⟨U+200B⟩ple.org');
  expect(said()).toContain('delete⟨U+2066⟩_file cannot be undone');
});

test('which steps look for a tool is said of one and of several', async () => {
  const looking = async (...ids: string[]) => {
    document.body.replaceChildren();
    await shown({ open: ids });
    return said();
  };
  expect(await looking('s2')).toContain('step 2 looks for a tool; what has effects asks then');
  expect(await looking('s2', 's4')).toContain('steps 2 and 4 look for a tool; what has effects asks then');
  expect(await looking('s1', 's2', 's4')).toContain('steps 1, 2 and 4 look for a tool');
});

test('no sentence says more of what is left alone than holds', async () => {
  const looked = async (effects: Partial<Effects>) => {
    document.body.replaceChildren();
    await shown({ reads: [], writes: [], ...effects });
    return said();
  };
  expect(await looked({})).toMatch(/^Changes no file\. No network, no commands\./);
  expect(await looked({ open: ['s2'] })).toMatch(/^Changes no file without asking\./);
  expect(await looked({ destructive: ['drop_all'] })).toMatch(/^Changes no file without asking\./);
  expect(await looked({ network: true, hosts: [] })).toContain('Uses the network and asks for every host');
  expect(await looked({ reads: ['.'], writes: ['.'], commands: true })).toMatch(
    /^May read the whole folder and write the whole folder\. No network, runs commands\./,
  );
});
