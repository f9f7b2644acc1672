import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

const EVERYTHING = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe has to say against the page, as short lines; by all rules, or by a few. */
export async function violations(page: Page, rules: string[] = EVERYTHING): Promise<string[]> {
  await settled(page);
  // Half a megabyte of script, once for a page.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  const found = await page.evaluate(async (runOnly) => {
    const { axe } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> };
    };
    return (await axe.run({ runOnly, resultTypes: ['violations'] })).violations;
  }, rules);
  return found.flatMap(({ id, nodes }) =>
    nodes
      .slice(0, 3)
      .map((node) => `${id}: ${node.html.slice(0, 260)} ${(node.failureSummary ?? '').slice(0, 300)}`),
  );
}

/** Waits until nothing moves or changes its colour any more: what is half way through has no contrast to speak of. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const ending = document
      .getAnimations()
      .filter((animation) => animation.effect?.getComputedTiming().iterations !== Infinity);
    await Promise.allSettled(ending.map((animation) => animation.finished));
  });
}
