import { expect, test } from 'vitest';
import { saveDocument } from './exporting';
import { appOn } from './mounted.test-data';

test.each([
  ['Patents, counted!', 'patents-counted.json'],
  ['', 'plan.json'],
  ['?! —', 'plan.json'],
  ['Größe & Ähnlichkeit', 'größe-ähnlichkeit.json'],
  [`${'a'.repeat(59)} b`, `${'a'.repeat(59)}.json`],
  ['\u{10400}'.repeat(70), `${'\u{10428}'.repeat(60)}.json`],
])('what is called %j is proposed to be written to %s', async (title, name) => {
  const { app, backend } = await appOn('sample');
  let proposed = '';
  backend.desktop.saveText = async (given) => {
    proposed = given;
    return null;
  };
  await saveDocument(app, title, 'json', async () => '{}');
  expect(proposed).toBe(name);
});
